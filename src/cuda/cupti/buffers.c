/* SPDX-License-Identifier: Apache-2.0 */
/* The buffers that CUPTI fills. CUPTI requests them on any thread, also on threads of the program
 * in the middle of a call. It always gets one, since older versions crash without. The buffers are
 * zero when CUPTI gets them; otherwise CUPTI would zero them on that thread.
 *
 * A buffer that comes back need not be ours: another user of CUPTI in this process may have
 * given CUPTI buffers before we replaced its callbacks. Those are not touched. */
#include "cuda/cupti/buffers.h"

#include <errno.h>
#include <string.h>

#include "cuda/cuda_state.h"
#include "cuda/records/convert.h"

#define BUFFER_SIZE  (2u << 20)
#define RING_SIZE    (96u << 10) /* of it, in a flight recorder, */
#define N_AT_START   4u
#define N_KEPT       32u
#define DISCARD_SIZE 65536u
#define LEAST_RECORD 24u   /* bytes; no record is shorter */
#define MAX_KNOWN    4096u /* buffers that may exist at a time */

/* Flags in the low bits of an address, which are zero in the address of a page. */
#define IS_OUT      1u    /* CUPTI has the buffer, */
#define ENDS_SHIFT  1     /* and got it after so many ends of captures, */
#define ENDS_PERIOD 2048u /* modulo this number */

/* What CUPTI gets of a buffer. It keeps one back while any work in it runs, and fills it meanwhile:
 * where some always runs a snapshot waits until the buffer is full. Atomic. */
static uint32_t used_size = BUFFER_SIZE;

/* Free buffers; NULL: none in this place. A buffer belongs to whoever takes it out with an
 * exchange. */
static uint8_t *free_buffers[N_KEPT];

/* All our buffers, by their address, each with its flags; 0: a free place; atomic. */
static uint64_t known[MAX_KNOWN];

/* What CUPTI gets when there is no memory: nobody reads it, and its records are lost. */
static uint8_t discard[DISCARD_SIZE] __attribute__((aligned(64)));

/* ---- Our buffers ---- */

static uint32_t first_place(const uint8_t *buffer)
{
    return (uint32_t)(((uint64_t)(uintptr_t)buffer >> 12) * 0x9e3779b97f4a7c15ULL >> 40);
}

