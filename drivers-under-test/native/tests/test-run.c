/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole runs: simulated driver, model, link, telemetry. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include "native-run.h"

/* A run of one drive; what a test changes is changed in the structures. */
typedef struct Fixture {
    HostMachine *machine;
    NvmeProfile *profile;
    NativeRunDevice device;
    unsigned devices[1];
    NativeLoadSpec load;
    NativeRunConfig config;
    char *folder, *path;
} Fixture;

static void fixture_init(Fixture *self, const char *driver, const char *drive)
{
    g_autofree char *machine =
        g_build_filename(g_getenv("PROFILES"), "host/profiles/xeon-2620v4-x2.ini", NULL);
    g_autofree char *name = g_strconcat(drive, ".ini", NULL);
    g_autofree char *profile = g_build_filename(g_getenv("PROFILES"), "nvme/profiles", name, NULL);
    g_autoptr(GError) error = NULL;

    *self = (Fixture){0};
    self->machine = host_machine_load(machine, &error);
    cr_assert(self->machine != NULL, "%s", error ? error->message : "");
    self->profile = nvme_profile_load(profile, &error);
    cr_assert(self->profile != NULL, "%s", error ? error->message : "");
    self->folder = g_dir_make_tmp("native-XXXXXX", NULL);
    self->path = g_build_filename(self->folder, "telemetry.jsonl", NULL);
    self->device = (NativeRunDevice){.name = "nvme0",
                                     .slot = "slot2",
                                     .profile = self->profile,
                                     .options = {.serial = "A", .fill_random = true}};
    self->load = (NativeLoadSpec){.devices = self->devices,
                                  .devices_n = 1,
                                  .random = true,
                                  .pinned = true,
                                  .window = true,
                                  .readers = 64,
                                  .depth = 1,
                                  .block_bytes = 4096,
                                  .span_bytes = UINT64_C(1) << 30,
                                  .ios = 4000,
                                  .warmup = 400,
                                  .seed = 1};
    self->config = (NativeRunConfig){.driver = native_driver_find(driver),
                                     .machine = self->machine,
                                     .cpus = 32,
                                     .seed = 1,
                                     .limit_ps = 60 * SIM_S,
                                     .sample_ps = SIM_MS,
                                     .telemetry_path = self->path,
                                     .devices = &self->device,
                                     .devices_n = 1,
                                     .loads = &self->load,
                                     .loads_n = 1};
    cr_assert(self->config.driver != NULL);
    cr_assert(native_parameters_read(&self->config.parameters, self->config.driver, NULL, NULL));
}

static void set_parameter(Fixture *self, const char *word)
{
    const char *words[] = {word, NULL};
    g_autoptr(GError) error = NULL;

    cr_assert(native_parameters_read(&self->config.parameters, self->config.driver, words, &error),
              "%s", error ? error->message : "");
}

static char *run(Fixture *self)
{
    g_autoptr(GError) error = NULL;
    char *text = NULL;

    cr_assert(native_run(&self->config, NULL, &error), "%s", error ? error->message : "");
    cr_assert(g_file_get_contents(self->path, &text, NULL, NULL));
    g_unlink(self->path);
    return text;
}

static void fixture_clear(Fixture *self)
{
    g_rmdir(self->folder);
    g_free(self->folder);
    g_free(self->path);
    nvme_profile_free(self->profile);
    host_machine_free(self->machine);
}

static void expect_clean(const char *text)
{
    const char *bad = strstr(text, "\"held\":false");

    cr_expect(strstr(text, "\"verdict\":\"done\"") != NULL, "%s", strstr(text, "plan-error"));
    cr_expect(bad == NULL);
    bad = strstr(text, "\"type\":\"violation\"");
    cr_expect(bad == NULL, "%.200s", bad ? bad : "");
}

Test(native_run, every_driver_on_every_drive)
{
    static const char *const drivers[] = {"dragonfly-2016-06", "dragonfly-2016-07", "linux-6.1",
                                          "queue-policy"};
    static const char *const drives[] = {"samsung-sm951", "intel-750", "ideal"};

    for (size_t i = 0; i < G_N_ELEMENTS(drivers); i++) {
        for (size_t j = 0; j < G_N_ELEMENTS(drives); j++) {
            Fixture f;

            fixture_init(&f, drivers[i], drives[j]);
            g_autofree char *text = run(&f);
            expect_clean(text);
            cr_expect(strstr(text, "\"ios\\\":4000") != NULL, "%s on %s", drivers[i], drives[j]);
            fixture_clear(&f);
        }
    }
}

Test(native_run, the_same_bytes_each_time)
{
    Fixture f;

    fixture_init(&f, "dragonfly-2016-07", "intel-750");
    g_autofree char *a = run(&f);
    g_autofree char *b = run(&f);
    cr_expect(eq(str, a, b));
    fixture_clear(&f);
}

/* More in flight than a queue has room for: threads wait for a CID, nothing is lost. */
Test(native_run, full_queues)
{
    Fixture f;

    fixture_init(&f, "queue-policy", "samsung-sm951");
    const char *words[] = {"nvme.map=one", "nvme.io_queue_depth=4", NULL};
    cr_assert(native_parameters_read(&f.config.parameters, f.config.driver, words, NULL));
    f.load.depth = 8;
    g_autofree char *text = run(&f);
    expect_clean(text);
    fixture_clear(&f);
}

