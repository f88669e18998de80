/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Model time: integer picoseconds since the run's first `cont`.  The only time that a model knows. */
#pragma once
#include <stdint.h>

/* Range: 2^63 ps is 106 days; SIM_TIME_NEVER is later than all of them. */
typedef uint64_t SimTime;
#define SIM_TIME_NEVER UINT64_MAX
#define SIM_PS UINT64_C(1)
#define SIM_NS (UINT64_C(1000) * SIM_PS)
#define SIM_US (UINT64_C(1000) * SIM_NS)
#define SIM_MS (UINT64_C(1000) * SIM_US)
#define SIM_S (UINT64_C(1000) * SIM_MS)
