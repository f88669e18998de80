/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <glib/gstdio.h>
#include <string.h>
#include "pcie/pcie-link-internal.h"
#include "sim/sim-hash.h"

/* Gen2 x4 moves a byte in 500 ps; no DLLPs and no latencies unless a test asks for them. */
static const PcieParams plain = {.generation = 2,
                                 .lanes = 4,
                                 .max_payload = 128,
                                 .max_read_request = 512,
                                 .rcb = 64,
                                 .tags = 32};
#define BYTE_PS 500

typedef struct Bench {
    SimQueue *queue;
    PcieLink *link;
    PcieFunction *function;
} Bench;

static Bench bench_new(const PcieParams *params, const PcieFunctionParams *function)
{
    Bench bench;

    bench.queue = sim_queue_new();
    bench.link = pcie_link_new(bench.queue, "slot0", params);
    bench.function = pcie_function_new(bench.link, function ? function : &(PcieFunctionParams){0});
    return bench;
}

static void bench_free(Bench *bench)
{
    cr_expect(pcie_link_check(bench->link, NULL));
    pcie_function_free(bench->function);
    cr_expect(pcie_link_check(bench->link, NULL), "a freed function's traffic is remembered");
    pcie_link_free(bench->link);
    sim_queue_free(bench->queue);
}

/* TLPs by hand: one transfer, what it must leave in the ledger, and how long the wire is busy. */
typedef struct Case {
    bool read;
    uint64_t address, bytes;
    uint64_t max_payload, max_read_request, rcb, completion_max;
    uint64_t up_tlps, up_wire, down_tlps, down_wire;
} Case;

