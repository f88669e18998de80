/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QEMU's command line, snapshot keys, the memory of hashes, modules in order. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <glib/gstdio.h>
#include <string.h>

#include "driver.h"
#include "files.h"
#include "hash-cache.h"
#include "machine.h"

#define TEXT                                                                                       \
    "[scenario]\ntitle = t\nwhy = w\n[machine]\nprofile = xeon-2620v4-x2\ncpus = 8\n"              \
    "memory = 512MiB\nmips = 1000\nquantum = 3000\n"                                               \
    "[device nvme0]\nprofile = samsung-sm951\n[load]\nios = 9\n"

static Inputs inputs(void)
{
    return (Inputs){
        .qemu = (char *)"/q",
        .qemu_key = (char *)"qk",
        .kernel = (char *)"/k",
        .kernel_hash = (char *)"kh",
        .image = (char *)"/i",
        .image_hash = (char *)"ih",
        .machine_args = (char *)"# comment\n-smp\n@CPUS@\n-m\n@MEMORY@\n-accel\ntcg,x\n-icount\n"
                                "mips=@MIPS@,quantum=@QUANTUM@\n-serial\n@SERIAL@\n-kernel\n"
                                "@KERNEL@\n-initrd\n@INITRD@\n-append\nquiet tsc=reliable lpj=4 "
                                "@APPEND@\n",
    };
}

static GPtrArray *scenario(const char *const *sets)
{
    g_autoptr(GError) error = NULL;
    GPtrArray *points = scenario_parse("s.ini", TEXT, sets, &error);

    cr_assert(points != NULL, "%s", error ? error->message : "?");
    return points;
}

Test(machine, command_line)
{
    const Inputs in = inputs();
    const char *const extra[] = {"-S", NULL};
    g_autoptr(GPtrArray) points = scenario(NULL);
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) argv =
        machine_command(points->pdata[0], &in, "/x/a,b", "machine=m", "/arc", extra, &error);

    cr_assert(argv != NULL, "%s", error ? error->message : "?");
    g_autofree char *all = g_strjoinv(" ", argv);
    cr_expect(eq(str, all,
                 "/q -smp 8 -m 512M -accel tcg,x -icount mips=1000,quantum=3000 "
                 "-serial file:/x/a,,b -kernel /k -initrd /i -append quiet tsc=reliable lpj=4 "
                 "-device quirkbench-sim,id=sim0,machine=m "
                 "-device quirkbench-channel,id=channel,sim=sim0,bus=pcie.0,addr=0x18,archive=/arc "
                 "-S"));
}

Test(machine, wall_clock_has_no_instruction_count)
{
    const Inputs in = inputs();
    const char *const sets[] = {"scenario.clock=wall", NULL};
    g_autoptr(GPtrArray) points = scenario(sets);
    g_auto(GStrv) argv =
        machine_command(points->pdata[0], &in, "/s", "machine=m", NULL, NULL, NULL);
    g_autofree char *all = g_strjoinv(" ", argv);

    cr_expect(strstr(all, "icount") == NULL, "%s", all);
    cr_expect(strstr(all, "lpj") == NULL && strstr(all, "tsc") == NULL, "%s", all);
    cr_expect(strstr(all, "-append quiet -device") != NULL, "%s", all);
}

Test(machine, unknown_placeholder)
{
    Inputs in = inputs();
    g_autoptr(GPtrArray) points = scenario(NULL);
    g_autoptr(GError) error = NULL;

    in.machine_args = (char *)"@CPU@\n";
    cr_expect(machine_command(points->pdata[0], &in, "/s", "m", NULL, NULL, &error) == NULL);
    cr_expect(strstr(error->message, "@CPU@") != NULL);
}

static char *key(const Inputs *in, const char *set)
{
    const char *const sets[] = {set, NULL};
    g_autoptr(GPtrArray) points = scenario(set ? sets : NULL);

    return machine_snapshot_key(points->pdata[0], in, NULL);
}

