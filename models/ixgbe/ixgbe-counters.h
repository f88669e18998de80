/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of the 82599 by scope, from ixgbe-counters.def. */
#pragma once
#include "sim/sim-counter.h"

#define COUNTER(scope, name, unit, meaning) IXGBE_COUNTER_##scope(name)
#define IXGBE_COUNTER_DEVICE(name) IXGBE_DEVICE_##name,
#define IXGBE_COUNTER_RING(name)
#define IXGBE_COUNTER_VECTOR(name)
typedef enum IxgbeDeviceCounter {
#include "ixgbe-counters.def"
    IXGBE_DEVICE_COUNTERS
} IxgbeDeviceCounter;
#undef IXGBE_COUNTER_DEVICE
#undef IXGBE_COUNTER_RING
#define IXGBE_COUNTER_DEVICE(name)
#define IXGBE_COUNTER_RING(name) IXGBE_RING_##name,
typedef enum IxgbeRingCounter {
#include "ixgbe-counters.def"
    IXGBE_RING_COUNTERS
} IxgbeRingCounter;
#undef IXGBE_COUNTER_RING
#undef IXGBE_COUNTER_VECTOR
#define IXGBE_COUNTER_RING(name)
#define IXGBE_COUNTER_VECTOR(name) IXGBE_VECTOR_##name,
typedef enum IxgbeVectorCounter {
#include "ixgbe-counters.def"
    IXGBE_VECTOR_COUNTERS
} IxgbeVectorCounter;
#undef IXGBE_COUNTER_DEVICE
#undef IXGBE_COUNTER_RING
#undef IXGBE_COUNTER_VECTOR
#undef COUNTER

extern const SimCounter ixgbe_model_device_counters[IXGBE_DEVICE_COUNTERS];
extern const SimCounter ixgbe_model_ring_counters[IXGBE_RING_COUNTERS];
extern const SimCounter ixgbe_model_vector_counters[IXGBE_VECTOR_COUNTERS];
