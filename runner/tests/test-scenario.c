/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scenario files: what is refused, with file and line; what a good one becomes. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <string.h>

#include "scenario.h"

/* Lines 1 to 11 of every case below. */
#define HEAD                                                                                       \
    "[scenario]\n"                                                                                 \
    "title = t\n"                                                                                  \
    "why = w\n"                                                                                    \
    "[machine]\n"                                                                                  \
    "profile = xeon-2620v4-x2\n"                                                                   \
    "cpus = 8\n"                                                                                   \
    "[device nvme0]\n"                                                                             \
    "profile = samsung-sm951\n"                                                                    \
    "[load]\n"                                                                                     \
    "ios = 100\n"

/* The same with a simulated driver; lines 1 to 11. */
#define NATIVE                                                                                     \
    "[scenario]\n"                                                                                 \
    "title = t\n"                                                                                  \
    "why = w\n"                                                                                    \
    "driver = dragonfly-2016-07\n"                                                                 \
    "[machine]\n"                                                                                  \
    "profile = xeon-2620v4-x2\n"                                                                   \
    "cpus = 8\n"                                                                                   \
    "[device nvme0]\n"                                                                             \
    "profile = samsung-sm951\n"                                                                    \
    "[load]\n"                                                                                     \
    "ios = 100\n"

#define PORTS                                                                                      \
    "[scenario]\n"                                                                                 \
    "title = t\n"                                                                                  \
    "why = w\n"                                                                                    \
    "driver = linux-ixgbe\n"                                                                       \
    "[machine]\n"                                                                                  \
    "profile = xeon-2620v4-x2\n"                                                                   \
    "[device eth0]\n"                                                                              \
    "profile = 82599es\n"

/* A port with the tester at its other end; lines 1 to 10, and a step. */
#define TESTED PORTS "[wire a]\nends = eth0 tester\n"
#define STEP "[step 1 a]\nwindow = 20ms\n"
#define TRAFFIC "[traffic t]\nfrom = 10.0.0.1@a\nto = 10.0.0.2@b\n"

typedef struct Case {
    const char *text, *where, *says;
} Case;

