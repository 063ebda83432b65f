/* SPDX-License-Identifier: Apache-2.0 */
#include "model/filter/selected.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All but the ranks, one a line; an option that is not given has no letter. */
static char *text_of(const struct rf_filter_options *options)
{
    const char *const given[] = {options->time,  options->nvtx,    options->processes,
                                 options->gpus,  options->threads, options->activities,
                                 options->names, options->kernels};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
        (void)fprintf(out, "%s%s\n", given[i] != NULL ? "=" : "", given[i] != NULL ? given[i] : "");
    (void)fprintf(out, "%zu %d", options->n_payloads, options->without_cut != 0);
    for (size_t i = 0; i < options->n_payloads && options->payloads != NULL; i++)
        (void)fprintf(out, "\n%s", options->payloads[i] != NULL ? options->payloads[i] : "");
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

struct rf_selected *rf_selected_new(const struct rf_filter_options *options)
{
    struct rf_selected *selected = calloc(1, sizeof(*selected));
    if (selected == NULL)
        return NULL;
    selected->filter = text_of(options);
    selected->ranks = options->ranks != NULL ? strdup(options->ranks) : NULL;
    if (selected->filter != NULL && (selected->ranks != NULL) == (options->ranks != NULL))
        return selected;
    rf_selected_free(selected);
    return NULL;
}

bool rf_selected_is_of(const struct rf_selected *selected, const struct rf_filter_options *options)
{
    char *text = text_of(options);
    const bool is_same = text != NULL && strcmp(text, selected->filter) == 0;
    free(text);
    return is_same && (options->ranks == NULL ||
                       (selected->ranks != NULL && strcmp(options->ranks, selected->ranks) == 0));
}

void rf_selected_free(struct rf_selected *selected)
{
    if (selected == NULL)
        return;
    free(selected->filter);
    free(selected->ranks);
    free(selected->window);
    free(selected->thread);
    free(selected->of_domain);
    free(selected);
}
