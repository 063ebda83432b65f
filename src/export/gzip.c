/* SPDX-License-Identifier: Apache-2.0 */
/* The caller fills blocks in a ring and queues them; workers compress whichever is next; the caller
 * writes a block when it needs its place again, so that blocks come out in their order. Without
 * workers it compresses them itself. */
#include "export/gzip.h"

#include <endian.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "export/deflate.h"

#define BLOCK_SIZE  ((size_t)512 << 10)
#define PACKED_SIZE RF_DEFLATE_MOST(BLOCK_SIZE)
#define WINDOW_SIZE RF_DEFLATE_WINDOW
#define MAX_WORKERS 8

/* RFC 1952: no name, no time, fastest, Unix. */
static const unsigned char header[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3};

/* What data became. */
struct packing {
    size_t size, packed_size;
    uint32_t crc;
};

struct block {
    bool is_done;    /* it is compressed; under the mutex */
    bool has_window; /* it may refer to what is before it */
    size_t size;
    struct packing packing;
    unsigned char window[WINDOW_SIZE]; /* the end of the block before */
    unsigned char data[BLOCK_SIZE];
    unsigned char packed[]; /* PACKED_SIZE */
};

struct worker {
    struct rf_gzip *gzip;
    pthread_t thread;
    struct rf_deflate *deflate;
};

struct rf_gzip {
    struct rf_output *output;
    pthread_mutex_t mutex;
    pthread_cond_t is_queued, is_done;
    bool is_ending;    /* under the mutex */
    uint64_t n_taken;  /* blocks, by workers; under the mutex */
    uint64_t n_filled; /* blocks; the caller changes it under the mutex */
    uint64_t n_written;
    struct worker worker[MAX_WORKERS];
    int n_workers;
    struct rf_deflate *deflate; /* of the caller, where there are no workers */
    uint64_t n_bytes;
    uint32_t crc;
    bool is_grown;
    size_t n_blocks;
    struct block *block[2 * MAX_WORKERS];
};

static struct block *block_of(const struct rf_gzip *gzip, uint64_t number)
{
    return gzip->block[number % gzip->n_blocks];
}

/* ---- Compressing ---- */

/* window: what is before it, or NULL. */
static struct packing compress_to(unsigned char *packed, struct rf_deflate *deflate,
                                  const unsigned char *window, const unsigned char *data,
                                  size_t size)
{
    return (struct packing){size, rf_deflate_block(deflate, window, data, size, packed),
                            rf_deflate_crc(data, size)};
}

static void compress_block(struct rf_deflate *deflate, struct block *block)
{
    block->packing = compress_to(block->packed, deflate, block->has_window ? block->window : NULL,
                                 block->data, block->size);
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct rf_gzip *gzip = worker->gzip;
    (void)pthread_mutex_lock(&gzip->mutex);
    for (;;) {
        while (gzip->n_taken == gzip->n_filled && !gzip->is_ending)
            (void)pthread_cond_wait(&gzip->is_queued, &gzip->mutex);
        if (gzip->is_ending)
            break;
        struct block *block = block_of(gzip, gzip->n_taken++);
        (void)pthread_mutex_unlock(&gzip->mutex);
        compress_block(worker->deflate, block);
        (void)pthread_mutex_lock(&gzip->mutex);
        block->is_done = true;
        (void)pthread_cond_signal(&gzip->is_done);
    }
    (void)pthread_mutex_unlock(&gzip->mutex);
    return NULL;
}

/* ---- The caller's side ---- */

static int count_processors(void)
{
    cpu_set_t cores;
    int n = sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
    return n < MAX_WORKERS ? n : MAX_WORKERS;
}

static bool start_worker(struct rf_gzip *gzip, struct worker *worker)
{
    worker->gzip = gzip;
    worker->deflate = rf_deflate_new();
    if (worker->deflate != NULL && pthread_create(&worker->thread, NULL, work, worker) == 0)
        return true;
    rf_deflate_free(worker->deflate);
    return false;
}

