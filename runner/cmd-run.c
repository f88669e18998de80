/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `quirkbench run`: read all scenarios, prepare all runs, then run them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "explain.h"
#include "jobs.h"
#include "report.h"
#include "run.h"

typedef struct RunArguments {
    char **sets, **files;
    char *db, *cache, *qemu, *kernel, *modules, *clock, *format, *keep, *seed;
    int jobs;
    gboolean explain, quiet, resume;
} RunArguments;

typedef struct Session {
    const RunArguments *arguments;
    Inputs *inputs;
    GPtrArray *points;   /* Scenario * */
    GPtrArray *prepared; /* Prepared * */
    Report *report;
    gboolean bar, plain;
    guint done, jobs;
    gint64 begin; /* monotonic */
} Session;

static int parse(int argc, char **argv, RunArguments *arguments, ReportFormat *format)
{
    const GOptionEntry entries[] = {
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &arguments->sets,
         "stand in for a value of the file, e.g. load.block=64KiB", "GROUP.KEY=VALUE"},
        {"seed", 0, 0, G_OPTION_ARG_STRING, &arguments->seed, "as --set scenario.seed=N", "N"},
        {"clock", 0, 0, G_OPTION_ARG_STRING, &arguments->clock, "deterministic or wall", "CLOCK"},
        {"db", 0, 0, G_OPTION_ARG_FILENAME, &arguments->db, "database (" CMD_DEFAULT_DB ")",
         "FILE"},
        {"cache", 0, 0, G_OPTION_ARG_FILENAME, &arguments->cache,
         "snapshots, kernel, QEMU ($XDG_CACHE_HOME/quirkbench)", "DIR"},
        {"kernel", 0, 0, G_OPTION_ARG_FILENAME, &arguments->kernel, "guest kernel to boot", "FILE"},
        {"modules", 0, 0, G_OPTION_ARG_FILENAME, &arguments->modules,
         "lib/modules/RELEASE, or a folder of .ko files to put under test", "DIR"},
        {"qemu", 0, 0, G_OPTION_ARG_FILENAME, &arguments->qemu, "QEMU with our devices", "FILE"},
        {"explain", 0, 0, G_OPTION_ARG_NONE, &arguments->explain, "say what would happen", NULL},
        {"format", 0, 0, G_OPTION_ARG_STRING, &arguments->format, "text, json, tap or junit",
         "FORMAT"},
        {"keep", 0, 0, G_OPTION_ARG_FILENAME, &arguments->keep,
         "keep telemetry, plan, archive and logs in DIR/run-N", "DIR"},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &arguments->jobs, "runs at a time (1)", "N"},
        {"resume", 0, 0, G_OPTION_ARG_NONE, &arguments->resume,
         "leave out points that the database has, passed or failed, of the same inputs", NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &arguments->quiet, "print only what went wrong", NULL},
        {NULL}};
    const char *const *words = NULL;
    int status = cmd_options(&argc, &argv, entries, "SCENARIO…", "Runs scenario files.");

    if (status != CMD_GO_ON) {
        return status;
    }
    if (argc < 2) {
        return cmd_fail(CMD_USAGE, "run",
                        "name a scenario file, e.g. "
                        "scenarios/nvme/samsung-randread-4k.ini");
    }
    arguments->files = g_strdupv(argv + 1);
    if (!report_format_parse(arguments->format ? arguments->format : "text", format, &words)) {
        const char *nearest = sim_nearest_word(arguments->format, words);
        return cmd_fail(CMD_USAGE, "run", "there is no format '%s'; %s%s%s", arguments->format,
                        nearest ? "did you mean '" : "there are text, json, tap and junit",
                        nearest ? nearest : "", nearest ? "'?" : "");
    }
    if (arguments->jobs < 0 || arguments->jobs > 64) {
        return cmd_fail(CMD_USAGE, "run", "--jobs %d: 1 to 64", arguments->jobs);
    }
    return CMD_GO_ON;
}

static void free_arguments(RunArguments *arguments)
{
    g_strfreev(arguments->sets);
    g_strfreev(arguments->files);
    g_free(arguments->db);
    g_free(arguments->cache);
    g_free(arguments->qemu);
    g_free(arguments->kernel);
    g_free(arguments->modules);
    g_free(arguments->clock);
    g_free(arguments->format);
    g_free(arguments->keep);
    g_free(arguments->seed);
}

