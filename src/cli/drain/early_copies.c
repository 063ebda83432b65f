/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/drain/early_copies.h"

#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/shared_copy.h"

#define MAX_DEFS ((size_t)1 << 20) /* most bytes of one copy: the next one continues after it */

/* The bytes of definitions that are published: up to the first one that is still being written, or
 * the end. */
static size_t published_bytes(const uint8_t *defs, size_t size)
{
    size_t at = 0;
    struct rf_def def;
    while (size - at >= sizeof(def)) {
        memcpy(&def, defs + at, sizeof(def));
        if (def.head == 0 || def.n_words < sizeof(def) / 8 || def.n_words > (size - at) / 8)
            break;
        at += (size_t)def.n_words * 8;
    }
    return at;
}

/* Reads definitions that were published: the first reading shows which they are, and the second,
 * ordered after it, has all of their bytes. */
static size_t read_defs(const char *dir, uint32_t process, uint64_t offset, uint8_t *defs)
{
    char path[PATH_MAX + 32];
    (void)snprintf(path, sizeof(path), "%s/p%06u.defs", dir, process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const off_t at = (off_t)(sizeof(struct rf_defs_header) + offset);
    ssize_t n = pread(fd, defs, MAX_DEFS, at);
    size_t size = n > 0 ? published_bytes(defs, (size_t)n) : 0;
    atomic_thread_fence(memory_order_acquire);
    n = size > 0 ? pread(fd, defs, size, at) : 0;
    (void)close(fd);
    return n == (ssize_t)size ? size : 0;
}

static size_t put_header(uint8_t *out, uint16_t type, uint32_t process, uint64_t seq, size_t size)
{
    const struct rf_chunk_header header = {.magic = RF_CHUNK_MAGIC,
                                           .type = type,
                                           .header_size = sizeof(header),
                                           .size = size,
                                           .process = process,
                                           .seq = seq};
    memcpy(out, &header, sizeof(header));
    return sizeof(header);
}

size_t early_copies_make(uint8_t **bytes, const struct rf_control *control, const char *dir,
                         uint32_t process, uint64_t *defs_offset)
{
    const size_t header = sizeof(struct rf_chunk_header);
    uint8_t *out = *bytes = malloc(2 * header + sizeof(*control) + MAX_DEFS);
    if (out == NULL)
        return 0;
    size_t at = put_header(out, RF_CHUNK_SESSION, 0, 0, sizeof(*control));
    rf_copy_shared(out + at, control, sizeof(*control));
    at += sizeof(*control);
    size_t size = read_defs(dir, process, *defs_offset, out + at + header);
    if (size == 0)
        return at;
    at += put_header(out + at, RF_CHUNK_DEFS, process, *defs_offset, size) + size;
    *defs_offset += size;
    return at;
}
