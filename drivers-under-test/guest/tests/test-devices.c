/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Controllers by serial, and the queue map, against a folder in place of sysfs. */
#include "devices.h"
#include "fixture.h"
#include "net.h"
#include "pci.h"
#include <criterion/new/assert.h>
#include <unistd.h>

typedef struct Bench {
    Fixture fixture;
    char *dev;
    Devices devices;
} Bench;

/* Controller nvme1 has the disk nvme0n1: instance numbers of controller and disk may differ. */
static void bench_init(Bench *bench)
{
    bench->fixture = fixture_new();
    bench->dev = fixture_path(&bench->fixture, "dev");
    bench->devices =
        (Devices){.sysfs = bench->fixture.root, .dev = bench->dev, .proc = bench->fixture.root};
    fixture_file(&bench->fixture, "class/nvme/nvme0/serial", "OTHER\n");
    fixture_file(&bench->fixture, "class/nvme/nvme0/state", "live\n");
    fixture_file(&bench->fixture, "class/nvme/nvme1/serial", "S1                  \n");
    fixture_file(&bench->fixture, "class/nvme/nvme1/state", "live\n");
    fixture_file(&bench->fixture, "class/nvme/nvme1/address", "0000:02:00.0\n");
    fixture_file(&bench->fixture, "class/nvme/nvme1/nvme0c0n1/nsid", "1\n");
    fixture_file(&bench->fixture, "class/nvme/nvme1/nvme0n2/nsid", "2\n");
    fixture_file(&bench->fixture, "class/nvme/nvme1/nvme0n1/nsid", "1\n");
    fixture_file(&bench->fixture, "block/nvme0n1/nsid", "1\n");
    fixture_file(&bench->fixture, "block/nvme0n2/nsid", "2\n");
    fixture_file(&bench->fixture, "block/nvme0n1/stat",
                 "      3        0       24        1        0        0        0        0        0  "
                 "      1        1\n");
    fixture_file(&bench->fixture, "dev/nvme0n1", "");
}

static void bench_end(Bench *bench)
{
    fixture_free(&bench->fixture);
    g_free(bench->dev);
}

Test(guest_devices, found_by_serial)
{
    g_autofree char *disk = NULL, *ctrl = NULL;
    Reason reason = {""};
    Bench bench;

    bench_init(&bench);
    disk = fixture_path(&bench.fixture, "dev/nvme0n1");
    ctrl = fixture_path(&bench.fixture, "dev/nvme1");
    cr_assert(devices_wait(&bench.devices, "S1", 1000, &reason), "%s", reason.text);
    cr_expect(eq(str, (char *)devices_lookup(&bench.devices, "S1", NULL), disk));
    cr_expect(eq(str, (char *)devices_lookup(&bench.devices, "S1", "ctrl"), ctrl));
    cr_expect(eq(str, (char *)devices_lookup(&bench.devices, "S1", "bdf"), (char *)"0000:02:00.0"));
    cr_expect(zero(ptr, (void *)devices_lookup(&bench.devices, "S1", "size")));
    cr_expect(zero(ptr, (void *)devices_lookup(&bench.devices, "OTHER", NULL)));
    cr_assert(devices_wait(&bench.devices, "S1", 1000, &reason));
    cr_expect(eq(int, bench.devices.n, 1));
    bench_end(&bench);
}

Test(guest_devices, missing_controller_is_told)
{
    Reason reason = {""};
    Bench bench;

    bench_init(&bench);
    cr_expect(not(devices_wait(&bench.devices, "S", 10, &reason)));
    cr_expect(eq(str, reason.text, (char *)"no controller with serial S after 10 ms"));
    bench_end(&bench);
}

Test(guest_devices, controller_that_is_not_live_is_told)
{
    Reason reason = {""};
    Bench bench;

    bench_init(&bench);
    fixture_file(&bench.fixture, "class/nvme/nvme1/state", "connecting\n");
    cr_expect(not(devices_wait(&bench.devices, "S1", 10, &reason)));
    cr_expect(not(zero(ptr, strstr(reason.text, "connecting"))), "%s", reason.text);
    bench_end(&bench);
}

