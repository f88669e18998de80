/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that make up the scenario reader. */
#pragma once
#include "scenario.h"

/* --- scenario-value.c: one value, read and checked; @error names file and line. --- */
/* The value or NULL when the key is not there. */
const char *scenario_text(SimKeyfile *file, const char *group, const char *key);
/* FALSE: @error.  Not there: *value keeps what it holds. */
gboolean scenario_number(SimKeyfile *file, const char *group, const char *key, SimUnit unit,
                         guint64 least, guint64 most, guint64 *value, GError **error);
/* One of @words (NULL-ended); not there: *value = @fallback. */
gboolean scenario_word(SimKeyfile *file, const char *group, const char *key,
                       const char *const *words, const char *fallback, char **value,
                       GError **error);
/* FALSE and @error unless the key is there and not empty. */
gboolean scenario_required(SimKeyfile *file, const char *group, const char *key, char **value,
                           GError **error);
/* Splits at @separators, strips, drops what is empty.  (transfer full) */
char **scenario_list(const char *text, const char *separators);
/* "what 'WORD'; did you mean 'NEAREST'?" or "…; there are: A, B" at an entry. */
void scenario_unknown(SimKeyfile *file, const SimKeyfileEntry *entry, GError **error,
                      const char *what, const char *word, const char *const *words);
/* Known keys of a kind of group ("load"), NULL-ended.  (transfer container) */
const char **scenario_known_keys(const char *group);

/* --- scenario-matrix.c --- */
/* Applies --set. */
gboolean scenario_apply_sets(SimKeyfile *file, const char *const *sets, GError **error);
/* Copies of @file, one a point, with matrix values set and [expect WHEN] merged; @labels gets
 * the points' names.  NULL: @error.  (transfer full) */
GPtrArray *scenario_expand(SimKeyfile *file, GPtrArray **labels, GError **error);

/* --- scenario-device.c, scenario-load.c --- */
gboolean scenario_read_device(Scenario *self, const char *group, GError **error);
/* Adds a fault for sim-fault.h, after the model itself has read it; errors are at @entry. */
gboolean scenario_add_fault(Scenario *self, ScenarioDevice *device, const char *text,
                            const SimKeyfileEntry *entry, GError **error);
/* The device's profile with the scenario's changes.  NULL: @error.  (transfer full) */
SimKeyfile *scenario_changed_profile(const ScenarioDevice *device, GError **error);
gboolean scenario_finish_devices(Scenario *self, GError **error); /* slots, serials */
/* --- scenario-wire.c --- */
gboolean scenario_read_wire(Scenario *self, const char *group, GError **error);
gboolean scenario_finish_wires(Scenario *self, GError **error); /* ends, addresses */
void scenario_wire_free(ScenarioWire *self);
/* "00:1b:21:00:00:01" in lower case, or @error at the key. */
gboolean scenario_mac(SimKeyfile *file, const char *group, const char *key, char **mac,
                      GError **error);
/* --- scenario-range.c: FALSE: @error; not there: *range keeps what it holds. --- */
gboolean scenario_ports(SimKeyfile *file, const char *group, const char *key, ScenarioRange *range,
                        GError **error);
gboolean scenario_addresses(SimKeyfile *file, const char *group, const char *key,
                            ScenarioRange *range, GError **error);
gboolean scenario_read_load(Scenario *self, const char *group, GError **error);
gboolean scenario_finish_loads(Scenario *self, GError **error); /* devices, window, sizes */
gboolean scenario_read_step(Scenario *self, const char *group, GError **error);
gboolean scenario_finish_steps(Scenario *self, GError **error); /* names used in steps */
/* --- scenario-traffic.c --- */
gboolean scenario_read_traffic(Scenario *self, const char *group, GError **error);
gboolean scenario_finish_traffics(Scenario *self, GError **error); /* names used in steps */
guint64 scenario_traffic_ports(const ScenarioTraffic *self);       /* that it uses up */
/* The plan's line; *@ports counts those that the run has used up. */
void scenario_plan_traffic(const Scenario *self, const ScenarioTraffic *traffic, guint64 *ports,
                           GString *plan);
void scenario_traffic_free(ScenarioTraffic *self);
void scenario_device_free(ScenarioDevice *self);
void scenario_load_free(ScenarioLoad *self);
void scenario_step_free(ScenarioStep *self);
