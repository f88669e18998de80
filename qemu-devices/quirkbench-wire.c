/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cable in the simulation: `-device quirkbench-wire,id=wire0,sim=sim0`.  Ports that say
 * `wire=wire0` take its ends; with `tester=on` one end has the frame generator and sink, with
 * `netdev=ID` a network backend of QEMU. */
#include "qemu/osdep.h"
#include "hw/qdev-properties.h"
#include "net/net.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "sim-object.h"
#include "quirkbench-wire.h"
#include "wire-netdev.h"
#include "sim/sim-keyfile.h"
#include "wire/wire-tester.h"

struct QuirkbenchWire {
    DeviceState parent_obj;

    QuirkbenchSim *sim;
    char *capture, *start;
    MACAddr destination;
    NICConf conf;
    bool has_tester;
    uint64_t rate, frames, frame_bytes;
    struct {
        uint32_t first, n;
    } source_port, destination_port, source_ip, destination_ip;
    bool random;
    int32_t vlan;

    SimPort port;
    QuirkbenchSimClient client;
    Wire *wire;
    WireTester *tester;
    WireNetdev *netdev;
    bool taken[2];
};

/* Instead of a time: with the measured window. */
static const char start_window[] = "window";

WireEnd *quirkbench_wire_take(QuirkbenchWire *s, Error **errp)
{
    for (unsigned i = 0; i < 2; i++) {
        if (!s->taken[i]) {
            s->taken[i] = true;
            return wire_end(s->wire, i);
        }
    }
    error_setg(errp, "both ends of the wire are in use");
    return NULL;
}

void quirkbench_wire_release(QuirkbenchWire *s, WireEnd *end)
{
    s->taken[end == wire_end(s->wire, 1)] = false;
}

/* UDP, to every station unless one is named. */
static bool wire_make_tester(QuirkbenchWire *s, Error **errp)
{
    WireTesterParams params = {
        .frames_per_s = s->rate,
        .frames = s->frames,
        .frame_bytes = s->frame_bytes,
        .source = {0x02, 0, 0, 0, 0, 1},
        .seed = s->random ? MAX(s->port.seed, 1) : 0,
        .source_ip = s->source_ip.first,
        .source_ips = s->source_ip.n,
        .destination_ip = s->destination_ip.first,
        .destination_ips = s->destination_ip.n,
        .source_port = (uint16_t)s->source_port.first,
        .source_ports = MIN(s->source_port.n, 65536),
        .destination_port = (uint16_t)s->destination_port.first,
        .destination_ports = MIN(s->destination_port.n, 65536),
        .tagged = s->vlan >= 0,
        .vlan = (uint16_t)s->vlan,
    };
    g_autofree char *message = NULL;
    SimTime when = 0;

    memcpy(params.destination, s->destination.a, sizeof(params.destination));
    if (!memcmp(params.destination, (MACAddr){0}.a, sizeof(params.destination))) {
        memset(params.destination, 0xff, sizeof(params.destination));
    }
    if (s->start && strcmp(s->start, start_window) &&
        !sim_value_parse(s->start, SIM_UNIT_TIME, &when, &message)) {
        error_setg(errp, "start=%s: %s", s->start, message);
        return false;
    }
    s->tester = wire_tester_new(s->port.queue, quirkbench_wire_take(s, errp), &params);
    if (s->start && strcmp(s->start, start_window)) {
        wire_tester_start(s->tester, when);
    }
    return true;
}

/* --- Life --- */

static const SimCounter wire_counters[] = {
    {"frames_generated", "", "frames that the tester has sent"},
    {"frames_sunk", "", "frames that the tester has received"},
    {"bytes_sunk", "bytes", "of them, with CRC"},
    {"frames_carried", "", "frames that the wire has carried, both ways"},
    {"frames_lost", "", "frames sent while an end was dark"},
    {"frames_to_netdev", "", "frames given to QEMU's netdev"},
    {"frames_from_netdev", "", "frames taken from it"},
};

static void wire_record(void *opaque, const char *at)
{
    QuirkbenchWire *s = opaque;
    WireTesterCount tester = s->tester ? wire_tester_count(s->tester) : (WireTesterCount){0};
    WireCount a = wire_end_sent(wire_end(s->wire, 0)), b = wire_end_sent(wire_end(s->wire, 1));
    WireNetdevCount outside = s->netdev ? wire_netdev_count(s->netdev) : (WireNetdevCount){0};
    const uint64_t values[] = {tester.frames_sent,  tester.frames_received, tester.bytes_received,
                               a.frames + b.frames, a.lost + b.lost,        outside.to,
                               outside.from};

    sim_counters_record(s->port.telemetry, at, s->port.device, "wire", 0, wire_counters, values,
                        ARRAY_SIZE(values));
    if (s->tester && !g_strcmp0(s->start, start_window)) {
        if (!strcmp(at, "window-start")) {
            wire_tester_start(s->tester, sim_queue_now(s->port.queue));
        } else {
            wire_tester_stop(s->tester);
        }
    }
}