Test(guest_devices, disk_with_requests_in_flight_is_waited_for)
{
    Reason reason = {""};
    Bench bench;

    bench_init(&bench);
    fixture_file(&bench.fixture, "block/nvme0n1/stat", "3 0 24 1 0 0 0 0 1 1 1\n");
    cr_expect(not(devices_wait(&bench.devices, "S1", 10, &reason)));
    bench_end(&bench);
}

Test(guest_devices, gone_is_forgotten)
{
    g_autofree char *controller = NULL;
    Reason reason = {""};
    Bench bench;

    bench_init(&bench);
    cr_assert(devices_wait(&bench.devices, "S1", 1000, &reason));
    cr_expect(not(devices_wait_gone(&bench.devices, "S1", 5, &reason)));
    controller = fixture_path(&bench.fixture, "class/nvme/nvme1");
    fixture_remove(controller);
    cr_expect(devices_wait_gone(&bench.devices, "S1", 5, &reason));
    cr_expect(zero(ptr, (void *)devices_lookup(&bench.devices, "S1", NULL)));
    bench_end(&bench);
}

Test(guest_devices, queue_map_in_order_of_numbers)
{
    Reason reason = {""};
    Text out = {0};
    Bench bench;

    bench_init(&bench);
    fixture_file(&bench.fixture, "block/nvme0n1/mq/10/cpu_list", "3\n");
    fixture_file(&bench.fixture, "block/nvme0n1/mq/2/cpu_list", "0, 1, 2\n");
    fixture_file(&bench.fixture, "bus/pci/devices/0000:02:00.0/msi_irqs/101", "msix\n");
    fixture_file(&bench.fixture, "bus/pci/devices/0000:02:00.0/msi_irqs/27", "msix\n");
    fixture_file(&bench.fixture, "irq/27/effective_affinity_list", "1\n");
    fixture_file(&bench.fixture, "irq/27/smp_affinity_list", "0-3\n");
    fixture_file(&bench.fixture, "irq/101/effective_affinity_list", "\n");
    cr_assert(devices_wait(&bench.devices, "S1", 1000, &reason));
    queue_map_add(&out, &bench.devices);
    cr_expect(eq(str, out.data,
                 (char *)"S1 bdf 02:00.0\n"
                         "S1 hctx 2 cpus 0,1,2\n"
                         "S1 hctx 10 cpus 3\n"
                         "S1 irq 27 vector 0 effective 1 affinity 0-3\n"
                         "S1 irq 101 vector 1 effective - affinity -\n"));
    text_free(&out);
    bench_end(&bench);
}

/* --- Network ports --- */

/* eth1 is the port; its VLAN has the same address, but no device; eth0 is another port. */
static void add_ports(Bench *bench)
{
    g_autofree char *device = fixture_path(&bench->fixture, "class/net/eth1/device");
    g_autofree char *other = fixture_path(&bench->fixture, "class/net/eth0/device");

    fixture_file(&bench->fixture, "class/net/eth1.1000/address", "00:1b:21:00:00:02\n");
    fixture_file(&bench->fixture, "class/net/eth1/address", "00:1b:21:00:00:02\n");
    fixture_file(&bench->fixture, "class/net/eth1/carrier", "1\n");
    fixture_file(&bench->fixture, "class/net/eth0/address", "00:1b:21:00:00:01\n");
    cr_assert(symlink("../../../0000:01:00.1", device) == 0);
    cr_assert(symlink("../../../0000:01:00.0", other) == 0);
}

Test(guest_devices, port_found_by_mac)
{
    Reason reason = {""};
    Bench bench;

    bench_init(&bench);
    add_ports(&bench);
    cr_assert(net_wait(&bench.devices, "00:1B:21:00:00:02", 1000, &reason), "%s", reason.text);
    cr_expect(
        eq(str, (char *)devices_lookup(&bench.devices, "00:1B:21:00:00:02", NULL), (char *)"eth1"));
    cr_expect(eq(str, (char *)devices_lookup(&bench.devices, "00:1B:21:00:00:02", "bdf"),
                 (char *)"0000:01:00.1"));
    cr_expect(net_wait_link(&bench.devices, "00:1B:21:00:00:02", 10, &reason), "%s", reason.text);
    bench_end(&bench);
}

