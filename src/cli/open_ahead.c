/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/open_ahead.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include "model/private_access.h"

/* In memory a recording takes about as much as its file, and a compressed one some times that. */
#define MAX_BYTES ((off_t)512 << 20)

/* A session is a directory, and the reports of nsys are read by a program of nsys. */
static bool is_worth_it(const char *path)
{
    struct stat st;
    return rf_n_processors() > 1 && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           st.st_size <= MAX_BYTES && fnmatch("*.nsys-rep", path, 0) != 0 &&
           fnmatch("*.qdrep", path, 0) != 0;
}

static int open_now(const struct cli_opening *of, rf_recording **out, struct rf_err *err)
{
    return rf_open_selected(of->path, of->flags | RF_OPEN_GRID_IDS_APART, of->alignment,
                            of->options, out, err);
}

static void *open_there(void *context)
{
    struct cli_open_ahead *ahead = context;
    ahead->status = open_now(&ahead->of, &ahead->rec, &ahead->err);
    return NULL;
}

void cli_open_ahead_begin(struct cli_open_ahead *ahead, const struct cli_opening *of)
{
    cli_open_ahead_release(ahead);
    if (!is_worth_it(of->path))
        return;
    *ahead = (struct cli_open_ahead){.of = *of};
    if (of->alignment != NULL) {
        ahead->alignment = *of->alignment;
        ahead->of.alignment = &ahead->alignment;
    }
    if (of->options != NULL) {
        ahead->options = *of->options;
        ahead->of.options = &ahead->options;
    }
    (void)rf_threads_start(&ahead->thread, open_there, ahead);
}

/* Returns whether something was begun. */
static bool wait_for(struct cli_open_ahead *ahead)
{
    const bool is_begun = ahead != NULL && ahead->thread.n > 0;
    if (is_begun)
        rf_threads_join(&ahead->thread);
    return is_begun;
}

/* Where there is no memory for two, there may be for one. */
int cli_open_ahead_take(struct cli_open_ahead *ahead, const struct cli_opening *of,
                        rf_recording **out, struct rf_err *err)
{
    if (!wait_for(ahead) || ahead->status == RF_ERR_NO_MEMORY)
        return open_now(of, out, err);
    *out = ahead->rec;
    *err = ahead->err;
    return ahead->status;
}

void cli_open_ahead_release(struct cli_open_ahead *ahead)
{
    if (wait_for(ahead))
        rf_close(ahead->rec);
    *ahead = (struct cli_open_ahead){.rec = NULL};
}
