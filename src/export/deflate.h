/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a deflate stream (RFC 1951), each of which can be compressed alone: by ISA-L where the
 * build has it, several times as fast, else by zlib. */
#ifndef RF_EXPORT_DEFLATE_H
#define RF_EXPORT_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RF_DEFLATE_WINDOW ((size_t)32 << 10) /* how far it looks back */

/* What n bytes take at most: twice of them, as no byte has more than 15 bits, and the marker of the
 * end. */
#define RF_DEFLATE_MOST(n) (2 * (n) + 1024)

/* Scratch of one thread. */
struct rf_deflate;

/* Returns NULL where there is no memory. The caller frees it with rf_deflate_free(). */
struct rf_deflate *rf_deflate_new(void);

/* NULL is accepted. */
void rf_deflate_free(struct rf_deflate *packer);

/* Compresses size bytes to packed, which has RF_DEFLATE_MOST(size) bytes, and returns how many they
 * are. They end at a whole byte, so that blocks can stand one behind the other, and none is the
 * last one of the stream. window: the RF_DEFLATE_WINDOW bytes before, or NULL at the beginning. */
size_t rf_deflate_block(struct rf_deflate *packer, const unsigned char *window,
                        const unsigned char *data, size_t size, unsigned char *packed);

/* The CRC of gzip (RFC 1952) of size bytes. */
uint32_t rf_deflate_crc(const unsigned char *data, size_t size);

#endif