static bool add_known(uint8_t *buffer)
{
    uint32_t first = first_place(buffer);
    for (uint32_t i = 0; i < MAX_KNOWN; i++) {
        uint64_t none = 0;
        if (__atomic_compare_exchange_n(&known[(first + i) % MAX_KNOWN], &none,
                                        (uint64_t)(uintptr_t)buffer, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

/* The place of a buffer in known[]; NULL: it is not ours. */
static uint64_t *place_of(const uint8_t *buffer)
{
    uint32_t first = first_place(buffer);
    for (uint32_t i = 0; i < MAX_KNOWN; i++) {
        uint64_t *place = &known[(first + i) % MAX_KNOWN];
        if ((__atomic_load_n(place, __ATOMIC_RELAXED) & ~4095ULL) == (uint64_t)(uintptr_t)buffer)
            return place;
    }
    return NULL;
}

static uint64_t ends_now(void)
{
    return (__atomic_load_n(&rf_cuda.n_ends, __ATOMIC_ACQUIRE) % ENDS_PERIOD) << ENDS_SHIFT;
}

static void mark_lent(uint8_t *buffer)
{
    uint64_t *place = place_of(buffer);
    if (place != NULL)
        __atomic_store_n(place, (uint64_t)(uintptr_t)buffer | ends_now() | IS_OUT,
                         __ATOMIC_RELAXED);
}

/* False: CUPTI did not get it from us. */
static bool mark_returned(uint8_t *buffer)
{
    uint64_t *place = buffer != NULL ? place_of(buffer) : NULL;
    uint64_t seen = place != NULL ? __atomic_load_n(place, __ATOMIC_RELAXED) : 0;
    return (seen & IS_OUT) != 0 &&
           __atomic_compare_exchange_n(place, &seen, (uint64_t)(uintptr_t)buffer, false,
                                       __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

bool rf_cuda_has_older_buffers(void)
{
    for (uint32_t i = 0; i < MAX_KNOWN; i++) {
        /* acquire: who marked it as returned had entered n_inside before */
        uint64_t seen = __atomic_load_n(&known[i], __ATOMIC_ACQUIRE);
        if ((seen & IS_OUT) != 0 && (seen & 4095u) != (ends_now() | IS_OUT))
            return true;
    }
    return __atomic_load_n(&rf_cuda.n_inside, __ATOMIC_ACQUIRE) != 0;
}

/* ---- Free buffers ---- */

static void unmap_buffer(uint8_t *buffer)
{
    uint64_t *place = place_of(buffer);
    if (place != NULL)
        __atomic_store_n(place, 0, __ATOMIC_RELAXED);
    (void)rf_sys_munmap(buffer, BUFFER_SIZE);
}

static uint8_t *map_buffer(void)
{
    uint8_t *buffer = rf_sys_mmap(BUFFER_SIZE, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (buffer == NULL)
        return NULL;
    if (!add_known(buffer)) {
        (void)rf_sys_munmap(buffer, BUFFER_SIZE);
        return NULL;
    }
    (void)rf_sys_madvise(buffer, BUFFER_SIZE, MADV_DONTDUMP);
    return buffer;
}

static void release_buffer(uint8_t *buffer)
{
    for (uint32_t i = 0; i < N_KEPT; i++) {
        uint8_t *seen = NULL;
        /* release: all reads of it come before another thread takes it */
        if (__atomic_compare_exchange_n(&free_buffers[i], &seen, buffer, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return;
    }
    unmap_buffer(buffer);
}

static uint8_t *acquire_buffer(void)
{
    for (uint32_t i = 0; i < N_KEPT; i++) {
        if (__atomic_load_n(&free_buffers[i], __ATOMIC_RELAXED) == NULL)
            continue;
        uint8_t *buffer = __atomic_exchange_n(&free_buffers[i], NULL, __ATOMIC_ACQUIRE);
        if (buffer != NULL)
            return buffer;
    }
    return map_buffer();
}

void rf_cuda_prepare_buffers(void)
{
    const uint32_t size = rf_recorder.control->ring.size > 0 ? RING_SIZE : BUFFER_SIZE;
    __atomic_store_n(&used_size, size, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < N_AT_START; i++) {
        uint8_t *buffer = map_buffer();
        if (buffer != NULL)
            release_buffer(buffer);
    }
}

void rf_cuda_release_buffers(void)
{
    for (uint32_t i = 0; i < N_KEPT; i++) {
        uint8_t *buffer = __atomic_exchange_n(&free_buffers[i], NULL, __ATOMIC_ACQUIRE);
        if (buffer != NULL)
            unmap_buffer(buffer);
    }
}

/* ---- CUPTI's callbacks ---- */

void rf_cuda_request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *buffer = acquire_buffer();
    *size = __atomic_load_n(&used_size, __ATOMIC_RELAXED);
    *max_records = 0; /* as many as it holds */
    if (*buffer != NULL) {
        mark_lent(*buffer);
    } else {
        memset(discard, 0, sizeof(discard));
        *buffer = discard;
        *size = sizeof(discard);
    }
    (void)__atomic_fetch_add(&rf_cuda.n_requested, 1, __ATOMIC_RELEASE);
}

static void read_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t valid_size)
{
    size_t n_dropped = 0;
    uint64_t n = rf_cuda_convert(buffer, valid_size);
    (void)__atomic_fetch_add(&rf_cuda.n_records, n, __ATOMIC_RELAXED);
    if (rf_cuda.cupti.get_n_dropped != NULL &&
        rf_cuda.cupti.get_n_dropped(context, stream, &n_dropped) == RF_CUPTI_SUCCESS &&
        n_dropped > 0)
        rf_cuda_record_dropped(n_dropped);
}

void rf_cuda_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                      size_t valid_size)
{
    int saved_errno = errno;
    (void)__atomic_fetch_add(&rf_cuda.n_inside, 1, __ATOMIC_ACQUIRE);
    if (buffer != discard && !mark_returned(buffer)) {
        (void)__atomic_fetch_sub(&rf_cuda.n_inside, 1, __ATOMIC_RELEASE);
        (void)__atomic_fetch_add(&rf_cuda.n_foreign, 1, __ATOMIC_RELAXED);
        return;
    }
    bool is_good = rf_cuda_is_on() && valid_size <= size;
    if (is_good && buffer == discard) /* the number of records is unknown: at least this many */
        rf_cuda_record_dropped(1 + valid_size / RF_CUPTI_LONGEST_RECORD);
    else if (is_good && valid_size >= LEAST_RECORD)
        read_buffer(context, stream, buffer, valid_size);
    if (buffer != discard) {
        memset(buffer, 0, valid_size < BUFFER_SIZE ? valid_size : BUFFER_SIZE);
        release_buffer(buffer);
    }
    (void)__atomic_fetch_sub(&rf_cuda.n_inside, 1, __ATOMIC_RELEASE);
    (void)__atomic_fetch_add(&rf_cuda.n_completed, 1, __ATOMIC_RELEASE);
    errno = saved_errno;
}