static const Case cases[] = {
    {"[scenario]\ntitle = t\n[machine]\nprofile = xeon-2620v4-x2\n", "s.ini:1", "why"},
    {"[scenario]\ntitle = t\nwhy = w\n", "s.ini", "[machine] profile"},
    {HEAD "titel = x\n", "s.ini:11", "titel"},
    {HEAD "reeders = 3\n", "s.ini:11", "did you mean 'readers'"},
    {HEAD "readers = 3\nreaders = 4\n", "s.ini:12", "second time"},
    {HEAD "[load]\n", "s.ini:11", "second time"},
    {HEAD "block = 4\n", "s.ini:11", "unit"},
    {HEAD "block = 4 parsec\n", "s.ini:11", ""},
    {HEAD "block = 700B\n", "s.ini:11", "multiple of 512B"},
    {HEAD "block = 64MiB\n", "s.ini:11", "out of range"},
    /* A simulated driver does not split: MDTS of samsung-sm951 is 128 KiB, of ideal 2 MiB. */
    {NATIVE "block = 256KiB\n", "s.ini:12", "larger than a command of nvme0 may be: 128KiB"},
    {NATIVE "devices = nvme0\n[load big]\nios = 1\nblock = 4MiB\nwindow = no\n", "s.ini:15",
     "[load big] block: is larger than a command of nvme0 may be: 128KiB"},
    {NATIVE "block = 64KiB\n[device nvme1]\nprofile = ideal\nprofile.identify.mdts = 3\n",
     "s.ini:12", "nvme1 may be: 32KiB"},
    {HEAD "span = 6KiB\n", "s.ini:11", "multiple of block"},
    {HEAD "span = 1024GiB\n", "s.ini:11", "beyond the end of nvme0"},
    {HEAD "readers = 0\n", "s.ini:11", "out of range: 1 to 1024"},
    {HEAD "pattern = randraed\n", "s.ini:11", "did you mean 'randread'"},
    {HEAD "time = 5ms\n", "s.ini:11", "keep one"},
    {HEAD "devices = nvme1\n", "s.ini:11", "did you mean 'nvme0'"},
    {HEAD "block = 4KiB # small\n", "s.ini:11", "comment"},
    {HEAD "[lood]\n", "s.ini:11", "did you mean 'load'"},
    {HEAD "[device]\n", "s.ini:11", "[device nvme0]"},
    {HEAD "[machine x]\n", "s.ini:11", "has no name"},
    {HEAD "[device nvme1]\nprofile = samsung-sm591\n", "s.ini:12", "did you mean 'samsung-sm951'"},
    {HEAD "[device nvme1]\nprofile = ideal\nslot = slut0\n", "s.ini:13", "did you mean 'slot0'"},
    {HEAD "[device nvme1]\nprofile = ideal\nfill = zeros\n", "s.ini:13", "did you mean 'zero'"},
    {HEAD "[device nvme1]\nprofile = ideal\nserial = has blank\n", "s.ini:13", "serial"},
    {HEAD "[device nvme1]\nprofile = ideal\nserial = A\n[device nvme2]\nprofile = ideal\n"
          "serial = A\n",
     "s.ini:16", "differ"},
    {HEAD "[device nvme1]\nprofile = ideal\npublished = d000_4k_rand_after_3nvm\n", "s.ini:13",
     "did you mean"},
    {HEAD "[device nvme1]\nprofile = ideal\nprofile.io-queue = 4\n", "s.ini:13",
     "did you mean 'io-queues'"},
    {HEAD "[device nvme1]\nprofile = ideal\nprofile.io-queues = 0\n", "s.ini:13", "out of range"},
    {HEAD "[device nvme1]\nprofile = ideal\nprofile.io-queues = 70000\n", "s.ini:13",
     "out of range"},
    {HEAD "[device nvme1]\nprofile = ideal\nprofile.timeout = 3\n", "s.ini:13", "unit"},
    {HEAD "[driver]\nparameters = nvme.poll_queues=9\n", "s.ini:12", "impossible queue count"},
    {HEAD "[driver]\nparameters = poll_queues=1\n", "s.ini:12", "MODULE.NAME=VALUE"},
    {HEAD "[step one]\nguest = true\n", "s.ini:11", "[step N TITLE]"},
    {HEAD "[step 2 b]\nguest = true\n[step 1 a]\nguest = true\n", "s.ini:13", "upwards"},
    {HEAD "[step 1 a]\nload = quick\n", "s.ini:12", "there is no load 'quick'"},
    {HEAD "[step 1 a]\nat = 5ms\n", "s.ini:12", "fault"},
    {HEAD "[step 1 a]\nfault = nvme9 cqe hold\n", "s.ini:12", "did you mean 'nvme0'"},
    {HEAD "[step 1 a]\nfault = nvme0 cqe\n", "s.ini:12", "DEVICE STAGE ACTION"},
    {HEAD "[step 1 a]\nfault = nvme0 cqee hold\n", "s.ini:12", "cqe"},
    {HEAD "[matrix]\nload = 1; 2\n", "s.ini:12", "GROUP.KEY"},
    {HEAD "[matrix]\nload.block = 4KiB; 4KiB\n", "s.ini:12", "twice"},
    {HEAD "[matrix]\nload.block = 4KiB; 5\n", "s.ini:12", "unit"},
    {HEAD "[matrix]\nload.blok = 4KiB; 8KiB\n", "s.ini:12", "did you mean 'block'"},
    {HEAD "[matrix]\nlaod.block = 4KiB; 8KiB\n", "s.ini:12", "did you mean 'load'"},
    {HEAD "[matrix]\nload.block = 4KiB; 8KiB\n[expect load.block=9KiB]\nnvme0.violations = 0\n",
     "s.ini:13", "no value '9KiB'"},
    {HEAD "[matrix]\nload.block = 4KiB\n[expect load.blok=4KiB]\nnvme0.violations = 0\n",
     "s.ini:13", "did you mean 'load.block'"},
    {HEAD "[expect]\nnvme0.iopps.min = 3/s\n", "s.ini:12", "iops"},
    {HEAD "[expect]\nnvme7.iops.min = 3/s\n", "s.ini:12", "nvme"},
    {"[scenario]\ntitle = t\nwhy = w\ndriver = linux-mvme\n", "s.ini:4",
     "did you mean 'linux-nvme'"},
    {"[scenario]\ntitle = t\nwhy = w\nclock = walls\n", "s.ini:4", "did you mean 'wall'"},
    {"[scenario]\ntitle = t\nwhy = w\nlimit = 3\n", "s.ini:4", "unit"},
    {"[scenario]\ntitle = t\nwhy = w\n[machine]\nprofile = xeon\n", "s.ini:5", "xeon"},
    {"[scenario]\ntitle = t\nwhy = w\n[machine]\nprofile = xeon-e31270\ncpus = 900\n", "s.ini:6",
     "out of range"},
    {"[scenario]\ntitle = t\nwhy = w\n[machine]\nprofile = xeon-e31270\n", "s.ini", "does nothing"},
    {"[scenario]\ntitle = t\nwhy = w\n[machine]\nprofile = xeon-e31270\nbusy-cores = 2\n",
     "s.ini:6", "has no turbo"},
    {"[scenario]\ntitle = t\nwhy = w\n[machine]\nprofile = xeon-14c-2600-x2\nbusy-cores = 29\n",
     "s.ini:6", "out of range: 1 to 28"},
    {"[scenario]\ntitle = t\nwhy = w\n[machine]\nprofile = xeon-14c-2600-x2\nbusy-cores = 2\n"
     "mips = 1\n",
     "s.ini:6", "mips is told too"},
    {"title = t\n", "s.ini:1", "group"},
    /* A port and its wire: PORTS has lines 1 to 8. */
    {PORTS "serial = A\n", "s.ini:9", "is a key of a NVMe drive; this is a port of an 82599"},
    {HEAD "[device nvme1]\nprofile = ideal\nmac = 00:1b:21:00:00:01\n", "s.ini:13",
     "is a key of a port"},
    {PORTS "mac = 01:1b:21:00:00:01\n", "s.ini:9", "no MAC address of a station"},
    {PORTS "mac = ff:ff:ff:ff:ff:ff\n", "s.ini:9", "no MAC address of a station"},
    {PORTS "mac = 00:00:00:00:00:00\n", "s.ini:9", "no MAC address of a station"},
    {PORTS "mac = 00:1b:21:00:00\n", "s.ini:9", "no MAC address"},
    {PORTS "mac = 00:1b:21:00:00:01:02\n", "s.ini:9", "write it as 00:1b"},
    {PORTS "mac = 00-1b-21-00-00-01\n", "s.ini:9", "write it as 00:1b"},
    {PORTS "mac = 00:1b:21:00:00:zz\n", "s.ini:9", "write it as 00:1b"},
    {PORTS "mac =\n", "s.ini:9", "is empty"},
    {PORTS "card =\n", "s.ini:9", "is empty"},
    {PORTS "slot =\n", "s.ini:9", "is empty"},
    {PORTS "slot = slut1\n", "s.ini:9", "did you mean 'slot1'"},
    {PORTS "sfp =\n", "s.ini:9", "is empty"},
    {PORTS "sfp = dac\n", "s.ini:9", "did you mean 'da'"},
    {PORTS "profile.rx-fetch-groop = 1\n", "s.ini:9", "did you mean 'rx-fetch-group'"},
    {PORTS "profile.rx-fetch-group = 0\n", "s.ini:9", "out of range"},
    {PORTS "profile.rx-fetch-group = 4B\n", "s.ini:9", "count"},
    {PORTS "profile.rx-decide = 5\n", "s.ini:9", "a unit is missing"},
    {PORTS "profile.rx-decide = 5s\n", "s.ini:9", "out of range"},
    {PORTS "profile.tx-cache =\n", "s.ini:9", "a number is missing"},
    {PORTS "profile.tx-cache = 40\nprofile.tx-cache = 40\n", "s.ini:10", "second time"},
    {PORTS "profile.tx-cache.source = me\n", "s.ini:9", "did you mean 'tx-cache'"},
    {PORTS "profile.tx-cache = 8\nprofile.tx-fetch-least = 20\n", "s.ini:10",
     "profile.tx-fetch-least: \"20\": is more than tx-cache"},
    {PORTS "profile.tx-cache = 8\n", "s.ini:9", "tx-fetch-least"},
    {PORTS "profile.sfp = lr\n", "s.ini:9", "did you mean \"sr\""},
    {PORTS "profile.quirk.udp-zero-checksum = maybe\n", "s.ini:9", "not one of no, yes"},
    {PORTS "profile.pci.id = 8086\n", "s.ini:9", "four hex digits"},
    {PORTS "profile.pci.msix-vectors = 65\n", "s.ini:9", "at most 64"},
    {PORTS "profile.pci.msix-vectors = 2049\n", "s.ini:9", "out of range"},
    {PORTS "profile.pci.bar0 = 64KiB\n", "s.ini:9", "must hold the registers"},
    {PORTS "profile.pci.lanes = 3\n", "s.ini:9", "power of two"},
    {PORTS "profile.pci.pm-offset = 80\n", "s.ini:9", "over another one"},
    {HEAD "[device nvme1]\nprofile = ideal\nprofile.version = 1.2\n", "s.ini:13", "did you mean"},
    {HEAD "[device nvme1]\nprofile = ideal\nprofile.quirk.bandwidth-by-size = 64KiB\n", "s.ini:13",
     "SIZE:VALUE"},
    {HEAD "[device nvme1]\nprofile = ideal\nprofile.pci.msi-vectors = 3\n", "s.ini:13",
     "power of two"},
    {HEAD "[device nvme1]\nprofile = ideal\nserial =\n", "s.ini:13", "is empty"},
    {PORTS "[device tester]\nprofile = 82599es\n", "s.ini:9", "a wire's end has that name"},
    {PORTS "[device eth 1]\nprofile = 82599es\n", "s.ini:9", "[device eth 1]: a device's name"},
    {PORTS "card = eth1\n[device eth1]\nprofile = 82599es\n", "s.ini:9", "stand before"},
    {PORTS "card = eth1\n[device eth1]\nprofile = 82599es\ncard = eth0\n", "s.ini:9", "itself"},
    {PORTS "[device eth1]\nprofile = 82599es\ncard = eth0\n[device eth2]\nprofile = 82599es\n"
           "card = eth1\n",
     "s.ini:14", "eth1 is a second port itself"},
    {PORTS "[device eth1]\nprofile = 82599es\ncard = eth9\n", "s.ini:11", "did you mean 'eth0'"},
    {PORTS "[device eth1]\nprofile = 82599es\ncard = eth1\n", "s.ini:11", "itself"},
    {PORTS "[device eth1]\nprofile = 82599es\ncard = eth0\nslot = slot1\n", "s.ini:11", "slot"},
    {PORTS "[device eth1]\nprofile = 82599es\ncard = eth0\n[device eth2]\nprofile = 82599es\n"
           "card = eth0\n",
     "s.ini:14", "two ports"},
    {PORTS "mac = 00:1b:21:00:00:01\n[device eth1]\nprofile = 82599es\n"
           "mac = 00:1B:21:00:00:01\n",
     "s.ini:12", "has that mac"},
    {PORTS "[wire a]\nends = eth0\n", "s.ini:10", "two ends"},
    {PORTS "[wire a]\nends = eth0 eth1\n", "s.ini:10", "did you mean 'eth0'"},
    {PORTS "[wire a]\nends = eth0 eth0\n", "s.ini:10", "both ends are eth0"},
    {PORTS "[wire a]\nends =\n", "s.ini:9", "ends: is missing or empty"},
    {PORTS "[wire a]\nrate = 5/s\n", "s.ini:9", "ends: is missing"},
    {PORTS "[wire a]\nends = eth0 testr\n", "s.ini:10", "did you mean 'tester'"},
    {PORTS "[device eth1]\nprofile = 82599es\n[wire a]\nends = eth0 eth1 tester\n", "s.ini:12",
     "two ends"},
    {TESTED "[wire b]\nends = eth0 tester\n", "s.ini:12", "eth0 is plugged into wire a already"},
    {TESTED "[wire a]\nends = eth0 tester\n", "s.ini:11", "second time"},
    {PORTS "[wire a b]\nends = eth0 tester\n", "s.ini:9", "[wire a b]: a wire's name"},
    {PORTS "[wires a]\nends = eth0 tester\n", "s.ini:9", "did you mean 'wire'"},
    {TESTED "rate = 0/s\n" STEP, "s.ini:11", "out of range: 1/s to"},
    {TESTED "rate = -1/s\n" STEP, "s.ini:11", "negative"},
    {TESTED "rate = fast\n" STEP, "s.ini:11", "not a number"},
    {TESTED "rate =\n" STEP, "s.ini:11", "missing"},
    {TESTED "rate = 14880954/s\n" STEP, "s.ini:11", "at most 14880953/s"},
    {TESTED "rate = 14880953/s\nvlan = 7\n" STEP, "s.ini:11", "at most 14204546/s"},
    {TESTED "rate = 812745/s\nsize = 1518B\n" STEP, "s.ini:11", "at most 812744/s"},
    {TESTED "size = 0B\n" STEP, "s.ini:11", "out of range: 64B to"},
    {TESTED "size = 16001B\n" STEP, "s.ini:11", "out of range: 64B to 16000B"},
    {TESTED "size = 64\n" STEP, "s.ini:11", "a unit is missing"},
    {TESTED "frames = 0\n" STEP, "s.ini:11", "out of range"},
    {TESTED "frames = 5B\n" STEP, "s.ini:11", "without a unit"},
    {TESTED "frames = 99999999999999999999\n" STEP, "s.ini:11", "too large"},
    {TESTED "flows = 65001\n" STEP, "s.ini:11", "out of range: 1 to 65000"},
    {TESTED "vlan = -1\n" STEP, "s.ini:11", "negative"},
    {TESTED "vlan = nnone\n" STEP, "s.ini:11", "did you mean 'none'"},
    {TESTED "vlan =\n" STEP, "s.ini:11", "missing"},
    {TESTED "destination = 00\n" STEP, "s.ini:11", "no MAC address"},
    {TESTED "start = windw\n" STEP, "s.ini:11", "did you mean 'window'"},
    {TESTED "start = 5\n" STEP, "s.ini:11", "a unit is missing"},
    {TESTED "start = 0s\n" STEP, "s.ini:11", "out of range"},
    {TESTED "start = 120s\n" STEP, "s.ini:11", "the run ends before, at 120s"},
    {TESTED "[step 1 a]\nguest = true\n", "s.ini:9", "no step has window"},
    {TESTED "start = window\n[step 1 a]\nguest = true\n", "s.ini:11", "no step has window"},
    {TESTED "capture = maybe\n" STEP, "s.ini:11", "there are: yes, no"},
    {PORTS "[step 1 a]\nwindow = 0ms\n", "s.ini:10", "out of range"},
    {PORTS "[step 1 a]\nwindow = 5\n", "s.ini:10", "a unit is missing"},
    {PORTS "[step 1 a]\nwindow = yes\n", "s.ini:10", "not a number"},
    {PORTS "[step 1 a]\nwindow =\n", "s.ini:10", "is empty"},
    {PORTS "[step 1 a]\nwindow = 120s\n", "s.ini:10", "the run ends before, at 120s"},
    {PORTS "[step 1 a]\nguest =\n", "s.ini:10", "is empty"},
    {PORTS "[step 1 a]\nplan = wait-lnk {eth0:mac} 500\n", "s.ini:10", "did you mean 'wait-link'"},
    {PORTS "[step 1 a]\nplan = wait-link 500\n", "s.ini:10", "write wait-link MAC-OR-BDF"},
    {PORTS "[step 1 a]\nplan = -rmmod\n", "s.ini:10", "write rmmod NAME"},
    {TESTED STEP "[matrix]\nwire.rate = 5/s; 6\n", "s.ini:14", "a unit is missing"},
    {TESTED STEP "[matrix]\nwire.rat = 5/s; 6/s\n", "s.ini:14", "did you mean 'rate'"},
    {TESTED STEP "[matrix]\nwire b.rate = 5/s; 6/s\n", "s.ini:14", "did you mean 'wire a'"},
    {TESTED STEP "[matrix]\ndevice.sfp = da; lr\n", "s.ini:14", "did you mean 'sr'"},
    {TESTED STEP "[expect]\na.frames_snk = 1\n", "s.ini:14", "did you mean \"frames_sunk\""},
    {TESTED STEP "[expect]\na.violations = 0\n", "s.ini:14", "there are: frames_generated"},
    {TESTED STEP "[expect]\neth0.latency_p99 = 1us\n", "s.ini:14", "unknown column"},
    {PORTS "[wire a]\nends = tester tester\n", "s.ini:10", "for a port"},
    {PORTS "[wire a]\nends = eth0 tester\nsize = 63B\n", "s.ini:11", "out of range: 64B to"},
    {PORTS "[wire a]\nends = eth0 tester\nrate = 5\n", "s.ini:11", "unit"},
    {PORTS "[wire a]\nends = eth0 tester\nvlan = 4095\n", "s.ini:11", "out of range"},
    {PORTS "[wire a]\nends = eth0 tester\nflows = 0\n", "s.ini:11", "out of range"},
    {PORTS "[wire a]\nends = eth0 tester\nspeed = 1\n", "s.ini:11", "there is no key 'speed'"},
    {PORTS "[wire a]\nends = eth0 tester\nwire-size = 63B\n", "s.ini:11", "out of range: 64B to"},
    {PORTS "[wire a]\nends = eth0 tester\nsize = 64B\nwire-size = 68B\n", "s.ini:12", "keep one"},
    {PORTS "[wire a]\nends = eth0 tester\nwiresize = 68B\n", "s.ini:11",
     "did you mean 'wire-size'"},
    {PORTS "[wire a]\nends = eth0 tester\nsource-port = 9\n", "s.ini:11",
     "did you mean 'source-ports'"},
    {PORTS "[wire a]\nends = eth0 tester\nflows = 4\nsource-ports = 9-12\n", "s.ini:11",
     "keep one"},
    {PORTS "[wire a]\nends = eth0 tester\nsource-ports = 9-\n", "s.ini:11", "no UDP port"},
    {PORTS "[wire a]\nends = eth0 tester\nsource-ports = 65536\n", "s.ini:11", "no UDP port"},
    {PORTS "[wire a]\nends = eth0 tester\ndestination-ports = 12-9\n", "s.ini:11", "downwards"},
    {PORTS "[wire a]\nends = eth0 tester\nsource-addresses = 198.18.0\n", "s.ini:11",
     "no IPv4 address"},
    {PORTS "[wire a]\nends = eth0 tester\nsource-addresses = 198.18.0.256\n", "s.ini:11",
     "no IPv4 address"},
    {PORTS "[wire a]\nends = eth0 tester\nsource-addresses = 198.18.0.0.1/24\n", "s.ini:11",
     "no IPv4 address"},
    {PORTS "[wire a]\nends = eth0 tester\nsource-addresses = 198.18.0.1/24\n", "s.ini:11",
     "behind its prefix"},
    {PORTS "[wire a]\nends = eth0 tester\nsource-addresses = 10.0.0.0/7\n", "s.ini:11",
     "more than"},
    {PORTS "[wire a]\nends = eth0 tester\ndestination-addresses = 0.0.0.0-9.0.0.0\n", "s.ini:11",
     "more than"},
    {PORTS "[wire a]\nends = eth0 tester\norder = randon\n", "s.ini:11", "did you mean 'random'"},
    {PORTS "[device eth1]\nprofile = 82599es\n[wire a]\nends = eth0 eth1\norder = random\n",
     "s.ini:13", "for the tester"},
    {PORTS "[wire eth0]\nends = eth0 tester\n", "s.ini:9", "that name"},
    {PORTS "[device eth1]\nprofile = 82599es\n[wire a]\nends = eth0 eth1\nrate = 5/s\n", "s.ini:13",
     "for the tester"},
    {PORTS "[wire a]\nends = eth0 netdev\nnetdev = hubport,hubid=0\n", "s.ini:10",
     "add clock = wall"},
    {PORTS "[wire a]\nends = eth0 tester\nnetdev = hubport,hubid=0\n", "s.ini:11",
     "no end of this wire"},
    {"[scenario]\nclock = wall\ntitle = t\nwhy = w\ndriver = linux-ixgbe\n"
     "[machine]\nprofile = xeon-2620v4-x2\n[device eth0]\nprofile = 82599es\n"
     "[wire a]\nends = eth0 netdev\n",
     "s.ini:11", "which netdev?"},
    {"[scenario]\nclock = wall\ntitle = t\nwhy = w\ndriver = linux-ixgbe\n"
     "[machine]\nprofile = xeon-2620v4-x2\n[device eth0]\nprofile = 82599es\n"
     "[wire a]\nends = eth0 netdev\nnetdev = hubport,id=x,hubid=0\n",
     "s.ini:12", "the id is ours"},
    /* [traffic NAME] */
    {PORTS "[traffic]\nbytes = 1MiB\n", "s.ini:9", "needs a name"},
    {PORTS "[traffic t]\nto = 10.0.0.2@b\nbytes = 1MiB\n", "s.ini:9", "from: is missing"},
    {PORTS "[traffic t]\nfrom = eth0\nto = 10.0.0.2@b\nbytes = 1MiB\n", "s.ini:10",
     "no IP address"},
    {PORTS "[traffic t]\nfrom = 10.0.0.1@a/b\nto = 10.0.0.2\nbytes = 1MiB\n", "s.ini:10",
     "network namespace"},
    {PORTS "[traffic t]\nfrom = 10.0.0.1@a\nto = fd00::2@b\nbytes = 1MiB\n", "s.ini:11",
     "the other an IPv6"},
    {PORTS TRAFFIC "bytes = 100B\n", "s.ini:12", "out of range"},
    {PORTS TRAFFIC "bytes = 1MiB\nsize = 1472B\n", "s.ini:13", "add protocol = udp"},
    {PORTS TRAFFIC "bytes = 1MiB\nprotocol = sctp\n", "s.ini:13", "'sctp'"},
    {PORTS TRAFFIC "bytes = 1MiB\n[step 1 a]\ntraffic = u\n", "s.ini:14",
     "there is no traffic 'u'"},
    {PORTS TRAFFIC "bytes = 1MiB\n[step 1 a]\nguest = true\n", "s.ini:9", "no step runs it"},
    {PORTS TRAFFIC "bytes = 1MiB\nrounds = 2000\n[step 1 a]\ntraffic = t\n", "s.ini:9",
     "port numbers"},
    {PORTS "[step 1 a]\nwindow = start\n", "s.ini:10", "window stays open"},
    {PORTS "[step 1 a]\nwindow = end\n", "s.ini:10", "no window is open"},
    {PORTS "[step 1 a]\nwindow = start\n[step 2 b]\nwindow = 5ms\n[step 3 c]\nwindow = end\n",
     "s.ini:12", "one measured window"},
    {PORTS "[step 1 a]\nguest = true\n[expect]\ntraffic.sent = 1B\n", "s.ini:12",
     "did you mean \"sent_bytes\""},
    /* What needs a guest is refused without one. */
    {NATIVE "[step 1 a]\nwindow = 5ms\n", "s.ini:13", ""},
    {PORTS "[wire]\nends = eth0 tester\n", "s.ini:9", "needs a name"},
    {PORTS "[load]\nios = 5\n", "s.ini:9", "reads and writes drives"},
    {PORTS "[step 1 a]\nwindow = 20ms\n[step 2 b]\nwindow = 20ms\n", "s.ini:12",
     "one measured window"},
    {PORTS "[step 1 a]\nfault = eth0 cqe hold\n", "s.ini:10", "faults are of drives"},
    {PORTS "[driver]\nmodule = act_mirred\n", "s.ini:10", "did you mean 'modules'"},
    {HEAD "[device eth0]\nprofile = 82599es\n", "s.ini:12", "driver linux-nvme does not drive"},
    {PORTS "[step 1 a]\nwindow = 20ms\n[expect]\neth0.rx_packet = 1\n", "s.ini:12",
     "did you mean \"rx_packets\""},
};

