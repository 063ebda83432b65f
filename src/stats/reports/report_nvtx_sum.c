/* SPDX-License-Identifier: Apache-2.0 */
/* The summaries of ranges by domain, message and style, over all processes. Columns and definitions
 * are those of Nsight Systems. Medians are exact where the recording has its ranges. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/payload/payload_lookup.h"
#include "model/private_access.h"
#include "model/same_domains.h"
#include "model/strings.h"
#include "stats/column_meanings.h"
#include "stats/folded_names.h"
#include "stats/group_by.h"
#include "stats/range_labels.h"
#include "stats/quantile_columns.h"
#include "stats/report.h"

static const struct rf_column columns[] = {
    RF_SUMMARY_COLUMNS("Instances", "number of ranges"),
    {"Style", RF_COLUMN_WORD, RF_MEANS_STYLE},
    {"Range", RF_COLUMN_TEXT, RF_MEANS_RANGE},
};

/* Where all rows are of one style. */
static const struct rf_column columns_of_style[] = {
    RF_SUMMARY_COLUMNS("Instances", "number of ranges"),
    {"Range", RF_COLUMN_TEXT, RF_MEANS_RANGE},
};

static const struct rf_quantile_place quantile_places[] = {RF_SUMMARY_QUANTILES};

enum key { DOMAIN, NAME, STYLE, VALUE };
enum { CUT }; /* among the sums of a group */
enum counted { PUSH_POP = 1 << RF_EVENT_PUSH_POP, START_END = 1 << RF_EVENT_START_END };

/* The values by which ranges are grouped. */
struct grouping {
    struct rf_payload_lookup lookup; /* where there are ranges */
    struct rf_strings labels;        /* likewise */
    bool is_summed;                  /* they are strings of the recording */
};

static const char *text_of_value(const struct grouping *grouping, const rf_recording *rec,
                                 uint32_t value, size_t *size)
{
    *size = 0;
    if (value == RF_NO_STRING)
        return "";
    if (grouping->is_summed)
        return rf_string(rec, value, size);
    *size = grouping->labels.entry[value].size;
    return grouping->labels.entry[value].text;
}

/* grouping: what they are grouped by, or NULL; likewise names: which are one. */
static bool add_ranges(struct rf_group_by *by, const rf_recording *rec, unsigned counted,
                       const uint32_t *same_domain, struct grouping *grouping,
                       struct rf_folded_names *names)
{
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n;
        const struct rf_event *event = rf_thread_events(rec, t, &n);
        for (size_t i = 0; i < n; i++) {
            if ((1u << event[i].kind & counted) == 0 || rf_goes_on(rec, &event[i]))
                continue;
            uint32_t value = RF_NO_STRING, name = event[i].name;
            if (names != NULL && !rf_folded_names_find(names, event[i].name, &name))
                return false;
            if (grouping != NULL && rf_payload_lookup_label(&grouping->lookup, &grouping->labels,
                                                            &event[i], &value) != RF_OK)
                return false;
            const uint32_t key[RF_GROUP_KEYS] = {[DOMAIN] = same_domain[event[i].domain],
                                                 [NAME] = name,
                                                 [STYLE] = event[i].kind,
                                                 [VALUE] = value};
            struct rf_group *group =
                rf_group_by_add(by, key, (uint64_t)event[i].end_ns - (uint64_t)event[i].start_ns);
            if (group == NULL)
                return false;
            group->sums[CUT] += rf_is_cut(&event[i]);
        }
    }
    return true;
}

/* The same of a recording that has sums instead of ranges. */
static bool add_sums(struct rf_group_by *by, const struct rf_sums *sums, unsigned counted)
{
    for (size_t i = 0; i < sums->n; i++) {
        const struct rf_sum *sum = &sums->sum[i];
        if ((1u << sum->key.kind & counted) == 0)
            continue;
        const uint32_t key[RF_GROUP_KEYS] = {[DOMAIN] = sum->key.domain,
                                             [NAME] = sum->key.name,
                                             [STYLE] = sum->key.kind,
                                             [VALUE] = sum->key.around - 1};
        struct rf_group *group = rf_group_by_get(by, key);
        if (group == NULL)
            return false;
        group->n = sum->n;
        group->sums[CUT] = sum->n_cut;
        rf_durations_of_sum(&group->measured, sum);
        if (!rf_group_set_quantiles(group, by->quantiles, sum))
            return false;
    }
    by->n_measured = by->n;
    return true;
}