ParameterizedTestParameters(pcie_link, tlps_by_hand)
{
    static Case rows[] = {
        /* writes: 20 or 24 bytes a TLP, cut at multiples of MPS, whole DWs */
        {false, 0x1000, 128, 128, 512, 64, 0, 1, 148, 0, 0},
        {false, 0x1000, 4096, 128, 512, 64, 0, 32, 32 * 148, 0, 0},
        {false, 0x1000, 4096, 256, 512, 64, 0, 16, 16 * 276, 0, 0},
        {false, 0x1000, 1, 128, 512, 64, 0, 1, 24, 0, 0},
        {false, 0x1001, 3, 128, 512, 64, 0, 1, 24, 0, 0},
        {false, 0x1003, 2, 128, 512, 64, 0, 1, 28, 0, 0},
        {false, 0x107e, 4, 128, 512, 64, 0, 2, 48, 0, 0},
        {false, 0x1040, 128, 128, 512, 64, 0, 2, 2 * 20 + 128, 0, 0},
        {false, 0x1ffc, 8, 4096, 512, 64, 0, 2, 48, 0, 0},
        {false, 0x1f00, 4096, 4096, 512, 64, 0, 2, 40 + 4096, 0, 0},
        {false, 0x1001, 4096, 128, 512, 64, 0, 33, 33 * 20 + 4100, 0, 0},
        {false, 0xfffffffc, 8, 128, 512, 64, 0, 2, 24 + 28, 0, 0},
        {false, 0x100000000, 64, 128, 512, 64, 0, 1, 88, 0, 0},
        {false, 0x100000040, 128, 128, 512, 64, 0, 2, 48 + 128, 0, 0},
        {false, 0xfffffffffffffff0, 8, 128, 512, 64, 0, 1, 32, 0, 0},
        {false, 0x1000, 0, 128, 512, 64, 0, 0, 0, 0, 0},
        /* reads: requests cut at multiples of MRRS, completions at the RCB and then by the most */
        {true, 0x1000, 64, 128, 512, 64, 0, 1, 20, 1, 84},
        {true, 0x1000, 4096, 128, 512, 64, 0, 8, 160, 32, 32 * 148},
        {true, 0x1000, 4096, 256, 4096, 64, 0, 1, 20, 16, 16 * 276},
        {true, 0x1000, 4096, 256, 4096, 64, 64, 1, 20, 64, 64 * 84},
        {true, 0x1010, 256, 128, 512, 64, 0, 1, 20, 3, 60 + 256},
        {true, 0x1010, 256, 128, 512, 64, 64, 1, 20, 5, 100 + 256},
        {true, 0x1010, 256, 128, 512, 128, 0, 1, 20, 3, 60 + 256},
        {true, 0x1010, 16, 128, 512, 64, 0, 1, 20, 1, 36},
        {true, 0x1ff0, 32, 128, 512, 64, 0, 2, 40, 2, 72},
        {true, 0x1100, 512, 128, 512, 64, 0, 2, 40, 4, 80 + 512},
        {true, 0x1003, 2, 128, 512, 64, 0, 1, 20, 1, 28},
        {true, 0x103f, 2, 128, 512, 64, 0, 1, 20, 2, 40 + 8},
        {true, 0x100000000, 64, 128, 512, 64, 0, 1, 24, 1, 84},
        {true, 0xffffffc0, 128, 128, 512, 64, 0, 2, 44, 2, 168},
        {true, 0x1000, 0, 128, 512, 64, 0, 0, 0, 0, 0},
    };

    return cr_make_param_array(Case, rows, G_N_ELEMENTS(rows));
}
ParameterizedTest(Case *row, pcie_link, tlps_by_hand)
{
    PcieParams params = plain;
    Bench bench;
    PcieCount up, down;
    SimTime end;

    params.max_payload = row->max_payload;
    params.max_read_request = row->max_read_request;
    params.rcb = row->rcb;
    params.completion_max = row->completion_max;
    bench = bench_new(&params, NULL);
    end = (row->read ? pcie_dma_read : pcie_dma_write)(bench.function, PCIE_FOR_DATA, row->address,
                                                       row->bytes, 1000);
    up = pcie_function_count(bench.function, PCIE_FOR_DATA, PCIE_UPSTREAM,
                             row->read ? PCIE_MRD : PCIE_MWR);
    down = pcie_function_count(bench.function, PCIE_FOR_DATA, PCIE_DOWNSTREAM, PCIE_CPLD);
    cr_expect(eq(u64, up.tlps, row->up_tlps));
    cr_expect(eq(u64, up.wire_bytes, row->up_wire));
    cr_expect(eq(u64, up.payload_bytes, row->read ? 0 : row->bytes));
    cr_expect(eq(u64, down.tlps, row->down_tlps));
    cr_expect(eq(u64, down.wire_bytes, row->down_wire));
    cr_expect(eq(u64, down.payload_bytes, row->read ? row->bytes : 0));
    if (!row->read) {
        cr_expect(eq(u64, end, 1000 + row->up_wire * BYTE_PS));
    }
    bench_free(&bench);
}

Test(pcie_link, what_the_host_and_messages_cost)
{
    Bench bench = bench_new(&plain, NULL);
    PcieFunction *f = bench.function;
    PcieCount c;

    cr_expect(eq(u64, pcie_mmio_write(f, PCIE_FOR_DOORBELL, 4, 0), 24 * BYTE_PS));
    cr_expect(eq(u64, pcie_mmio_read(f, PCIE_FOR_REGISTER, 8, 0), (24 + 20) * BYTE_PS));
    cr_expect(eq(u64, pcie_message(f, 0), 24 * BYTE_PS), "before the completion of the read");
    c = pcie_function_count(f, PCIE_FOR_DOORBELL, PCIE_DOWNSTREAM, PCIE_MWR);
    cr_expect(eq(u64, c.wire_bytes, 24));
    c = pcie_function_count(f, PCIE_FOR_REGISTER, PCIE_DOWNSTREAM, PCIE_MRD);
    cr_expect(eq(u64, c.wire_bytes, 20));
    c = pcie_function_count(f, PCIE_FOR_REGISTER, PCIE_UPSTREAM, PCIE_CPLD);
    cr_expect(eq(u64, c.wire_bytes, 28));
    cr_expect(eq(u64, c.payload_bytes, 8));
    c = pcie_function_count(f, PCIE_FOR_MSIX, PCIE_UPSTREAM, PCIE_MWR);
    cr_expect(eq(u64, c.wire_bytes, 24));
    bench_free(&bench);
}