ParameterizedTestParameters(scenario, refused)
{
    static unsigned rows[G_N_ELEMENTS(cases)];
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        rows[i] = i;
    }
    return cr_make_param_array(unsigned, rows, G_N_ELEMENTS(cases));
}
ParameterizedTest(unsigned *row, scenario, refused)
{
    const Case *test = &cases[*row];
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) points = scenario_parse("s.ini", test->text, NULL, &error);

    cr_assert(points == NULL, "case %u was taken: %s", *row, test->says);
    cr_assert(error != NULL);
    cr_expect(true == g_str_has_prefix(error->message, test->where), "case %u: %s, not at %s", *row,
              error->message, test->where);
    cr_expect(strstr(error->message, test->says) != NULL, "case %u: %s, not \"%s\"", *row,
              error->message, test->says);
    cr_expect(strchr(error->message, '\n') == NULL, "case %u: more than one line", *row);
}

static GPtrArray *good(const char *text, const char *const *sets)
{
    g_autoptr(GError) error = NULL;
    GPtrArray *points = scenario_parse("dir/s.ini", text, sets, &error);

    cr_assert(points != NULL, "%s", error ? error->message : "?");
    return points;
}

Test(scenario, values)
{
    g_autoptr(GPtrArray) points = good(HEAD "block = 8KiB\nreaders = 3\n", NULL);
    const Scenario *scenario = g_ptr_array_index(points, 0);
    const ScenarioLoad *load = g_ptr_array_index(scenario->loads, 0);
    const ScenarioDevice *device = g_ptr_array_index(scenario->devices, 0);

    cr_expect(eq(u32, points->len, 1));
    cr_expect(eq(str, scenario->name, "s"));
    cr_expect(eq(str, scenario->point, ""));
    cr_expect(eq(u64, scenario->cpus, 8));
    cr_expect(eq(u64, scenario->seed, 1));
    cr_expect(eq(str, scenario->clock, "deterministic"));
    cr_expect(eq(u64, load->block_bytes, 8192));
    cr_expect(eq(u64, load->readers, 3));
    cr_expect(eq(u64, load->ios, 100));
    cr_expect(eq(str, load->devices[0], "nvme0"));
    cr_expect(load->window);
    cr_expect(eq(str, device->slot, "slot0"));
    cr_expect(eq(str, device->serial, "S1XVNYAGA03031"));
    cr_expect(eq(str, device->fill, "random"));
}

