/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/merged_output.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/input_alignment.h"
#include "cli/input_part.h"
#include "cli/overlaps.h"
#include "cli/progress.h"
#include "cli/say.h"
#include "cli/usage_error.h"

/* The progress of all inputs: that of one is its share. */
struct share {
    struct cli_progress progress;
    size_t n_done, n;
};

static int update(void *context, double done)
{
    struct share *share = context;
    return cli_progress_update(&share->progress, ((double)share->n_done + done) / (double)share->n);
}

struct merge {
    const struct cli_merged_output *of;
    struct rf_export_options options[CLI_MAX_MERGED];
    rf_merged_export *output[CLI_MAX_MERGED];
    struct share share;
    struct cli_alignment alignment;
    struct cli_open_ahead ahead; /* the next input */
    size_t n_ranks;              /* inputs to which --rank-from gives one */
};

static int say_failure(int status, const struct rf_err *err)
{
    if (status == RF_OK)
        return CLI_OK;
    cli_say("%s", err->text);
    return status == RF_ERR_USAGE ? CLI_USAGE : CLI_FAILED;
}

static int begin(struct merge *merge)
{
    int status = CLI_OK;
    struct rf_err err;
    for (size_t i = 0; i < merge->of->n && status == CLI_OK; i++) {
        merge->options[i] = merge->of->options[i];
        merge->options[i].progress = update;
        merge->options[i].progress_context = &merge->share;
        status =
            say_failure(rf_merged_export_new(&merge->options[i], &merge->output[i], &err), &err);
    }
    return status;
}

/* A page adds its inputs up: their clocks are nothing to it. */
static bool has_times(const struct cli_merged_output *of)
{
    bool has_any = false;
    for (size_t i = 0; i < of->n; i++)
        has_any |= strcmp(of->options[i].format, "html") != 0;
    return has_any;
}

static int align(struct merge *merge)
{
    struct rf_err err;
    if (!has_times(merge->of))
        return CLI_OK;
    int status = cli_align_inputs(&merge->alignment, merge->of);
    for (size_t i = 0; i < merge->of->n && status == CLI_OK; i++)
        status = say_failure(rf_merged_export_align(merge->output[i], merge->alignment.align, &err),
                             &err);
    return status;
}

/* Of an input that has n before it in the output. */
static struct cli_part_request request_of(const struct merge *merge, size_t i, uint32_t n,
                                          struct rf_alignment *alignment)
{
    const bool is_aligned = rf_align_at(merge->alignment.align, n, alignment) == RF_OK;
    return (struct cli_part_request){merge->of->inputs->input[i].path,
                                     i,
                                     merge->of->open_flags,
                                     merge->of->filter,
                                     merge->of->rank_source,
                                     is_aligned ? alignment : NULL};
}

/* While input i, the next one in the output, is written. */
static void begin_next(struct merge *merge, size_t i)
{
    struct rf_alignment alignment = RF_ALIGNMENT_INIT;
    const uint32_t n = rf_merged_export_n_inputs(merge->output[0]) + 1;
    if (i + 1 == merge->of->inputs->n)
        return;
    const struct cli_part_request next = request_of(merge, i + 1, n, &alignment);
    cli_input_part_begin(&merge->ahead, &next);
}

static int write_input(struct merge *merge, size_t i)
{
    const char *path = merge->of->inputs->input[i].path;
    struct cli_part part;
    struct rf_err err;
    struct rf_alignment alignment = RF_ALIGNMENT_INIT;
    const uint32_t n = rf_merged_export_n_inputs(merge->output[0]);
    const struct cli_part_request of = request_of(merge, i, n, &alignment);
    int status = cli_input_part_take(&part, &of, &merge->ahead);
    if (status != CLI_OK || part.shown == NULL)
        return status;
    cli_overlaps_note(part.whole, path);
    begin_next(merge, i);
    int64_t rank = merge->of->rank_source->from == CLI_RANK_KNOWN
                       ? -1
                       : cli_input_rank(merge->of->rank_source, part.shown, path, i);
    merge->n_ranks += rank >= 0;
    cli_progress_begin(&merge->share.progress, merge->of->what);
    merge->share.progress.is_terminal &= !merge->of->is_quiet;
    int done = RF_OK;
    for (size_t k = 0; k < merge->of->n && done == RF_OK; k++)
        done = rf_merged_export_add(merge->output[k], part.shown, path, rank, &err);
    cli_progress_end(&merge->share.progress);
    status = say_failure(done, &err);
    if (status == CLI_OK && merge->of->added != NULL)
        status = merge->of->added(merge->of->context, merge->output[0], part.shown);
    cli_part_close(&part);
    return status;
}

static int finish(struct merge *merge)
{
    int status = CLI_OK;
    struct rf_err err;
    for (size_t i = 0; i < merge->of->n && status == CLI_OK; i++)
        status = say_failure(rf_merged_export_finish(merge->output[i], &err), &err);
    if (status == CLI_OK && !merge->of->is_quiet && merge->alignment.align != NULL)
        cli_say_alignment(&merge->alignment);
    return status;
}

int cli_merge(const struct cli_merged_output *merged)
{
    struct merge merge = {.of = merged, .share = {.n = merged->inputs->n}};
    int status = begin(&merge);
    if (status == CLI_OK)
        status = align(&merge);
    for (size_t i = 0; i < merged->inputs->n && status == CLI_OK; i++) {
        merge.share.n_done = i;
        status = write_input(&merge, i);
    }
    if (status == CLI_OK && rf_merged_export_n_inputs(merge.output[0]) == 0)
        status = cli_say_no_rank(merged->filter);
    if (status == CLI_OK && merged->filter->options.ranks == NULL)
        status = cli_rank_source_check(merged->rank_source, merge.n_ranks, merged->inputs->n,
                                       merged->is_quiet);
    if (status == CLI_OK)
        status = finish(&merge);
    for (size_t i = 0; i < merged->n; i++)
        rf_merged_export_free(merge.output[i]);
    cli_open_ahead_release(&merge.ahead);
    cli_alignment_release(&merge.alignment);
    return status;
}
