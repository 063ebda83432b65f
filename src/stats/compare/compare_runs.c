/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/compare/compare_runs.h"

#include <stdlib.h>

int rf_compare_runs_make(struct rf_compare_runs *runs, const rf_summary *summary,
                         const uint8_t *side)
{
    runs->run = calloc(summary->n_inputs + 1, sizeof(*runs->run));
    runs->of_input = calloc(summary->n_inputs + 1, sizeof(*runs->of_input));
    if (runs->run == NULL || runs->of_input == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < summary->n_inputs; i++) {
        const struct rf_summary_input *input = &summary->input[i];
        runs->of_input[i] = (uint32_t)runs->n;
        runs->run[runs->n++] =
            (struct rf_compare_run){side[i], input->duration_ns, input->n_paths_folded};
        runs->n_of[side[i]]++;
    }
    return RF_OK;
}

void rf_compare_runs_release(struct rf_compare_runs *runs)
{
    free(runs->run);
    free(runs->of_input);
    *runs = (struct rf_compare_runs){.n = 0};
}