/* The sums of names that are one. */
static bool fold_sums(struct rf_sums *folded, const struct rf_sums *sums,
                      struct rf_folded_names *names)
{
    for (size_t i = 0; i < sums->n; i++) {
        struct rf_sum_key key = sums->sum[i].key;
        if (!rf_folded_names_find(names, sums->sum[i].key.name, &key.name) ||
            !rf_sums_merge(folded, &key, &sums->sum[i]))
            return false;
    }
    return true;
}

/* range: the column of their names. */
static bool add_row(struct rf_table *table, const rf_recording *rec, const struct rf_group *group,
                    double all_ns, const struct grouping *grouping, size_t range)
{
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    rf_row_set_summary(row, &group->measured, group->n, all_ns);
    rf_row_set_quantiles(table, row, 0, group);
    if (range > RF_SUMMARY_N)
        rf_cell_set_word(&row[RF_SUMMARY_N], rf_range_style(group->key[STYLE]));
    if (!rf_cell_set_range(&row[range], rec, group->key[DOMAIN], group->key[NAME]))
        return false;
    if (table->fold_numbers > 0)
        rf_cell_fold_name(&row[range], rec, group->key[NAME]);
    if (table->marks_cut)
        row[range + 1 + (grouping != NULL)].count = group->sums[CUT];
    if (grouping == NULL)
        return true;
    size_t size;
    const char *text = text_of_value(grouping, rec, group->key[VALUE], &size);
    return rf_cell_set_text(&row[range + 1], text, size);
}

static void add_notes(const rf_recording *rec, struct rf_table *table)
{
    const struct rf_info *info = rf_get_info(rec);
    table->is_approximate = rf_recording_sums(rec) != NULL;
    if (table->is_approximate)
        rf_table_add_note(table, "Med (ns)%s ≈: from a histogram, at most 0.4 %% off",
                          table->quantiles.n > 0 ? " and the quantiles are" : " is");
    const uint64_t n_on = rf_n_going_on(rec), n_cut = info->n_cut - n_on;
    if (n_on > 0)
        rf_table_add_note(table,
                          "%llu ranges go on in the next file: it, or one after it, counts them",
                          (unsigned long long)n_on);
    if (n_cut > 0)
        rf_table_add_note(table,
                          "%llu of %llu ranges were cut: their end was not recorded, and they "
                          "count up to where they were cut",
                          (unsigned long long)n_cut, (unsigned long long)info->n_ranges);
    if (info->n_cut_at_start > 0)
        rf_table_add_note(table,
                          "%llu of %llu ranges were open when a capture began, and count from "
                          "their true start",
                          (unsigned long long)info->n_cut_at_start,
                          (unsigned long long)info->n_ranges);
    if (info->n_lost_records > 0)
        rf_table_add_note(table, "%llu events were lost: the figures are too low",
                          (unsigned long long)info->n_lost_records);
    if (info->is_live)
        rf_table_add_note(table, "the recording goes on: these are the figures so far");
}

static bool collect_groups(struct rf_group_by *by, const struct rf_report *report,
                           const rf_recording *rec, struct grouping *grouping,
                           struct rf_folded_names *names)
{
    struct rf_sums folded = {.sum = NULL};
    const struct rf_sums *sums = rf_recording_sums(rec);
    if (sums != NULL && names == NULL)
        return add_sums(by, sums, report->counted);
    if (sums != NULL) {
        bool is_done = fold_sums(&folded, sums, names) && add_sums(by, &folded, report->counted);
        rf_sums_release(&folded);
        return is_done;
    }
    uint32_t *same_domain = rf_same_domains(rec);
    bool is_done =
        same_domain != NULL && add_ranges(by, rec, report->counted, same_domain, grouping, names);
    free(same_domain);
    return is_done;
}

