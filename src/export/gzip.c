/* SPDX-License-Identifier: Apache-2.0 */
/* The caller fills blocks in a ring and queues them; workers compress whichever is next; the caller
 * writes a block when it needs its place again, so that blocks come out in their order. Without
 * workers it compresses them itself. */
#include "export/gzip.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"

#define BLOCK_SIZE  ((size_t)256 << 10)
#define WINDOW_SIZE ((size_t)32 << 10) /* what deflate looks back */
#define MAX_WORKERS 8

/* The fastest level: traces shrink tenfold with it, and the higher ones take 5 times as long for a
 * few percent. */
#define GZIP_LEVEL 1

/* RFC 1952: no name, no time, fastest, Unix. */
static const unsigned char header[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3};

enum block_state { BLOCK_FREE, BLOCK_QUEUED, BLOCK_DONE };

struct block {
    enum block_state state; /* under the mutex */
    int has_window;         /* it is not the first one */
    size_t size;
    unsigned char *packed;
    size_t packed_size;
    uint32_t crc;
    unsigned char window[WINDOW_SIZE]; /* the end of the block before */
    unsigned char data[BLOCK_SIZE];
};

struct worker {
    struct gzip_pool *pool;
    pthread_t thread;
    z_stream stream;
};

struct gzip_pool {
    pthread_mutex_t mutex;
    pthread_cond_t is_queued, is_done;
    int is_ending;        /* under the mutex */
    uint64_t next_queued; /* number of the block that a worker takes next; under the mutex */
    uint64_t n_queued;    /* under the mutex */
    struct worker worker[MAX_WORKERS];
    int n_workers;
    z_stream stream; /* of the caller, where there are no workers */
    int has_stream;
    size_t packed_room;
    uint64_t n_filled, n_written; /* blocks */
    uint64_t n_bytes;
    uint32_t crc;
    int is_grown;
    size_t n_blocks;
    struct block *block[2 * MAX_WORKERS];
};

static struct block *block_of(struct gzip_pool *pool, uint64_t number)
{
    return pool->block[number % pool->n_blocks];
}

/* ---- Compressing ---- */

static int begin_stream(z_stream *stream)
{
    memset(stream, 0, sizeof(*stream));
    /* negative: raw, without a header or trailer of its own */
    return deflateInit2(stream, GZIP_LEVEL, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK;
}

/* Ends at a whole byte, so that blocks can stand one behind the other. */
static void compress_block(const struct gzip_pool *pool, z_stream *stream, struct block *block)
{
    (void)deflateReset(stream);
    if (block->has_window)
        (void)deflateSetDictionary(stream, block->window, (uInt)WINDOW_SIZE);
    stream->next_in = block->data;
    stream->avail_in = (uInt)block->size;
    stream->next_out = block->packed;
    stream->avail_out = (uInt)pool->packed_room;
    (void)deflate(stream, Z_SYNC_FLUSH);
    block->packed_size = pool->packed_room - stream->avail_out;
    block->crc = (uint32_t)crc32(crc32(0, NULL, 0), block->data, (uInt)block->size);
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct gzip_pool *pool = worker->pool;
    (void)pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (pool->next_queued == pool->n_queued && !pool->is_ending)
            (void)pthread_cond_wait(&pool->is_queued, &pool->mutex);
        if (pool->is_ending)
            break;
        struct block *block = block_of(pool, pool->next_queued++);
        (void)pthread_mutex_unlock(&pool->mutex);
        compress_block(pool, &worker->stream, block);
        (void)pthread_mutex_lock(&pool->mutex);
        block->state = BLOCK_DONE;
        (void)pthread_cond_signal(&pool->is_done);
    }
    (void)pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* ---- The caller's side ---- */

static int count_processors(void)
{
    cpu_set_t cores;
    int n = sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
    return n < MAX_WORKERS ? n : MAX_WORKERS;
}

static int start_worker(struct gzip_pool *pool, struct worker *worker)
{
    worker->pool = pool;
    if (!begin_stream(&worker->stream))
        return 0;
    if (pthread_create(&worker->thread, NULL, work, worker) == 0)
        return 1;
    (void)deflateEnd(&worker->stream);
    return 0;
}

/* The program's signals are its own threads' business. */
static void start_workers(struct gzip_pool *pool)
{
    int n = count_processors();
    sigset_t all, before;
    if (n < 2)
        return;
    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGBUS); /* of a file that is cut short: the caller may handle it */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->n_workers < n && start_worker(pool, &pool->worker[pool->n_workers]))
        pool->n_workers++;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void end_workers(struct gzip_pool *pool)
{
    (void)pthread_mutex_lock(&pool->mutex);
    pool->is_ending = 1;
    (void)pthread_cond_broadcast(&pool->is_queued);
    (void)pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->n_workers; i++) {
        (void)pthread_join(pool->worker[i].thread, NULL);
        (void)deflateEnd(&pool->worker[i].stream);
    }
}

static int add_block(struct gzip_pool *pool)
{
    struct block *block = calloc(1, sizeof(*block));
    if (block == NULL)
        return 0;
    pool->block[pool->n_blocks++] = block;
    block->packed = malloc(pool->packed_room);
    return block->packed != NULL;
}