Test(pcie_link, latencies)
{
    PcieParams params = plain;
    Bench bench;

    params.read_latency_ps = 700 * SIM_NS;
    params.write_latency_ps = 150 * SIM_NS;
    params.mmio_latency_ps = 100 * SIM_NS;
    bench = bench_new(&params, NULL);
    cr_expect(eq(u64, pcie_dma_read(bench.function, PCIE_FOR_SQE, 0, 64, 0),
                 (20 + 84) * BYTE_PS + 700 * SIM_NS));
    cr_expect(eq(u64, pcie_mmio_write(bench.function, PCIE_FOR_DOORBELL, 4, 50 * SIM_NS),
                 150 * SIM_NS + 24 * BYTE_PS),
              "a completion that is due later does not hold it up");
    cr_expect(eq(u64, pcie_dma_write(bench.function, PCIE_FOR_CQE, 0, 16, SIM_US),
                 1150 * SIM_NS + 36 * BYTE_PS));
    cr_expect(eq(u64, pcie_message(bench.function, SIM_US), 1150 * SIM_NS + (36 + 24) * BYTE_PS));
    bench_free(&bench);
}

/* Reads of 512 bytes: request 20 bytes = 10 ns, 4 completions of 148 bytes = 296 ns, latency 700
 * ns. */
typedef struct Tags {
    uint64_t slot, device, reads;
    SimTime done_ns;
} Tags;

ParameterizedTestParameters(pcie_link, tags_limit_outstanding_reads)
{
    static Tags rows[] = {
        {1, 0, 10, 10 * 1006},
        {32, 1, 10, 10 * 1006},
        /* pairs: the second completion queues behind the first; the third request waits for a tag
         */
        {2, 0, 2, 1006 + 296},
        {2, 0, 3, 1006 + 1006},
        {2, 0, 4, 1006 + 1006 + 296},
        {32, 0, 10, 710 + 10 * 296}, /* never short of tags: the wire is full */
        {32, 0, 1000, 710 + 1000 * 296},
    };

    return cr_make_param_array(Tags, rows, G_N_ELEMENTS(rows));
}
ParameterizedTest(Tags *row, pcie_link, tags_limit_outstanding_reads)
{
    PcieParams params = plain;
    Bench bench;

    params.tags = row->slot;
    params.read_latency_ps = 700 * SIM_NS;
    bench = bench_new(&params, &(PcieFunctionParams){.tags = row->device});
    cr_expect(eq(u64, pcie_dma_read(bench.function, PCIE_FOR_DATA, 0, 512 * row->reads, 0),
                 row->done_ns * SIM_NS));
    bench_free(&bench);
}

Test(pcie_link, a_read_that_waits_for_tags_leaves_the_wire_to_writes)
{
    PcieParams params = plain;
    Bench bench;

    params.tags = 1;
    params.read_latency_ps = 700 * SIM_NS;
    bench = bench_new(&params, NULL);
    pcie_dma_read(bench.function, PCIE_FOR_DATA, 0, 5120, 0);
    cr_expect(eq(u64, pcie_dma_write(bench.function, PCIE_FOR_CQE, 0, 16, 0), (10 + 18) * SIM_NS));
    bench_free(&bench);
}

Test(pcie_link, a_read_asked_for_in_advance_does_not_hold_up_one_now)
{
    PcieParams params = plain;
    Bench bench;

    params.tags = 1;
    bench = bench_new(&params, NULL);
    pcie_dma_read(bench.function, PCIE_FOR_DATA, 0, 64, 80 * SIM_US);
    cr_expect(eq(u64, pcie_dma_read(bench.function, PCIE_FOR_SQE, 0, 64, 0), (20 + 84) * BYTE_PS));
    bench_free(&bench);
}

/* Commands a second that data alone allow: seed 002's machine measured 103.8, 50.2 and 24.7
 * thousand. */
typedef struct Anchor {
    uint64_t bytes, per_s_x10, measured_x10;
} Anchor;

