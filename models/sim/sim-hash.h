/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Repeatable pseudo-random numbers: a fixed function of its inputs (splitmix64 finaliser). */
#pragma once
#include <stdint.h>

static inline uint64_t sim_hash64(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}
static inline uint64_t sim_hash64_pair(uint64_t a, uint64_t b) { return sim_hash64(sim_hash64(a) ^ b); }