int rf_gzip_init(struct rf_gzip *gzip, struct rf_output *output, struct rf_err *err)
{
    struct gzip_pool *pool = calloc(1, sizeof(*pool));
    gzip->output = output;
    gzip->pool = pool;
    if (pool == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    (void)pthread_mutex_init(&pool->mutex, NULL);
    (void)pthread_cond_init(&pool->is_queued, NULL);
    (void)pthread_cond_init(&pool->is_done, NULL);
    pool->has_stream = begin_stream(&pool->stream);
    pool->packed_room = compressBound(BLOCK_SIZE) + 64; /* and the marker of a block's end */
    if (!pool->has_stream || !add_block(pool)) {
        rf_gzip_release(gzip);
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    return rf_output_write(output, header, sizeof(header), err);
}

/* The oldest block is written, and its place is free. */
static int write_oldest(struct rf_gzip *gzip, struct rf_err *err)
{
    struct gzip_pool *pool = gzip->pool;
    struct block *block = block_of(pool, pool->n_written);
    (void)pthread_mutex_lock(&pool->mutex);
    while (block->state != BLOCK_DONE)
        (void)pthread_cond_wait(&pool->is_done, &pool->mutex);
    block->state = BLOCK_FREE;
    (void)pthread_mutex_unlock(&pool->mutex);
    pool->crc = (uint32_t)crc32_combine(pool->crc, block->crc, (z_off_t)block->size);
    pool->n_written++;
    pool->n_bytes += block->size;
    return rf_output_write(gzip->output, block->packed, block->packed_size, err);
}

/* The block that is being filled goes to the workers, or is compressed here. */
static void hand_over(struct gzip_pool *pool)
{
    struct block *block = block_of(pool, pool->n_filled++);
    if (pool->n_workers == 0) {
        compress_block(pool, &pool->stream, block);
        block->state = BLOCK_DONE;
        return;
    }
    (void)pthread_mutex_lock(&pool->mutex);
    block->state = BLOCK_QUEUED;
    pool->n_queued = pool->n_filled;
    (void)pthread_cond_signal(&pool->is_queued);
    (void)pthread_mutex_unlock(&pool->mutex);
}

/* Small outputs need no threads: they start behind the first block, which is compressed here and
 * has been written when the ring grows. */
static int grow(struct rf_gzip *gzip, struct rf_err *err)
{
    struct gzip_pool *pool = gzip->pool;
    int status = write_oldest(gzip, err);
    /* the ring gets another size: blocks are counted anew, so that a number is a place in it */
    pool->n_filled = pool->n_written = 0;
    start_workers(pool);
    for (int i = 1; i < 2 * pool->n_workers && status == RF_OK; i++)
        if (!add_block(pool))
            status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    return status;
}

/* Behind a block that is full: one that is empty. */
static int begin_next_block(struct rf_gzip *gzip, struct rf_err *err)
{
    struct gzip_pool *pool = gzip->pool;
    const struct block *before = block_of(pool, pool->n_filled);
    int status = RF_OK;
    hand_over(pool);
    if (!pool->is_grown) {
        pool->is_grown = 1;
        status = grow(gzip, err);
    } else if (pool->n_filled - pool->n_written == pool->n_blocks) {
        status = write_oldest(gzip, err);
    }
    struct block *block = block_of(pool, pool->n_filled);
    memcpy(block->window, before->data + BLOCK_SIZE - WINDOW_SIZE, WINDOW_SIZE);
    block->has_window = 1;
    block->size = 0;
    return status;
}

int rf_gzip_write(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct rf_gzip *gzip = context;
    const char *from = data;
    int status = RF_OK;
    while (size > 0 && status == RF_OK) {
        struct block *block = block_of(gzip->pool, gzip->pool->n_filled);
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

static void put_le32(unsigned char *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> 8 * i);
}

int rf_gzip_finish(struct rf_gzip *gzip, struct rf_err *err)
{
    struct gzip_pool *pool = gzip->pool;
    unsigned char end[10] = {3, 0}; /* an empty block that is the last one */
    int status = RF_OK;
    hand_over(pool);
    while (pool->n_written < pool->n_filled && status == RF_OK)
        status = write_oldest(gzip, err);
    put_le32(end + 2, pool->crc);
    put_le32(end + 6, (uint32_t)pool->n_bytes);
    return status == RF_OK ? rf_output_write(gzip->output, end, sizeof(end), err) : status;
}

void rf_gzip_release(struct rf_gzip *gzip)
{
    struct gzip_pool *pool = gzip->pool;
    gzip->pool = NULL;
    if (pool == NULL)
        return;
    end_workers(pool);
    for (size_t i = 0; i < pool->n_blocks; i++) {
        free(pool->block[i]->packed);
        free(pool->block[i]);
    }
    if (pool->has_stream)
        (void)deflateEnd(&pool->stream);
    (void)pthread_cond_destroy(&pool->is_done);
    (void)pthread_cond_destroy(&pool->is_queued);
    (void)pthread_mutex_destroy(&pool->mutex);
    free(pool);
}
