/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pending.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PENDING 32

static struct {
    _Atomic(char *) path[MAX_PENDING];
    atomic_int n_removing; /* handlers that read the paths, which stay meanwhile */
} pending;

void rf_pending_add(const char *path)
{
    char *copy = strdup(path);
    for (int i = 0; copy != NULL && i < MAX_PENDING; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&pending.path[i], &none, copy))
            return;
    }
    free(copy);
}

/* Returns the descriptor of a file, 0 for a folder; -1: neither could be made. */
static int make(char *template, bool is_folder)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int made =
        is_folder ? (mkdtemp(template) != NULL ? 0 : -1) : mkostemp(template, O_CLOEXEC);
    const int code = errno;
    if (made >= 0)
        rf_pending_add(template);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return made;
}

int rf_pending_make_file(char *template)
{
    return make(template, false);
}

char *rf_pending_make_folder(char *template)
{
    return make(template, true) == 0 ? template : NULL;
}

void rf_pending_drop(const char *path)
{
    for (int i = 0; i < MAX_PENDING; i++) {
        char *noted = atomic_load(&pending.path[i]);
        if (noted == NULL || strcmp(noted, path) != 0 ||
            !atomic_compare_exchange_strong(&pending.path[i], &noted, NULL))
            continue;
        if (atomic_load(&pending.n_removing) == 0)
            free(noted);
        return;
    }
}

void rf_pending_remove(void)
{
    int code = errno;
    atomic_fetch_add(&pending.n_removing, 1);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < MAX_PENDING; i++) {
            const char *path = atomic_load(&pending.path[i]);
            if (path != NULL)
                (void)(pass == 0 ? unlink(path) : rmdir(path));
        }
    }
    atomic_fetch_sub(&pending.n_removing, 1);
    errno = code;
}
