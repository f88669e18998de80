/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/host-costs.h"
#include <glib.h>
#include "sim/sim-time.h"

/* clang-format off */
#define TIME(key, field, fallback, meaning) \
    {key, "costs", SIM_PARAM_U64, SIM_UNIT_TIME, offsetof(HostCosts, field), 0, 10 * SIM_MS, fallback, NULL, meaning}
const SimParam host_costs_params[] = {
    TIME("submit", submit_ps, "4us",
         "native mode: system call and driver, from the thread's start to the tail doorbell"),
    TIME("page", page_ps, "500ns",
         "native mode: each 4 KiB page of a buffer, pinned, mapped and given back"),
    TIME("interrupt", interrupt_ps, "1us",
         "native mode: entry and exit of an interrupt handler"),
    TIME("complete", complete_ps, "1us",
         "native mode: one CQE in the handler, the wake of its thread included"),
    TIME("ipi", ipi_ps, "1us",
         "native mode: an inter-processor interrupt, on the cpu that receives it"),
    TIME("ipi-send", ipi_send_ps, "200ns",
         "native mode: an inter-processor interrupt, on the cpu that sends it"),
    TIME("context-switch", context_switch_ps, "1us",
         "native mode: from another thread, or from idle, to a thread"),
    TIME("lock-hold", lock_hold_ps, "200ns",
         "native mode: how long a submission queue's lock is held, within submit"),
    TIME("lock-handover", lock_handover_ps, "100ns",
         "native mode: a lock whose last holder was another cpu"),
    TIME("buffer-lock", buffer_lock_ps, "300ns",
         "native mode: how long a global lock of the buffer pool is held, where a driver takes one"),
    {"sibling", "costs", SIM_PARAM_U64, SIM_UNIT_PERCENT, offsetof(HostCosts, sibling_percent), 0, 300, "30 percent", NULL,
     "native mode: by how much work takes longer while another thread of the core is busy"},
};
/* clang-format on */
const size_t host_costs_params_n = G_N_ELEMENTS(host_costs_params);