Test(scenario, serials_and_slots_differ)
{
    g_autoptr(GPtrArray) points =
        good(HEAD "[device b]\nprofile = samsung-sm951\n[device c]\nprofile = samsung-sm951\n"
                  "slot = slot1\n",
             NULL);
    const Scenario *scenario = g_ptr_array_index(points, 0);
    const ScenarioDevice *b = g_ptr_array_index(scenario->devices, 1);
    const ScenarioDevice *c = g_ptr_array_index(scenario->devices, 2);

    cr_expect(eq(str, b->serial, "S1XVNYAGA03031-1"));
    cr_expect(eq(str, c->serial, "S1XVNYAGA03031-2"));
    cr_expect(eq(str, c->slot, "slot1"));
    cr_expect(eq(str, b->slot, "slot2"), "slot1 is taken by name");
}

Test(scenario, matrix_in_file_order)
{
    static const char *const want[] = {
        "device nvme0.profile=samsung-sm951 load.block=4KiB",
        "device nvme0.profile=samsung-sm951 load.block=8KiB",
        "device nvme0.profile=intel-750 load.block=4KiB",
        "device nvme0.profile=intel-750 load.block=8KiB",
    };
    g_autoptr(GPtrArray) points =
        good(HEAD "[matrix]\ndevice nvme0.profile = samsung-sm951; intel-750\n"
                  "load.block = 4KiB; 8KiB\n",
             NULL);

    cr_assert(eq(u32, points->len, 4));
    for (guint i = 0; i < 4; i++) {
        const Scenario *scenario = g_ptr_array_index(points, i);
        const ScenarioLoad *load = g_ptr_array_index(scenario->loads, 0);
        const ScenarioDevice *device = g_ptr_array_index(scenario->devices, 0);
        cr_expect(eq(str, scenario->point, (char *)want[i]));
        cr_expect(eq(u64, load->block_bytes, i % 2 ? 8192 : 4096));
        cr_expect(eq(str, (char *)device->type->name(device->profile),
                     i < 2 ? "samsung-sm951" : "intel-750"));
    }
}