Test(machine, snapshot_key)
{
    Inputs in = inputs();
    static const char *const same[] = {"load.block=8KiB",   "scenario.seed=3",
                                       "scenario.limit=3s", "device nvme0.profile=intel-750",
                                       "machine.mips=900",  "machine.quantum=1000"};
    static const char *const other[] = {"machine.cpus=4", "machine.memory=256MiB",
                                        "scenario.clock=wall"};
    g_autofree char *base = key(&in, NULL);

    for (size_t i = 0; i < G_N_ELEMENTS(same); i++) {
        g_autofree char *now = key(&in, same[i]);
        cr_expect(eq(str, now, base), "%s makes another snapshot", same[i]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(other); i++) {
        g_autofree char *now = key(&in, other[i]);
        cr_expect(ne(str, now, base), "%s does not make another snapshot", other[i]);
    }
    in.qemu = (char *)"/elsewhere";
    in.kernel = (char *)"/elsewhere/k";
    in.qemu_hash = (char *)"a relinked model";
    g_autofree char *moved = key(&in, NULL);
    cr_expect(eq(str, moved, base), "paths and models are no part of it");
    in.kernel_hash = (char *)"another kernel";
    g_autofree char *changed = key(&in, NULL);
    cr_expect(ne(str, changed, base));
}

Test(machine, hash_cache)
{
    g_autofree char *folder = g_dir_make_tmp("qbtest-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "f", NULL);
    g_autoptr(GError) error = NULL;

    cr_assert(g_file_set_contents(path, "abc", 3, NULL));
    for (unsigned i = 0; i < 2; i++) {
        g_autoptr(HashCache) cache = hash_cache_new(folder);
        g_autofree char *hash = hash_cache_file(cache, path, &error);
        cr_expect(eq(str, hash,
                     "ba7816bf8f01cfea414140de5dae2223"
                     "b00361a396177a9cb410ff61f20015ad"));
    }
    cr_assert(g_file_set_contents(path, "abd", 3, NULL));
    g_autoptr(HashCache) cache = hash_cache_new(folder);
    g_autofree char *hash = hash_cache_file(cache, path, &error);
    cr_expect(eq(str, hash,
                 "a52d159f262b2c6ddb724a61840befc3"
                 "6eb30c88877a4030b65cbe86298449c9"));
    cr_expect(hash_cache_file(cache, "/nonexistent", &error) == NULL);
    cr_expect(strstr(error->message, "/nonexistent") != NULL);
    files_remove_folder(folder);
}

Test(machine, modules_in_order)
{
    g_autofree char *folder = g_dir_make_tmp("qbtest-XXXXXX", NULL);
    g_autofree char *mine = g_build_filename(folder, "mine", NULL);
    static const char *const files[] = {"modules/nvme.ko", "modules/core/nvme-core.ko",
                                        "modules/lib/t10.ko", "mine/nvme.ko"};
    char *names[] = {(char *)"nvme", NULL};
    const Driver driver = {.name = (char *)"d", .modules = names};
    g_autofree char *modules = g_build_filename(folder, "modules", NULL);
    g_autofree char *dep = g_build_filename(modules, "modules.dep", NULL);
    g_autoptr(GError) error = NULL;

    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(folder, files[i], NULL);
        g_autofree char *parent = g_path_get_dirname(path);
        g_mkdir_with_parents(parent, 0755);
        cr_assert(g_file_set_contents(path, "x", 1, NULL));
    }
    cr_assert(g_file_set_contents(dep,
                                  "nvme.ko: core/nvme-core.ko lib/t10.ko\n"
                                  "core/nvme-core.ko: lib/t10.ko\nlib/t10.ko:\n",
                                  -1, NULL));
    g_autoptr(GPtrArray) list = driver_module_files(&driver, NULL, modules, NULL, &error);
    cr_assert(list != NULL && list->len == 3, "%s", error ? error->message : "?");
    cr_expect(true == g_str_has_suffix(list->pdata[0], "lib/t10.ko"));
    cr_expect(true == g_str_has_suffix(list->pdata[1], "nvme-core.ko"));
    cr_expect(true == g_str_has_suffix(list->pdata[2], "modules/nvme.ko"));

    g_autoptr(GPtrArray) rebuilt = driver_module_files(&driver, NULL, mine, modules, &error);
    cr_assert(rebuilt != NULL && rebuilt->len == 3, "%s", error ? error->message : "?");
    cr_expect(true == g_str_has_suffix(rebuilt->pdata[1], "modules/core/nvme-core.ko"));
    cr_expect(true == g_str_has_suffix(rebuilt->pdata[2], "mine/nvme.ko"),
              "the user's own stands in");
    cr_expect(driver_module_files(&driver, NULL, folder, NULL, &error) == NULL);
    files_remove_folder(folder);
}

/* Modules that the scenario names come first, with what they need; a wrong name gets the nearest.
 */
Test(machine, further_modules)
{
    g_autofree char *folder = g_dir_make_tmp("qbtest-XXXXXX", NULL);
    g_autofree char *dep = g_build_filename(folder, "modules.dep", NULL);
    char *names[] = {(char *)"ixgbe", NULL}, *more[] = {(char *)"act-mirred", NULL},
         *wrong[] = {(char *)"act_mired", NULL};
    const Driver driver = {.name = (char *)"d", .modules = names};
    static const char *const files[] = {"ixgbe.ko", "act_mirred.ko", "core.ko"};
    g_autoptr(GError) error = NULL;

    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(folder, files[i], NULL);
        cr_assert(g_file_set_contents(path, "x", 1, NULL));
    }
    cr_assert(g_file_set_contents(dep, "ixgbe.ko:\nact_mirred.ko: core.ko\ncore.ko:\n", -1, NULL));
    g_autoptr(GPtrArray) list = driver_module_files(&driver, more, folder, NULL, &error);
    cr_assert(list != NULL && list->len == 3, "%s", error ? error->message : "?");
    cr_expect(true == g_str_has_suffix(list->pdata[0], "/core.ko"));
    cr_expect(true == g_str_has_suffix(list->pdata[1], "/act_mirred.ko"));
    cr_expect(true == g_str_has_suffix(list->pdata[2], "/ixgbe.ko"));
    cr_expect(driver_module_files(&driver, wrong, folder, NULL, &error) == NULL);
    cr_expect(strstr(error->message, "did you mean 'act_mirred'?") != NULL, "%s", error->message);
    files_remove_folder(folder);
}
