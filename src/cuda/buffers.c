/* SPDX-License-Identifier: Apache-2.0 */
/* The buffers that CUPTI fills. CUPTI asks for them on any thread, also on the program's own in the
 * middle of a call; it gets one in any case, for older versions crash without. */
#include <errno.h>

#include "cuda/cuda_state.h"

#define BUFFER_SIZE    (2u << 20)
#define N_AT_START     4u
#define N_KEPT         32u
#define DISCARD_SIZE   65536u
#define LEAST_RECORD   24u /* bytes; no record is shorter */
#define LONGEST_RECORD 248u

/* Free ones; NULL: none in this place. A buffer belongs to who takes it out with an exchange. */
static uint8_t *free_buffers[N_KEPT];

/* Where records go that are lost, when there is no memory: nobody reads it. */
static uint8_t discard[DISCARD_SIZE] __attribute__((aligned(64)));

static uint8_t *map_buffer(void)
{
    uint8_t *buffer = rf_sys_mmap(BUFFER_SIZE, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (buffer != NULL)
        (void)rf_sys_madvise(buffer, BUFFER_SIZE, MADV_DONTDUMP);
    return buffer;
}

static void give_back(uint8_t *buffer)
{
    for (uint32_t i = 0; i < N_KEPT; i++) {
        uint8_t *seen = NULL;
        /* release: what was read of it was read before another thread takes it */
        if (__atomic_compare_exchange_n(&free_buffers[i], &seen, buffer, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return;
    }
    (void)rf_sys_munmap(buffer, BUFFER_SIZE);
}

static uint8_t *take(void)
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
    for (uint32_t i = 0; i < N_AT_START; i++) {
        uint8_t *buffer = map_buffer();
        if (buffer != NULL)
            give_back(buffer);
    }
}

void rf_cuda_release_buffers(void)
{
    for (uint32_t i = 0; i < N_KEPT; i++) {
        uint8_t *buffer = __atomic_exchange_n(&free_buffers[i], NULL, __ATOMIC_ACQUIRE);
        if (buffer != NULL)
            (void)rf_sys_munmap(buffer, BUFFER_SIZE);
    }
}

void rf_cuda_request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *buffer = take();
    *size = BUFFER_SIZE;
    *max_records = 0; /* as many as it holds */
    if (*buffer == NULL) {
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
        rf_cuda_say_dropped(n_dropped);
}

void rf_cuda_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                      size_t valid_size)
{
    int saved_errno = errno;
    (void)__atomic_fetch_add(&rf_cuda.n_inside, 1, __ATOMIC_ACQUIRE);
    bool is_ours = rf_cuda_is_on() && valid_size <= size;
    if (is_ours && buffer == discard) /* how many there were nobody knows: not fewer than this */
        rf_cuda_say_dropped(1 + valid_size / LONGEST_RECORD);
    else if (is_ours && buffer != NULL && valid_size >= LEAST_RECORD)
        read_buffer(context, stream, buffer, valid_size);
    if (buffer != NULL && buffer != discard)
        give_back(buffer);
    (void)__atomic_fetch_sub(&rf_cuda.n_inside, 1, __ATOMIC_RELEASE);
    (void)__atomic_fetch_add(&rf_cuda.n_completed, 1, __ATOMIC_RELEASE);
    errno = saved_errno;
}