Test(scenario, points_are_rows)
{
    g_autoptr(GPtrArray) points =
        good(HEAD "[point small]\nload.block = 512B\nload.readers = 2\n[point large]\n"
                  "load.block = 128KiB\n[expect]\nnvme0.violations = 0\n[expect point=large]\n"
                  "nvme0.commands = 100\n",
             NULL);
    const Scenario *small = g_ptr_array_index(points, 0);
    const Scenario *large = g_ptr_array_index(points, 1);

    cr_assert(eq(u32, points->len, 2));
    cr_expect(eq(str, small->point, "point=small"));
    cr_expect(eq(u64, ((ScenarioLoad *)small->loads->pdata[0])->readers, 2));
    cr_expect(eq(u64, ((ScenarioLoad *)large->loads->pdata[0])->readers, 1));
    cr_expect(eq(u32, sim_keyfile_entries(small->file, "expect")->len, 1));
    cr_expect(eq(u32, sim_keyfile_entries(large->file, "expect")->len, 2));
    cr_expect(eq(u32, sim_keyfile_entry(large->file, "expect", "nvme0.commands")->line, 19));
}

Test(scenario, sets)
{
    static const char *const sets[] = {"load.block=64KiB", "seed=9", "machine.cpus=4",
                                       "device.profile.io-queues=2", NULL};
    g_autoptr(GPtrArray) points = good(HEAD "[matrix]\nload.block = 4KiB; 64KiB; 128KiB\n", sets);
    const Scenario *scenario = g_ptr_array_index(points, 0);
    const ScenarioDevice *device = g_ptr_array_index(scenario->devices, 0);

    cr_assert(eq(u32, points->len, 1), "--set of an axis narrows the matrix");
    cr_expect(eq(str, scenario->point, "load.block=64KiB"));
    cr_expect(eq(u64, scenario->seed, 9));
    cr_expect(eq(u64, scenario->cpus, 4));
    cr_expect(eq(str, (char *)g_ptr_array_index(device->changes, 0), "io-queues=2"));
}

