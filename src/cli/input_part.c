/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input_part.h"

#include "base/rank_list.h"
#include "cli/command.h"
#include "cli/say.h"

bool cli_filter_wants_rank(const struct cli_filter *filter, int64_t rank)
{
    return filter->options.ranks == NULL || rf_rank_list_has(filter->options.ranks, rank);
}

int cli_say_no_rank(const struct cli_filter *filter)
{
    cli_say("no input is of rank %s", filter->options.ranks);
    return CLI_FAILED;
}

/* How much of an input is of the ranks. */
enum share { NOTHING, A_PART, ALL };

static enum share wanted_share(const struct cli_part_request *of, const rf_recording *rec)
{
    const uint32_t n = rf_n_processes(rec);
    uint32_t n_wanted = 0;
    if (of->rank_source->from != CLI_RANK_KNOWN) {
        int64_t rank = cli_input_rank(of->rank_source, rec, of->path, of->place);
        return cli_filter_wants_rank(of->filter, rank) ? ALL : NOTHING;
    }
    for (uint32_t i = 0; i < n; i++)
        n_wanted += (uint32_t)cli_filter_wants_rank(of->filter, rf_process_at(rec, i)->rank);
    return n_wanted == 0 ? NOTHING : n_wanted < n ? A_PART : ALL;
}

/* What is selected as it is opened. */
static struct cli_filter first_filter(const struct cli_part_request *of)
{
    struct cli_filter filter = *of->filter;
    if (of->rank_source->from != CLI_RANK_KNOWN) /* then it is there as a whole, or not at all */
        filter.options.ranks = NULL;
    return filter;
}

void cli_input_part_begin(struct cli_open_ahead *ahead, const struct cli_part_request *of)
{
    const struct cli_filter filter = first_filter(of);
    const struct cli_opening opening =
        cli_filter_opening(&filter, of->path, of->flags, of->alignment);
    cli_open_ahead_begin(ahead, &opening);
}

static int open_part(struct cli_part *part, const struct cli_part_request *of,
                     struct cli_open_ahead *ahead, bool *is_whole)
{
    struct cli_filter filter = first_filter(of);
    const struct cli_opening opening =
        cli_filter_opening(&filter, of->path, of->flags, of->alignment);
    enum share share = ALL;
    int status = cli_part_open_whole(part, &opening, ahead);
    filter.options.ranks = of->filter->options.ranks;
    if (status == CLI_OK && filter.options.ranks != NULL)
        share = wanted_share(of, part->whole);
    if (share == ALL)
        filter.options.ranks = NULL;
    if (is_whole != NULL)
        *is_whole = share == ALL;
    if (status == CLI_OK && share != NOTHING)
        return cli_part_select(part, of->path, &filter);
    cli_part_close(part);
    return status;
}

int cli_input_part_open(struct cli_part *part, const struct cli_part_request *of, bool *is_whole)
{
    return open_part(part, of, NULL, is_whole);
}

int cli_input_part_take(struct cli_part *part, const struct cli_part_request *of,
                        struct cli_open_ahead *ahead)
{
    return open_part(part, of, ahead, NULL);
}
