/* SPDX-License-Identifier: Apache-2.0 */
/* network_congestion: when network cards had data to send and could not. Columns are those of
 * Nsight Systems. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "stats/extra_values.h"
#include "stats/report.h"

#define DEFAULT_THRESHOLD 10000

enum { START, END, DURATION, RATE, GUID, NAME };

static const struct rf_column columns[] = {
    [START] = {"Start (ns)", RF_COLUMN_TIME, "start of the interval"},
    [END] = {"End (ns)", RF_COLUMN_TIME, "end of the interval"},
    [DURATION] = {"Duration (ns)", RF_COLUMN_COUNT, "End less Start"},
    [RATE] = {"Send wait rate", RF_COLUMN_COUNT,
              "ticks per millisecond in which the card had data to send and sent none; what a tick "
              "is depends on the card"},
    [GUID] = {"GUID", RF_COLUMN_TEXT, "GUID of the card; empty: not known"},
    [NAME] = {"Name", RF_COLUMN_WORD, "name of the card; (null): not known"},
};

/* What rows refer to, by their numbers. The values are indexes of rf_extras(). */
struct cards {
    struct rf_map wait; /* list, index: a counter of waits */
    struct rf_map nic;  /* nicId */
    struct rf_map of;   /* globalId: the row of the card */
};

static bool is_wait(const rf_recording *rec, const struct rf_extra *row)
{
    static const char ending[] = "Send waits";
    size_t size = 0, n = sizeof(ending) - 1;
    const char *name = rf_string(rec, row->name, &size);
    return name != NULL && size >= n && memcmp(name + size - n, ending, n) == 0;
}

static int add(struct rf_map *map, const rf_recording *rec, const struct rf_extra *row,
               const char *name, const char *second, uint32_t i)
{
    uint64_t b = second != NULL ? (uint64_t)rf_extra_number(rec, row, second, -1) : 0;
    return rf_map_set(map, (uint64_t)rf_extra_number(rec, row, name, -1), b, i);
}

static bool add_names(struct cards *cards, const rf_recording *rec)
{
    size_t n = 0;
    const struct rf_extra *row = rf_extras(rec, &n);
    int status = RF_OK;
    for (uint32_t i = 0; i < n && status == RF_OK; i++)
        if (row[i].kind == RF_EXTRA_NIC)
            status = add(&cards->nic, rec, &row[i], "nicId", NULL, i);
        else if (row[i].kind == RF_EXTRA_NIC_METRIC_NAME && is_wait(rec, &row[i]))
            status = add(&cards->wait, rec, &row[i], "metricsListId", "metricsIdx", i);
    for (uint32_t i = 0; i < n && status == RF_OK; i++) {
        if (row[i].kind != RF_EXTRA_NIC_ID)
            continue;
        uint64_t id = (uint64_t)rf_extra_number(rec, &row[i], "nicId", -1);
        uint32_t card = rf_map_find(&cards->nic, id, 0);
        if (card != RF_MAP_NONE)
            status = add(&cards->of, rec, &row[i], "globalId", NULL, card);
    }
    return status == RF_OK;
}

static bool set_card(struct rf_cell *row, const struct cards *cards, const rf_recording *rec,
                     const struct rf_extra *extra)
{
    uint64_t id = (uint64_t)rf_extra_number(rec, extra, "globalId", -1);
    uint32_t i = rf_map_find(&cards->of, id, 0);
    const struct rf_extra *card = i != RF_MAP_NONE ? rf_extra_at(rec, i) : NULL;
    int64_t guid = card != NULL ? rf_extra_number(rec, card, "GUID", 0) : 0;
    char text[32] = "";
    if (guid != 0)
        (void)snprintf(text, sizeof(text), "0x%016" PRIx64, (uint64_t)guid);
    rf_cell_set_model_string(&row[NAME], rec, card != NULL ? card->name : RF_NO_STRING);
    return rf_cell_set_text(&row[GUID], text, strlen(text));
}

static bool add_row(struct rf_table *table, const struct cards *cards, const rf_recording *rec,
                    const struct rf_extra *extra, uint64_t rate)
{
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    row[START].time = extra->start_ns;
    row[END].time = extra->end_ns;
    row[DURATION].count = rf_extra_duration_ns(extra);
    row[RATE].count = rate;
    return set_card(row, cards, rec, extra);
}

static bool add_rows(struct rf_table *table, const struct cards *cards, const rf_recording *rec)
{
    const uint64_t least = table->threshold != RF_NO_ID ? table->threshold : DEFAULT_THRESHOLD;
    const struct rf_extra_kinds kinds = {RF_EXTRA_NIC_METRIC, RF_EXTRA_NIC_METRIC};
    const struct rf_extra *extra;
    for (size_t i = 0; (extra = rf_extra_next(rec, kinds, &i)) != NULL;) {
        uint64_t list = (uint64_t)rf_extra_number(rec, extra, "metricsListId", -1);
        uint64_t metric = (uint64_t)rf_extra_number(rec, extra, "metricsIdx", -1);
        int64_t rate = rf_extra_number(rec, extra, "value", -1);
        if (rate >= 0 && (uint64_t)rate > least &&
            rf_map_find(&cards->wait, list, metric) != RF_MAP_NONE &&
            !add_row(table, cards, rec, extra, (uint64_t)rate))
            return false;
    }
    return true;
}

static int list_congestion(const struct rf_report *report, const rf_recording *rec,
                           struct rf_table *table, struct rf_err *err)
{
    static const int order[] = {START, NAME, END, ~RATE};
    struct cards cards = {{0}, {0}, {0}};
    (void)report;
    (void)err;
    bool is_done = add_names(&cards, rec) && add_rows(table, &cards, rec);
    rf_table_sort(table, order, sizeof(order) / sizeof(order[0]));
    rf_map_release(&cards.wait);
    rf_map_release(&cards.nic);
    rf_map_release(&cards.of);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

const struct rf_report rf_report_network_congestion = {
    .name = "network_congestion",
    .description = "when network cards had data to send and could not",
    .needs = RF_NEEDS_NIC_METRICS,
    .can = RF_CAN_THRESHOLD,
    .not_summed = "it lists single intervals",
    .title = "Network Devices Congestion",
    RF_REPORT_COLUMNS(columns),
    .compute = list_congestion,
};