ParameterizedTestParameters(pcie_link, anchors_gen2_x4)
{
    static Anchor rows[] = {{16384, 1055, 1038}, {32768, 527, 502}, {65536, 263, 247}};

    return cr_make_param_array(Anchor, rows, G_N_ELEMENTS(rows));
}
ParameterizedTest(Anchor *row, pcie_link, anchors_gen2_x4)
{
    PcieParams params = plain;
    Bench bench;
    SimTime data = 0, all = 0;
    uint64_t list = row->bytes / 4096 - 1;

    bench = bench_new(&params, NULL);
    for (int i = 0; i < 1000; i++) {
        data = pcie_dma_write(bench.function, PCIE_FOR_DATA, 0, row->bytes, 0);
    }
    cr_expect(eq(u64, 1000 * SIM_S / data / 100, row->per_s_x10));
    bench_free(&bench);

    /* A whole command with DLLPs: still not below what was measured, nor 3 percent below the data
     * alone. */
    params.ack_every = params.fc_every = 4;
    bench = bench_new(&params, NULL);
    for (int i = 0; i < 1000; i++) {
        pcie_mmio_write(bench.function, PCIE_FOR_DOORBELL, 4, 0);
        pcie_dma_read(bench.function, PCIE_FOR_SQE, 0, 64, 0);
        pcie_dma_read(bench.function, PCIE_FOR_PRP_LIST, 0, 8 * list, 0);
        pcie_dma_write(bench.function, PCIE_FOR_DATA, 0, row->bytes, 0);
        pcie_dma_write(bench.function, PCIE_FOR_CQE, 0, 16, 0);
        all = pcie_message(bench.function, 0);
        pcie_mmio_write(bench.function, PCIE_FOR_DOORBELL, 4, 0);
    }
    cr_expect(ge(u64, 1000 * SIM_S / all / 100, row->measured_x10));
    cr_expect(ge(u64, data * 100 / all, 97));
    bench_free(&bench);
}

/* Every speed: a million TLPs take exactly a million times as long as one, to the picosecond. */
typedef struct Speed {
    uint64_t generation, lanes;
    uint64_t byte_num, byte_den; /* ps a byte */
} Speed;

ParameterizedTestParameters(pcie_link, no_drift)
{
    static Speed rows[] = {
        {1, 1, 4000, 1},    {1, 16, 250, 1},  {2, 4, 500, 1},     {2, 8, 250, 1},
        {3, 1, 8125, 8},    {3, 2, 8125, 16}, {3, 4, 8125, 32},   {3, 8, 8125, 64},
        {3, 16, 8125, 128}, {4, 4, 8125, 64}, {4, 16, 8125, 256},
    };

    return cr_make_param_array(Speed, rows, G_N_ELEMENTS(rows));
}
ParameterizedTest(Speed *row, pcie_link, no_drift)
{
    PcieParams params = plain;
    Bench bench;
    SimTime from = 777;

    params.generation = row->generation;
    params.lanes = row->lanes;
    bench = bench_new(&params, NULL);
    for (uint64_t i = 1; i <= 1000000; i++) {
        SimTime end = pcie_dma_write(bench.function, PCIE_FOR_DATA, 0, 128, from);
        uint64_t units = i * 148 * row->byte_num;
        SimTime exact = from + (units + row->byte_den - 1) / row->byte_den;

        if (end != exact) { /* cr_assert itself costs microseconds */
            cr_assert(eq(u64, end, exact), "TLP %u", (unsigned)i);
        }
    }
    bench_free(&bench);
}

