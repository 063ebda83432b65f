/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that are said of the inputs of a summary. */
#include "base/error.h"
#include "summary/summary_data.h"

int rf_summary_set_rank(rf_summary *summary, uint32_t input, int64_t rank, struct rf_err *err)
{
    if (rf_summary_input_at(summary, input) == NULL || rank < -1)
        return rf_fail(err, RF_ERR_USAGE, "rf_summary_set_rank: there is no such input or rank");
    if (summary->input[input].n_inputs != 1)
        return rf_fail(err, RF_ERR_USAGE, "'%s' was added up of %llu recordings, and has no rank",
                       summary->input[input].path,
                       (unsigned long long)summary->input[input].n_inputs);
    summary->input[input].rank = rank;
    for (size_t i = 0; i < summary->n_steps && rank >= 0; i++)
        if (summary->step[i].input == input)
            summary->step[i].rank = rank;
    for (size_t i = 0; i < summary->collectives.n && rank >= 0; i++)
        if (summary->collectives.item[i].input == input)
            summary->collectives.item[i].rank = rank;
    return RF_OK;
}