Test(guest_devices, port_found_by_pci_address)
{
    Reason reason = {""};
    Bench bench;

    bench_init(&bench);
    add_ports(&bench);
    cr_assert(net_wait(&bench.devices, "0000:01:00.0", 1000, &reason), "%s", reason.text);
    cr_expect(
        eq(str, (char *)devices_lookup(&bench.devices, "0000:01:00.0", NULL), (char *)"eth0"));
    bench_end(&bench);
}

Test(guest_devices, missing_port_and_link_are_told)
{
    Reason reason = {""};
    Bench bench;

    bench_init(&bench);
    add_ports(&bench);
    cr_expect(not(net_wait(&bench.devices, "00:1b:21:00:00:03", 5, &reason)));
    cr_expect(eq(str, reason.text, (char *)"no interface of 00:1b:21:00:00:03 after 5 ms"));
    cr_expect(not(net_wait_link(&bench.devices, "00:1b:21:00:00:01", 5, &reason)));
    cr_expect(eq(str, reason.text, (char *)"wait-net 00:1b:21:00:00:01 has to come before"));
    cr_assert(net_wait(&bench.devices, "00:1b:21:00:00:01", 5, &reason));
    cr_expect(not(net_wait_link(&bench.devices, "00:1b:21:00:00:01", 5, &reason)));
    cr_expect(eq(str, reason.text, (char *)"00:1b:21:00:00:01 (eth0) has no link after 5 ms"));
    cr_expect(not(net_wait(&bench.devices, "0123456789012345678901234", 5, &reason)));
    bench_end(&bench);
}

Test(guest_devices, queue_map_of_a_port)
{
    Reason reason = {""};
    Text out = {0};
    Bench bench;

    bench_init(&bench);
    add_ports(&bench);
    fixture_file(&bench.fixture, "class/net/eth1/queues/tx-0/xps_cpus", "00000001\n");
    fixture_file(&bench.fixture, "class/net/eth1/queues/tx-1/xps_cpus", "00000002\n");
    fixture_file(&bench.fixture, "bus/pci/devices/0000:01:00.1/msi_irqs/27", "msix\n");
    fixture_file(&bench.fixture, "bus/pci/devices/0000:01:00.1/msi_irqs/28", "msix\n");
    fixture_file(&bench.fixture, "irq/27/effective_affinity_list", "1\n");
    fixture_file(&bench.fixture, "irq/27/smp_affinity_list", "0-3\n");
    fixture_file(&bench.fixture, "irq/27/eth1-TxRx-0/none", "");
    cr_assert(net_wait(&bench.devices, "00:1b:21:00:00:02", 1000, &reason));
    queue_map_add(&out, &bench.devices);
    cr_expect(eq(str, out.data,
                 (char *)"00:1b:21:00:00:02 bdf 01:00.1\n"
                         "00:1b:21:00:00:02 interface eth1\n"
                         "00:1b:21:00:00:02 tx 0 mask 00000001\n"
                         "00:1b:21:00:00:02 tx 1 mask 00000002\n"
                         "00:1b:21:00:00:02 irq 27 vector 0 effective 1 affinity 0-3 name "
                         "eth1-TxRx-0\n"
                         "00:1b:21:00:00:02 irq 28 vector 1 effective - affinity - name -\n"));
    text_free(&out);
    bench_end(&bench);
}

/* --- PCI functions for programs that bring their own driver --- */

/* Two functions behind a bridge, which itself has entries of other kinds; @driver has the second.
 */
