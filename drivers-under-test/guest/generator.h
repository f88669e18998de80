/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pseudo-random numbers of few instructions, and what is made of them: offsets and data patterns.
 * Same arguments, same numbers, on every machine. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define SECTOR_BYTES 512u

/* The finaliser of splitmix64: a number that looks random from any number. */
static inline uint64_t generator_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The state of a stream of its own for each (seed, device, thread); never 0. */
static inline uint64_t generator_start(uint64_t seed, uint64_t device, uint64_t thread)
{
    return generator_mix(generator_mix(generator_mix(seed) ^ device) ^ thread) | 1;
}

/* xorshift64: six instructions. */
static inline uint64_t generator_next(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

/* A number in 0 … n - 1 without a division. */
static inline uint64_t generator_below(uint64_t *state, uint64_t n)
{
    return (uint64_t)((unsigned __int128)generator_next(state) * n >> 64);
}

/* The @index-th word of a stream of bytes that can be computed from any place on: three
 * instructions, and no two of 2^64 words in a row are equal. */
static inline uint64_t generator_word(uint64_t key, uint64_t index)
{
    uint64_t x = key + index * 0x9e3779b97f4a7c15u;

    return x ^ x >> 31;
}

/* The 512 bytes that `verify` keeps in sector @lba: the address itself, then words of (seed, lba),
 * so that a sector at the wrong place tells where it belongs. */
static inline void generator_sector(uint64_t seed, uint64_t lba, uint64_t words[SECTOR_BYTES / 8])
{
    uint64_t state = generator_start(seed, lba, 0);

    words[0] = lba;
    for (size_t i = 1; i < SECTOR_BYTES / 8; i++) {
        words[i] = generator_next(&state);
    }
}
