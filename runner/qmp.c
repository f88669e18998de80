/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QMP client. */
#include "qmp.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct Qmp {
    int fd, interrupt_fd;
    GString *input; /* bytes that are not a whole line yet */
    GQueue *events; /* JsonObject *, in order of arrival */
    gboolean closed;
};

G_DEFINE_QUARK(qmp - error - quark, qmp_error)

Qmp *qmp_new(int fd, int interrupt_fd)
{
    Qmp *self = g_new0(Qmp, 1);

    self->fd = fd;
    self->interrupt_fd = interrupt_fd;
    self->input = g_string_new(NULL);
    self->events = g_queue_new();
    return self;
}

void qmp_free(Qmp *self)
{
    if (!self) {
        return;
    }
    close(self->fd);
    g_string_free(self->input, TRUE);
    g_queue_free_full(self->events, (GDestroyNotify)json_object_unref);
    g_free(self);
}

/* Waits for input.  FALSE: timeout or interrupt. */
static gboolean wait_readable(Qmp *self, gint64 deadline, GError **error)
{
    struct pollfd fds[2] = {{.fd = self->fd, .events = POLLIN},
                            {.fd = self->interrupt_fd, .events = POLLIN}};

    for (;;) {
        gint64 left_us = deadline - g_get_monotonic_time();
        int ready = left_us <= 0 ? 0 : poll(fds, 2, MIN(left_us / 1000 + 1, G_MAXINT));
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready <= 0) {
            g_set_error(error, QMP_ERROR, QMP_ERROR_TIMEOUT, "QEMU did not answer in time");
            return FALSE;
        }
        if (fds[1].revents & POLLIN) {
            g_set_error(error, QMP_ERROR, QMP_ERROR_INTERRUPTED, "interrupted");
            return FALSE;
        }
        return TRUE;
    }
}

/* The next line as an object.  NULL: @error. */
static JsonObject *read_message(Qmp *self, gint64 deadline, GError **error)
{
    char *newline;

    while (!(newline = memchr(self->input->str, '\n', self->input->len))) {
        char buffer[4096];
        if (self->closed || !wait_readable(self, deadline, error)) {
            if (self->closed) {
                g_set_error(error, QMP_ERROR, QMP_ERROR_CLOSED, "QEMU has ended");
            }
            return NULL;
        }
        ssize_t got = read(self->fd, buffer, sizeof(buffer));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            self->closed = TRUE;
            continue;
        }
        g_string_append_len(self->input, buffer, got);
    }
    g_autofree char *line = g_strndup(self->input->str, newline - self->input->str);
    g_string_erase(self->input, 0, newline + 1 - self->input->str);

    g_autoptr(JsonParser) parser = json_parser_new();
    if (!json_parser_load_from_data(parser, line, -1, NULL) || !json_parser_get_root(parser) ||
        !JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser))) {
        g_set_error(error, QMP_ERROR, QMP_ERROR_PROTOCOL, "this is not QMP: %.80s", line);
        return NULL;
    }
    return json_object_ref(json_node_get_object(json_parser_get_root(parser)));
}

gboolean qmp_execute(Qmp *self, const char *command, JsonObject *arguments, gint64 deadline,
                     GError **error)
{
    g_autoptr(JsonObject) request = json_object_new();
    g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);

    json_object_set_string_member(request, "execute", command);
    if (arguments) {
        json_object_set_object_member(request, "arguments", arguments);
    }
    json_node_set_object(root, request);
    g_autofree char *text = json_to_string(root, FALSE);
    g_autofree char *line = g_strconcat(text, "\n", NULL);
    for (size_t sent = 0, all = strlen(line); sent < all;) {
        ssize_t n = send(self->fd, line + sent, all - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            g_set_error(error, QMP_ERROR, QMP_ERROR_CLOSED, "QEMU has ended");
            return FALSE;
        }
        sent += n;
    }
    for (;;) {
        g_autoptr(JsonObject) answer = read_message(self, deadline, error);
        if (!answer) {
            return FALSE;
        }
        if (json_object_has_member(answer, "return")) {
            return TRUE;
        }
        if (json_object_has_member(answer, "error")) {
            JsonObject *what = json_object_get_object_member(answer, "error");
            g_set_error(error, QMP_ERROR, QMP_ERROR_REFUSED, "%s: %s", command,
                        json_object_get_string_member_with_default(what, "desc", "refused"));
            return FALSE;
        }
        if (json_object_has_member(answer, "event")) {
            g_queue_push_tail(self->events, g_steal_pointer(&answer));
        }
    }
}

gboolean qmp_handshake(Qmp *self, gint64 deadline, GError **error)
{
    g_autoptr(JsonObject) greeting = read_message(self, deadline, error);

    if (!greeting) {
        return FALSE;
    }
    if (!json_object_has_member(greeting, "QMP")) {
        g_set_error(error, QMP_ERROR, QMP_ERROR_PROTOCOL, "QEMU did not greet");
        return FALSE;
    }
    return qmp_execute(self, "qmp_capabilities", NULL, deadline, error);
}

static JsonObject *next_event(Qmp *self, gint64 deadline, GError **error)
{
    for (;;) {
        g_autoptr(JsonObject) message = g_queue_pop_head(self->events);
        if (!message) {
            message = read_message(self, deadline, error);
        }
        if (!message || json_object_has_member(message, "event")) {
            return g_steal_pointer(&message);
        }
    }
}

gboolean qmp_wait_event(Qmp *self, const char *event, gint64 deadline, JsonObject **data,
                        GError **error)
{
    for (;;) {
        g_autoptr(JsonObject) message = next_event(self, deadline, error);
        if (!message) {
            return FALSE;
        }
        if (g_strcmp0(json_object_get_string_member(message, "event"), event) == 0) {
            if (data) {
                JsonObject *found = json_object_has_member(message, "data")
                                        ? json_object_get_object_member(message, "data")
                                        : NULL;
                *data = found ? json_object_ref(found) : NULL;
            }
            return TRUE;
        }
    }
}

gboolean qmp_wait_migration(Qmp *self, gint64 deadline, GError **error)
{
    for (;;) {
        g_autoptr(JsonObject) data = NULL;
        if (!qmp_wait_event(self, "MIGRATION", deadline, &data, error)) {
            return FALSE;
        }
        const char *status =
            data ? json_object_get_string_member_with_default(data, "status", "") : "";
        if (strcmp(status, "completed") == 0) {
            return TRUE;
        }
        if (strcmp(status, "failed") == 0) {
            g_set_error(error, QMP_ERROR, QMP_ERROR_REFUSED,
                        "saving or restoring the snapshot failed");
            return FALSE;
        }
    }
}

gboolean qmp_wait_closed(Qmp *self, gint64 deadline, GError **error)
{
    for (;;) {
        GError *inner = NULL;
        g_autoptr(JsonObject) message = next_event(self, deadline, &inner);
        if (message) {
            continue;
        }
        if (g_error_matches(inner, QMP_ERROR, QMP_ERROR_CLOSED)) {
            g_clear_error(&inner);
            return TRUE;
        }
        g_propagate_error(error, inner);
        return FALSE;
    }
}
