/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a COMPRESSED chunk, whose magic, size and checksum are put right here; and, taken
 * for the payload of a part, something to be compressed, which must come back to the byte. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "log/compress.h"

static struct rf_zstd zstd;
static struct rf_compressor *compressor;
static struct rf_expander *expander;

/* Whether libzstd is there: without it there is nothing to do. */
static bool is_ready(void)
{
    bool is_missing;
    if (zstd.handle == NULL && rf_zstd_load(&zstd)) {
        compressor = rf_compressor_new(&is_missing);
        expander = rf_expander_new(&zstd);
        if (compressor == NULL || expander == NULL)
            abort();
    }
    return zstd.handle != NULL;
}

static void expand(const uint8_t *data, size_t size)
{
    struct rf_compressed info;
    const size_t heads = sizeof(struct rf_chunk_header) + sizeof(info);
    if (size < heads)
        return;
    uint8_t *chunk = malloc(size);
    memcpy(chunk, data, size);
    memcpy(&info, chunk + sizeof(struct rf_chunk_header), sizeof(info));
    info.crc32c = 0;
    memcpy(chunk + sizeof(struct rf_chunk_header), &info, sizeof(info));
    info.crc32c = rf_crc32c(0, chunk, size);
    memcpy(chunk + sizeof(struct rf_chunk_header), &info, sizeof(info));
    if (rf_compressed_read(&info, chunk, size, true)) {
        const size_t slack = info.type == RF_CHUNK_PART
                                 ? RF_EXPANDED_ROOM - sizeof(struct rf_chunk_header) - info.raw_size
                                 : 0;
        uint8_t *payload = malloc(info.raw_size + slack + 1);
        (void)rf_expand(expander, &info, chunk, payload);
        free(payload);
    }
    free(chunk);
}

static void compress(const uint8_t *data, size_t size, uint16_t type)
{
    const size_t most = RF_PART_SIZE - sizeof(struct rf_chunk_header);
    const struct rf_chunk_header header = {
        .type = type, .size = (size < most ? size : most) & ~(size_t)7, .slot = 3, .ticks = size};
    struct rf_compressed info;
    const uint8_t *chunk;
    const size_t n = rf_compress(compressor, &header, data, &chunk);
    if (n == 0)
        return;
    uint8_t *payload = malloc(RF_EXPANDED_ROOM);
    if (!rf_compressed_read(&info, chunk, n, true) || info.raw_size != header.size ||
        !rf_expand(expander, &info, chunk, payload) || memcmp(payload, data, header.size) != 0)
        abort();
    free(payload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!is_ready())
        return 0;
    expand(data, size);
    compress(data, size, RF_CHUNK_PART);
    compress(data, size, RF_CHUNK_DEFS);
    return 0;
}
