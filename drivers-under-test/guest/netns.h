/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network namespaces that `ip netns add` has made: it leaves a file for each. */
#pragma once
#include "text.h"

#define NETNS_FOLDER "/run/netns"

/* A socket in namespace @name (empty: the program's own), which the caller closes; or -1. */
int netns_socket(const char *name, int family, int type, Reason *reason);