Test(native_run, polled_without_interrupts)
{
    Fixture f;

    fixture_init(&f, "queue-policy", "samsung-sm951");
    set_parameter(&f, "nvme.map=polled");
    g_autofree char *text = run(&f);
    expect_clean(text);
    cr_expect(strstr(text, "\"scope\":\"cpu\",\"index\":1,\"name\":\"interrupts\"") == NULL);
    fixture_clear(&f);
}

/* A thread that is done is woken for another's entry: the others of its queue must not sleep on. */
Test(native_run, polled_queues_that_threads_share_end)
{
    for (uint64_t seed = 1; seed <= 150; seed++) {
        Fixture f;

        fixture_init(&f, "queue-policy", "samsung-sm951");
        set_parameter(&f, "nvme.map=polled");
        f.load.readers = 96;
        f.load.ios = 300;
        f.load.warmup = 0;
        f.load.seed = seed;
        g_autofree char *text = run(&f);
        expect_clean(text);
        fixture_clear(&f);
    }
}

Test(native_run, writes_and_long_requests)
{
    Fixture f;

    fixture_init(&f, "linux-6.1", "samsung-sm951");
    f.load.write = true;
    f.load.random = false;
    f.load.block_bytes = 128 << 10;
    f.load.depth = 2;
    f.load.readers = 4;
    f.load.ios = 200;
    f.load.warmup = 0;
    g_autofree char *text = run(&f);
    expect_clean(text);
    cr_expect(strstr(text, "\"purpose\":\"prp-list\"") != NULL);
    fixture_clear(&f);
}

Test(native_run, length_by_time)
{
    Fixture f;

    fixture_init(&f, "linux-6.1", "intel-750");
    f.load.ios = 0;
    f.load.time_ps = 5 * SIM_MS;
    f.load.pinned = false;
    g_autofree char *text = run(&f);
    expect_clean(text);
    fixture_clear(&f);
}

/* The second begins where the first has only just ended, on the same cpus, and with longer lists. */
Test(native_run, two_loads)
{
    Fixture f;
    NativeLoadSpec loads[2];

    fixture_init(&f, "linux-6.1", "ideal");
    loads[0] = loads[1] = f.load;
    loads[0].window = false;
    loads[0].depth = 4;
    loads[0].block_bytes = 32 << 10;
    loads[1].block_bytes = 1 << 20;
    loads[1].write = true;
    loads[1].ios = 300;
    f.config.loads = loads;
    f.config.loads_n = 2;
    g_autofree char *text = run(&f);
    expect_clean(text);
    fixture_clear(&f);
}

/* A command that the drive loses hangs this driver for ever: the run's limit ends it. */
Test(native_run, a_lost_command)
{
    static const char *const faults[] = {"cqe drop opcode=read count=1", NULL};
    Fixture f;

    fixture_init(&f, "dragonfly-2016-07", "samsung-sm951");
    f.device.options.faults = faults;
    f.config.limit_ps = 5 * SIM_S;
    g_autofree char *text = run(&f);
    cr_expect(strstr(text, "\"verdict\":\"limit\"") != NULL);
    cr_expect(strstr(text, "\"held\":false") == NULL);
    fixture_clear(&f);
}

static bool at_once(void *opaque)
{
    return true;
}

Test(native_run, stopped)
{
    Fixture f;

    fixture_init(&f, "linux-6.1", "intel-750");
    f.config.stop = at_once;
    g_autofree char *text = run(&f);
    cr_expect(strstr(text, "\"verdict\":\"interrupted\"") != NULL);
    fixture_clear(&f);
}

/* The old kernel's buffer locks and IPIs hold three cards below what one could do. */
Test(native_run, physio_before_is_slower)
{
    Fixture f;

    fixture_init(&f, "dragonfly-2016-07", "intel-750");
    g_autofree char *after = run(&f);
    set_parameter(&f, "nvme.physio=before");
    g_autofree char *before = run(&f);
    expect_clean(before);
    cr_expect(strstr(before, "\"name\":\"lock_waits\"") != NULL);
    cr_expect(strcmp(after, before) != 0);
    fixture_clear(&f);
}

Test(native_run, parameters)
{
    static const struct {
        const char *word, *says;
    } rows[] = {
        {"nvme.map=blokcs", "did you mean 'blocks'"}, {"nvme.qeues=3", "did you mean 'queues'"},
        {"nvme.queues=0", "a number from 1"},         {"queues=3", "write nvme.NAME=VALUE"},
        {"nvme.physio=before", "no such parameter"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *words[] = {rows[i].word, NULL};
        g_autoptr(GError) error = NULL;
        NativeParameters parameters;

        cr_assert(not(native_parameters_read(&parameters, native_driver_find("queue-policy"), words,
                                             &error)));
        cr_expect(strstr(error->message, rows[i].says) != NULL, "%s", error->message);
    }
    cr_expect(native_driver_find("linux-nvme") == NULL, "a real one");
}