Test(scenario, narrowed_axes_keep_their_expectations)
{
    static const char text[] =
        HEAD "[matrix]\nload.block = 4KiB; 64KiB\n[point a]\nload.readers = 2\n[point b]\n"
             "load.readers = 3\n[expect load.block=4KiB]\nnvme0.commands = 1\n"
             "[expect point=b]\nnvme0.violations = 0\n";
    static const char *const sets[] = {"load.block=64KiB", "point=b", NULL};
    g_autoptr(GPtrArray) points = good(text, sets);
    const Scenario *scenario = g_ptr_array_index(points, 0);

    cr_assert(eq(u32, points->len, 1));
    cr_expect(eq(str, scenario->point, "point=b load.block=64KiB"));
    cr_expect(eq(u64, ((ScenarioLoad *)scenario->loads->pdata[0])->readers, 3));
    cr_expect(eq(u32, sim_keyfile_entries(scenario->file, "expect")->len, 1));
}

Test(scenario, sets_that_are_refused)
{
    static const char *const sets[][2] = {{"load", NULL},
                                          {"laod.block=4KiB", NULL},
                                          {"load.blok=4KiB", NULL},
                                          {"seed=x", NULL},
                                          {"point=one", NULL}};

    for (size_t i = 0; i < G_N_ELEMENTS(sets); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GPtrArray) points = scenario_parse("s.ini", HEAD, sets[i], &error);
        cr_expect(points == NULL && error != NULL, "%s was taken", sets[i][0]);
    }
}

