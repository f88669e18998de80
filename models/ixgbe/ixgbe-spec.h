/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a driver and the 82599 exchange in memory: descriptors, little-endian, and the bits of them.
 * [82599 §7.1.5, §7.1.6, §7.2.3] */
#pragma once
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum {
    IXGBE_QUEUES = 128,
    IXGBE_VECTORS = 64,
    IXGBE_CRC_BYTES = 4,
    IXGBE_VLAN_BYTES = 4,
    IXGBE_FRAME_LEAST = 60,       /* without CRC */
    IXGBE_FRAME_MOST = 16 * 1024, /* MAXFRS and DTALEN go further than the MAC */
    IXGBE_EEPROM_WORDS = 16384,
};

/* Receive: as the driver gives it. */
typedef struct IxgbeRxRead {
    uint64_t packet, header;
} IxgbeRxRead;
static_assert(sizeof(IxgbeRxRead) == 16, "[82599 §7.1.6.1]");

/* Receive: as it is written back, advanced format. */
typedef struct IxgbeRxWriteback {
    uint32_t type;   /* 3:0 RSS type, 16:4 packet type */
    uint32_t hash;   /* RSS hash; flow director's hash; or fragment checksum */
    uint32_t status; /* 19:0 status, 31:20 errors */
    uint16_t length, vlan;
} IxgbeRxWriteback;
static_assert(sizeof(IxgbeRxWriteback) == 16, "[82599 §7.1.6.2]");
static_assert(offsetof(IxgbeRxWriteback, length) == 12, "[82599 §7.1.6.2]");

/* Receive: as it is written back, legacy format. */
typedef struct IxgbeRxLegacy {
    uint64_t address;
    uint16_t length, checksum;
    uint8_t status, errors;
    uint16_t vlan;
} IxgbeRxLegacy;
static_assert(sizeof(IxgbeRxLegacy) == 16, "[82599 §7.1.5]");
static_assert(offsetof(IxgbeRxLegacy, status) == 12, "[82599 §7.1.5]");

enum { /* status; the low 8 bits are those of the legacy format */
       IXGBE_RX_DD = 1 << 0,
       IXGBE_RX_EOP = 1 << 1,
       IXGBE_RX_FLM = 1 << 2,
       IXGBE_RX_VP = 1 << 3,
       IXGBE_RX_UDPCS = 1 << 4,
       IXGBE_RX_L4CS = 1 << 5,
       IXGBE_RX_IPCS = 1 << 6,
       IXGBE_RX_PIF = 1 << 7,
       IXGBE_RX_UDPV = 1 << 10,
       IXGBE_RX_LB = 1 << 18,
};
#define IXGBE_RX_TCPE (UINT32_C(1) << 30)
#define IXGBE_RX_IPE (UINT32_C(1) << 31)
enum { IXGBE_RX_LEGACY_TCPE = 1 << 6, IXGBE_RX_LEGACY_IPE = 1 << 7 };

enum { /* packet type */
       IXGBE_TYPE_IPV4 = 0x10,
       IXGBE_TYPE_IPV4_OPTIONS = 0x20,
       IXGBE_TYPE_IPV6 = 0x40,
       IXGBE_TYPE_IPV6_EXTENSION = 0x80,
       IXGBE_TYPE_TCP = 0x100,
       IXGBE_TYPE_UDP = 0x200,
       IXGBE_TYPE_SCTP = 0x400,
       IXGBE_TYPE_ETQF = 0x8000,
};

typedef enum IxgbeRssType {
    IXGBE_RSS_NONE,
    IXGBE_RSS_TCPV4,
    IXGBE_RSS_IPV4,
    IXGBE_RSS_TCPV6,
    IXGBE_RSS_IPV6_EX,
    IXGBE_RSS_IPV6,
    IXGBE_RSS_TCPV6_EX,
    IXGBE_RSS_UDPV4,
    IXGBE_RSS_UDPV6,
    IXGBE_RSS_UDPV6_EX,
} IxgbeRssType;

/* Transmit: any descriptor. */
typedef struct IxgbeTxDesc {
    uint64_t address;
    uint32_t command, status;
} IxgbeTxDesc;
static_assert(sizeof(IxgbeTxDesc) == 16, "[82599 §7.2.3.2.4]");
static_assert(offsetof(IxgbeTxDesc, status) == 12, "[82599 §7.2.3.2.4]");

/* Transmit: context. */
typedef struct IxgbeTxContext {
    uint32_t lengths; /* 8:0 IPLEN, 15:9 MACLEN, 31:16 VLAN */
    uint32_t sa_index;
    uint32_t type; /* 10 IPV4, 12:11 L4T */
    uint32_t mss;  /* 15:8 L4LEN, 31:16 MSS */
} IxgbeTxContext;
static_assert(sizeof(IxgbeTxContext) == sizeof(IxgbeTxDesc), "[82599 §7.2.3.2.3]");

enum { /* command: common */
       IXGBE_TX_LENGTH = 0xffff,
       IXGBE_TX_EOP = 1 << 24,
       IXGBE_TX_IFCS = 1 << 25,
       IXGBE_TX_RS = 1 << 27,
       IXGBE_TX_DEXT = 1 << 29,
       IXGBE_TX_VLE = 1 << 30,
       /* legacy */
       IXGBE_TX_IC = 1 << 26,
       /* advanced */
       IXGBE_TX_DTYP = 0xf << 20,
       IXGBE_TX_DTYP_CONTEXT = 2 << 20,
       IXGBE_TX_DTYP_DATA = 3 << 20,
       /* status, advanced */
       IXGBE_TX_DD = 1 << 0,
       IXGBE_TX_IXSM = 1 << 8,
       IXGBE_TX_TXSM = 1 << 9,
};
#define IXGBE_TX_TSE (UINT32_C(1) << 31)
enum { IXGBE_L4T_UDP, IXGBE_L4T_TCP, IXGBE_L4T_SCTP, IXGBE_L4T_NONE };

/* EICR bits beside the queues' 15:0 [82599 §8.2.3.5]. */
enum {
    IXGBE_CAUSE_FDIR = 1 << 16,
    IXGBE_CAUSE_RX_MISS = 1 << 17,
    IXGBE_CAUSE_LSC = 1 << 20,
};
#define IXGBE_CAUSE_OTHER (UINT32_C(1) << 31)