/* All points of all files, or NULL: every file's error has been printed. */
static GPtrArray *read_scenarios(const RunArguments *arguments)
{
    g_autoptr(GPtrArray) points = g_ptr_array_new_with_free_func((GDestroyNotify)scenario_free);
    g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(g_free);
    gboolean fine = TRUE;

    for (char **set = arguments->sets; set && *set; set++) {
        g_ptr_array_add(sets, g_strdup(*set));
    }
    if (arguments->seed) {
        g_ptr_array_add(sets, g_strdup_printf("scenario.seed=%s", arguments->seed));
    }
    if (arguments->clock) {
        g_ptr_array_add(sets, g_strdup_printf("scenario.clock=%s", arguments->clock));
    }
    g_ptr_array_add(sets, NULL);
    for (char **file = arguments->files; *file; file++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GPtrArray) some = scenario_load(*file, (const char *const *)sets->pdata, &error);
        if (!some) {
            cmd_fail(CMD_USAGE, "run", "%s", error->message);
            fine = FALSE;
            continue;
        }
        g_ptr_array_extend_and_steal(points, g_steal_pointer(&some));
    }
    return fine ? g_steal_pointer(&points) : NULL;
}

static int error_status(const GError *error)
{
    return error->domain == SIM_KEYFILE_ERROR ? CMD_USAGE : CMD_CANNOT_RUN;
}

/* Plans of all points, before the first one starts. */
static int prepare_all(Session *session)
{
    for (guint i = 0; i < session->points->len; i++) {
        g_autoptr(GError) error = NULL;
        Prepared *prepared =
            run_prepare(g_ptr_array_index(session->points, i), session->inputs, &error);
        if (!prepared) {
            return cmd_fail(error_status(error), "run", "%s", error->message);
        }
        g_ptr_array_add(session->prepared, prepared);
    }
    return CMD_GO_ON;
}

/* --- Progress --- */

static void clear_bar(const Session *session)
{
    if (session->bar) {
        fputs("\r\033[K", stderr);
    }
}

static void show_progress(Session *session, guint index)
{
    const Scenario *scenario = g_ptr_array_index(session->points, index);
    const char *space = *scenario->point ? " " : "";
    guint all = session->points->len;

    if (session->bar) {
        char bar[21] = "....................";
        memset(bar, '#', all ? session->done * 20 / all : 0);
        double seconds = (double)(g_get_monotonic_time() - session->begin) / G_USEC_PER_SEC;
        g_autofree char *left =
            session->done
                ? g_strdup_printf(", %.0f s left", seconds / session->done * (all - session->done))
                : g_strdup("");
        fprintf(stderr, "\r\033[K[%s] %u/%u%s: %s%s%.60s", bar, session->done, all, left,
                scenario->name, space, scenario->point);
    } else if (session->plain && all > 1) {
        fprintf(stderr, "quirkbench: %u of %u: %s%s%s\n", index + 1, all, scenario->name, space,
                scenario->point);
    }
    fflush(stderr);
}

static void say(const char *text, void *opaque)
{
    const Session *session = opaque;

    if (!session->arguments->quiet) {
        clear_bar(session);
        fprintf(stderr, "quirkbench: %s\n", text);
    }
}

static JsonObject *run_one(guint index, int interrupt_fd, void *opaque)
{
    Session *session = opaque;
    const RunArguments *arguments = session->arguments;
    Scenario *scenario = g_ptr_array_index(session->points, index);
    g_autoptr(GError) error = NULL;
    RunOptions options = {.db = arguments->db ? arguments->db : CMD_DEFAULT_DB,
                          .keep = arguments->keep,
                          .interrupt_fd = interrupt_fd,
                          .progress = say,
                          .opaque = session};

    if (session->jobs == 1 || !session->bar) {
        show_progress(session, index);
    }
    g_autoptr(RunOutcome) outcome =
        run_execute(g_ptr_array_index(session->prepared, index), session->inputs, &options, &error);
    JsonObject *run = outcome ? report_describe(scenario, outcome, options.db, &error) : NULL;
    return run ? run : report_describe_error(scenario, error->message);
}

/* A run without a row could not even begin: the next ones would not either. */
static gboolean one_done(guint index, JsonObject *run, void *opaque)
{
    Session *session = opaque;
    JsonObject *died = run ? NULL
                           : report_describe_error(g_ptr_array_index(session->points, index),
                                                   "the process that ran it was killed");
    gboolean began = !run || !json_object_get_null_member(run, "run_id");

    session->done++;
    clear_bar(session);
    if (!began) {
        cmd_fail(CMD_CANNOT_RUN, "run", "%s", json_object_get_string_member(run, "reason"));
    }
    report_add(session->report, index, run ? run : died);
    if (session->bar && session->jobs > 1 && session->done < session->points->len) {
        fflush(stdout);
        show_progress(session, index);
    }
    g_clear_pointer(&died, json_object_unref);
    return began;
}

/* Width of the points' column; 0: there is one run. */
static guint label_width(GPtrArray *points)
{
    guint width = strlen("point");

    for (guint i = 0; i < points->len; i++) {
        width = MAX(width, strlen(((Scenario *)g_ptr_array_index(points, i))->point));
    }
    return points->len > 1 ? width : 0;
}