Test(scenario, card_with_two_ports)
{
    g_autoptr(GPtrArray) points =
        good(PORTS "[device eth1]\nprofile = 82599es\ncard = eth0\n"
                   "[device eth2]\nprofile = 82599es\nsfp = sr\nprofile.rx-fetch-group = 1\n"
                   "[wire a]\nends = eth0, tester\nrate = 1000000/s\nflows = 64\nvlan = 1000\n"
                   "[wire b]\nends = eth1 eth2\ncapture = yes\n"
                   "[step 1 a]\nwindow = 20ms\n"
                   "[expect]\neth0.rx_pps.min = 900000/s\na.frames_sunk = 0\n"
                   "eth1.frames_delivered = 1\ndescriptors-per-writeback.eth0.min = 2\n",
             NULL);
    const Scenario *scenario = g_ptr_array_index(points, 0);
    const ScenarioDevice *first = scenario_device(scenario, "eth0");
    const ScenarioDevice *second = scenario_device(scenario, "eth1");
    const ScenarioDevice *other = scenario_device(scenario, "eth2");
    const ScenarioWire *wire = scenario_wire(scenario, "a");

    cr_expect(eq(str, first->serial, "00:1b:21:00:00:01"));
    cr_expect(eq(str, second->serial, "00:1b:21:00:00:02"));
    cr_expect(eq(str, second->slot, first->slot));
    cr_expect(eq(u32, second->root_port, first->root_port));
    cr_expect(ne(str, other->slot, first->slot));
    cr_expect(eq(u32, other->root_port, 1));
    cr_expect(eq(str, other->sfp, "sr"));
    cr_expect(zero(ptr, first->sfp));
    cr_expect(eq(str, second->wire, "b"));
    cr_expect(eq(u64, wire->rate, 1000000));
    cr_expect(eq(u64, wire->frame_bytes, 68), "64 and a tag");
    cr_expect(eq(u32, wire->source_ports.first, 9));
    cr_expect(eq(u32, wire->source_ports.n, 64));
    cr_expect(eq(int, wire->random, FALSE));
    cr_expect(eq(int, wire->vlan, 1000));
    cr_expect(eq(str, wire->destination, first->serial));
    cr_expect(eq(int, scenario_wire(scenario, "b")->tester, FALSE));
}

