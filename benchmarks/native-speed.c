/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many I/Os native mode simulates a second of one core, and what memory it takes.
 *
 *     native-speed [PROFILE [DRIVER [READERS [DEPTH [IOS]]]]]
 *     native-speed --queues N [IOS]
 *     native-speed --flat [IOS]
 *
 * The second form is one point of the third, which asks whether an I/O costs the same whatever
 * their number (10^5 up to IOS, by default 10^7) and whatever the number of queues (1 to 1023, with
 * 1023 I/Os in flight in all), and whether memory stays small; its exit status is 1 if not.
 * Telemetry as in a run, to a scratch file. */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "native-run.h"

enum { SET_UP_IOS = 1000, IN_FLIGHT = 1023, ROUNDS = 5, MEMORY_MOST_MIB = 64 };
/* The dearest I/O of a series by the cheapest: what caches and a busy machine may do to it. */
#define RATIO_MOST 2.0

typedef struct Point {
    const char *drive, *driver;
    unsigned queues; /* 0: as the drive has them */
    unsigned cpus;
    uint64_t readers, depth, ios;
} Point;

/* What is the same for all points. */
typedef struct Bench {
    char *folder; /* scratch */
    HostMachine *machine;
} Bench;

static double cpu_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
}

static long peak_mib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

/* A value in the text of a profile, in @group if the file has none yet. */
static void set_value(GString *text, const char *group, const char *key, unsigned value,
                      const char *unit)
{
    g_autofree char *pattern = g_strdup_printf("(?m)^%s = .*$", key);
    g_autofree char *line = g_strdup_printf("%s = %u%s", key, value, unit);
    g_autoptr(GRegex) regex = g_regex_new(pattern, 0, 0, NULL);

    if (g_regex_match(regex, text->str, 0, NULL)) {
        g_autofree char *changed = g_regex_replace_literal(regex, text->str, -1, 0, line, 0, NULL);

        g_string_assign(text, changed);
    } else {
        g_autofree char *header = g_strdup_printf("[%s]\n", group);
        g_autofree char *longer = g_strdup_printf("[%s]\n%s\n", group, line);

        g_string_replace(text, header, longer, 1);
    }
}

/* A drive's profile; with @queues queues and a vector for each if that is not 0. */
static NvmeProfile *load_profile(const Bench *self, const Point *point, GError **error)
{
    g_autofree char *file = g_strconcat(point->drive, ".ini", NULL);
    g_autofree char *path = g_build_filename(PROFILES, "nvme/profiles", file, NULL);
    g_autofree char *changed = g_build_filename(self->folder, file, NULL);
    g_autofree char *contents = NULL;
    g_autoptr(GString) text = NULL;
    NvmeProfile *profile;

    if (point->queues == 0) {
        return nvme_profile_load(path, error);
    }
    if (!g_file_get_contents(path, &contents, NULL, error)) {
        return NULL;
    }
    text = g_string_new(contents);
    set_value(text, "capabilities", "io-queues", point->queues, "");
    set_value(text, "pci", "pci.bar0", 65536, "B");
    set_value(text, "pci", "pci.msix-vectors", point->queues + 1, "");
    set_value(text, "pci", "pci.msix-table", 0x4000, ""); /* behind 1024 pairs of doorbells */
    set_value(text, "pci", "pci.msix-pba", 0xc000, "");
    if (!g_file_set_contents(changed, text->str, -1, error)) {
        return NULL;
    }
    profile = nvme_profile_load(changed, error);
    g_unlink(changed);
    return profile;
}

/* Cpu seconds that the point takes, or less than 0 and a message. */
static double measure(const Bench *self, const Point *point)
{
    g_autofree char *telemetry = g_build_filename(self->folder, "telemetry.jsonl", NULL);
    g_autofree char *entries =
        g_strdup_printf("nvme.io_queue_depth=%u", (unsigned)MAX(point->depth + 1, 16));
    const char *queue_words[] = {"nvme.map=per-cpu", entries, NULL};
    g_autoptr(GError) error = NULL;
    NvmeProfile *profile = load_profile(self, point, &error);
    const NativeDriver *driver = native_driver_find(point->driver);
    unsigned devices[] = {0};
    double begin;
    NativeRunResult result;

    if (!profile || !driver) {
        fprintf(stderr, "native-speed: %s\n", error ? error->message : "no such driver");
        return -1;
    }
    NativeLoadSpec load = {.devices = devices,
                           .devices_n = 1,
                           .random = true,
                           .pinned = true,
                           .window = true,
                           .readers = point->readers,
                           .depth = point->depth,
                           .block_bytes = 4096,
                           .span_bytes = UINT64_C(16) << 30,
                           .ios = point->ios,
                           .warmup = 1000,
                           .seed = 1};
    NativeRunDevice device = {.name = "nvme0",
                              .slot = "slot2",
                              .profile = profile,
                              .options = {.serial = "A", .fill_random = true}};
    NativeRunConfig config = {.driver = driver,
                              .machine = self->machine,
                              .cpus = point->cpus,
                              .seed = 1,
                              .limit_ps = 86400 * SIM_S,
                              .sample_ps = SIM_MS,
                              .telemetry_path = telemetry,
                              .devices = &device,
                              .devices_n = 1,
                              .loads = &load,
                              .loads_n = 1};

    native_parameters_read(&config.parameters, driver, point->queues ? queue_words : NULL, &error);
    begin = cpu_seconds();
    if (error || !native_run(&config, &result, &error) || result.ios != point->ios) {
        fprintf(stderr, "native-speed: %s\n", error ? error->message : "I/Os are missing");
        begin = cpu_seconds() + 1;
    }
    nvme_profile_free(profile);
    g_unlink(telemetry);
    return cpu_seconds() - begin;
}

