/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checksums: the Internet's [RFC 1071], Ethernet's CRC-32, SCTP's CRC-32C [RFC 9260 §6.8]; and what
 * the receiver says of those it finds.  [82599 §7.1.11] */
#include "ixgbe/ixgbe-internal.h"

enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, PROTOCOL_SCTP = 132 };

/* Sum of big-endian words on top of @sum; it never overflows for frames. */
uint32_t ixgbe_model_sum(const uint8_t *data, size_t bytes, uint32_t sum)
{
    size_t i = 0;

    for (; i + 1 < bytes; i += 2) {
        sum += (uint32_t)data[i] << 8 | data[i + 1];
    }
    if (i < bytes) {
        sum += (uint32_t)data[i] << 8;
    }
    return sum;
}

uint16_t ixgbe_model_fold(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)((sum & 0xffff) + (sum >> 16));
}

/* One bit at a time over a nibble's table: CRCs are computed for SCTP and CRC-keeping drivers
 * only. */
static uint32_t crc(uint32_t polynomial, const uint8_t *data, size_t bytes)
{
    uint32_t table[16], value = UINT32_MAX;

    for (uint32_t i = 0; i < 16; i++) {
        uint32_t x = i;
        for (unsigned bit = 0; bit < 4; bit++) {
            x = x >> 1 ^ (polynomial & (0 - (x & 1)));
        }
        table[i] = x;
    }
    for (size_t i = 0; i < bytes; i++) {
        value ^= data[i];
        value = value >> 4 ^ table[value & 0xf];
        value = value >> 4 ^ table[value & 0xf];
    }
    return ~value;
}

uint32_t ixgbe_model_crc32(const uint8_t *data, size_t bytes)
{
    return crc(0xedb88320, data, bytes);
}

uint32_t ixgbe_model_crc32c(const uint8_t *data, size_t bytes)
{
    return crc(0x82f63b78, data, bytes);
}

static bool sctp_is_right(const uint8_t *packet, size_t bytes)
{
    uint8_t copy[IXGBE_FRAME_MOST + 64];
    uint32_t value;

    if (bytes > sizeof copy) {
        return false;
    }
    memcpy(copy, packet, bytes);
    memset(copy + 8, 0, 4);
    value = ixgbe_model_crc32c(copy, bytes);
    for (unsigned i = 0; i < 4; i++) {
        if (packet[8 + i] != (uint8_t)(value >> i * 8)) {
            return false;
        }
    }
    return true;
}

static bool sum_is_right(const uint8_t *frame, const IxgbeParsed *parsed)
{
    size_t bytes = parsed->l3_end - parsed->l4;
    uint32_t sum = parsed->protocol + (uint32_t)bytes;

    sum = parsed->ipv4 ? ixgbe_model_sum(frame + parsed->l3 + 12, 8, sum)
                       : ixgbe_model_sum(frame + parsed->l3 + 8, 32, sum);
    return ixgbe_model_fold(ixgbe_model_sum(frame + parsed->l4, bytes, sum)) == 0xffff;
}

static void check_layer_4(const IxgbeModel *self, const uint8_t *frame, const IxgbeParsed *parsed,
                          IxgbeRxWriteback *result)
{
    const uint8_t *l4 = frame + parsed->l4;
    bool right;

    if (parsed->protocol == PROTOCOL_SCTP) {
        right = sctp_is_right(l4, parsed->l3_end - parsed->l4);
    } else if (parsed->protocol == PROTOCOL_UDP && l4[6] == 0 && l4[7] == 0) {
        if (!self->profile->quirk_udp_zero_checksum) {
            return; /* the sender has left it out */
        }
        right = false;
    } else {
        right = sum_is_right(frame, parsed);
    }
    result->status |= IXGBE_RX_L4CS;
    if (parsed->protocol == PROTOCOL_UDP) {
        result->status |= IXGBE_RX_UDPCS;
    }
    if (!right) {
        result->status |= IXGBE_RX_TCPE;
    }
}

void ixgbe_model_check_received(const IxgbeModel *self, const uint8_t *frame,
                                const IxgbeParsed *parsed, IxgbeRxWriteback *result)
{
    if (parsed->ipv4) {
        size_t header = (frame[parsed->l3] & 0xfu) * 4;
        result->status |= IXGBE_RX_IPCS;
        if (ixgbe_model_fold(ixgbe_model_sum(frame + parsed->l3, header, 0)) != 0xffff) {
            result->status |= IXGBE_RX_IPE;
        }
    }
    if (parsed->ports && !parsed->fragment) {
        check_layer_4(self, frame, parsed, result);
    }
}
