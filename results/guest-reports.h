/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables derived from the guest's reports (docs/channel.md): interrupt, irq_vector, hctx, cpu_stat,
 * load_result.  A guest may report anything: what cannot be understood is left out, never an error.
 */
#pragma once
#include "internal.h"

typedef struct GuestReports GuestReports;
GuestReports *guest_reports_new(void);
void guest_reports_free(GuestReports *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GuestReports, guest_reports_free)
/* Keeps the report if it is of a kind that tables are derived from. */
void guest_reports_add(GuestReports *self, int64_t t_ps, const char *name, const char *body);
/* Inside the caller's transaction, after the last report. */
bool guest_reports_store(const GuestReports *self, ResultsStore *store, int64_t run_id,
                         GError **error);

/* Numbers of a cpu list, "0-3,8" or "0, 1, 2"; (transfer full): GArray of guint. */
GArray *guest_reports_cpu_list(const char *text);
