/* SPDX-License-Identifier: Apache-2.0 */
/* A fork in the middle of an annotation: by a signal handler, whose child may return into what the
 * handler interrupted. The kernel has wiped the writer there, and the pool is the parent's. So the
 * child gets the forking thread's writer back as it was, and private memory where the parent's pool
 * is mapped: what was begun ends there, and harms nobody. The next event finds no writer, and makes
 * the process of its own. Forks that pass by libc's fork() are not seen; their child must not
 * return into an annotation. */
#include "record/stream/fork.h"

#include "record/stream/writer.h"

enum { N_FORKS = 8, MAX_NESTED = 4 };

struct saved {
    uint32_t is_taken; /* atomic */
    uint32_t n;
    uint8_t *pool;
    size_t pool_size;
    struct rf_writer *place[MAX_NESTED];
    struct rf_writer writer[MAX_NESTED];
};

static struct saved saved[N_FORKS]; /* of threads that fork at the same time */
static __thread struct saved *own;

static void save_writers(void)
{
    struct saved *s = NULL;
    for (uint32_t i = 0; i < N_FORKS && s == NULL; i++)
        if (__atomic_exchange_n(&saved[i].is_taken, 1, __ATOMIC_ACQUIRE) == 0)
            s = &saved[i];
    own = s;
    if (s == NULL)
        return;
    s->n = 0;
    s->pool = rf_recorder.pool;
    s->pool_size = rf_recorder.pool_size;
    for (struct rf_writer *w = rf_tls_writer; w != NULL && w->part != NULL && s->n < MAX_NESTED;
         w = w->nested) {
        s->place[s->n] = w;
        s->writer[s->n++] = *w;
    }
}

static void forget_writers(void)
{
    if (own != NULL)
        __atomic_store_n(&own->is_taken, 0, __ATOMIC_RELEASE);
    own = NULL;
}

/* A handler of the program's may have come first, and annotated: then this process has its own pool
 * and writer already, and only the parent's are seen to. */
static void restore_writers(void)
{
    if (own != NULL && own->n > 0 && own->pool != NULL &&
        rf_sys_mmap_at(own->pool, own->pool_size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1) != NULL) {
        for (uint32_t i = 0; i < own->n; i++)
            *own->place[i] = own->writer[i];
        if (rf_tls_writer == own->place[0])
            rf_tls_writer = &rf_no_writer;
    }
    for (uint32_t i = 0; i < N_FORKS; i++)
        saved[i].is_taken = 0; /* the other threads are not here */
    own = NULL;
}

#if defined(__x86_64__)
__asm__(".symver __register_atfork,__register_atfork@GLIBC_2.3.2");
#else
__asm__(".symver __register_atfork,__register_atfork@GLIBC_2.17");
#endif
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *library) __attribute__((weak));

void rf_fork_watch(void)
{
    if (__register_atfork != NULL)
        (void)__register_atfork(save_writers, forget_writers, restore_writers, NULL);
}