Test(pcie_link, the_least_of_device_slot_and_control)
{
    PcieParams params = plain;
    Bench bench;

    params.max_payload = 512;
    params.max_read_request = 2048;
    bench = bench_new(&params, &(PcieFunctionParams){.max_payload = 256});
    cr_expect(eq(u32, pcie_function_max_payload(bench.function), 256), "device");
    cr_expect(eq(u32, pcie_function_max_read_request(bench.function), 2048), "slot");
    pcie_function_set_control(bench.function, 128, 512);
    cr_expect(eq(u32, pcie_function_max_payload(bench.function), 128), "control");
    cr_expect(eq(u32, pcie_function_max_read_request(bench.function), 512), "control");
    pcie_function_set_control(bench.function, 4096, 4096);
    cr_expect(eq(u32, pcie_function_max_payload(bench.function), 256));
    cr_expect(eq(u32, pcie_function_max_read_request(bench.function), 2048));
    /* what a guest should not write: reserved encodings, nothing at all */
    pcie_function_set_control(bench.function, 16384, 0);
    cr_expect(eq(u32, pcie_function_max_payload(bench.function), 256));
    cr_expect(eq(u32, pcie_function_max_read_request(bench.function), 128));
    pcie_function_set_control(bench.function, 200, 1000);
    cr_expect(eq(u32, pcie_function_max_payload(bench.function), 128));
    cr_expect(eq(u32, pcie_function_max_read_request(bench.function), 512));
    bench_free(&bench);
}

Test(pcie_link, a_slower_device_sets_the_rate)
{
    PcieParams params = plain;
    Bench bench;

    params.generation = 3;
    params.lanes = 16;
    bench = bench_new(&params, &(PcieFunctionParams){.generation = 2, .lanes = 4});
    cr_expect(eq(u64, pcie_message(bench.function, 0), 24 * BYTE_PS));
    bench_free(&bench);
}

Test(pcie_link, two_functions_share_one_link)
{
    Bench bench = bench_new(&plain, NULL);
    PcieFunction *other = pcie_function_new(bench.link, &(PcieFunctionParams){0});

    cr_expect(
        eq(u64, pcie_dma_write(bench.function, PCIE_FOR_DATA, 0, 4096, 0), 32 * 148 * BYTE_PS));
    cr_expect(eq(u64, pcie_dma_write(other, PCIE_FOR_DATA, 0, 4096, 0), 64 * 148 * BYTE_PS));
    cr_expect(eq(u64, pcie_mmio_write(other, PCIE_FOR_DOORBELL, 4, 0), 24 * BYTE_PS),
              "the other direction is free");
    cr_expect(eq(u64, pcie_function_count(other, PCIE_FOR_DATA, PCIE_UPSTREAM, PCIE_MWR).tlps, 32));
    cr_expect(pcie_link_check(bench.link, NULL));
    pcie_function_free(other);
    cr_expect(pcie_link_check(bench.link, NULL));
    bench_free(&bench);
}

/* One tag: the other function's read waits for it on a card that both are of, and only there. */
Test(pcie_link, functions_of_a_card_share_its_tags)
{
    static const int card, another;
    const struct {
        const void *card;
        SimTime done;
    } rows[] = {{&card, 2 * (700 * SIM_NS + (20 + 84) * BYTE_PS)},
                {&another, 700 * SIM_NS + (20 + 20 + 84) * BYTE_PS + 64 * BYTE_PS},
                {NULL, 700 * SIM_NS + (20 + 20 + 84) * BYTE_PS + 64 * BYTE_PS}};

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        PcieParams params = plain;
        PcieFunctionParams one = {.tags = 1, .card = &card};
        Bench bench;
        PcieFunction *other;

        params.read_latency_ps = 700 * SIM_NS;
        bench = bench_new(&params, &one);
        one.card = rows[i].card;
        other = pcie_function_new(bench.link, &one);
        pcie_dma_read(bench.function, PCIE_FOR_DATA, 0, 64, 0);
        cr_expect(eq(u64, pcie_dma_read(other, PCIE_FOR_DATA, 0, 64, 0), rows[i].done), "row %zu",
                  i);
        pcie_function_free(other); /* the first function still has them */
        pcie_dma_read(bench.function, PCIE_FOR_DATA, 0, 64, 0);
        bench_free(&bench);
    }
}

