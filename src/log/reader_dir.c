/* SPDX-License-Identifier: Apache-2.0 */
/* Session directories (docs/format.md, sections 1, 5 and 6), which may be written to meanwhile.
 *
 * Per process the pool is read before the log and the log before the definitions: a part that
 * leaves the pool is in the log by then, and whatever a record refers to was defined before it.
 * Parts that come into the log after their pool was read may come in any order: of a stream that
 * has gone on, what follows a gap there is left out (log_order.c).
 *
 * Of a focused run the captures are taken before the pools: of a capture that began later, records
 * would be missing. Outside of captures its recorder takes back what it wrote last, so that what
 * stands at the end of a part can change while it is read. */
#include "log/reader_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "log/liveness.h"
#include "log/metrics.h"
#include "log/taken.h"

#define DEFS_BLOCK   65536u
#define SLOT_RETRIES 16
#define LARGE_DEF    (1u << 20) /* its holes are looked for */

/* Reads up to size bytes at offset; returns how many there were. */
static size_t read_at(int fd, void *data, size_t size, uint64_t offset)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = pread(fd, (uint8_t *)data + done, size - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

/* ---- The pool ---- */

/* The bytes up to the first record that two readings do not agree on. The recorder clears word 0
 * of what it takes back before it writes anything there, and what is written later has another
 * time: a record that is the same twice stood there whole. */
static uint32_t agreed_bytes(const uint8_t *first, const uint8_t *second, uint32_t size)
{
    uint32_t at = RF_PART_RECORDS_OFFSET;
    while (at + 8 <= size) {
        uint64_t head = rf_load64(first + at);
        uint64_t n_words = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
        if (n_words == 0 && at + 16 <= size)
            n_words = rf_load64(first + at + 8) >> 32;
        if (head == 0 || n_words == 0 || n_words > (size - at) / 8 ||
            memcmp(first + at, second + at, 8 * n_words) != 0)
            break;
        at += (uint32_t)(8 * n_words);
    }
    return at;
}

/* Copies one part out of the pool. The records that the first reading shows were published before
 * it, so that a second reading, ordered after it, has all of their bytes. again: room for a third
 * one, for parts whose end may be taken back; otherwise NULL. Returns the part's size. */
static uint32_t copy_part(int fd, uint32_t slot, uint32_t which, uint32_t size, uint8_t *part,
                          uint8_t *again)
{
    uint64_t offset = rf_pool_part_offset(slot, which);
    struct rf_chunk_header header;
    uint32_t n = (uint32_t)read_at(fd, part, size != 0 ? size : RF_PART_SIZE, offset);
    if (n < RF_PART_RECORDS_OFFSET)
        return 0;
    n = rf_part_used_bytes(part, n);
    atomic_thread_fence(memory_order_acquire);
    if (read_at(fd, part, n, offset) != n)
        return 0;
    atomic_thread_fence(memory_order_acquire);
    if (again != NULL && read_at(fd, again, n, offset) != n)
        return 0;
    if (again != NULL)
        n = agreed_bytes(part, again, n);
    memcpy(&header, part, sizeof(header));
    if (header.magic != RF_CHUNK_MAGIC || header.type != RF_CHUNK_PART)
        return 0;
    header.size = n - sizeof(header); /* 0 while it is written */
    memcpy(part, &header, sizeof(header));
    return n;
}

static bool read_slot(int fd, uint32_t slot, struct rf_pool_slot *header)
{
    uint64_t offset = RF_POOL_HEADER_SIZE + (uint64_t)slot * sizeof(*header);
    return read_at(fd, header, sizeof(*header), offset) == sizeof(*header);
}

/* Copies the parts of a slot that are in use into `scratch`: two of RF_PART_SIZE, and room for one
 * more. n[i] is the size of a copy, or 0. */
static void copy_slot(const struct rf_log_builder *b, int fd, uint32_t slot,
                      const struct rf_pool_slot *header, uint8_t *scratch,
                      uint32_t n[RF_PARTS_PER_SLOT])
{
    uint8_t *again = scratch + RF_SLOT_SIZE;
    for (uint32_t i = 0; i < RF_PARTS_PER_SLOT; i++) {
        const struct rf_pool_part *part = &header->part[i];
        uint32_t size = part->state == RF_PART_ACTIVE ? 0 : part->size;
        n[i] = 0;
        if (part->state != RF_PART_FREE && part->seq != 0 && size <= RF_PART_SIZE)
            n[i] = copy_part(fd, slot, i, size, scratch + (size_t)i * RF_PART_SIZE,
                             b->is_focused && part->state == RF_PART_ACTIVE ? again : NULL);
    }
}

static bool is_same_slot(const struct rf_pool_slot *a, const struct rf_pool_slot *b)
{
    for (uint32_t i = 0; i < RF_PARTS_PER_SLOT; i++)
        if (a->part[i].seq != b->part[i].seq || a->part[i].state != b->part[i].state)
            return false;
    return true;
}

/* Notes the parts of a slot that are in the log by what it says. */
static void add_tails(struct rf_log_builder *b, uint32_t process, uint32_t slot,
                      const struct rf_pool_slot *header)
{
    struct rf_log *log = b->log;
    for (uint32_t i = 0; i < RF_PARTS_PER_SLOT; i++) {
        const struct rf_pool_part *part = &header->part[i];
        if (part->state != RF_PART_FREE || part->seq == 0 || part->size < RF_PART_RECORDS_OFFSET ||
            part->size > RF_PART_SIZE)
            continue;
        if (rf_grow_array(&log->tail, log->n_tails, &b->tail_room, sizeof(*log->tail)) != RF_OK) {
            b->is_out_of_memory = true;
            return;
        }
        log->tail[log->n_tails++] = (struct rf_log_tail){part->seq, process, slot, part->size};
    }
}

/* The last part that a slot has had; 0: none. */
static uint64_t newest_of(const struct rf_pool_slot *header)
{
    uint64_t seq = 0;
    for (uint32_t i = 0; i < RF_PARTS_PER_SLOT; i++)
        seq = header->part[i].seq > seq ? header->part[i].seq : seq;
    return seq;
}

/* Adds what stands in one slot. Where its parts change hands again and again while they are read,
 * only the older one is taken: with the newer one alone, records would be missing between. */
static void add_slot(struct rf_log_builder *b, int fd, uint32_t process, uint32_t slot,
                     uint8_t *scratch, uint64_t *newest)
{
    struct rf_pool_slot before, after;
    struct rf_chunk_header header = {.size = 0};
    uint32_t n[RF_PARTS_PER_SLOT];
    bool is_stable = false;
    for (int i = 0; i < SLOT_RETRIES && !is_stable; i++) {
        if (!read_slot(fd, slot, &before))
            return;
        if (i == 0)
            *newest = newest_of(&before);
        copy_slot(b, fd, slot, &before, scratch, n);
        if (!read_slot(fd, slot, &after))
            return;
        is_stable = is_same_slot(&before, &after);
    }
    if (is_stable)
        add_tails(b, process, slot, &before);
    uint32_t older = before.part[0].seq < before.part[1].seq ? 0 : 1;
    for (uint32_t i = 0; i < RF_PARTS_PER_SLOT; i++) {
        if (n[i] == 0 || (!is_stable && i != older && n[older] != 0))
            continue;
        uint8_t *copy = rf_log_allocate(b->log, n[i]);
        b->is_out_of_memory |= copy == NULL;
        if (copy == NULL)
            return;
        memcpy(copy, scratch + (size_t)i * RF_PART_SIZE, n[i]);
        memcpy(&header, copy, n[i] < sizeof(header) ? n[i] : sizeof(header)); /* or it is refused */
        rf_log_add_part(b, copy, &header, n[i],
                        before.part[i].state == RF_PART_ACTIVE ? RF_COPY_ACTIVE : RF_COPY_WHOLE);
    }
}

/* What the slots of a pool held when it was read: by slot, the last part. */
struct pool_state {
    uint64_t *newest;
    uint32_t n_slots;
    bool is_whole; /* the file has a header and all slots that were in use */
};

/* Asked before the streams are read: one that ends meanwhile may have no sign of its end in what is
 * read, and was not killed for that. */
static void add_running(struct rf_log_builder *b, const struct rf_pool_header *header,
                        uint32_t process)
{
    struct rf_log *log = b->log;
    if (rf_process_liveness(header->pid, header->start_time, header->pid_ns) != RF_LIVENESS_RUNNING)
        return;
    if (rf_grow_array(&log->running, log->n_running, &b->running_room, sizeof(*log->running)) !=
        RF_OK)
        b->is_out_of_memory = true;
    else
        log->running[log->n_running++] = process;
}

static void add_pool(struct rf_log_builder *b, int fd, uint32_t process, struct pool_state *state)
{
    struct rf_pool_header header;
    struct stat st;
    uint8_t *scratch = malloc(RF_SLOT_SIZE + RF_PART_SIZE);
    b->is_out_of_memory |= scratch == NULL;
    if (scratch != NULL && read_at(fd, &header, sizeof(header), 0) == sizeof(header) &&
        memcmp(header.magic, RF_POOL_MAGIC, sizeof(header.magic)) == 0) {
        uint32_t n_slots = header.n_slots < RF_MAX_SLOTS ? header.n_slots : RF_MAX_SLOTS;
        state->newest = calloc(n_slots + 1, sizeof(*state->newest));
        b->is_out_of_memory |= state->newest == NULL;
        add_running(b, &header, process);
        for (uint32_t slot = 0; slot < n_slots && state->newest != NULL; slot++)
            add_slot(b, fd, process, slot, scratch, &state->newest[slot]);
        state->n_slots = state->newest != NULL ? n_slots : 0;
        if (fstat(fd, &st) == 0) {
            b->log->size_bytes += (uint64_t)st.st_blocks * 512;
            state->is_whole = (uint64_t)st.st_size >= rf_pool_part_offset(n_slots, 0);
        }
    }
    free(scratch);
}

/* Behind the log: which streams have gone on since their pool was read. */
static void add_moved(struct rf_log_builder *b, int fd, uint32_t process,
                      const struct pool_state *state)
{
    struct rf_log *log = b->log;
    struct rf_pool_slot now;
    for (uint32_t slot = 0; slot < state->n_slots && !b->is_out_of_memory; slot++) {
        if (!read_slot(fd, slot, &now) || newest_of(&now) == state->newest[slot])
            continue;
        if (rf_grow_array(&log->moved, log->n_moved, &b->moved_room, sizeof(*log->moved)) != RF_OK)
            b->is_out_of_memory = true;
        else
            log->moved[log->n_moved++] =
                (struct rf_log_tail){state->newest[slot], process, slot, 0};
    }
}

/* ---- Definitions ---- */

/* Reads up to size bytes, all zero so far, at offset; what a large definition has no bytes of on
 * disk costs no memory. Returns how many there were. */
static size_t read_sparse(int fd, uint8_t *to, size_t size, uint64_t offset)
{
    size_t done = 0;
    while (done < size) {
        off_t data = lseek(fd, (off_t)(offset + done), SEEK_DATA);
        off_t hole = data >= 0 ? lseek(fd, data, SEEK_HOLE) : -1;
        if (data < 0 && errno == ENXIO)
            return size; /* a hole up to the end of the file */
        if (hole <= data)
            return done + read_at(fd, to + done, size - done, offset + done);
        uint64_t from = (uint64_t)data - offset, end = (uint64_t)hole - offset;
        end = end < size ? end : size;
        if (from < end &&
            read_at(fd, to + from, (size_t)(end - from), (uint64_t)data) != end - from)
            return (size_t)from;
        done = (size_t)end;
    }
    return size;
}

/* How many bytes of definitions a file can hold. */
static uint64_t room_for_defs(int fd)
{
    struct stat st;
    const uint64_t head = sizeof(struct rf_defs_header);
    return fstat(fd, &st) == 0 && st.st_size > (off_t)head ? (uint64_t)st.st_size - head : 0;
}

/* The bytes of the definition at the end of what was read, as far as it says so itself. */
static uint64_t next_size(const uint8_t *bytes, uint64_t used, uint64_t n)
{
    struct rf_def def;
    if (n - used < sizeof(def))
        return 0;
    memcpy(&def, bytes + used, sizeof(def));
    return (uint64_t)def.n_words * 8;
}

/* Reads a definitions stream up to its end into memory of `room` bytes that are zero. Returns its
 * size. */
static uint64_t read_defs(int fd, uint8_t *bytes, uint64_t room)
{
    const uint64_t head = sizeof(struct rf_defs_header);
    uint64_t n = 0, used = 0;
    bool is_damaged = false;
    while (n < room) {
        uint64_t want = next_size(bytes, used, n);
        uint64_t end = n + DEFS_BLOCK < used + want ? used + want : n + DEFS_BLOCK;
        if (used + want > room)
            break; /* no definition is longer than its file */
        end = end < room ? end : room;
        size_t got = want > LARGE_DEF ? read_sparse(fd, bytes + n, end - n, head + n)
                                      : read_at(fd, bytes + n, end - n, head + n);
        n += got;
        used += rf_defs_used_bytes(bytes + used, n - used, &is_damaged);
        /* whole zero words after the end, or the end of the file */
        if (got == 0 || (!is_damaged && n - used >= sizeof(struct rf_def)))
            break;
    }
    return used;
}

/* Definitions whose head the first reading did not show may be half written in the second. */
static void hide_unpublished(const uint8_t *first, uint8_t *second, uint64_t size)
{
    struct rf_def def;
    for (uint64_t at = 0; size - at >= sizeof(def); at += (uint64_t)def.n_words * 8) {
        memcpy(&def, first + at, sizeof(def));
        if (def.n_words < sizeof(def) / 8 || def.n_words > (size - at) / 8)
            break;
        if (def.head == 0)
            memset(second + at, 0, sizeof(def.head));
        memcpy(second + at + offsetof(struct rf_def, n_words), &def.n_words, sizeof(def.n_words));
    }
}

/* The text of a large definition is there, or it was never finished. */
static bool has_hole(int fd, const struct rf_def *def, uint64_t at)
{
    const uint64_t begin = sizeof(struct rf_defs_header) + at, size = (uint64_t)def->n_words * 8;
    if (size <= LARGE_DEF)
        return false;
    off_t hole = lseek(fd, (off_t)begin, SEEK_HOLE);
    return hole >= 0 && (uint64_t)hole < begin + size;
}

static void hide_holes(struct rf_log_builder *b, int fd, uint8_t *bytes, uint64_t size)
{
    struct rf_def def;
    for (uint64_t at = 0; size - at >= sizeof(def); at += (uint64_t)def.n_words * 8) {
        memcpy(&def, bytes + at, sizeof(def));
        if (def.n_words < sizeof(def) / 8 || def.n_words > (size - at) / 8)
            break;
        if (def.head == 0 || !has_hole(fd, &def, at))
            continue;
        memset(bytes + at, 0, sizeof(def.head));
        b->log->n_damaged_bytes += (uint64_t)def.n_words * 8;
    }
}

static void add_defs(struct rf_log_builder *b, int fd, uint32_t process)
{
    struct rf_defs_header header;
    if (read_at(fd, &header, sizeof(header), 0) != sizeof(header) ||
        memcmp(header.magic, RF_DEFS_MAGIC, sizeof(header.magic)) != 0)
        return;
    uint64_t room = room_for_defs(fd);
    void *first = room > 0 ? mmap(NULL, (size_t)room, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                           : NULL;
    first = first != MAP_FAILED ? first : NULL;
    uint64_t size = first != NULL ? read_defs(fd, first, room) : 0;
    uint8_t *second = size > 0 ? rf_log_reserve(b->log, size) : NULL;
    atomic_thread_fence(memory_order_acquire);
    b->is_out_of_memory |= (room > 0 && first == NULL) || (size > 0 && second == NULL);
    if (second != NULL && read_defs(fd, second, size) == size) {
        hide_unpublished(first, second, size);
        hide_holes(b, fd, second, size);
        rf_log_add_defs(b, process, 0, second, size);
        b->log->size_bytes += sizeof(struct rf_defs_header) + size;
    }
    if (first != NULL)
        (void)munmap(first, (size_t)room);
}

/* ---- The directory ---- */

/* Opens a file of the directory. One that is not there is none (*fd is -1); one that is there and
 * cannot be opened is an error, since what it holds would be missing. */
static int open_file(int directory, const char *name, const char *path, int *fd, struct rf_err *err)
{
    *fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd >= 0 || errno == ENOENT)
        return RF_OK;
    return rf_fail(err, errno == ENOMEM ? RF_ERR_NO_MEMORY : RF_ERR_IO, "cannot open '%s/%s': %s",
                   path, name, strerror(errno));
}

static int open_process_file(int directory, uint32_t process, const char *suffix, const char *path,
                             int *fd, struct rf_err *err)
{
    char name[32];
    (void)snprintf(name, sizeof(name), "p%06" PRIu32 ".%s", process, suffix);
    return open_file(directory, name, path, fd, err);
}

static int add_log(struct rf_log_builder *b, int fd, uint32_t process, const char *path,
                   struct rf_err *err)
{
    struct rf_log *log = b->log;
    bool is_whole = false;
    const uint8_t *data;
    uint64_t size;
    int status = rf_log_map(b->log, fd, path, &data, &size, err);
    if (status != RF_OK)
        return status;
    b->log->size_bytes += size;
    if (size == 0)
        return RF_OK; /* made, and killed before its header was written */
    if (rf_log_check_header(data, size, path, NULL) == RF_OK)
        is_whole = rf_log_add_chunks(b, data, size);
    else
        log->n_damaged_bytes += size;
    if (rf_grow_array(&log->file, log->n_files, &b->file_room, sizeof(*log->file)) != RF_OK)
        return rf_fail(err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory", path);
    log->file[log->n_files++] = (struct rf_log_file){process, is_whole, data, size};
    return RF_OK;
}

/* What was sampled, where anything was. */
static int add_metrics_file(struct rf_log_builder *b, int directory, const char *path,
                            struct rf_err *err)
{
    const uint8_t *data;
    uint64_t size;
    int fd;
    int status = open_file(directory, RF_METRICS_FILE, path, &fd, err);
    if (fd < 0)
        return status;
    status = rf_log_map(b->log, fd, path, &data, &size, err);
    (void)close(fd);
    if (status != RF_OK || size == 0)
        return status;
    b->log->size_bytes += size;
    if (rf_log_check_header(data, size, path, NULL) == RF_OK)
        (void)rf_log_add_chunks(b, data, size);
    else
        b->log->n_damaged_bytes += size;
    return RF_OK;
}

/* A process that has recorded anything has a pool with the newest events of its threads, and
 * definitions, of which the first is its own. */
static void count_lost_files(struct rf_log_builder *b, bool has_parts, bool has_defs,
                             bool has_whole_pool)
{
    if ((has_parts || has_defs) && !has_whole_pool)
        b->log->damage.is_end_missing = true;
    if (has_parts && !has_defs)
        b->log->damage.n_defs++;
}

static int add_process(struct rf_log_builder *b, int directory, uint32_t process, const char *path,
                       struct rf_err *err)
{
    int fd, pool;
    const size_t n_parts = b->log->n_parts, n_pieces = b->n_pieces;
    struct pool_state state = {NULL, 0, false};
    int status = open_process_file(directory, process, "pool", path, &pool, err);
    if (pool >= 0)
        add_pool(b, pool, process, &state);
    fd = -1;
    if (status == RF_OK)
        status = open_process_file(directory, process, "log", path, &fd, err);
    if (status == RF_OK && fd >= 0) {
        status = add_log(b, fd, process, path, err);
        (void)close(fd);
    }
    if (pool >= 0) {
        add_moved(b, pool, process, &state);
        (void)close(pool);
    }
    free(state.newest);
    if (status == RF_OK)
        status = open_process_file(directory, process, "defs", path, &fd, err);
    if (status == RF_OK && fd >= 0) {
        add_defs(b, fd, process);
        (void)close(fd);
    }
    count_lost_files(b, b->log->n_parts > n_parts, b->n_pieces > n_pieces, state.is_whole);
    return status;
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* The number in the name of a process's file, or UINT32_MAX. */
static uint32_t number_of(const char *name)
{
    char *end;
    if (name[0] != 'p' || name[1] < '0' || name[1] > '9')
        return UINT32_MAX;
    unsigned long long number = strtoull(name + 1, &end, 10);
    return *end == '.' && number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* The numbers of the processes that have files: sorted, each once. The caller frees *out. */
static int list_numbers(int directory, uint32_t **out, size_t *n_out)
{
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
    struct dirent *entry;
    size_t n = 0, room = 0, n_unique = 0;
    int status = dir != NULL ? RF_OK : RF_ERR_IO;
    *out = NULL;
    if (dir == NULL && copy >= 0)
        (void)close(copy);
    while (status == RF_OK && (entry = readdir(dir)) != NULL) {
        uint32_t number = number_of(entry->d_name);
        if (number == UINT32_MAX)
            continue;
        status = rf_grow_array(out, n, &room, sizeof(**out));
        if (status == RF_OK)
            (*out)[n++] = number;
    }
    if (dir != NULL)
        (void)closedir(dir);
    if (n > 0)
        qsort(*out, n, sizeof(**out), compare_numbers);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || (*out)[i] != (*out)[i - 1])
            (*out)[n_unique++] = (*out)[i];
    *n_out = n_unique;
    return status;
}

/* Which captures there are before the pools are read. */
static void read_captures(struct rf_log_builder *b, int directory, struct rf_control *early)
{
    int fd = openat(directory, RF_CONTROL_FILE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    b->is_focused = fd >= 0 && read_at(fd, early, sizeof(*early), 0) == sizeof(*early) &&
                    early->records_all == 0;
    if (fd >= 0)
        (void)close(fd);
}

/* While a ring is read, nothing of it is recycled (recycle.c). Without a lock it is read all the
 * same. */
static void keep_ring(struct rf_log *log, int directory)
{
    int fd = fcntl(directory, F_DUPFD_CLOEXEC, 0);
    int status = -1;
    while (fd >= 0 && (status = flock(fd, LOCK_SH)) != 0 && errno == EINTR)
        ;
    if (status == 0)
        log->ring_lock = fd + 1;
    else if (fd >= 0)
        (void)close(fd);
}

/* Leaves out those that began later. */
static void keep_captures(struct rf_control *control, const struct rf_control *early)
{
    for (uint32_t i = 0; i < RF_MAX_WINDOWS; i++)
        if (control->window[i].begin_ticks != early->window[i].begin_ticks)
            control->window[i] = early->window[i];
    control->n_windows = early->n_windows;
    control->capture.word = early->capture.word;
}

/* The copies of the control page that logs have are older; they hold where it is damaged. */
static int read_control(struct rf_log_builder *b, int fd, const char *path, unsigned flags,
                        struct rf_err *err)
{
    struct rf_control *control = malloc(sizeof(*control));
    bool has_copy = b->has_control, is_good;
    if (control == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory", path);
    b->has_control = false;
    rf_log_set_control(b, (const uint8_t *)control, read_at(fd, control, sizeof(*control), 0));
    b->log->size_bytes += sizeof(*control);
    free(control);
    is_good = b->has_control;
    b->has_control |= has_copy;
    if (!is_good && !(flags & RF_OPEN_SALVAGE))
        return rf_fail(err, RF_ERR_DAMAGED,
                       "'%s/%s' is damaged at byte 0: it is no control page; "
                       "`rangefinder recover '%s'` saves what can be read",
                       path, RF_CONTROL_FILE, path);
    return RF_OK;
}

static int fail_no_control(const char *path, struct rf_err *err)
{
    return rf_fail(err, RF_ERR_FORMAT, "'%s' is not a recording: the directory has no file '%s'",
                   path, RF_CONTROL_FILE);
}

/* The control page is read last: its clocks and counters then cover what the logs hold. */
static int add_control(struct rf_log_builder *b, int directory, const char *path, unsigned flags,
                       struct rf_err *err)
{
    int fd;
    int status = open_file(directory, RF_CONTROL_FILE, path, &fd, err);
    if (status == RF_OK && fd >= 0)
        status = read_control(b, fd, path, flags, err);
    else if (status == RF_OK && !(flags & RF_OPEN_SALVAGE))
        status = fail_no_control(path, err);
    if (status == RF_OK && b->has_control && !rf_format_is_known(b->log->control.version))
        status = rf_fail_at(err, RF_ERR_FORMAT, offsetof(struct rf_control, version),
                            "'%s' has format version %" PRIu32 ", this program reads %d to %d; "
                            "use a version of Rangefinder that fits",
                            path, b->log->control.version, RF_FORMAT_MAJOR, RF_FORMAT_COMPRESSED);
    if (fd >= 0)
        (void)close(fd);
    return status;
}

/* What is in complete pieces is not here; what they have lost neither. */
static int leave_out_pieces(struct rf_log_builder *b, int directory, const struct rf_control *early,
                            const char *path, struct rf_err *err)
{
    struct rf_control *control = &b->log->control;
    if (!control->pieces.is_split)
        return RF_OK;
    control->pieces = early->pieces;
    control->pieces.piece = control->pieces.n_pieces + 1;
    control->lost_records -= control->pieces.lost_records < control->lost_records
                                 ? control->pieces.lost_records
                                 : control->lost_records;
    control->lost_bytes -= control->pieces.lost_bytes < control->lost_bytes
                               ? control->pieces.lost_bytes
                               : control->lost_bytes;
    return rf_taken_read(b, directory, path, err);
}

int rf_log_add_directory(struct rf_log_builder *b, int directory, const char *path, unsigned flags,
                         struct rf_err *err)
{
    struct rf_control *early = calloc(1, sizeof(*early));
    uint32_t *number = NULL;
    size_t n = 0;
    int status = RF_OK;
    if (early == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory", path);
    read_captures(b, directory, early);
    if ((early->ring.size > 0 || early->pieces.is_split) && !(flags & RF_LOG_IS_RECYCLED)) {
        keep_ring(b->log, directory);
        read_captures(b, directory, early); /* which pieces are complete now */
    }
    status = list_numbers(directory, &number, &n);
    if (status != RF_OK)
        (void)rf_fail(err, status, "cannot list '%s': %s", path,
                      status == RF_ERR_IO ? strerror(errno) : "out of memory");
    else if (faccessat(directory, RF_CONTROL_FILE, F_OK, 0) != 0 && errno == ENOENT &&
             (n == 0 || !(flags & RF_OPEN_SALVAGE)))
        status = fail_no_control(path, err);
    for (size_t i = 0; i < n && status == RF_OK; i++)
        status = add_process(b, directory, number[i], path, err);
    if (status == RF_OK)
        status = add_metrics_file(b, directory, path, err);
    if (status == RF_OK)
        status = add_control(b, directory, path, flags, err);
    if (status == RF_OK && b->is_focused)
        keep_captures(&b->log->control, early);
    if (status == RF_OK && b->has_control)
        status = leave_out_pieces(b, directory, early, path, err);
    free(number);
    free(early);
    return status;
}
