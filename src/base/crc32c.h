/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C (Castagnoli), the checksum of a packed recording's chunks. */
#ifndef RF_BASE_CRC32C_H
#define RF_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues a checksum over size bytes; start with crc 0. Any thread. */
uint32_t rf_crc32c(uint32_t crc, const void *data, size_t size);

/* The bit, counted from the lowest of byte 0, of which turning changes the checksum of size bytes
 * by this difference (xor); UINT64_MAX: none does. */
uint64_t rf_crc32c_find_bit(uint32_t difference, uint64_t size);

/* The same without the processor's instruction: for the tests. */
uint32_t rf_crc32c_portable(uint32_t crc, const void *data, size_t size);

#endif
