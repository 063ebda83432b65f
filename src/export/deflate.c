/* SPDX-License-Identifier: Apache-2.0 */
/* The fastest level that looks for repetitions: traces shrink tenfold with it, and higher ones take
 * 5 times as long for a few percent. */
#include "export/deflate.h"

#include <stdlib.h>

#if RF_HAS_ISAL

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

struct rf_deflate {
    struct isal_zstream stream;
    uint8_t scratch[ISAL_DEF_LVL1_DEFAULT];
};

/* ISA-L returns with values in the upper halves of the vector registers: as long as they are there,
 * instructions that only use the lower ones, of the code that runs next, wait for them. */
static void forget_upper_halves(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vzeroupper" ::: "memory");
#endif
}

struct rf_deflate *rf_deflate_new(void)
{
    return malloc(sizeof(struct rf_deflate));
}

void rf_deflate_free(struct rf_deflate *packer)
{
    free(packer);
}

size_t rf_deflate_block(struct rf_deflate *packer, const unsigned char *window,
                        const unsigned char *data, size_t size, unsigned char *packed)
{
    struct isal_zstream *stream = &packer->stream;
    isal_deflate_init(stream);
    stream->level = 1;
    stream->level_buf = packer->scratch;
    stream->level_buf_size = sizeof(packer->scratch);
    stream->gzip_flag = IGZIP_DEFLATE;
    stream->flush = SYNC_FLUSH;
    if (window != NULL)
        (void)isal_deflate_set_dict(stream, (unsigned char *)window, (uint32_t)RF_DEFLATE_WINDOW);
    stream->next_in = (unsigned char *)data;
    stream->avail_in = (uint32_t)size;
    stream->next_out = packed;
    stream->avail_out = (uint32_t)RF_DEFLATE_MOST(size);
    (void)isal_deflate(stream);
    forget_upper_halves();
    return stream->total_out;
}

uint32_t rf_deflate_crc(const unsigned char *data, size_t size)
{
    const uint32_t crc = crc32_gzip_refl(0, data, size);
    forget_upper_halves();
    return crc;
}

#else

#include <zlib.h>

struct rf_deflate {
    z_stream stream;
};

struct rf_deflate *rf_deflate_new(void)
{
    struct rf_deflate *packer = calloc(1, sizeof(*packer));
    /* negative: raw, without a header or trailer of its own */
    if (packer == NULL ||
        deflateInit2(&packer->stream, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK)
        return packer;
    free(packer);
    return NULL;
}

void rf_deflate_free(struct rf_deflate *packer)
{
    if (packer != NULL)
        (void)deflateEnd(&packer->stream);
    free(packer);
}

size_t rf_deflate_block(struct rf_deflate *packer, const unsigned char *window,
                        const unsigned char *data, size_t size, unsigned char *packed)
{
    z_stream *stream = &packer->stream;
    const uInt room = (uInt)RF_DEFLATE_MOST(size);
    (void)deflateReset(stream);
    if (window != NULL)
        (void)deflateSetDictionary(stream, window, (uInt)RF_DEFLATE_WINDOW);
    stream->next_in = (unsigned char *)data;
    stream->avail_in = (uInt)size;
    stream->next_out = packed;
    stream->avail_out = room;
    (void)deflate(stream, Z_SYNC_FLUSH);
    return room - stream->avail_out;
}

uint32_t rf_deflate_crc(const unsigned char *data, size_t size)
{
    return (uint32_t)crc32(0, data, (uInt)size);
}

#endif
