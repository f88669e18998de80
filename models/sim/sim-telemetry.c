/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The telemetry file: JSON Lines put together by hand (a dozen kinds of flat objects), buffered.
 * Format: docs/telemetry.md.  Nothing here can disturb a run: the first write that fails is
 * remembered, and all records after it are dropped. */
#include "sim/sim-telemetry.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (64 * 1024)

typedef struct Violation {
    char *device, *rule, *text;
    SimTime first;
    uint64_t count;
} Violation;

struct SimTelemetry {
    int fd;     /* -1: no file, or it has failed; records are dropped */
    int failed; /* errno of the first failure */
    bool open;  /* between begin and end */
    GString *buffer;
    GHashTable *violation_set; /* of Violation, by device, rule and text */
    GPtrArray *violations;     /* in the order in which they were first seen */
};

static guint violation_hash(gconstpointer key)
{
    const Violation *v = key;

    return (g_str_hash(v->device) * 31 + g_str_hash(v->rule)) * 31 + g_str_hash(v->text);
}

static gboolean violation_equal(gconstpointer a, gconstpointer b)
{
    const Violation *v = a, *w = b;

    return g_str_equal(v->text, w->text) && g_str_equal(v->rule, w->rule) &&
           g_str_equal(v->device, w->device);
}

static void violation_free(gpointer data)
{
    Violation *v = data;

    g_free(v->device);
    g_free(v->rule);
    g_free(v->text);
    g_free(v);
}

SimTelemetry *sim_telemetry_new(const char *path, GError **error)
{
    SimTelemetry *self;
    int fd = -1;

    if (path) {
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0) {
            int saved = errno;

            g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(saved),
                        "%s: cannot create the telemetry file: %s", path, g_strerror(saved));
            return NULL;
        }
    }
    self = g_new0(SimTelemetry, 1);
    self->fd = fd;
    self->buffer = g_string_sized_new(path ? BUFFER_BYTES + 4096 : 16);
    self->violation_set = g_hash_table_new(violation_hash, violation_equal);
    self->violations = g_ptr_array_new_with_free_func(violation_free);
    return self;
}

void sim_telemetry_free(SimTelemetry *self)
{
    if (!self) {
        return;
    }
    sim_telemetry_flush(self);
    if (self->fd >= 0) {
        close(self->fd);
    }
    g_string_free(self->buffer, TRUE);
    g_hash_table_destroy(self->violation_set);
    g_ptr_array_free(self->violations, TRUE);
    g_free(self);
}

bool sim_telemetry_flush(SimTelemetry *self)
{
    size_t done = 0;

    if (!self) {
        return true;
    }
    while (self->fd >= 0 && done < self->buffer->len) {
        ssize_t n = write(self->fd, self->buffer->str + done, self->buffer->len - done);

        if (n >= 0) {
            done += (size_t)n;
        } else if (errno != EINTR) {
            self->failed = errno;
            close(self->fd);
            self->fd = -1;
        }
    }
    g_string_truncate(self->buffer, 0);
    return self->failed == 0;
}

int sim_telemetry_errno(const SimTelemetry *self)
{
    return self ? self->failed : 0;
}

static inline bool recording(const SimTelemetry *self)
{
    return self && self->fd >= 0;
}

static void append_string(GString *out, const char *s, size_t bytes)
{
    const char *end = s + bytes;

    g_string_append_c(out, '"');
    while (s < end) {
        unsigned char c = (unsigned char)*s;

        if (c == '"' || c == '\\') {
            g_string_append_c(out, '\\');
            g_string_append_c(out, (char)c);
        } else if (c == '\n') {
            g_string_append(out, "\\n");
        } else if (c == '\t') {
            g_string_append(out, "\\t");
        } else if (c == '\r') {
            g_string_append(out, "\\r");
        } else if (c < 0x20 || c == 0x7f) {
            g_string_append_printf(out, "\\u%04x", c);
        } else if (c < 0x80) {
            g_string_append_c(out, (char)c);
        } else {
            gunichar wide = g_utf8_get_char_validated(s, end - s);

            if (wide == (gunichar)-1 || wide == (gunichar)-2) {
                g_string_append(out, "\xef\xbf\xbd"); /* U+FFFD, one for each byte */
            } else {
                g_string_append_unichar(out, wide);
                s = g_utf8_next_char(s);
                continue;
            }
        }
        s++;
    }
    g_string_append_c(out, '"');
}

