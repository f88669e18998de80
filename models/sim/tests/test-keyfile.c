/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include "sim/sim-keyfile.h"

static SimKeyfile *parse(const char *text)
{
    g_autoptr(GError) error = NULL;
    SimKeyfile *file = sim_keyfile_parse("x.ini", text, &error);

    cr_assert(ne(ptr, file, NULL), "%s", error ? error->message : "");
    return file;
}

Test(sim_keyfile, groups_keys_values_and_lines)
{
    g_autoptr(SimKeyfile) file = parse("# comment\n"
                                       "\n"
                                       "  [device nvme0]\t\n"
                                       "  profile  =  fast one \n"
                                       "table = 32KiB:2.13GB/s; 64KiB:300MB/s\n"
                                       "empty =\n"
                                       "  # another\n"
                                       "[ step 1 load the queue ]\r\n"
                                       "guest = a=b [x]#y\r\n");

    cr_expect(eq(str, (char *)sim_keyfile_name(file), "x.ini"));
    cr_expect(eq(str, (char *)sim_keyfile_groups(file)[0], "device nvme0"));
    cr_expect(eq(str, (char *)sim_keyfile_groups(file)[1], "step 1 load the queue"));
    cr_expect(eq(ptr, (void *)sim_keyfile_groups(file)[2], NULL));
    cr_expect(eq(u32, sim_keyfile_group_line(file, "step 1 load the queue"), 8));
    cr_expect(eq(u32, sim_keyfile_group_line(file, "nobody"), 0));
    cr_expect(eq(str, (char *)sim_keyfile_get(file, "device nvme0", "profile"), "fast one"));
    cr_expect(eq(str, (char *)sim_keyfile_get(file, "device nvme0", "table"),
                 "32KiB:2.13GB/s; 64KiB:300MB/s"));
    cr_expect(eq(str, (char *)sim_keyfile_get(file, "device nvme0", "empty"), ""));
    cr_expect(
        eq(str, (char *)sim_keyfile_get(file, "step 1 load the queue", "guest"), "a=b [x]#y"));
    cr_expect(eq(u32, sim_keyfile_entry(file, "device nvme0", "empty")->line, 6));
    cr_expect(eq(ptr, (void *)sim_keyfile_get(file, "device nvme0", "none"), NULL));
    cr_expect(eq(ptr, (void *)sim_keyfile_get(file, "none", "profile"), NULL));
    cr_expect(eq(u32, sim_keyfile_entries(file, "device nvme0")->len, 3));
    cr_expect(eq(ptr, (void *)sim_keyfile_entries(file, "none"), NULL));
}

Test(sim_keyfile, byte_order_mark_and_no_final_newline)
{
    g_autoptr(SimKeyfile) file = parse("\xef\xbb\xbf[a]\nb = c");

    cr_expect(eq(str, (char *)sim_keyfile_get(file, "a", "b"), "c"));
}

typedef struct Bad {
    char text[120];
    SimKeyfileError code;
    char message[120];
} Bad;

ParameterizedTestParameters(sim_keyfile, refused)
{
    static Bad rows[] = {
        {"a = 1\n", SIM_KEYFILE_ERROR_SYNTAX,
         "x.ini:1: a: outside of any group; write a [group] line above it"},
        {"[a\n", SIM_KEYFILE_ERROR_SYNTAX, "x.ini:1: group without its end; write [a]"},
        {"\n[]\n", SIM_KEYFILE_ERROR_SYNTAX, "x.ini:2: group without a name"},
        {"[a] # b\n", SIM_KEYFILE_ERROR_SYNTAX,
         "x.ini:1: text after \"]\"; a comment stands on a line of its own"},
        {"[a]\nb\n", SIM_KEYFILE_ERROR_SYNTAX, "x.ini:2: neither [group] nor key = value"},
        {"[a]\n; b\n", SIM_KEYFILE_ERROR_SYNTAX,
         "x.ini:2: neither [group] nor key = value; a comment starts with #"},
        {"[a]\n = b\n", SIM_KEYFILE_ERROR_SYNTAX, "x.ini:2: a key is missing before \"=\""},
        {"[a]\nb = 1 # one\n", SIM_KEYFILE_ERROR_SYNTAX,
         "x.ini:2: [a] b: a comment after a value; put it on a line of its own"},
        {"[a]\nb = # one\n", SIM_KEYFILE_ERROR_SYNTAX,
         "x.ini:2: [a] b: a comment after a value; put it on a line of its own"},
        {"[a]\r\nb = 1\t# one\r\n", SIM_KEYFILE_ERROR_SYNTAX,
         "x.ini:2: [a] b: a comment after a value; put it on a line of its own"},
        {"[a]\n[b]\n[ a ]\n", SIM_KEYFILE_ERROR_DUPLICATE,
         "x.ini:3: [a] a second time (first at line 1); join the two"},
        {"[a]\nb = 1\nc = 2\nb = 1\n", SIM_KEYFILE_ERROR_DUPLICATE,
         "x.ini:4: [a] b: a second time (first at line 2); keep one"},
        {"[a]\nb = \xff\n", SIM_KEYFILE_ERROR_SYNTAX,
         "x.ini:2: not UTF-8 text (byte 0xff); save the file as UTF-8"},
    };

    return cr_make_param_array(Bad, rows, G_N_ELEMENTS(rows));
}
ParameterizedTest(Bad *row, sim_keyfile, refused)
{
    g_autoptr(GError) error = NULL;

    cr_assert(eq(ptr, sim_keyfile_parse("x.ini", row->text, &error), NULL));
    cr_expect(eq(str, error->message, row->message));
    cr_expect(g_error_matches(error, SIM_KEYFILE_ERROR, (gint)row->code));
}

