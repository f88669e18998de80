/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A network backend of QEMU (-netdev) at one end of a cable.  Wall clock only. */
#pragma once
#include "net/net.h"
#include "sim-object.h"
#include "wire/wire.h"

typedef struct WireNetdev WireNetdev;

/* Takes @end of a wire whose device is @dev for as long as QEMU runs. */
WireNetdev *wire_netdev_new(QuirkbenchSim *sim, SimQueue *queue, DeviceState *dev, NICConf *conf,
                            WireEnd *end);

typedef struct WireNetdevCount {
    uint64_t to, from; /* frames */
} WireNetdevCount;
WireNetdevCount wire_netdev_count(const WireNetdev *self);
