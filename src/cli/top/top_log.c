/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_log.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "log/chunks.h"
#include "log/compress.h"
#include "rangefinder/rangefinder.h"

#define MOST_REFS     65536u /* parts that wait to be read */
#define SEARCH_SIZE   65536u /* bytes that are looked through for a chunk at a time */
#define COMPRESSED_BY 8u     /* about how many bytes one in a compressed chunk stands for */

size_t top_read_at(int fd, void *bytes, size_t size, uint64_t at)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = pread(fd, (uint8_t *)bytes + done, size - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

/* The chunk header at `at`. */
static bool header_at(const struct top_process *p, uint64_t at, struct rf_chunk_header *header)
{
    return top_read_at(p->log_fd, header, sizeof(*header), at) == sizeof(*header) &&
           header->magic == RF_CHUNK_MAGIC && header->header_size == sizeof(*header) &&
           header->type != 0 && header->size % 8 == 0;
}

/* Where a chunk begins at `at` or behind, before `end`; `end`: nowhere. Holes are passed over. */
static uint64_t find_chunk(struct top_reading *reading, const struct top_process *p, uint64_t at,
                           uint64_t end)
{
    static const uint32_t magic = RF_CHUNK_MAGIC;
    struct rf_chunk_header header;
    const off_t data = lseek(p->log_fd, (off_t)at, SEEK_DATA);
    if (data < 0)
        return end;
    at = (uint64_t)data > at ? (uint64_t)data : at;
    while (at + sizeof(header) <= end) {
        /* no further: what is appended meanwhile would hide what was half there */
        const size_t size = end - at < SEARCH_SIZE ? (size_t)(end - at) : SEARCH_SIZE;
        const size_t n = top_read_at(p->log_fd, reading->part, size, at);
        const uint8_t *hit = n > 0 ? memmem(reading->part, n, &magic, sizeof(magic)) : NULL;
        if (hit != NULL && header_at(p, at + (uint64_t)(hit - reading->part), &header))
            return at + (uint64_t)(hit - reading->part);
        if (hit != NULL)
            at += (uint64_t)(hit - reading->part) + 1;
        else if (n == SEARCH_SIZE)
            at += n - sizeof(magic) + 1;
        else
            return end;
    }
    return end;
}

/* What a chunk is or stands for, if it is a part: its size with all headers, and in *at where its
 * own header stands in the chunk. 0: it is none. */
static uint64_t part_of(struct top_reading *reading, const struct top_process *p,
                        const struct rf_chunk_header *chunk, uint64_t *at)
{
    struct rf_compressed info;
    *at += sizeof(*chunk);
    if (chunk->type == RF_CHUNK_PART)
        return sizeof(*chunk) + chunk->size;
    if (chunk->type != RF_CHUNK_COMPRESSED || reading->expander == NULL ||
        top_read_at(p->log_fd, &info, sizeof(info), *at) != sizeof(info) ||
        info.type != RF_CHUNK_PART || sizeof(*chunk) + chunk->size > RF_PART_SIZE)
        return 0;
    *at += sizeof(info);
    return sizeof(*chunk) + (uint64_t)info.raw_size;
}

static void add_ref(struct top_reading *reading, struct top_process *p,
                    const struct rf_chunk_header *chunk, uint64_t at)
{
    struct rf_part_header header;
    uint64_t header_at = at;
    const uint64_t size = part_of(reading, p, chunk, &header_at);
    const uint32_t chunk_size =
        chunk->type == RF_CHUNK_PART ? 0 : (uint32_t)(sizeof(*chunk) + chunk->size);
    if (size < RF_PART_RECORDS_OFFSET || size > RF_PART_SIZE || chunk->slot >= RF_MAX_SLOTS ||
        top_read_at(p->log_fd, &header, sizeof(header), header_at) != sizeof(header))
        return;
    if (p->n_refs >= MOST_REFS ||
        rf_grow_array(&p->ref, p->n_refs, &p->ref_room, sizeof(*p->ref)) != RF_OK) {
        reading->n_missed_parts++;
        reading->missed_bytes += size;
        return;
    }
    p->ref[p->n_refs++] = (struct top_ref){chunk->seq,  header.carried_from, at,
                                           chunk->slot, (uint32_t)size,      chunk_size};
}

/* Where the log is read from at first: its newest part, if it is long. */
static void begin_log(struct top_reading *reading, struct top_process *p, uint64_t end)
{
    const uint64_t most = reading->expander == NULL ? TOP_HISTORY : TOP_HISTORY / COMPRESSED_BY;
    const bool is_first = p->log_at == 0;
    if (!is_first)
        return;
    p->log_at = sizeof(struct rf_file_header);
    if (end > p->log_at + most && p->log_bytes > most) {
        p->log_at = find_chunk(reading, p, end - most, end);
        reading->is_cut = true;
    }
}

void top_log_list(struct top_reading *reading, struct top_process *p)
{
    struct rf_chunk_header chunk;
    struct stat st;
    if (p->log_fd < 0 || fstat(p->log_fd, &st) != 0)
        return;
    const uint64_t end = (uint64_t)st.st_size;
    begin_log(reading, p, end);
    while (p->log_at + sizeof(chunk) <= end) {
        if (!header_at(p, p->log_at, &chunk)) {
            const uint64_t found = find_chunk(reading, p, p->log_at + 1, end);
            if (found == end)
                return; /* it is being written, or nothing follows it yet */
            p->log_at = found;
            continue;
        }
        const uint64_t size = sizeof(chunk) + chunk.size;
        if (chunk.size > end - p->log_at - sizeof(chunk)) {
            /* one append that was cut short is followed by the next one; or it is being written */
            const uint64_t found = find_chunk(reading, p, p->log_at + 1, end);
            if (found == end)
                return;
            p->log_at = found;
            continue;
        }
        add_ref(reading, p, &chunk, p->log_at);
        p->log_at += size;
    }
}

/* Expands the chunk in `again` to `part`. Returns whether it is the part that was listed. */
static bool expand(struct top_reading *reading, struct rf_chunk_header chunk,
                   const struct top_ref *ref)
{
    struct rf_compressed info;
    if (!rf_compressed_read(&info, reading->again, ref->chunk_size, true) ||
        info.type != RF_CHUNK_PART || sizeof(chunk) + (uint64_t)info.raw_size != ref->size ||
        !rf_expand(reading->expander, &info, reading->again, reading->part + sizeof(chunk)))
        return false;
    chunk.type = RF_CHUNK_PART;
    chunk.size = info.raw_size;
    memcpy(reading->part, &chunk, sizeof(chunk));
    return true;
}

bool top_log_read_part(struct top_reading *reading, const struct top_process *p,
                       const struct top_ref *ref)
{
    struct rf_chunk_header chunk;
    const bool is_compressed = ref->chunk_size != 0;
    uint8_t *bytes = is_compressed ? reading->again : reading->part;
    const size_t size = is_compressed ? ref->chunk_size : ref->size;
    if (top_read_at(p->log_fd, bytes, size, ref->at) != size || !header_at(p, ref->at, &chunk) ||
        chunk.type != (is_compressed ? RF_CHUNK_COMPRESSED : RF_CHUNK_PART) ||
        chunk.seq != ref->seq || chunk.slot != ref->slot)
        return false;
    return !is_compressed || expand(reading, chunk, ref);
}