Test(pcie_link, dllps_go_to_the_other_direction)
{
    PcieParams params = plain;
    Bench bench;

    params.ack_every = 4;
    bench = bench_new(&params, NULL);
    pcie_dma_write(bench.function, PCIE_FOR_DATA, 0, 3 * 128, 0);
    cr_expect(eq(u64, pcie_mmio_write(bench.function, PCIE_FOR_DOORBELL, 4, 0), 24 * BYTE_PS));
    pcie_dma_write(bench.function, PCIE_FOR_DATA, 0, 5 * 128, 0); /* 8 TLPs: two ACKs */
    cr_expect(eq(u64, pcie_mmio_write(bench.function, PCIE_FOR_DOORBELL, 4, 0),
                 (24 + 16 + 24) * BYTE_PS));
    pcie_dma_write(bench.function, PCIE_FOR_DATA, 0, 8 * 128, 0);
    cr_expect(eq(u64, pcie_mmio_write(bench.function, PCIE_FOR_DOORBELL, 4, SIM_US),
                 SIM_US + 24 * BYTE_PS),
              "they went out in idle time");
    pcie_dma_write(bench.function, PCIE_FOR_DATA, 0, 800 * 128, 0);
    cr_expect(eq(u64, pcie_mmio_write(bench.function, PCIE_FOR_DOORBELL, 4, SIM_US),
                 SIM_US + (24 + 40 + 24) * BYTE_PS),
              "a request waits for no more than its own weight and two DLLPs");
    bench_free(&bench);
}

Test(pcie_link, tampering_breaks_the_identity)
{
    Bench bench = bench_new(&plain, NULL);

    pcie_dma_write(bench.function, PCIE_FOR_DATA, 0, 4096, 0);
    cr_assert(pcie_link_check(bench.link, NULL));
    pcie_function_tamper(bench.function, PCIE_FOR_CQE, PCIE_UPSTREAM, PCIE_MWR, 1);
    cr_expect(not(pcie_link_check(bench.link, NULL)));
    pcie_function_tamper(bench.function, PCIE_FOR_CQE, PCIE_UPSTREAM, PCIE_MWR, UINT64_MAX);
    cr_expect(pcie_link_check(bench.link, NULL));
    bench_free(&bench);
}

