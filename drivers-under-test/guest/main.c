/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quirkbench-init: the guest's only program, PID 1.  It gets the machine ready, asks for the
 * snapshot, and when it wakes up in a restored machine runs the plan that the channel brought.
 *
 * For developers: with `quirkbench.plan=FILE` on the kernel's command line and no channel device,
 * the plan is FILE of the initramfs, and reports go to the console. */
#include "channel.h"
#include "cpio-read.h"
#include "plan.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INPUT_FOLDER "/run/qb"
#define SETTLE_S 2

static const struct {
    const char *type, *path, *options;
} mounts[] = {
    {"proc", "/proc", NULL},    {"sysfs", "/sys", NULL},
    {"devtmpfs", "/dev", NULL}, {"tmpfs", "/run", "mode=0755"},
    {"tmpfs", "/tmp", NULL},    {"tmpfs", "/dev/shm", NULL}, /* fio's shared memory */
};

static void write_setting(const char *path, const char *value)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd >= 0) {
        ssize_t ignored = write(fd, value, strlen(value));

        (void)ignored;
        close(fd);
    }
}

/* A machine without a console leaves PID 1 without its first three files. */
static void open_standard_files(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO) {
        close(fd);
    }
}

/* The machine has no source of randomness, so that runs repeat; the first program that asks for
 * some would have the kernel spin for a second to gather it. */
static void seed_random(void)
{
    enum { SEED_BYTES = 32 };
    _Alignas(struct rand_pool_info) char seed[sizeof(struct rand_pool_info) + SEED_BYTES] = {0};
    struct rand_pool_info *info = (struct rand_pool_info *)(void *)seed;
    int fd = open("/dev/random", O_WRONLY | O_CLOEXEC);

    info->entropy_count = 8 * SEED_BYTES;
    info->buf_size = SEED_BYTES;
    if (fd < 0 || ioctl(fd, RNDADDENTROPY, info) < 0) {
        fprintf(stderr, "quirkbench-init: cannot seed /dev/random: %s\n", strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
}

/* A command that does nothing, so that a shell's first pages and lookups are behind us. */
static void touch_shell(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", ":", (char *)NULL);
        _exit(127);
    }
    if (pid > 0) {
        waitpid(pid, NULL, 0);
    }
}

/* All that needs no plan, so that it is in the snapshot and costs a run nothing. */
static void prepare_machine(void)
{
    struct timespec settle = {.tv_sec = SETTLE_S};

    for (unsigned i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
        mkdir(mounts[i].path, 0755);
        if (mount(mounts[i].type, mounts[i].path, mounts[i].type, 0, mounts[i].options) < 0) {
            fprintf(stderr, "quirkbench-init: cannot mount %s: %s\n", mounts[i].path,
                    strerror(errno));
        }
    }
    open_standard_files();
    chmod("/", 0755); /* the kernel's first file system lets everybody write */
    mkdir(INPUT_FOLDER, 0755);
    setenv("PATH", INPUT_FOLDER "/tools:/usr/sbin:/usr/bin:/sbin:/bin", 1);
    setenv("HOME", "/", 1);
    write_setting("/proc/sys/fs/aio-max-nr", "1048576");
    /* A module comes with insmod, or not at all. */
    write_setting("/proc/sys/kernel/modprobe", "\n");
    seed_random();
    touch_shell();
    nanosleep(&settle, NULL);
}

/* The value of quirkbench.plan= on the kernel's command line; NULL if there is none. */
static char *developer_plan(void)
{
    static const char key[] = "quirkbench.plan=";
    static char line[4096];
    char *at;

    if (!line_read("/proc/cmdline", line, sizeof(line)) || !(at = strstr(line, key))) {
        return NULL;
    }
    at += strlen(key);
    at[strcspn(at, " ")] = '\0';
    return at;
}

static bool read_plan(const char *path, Text *text, Reason *reason)
{
    text_printf(text, "%s", "");
    return text_add_file(text, path) ||
           reason_set(reason, "cannot read %s: %s", path, strerror(errno));
}

static bool unpack_input(Channel *channel, Text *text, Reason *reason)
{
    size_t length;
    const void *archive = channel_input(channel, &length);

    if (length == 0) {
        return reason_set(reason, "the channel brought no input");
    }
    return cpio_unpack(archive, length, INPUT_FOLDER, reason) &&
           read_plan(INPUT_FOLDER "/plan", text, reason);
}

static ChannelVerdict run_plan(Channel *channel, const char *base, char *text)
{
    static Plan plan;
    Reason reason;

    plan = (Plan){.channel = channel,
                  .base = base,
                  .devices = {.sysfs = "/sys", .dev = "/dev", .proc = "/proc"}};
    if (plan_run(&plan, text)) {
        return CHANNEL_VERDICT_DONE;
    }
    plan_report_dmesg(&plan, &reason);
    return CHANNEL_VERDICT_FAILED;
}

static ChannelVerdict run_developer_plan(Channel *channel, const Reason *no_channel)
{
    char *path = developer_plan();
    Text text = {0};
    Reason reason;

    if (!path) {
        fprintf(stderr, "quirkbench-init: %s, and no quirkbench.plan= is given\n",
                no_channel->text);
        return CHANNEL_VERDICT_UNREADABLE;
    }
    if (!read_plan(path, &text, &reason)) {
        fprintf(stderr, "quirkbench-init: %s\n", reason.text);
        return CHANNEL_VERDICT_UNREADABLE;
    }
    return run_plan(channel, dirname(path), text.data);
}

static ChannelVerdict run_input(Channel *channel)
{
    Text text = {0};
    Reason reason;

    if (!unpack_input(channel, &text, &reason)) {
        channel_report(channel, "plan-error", reason.text, strlen(reason.text));
        return CHANNEL_VERDICT_UNREADABLE;
    }
    return run_plan(channel, INPUT_FOLDER, text.data);
}

int main(void)
{
    Channel channel;
    Reason reason;

    if (getpid() != 1) {
        fputs("quirkbench-init is the first program of a Quirkbench guest; it does nothing "
              "elsewhere\n",
              stderr);
        return 2;
    }
    prepare_machine();
    if (channel_open(&channel, "/sys", &reason)) {
        channel_snapshot(&channel);
        channel_end(&channel, run_input(&channel));
    } else {
        channel_end(&channel, run_developer_plan(&channel, &reason));
    }
    reboot(RB_POWER_OFF);
    for (;;) {
        pause();
    }
}