static void add_functions(Bench *bench, const char *driver)
{
    g_autofree char *link = fixture_path(&bench->fixture, "bus/pci/devices/0000:01:00.1/driver");
    g_autofree char *target = g_build_filename("../../drivers", driver, NULL);

    fixture_file(&bench->fixture, "bus/pci/devices/0000:00:10.0/msi_irqs/24", "msi\n");
    fixture_file(&bench->fixture, "bus/pci/devices/0000:00:10.0/firmware.1", "");
    fixture_file(&bench->fixture, "bus/pci/devices/0000:00:10.0/0000:01:00.0/irq", "20\n");
    fixture_file(&bench->fixture, "bus/pci/devices/0000:00:10.0/0000:01:00.1/irq", "20\n");
    fixture_file(&bench->fixture, "bus/pci/devices/0000:01:00.1/driver_override", "");
    fixture_file(&bench->fixture, "bus/pci/drivers_probe", "");
    fixture_file(&bench->fixture, "bus/pci/drivers/ixgbe/unbind", "");
    fixture_file(&bench->fixture, "bus/pci/drivers/uio_pci_generic/unbind", "");
    cr_assert(symlink(target, link) == 0);
}

static void expect_content(const Bench *bench, const char *file, const char *want)
{
    g_autofree char *path = fixture_path(&bench->fixture, file);
    g_autofree char *content = NULL;

    cr_assert(g_file_get_contents(path, &content, NULL, NULL));
    cr_expect(eq(str, content, (char *)want), "%s", file);
}

Test(guest_devices, function_found_by_place)
{
    Reason reason = {""};
    Text out = {0};
    Bench bench;

    bench_init(&bench);
    add_functions(&bench, "uio_pci_generic");
    cr_assert(pci_wait(&bench.devices, "P2", "0000:00:10.0/1", 1000, &reason), "%s", reason.text);
    cr_expect(eq(str, (char *)devices_lookup(&bench.devices, "P2", NULL), (char *)"0000:01:00.1"));
    cr_expect(eq(str, (char *)devices_lookup(&bench.devices, "P2", "bdf"), (char *)"0000:01:00.1"));
    cr_expect(zero(ptr, (void *)devices_lookup(&bench.devices, "P2", "ctrl")));
    queue_map_add(&out, &bench.devices);
    cr_expect(eq(str, out.data, (char *)"P2 bdf 01:00.1\n"));
    text_free(&out);
    bench_end(&bench);
}

Test(guest_devices, missing_function_is_told)
{
    Reason reason = {""};
    Bench bench;

    bench_init(&bench);
    add_functions(&bench, "ixgbe");
    cr_expect(not(pci_wait(&bench.devices, "P2", "0000:00:10.0/2", 5, &reason)));
    cr_expect(eq(str, reason.text, (char *)"no function 2 behind 0000:00:10.0 after 5 ms"));
    cr_expect(not(pci_wait(&bench.devices, "P2", "0000:00:10.0", 5, &reason)));
    cr_expect(not(pci_bind(&bench.devices, "P2", "uio_pci_generic", &reason)));
    cr_expect(eq(str, reason.text, (char *)"wait-pci P2 has to come before"));
    bench_end(&bench);
}

Test(guest_devices, function_is_bound)
{
    Reason reason = {""};
    Bench bench;

    bench_init(&bench);
    add_functions(&bench, "uio_pci_generic");
    cr_assert(pci_wait(&bench.devices, "P2", "0000:00:10.0/1", 1000, &reason));
    cr_expect(pci_bind(&bench.devices, "P2", "uio_pci_generic", &reason), "%s", reason.text);
    expect_content(&bench, "bus/pci/devices/0000:01:00.1/driver_override", "uio_pci_generic");
    expect_content(&bench, "bus/pci/drivers_probe", "0000:01:00.1");
    expect_content(&bench, "bus/pci/drivers/uio_pci_generic/unbind", "");
    bench_end(&bench);
}

/* The folder does not change as sysfs would: the old driver keeps the device. */
Test(guest_devices, driver_that_does_not_take_the_function_is_told)
{
    Reason reason = {""};
    Bench bench;

    bench_init(&bench);
    add_functions(&bench, "ixgbe");
    cr_assert(pci_wait(&bench.devices, "P2", "0000:00:10.0/1", 1000, &reason));
    cr_expect(not(pci_bind(&bench.devices, "P2", "uio_pci_generic", &reason)));
    expect_content(&bench, "bus/pci/drivers/ixgbe/unbind", "0000:01:00.1");
    cr_expect(not(zero(ptr, strstr(reason.text, "uio_pci_generic did not take 0000:01:00.1"))),
              "%s", reason.text);
    bench_end(&bench);
}