static bool sum_groups(const struct rf_report *report, const rf_recording *rec,
                       struct rf_table *table, struct grouping *grouping)
{
    struct rf_group_by by = {.quantiles = &table->quantiles};
    struct rf_folded_names names = {.rec = NULL};
    const bool folds = table->fold_numbers > 0;
    if (folds)
        rf_folded_names_init(&names, rec);
    bool is_done = collect_groups(&by, report, rec, grouping, folds ? &names : NULL);
    is_done = rf_group_by_measure(&by) && is_done;
    double all_ns = rf_group_by_total_ns(&by);
    for (size_t i = 0; i < by.n && is_done; i++)
        is_done = add_row(table, rec, &by.group[i], all_ns, grouping, report->n_columns - 1);
    rf_group_by_release(&by);
    if (folds)
        rf_folded_names_release(&names);
    return is_done;
}

/* Sums know the values that the recording was opened for. */
static int grouping_init(struct grouping *grouping, const rf_recording *rec, const char *group_by,
                         struct rf_err *err)
{
    const char *summed = rf_recording_group_by(rec);
    grouping->is_summed = rf_recording_sums(rec) != NULL;
    if (grouping->is_summed &&
        (summed != NULL ? group_by == NULL || strcmp(summed, group_by) != 0 : group_by != NULL))
        return rf_fail(err, RF_ERR_USAGE,
                       summed != NULL
                           ? "the recording was opened for sums by other values in payloads"
                           : "the recording was opened for sums alone: its payloads are not there");
    if (grouping->is_summed || group_by == NULL)
        return RF_OK;
    rf_strings_init(&grouping->labels, rf_hash_seed());
    return rf_payload_lookup_init(&grouping->lookup, rec, group_by, strlen(group_by));
}

static void grouping_release(struct grouping *grouping)
{
    rf_payload_lookup_release(&grouping->lookup);
    rf_strings_release(&grouping->labels);
}

static int sum_ranges(const struct rf_report *report, const rf_recording *rec,
                      struct rf_table *table, struct rf_err *err)
{
    struct grouping grouping = {.is_summed = false};
    const bool is_grouped = table->group_by != NULL;
    const int range = (int)report->n_columns - 1, last = range + is_grouped;
    const int order[] = {~RF_SUMMARY_TOTAL, ~RF_SUMMARY_NUMBER, range, RF_SUMMARY_N, last};
    int status = grouping_init(&grouping, rec, table->group_by, err);
    if (status == RF_OK && !sum_groups(report, rec, table, is_grouped ? &grouping : NULL))
        status = RF_ERR_NO_MEMORY;
    if (status == RF_OK && is_grouped && !grouping.is_summed && !table->is_joined)
        status = rf_payload_lookup_check(&grouping.lookup, err);
    grouping_release(&grouping);
    rf_table_sort(table, order, sizeof(order) / sizeof(order[0]));
    add_notes(rec, table);
    return status;
}

const struct rf_report rf_report_nvtx_sum = {
    .name = "nvtx_sum",
    .description = "the time in NVTX ranges, by domain, message and style",
    .is_default = true,
    .for_people = "self_time",
    .needs = RF_NEEDS_RANGES,
    .can_group = true,
    .is_of_sums = true,
    .title = "NVTX Range Summary",
    RF_REPORT_COLUMNS(columns),
    RF_REPORT_QUANTILES(quantile_places),
    .counted = PUSH_POP | START_END,
    .compute = sum_ranges,
};

const struct rf_report rf_report_nvtx_pushpop_sum = {
    .name = "nvtx_pushpop_sum",
    .alias = "nvtxppsum",
    .description = "the time in NVTX push/pop ranges, by domain and message",
    .needs = RF_NEEDS_RANGES,
    .can_group = true,
    .is_of_sums = true,
    .title = "NVTX Push/Pop Range Summary",
    RF_REPORT_COLUMNS(columns_of_style),
    RF_REPORT_QUANTILES(quantile_places),
    .counted = PUSH_POP,
    .compute = sum_ranges,
};

const struct rf_report rf_report_nvtx_startend_sum = {
    .name = "nvtx_startend_sum",
    .alias = "nvtxsesum",
    .description = "the time in NVTX start/end ranges, by domain and message",
    .needs = RF_NEEDS_RANGES,
    .can_group = true,
    .is_of_sums = true,
    .title = "NVTX Start/End Range Summary",
    RF_REPORT_COLUMNS(columns_of_style),
    RF_REPORT_QUANTILES(quantile_places),
    .counted = START_END,
    .compute = sum_ranges,
};
