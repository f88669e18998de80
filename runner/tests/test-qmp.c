/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The QMP client against a server that a script plays over a socket pair. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "qmp.h"

#define GREETING "{\"QMP\": {\"version\": {}, \"capabilities\": []}}\r\n"
#define DONE "{\"return\": {}}\r\n"

/* What the server says is written beforehand: the client reads it as it asks. */
static Qmp *client(const char *server_says, int *server, int interrupt_fd)
{
    int pair[2];

    cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    cr_assert(write(pair[1], server_says, strlen(server_says)) == (ssize_t)strlen(server_says));
    *server = pair[1];
    return qmp_new(pair[0], interrupt_fd);
}

static gint64 soon(void)
{
    return g_get_monotonic_time() + G_USEC_PER_SEC / 20;
}

Test(qmp, handshake_and_command)
{
    int server;
    char heard[512] = "";
    g_autoptr(GError) error = NULL;
    g_autoptr(Qmp) qmp = client(GREETING DONE "{\"event\": \"STOP\"}\r\n" DONE, &server, -1);
    JsonObject *arguments = json_object_new();

    json_object_set_string_member(arguments, "uri", "file:x");
    cr_assert(qmp_handshake(qmp, soon(), &error));
    cr_assert(qmp_execute(qmp, "migrate", arguments, soon(), &error));
    cr_expect(qmp_wait_event(qmp, "STOP", soon(), NULL, &error),
              "an event before the answer is kept");
    cr_assert(read(server, heard, sizeof(heard) - 1) > 0);
    cr_expect(eq(str, heard,
                 "{\"execute\":\"qmp_capabilities\"}\n"
                 "{\"execute\":\"migrate\",\"arguments\":{\"uri\":\"file:x\"}}\n"));
    close(server);
}

Test(qmp, refusal_is_qemus_text)
{
    int server;
    g_autoptr(GError) error = NULL;
    g_autoptr(Qmp) qmp = client(
        "{\"error\": {\"class\": \"GenericError\", \"desc\": \"no such bus\"}}\r\n", &server, -1);

    cr_expect(not(qmp_execute(qmp, "device_add", NULL, soon(), &error)));
    cr_expect(g_error_matches(error, QMP_ERROR, QMP_ERROR_REFUSED));
    cr_expect(eq(str, error->message, "device_add: no such bus"));
    close(server);
}

Test(qmp, migration_events)
{
    int server;
    g_autoptr(GError) error = NULL;
    g_autoptr(Qmp) qmp =
        client("{\"event\": \"MIGRATION\", \"data\": {\"status\": \"active\"}}\n"
               "{\"event\": \"MIGRATION\", \"data\": {\"status\": \"completed\"}}\n"
               "{\"event\": \"MIGRATION\", \"data\": {\"status\": \"failed\"}}\n",
               &server, -1);

    cr_expect(qmp_wait_migration(qmp, soon(), &error));
    cr_expect(not(qmp_wait_migration(qmp, soon(), &error)));
    cr_expect(g_error_matches(error, QMP_ERROR, QMP_ERROR_REFUSED));
    close(server);
}

Test(qmp, timeout)
{
    int server;
    g_autoptr(GError) error = NULL;
    g_autoptr(Qmp) qmp = client("{\"event\": \"RESUME\"}\n{\"half", &server, -1);

    cr_expect(not(qmp_wait_event(qmp, "STOP", soon(), NULL, &error)));
    cr_expect(g_error_matches(error, QMP_ERROR, QMP_ERROR_TIMEOUT));
    close(server);
}

Test(qmp, closed)
{
    int server;
    g_autoptr(GError) error = NULL;
    g_autoptr(Qmp) qmp = client("{\"event\": \"SHUTDOWN\"}\n", &server, -1);

    close(server);
    cr_expect(qmp_wait_closed(qmp, soon(), &error));
    cr_expect(not(qmp_execute(qmp, "quit", NULL, soon(), &error)));
    cr_expect(g_error_matches(error, QMP_ERROR, QMP_ERROR_CLOSED));
}

Test(qmp, interrupt)
{
    int server, ends[2];
    g_autoptr(GError) error = NULL;

    cr_assert(pipe(ends) == 0);
    cr_assert(write(ends[1], "x", 1) == 1);
    g_autoptr(Qmp) qmp = client("", &server, ends[0]);
    cr_expect(not(qmp_wait_closed(qmp, soon(), &error)));
    cr_expect(g_error_matches(error, QMP_ERROR, QMP_ERROR_INTERRUPTED));
    close(server);
}

Test(qmp, nonsense)
{
    static const char *const lines[] = {"hello\n", "[1]\n", "\n", "{\"QMP\n"};

    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        int server;
        g_autoptr(GError) error = NULL;
        g_autoptr(Qmp) qmp = client(lines[i], &server, -1);
        cr_expect(not(qmp_handshake(qmp, soon(), &error)));
        cr_expect(g_error_matches(error, QMP_ERROR, QMP_ERROR_PROTOCOL), "%s", error->message);
        close(server);
    }
}
