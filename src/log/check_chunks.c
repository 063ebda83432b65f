/* SPDX-License-Identifier: Apache-2.0 */
#include "log/check_chunks.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "log/chunks.h"
#include "log/compress.h"
#include "log/log_memory.h"

#define MAX_THREADS      64u
#define BYTES_PER_THREAD ((uint64_t)16 << 20) /* with less, starting a thread does not pay */

struct share {
    const struct rf_log *log;
    const struct rf_indexed *file;
    uint64_t from, to;          /* entries */
    struct rf_checked *checked; /* of all entries */
    pthread_t thread;
    bool is_started;
};

struct rf_index_entry rf_indexed_entry(const struct rf_indexed *file, uint64_t i)
{
    struct rf_index_entry entry;
    memcpy(&entry,
           file->data + file->index_offset + sizeof(struct rf_chunk_header) + i * sizeof(entry),
           sizeof(entry));
    return entry;
}

/* A header whose bytes are not checked may say something else. */
static bool is_of_entry(const struct rf_chunk_header *header, const struct rf_index_entry *entry)
{
    return header->type == entry->type && header->process == entry->process &&
           header->slot == entry->slot && header->seq == entry->seq &&
           header->size == entry->size - sizeof(*header);
}

static struct rf_checked check(const struct rf_indexed *file, const struct rf_index_entry *entry,
                               bool is_counted)
{
    struct rf_chunk_header header;
    if (entry->offset > file->index_offset || entry->size < sizeof(header) ||
        entry->size > file->index_offset - entry->offset ||
        !rf_chunk_header_at(file->data, file->index_offset, entry->offset, &header) ||
        !is_of_entry(&header, entry) ||
        (!is_counted && rf_crc32c(0, file->data + entry->offset, entry->size) != entry->crc32c))
        return (struct rf_checked){.is_good = false};
    struct rf_checked checked = {true, header.ticks, header.mono_ns, {.type = 0}};
    if (header.type == RF_CHUNK_COMPRESSED &&
        !rf_compressed_read(&checked.compressed, file->data + entry->offset, entry->size, false))
        checked.compressed.type = 0;
    return checked;
}

static void *check_share(void *context)
{
    const struct share *share = context;
    const struct rf_indexed *file = share->file;
    struct rf_log_read read = {.from = NULL};
    for (uint64_t i = share->from; i < share->to; i++) {
        const struct rf_index_entry entry = rf_indexed_entry(file, i);
        const bool is_counted = file->counts != NULL && file->counts[i] != NULL;
        share->checked[i] = check(file, &entry, is_counted);
        if (file->is_read_once && share->checked[i].is_good)
            rf_log_was_read(share->log, &read, file->data + entry.offset, entry.size);
    }
    return NULL;
}

static uint64_t count_threads(const struct rf_indexed *file)
{
    cpu_set_t cores;
    uint64_t n = file->index_offset / BYTES_PER_THREAD;
    uint64_t n_cores =
        sched_getaffinity(0, sizeof(cores), &cores) == 0 ? (uint64_t)CPU_COUNT(&cores) : 1;
    n = n < n_cores ? n : n_cores;
    n = n < file->n ? n : file->n;
    return n < 1 ? 1 : n < MAX_THREADS ? n : MAX_THREADS;
}

/* The others block signals, which belong to the program, but for SIGBUS: the caller may handle it,
 * since the file may be truncated. A share whose thread cannot be started is checked here. */
static void check_all(struct share *share, uint64_t n)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGBUS);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    for (uint64_t i = 1; i < n; i++)
        share[i].is_started = pthread_create(&share[i].thread, NULL, check_share, &share[i]) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (uint64_t i = 0; i < n; i++)
        if (!share[i].is_started)
            (void)check_share(&share[i]);
    for (uint64_t i = 1; i < n; i++)
        if (share[i].is_started)
            (void)pthread_join(share[i].thread, NULL);
}

struct rf_checked *rf_check_chunks(const struct rf_log *log, const struct rf_indexed *file)
{
    struct share share[MAX_THREADS] = {{.log = NULL}};
    struct rf_checked *checked = calloc(file->n + 1, sizeof(*checked));
    const uint64_t n = count_threads(file);
    if (checked == NULL)
        return NULL;
    for (uint64_t i = 0; i < n; i++)
        share[i] = (struct share){.log = log,
                                  .file = file,
                                  .from = file->n / n * i,
                                  .to = i + 1 < n ? file->n / n * (i + 1) : file->n,
                                  .checked = checked};
    check_all(share, n);
    return checked;
}
