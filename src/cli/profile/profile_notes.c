/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/profile_notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/profile/profile_options.h"

/* Adds a word to a list separated by commas, unless it is there. */
static void add(char **list, const char *what)
{
    char *longer = NULL;
    if (*list != NULL && strstr(*list, what) != NULL)
        return;
    if (asprintf(&longer, "%s%s%s", *list != NULL ? *list : "", *list != NULL ? ", " : "", what) <
        0)
        return;
    free(*list);
    *list = longer;
}

void profile_note_not_done(struct profile_options *options, const char *what)
{
    add(&options->not_done, what);
}

void profile_note_without_effect(struct profile_options *options, const char *what)
{
    add(&options->without_effect, what);
}
