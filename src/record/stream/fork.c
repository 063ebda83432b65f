/* SPDX-License-Identifier: Apache-2.0 */
/* A fork in the middle of an annotation: a signal handler forks, and the child may return into
 * the code that the handler interrupted. The kernel has wiped the writer there, and the pool is
 * that of the parent. So the child gets the writer of the forking thread back as it was, and
 * private memory in the place of the parent's pool: the record that was begun ends there, where
 * nobody reads it. The next event finds no writer, and makes a process of its own. Forks that do
 * not go through libc's fork() are not noticed; their child must not return into an annotation. */
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

/* An atfork handler of the program may have run first, and annotated: then this process has a
 * pool and writer of its own already, and only the parent's writers are restored. */
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
        saved[i].is_taken = 0; /* the child has no other threads */
    own = NULL;
}

#if defined(RF_IS_LINKED)
extern int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));

void rf_fork_watch(void)
{
    (void)pthread_atfork(save_writers, forget_writers, restore_writers);
}
#else
RF_OF_OLDEST(__register_atfork, "2.3.2");
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *library) __attribute__((weak));

void rf_fork_watch(void)
{
    if (__register_atfork != NULL)
        (void)__register_atfork(save_writers, forget_writers, restore_writers, NULL);
}
#endif
