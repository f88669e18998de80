/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include "sim/sim-fault.h"
#include "sim/sim-keyfile.h"

enum { FETCH, MEDIA, CQE };
static const char *const stages[] = {"sqe-fetch", "media", "cqe", NULL};
static const SimFaultWord opcodes[] = {{"write", 1}, {"read", 2}, {NULL, 0}};

static SimFaults *faults_of(const char *text)
{
    SimFaults *faults = sim_faults_new(stages);
    g_autoptr(GError) error = NULL;

    sim_faults_set_opcodes(faults, opcodes);
    cr_assert(sim_faults_add(faults, text, &error), "%s", error ? error->message : "");
    return faults;
}

Test(sim_fault, matches_stage_opcode_and_queue)
{
    SimFaults *faults = faults_of("cqe  hold opcode=read qid=3 count=2");
    const SimFault *fault;

    cr_expect(eq(ptr, (void *)sim_faults_due(faults, MEDIA, 2, 3), NULL));
    cr_expect(eq(ptr, (void *)sim_faults_due(faults, CQE, 1, 3), NULL));
    cr_expect(eq(ptr, (void *)sim_faults_due(faults, CQE, 2, 4), NULL));
    fault = sim_faults_due(faults, CQE, 2, 3);
    cr_assert(ne(ptr, (void *)fault, NULL));
    cr_expect(eq(int, fault->action, SIM_FAULT_HOLD));
    cr_expect(eq(str, fault->stage, "cqe"));
    cr_expect(ne(ptr, (void *)sim_faults_due(faults, CQE, 2, 3), NULL));
    cr_expect(eq(ptr, (void *)sim_faults_due(faults, CQE, 2, 3), NULL), "count=2 is used up");
    sim_faults_free(faults);
    sim_faults_free(NULL);
}

Test(sim_fault, defaults_are_any_and_once)
{
    SimFaults *faults = faults_of("media drop");

    cr_expect(ne(ptr, (void *)sim_faults_due(faults, MEDIA, 77, 0), NULL));
    cr_expect(eq(ptr, (void *)sim_faults_due(faults, MEDIA, 77, 0), NULL));
    sim_faults_free(faults);
}

Test(sim_fault, at_waits_for_model_time)
{
    SimFaults *faults = faults_of("cqe drop at=5ms");
    g_autoptr(SimQueue) queue = sim_queue_new();

    cr_expect(eq(ptr, (void *)sim_faults_due(faults, CQE, 2, 1), NULL), "no clock, no fault");
    sim_faults_set_queue(faults, queue);
    sim_queue_advance(queue, 5 * SIM_MS - 1);
    cr_expect(eq(ptr, (void *)sim_faults_due(faults, CQE, 2, 1), NULL));
    sim_queue_advance(queue, 5 * SIM_MS);
    cr_expect(ne(ptr, (void *)sim_faults_due(faults, CQE, 2, 1), NULL));
    sim_faults_free(faults);
}

Test(sim_fault, after_passes_over_matches_only)
{
    SimFaults *faults = faults_of("media status opcode=0x2 after=2 status=0x281 count=all");

    for (int i = 0; i < 5; i++) {
        const SimFault *fault = sim_faults_due(faults, MEDIA, 2, 1);

        cr_expect(eq(ptr, (void *)sim_faults_due(faults, MEDIA, 1, 1), NULL));
        cr_expect(eq(int, fault != NULL, i >= 2), "match %d", i);
        cr_expect(not(fault && fault->status != 0x281));
    }
    sim_faults_free(faults);
}

Test(sim_fault, the_first_that_is_not_used_up_acts)
{
    SimFaults *faults = faults_of("media drop");

    cr_assert(sim_faults_add(faults, "media delay time=5ms count=2", NULL));
    cr_expect(eq(int, sim_faults_due(faults, MEDIA, 1, 1)->action, SIM_FAULT_DROP));
    cr_expect(eq(int, sim_faults_due(faults, MEDIA, 1, 1)->action, SIM_FAULT_DELAY));
    cr_expect(eq(u64, sim_faults_due(faults, MEDIA, 1, 1)->time_ps, 5 * SIM_MS));
    cr_expect(eq(ptr, (void *)sim_faults_due(faults, MEDIA, 1, 1), NULL));
    sim_faults_free(faults);
}

typedef struct Bad {
    char text[48];
    SimKeyfileError code;
    char message[100];
} Bad;

ParameterizedTestParameters(sim_fault, refused)
{
    static Bad rows[] = {
        {"", SIM_KEYFILE_ERROR_SYNTAX, "\"\": write STAGE ACTION [KEY=VALUE …]"},
        {"media", SIM_KEYFILE_ERROR_SYNTAX, "\"media\": write STAGE ACTION [KEY=VALUE …]"},
        {"medai drop", SIM_KEYFILE_ERROR_UNKNOWN,
         "unknown stage \"medai\"; did you mean \"media\"?"},
        {"zzzzzzzz drop", SIM_KEYFILE_ERROR_UNKNOWN,
         "unknown stage \"zzzzzzzz\"; one of: sqe-fetch, media, cqe"},
        {"media hodl", SIM_KEYFILE_ERROR_UNKNOWN,
         "unknown action \"hodl\"; did you mean \"hold\"?"},
        {"media none", SIM_KEYFILE_ERROR_UNKNOWN,
         "unknown action \"none\"; one of: drop, hold, delay, status, corrupt"},
        {"media drop opcod=2", SIM_KEYFILE_ERROR_UNKNOWN,
         "unknown fault key \"opcod\"; did you mean \"opcode\"?"},
        {"media drop opcode=raed", SIM_KEYFILE_ERROR_UNKNOWN,
         "unknown opcode \"raed\"; did you mean \"read\"?"},
        {"media drop opcode=256", SIM_KEYFILE_ERROR_VALUE, "opcode: 256 is out of range"},
        {"media drop qid=65536", SIM_KEYFILE_ERROR_VALUE, "qid: 65536 is out of range"},
        {"media drop count=0", SIM_KEYFILE_ERROR_VALUE, "count: 0 is out of range"},
        {"media drop count=1 count=1", SIM_KEYFILE_ERROR_DUPLICATE,
         "count: a second time; keep one"},
        {"media drop count", SIM_KEYFILE_ERROR_SYNTAX, "\"count\" has no \"=\"; write KEY=VALUE"},
        {"media drop time=1ms", SIM_KEYFILE_ERROR_VALUE,
         "time= means nothing with drop; remove it"},
        {"media delay", SIM_KEYFILE_ERROR_MISSING,
         "delay needs time=…; write for example time=5ms"},
        {"media delay time=5", SIM_KEYFILE_ERROR_VALUE,
         "time: a unit is missing: write 5ns, 5us or 5ms"},
        {"media status", SIM_KEYFILE_ERROR_MISSING,
         "status needs status=…; write for example status=0x281"},
        {"media status status=0x8000", SIM_KEYFILE_ERROR_VALUE, "status: 0x8000 is out of range"},
    };

    return cr_make_param_array(Bad, rows, G_N_ELEMENTS(rows));
}
ParameterizedTest(Bad *row, sim_fault, refused)
{
    SimFaults *faults = faults_of("cqe drop");
    g_autoptr(GError) error = NULL;

    cr_assert(not(sim_faults_add(faults, row->text, &error)));
    cr_expect(eq(str, error->message, row->message));
    cr_expect(g_error_matches(error, SIM_KEYFILE_ERROR, (gint)row->code));
    cr_expect(eq(ptr, (void *)sim_faults_due(faults, MEDIA, 2, 1), NULL), "nothing was added");
    sim_faults_free(faults);
}
