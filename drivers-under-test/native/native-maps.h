/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue maps of the simulated drivers, as functions of numbers alone.
 * @sqs, @cqs: what the drive granted; @vectors: MSI-X messages that it has. */
#pragma once
#include "native.h"

void dragonfly_2016_06_map(NativeMap *map, unsigned cpus, unsigned sqs, unsigned cqs,
                           unsigned vectors);
void dragonfly_2016_07_map(NativeMap *map, unsigned cpus, unsigned sqs, unsigned cqs,
                           unsigned vectors, unsigned *last);
/* @granted: queue pairs.  @allocated: managed vectors on each cpu, of all controllers so far. */
void linux_6_1_map(NativeMap *map, unsigned cpus, unsigned nodes, unsigned granted,
                   unsigned vectors, unsigned write_queues, unsigned poll_queues,
                   uint16_t *allocated);
void queue_policy_map(NativeMap *map, unsigned policy, unsigned cpus, unsigned granted,
                      unsigned vectors);

extern const NativeDriver dragonfly_2016_06, dragonfly_2016_07, linux_6_1, queue_policy;
/* DragonFly's attach sequence, which both generations share. */
bool dragonfly_attach(NativeController *self, GError **error);
/* cpu → vector of DragonFly's MSI-X setup; returns nirqs.  @overwrite: as generation B does. */
unsigned dragonfly_vectors(NativeMap *map, uint16_t *cv, unsigned cpus, unsigned vectors,
                           unsigned *last, bool overwrite);
/* Linux's registers and admin commands up to the queues, which its map and others' go through. */
bool linux_attach_with(NativeController *self,
                       void (*map)(NativeController *self, unsigned granted), GError **error);
