/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a scenario to the guest's plan. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "paths.h"
#include "plan.h"

#define HEAD                                                                                       \
    "[scenario]\ntitle = t\nwhy = w\nseed = 7\n[machine]\nprofile = xeon-2620v4-x2\n"              \
    "[device nvme0]\nprofile = samsung-sm951\nserial = A\n"                                        \
    "[device nvme1]\nprofile = intel-750\nserial = B\n"

static GPtrArray *modules(void)
{
    GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)plan_module_free);

    g_ptr_array_add(list, plan_module_new("/x/kernel/nvme-core.ko"));
    g_ptr_array_add(list, plan_module_new("/x/kernel/nvme.ko"));
    return list;
}

/* The plan of a scenario's first point, or its error. */
static char *plan_of(const char *text, GError **error)
{
    g_autoptr(GPtrArray) points = scenario_parse("s.ini", text, NULL, error);
    g_autoptr(GPtrArray) list = modules();

    cr_assert(points != NULL, "%s", (*error)->message);
    const Scenario *scenario = g_ptr_array_index(points, 0);
    g_autoptr(Driver) driver = driver_load(scenario->driver, error);
    cr_assert(driver != NULL, "%s", (*error)->message);
    return plan_text(scenario, driver, list, error);
}

static void expect_plan(const char *text, const char *want)
{
    GError *error = NULL;
    g_autofree char *plan = plan_of(text, &error);

    cr_assert(plan != NULL, "%s", error ? error->message : "?");
    cr_expect(eq(str, plan, (char *)want));
}

static void expect_error(const char *text, const char *where, const char *says)
{
    GError *error = NULL;
    g_autofree char *plan = plan_of(text, &error);

    cr_assert(plan == NULL, "this was taken: %s", text);
    cr_expect(true == g_str_has_prefix(error->message, where), "%s", error->message);
    cr_expect(strstr(error->message, says) != NULL, "%s", error->message);
    g_error_free(error);
}

Test(plan, one_load)
{
    expect_plan(HEAD "[driver]\nparameters = nvme.poll_queues=2 nvme_core.io_timeout=5\n"
                     "[load]\nreaders = 3\nios = 50\nwarmup = 5\nspan = 1GiB\n",
                "# s\n"
                "insmod nvme-core.ko io_timeout=5\n"
                "insmod nvme.ko poll_queues=2\n"
                "wait-nvme A 60000\n"
                "wait-nvme B 60000\n"
                "queue-map\n"
                "observe before\n"
                "load devices=A,B pattern=randread readers=3 depth=1 block=4096 ios=50 warmup=5 "
                "span=1073741824 offset=0 seed=7 pin=spread window=yes\n"
                "observe after\n"
                "dmesg\n");
}

Test(plan, steps_in_order)
{
    expect_plan(HEAD "[load fill]\ndevices = nvme1\npattern = write\nios = 9\nwindow = no\n"
                     "[load quick]\ntime = 5ms\nspan = 1MiB\n"
                     "[step 1 look]\nguest = { cat {nvme0} ${HOME}; } {nvme1:bdf} {a b}\n"
                     "[step 4 read]\nload = quick\nplan = wait-nvme {nvme0:serial} 9\n"
                     "[step 5 check]\n"
                     "verify = device=nvme1 action=check sizes=512B,4KiB span=1MiB blocks=3\n",
                "# s\n"
                "insmod nvme-core.ko\n"
                "insmod nvme.ko\n"
                "wait-nvme A 60000\n"
                "wait-nvme B 60000\n"
                "queue-map\n"
                "load devices=B pattern=write readers=1 depth=1 block=4096 ios=9 warmup=0 "
                "span=17179869184 offset=0 seed=7 pin=spread window=no\n"
                "# step 1 look\n"
                "mark 257\n"
                "run { cat {A} ${HOME}; } {B:bdf} {a b}\n"
                "# step 4 read\n"
                "mark 260\n"
                "observe before\n"
                "load devices=A,B pattern=randread readers=1 depth=1 block=4096 time-ms=5 warmup=0 "
                "span=1048576 offset=0 seed=7 pin=spread window=yes\n"
                "observe after\n"
                "wait-nvme A 9\n"
                "# step 5 check\n"
                "mark 261\n"
                "verify device=B action=check sizes=512,4096 span=1048576 blocks=3 seed=7\n"
                "dmesg\n");
}

Test(plan, refused)
{
    expect_error(HEAD "[step 1 a]\nguest = dd if={nvme2}\n", "s.ini:14", "did you mean 'nvme0'");
    expect_error(HEAD "[step 1 a]\nguest = dd if={nvme0:ctl}\n", "s.ini:14", "did you mean 'ctrl'");
    expect_error(HEAD "[step 1 a]\nverify = devise=nvme0\n", "s.ini:14", "did you mean 'device'");
    expect_error(HEAD "[step 1 a]\nverify = device=nvme0 sizes=512\n", "s.ini:14", "unit");
    expect_error(HEAD "[step 1 a]\nguest = true\n[driver]\nparameters = nvmf.x=1\n", "s.ini:16",
                 "did you mean 'nvme'");
}

