/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crc32c.h"

#include <stdatomic.h>
#include <string.h>

#define POLYNOMIAL 0x82f63b78u /* Castagnoli, bits reversed */

static uint32_t tables[8][256];
static atomic_int tables_ready;

static void make_tables(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
        tables[0][i] = crc;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int t = 1; t < 8; t++)
            tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 255];
}

/* Two threads may fill the tables at once: each stores the same values. */
uint32_t rf_crc32c_portable(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *p = data;
    if (!atomic_load_explicit(&tables_ready, memory_order_acquire)) {
        make_tables();
        atomic_store_explicit(&tables_ready, 1, memory_order_release);
    }
    crc = ~crc;
    for (; size >= 8; size -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        word ^= crc;
        crc = tables[7][word & 255] ^ tables[6][word >> 8 & 255] ^ tables[5][word >> 16 & 255] ^
              tables[4][word >> 24 & 255] ^ tables[3][word >> 32 & 255] ^
              tables[2][word >> 40 & 255] ^ tables[1][word >> 48 & 255] ^ tables[0][word >> 56];
    }
    for (; size > 0; size--, p++)
        crc = tables[0][(crc ^ *p) & 255] ^ crc >> 8;
    return ~crc;
}

uint64_t rf_crc32c_find_bit(uint32_t difference, uint64_t size)
{
    uint32_t of_bit = POLYNOMIAL; /* what the last bit of the last byte makes of the sum */
    for (uint64_t bit = 8 * size; bit-- > 0;) {
        if (of_bit == difference)
            return bit;
        of_bit = of_bit & 1 ? of_bit >> 1 ^ POLYNOMIAL : of_bit >> 1;
    }
    return UINT64_MAX;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2,crc32"))) static uint32_t crc32c_sse42(uint32_t crc, const void *data,
                                                                     size_t size)
{
    const uint8_t *p = data;
    uint64_t wide = ~crc;
    for (; size >= 8; size -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = (uint32_t)wide;
    for (; size > 0; size--, p++)
        crc = __builtin_ia32_crc32qi(crc, *p);
    return ~crc;
}

uint32_t rf_crc32c(uint32_t crc, const void *data, size_t size)
{
    return __builtin_cpu_supports("sse4.2") ? crc32c_sse42(crc, data, size)
                                            : rf_crc32c_portable(crc, data, size);
}
#else
uint32_t rf_crc32c(uint32_t crc, const void *data, size_t size)
{
    return rf_crc32c_portable(crc, data, size);
}
#endif
