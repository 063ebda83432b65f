/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C (Castagnoli), the checksum of a packed recording's chunks. */
#ifndef RF_BASE_CRC32C_H
#define RF_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues a checksum over size bytes; start with crc 0. Any thread. */
uint32_t rf_crc32c(uint32_t crc, const void *data, size_t size);

/* The same without the processor's instruction: for the tests. */
uint32_t rf_crc32c_portable(uint32_t crc, const void *data, size_t size);

#endif
