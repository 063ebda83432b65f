/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that several threads read, and that are used in their order: what is printed does not
 * depend on the number of threads. */
#ifndef RF_CLI_IN_TURN_H
#define RF_CLI_IN_TURN_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/option_parser.h"

#define CLI_MAX_JOBS 256

/* The option of a verb that reads inputs so. */
#define CLI_JOBS_OPTION(id)                                                                        \
    {                                                                                              \
        id, '\0', "jobs", CLI_ARG_VALUE, "N",                                                      \
            "Of several FILEs, read so many at a time. Default: one per processor.", NULL          \
    }

struct cli_in_turn {
    size_t n;        /* inputs */
    size_t n_jobs;   /* threads at most; 0: one per processor */
    size_t one_size; /* bytes of what an input becomes; all zero to begin with */
    void *context;   /* of the functions */

    /* Reads an input; any thread, several at a time. Messages are printed when its turn comes. */
    void (*read)(void *context, size_t input, void *one);
    /* Uses what was read; one input after the other. Returns CLI_OK, or an exit status where there
     * is no point in going on. */
    int (*use)(void *context, size_t input, void *one);
    /* Releases what was read; any thread. Also of inputs that are not used. */
    void (*release)(void *context, void *one);
};

/* Each thread has one input at a time. Returns CLI_OK, or what use() returned. */
int cli_in_turn(const struct cli_in_turn *work);

/* Sets *n_jobs to an option's value. Returns CLI_OK, or an exit status after a message. */
int cli_set_jobs(size_t *n_jobs, const struct cli_parser *parser);

#endif
