/* SPDX-License-Identifier: Apache-2.0 */
/* The options that select a part of a recording, and how it is opened, for every verb that reads
 * one. */
#ifndef RF_CLI_FILTER_OPTIONS_H
#define RF_CLI_FILTER_OPTIONS_H

#include <stdbool.h>

#include "cli/command.h"
#include "cli/open_ahead.h"
#include "rangefinder/rangefinder.h"

struct cli_parser;

enum {
    CLI_FILTER_TIME = 1000,
    CLI_FILTER_NVTX,
    CLI_FILTER_PROCESS,
    CLI_FILTER_GPU,
    CLI_FILTER_ACTIVITY,
    CLI_FILTER_NAME,
    CLI_FILTER_KERNEL,
    CLI_FILTER_PAYLOAD,
    CLI_FILTER_RANK,
    CLI_FILTER_THREAD,
    CLI_IMPORT
};

/* Rows for the option table of a verb. */
/* clang-format off */
#define CLI_FILTER_OPTIONS                                                                         \
    {CLI_FILTER_TIME, '\0', "filter-time", CLI_ARG_VALUE, "START/END",                             \
     "Only what lies in this time, at least partly: seconds from the recording's time 0, or with " \
     "a unit (s, ms, us, ns). START or END may be left out.", NULL},                                          \
    {CLI_FILTER_NVTX, '\0', "filter-nvtx", CLI_ARG_VALUE, "MESSAGE[@DOMAIN][/INDEX]",              \
     "Only what lies in the time of these ranges, at least partly; /INDEX, from 0, selects one.", NULL},         \
    {CLI_FILTER_PROCESS, '\0', "filter-process", CLI_ARG_VALUE, "PID|NAME,...",                    \
     "Only these processes.", NULL},                                                               \
    {CLI_FILTER_RANK, '\0', "filter-rank", CLI_ARG_VALUE, "RANK|FIRST-LAST,...",                   \
     "Only processes of these ranks, as in 0,8-15; of several FILEs those that have one.", NULL},  \
    {CLI_FILTER_THREAD, '\0', "filter-thread", CLI_ARG_VALUE, "TID|NAME,...",                      \
     "Only these threads, and the GPU work of their calls.", NULL},                                \
    {CLI_FILTER_GPU, '\0', "filter-gpu", CLI_ARG_VALUE, "ID,...",                                  \
     "GPU work of these GPUs only.", NULL},                                                        \
    {CLI_FILTER_ACTIVITY, '\0', "activity", CLI_ARG_VALUE, "ACTIVITY,...",                         \
     "Only these: nvtx, api (runtime, driver), osrt, gpu (kernel, memcpy, memset, graph, sync), "  \
     "cuda-event, memory, gpu-metrics, overhead, library.",                                        \
     NULL},                                                                                        \
    {CLI_FILTER_NAME, '\0', "filter-name", CLI_ARG_VALUE, "NAME|/REGEX/",                          \
     "Only ranges and marks with this name; * matches anything.", NULL},                           \
    {CLI_FILTER_KERNEL, '\0', "filter-kernel", CLI_ARG_VALUE, "NAME|/REGEX/",                      \
     "Only kernels with this name.", NULL},                                                        \
    {CLI_FILTER_PAYLOAD, '\0', "filter-payload", CLI_ARG_VALUE, "[NAME=]VALUE|MIN..MAX",           \
     "Only ranges and marks with this value in their payload: rank=3, comm.size=4.., or NAME "     \
     "alone. May be repeated: all are to fit.", NULL},                                             \
    {CLI_IMPORT, '\0', "import", CLI_ARG_VALUE, "auto|pages|library",                              \
     "How to read the large tables of a SQLite database: from its pages, which is faster, or by "  \
     "SQLite's library, which reads what is unusual too. Default: auto, pages where possible.",    \
     NULL}
/* clang-format on */

#define CLI_MAX_PAYLOAD_FILTERS 32

/* What the options said. */
struct cli_filter {
    struct rf_filter_options options;
    const char *payload[CLI_MAX_PAYLOAD_FILTERS];
    unsigned open_flags; /* of rf_open(), that --import stands for */
};

void cli_filter_init(struct cli_filter *filter);

/* The flags of rf_open() that a value of --import stands for. Returns false: there is no such
 * value.
 */
bool cli_import_flags(const char *value, unsigned *flags);

/* Takes an option that the parser returned. Returns false where it is none of these. Sets
 * parser->status after a message. */
bool cli_filter_option(struct cli_filter *filter, int id, struct cli_parser *parser);

/* --cut-ranges: marks is set by "mark", and where it is NULL there is no such value. Returns false
 * after a message, and sets parser->status. */
bool cli_set_cut_ranges(struct cli_filter *filter, bool *marks, struct cli_parser *parser);

/* Whether an option selects anything. */
bool cli_filter_is_any(const struct cli_filter *filter);

/* Whether one besides --filter-rank does: within a recording. */
bool cli_filter_is_within(const struct cli_filter *filter);

/* The options as one text: "--filter-time=1/2 --activity=nvtx"; "" where there are none. with_rank:
 * --filter-rank too. The caller frees it; NULL: out of memory. */
char *cli_filter_text(const struct cli_filter *filter, bool with_rank);

/* A recording and the selected part of it; the same pointer where all is selected. */
struct cli_part {
    rf_recording *whole, *shown;
};

/* Opens them. flags: of rf_open(). Returns CLI_OK, or another status after a message. */
int cli_part_open(struct cli_part *part, const char *path, unsigned flags,
                  const struct cli_filter *filter);

/* How a recording is opened with what the filter needs; the result points to the filter. flags: of
 * rf_open(). alignment: as struct cli_opening. */
struct cli_opening cli_filter_opening(const struct cli_filter *filter, const char *path,
                                      unsigned flags, const struct rf_alignment *alignment);

/* The same in two steps: the recording, opened so, and the part of it. The second closes the
 * recording where it fails. ahead (may be NULL): as cli_open_ahead_take(). */
int cli_part_open_whole(struct cli_part *part, const struct cli_opening *of,
                        struct cli_open_ahead *ahead);
int cli_part_select(struct cli_part *part, const char *path, const struct cli_filter *filter);

void cli_part_close(struct cli_part *part);

#endif