static void wire_nothing(void *opaque) {}

static void wire_realize(DeviceState *dev, Error **errp)
{
    QuirkbenchWire *s = QUIRKBENCH_WIRE(dev);
    g_autoptr(GError) error = NULL;

    if (!s->sim || !dev->id) {
        error_setg(errp, "%s= is missing", !s->sim ? "sim" : "id");
        return;
    }
    if (s->conf.peers.ncs[0] && !quirkbench_sim_is_wall(s->sim)) {
        error_setg(errp, "netdev= needs clock=wall: what comes from outside cannot be repeated");
        return;
    }
    if (s->conf.peers.ncs[0] && s->has_tester) {
        error_setg(errp, "netdev= and tester=on are for the same end: drop one");
        return;
    }
    quirkbench_sim_port(s->sim, &s->port);
    s->port.device = dev->id;
    s->wire = wire_new(s->port.queue, &(WireParams){.delay_ps = 10 * SIM_NS});
    if (s->capture && !wire_capture(s->wire, s->capture, &error)) {
        error_setg(errp, "%s", error->message);
    } else if (!s->has_tester || wire_make_tester(s, errp)) {
        if (s->conf.peers.ncs[0]) {
            s->netdev = wire_netdev_new(s->sim, s->port.queue, dev, &s->conf,
                                        quirkbench_wire_take(s, errp));
        }
        s->client = (QuirkbenchSimClient){s, wire_record, wire_nothing, wire_nothing};
        quirkbench_sim_attach(s->sim, &s->client);
        return;
    }
    g_clear_pointer(&s->tester, wire_tester_free);
    g_clear_pointer(&s->wire, wire_free);
}

#define WIRE_RANGE(name, field, fallback)                                                          \
    DEFINE_PROP_UINT32(name, QuirkbenchWire, field.first, fallback),                               \
        DEFINE_PROP_UINT32(name "s", QuirkbenchWire, field.n, 1)

static const Property wire_properties[] = {
    DEFINE_PROP_LINK("sim", QuirkbenchWire, sim, TYPE_QUIRKBENCH_SIM, QuirkbenchSim *),
    DEFINE_PROP_STRING("capture", QuirkbenchWire, capture),
    DEFINE_PROP_NETDEV("netdev", QuirkbenchWire, conf.peers),
    DEFINE_PROP_BOOL("tester", QuirkbenchWire, has_tester, false),
    DEFINE_PROP_STRING("start", QuirkbenchWire, start),
    DEFINE_PROP_UINT64("rate", QuirkbenchWire, rate, 0),
    DEFINE_PROP_UINT64("frames", QuirkbenchWire, frames, 0),
    DEFINE_PROP_UINT64("frame-bytes", QuirkbenchWire, frame_bytes, 64),
    /* 198.18.0.1 to 198.19.0.1, port 9: the benchmark network [RFC 2544 §C.2.2] */
    WIRE_RANGE("source-port", source_port, 9),
    WIRE_RANGE("destination-port", destination_port, 9),
    WIRE_RANGE("source-ip", source_ip, 0xc6120001),
    WIRE_RANGE("destination-ip", destination_ip, 0xc6130001),
    DEFINE_PROP_BOOL("random", QuirkbenchWire, random, false),
    DEFINE_PROP_MACADDR("destination", QuirkbenchWire, destination),
    DEFINE_PROP_INT32("vlan", QuirkbenchWire, vlan, -1),
};

static void wire_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->realize = wire_realize;
    dc->desc = "Quirkbench: an Ethernet cable";
    dc->user_creatable = true;
    dc->hotpluggable = false;
    set_bit(DEVICE_CATEGORY_NETWORK, dc->categories);
    device_class_set_props(dc, wire_properties);
}

static const TypeInfo wire_type = {
    .name = TYPE_QUIRKBENCH_WIRE,
    .parent = TYPE_DEVICE,
    .instance_size = sizeof(QuirkbenchWire),
    .class_init = wire_class_init,
};

static void wire_register(void)
{
    type_register_static(&wire_type);
}
type_init(wire_register)