/* The program's signals are its own threads' business. */
static void start_workers(struct rf_gzip *gzip)
{
    int n = count_processors();
    sigset_t all, before;
    if (n < 2)
        return;
    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGBUS); /* of a file that is cut short: the caller may handle it */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (gzip->n_workers < n && start_worker(gzip, &gzip->worker[gzip->n_workers]))
        gzip->n_workers++;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void end_workers(struct rf_gzip *gzip)
{
    (void)pthread_mutex_lock(&gzip->mutex);
    gzip->is_ending = true;
    (void)pthread_cond_broadcast(&gzip->is_queued);
    (void)pthread_mutex_unlock(&gzip->mutex);
    for (int i = 0; i < gzip->n_workers; i++) {
        (void)pthread_join(gzip->worker[i].thread, NULL);
        rf_deflate_free(gzip->worker[i].deflate);
    }
}

static bool add_block(struct rf_gzip *gzip)
{
    struct block *block = calloc(1, sizeof(*block) + PACKED_SIZE);
    if (block != NULL)
        gzip->block[gzip->n_blocks++] = block;
    return block != NULL;
}

int rf_gzip_new(struct rf_gzip **out, struct rf_output *output, struct rf_err *err)
{
    struct rf_gzip *gzip = calloc(1, sizeof(*gzip));
    *out = gzip;
    if (gzip == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    gzip->output = output;
    (void)pthread_mutex_init(&gzip->mutex, NULL);
    (void)pthread_cond_init(&gzip->is_queued, NULL);
    (void)pthread_cond_init(&gzip->is_done, NULL);
    gzip->deflate = rf_deflate_new();
    if (gzip->deflate == NULL || !add_block(gzip))
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    return rf_output_write(output, header, sizeof(header), err);
}

static int write_packed(struct rf_gzip *gzip, const struct packing *packing,
                        const unsigned char *packed, struct rf_err *err)
{
    gzip->crc = (uint32_t)crc32_combine(gzip->crc, packing->crc, (z_off_t)packing->size);
    gzip->n_bytes += packing->size;
    return rf_output_write(gzip->output, packed, packing->packed_size, err);
}

/* The oldest block is written, and its place is free. */
static int write_oldest(struct rf_gzip *gzip, struct rf_err *err)
{
    const struct block *block = block_of(gzip, gzip->n_written);
    (void)pthread_mutex_lock(&gzip->mutex);
    while (!block->is_done)
        (void)pthread_cond_wait(&gzip->is_done, &gzip->mutex);
    (void)pthread_mutex_unlock(&gzip->mutex);
    gzip->n_written++;
    return write_packed(gzip, &block->packing, block->packed, err);
}

/* The block that is being filled goes to the workers, or is compressed here. */
static void hand_over(struct rf_gzip *gzip)
{
    struct block *block = block_of(gzip, gzip->n_filled);
    block->is_done = gzip->n_workers == 0;
    if (block->is_done)
        compress_block(gzip->deflate, block);
    (void)pthread_mutex_lock(&gzip->mutex);
    gzip->n_filled++;
    (void)pthread_cond_signal(&gzip->is_queued);
    (void)pthread_mutex_unlock(&gzip->mutex);
}

/* Small outputs need no threads: they start behind the first block, which is compressed here and
 * has been written when the ring grows. */
static int grow(struct rf_gzip *gzip, struct rf_err *err)
{
    int status = write_oldest(gzip, err);
    /* the ring gets another size: blocks are counted anew, so that a number is a place in it */
    gzip->n_filled = gzip->n_written = 0;
    gzip->is_grown = true;
    start_workers(gzip);
    for (int i = 1; i < 2 * gzip->n_workers && status == RF_OK; i++)
        if (!add_block(gzip))
            status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    return status;
}

/* All blocks are written, and the next one stands alone. */
static int write_all(struct rf_gzip *gzip, struct rf_err *err)
{
    int status = RF_OK;
    hand_over(gzip);
    while (gzip->n_written < gzip->n_filled && status == RF_OK)
        status = write_oldest(gzip, err);
    struct block *block = block_of(gzip, gzip->n_filled);
    block->has_window = false;
    block->size = 0;
    return status;
}

/* Behind a block that is full: one that is empty. */
static int begin_next_block(struct rf_gzip *gzip, struct rf_err *err)
{
    const struct block *before = block_of(gzip, gzip->n_filled);
    int status = RF_OK;
    hand_over(gzip);
    if (!gzip->is_grown)
        status = grow(gzip, err);
    else if (gzip->n_filled - gzip->n_written == gzip->n_blocks)
        status = write_oldest(gzip, err);
    struct block *block = block_of(gzip, gzip->n_filled);
    memcpy(block->window, before->data + BLOCK_SIZE - WINDOW_SIZE, WINDOW_SIZE);
    block->has_window = true;
    block->size = 0;
    return status;
}

int rf_gzip_write(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct rf_gzip *gzip = context;
    const char *from = data;
    int status = RF_OK;
    while (size > 0 && status == RF_OK) {
        struct block *block = block_of(gzip, gzip->n_filled);
        size_t room = BLOCK_SIZE - block->size;
        size_t n = size < room ? size : room;
        memcpy(block->data + block->size, from, n);
        block->size += n;
        from += n;
        size -= n;
        if (block->size == BLOCK_SIZE)
            status = begin_next_block(gzip, err);
    }
    return status;
}

/* ---- Pieces of other threads ---- */

struct rf_gzip_piece {
    struct rf_deflate *deflate;
    struct packing packing;
    unsigned char packed[]; /* PACKED_SIZE */
};

struct rf_gzip *rf_gzip_of(const struct rf_sink *sink)
{
    return sink->flush == rf_gzip_write ? sink->context : NULL;
}

struct rf_gzip_piece *rf_gzip_piece_new(void)
{
    struct rf_gzip_piece *piece = malloc(sizeof(*piece) + PACKED_SIZE);
    if (piece != NULL)
        piece->deflate = rf_deflate_new();
    if (piece != NULL && piece->deflate != NULL)
        return piece;
    free(piece);
    return NULL;
}

void rf_gzip_piece_free(struct rf_gzip_piece *piece)
{
    if (piece != NULL)
        rf_deflate_free(piece->deflate);
    free(piece);
}

size_t rf_gzip_pack(struct rf_gzip_piece *piece, const char *data, size_t size)
{
    const size_t n = size < BLOCK_SIZE ? size : BLOCK_SIZE;
    piece->packing =
        compress_to(piece->packed, piece->deflate, NULL, (const unsigned char *)data, n);
    return n;
}

int rf_gzip_put(struct rf_gzip *gzip, const struct rf_gzip_piece *piece, struct rf_err *err)
{
    int status = RF_OK;
    if (block_of(gzip, gzip->n_filled)->size > 0 || gzip->n_written < gzip->n_filled)
        status = write_all(gzip, err);
    return status == RF_OK ? write_packed(gzip, &piece->packing, piece->packed, err) : status;
}

int rf_gzip_finish(struct rf_gzip *gzip, struct rf_err *err)
{
    unsigned char end[10] = {3, 0}; /* an empty block that is the last one; CRC and size follow */
    const int status = write_all(gzip, err);
    const uint32_t trailer[2] = {htole32(gzip->crc), htole32((uint32_t)gzip->n_bytes)};
    memcpy(end + 2, trailer, sizeof(trailer));
    return status == RF_OK ? rf_output_write(gzip->output, end, sizeof(end), err) : status;
}

void rf_gzip_free(struct rf_gzip *gzip)
{
    if (gzip == NULL)
        return;
    end_workers(gzip);
    for (size_t i = 0; i < gzip->n_blocks; i++)
        free(gzip->block[i]);
    rf_deflate_free(gzip->deflate);
    (void)pthread_cond_destroy(&gzip->is_done);
    (void)pthread_cond_destroy(&gzip->is_queued);
    (void)pthread_mutex_destroy(&gzip->mutex);
    free(gzip);
}