Test(sim_keyfile, a_file_that_is_not_there)
{
    g_autoptr(GError) error = NULL;

    cr_assert(eq(ptr, sim_keyfile_load("/nowhere/at all.ini", &error), NULL));
    cr_expect(g_error_matches(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_READ));
    cr_expect(true == g_str_has_prefix(error->message, "/nowhere/at all.ini: cannot be read: "));
}

Test(sim_keyfile, unknown_key_names_the_nearest)
{
    g_autoptr(SimKeyfile) file = parse("[load]\nblock = 4KiB\nreader = 8\n");
    static const char *const known[] = {"block", "readers", "depth", NULL};
    g_autoptr(GError) error = NULL;

    cr_expect(not(sim_keyfile_check_taken(file, "load", known, NULL)));
    sim_keyfile_get(file, "load", "block");
    cr_expect(not(sim_keyfile_check_taken(file, "load", known, &error)));
    cr_expect(
        eq(str, error->message, "x.ini:3: [load] reader: unknown key; did you mean \"readers\"?"));
    cr_expect(g_error_matches(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_UNKNOWN));
    g_clear_error(&error);
    cr_expect(not(sim_keyfile_check_taken(file, "load", NULL, &error)));
    cr_expect(eq(str, error->message, "x.ini:3: [load] reader: unknown key; remove it"));
    sim_keyfile_entry(file, "load", "reader")->taken = true;
    cr_expect(sim_keyfile_check_taken(file, "load", known, NULL));
    cr_expect(sim_keyfile_check_taken(file, "no such group", known, NULL));
}

Test(sim_keyfile, errors_name_the_place)
{
    g_autoptr(SimKeyfile) file = parse("[load]\nblock = 4KiB\n");
    g_autoptr(GError) at = NULL, set = NULL, none = NULL, group = NULL;

    sim_keyfile_set(file, "load", "more", "1");
    sim_keyfile_error(file, sim_keyfile_entry(file, "load", "block"), SIM_KEYFILE_ERROR_VALUE, &at,
                      "bad %d", 1);
    sim_keyfile_error(file, sim_keyfile_entry(file, "load", "more"), SIM_KEYFILE_ERROR_VALUE, &set,
                      "bad");
    sim_keyfile_error(file, NULL, SIM_KEYFILE_ERROR_MISSING, &none, "bad");
    sim_keyfile_group_error(file, "load", SIM_KEYFILE_ERROR_MISSING, &group, "bad");
    cr_expect(eq(str, at->message, "x.ini:2: [load] block: bad 1"));
    cr_expect(eq(str, set->message, "x.ini: [load] more: bad"));
    cr_expect(eq(str, none->message, "x.ini: bad"));
    cr_expect(eq(str, group->message, "x.ini:1: [load]: bad"));
}

Test(sim_keyfile, set_and_copy)
{
    g_autoptr(SimKeyfile) file = parse("[a]\nb = 1\n");
    g_autoptr(SimKeyfile) copy = NULL;
    const char *before = sim_keyfile_get(file, "a", "b");

    sim_keyfile_set(file, "a", "b", "2");
    sim_keyfile_set(file, "a", "c", "3");
    sim_keyfile_set(file, "d", "e", "4");
    cr_expect(eq(str, (char *)before, "1"), "borrowed values stay");
    copy = sim_keyfile_copy(file);
    sim_keyfile_set(file, "a", "b", "5");
    cr_expect(eq(u32, sim_keyfile_entry(copy, "a", "b")->line, 2));
    cr_expect(eq(u32, sim_keyfile_entry(copy, "a", "c")->line, 0));
    cr_expect(not(sim_keyfile_entry(copy, "a", "b")->taken));
    cr_expect(eq(str, (char *)sim_keyfile_get(copy, "a", "b"), "2"));
    cr_expect(eq(str, (char *)sim_keyfile_get(copy, "d", "e"), "4"));
    cr_expect(eq(str, (char *)sim_keyfile_groups(copy)[1], "d"));
}

typedef struct Near {
    char word[24], nearest[24];
} Near;

ParameterizedTestParameters(sim_keyfile, nearest_word)
{
    static Near rows[] = {
        {"reader", "readers"},
        {"raeders", "readers"},
        {"READERS", "readers"},
        {"dpeth", "depth"},
        {"blok", "block"},
        {"zzzzzz", ""},
        {"", ""},
        {"x", ""},
        {"pattern", ""},
        {"sqe-fecth", "sqe-fetch"},
    };

    return cr_make_param_array(Near, rows, G_N_ELEMENTS(rows));
}
ParameterizedTest(Near *row, sim_keyfile, nearest_word)
{
    static const char *const words[] = {"block", "readers", "depth", "sqe-fetch", NULL};
    const char *nearest = sim_nearest_word(row->word, words);

    cr_expect(eq(str, (char *)(nearest ? nearest : ""), row->nearest));
}
