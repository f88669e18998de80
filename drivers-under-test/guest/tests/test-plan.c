/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan's syntax: words, quotes, {SERIAL}, options; reports' layout; cpu lists. */
#include "channel.h"
#include "cpu-list.h"
#include "devices.h"
#include "load.h"
#include "words.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <string.h>

typedef struct Split {
    char line[64];
    int n;
    char words[4][32];
} Split;

ParameterizedTestParameters(guest_plan, words)
{
    static Split cases[] = {
        {"", 0, {""}},
        {"  \t ", 0, {""}},
        {"dmesg", 1, {"dmesg"}},
        {"  sleep   5  ", 2, {"sleep", "5"}},
        {"write /f \"two words\"", 3, {"write", "/f", "two words"}},
        {"insmod x.ko a=\"b c\"d", 3, {"insmod", "x.ko", "a=b cd"}},
        {"write /f \"\"", 3, {"write", "/f", ""}},
        {"write \"/f", -1, {""}},
        {"a b c d e", -1, {""}},
        {"a\tb\r", 2, {"a", "b"}},
    };

    return cr_make_param_array(Split, cases, sizeof(cases) / sizeof(cases[0]));
}

ParameterizedTest(Split *split, guest_plan, words)
{
    char line[64], *words[4];
    Reason reason = {""};
    int n;

    strcpy(line, split->line);
    n = words_split(line, words, 4, &reason);
    cr_assert(eq(int, n, split->n), "\"%s\"", split->line);
    for (int i = 0; i < n; i++) {
        cr_expect(eq(str, words[i], split->words[i]), "\"%s\"", split->line);
    }
}

typedef struct Substitution {
    char line[64], result[64];
} Substitution;

ParameterizedTestParameters(guest_plan, serials_in_a_line)
{
    static Substitution cases[] = {
        {"", ""},
        {"dd if={S1}", "dd if=/dev/nvme3n1"},
        {"{S1:ctrl}{S1:bdf}", "/dev/nvme30000:02:00.0"},
        {"{S2} {S1:size} {", "{S2} {S1:size} {"},
        {"awk '{print $1}' ${X} {{S1}}", "awk '{print $1}' ${X} {/dev/nvme3n1}"},
        {"{} {S1", "{} {S1"},
        {"ip link set {00:1b:21:00:00:01} up", "ip link set eth0 up"},
        {"{00:1b:21:00:00:01:bdf} {00:1b}", "0000:03:00.1 {00:1b}"},
        {"{00:1b:21:00:00:01:ctrl}", "{00:1b:21:00:00:01:ctrl}"},
    };

    return cr_make_param_array(Substitution, cases, sizeof(cases) / sizeof(cases[0]));
}

ParameterizedTest(Substitution *substitution, guest_plan, serials_in_a_line)
{
    Devices devices = {
        .n = 2,
        .list = {{"S1", "/dev/nvme3n1", "/dev/nvme3", "0000:02:00.0", ""},
                 {.serial = "00:1b:21:00:00:01", .bdf = "0000:03:00.1", .interface = "eth0"}}};
    Text out = {0};

    text_add(&out, "", 0);
    words_substitute(&out, substitution->line, devices_lookup, &devices);
    cr_expect(eq(str, out.data, substitution->result));
    text_free(&out);
}

typedef struct LoadLine {
    char line[160];
    char error[48]; /* part of the reason; empty: the line is good */
} LoadLine;

ParameterizedTestParameters(guest_plan, load_options)
{
    static LoadLine cases[] = {
        {"devices=A,B pattern=read readers=64 depth=1 block=4096 ios=100 pin=spread window=yes",
         ""},
        {"devices=A time-ms=5", ""},
        {"pattern=read ios=1", "devices= is missing"},
        {"devices=A", "one of ios= and time-ms="},
        {"devices=A ios=1 time-ms=1", "one of ios= and time-ms="},
        {"devices=A ios=1 ios=2", "given twice"},
        {"devices=A ios=1 reader=2", "unknown option"},
        {"devices=A ios=1x", "whole number"},
        {"devices=A ios=-1", "whole number"},
        {"devices=A ios=1 pattern=random", "must be randread"},
        {"devices=A ios=1 pin=all", "none or spread"},
        {"devices=A ios=1 block=1000", "multiples of 512"},
        {"devices=A ios=1 readers=0", "at least 1"},
        {"devices=A,B,C,D,E ios=1 readers=1000", "threads at most"},
        {"devices=A ios=1 window=1", "yes or no"},
    };

    return cr_make_param_array(LoadLine, cases, sizeof(cases) / sizeof(cases[0]));
}

ParameterizedTest(LoadLine *load, guest_plan, load_options)
{
    char line[160], *words[32];
    Reason reason = {""};
    LoadSpec spec;
    int n;
    bool good;

    strcpy(line, load->line);
    n = words_split(line, words, 32, &reason);
    good = load_parse(&spec, words, n, &reason);
    cr_expect(eq(int, good, load->error[0] == '\0'), "%s: %s", load->line, reason.text);
    cr_expect(not(zero(ptr, strstr(reason.text, load->error))), "%s: %s", load->line, reason.text);
}

typedef struct CpuList {
    char list[32];
    int n, first, last;
} CpuList;

ParameterizedTestParameters(guest_plan, cpu_lists)
{
    static CpuList cases[] = {
        {"0", 1, 0, 0},
        {"0-3", 4, 0, 3},
        {"0-3,8,10-11", 7, 0, 11},
        {"31", 1, 31, 31},
        {"", 0, 0, 0},
        {"3-1", -1, 0, 0},
        {"0,", -1, 0, 0},
        {"a", -1, 0, 0},
        {"0-", -1, 0, 0},
        {"0 1", -1, 0, 0},
        {"0-63", 64, 0, 63},
        {"0-64", -1, 0, 0},
        {"99999999999999999999", -1, 0, 0},
    };

    return cr_make_param_array(CpuList, cases, sizeof(cases) / sizeof(cases[0]));
}

ParameterizedTest(CpuList *list, guest_plan, cpu_lists)
{
    int cpus[64], n = cpu_list_parse(list->list, cpus, 64);

    cr_assert(eq(int, n, list->n), "\"%s\"", list->list);
    if (n > 0) {
        cr_expect(eq(int, cpus[0], list->first));
        cr_expect(eq(int, cpus[n - 1], list->last));
    }
}

Test(guest_plan, report_is_name_newline_body)
{
    uint8_t out[64];
    size_t n = channel_layout(out, sizeof(out), "dmesg", "line\n", 5);

    cr_assert(eq(sz, n, 11));
    cr_expect(zero(int, memcmp(out, "dmesg\nline\n", 11)));
}

Test(guest_plan, long_report_is_cut_and_says_so)
{
    static const char end[] = "\n… truncated\n";
    char body[100];
    uint8_t out[65] = {0};
    size_t n;

    memset(body, 'x', sizeof(body));
    n = channel_layout(out, 64, "dmesg", body, sizeof(body));
    cr_assert(eq(sz, n, 64));
    cr_expect(zero(int, memcmp(out + 64 - strlen(end), end, strlen(end))));
    cr_expect(zero(u8, out[64]));
}

Test(guest_plan, machine_without_channel_is_told)
{
    Channel channel;
    Reason reason = {""};

    cr_expect(not(channel_open(&channel, "/nonexistent", &reason)));
    cr_expect(not(zero(ptr, strstr(reason.text, "no channel"))));
}