Test(pcie_link, golden_records)
{
    PcieParams params = plain;
    Bench bench;
    g_autofree char *folder = g_dir_make_tmp("link-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "run.jsonl", NULL);
    g_autofree char *text = NULL;
    SimTelemetry *telemetry = sim_telemetry_new(path, NULL);

    params.ack_every = 1;
    bench = bench_new(&params, NULL);
    pcie_mmio_write(bench.function, PCIE_FOR_DOORBELL, 4, 0);
    pcie_dma_read(bench.function, PCIE_FOR_SQE, 0, 64, 0);
    pcie_function_record(bench.function, telemetry, "end", "nvme0");
    pcie_function_record(bench.function, NULL, "end", "nvme0");
    cr_expect(pcie_link_check(bench.link, telemetry));
    sim_telemetry_free(telemetry);
    g_file_get_contents(path, &text, NULL, NULL);
    g_unlink(path);
    g_rmdir(folder);
#define TLP(purpose, direction, type, tlps, payload, wire)                                         \
    "{\"type\":\"tlp\",\"at\":\"end\",\"device\":\"nvme0\",\"purpose\":\"" purpose                 \
    "\",\"direction\":\"" direction "\",\"tlp_type\":\"" type "\",\"tlps\":" tlps                  \
    ",\"payload_bytes\":" payload ",\"wire_bytes\":" wire "}\n"
#define LINK(index, name, value)                                                                   \
    "{\"type\":\"counter\",\"at\":\"end\",\"device\":\"nvme0\",\"scope\":\"link\","                \
    "\"index\":" index ",\"name\":\"" name "\",\"value\":" value "}\n"
#define IDENTITY(name, value)                                                                      \
    "{\"type\":\"identity\",\"device\":\"slot0\",\"name\":\"" name "\",\"left\":" value            \
    ",\"right\":" value ",\"held\":true}\n"
    cr_expect(eq(str, text,
                 TLP("doorbell", "downstream", "MWr", "1", "4", "24") TLP("sqe", "upstream", "MRd",
                                                                          "1", "0", "20")
                     TLP("sqe", "downstream", "CplD", "1", "64", "84") LINK("0", "busy_ps", "18000")
                         LINK("0", "dllp_bytes", "16") LINK("0", "serialised_bytes", "20")
                             LINK("1", "busy_ps", "58000") LINK("1", "dllp_bytes", "8")
                                 LINK("1", "serialised_bytes", "108")
                                     IDENTITY("link-bytes-upstream", "20")
                                         IDENTITY("link-bytes-downstream", "108")));
    bench_free(&bench);
}

Test(pcie_link, every_enum_has_a_name)
{
    for (int i = 0; i < PCIE_PURPOSES; i++) {
        cr_expect(ne(ptr, (void *)pcie_purpose_name((PciePurpose)i), NULL));
    }
    for (int i = 0; i < PCIE_TLP_TYPES; i++) {
        cr_expect(ne(ptr, (void *)pcie_tlp_type_name((PcieTlpType)i), NULL));
    }
}

/* The calendar against one byte-time after another: Gen1 x1, 4000 ps a byte. */
enum { CELLS = 1 << 19 };
static bool cells[CELLS];

static void stress(uint64_t seed, uint64_t spread)
{
    PcieParams params = plain;
    Bench bench;
    uint64_t now = 0, most = 0;

    params.generation = params.lanes = 1;
    bench = bench_new(&params, NULL);
    memset(cells, 0, sizeof cells);
    for (uint64_t i = 0; i < 2000; i++) {
        uint64_t random = sim_hash64_pair(seed, i);
        uint64_t bytes = 4 * (1 + (random >> 8) % 32), cell = now + (random >> 16) % spread;
        uint64_t end = cell;
        SimTime got = pcie_dma_write(bench.function, PCIE_FOR_DATA, 0, bytes, cell * 4000);

        for (uint64_t left = bytes + 20; left > 0; end++) {
            g_assert(end < CELLS);
            left -= !cells[end];
            cells[end] = true;
        }
        if (got != end * 4000) {
            cr_assert(eq(u64, got, end * 4000), "request %u", (unsigned)i);
        }
        now += random % 200 * (random >> 60 & 1);
        sim_queue_advance(bench.queue, now * 4000);
        most = MAX(most, pcie_link_intervals(bench.link, PCIE_UPSTREAM));
    }
    cr_expect(gt(u64, most, spread > 1000 ? 3 : 0), "gaps were left");
    bench_free(&bench);
}

Test(pcie_link, calendar_stress)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        stress(seed, 1);
        stress(seed, 300);
        stress(seed, 5000);
        stress(seed, 200000);
    }
}

/* A guest chooses addresses and lengths: nothing overflows, hangs or breaks the identity. */
Test(pcie_link, any_address_and_length)
{
    static const uint64_t edges[] = {0,         1, 4095, 4096, UINT64_C(1) << 32, UINT64_C(1) << 63,
                                     UINT64_MAX};
    Bench bench = bench_new(&plain, NULL);
    SimTime last = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(edges); i++) {
        for (uint64_t j = 0; j < 10000; j++) {
            uint64_t address = edges[i] + j - 5000, bytes = sim_hash64(j) % 8192;
            SimTime end = (j & 1 ? pcie_dma_read : pcie_dma_write)(bench.function, PCIE_FOR_DATA,
                                                                   address, bytes, last);

            cr_assert(end >= last);
            if (j % 16 == 0) {
                last = end;
            }
        }
    }
    bench_free(&bench);
}

Test(pcie_link, what_is_over_is_forgotten)
{
    Bench bench = bench_new(&plain, NULL);

    for (SimTime t = 0; t < 1000 * SIM_US; t += SIM_US) {
        pcie_message(bench.function, t + 10 * SIM_US);
        pcie_message(bench.function, t);
        sim_queue_advance(bench.queue, t);
        cr_assert(le(sz, pcie_link_intervals(bench.link, PCIE_UPSTREAM), 13));
    }
    bench_free(&bench);
}