static void append_u64(GString *out, uint64_t value)
{
    char digits[20];
    size_t n = sizeof digits;

    do {
        digits[--n] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    g_string_append_len(out, digits + n, (gssize)(sizeof digits - n));
}

static void append_key(SimTelemetry *self, const char *key)
{
    g_assert(self->open);
    g_string_append(self->buffer, ",\"");
    g_string_append(self->buffer, key);
    g_string_append(self->buffer, "\":");
}

void sim_telemetry_begin(SimTelemetry *self, const char *type)
{
    if (recording(self)) {
        g_assert(!self->open);
        self->open = true;
        g_string_append(self->buffer, "{\"type\":\"");
        g_string_append(self->buffer, type);
        g_string_append_c(self->buffer, '"');
    }
}

void sim_telemetry_strn(SimTelemetry *self, const char *key, const char *value, size_t bytes)
{
    if (recording(self)) {
        append_key(self, key);
        append_string(self->buffer, value ? value : "", value ? bytes : 0);
    }
}

void sim_telemetry_str(SimTelemetry *self, const char *key, const char *value)
{
    if (recording(self)) {
        sim_telemetry_strn(self, key, value, value ? strlen(value) : 0);
    }
}

void sim_telemetry_u64(SimTelemetry *self, const char *key, uint64_t value)
{
    if (recording(self)) {
        append_key(self, key);
        append_u64(self->buffer, MIN(value, (uint64_t)INT64_MAX)); /* SQLite's integers end there */
    }
}

void sim_telemetry_bool(SimTelemetry *self, const char *key, bool value)
{
    if (recording(self)) {
        append_key(self, key);
        g_string_append(self->buffer, value ? "true" : "false");
    }
}

void sim_telemetry_end(SimTelemetry *self)
{
    if (recording(self)) {
        g_assert(self->open);
        self->open = false;
        g_string_append(self->buffer, "}\n");
        if (self->buffer->len >= BUFFER_BYTES) {
            sim_telemetry_flush(self);
        }
    }
}

static void violation_write(SimTelemetry *self, const Violation *v, bool total)
{
    sim_telemetry_begin(self, "violation");
    sim_telemetry_u64(self, "t_ps", v->first);
    if (total) {
        sim_telemetry_str(self, "at", "end");
    }
    sim_telemetry_str(self, "device", v->device);
    sim_telemetry_str(self, "rule", v->rule);
    sim_telemetry_str(self, "text", v->text);
    sim_telemetry_u64(self, "count", v->count);
    sim_telemetry_end(self);
}

void sim_telemetry_violation(SimTelemetry *self, const char *device, SimTime now, const char *rule,
                             const char *text)
{
    Violation *v;

    if (!self) {
        return;
    }
    v = g_hash_table_lookup(self->violation_set,
                            &(Violation){(char *)device, (char *)rule, (char *)text, 0, 0});
    if (v) {
        v->count++;
        return;
    }
    v = g_new(Violation, 1);
    *v = (Violation){g_strdup(device), g_strdup(rule), g_strdup(text), now, 1};
    g_hash_table_add(self->violation_set, v);
    g_ptr_array_add(self->violations, v);
    violation_write(self, v, false);
}

uint64_t sim_telemetry_violations(const SimTelemetry *self, const char *device)
{
    uint64_t count = 0;

    for (guint i = 0; self && i < self->violations->len; i++) {
        const Violation *v = g_ptr_array_index(self->violations, i);

        if (!device || g_str_equal(v->device, device)) {
            count += v->count;
        }
    }
    return count;
}

void sim_telemetry_violation_totals(SimTelemetry *self)
{
    for (guint i = 0; self && i < self->violations->len; i++) {
        violation_write(self, g_ptr_array_index(self->violations, i), true);
    }
}
