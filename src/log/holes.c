/* SPDX-License-Identifier: Apache-2.0 */
#include "log/holes.h"

#include <fcntl.h>
#include <unistd.h>

#define PAGE 4096u

static void make_hole(int fd, uint64_t from, uint64_t to)
{
    const struct rf_chunk_header header = {.magic = RF_CHUNK_MAGIC,
                                           .type = RF_CHUNK_RECYCLED,
                                           .header_size = sizeof(header),
                                           .size = to - from - sizeof(header)};
    const uint64_t begin = (from + sizeof(header) + PAGE - 1) / PAGE * PAGE;
    const uint64_t end = to / PAGE * PAGE;
    if (to - from < sizeof(header) ||
        pwrite(fd, &header, sizeof(header), (off_t)from) != (ssize_t)sizeof(header))
        return;
    if (begin < end)
        (void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)begin,
                        (off_t)(end - begin));
}

void rf_make_holes(int fd, const uint8_t *data, uint64_t end, rf_chunk_is_gone *is_gone,
                   void *context)
{
    struct rf_chunk_walk walk;
    struct rf_chunk chunk;
    uint64_t from = 0, to = 0; /* the hole so far */
    rf_chunk_walk_init(&walk, data, end, sizeof(struct rf_file_header));
    while (rf_chunk_walk_next(&walk, &chunk)) {
        const bool goes = chunk.is_complete && /* or it may be being appended */
                          (chunk.header.type == RF_CHUNK_RECYCLED ||
                           is_gone(context, &chunk, data + chunk.offset));
        if (goes && chunk.offset == to) {
            to = chunk.offset + chunk.size;
            continue;
        }
        make_hole(fd, from, to);
        from = goes ? chunk.offset : 0;
        to = goes ? chunk.offset + chunk.size : 0;
    }
    make_hole(fd, from, to);
}
