/* SPDX-License-Identifier: Apache-2.0 */
/* A test program does one of several things, named by its first argument. */
#ifndef RF_TESTS_MODES_H
#define RF_TESTS_MODES_H

#include <stdio.h>
#include <string.h>

struct mode {
    const char *name;
    int (*run)(int argc, char **argv); /* arguments after the mode; returns the exit status */
};

static inline int modes_run(const struct mode *modes, int argc, char **argv)
{
    for (const struct mode *m = modes; argc > 1 && m->name; m++)
        if (strcmp(m->name, argv[1]) == 0)
            return m->run(argc - 2, argv + 2);
    fprintf(stderr, "usage: %s MODE [ARGS], where MODE is one of", argv[0]);
    for (const struct mode *m = modes; m->name; m++)
        fprintf(stderr, " %s", m->name);
    fprintf(stderr, "\n");
    return 2;
}

#endif