static int run_all(Session *session, ReportFormat format)
{
    const RunArguments *arguments = session->arguments;
    int interrupt_fd = jobs_interrupt_fd();
    guint jobs = arguments->jobs > 0 ? (guint)arguments->jobs : 1;

    session->bar = !arguments->quiet && session->points->len > 1 && isatty(STDERR_FILENO);
    session->jobs = jobs;
    session->begin = g_get_monotonic_time();
    /* Text and TAP show each run as it ends: that is progress enough. */
    session->plain =
        !arguments->quiet && !session->bar && (format == REPORT_JSON || format == REPORT_JUNIT);
    session->report =
        report_new(format, session->points->len, label_width(session->points), arguments->quiet);
    jobs_run(session->points->len, jobs, interrupt_fd, run_one, one_done, session);
    clear_bar(session);
    int status = report_finish(session->report);
    if (interrupt_fd >= 0) {
        close(interrupt_fd);
    }
    return status;
}

static int explain_all(Session *session, const char *why)
{
    double seconds = 0;

    for (guint i = 0; i < session->points->len; i++) {
        const Scenario *scenario = g_ptr_array_index(session->points, i);
        explain_print(scenario, session->inputs,
                      session->prepared->len ? g_ptr_array_index(session->prepared, i) : NULL, why);
        seconds += explain_estimate(scenario);
    }
    printf("%u run%s, about %.0f s without boots\n", session->points->len,
           session->points->len == 1 ? "" : "s", seconds);
    return CMD_OK;
}

/* A database that cannot be written is known before the guest boots. */
static gboolean check_database(const RunArguments *arguments)
{
    g_autoptr(GError) error = NULL;
    ResultsStore *store =
        results_open(arguments->db ? arguments->db : CMD_DEFAULT_DB, RESULTS_OPEN_WRITE, &error);

    if (!store) {
        cmd_fail(CMD_CANNOT_RUN, "run", "%s", error->message);
        return FALSE;
    }
    results_close(store);
    return TRUE;
}

/* Takes out what an earlier run of the same files has finished. */
static int leave_out_finished(Session *session)
{
    g_autoptr(GError) error = NULL;
    const char *db = session->arguments->db ? session->arguments->db : CMD_DEFAULT_DB;
    guint all = session->points->len;
    g_autoptr(ResultsStore) store = results_open(db, RESULTS_OPEN_WRITE, &error);

    for (guint i = all; store && !error && i-- > 0;) {
        if (run_find_finished(g_ptr_array_index(session->prepared, i), session->inputs, store,
                              &error)) {
            g_ptr_array_remove_index(session->prepared, i);
            g_ptr_array_remove_index(session->points, i);
        }
    }
    if (error) {
        return cmd_fail(CMD_CANNOT_RUN, "run", "%s", error->message);
    }
    if (!session->arguments->quiet) {
        fprintf(stderr, "quirkbench: %u of %u points are there already\n",
                all - session->points->len, all);
    }
    return CMD_GO_ON;
}

static gboolean all_simulated(GPtrArray *points)
{
    gboolean all = TRUE;

    for (guint i = 0; i < points->len; i++) {
        all = all && ((Scenario *)g_ptr_array_index(points, i))->simulated;
    }
    return all;
}

static int run_with(const RunArguments *arguments, ReportFormat format)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) points = read_scenarios(arguments);
    g_autoptr(GPtrArray) prepared =
        g_ptr_array_new_with_free_func((GDestroyNotify)run_prepared_free);
    InputsOptions options = {.cache = arguments->cache,
                             .qemu = arguments->qemu,
                             .kernel = arguments->kernel,
                             .modules = arguments->modules};

    if (!points) {
        return CMD_USAGE;
    }
    g_autoptr(Inputs) inputs =
        all_simulated(points) ? inputs_none(&options) : inputs_find(&options, &error);
    Session session = {
        .arguments = arguments, .inputs = inputs, .points = points, .prepared = prepared};
    if (!inputs && !arguments->explain) {
        return cmd_fail(error_status(error), "run", "%s", error->message);
    }
    int status = inputs ? prepare_all(&session) : CMD_GO_ON;
    if (status != CMD_GO_ON) {
        return status;
    }
    if (arguments->explain) {
        return explain_all(&session, error ? error->message : "");
    }
    if (!check_database(arguments)) {
        return CMD_CANNOT_RUN;
    }
    status = arguments->resume ? leave_out_finished(&session) : CMD_GO_ON;
    return status != CMD_GO_ON ? status : run_all(&session, format);
}

int cmd_run(int argc, char **argv)
{
    RunArguments arguments = {0};
    ReportFormat format = REPORT_TEXT;
    int status = parse(argc, argv, &arguments, &format);

    if (status == CMD_GO_ON) {
        status = run_with(&arguments, format);
    }
    free_arguments(&arguments);
    return status;
}
