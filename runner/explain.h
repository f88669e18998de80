/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `quirkbench run --explain`: what will happen, without doing it. */
#pragma once
#include "run.h"

/* @inputs, @prepared: (nullable): NULL when they are not there; @why then says so. */
void explain_print(const Scenario *scenario, const Inputs *inputs, const Prepared *prepared,
                   const char *why);
/* Wall-clock seconds that a run of @scenario takes here, roughly, without a boot. */
double explain_estimate(const Scenario *scenario);
