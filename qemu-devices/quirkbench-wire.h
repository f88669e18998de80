/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quirkbench-wire: a cable between two ports, or between a port and a tester. */
#pragma once
#include "qom/object.h"
#include "wire/wire.h"

#define TYPE_QUIRKBENCH_WIRE "quirkbench-wire"
OBJECT_DECLARE_SIMPLE_TYPE(QuirkbenchWire, QUIRKBENCH_WIRE)

/* An end that nobody has, or NULL and @errp. */
WireEnd *quirkbench_wire_take(QuirkbenchWire *s, Error **errp);
void quirkbench_wire_release(QuirkbenchWire *s, WireEnd *end);