Test(scenario, ranges_of_the_tester)
{
    static const struct {
        const char *keys;
        guint64 bytes;
        ScenarioRange source_ports, destination_ports, source_addresses, destination_addresses;
    } rows[] = {
        {"", 64, {9, 1}, {9, 1}, {0xc6120001, 1}, {0xc6130001, 1}},
        {"wire-size = 64B\nvlan = 0\n", 64, {9, 1}, {9, 1}, {0xc6120001, 1}, {0xc6130001, 1}},
        {"size = 64B\nvlan = 7\n", 68, {9, 1}, {9, 1}, {0xc6120001, 1}, {0xc6130001, 1}},
        {"size = 16000B\nvlan = 7\n", 16004, {9, 1}, {9, 1}, {0xc6120001, 1}, {0xc6130001, 1}},
        {"source-ports = 1024 - 65535\ndestination-ports = 0\n",
         64,
         {1024, 64512},
         {0, 1},
         {0xc6120001, 1},
         {0xc6130001, 1}},
        {"source-addresses = 10.0.0.0/8\ndestination-addresses = 10.1.2.3-10.1.3.2\n",
         64,
         {9, 1},
         {9, 1},
         {0x0a000000, 1 << 24},
         {0x0a010203, 256}},
        {"source-addresses = 255.255.255.255/32\n",
         64,
         {9, 1},
         {9, 1},
         {0xffffffff, 1},
         {0xc6130001, 1}},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strconcat(
            PORTS "[step 1 a]\nwindow = 1ms\n[wire a]\nends = eth0 tester\n", rows[i].keys, NULL);
        g_autoptr(GPtrArray) points = good(text, NULL);
        const ScenarioWire *wire = scenario_wire(g_ptr_array_index(points, 0), "a");
        cr_expect(eq(u64, wire->frame_bytes, rows[i].bytes), "%s", rows[i].keys);
        const ScenarioRange *pairs[][2] = {
            {&wire->source_ports, &rows[i].source_ports},
            {&wire->destination_ports, &rows[i].destination_ports},
            {&wire->source_addresses, &rows[i].source_addresses},
            {&wire->destination_addresses, &rows[i].destination_addresses}};
        for (unsigned j = 0; j < G_N_ELEMENTS(pairs); j++) {
            cr_expect(eq(u32, pairs[j][0]->first, pairs[j][1]->first), "%s: %u", rows[i].keys, j);
            cr_expect(eq(u32, pairs[j][0]->n, pairs[j][1]->n), "%s: %u", rows[i].keys, j);
        }
    }
}