/* --- The two forms --- */

static int speed(const Bench *self, const Point *point)
{
    double seconds = measure(self, point);

    if (seconds < 0) {
        return 3;
    }
    printf("%s, %s, %" G_GUINT64_FORMAT " readers, depth %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT
           " I/Os in %.2f s of one core, %.2f M a second; %ld MiB\n",
           point->drive, point->driver, point->readers, point->depth, point->ios, seconds,
           (double)point->ios / seconds / 1e6, peak_mib());
    return 0;
}

/* Least cpu time of an I/O of each point, in ns, without what a run of few I/Os takes.  The points
 * take turns, so that other work on the machine meets all; a long one has fewer turns. */
static bool measure_series(const Bench *self, const Point *points, double *ns, unsigned n)
{
    double set_up[16], least[16];

    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < n; i++) {
            Point few = points[i];
            double seconds[2];

            if (round > 0 && points[i].ios >> round >= 2000000) {
                continue;
            }
            few.ios = SET_UP_IOS;
            seconds[0] = measure(self, &few);
            seconds[1] = measure(self, &points[i]);
            if (seconds[0] < 0 || seconds[1] < 0) {
                return false;
            }
            set_up[i] = round == 0 ? seconds[0] : MIN(set_up[i], seconds[0]);
            least[i] = round == 0 ? seconds[1] : MIN(least[i], seconds[1]);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        ns[i] = (least[i] - set_up[i]) * 1e9 / (double)(points[i].ios - SET_UP_IOS);
    }
    return true;
}

static bool print_series(const char *what, const uint64_t *values, const double *ns, unsigned n)
{
    double least = ns[0], most = ns[0];

    for (unsigned i = 0; i < n; i++) {
        least = MIN(least, ns[i]);
        most = MAX(most, ns[i]);
    }
    for (unsigned i = 0; i < n; i++) {
        printf("%10" G_GUINT64_FORMAT " %-7s %6.0f ns of one core an I/O, ratio %.2f\n", values[i],
               what, ns[i], ns[i] / least);
    }
    printf("dearest by cheapest, by %s: %.2f, at most %.1f\n", what, most / least, RATIO_MOST);
    return most / least <= RATIO_MOST;
}

/* @queues of a drive that has so many, on a cpu each, with as many I/Os in flight as any other. */
static Point point_of(unsigned queues, uint64_t ios)
{
    return (Point){.drive = "intel-750",
                   .driver = "queue-policy",
                   .queues = queues,
                   .cpus = MAX(queues, 2),
                   .readers = queues,
                   .depth = IN_FLIGHT / queues,
                   .ios = ios};
}

static int flat(const Bench *self, uint64_t most)
{
    static const unsigned queues[] = {1, 3, 11, 31, 93, 341, 1023}; /* divide IN_FLIGHT */
    Point points[16];
    uint64_t values[16];
    double ns[16];
    unsigned n = 0;
    bool fine = true;

    for (uint64_t ios = 100000; ios <= most && n < G_N_ELEMENTS(points); ios *= 10, n++) {
        points[n] = (Point){"intel-750", "dragonfly-2016-07", 0, 32, 31, 64, ios};
        values[n] = ios;
    }
    if (!measure_series(self, points, ns, n)) {
        return 3;
    }
    fine &= print_series("I/Os", values, ns, n);
    for (n = 0; n < G_N_ELEMENTS(queues); n++) {
        points[n] = point_of(queues[n], 500000);
        values[n] = queues[n];
    }
    if (!measure_series(self, points, ns, n)) {
        return 3;
    }
    fine &= print_series("queues", values, ns, n);
    printf("memory: %ld MiB at most, to be below %d\n", peak_mib(), MEMORY_MOST_MIB);
    return fine && peak_mib() < MEMORY_MOST_MIB ? 0 : 1;
}

static const char *argument(int argc, char **argv, int i, const char *fallback)
{
    return i < argc ? argv[i] : fallback;
}

int main(int argc, char **argv)
{
    g_autofree char *path = g_build_filename(PROFILES, "host/profiles/xeon-2620v4-x2.ini", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(HostMachine) machine = host_machine_load(path, &error);
    g_autofree char *folder = g_dir_make_tmp("native-speed-XXXXXX", NULL);
    Bench self = {folder, machine};
    int status;

    if (!machine || !folder) {
        fprintf(stderr, "native-speed: %s\n", error ? error->message : "no scratch folder");
        return 2;
    }
    if (argc > 1 && strcmp(argv[1], "--flat") == 0) {
        status = flat(&self, strtoull(argument(argc, argv, 2, "10000000"), NULL, 10));
    } else if (argc > 2 && strcmp(argv[1], "--queues") == 0) {
        unsigned queues = (unsigned)CLAMP(strtoull(argv[2], NULL, 10), 1, IN_FLIGHT);
        Point point = point_of(queues, strtoull(argument(argc, argv, 3, "1000000"), NULL, 10));

        status = speed(&self, &point);
    } else {
        Point point = {.drive = argument(argc, argv, 1, "intel-750"),
                       .driver = argument(argc, argv, 2, "dragonfly-2016-07"),
                       .cpus = 32,
                       .readers = strtoull(argument(argc, argv, 3, "31"), NULL, 10),
                       .depth = strtoull(argument(argc, argv, 4, "64"), NULL, 10),
                       .ios = strtoull(argument(argc, argv, 5, "1000000"), NULL, 10)};
        status = speed(&self, &point);
    }
    g_rmdir(folder);
    return status;
}
