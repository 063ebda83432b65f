/* SPDX-License-Identifier: Apache-2.0 */
/* A file of raw CUPTI activity buffers, as a GPU wrote them once and tests replay them.
 *
 *     header   8 bytes "RFCUPTI1", then uint32_t: what cuptiGetVersion() said
 *     buffers  uint32_t size of the valid part, uint32_t number of names; the bytes;
 *              per name uint32_t offset, uint32_t length, then the text without its NUL
 *
 * All in the machine's byte order (little-endian). A name belongs to the pointer at that offset of
 * its buffer, whose bytes in the file mean nothing: who replays puts the text's address there. A
 * pointer that has no name is set to NULL by who writes. The file ends behind a buffer. */
#ifndef RF_TESTS_RAW_BUFFERS_H
#define RF_TESTS_RAW_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RAW_BUFFERS_MAGIC "RFCUPTI1"

/* ---- Writing ---- */

static inline bool raw_buffers_begin(FILE *file, uint32_t cupti_version)
{
    return fwrite(RAW_BUFFERS_MAGIC, 8, 1, file) == 1 && fwrite(&cupti_version, 4, 1, file) == 1;
}

/* Where the pointer to a text lies in a record of this kind; 0: it has none. The same in every
 * version since 11.8. */
static inline uint32_t raw_buffers_name_offset(uint32_t kind)
{
    switch (kind) {
    case 3:
    case 10:
        return 104; /* a kernel's name */
    case 8:
        return 136; /* a device's */
    case 49:
        return 64; /* a variable's */
    default:
        return 0;
    }
}

struct raw_buffers_name {
    uint32_t offset;
    const char *text;
};

/* names: every pointer in the buffer that shall have a text. */
static inline bool raw_buffers_add(FILE *file, const uint8_t *bytes, uint32_t size,
                                   const struct raw_buffers_name *names, uint32_t n_names)
{
    bool is_good = fwrite(&size, 4, 1, file) == 1 && fwrite(&n_names, 4, 1, file) == 1 &&
                   fwrite(bytes, 1, size, file) == size;
    for (uint32_t i = 0; i < n_names && is_good; i++) {
        uint32_t length = (uint32_t)strlen(names[i].text);
        is_good = fwrite(&names[i].offset, 4, 1, file) == 1 && fwrite(&length, 4, 1, file) == 1 &&
                  fwrite(names[i].text, 1, length, file) == length;
    }
    return is_good;
}

/* ---- Reading ---- */

/* Reads the header: the version, or 0 if it is none. */
static inline uint32_t raw_buffers_open(FILE *file)
{
    char magic[8];
    uint32_t version = 0;
    if (fread(magic, 8, 1, file) != 1 || memcmp(magic, RAW_BUFFERS_MAGIC, 8) != 0 ||
        fread(&version, 4, 1, file) != 1)
        return 0;
    return version;
}

#define RAW_BUFFERS_MAX_SIZE (64u << 20)
#define RAW_BUFFERS_MAX_TEXT (1u << 20)

/* Reads one name and puts its address into bytes. The text is not freed. */
static inline bool raw_buffers_next_name(FILE *file, uint8_t *bytes, uint32_t size)
{
    uint32_t offset, length;
    if (fread(&offset, 4, 1, file) != 1 || fread(&length, 4, 1, file) != 1 ||
        length > RAW_BUFFERS_MAX_TEXT || size < sizeof(char *) || offset > size - sizeof(char *))
        return false;
    char *text = calloc(1, length + 1u);
    if (!text || fread(text, 1, length, file) != length)
        return false;
    memcpy(bytes + offset, &text, sizeof text);
    return true;
}

/* The next buffer (malloc, 8-byte aligned) with its pointers set, or NULL: the end, or damage,
 * which feof() tells apart only if nothing of a buffer was read. */
static inline uint8_t *raw_buffers_next(FILE *file, uint32_t *size)
{
    uint32_t n_names;
    if (fread(size, 4, 1, file) != 1 || fread(&n_names, 4, 1, file) != 1 ||
        *size > RAW_BUFFERS_MAX_SIZE)
        return NULL;
    uint8_t *bytes = malloc(*size ? *size : 1);
    bool is_good = bytes && fread(bytes, 1, *size, file) == *size;
    for (uint32_t i = 0; i < n_names && is_good; i++)
        is_good = raw_buffers_next_name(file, bytes, *size);
    if (is_good)
        return bytes;
    free(bytes);
    return NULL;
}
#endif
