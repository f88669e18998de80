/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of the model, from nvme-counters.def: by device, sq, cq and vector. */
#pragma once
#include "sim/sim-counter.h"

#define NVME_COUNTER_ENUM_DEVICE(name) NVME_DEVICE_##name,
#define NVME_COUNTER_ENUM_SQ(name)
#define NVME_COUNTER_ENUM_CQ(name)
#define NVME_COUNTER_ENUM_VECTOR(name)
#define COUNTER(scope, name, unit, meaning) NVME_COUNTER_ENUM_##scope(name)
typedef enum NvmeDeviceCounter {
#include "nvme-counters.def"
    NVME_DEVICE_COUNTERS
} NvmeDeviceCounter;
#undef NVME_COUNTER_ENUM_DEVICE
#undef NVME_COUNTER_ENUM_SQ
#define NVME_COUNTER_ENUM_DEVICE(name)
#define NVME_COUNTER_ENUM_SQ(name) NVME_SQ_##name,
typedef enum NvmeSqCounter {
#include "nvme-counters.def"
    NVME_SQ_COUNTERS
} NvmeSqCounter;
#undef NVME_COUNTER_ENUM_SQ
#undef NVME_COUNTER_ENUM_CQ
#define NVME_COUNTER_ENUM_SQ(name)
#define NVME_COUNTER_ENUM_CQ(name) NVME_CQ_##name,
typedef enum NvmeCqCounter {
#include "nvme-counters.def"
    NVME_CQ_COUNTERS
} NvmeCqCounter;
#undef NVME_COUNTER_ENUM_CQ
#undef NVME_COUNTER_ENUM_VECTOR
#define NVME_COUNTER_ENUM_CQ(name)
#define NVME_COUNTER_ENUM_VECTOR(name) NVME_VECTOR_##name,
typedef enum NvmeVectorCounter {
#include "nvme-counters.def"
    NVME_VECTOR_COUNTERS
} NvmeVectorCounter;
#undef NVME_COUNTER_ENUM_DEVICE
#undef NVME_COUNTER_ENUM_SQ
#undef NVME_COUNTER_ENUM_CQ
#undef NVME_COUNTER_ENUM_VECTOR
#undef COUNTER

extern const SimCounter nvme_model_device_counters[NVME_DEVICE_COUNTERS];
extern const SimCounter nvme_model_sq_counters[NVME_SQ_COUNTERS];
extern const SimCounter nvme_model_cq_counters[NVME_CQ_COUNTERS];
extern const SimCounter nvme_model_vector_counters[NVME_VECTOR_COUNTERS];