#define PORTS                                                                                      \
    "[scenario]\ntitle = t\nwhy = w\ndriver = linux-ixgbe\n"                                       \
    "[machine]\nprofile = xeon-2620v4-x2\n"                                                        \
    "[device eth0]\nprofile = 82599es\n"                                                           \
    "[device eth1]\nprofile = 82599es\nmac = 02:00:00:00:00:AA\ncard = eth0\n"

Test(plan, ports_and_window)
{
    expect_plan(PORTS "[wire in]\nends = eth0 tester\n"
                      "[step 1 up]\nguest = ip link set {eth0} up; echo {eth1:mac} {eth1:bdf}\n"
                      "[step 2 send]\nwindow = 20ms\n",
                "# s\n"
                "insmod nvme-core.ko\n"
                "insmod nvme.ko\n"
                "wait-net 00:1b:21:00:00:01 60000\n"
                "wait-net 02:00:00:00:00:aa 60000\n"
                "queue-map\n"
                "# step 1 up\n"
                "mark 257\n"
                "run ip link set {00:1b:21:00:00:01} up; echo 02:00:00:00:00:aa "
                "{02:00:00:00:00:aa:bdf}\n"
                "# step 2 send\n"
                "mark 258\n"
                "observe before\n"
                "mark 1\n"
                "sleep 20\n"
                "mark 2\n"
                "observe after\n"
                "dmesg\n");
}

Test(plan, traffic_within_a_window)
{
    expect_plan(PORTS "[traffic t]\nfrom = 10.0.0.1@a\nto = 10.0.0.2@b\nbytes = 1MiB\nrounds = 3\n"
                      "[traffic u]\nfrom = fd00::1\nto = fd00::2\nprotocol = udp\nbytes = 1KiB\n"
                      "streams = 4\nboth = no\nsegment = yes\n"
                      "[step 1 open]\nwindow = start\n"
                      "[step 2 send]\ntraffic = t\n"
                      "[step 3 send]\ntraffic = u\nwindow = end\n",
                "# s\n"
                "insmod nvme-core.ko\n"
                "insmod nvme.ko\n"
                "wait-net 00:1b:21:00:00:01 60000\n"
                "wait-net 02:00:00:00:00:aa 60000\n"
                "queue-map\n"
                "# step 1 open\n"
                "mark 257\n"
                "observe before\n"
                "mark 1\n"
                "# step 2 send\n"
                "mark 258\n"
                "traffic name=t protocol=tcp from=10.0.0.1@a to=10.0.0.2@b streams=16 both=yes "
                "bytes=1048576 rounds=3 port=5001 seed=1\n"
                "# step 3 send\n"
                "mark 259\n"
                "traffic name=u protocol=udp from=fd00::1 to=fd00::2 streams=4 both=no bytes=1024 "
                "rounds=1 size=1472 segment=yes port=5097 seed=1\n"
                "mark 2\n"
                "observe after\n"
                "dmesg\n");
}

Test(plan, ports_refused)
{
    expect_error(PORTS "[step 1 a]\nguest = echo {eth0:ctrl}\n", "s.ini:14", "no 'ctrl'");
    expect_error(PORTS "[step 1 a]\nverify = device=eth0\n", "s.ini:14", "drives");
}

/* A driver that finds no device by itself is given each one, by the port that it is plugged in. */
Test(plan, ports_of_a_program)
{
    expect_plan("[scenario]\ntitle = t\nwhy = w\ndriver = dpdk-ixgbe\n"
                "[machine]\nprofile = xeon-2620v4-x2\n"
                "[device other]\nprofile = 82599es\n"
                "[device eth0]\nprofile = 82599es\n"
                "[device eth1]\nprofile = 82599es\ncard = eth0\n"
                "[step 1 start]\nguest = testpmd -a {eth0} -a {eth1:bdf}\n",
                "# s\n"
                "insmod nvme-core.ko\n"
                "insmod nvme.ko\n"
                "wait-pci 00:1b:21:00:00:01 0000:00:10.0/0 60000\n"
                "bind 00:1b:21:00:00:01 uio_pci_generic\n"
                "wait-pci 00:1b:21:00:00:02 0000:00:11.0/0 60000\n"
                "bind 00:1b:21:00:00:02 uio_pci_generic\n"
                "wait-pci 00:1b:21:00:00:03 0000:00:11.0/1 60000\n"
                "bind 00:1b:21:00:00:03 uio_pci_generic\n"
                "queue-map\n"
                "# step 1 start\n"
                "mark 257\n"
                "run testpmd -a {00:1b:21:00:00:02} -a {00:1b:21:00:00:03:bdf}\n"
                "dmesg\n");
}

/* The address of a root port is written in two places. */
Test(plan, root_ports_are_where_the_machine_has_them)
{
    g_autofree char *path = paths_data("qemu-devices/machine-args");
    g_autofree char *text = NULL;

    cr_assert(g_file_get_contents(path, &text, NULL, NULL));
    for (unsigned i = 0; i < SCENARIO_ROOT_PORTS; i++) {
        g_autofree char *port =
            g_strdup_printf("id=rp%u,bus=pcie.0,addr=0x%x,", i, PLAN_ROOT_PORT_DEVICE + i);
        cr_expect(strstr(text, port) != NULL, "%s", port);
    }
}
