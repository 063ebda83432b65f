/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input_sum.h"

#include <stdlib.h>

#include "cli/command.h"
#include "cli/input_part.h"
#include "cli/overlaps.h"
#include "cli/say.h"
#include "cli/waiting.h"
#include "model/collectives/streamed_collectives.h"

void cli_sum_init(struct cli_sum_request *request, const struct cli_filter *filter,
                  const struct cli_rank_source *rank_source)
{
    request->filter = filter;
    request->rank_source = rank_source;
    request->filter_text = cli_filter_text(filter, true);
    request->filter_within = cli_filter_text(filter, false);
}

void cli_sum_release(struct cli_sum_request *request)
{
    free(request->filter_text);
    free(request->filter_within);
}

/* Says what failed. Returns CLI_OK where the others may go on. */
static int go_on(int status, const struct rf_err *err, bool *has_failed)
{
    if (status == RF_OK)
        return CLI_OK;
    cli_say("%s", err->text);
    *has_failed |= status != RF_ERR_EXISTS;
    return status == RF_ERR_NO_MEMORY ? CLI_FAILED : CLI_OK;
}

/* Says of the input that was added last how much has no row of its own. */
static void say_left_out(const rf_summary *summary)
{
    const struct rf_summary_input *input =
        rf_summary_input_at(summary, rf_summary_n_inputs(summary) - 1);
    if (input->n_paths_folded > 0)
        cli_say("%s: %llu paths of names with the least time are one row per domain; "
                "--fold-numbers makes fewer paths, --max-paths keeps more",
                input->path, (unsigned long long)input->n_paths_folded);
    if (input->n_steps_left_out > 0)
        cli_say("%s: %llu steps behind the first %llu are left out; --max-steps keeps more",
                input->path, (unsigned long long)input->n_steps_left_out,
                (unsigned long long)input->n_steps);
}

static int add_part(const struct cli_sum_request *request, rf_summary *summary,
                    const struct cli_part *part, const struct rf_summary_options *of,
                    bool *has_failed)
{
    struct cli_waiting waiting;
    struct rf_err err;
    cli_waiting_begin(&waiting, "summing up '%.80s'", of->path);
    int status = rf_summary_add(summary, part->shown, of, &err);
    cli_waiting_end(&waiting);
    if (status == RF_OK && !request->is_quiet)
        say_left_out(summary);
    return go_on(status, &err, has_failed);
}

static int add_recording(const struct cli_sum_request *request, rf_summary *summary,
                         const char *path, size_t place, bool *has_failed)
{
    struct cli_part part;
    bool is_whole;
    const bool needs_ranges = request->needs_steps || request->needs_samples ||
                              request->needs_collectives || request->options.collective != NULL ||
                              request->options.max_collectives > RF_MOST_STREAMED;
    const unsigned streams = needs_ranges ? 0 : RF_OPEN_PATHS | RF_OPEN_RANGE_WORK;
    const unsigned samples = cli_filter_is_within(request->filter) || request->needs_samples
                                 ? 0
                                 : RF_OPEN_NO_SAMPLES | RF_OPEN_SAMPLE_SUMS;
    const struct cli_part_request part_of = {
        path, place, samples | streams, request->filter, request->rank_source, NULL};
    int status = cli_input_part_open(&part, &part_of, &is_whole);
    if (status == CLI_OK && part.shown == NULL)
        return CLI_OK;
    if (status != CLI_OK) {
        *has_failed = true;
        return status == CLI_USAGE ? status : CLI_OK; /* a wrong filter is wrong for all */
    }
    cli_overlaps_note(part.whole, path);
    struct rf_summary_options of = request->options;
    of.path = path;
    of.filter = is_whole ? request->filter_within : request->filter_text;
    of.rank = cli_input_rank(request->rank_source, part.shown, path, place);
    status = add_part(request, summary, &part, &of, has_failed);
    cli_part_close(&part);
    return status;
}

int cli_sum_check(const struct cli_sum_request *request, const char *path)
{
    const bool is_part = cli_filter_is_within(request->filter);
    if ((!is_part && request->recordings_only == NULL) || !rf_is_summary(path))
        return CLI_OK;
    if (is_part)
        cli_say("'%s' is a summary: filter the recordings that it is of", path);
    else
        cli_say("'%s' is a summary: --%s is for the recordings that it is of", path,
                request->recordings_only);
    return CLI_USAGE;
}

int cli_sum_add(const struct cli_sum_request *request, rf_summary *summary, const char *path,
                size_t place, bool *has_failed)
{
    struct rf_err err;
    if (!rf_is_summary(path))
        return add_recording(request, summary, path, place, has_failed);
    int status = cli_sum_check(request, path);
    if (status != CLI_OK)
        return status;
    status = cli_read_summary(request->rank_source, summary, path, place,
                              request->filter->options.ranks, &err);
    if (status == RF_ERR_USAGE)
        cli_say("%s", err.text);
    return status == RF_ERR_USAGE ? CLI_USAGE : go_on(status, &err, has_failed);
}

void cli_sum_say_programs(const rf_summary *summary)
{
    const char *first = rf_summary_program_at(summary, 0, 0),
               *second = rf_summary_program_at(summary, 0, 1);
    uint32_t n = 2;
    while (second != NULL && rf_summary_program_at(summary, 0, n) != NULL)
        n++;
    if (second != NULL)
        cli_say("the sum is of %u programs: %.200s, %.200s%s", n, first, second,
                n > 2 ? ", ..." : "");
}
