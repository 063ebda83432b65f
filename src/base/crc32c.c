/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crc32c.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define POLYNOMIAL 0x82f63b78u /* Castagnoli, bits reversed */

static uint32_t tables[8][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

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

uint32_t rf_crc32c_portable(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *p = data;
    (void)pthread_once(&tables_once, make_tables);
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

/* ---- With the processor's instruction ---- */

#if defined(__x86_64__)
#define HAS_TARGET        1
#define TARGET            __attribute__((target("sse4.2,crc32")))
#define ADD_WORD(r, word) ((uint32_t)__builtin_ia32_crc32di(r, word))
#define ADD_BYTE(r, byte) __builtin_ia32_crc32qi(r, byte)

static bool has_instruction(void)
{
    return __builtin_cpu_supports("sse4.2") != 0;
}
#elif defined(__aarch64__)
#include <sys/auxv.h>
#define HAS_TARGET 1
#define TARGET     __attribute__((target("+crc")))
#if defined(__clang__)
#define ADD_WORD(r, word) __builtin_arm_crc32cd(r, word)
#define ADD_BYTE(r, byte) __builtin_arm_crc32cb(r, byte)
#else
#define ADD_WORD(r, word) __builtin_aarch64_crc32cx(r, word)
#define ADD_BYTE(r, byte) __builtin_aarch64_crc32cb(r, byte)
#endif

static bool has_instruction(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
}
#endif

#if defined(HAS_TARGET)
/* The instruction takes three cycles, and a processor begins one in each: three lanes of so many
 * bytes are taken at a time. */
#define LANE       ((size_t)1024)
#define CACHE_LINE 64u

/* By byte of a register: what it becomes when LANE zero bytes follow. */
static uint32_t shifted[4][256];
static pthread_once_t shifted_once = PTHREAD_ONCE_INIT;

TARGET static uint32_t add_zeros(uint32_t r)
{
    for (size_t i = 0; i < LANE / 8; i++)
        r = ADD_WORD(r, 0);
    return r;
}

static void make_shifted(void)
{
    for (int k = 0; k < 4; k++)
        for (uint32_t byte = 1; byte < 256; byte++) {
            const uint32_t lowest = byte & (0 - byte), others = byte ^ lowest;
            shifted[k][byte] =
                others == 0 ? add_zeros(lowest << 8 * k) : shifted[k][others] ^ shifted[k][lowest];
        }
}

static uint32_t shift(uint32_t r)
{
    return shifted[0][r & 255] ^ shifted[1][r >> 8 & 255] ^ shifted[2][r >> 16 & 255] ^
           shifted[3][r >> 24];
}

static uint64_t word_at(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof(word));
    return word;
}

/* Three lanes are more than some processors fetch ahead by themselves. */
static inline void prefetch_lanes(const uint8_t *p)
{
    __builtin_prefetch(p);
    __builtin_prefetch(p + LANE);
    __builtin_prefetch(p + 2 * LANE);
}

TARGET static uint32_t add_lanes(uint32_t r, const uint8_t **data, size_t *size)
{
    const uint8_t *p = *data;
    (void)pthread_once(&shifted_once, make_shifted);
    for (; *size >= 3 * LANE; *size -= 3 * LANE, p += 3 * LANE) {
        const uint8_t *next = *size >= 6 * LANE ? p + 3 * LANE : p;
        uint32_t second = 0, third = 0;
        for (size_t i = 0; i < LANE; i += 8) {
            if (i % CACHE_LINE == 0)
                prefetch_lanes(next + i);
            r = ADD_WORD(r, word_at(p + i));
            second = ADD_WORD(second, word_at(p + LANE + i));
            third = ADD_WORD(third, word_at(p + 2 * LANE + i));
        }
        r = shift(shift(r) ^ second) ^ third;
    }
    *data = p;
    return r;
}

TARGET static uint32_t crc32c_by_instruction(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *p = data;
    crc = ~crc;
    if (size >= 3 * LANE)
        crc = add_lanes(crc, &p, &size);
    for (; size >= 8; size -= 8, p += 8)
        crc = ADD_WORD(crc, word_at(p));
    for (; size > 0; size--, p++)
        crc = ADD_BYTE(crc, *p);
    return ~crc;
}
#endif

uint32_t rf_crc32c(uint32_t crc, const void *data, size_t size)
{
#if defined(HAS_TARGET)
    if (has_instruction())
        return crc32c_by_instruction(crc, data, size);
#endif
    return rf_crc32c_portable(crc, data, size);
}
