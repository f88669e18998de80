/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"
#include "load.h"
#include "net.h"
#include "pci.h"
#include "plan-shell.h"
#include "traffic.h"
#include "verify.h"
#include "words.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DMESG_ALL 3   /* SYSLOG_ACTION_READ_ALL */
#define DMESG_SIZE 10 /* SYSLOG_ACTION_SIZE_BUFFER */

typedef bool (*Action)(Plan *self, char **words, int words_n, Reason *reason);

static bool do_insmod(Plan *self, char **words, int words_n, Reason *reason)
{
    char path[PATH_MAX];
    Text parameters = {0};
    bool done;
    int fd;

    string_set(path, sizeof(path), "%s/modules/%s", self->base, words[1]);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return reason_set(reason, "cannot open modules/%s: %s", words[1], strerror(errno));
    }
    text_printf(&parameters, "%s", "");
    for (int i = 2; i < words_n; i++) {
        text_printf(&parameters, "%s%s", i > 2 ? " " : "", words[i]);
    }
    done = syscall(SYS_finit_module, fd, parameters.data, 0) == 0 ||
           reason_set(reason, "cannot load %s: %s%s", words[1], strerror(errno),
                      errno == ENOENT || errno == EINVAL
                          ? " (an unknown symbol or parameter: see dmesg)"
                      : errno == ENOEXEC ? " (is it built for this kernel, and not compressed?)"
                                         : "");
    close(fd);
    text_free(&parameters);
    return done;
}

static bool do_rmmod(Plan *self, char **words, int words_n, Reason *reason)
{
    return syscall(SYS_delete_module, words[1], O_NONBLOCK) == 0 ||
           reason_set(reason, "cannot unload %s: %s", words[1], strerror(errno));
}

static bool take_ms(const char *word, uint64_t *ms, Reason *reason)
{
    return number_parse(word, ms) ||
           reason_set(reason, "\"%s\" is no number of milliseconds", word);
}

static bool do_wait_nvme(Plan *self, char **words, int words_n, Reason *reason)
{
    uint64_t ms;

    return take_ms(words[2], &ms, reason) && devices_wait(&self->devices, words[1], ms, reason);
}

static bool do_wait_net(Plan *self, char **words, int words_n, Reason *reason)
{
    uint64_t ms;

    return take_ms(words[2], &ms, reason) && net_wait(&self->devices, words[1], ms, reason);
}

static bool do_wait_pci(Plan *self, char **words, int words_n, Reason *reason)
{
    uint64_t ms;

    return take_ms(words[3], &ms, reason) &&
           pci_wait(&self->devices, words[1], words[2], ms, reason);
}

static bool do_bind(Plan *self, char **words, int words_n, Reason *reason)
{
    return pci_bind(&self->devices, words[1], words[2], reason);
}

static bool do_wait_link(Plan *self, char **words, int words_n, Reason *reason)
{
    uint64_t ms;

    if (!take_ms(words[words_n - 1], &ms, reason)) {
        return false;
    }
    for (int i = 1; i < words_n - 1; i++) {
        if (!net_wait_link(&self->devices, words[i], ms, reason)) {
            return false;
        }
    }
    return true;
}

static bool do_wait_gone(Plan *self, char **words, int words_n, Reason *reason)
{
    uint64_t ms;

    return take_ms(words[2], &ms, reason) &&
           devices_wait_gone(&self->devices, words[1], ms, reason);
}

static bool do_write(Plan *self, char **words, int words_n, Reason *reason)
{
    size_t length = strlen(words[2]);
    int fd = open(words[1], O_WRONLY | O_CLOEXEC);
    bool done;

    if (fd < 0) {
        return reason_set(reason, "cannot open %s: %s", words[1], strerror(errno));
    }
    done = write(fd, words[2], length) == (ssize_t)length ||
           reason_set(reason, "cannot write \"%s\" to %s: %s", words[2], words[1], strerror(errno));
    close(fd);
    return done;
}

static bool do_load(Plan *self, char **words, int words_n, Reason *reason)
{
    LoadSpec spec;

    return load_parse(&spec, words + 1, words_n - 1, reason) &&
           load_run(&spec, &self->devices, self->channel, reason);
}

static bool do_verify(Plan *self, char **words, int words_n, Reason *reason)
{
    VerifySpec spec;

    return verify_parse(&spec, words + 1, words_n - 1, reason) &&
           verify_run(&spec, &self->devices, self->channel, reason);
}

static bool do_traffic(Plan *self, char **words, int words_n, Reason *reason)
{
    TrafficSpec spec;

    return traffic_parse(&spec, words + 1, words_n - 1, reason) &&
           traffic_run(&spec, self->channel, reason);
}

/* Reports @body as WHEN.WHAT. */
static void report_observed(Plan *self, const char *when, const char *what, const Text *body)
{
    Text name = {0};

    text_printf(&name, "%s.%s", when, what);
    channel_report(self->channel, name.data, body->data ? body->data : "", body->length);
    text_free(&name);
}

static bool observe_file(Plan *self, const char *when, const char *what, const char *path,
                         Reason *reason)
{
    Text body = {0};
    bool read = text_add_file(&body, path);

    if (read) {
        report_observed(self, when, what, &body);
    }
    text_free(&body);
    return read || reason_set(reason, "cannot read %s: %s", path, strerror(errno));
}

static bool observe_statistics(Plan *self, const char *when, Reason *reason)
{
    Text body = {0};
    bool read = net_statistics_add(&body, &self->devices, reason);

    if (read) {
        report_observed(self, when, "ethtool-S", &body);
    }
    text_free(&body);
    return read;
}

static bool has_ports(const Devices *devices)
{
    for (int i = 0; i < devices->n; i++) {
        if (*devices->list[i].interface) {
            return true;
        }
    }
    return false;
}

static bool do_observe(Plan *self, char **words, int words_n, Reason *reason)
{
    const char *when = words[1];

    return observe_file(self, when, "interrupts", "/proc/interrupts", reason) &&
           observe_file(self, when, "stat", "/proc/stat", reason) &&
           observe_file(self, when, "diskstats", "/proc/diskstats", reason) &&
           (!has_ports(&self->devices) ||
            (observe_file(self, when, "net-dev", "/proc/net/dev", reason) &&
             observe_statistics(self, when, reason)));
}

static bool do_queue_map(Plan *self, char **words, int words_n, Reason *reason)
{
    Text body = {0};

    queue_map_add(&body, &self->devices);
    channel_report(self->channel, "queue-map", body.data ? body.data : "", body.length);
    text_free(&body);
    return true;
}

bool plan_report_dmesg(Plan *self, Reason *reason)
{
    int size = klogctl(DMESG_SIZE, NULL, 0), length = -1;
    char *body = size > 0 ? malloc((size_t)size) : NULL;

    if (body) {
        length = klogctl(DMESG_ALL, body, size);
    }
    if (length >= 0) {
        channel_report(self->channel, "dmesg", body, (size_t)length);
    }
    free(body);
    return length >= 0 || reason_set(reason, "cannot read the kernel log: %s", strerror(errno));
}

static bool do_dmesg(Plan *self, char **words, int words_n, Reason *reason)
{
    return plan_report_dmesg(self, reason);
}

static bool do_sleep(Plan *self, char **words, int words_n, Reason *reason)
{
    struct timespec time;
    uint64_t ms;

    if (!take_ms(words[1], &ms, reason)) {
        return false;
    }
    time = (struct timespec){.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&time, NULL);
    return true;
}

static bool do_mark(Plan *self, char **words, int words_n, Reason *reason)
{
    uint64_t value;

    if (!number_parse(words[1], &value) || value > UINT32_MAX) {
        return reason_set(reason, "\"%s\" is no number of 32 bits", words[1]);
    }
    channel_mark(self->channel, (uint32_t)value);
    return true;
}

/* `run` is not here: its line is the shell's, not ours to split. */
static const struct Command {
    const char *name;
    int words_min, words_max;
    Action action;
    const char *usage;
} commands[] = {
#define PLAN_COMMAND(name, least, most, action, usage) {name, least, most, action, usage},
#include "plan-commands.def"
#undef PLAN_COMMAND
};

static bool run_words(Plan *self, char *line, Reason *reason)
{
    char *words[PLAN_WORDS_MOST];
    int n = words_split(line, words, PLAN_WORDS_MOST, reason);

    if (n <= 0) {
        return n == 0;
    }
    for (unsigned i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        const struct Command *command = &commands[i];

        if (strcmp(words[0], command->name) == 0) {
            if (n < command->words_min || n > command->words_max) {
                return reason_set(reason, "usage: %s", command->usage);
            }
            return command->action(self, words, n, reason);
        }
    }
    return reason_set(reason, "unknown command \"%s\"", words[0]);
}

static bool run_line(Plan *self, const char *line, Reason *reason)
{
    Text text = {0};
    bool done;

    text_printf(&text, "%s", "");
    words_substitute(&text, line, devices_lookup, &self->devices);
    if (strncmp(text.data, "run ", 4) == 0 || strncmp(text.data, "run\t", 4) == 0) {
        done = plan_shell(self->channel, self->base, ++self->runs, text.data + 4, reason);
    } else {
        done = run_words(self, text.data, reason);
    }
    text_free(&text);
    return done;
}

static void report_error(Plan *self, int line_number, const char *line, const Reason *reason)
{
    Text body = {0};

    text_printf(&body, "line %d: %s: %s\n", line_number, line, reason->text);
    channel_report(self->channel, "plan-error", body.data, body.length);
    text_free(&body);
}

bool plan_run(Plan *self, char *text)
{
    int number = 0;

    for (char *line = text, *next; line; line = next) {
        Reason reason = {""};
        bool forgiven;

        next = strchr(line, '\n');
        if (next) {
            *next++ = '\0';
        }
        number++;
        line += strspn(line, " \t\r");
        forgiven = *line == '-';
        line += forgiven;
        line += strspn(line, " \t");
        if (*line && *line != '#' && !run_line(self, line, &reason) && !forgiven) {
            report_error(self, number, line, &reason);
            return false;
        }
    }
    return true;
}
