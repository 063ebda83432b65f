/* SPDX-License-Identifier: Apache-2.0 */
/* Counters: GPU_METRICS, SOC_METRICS. The low byte of a typeId is the number of the GPU. A value is
 * stored as an integer; GENERIC_EVENT_TYPE_FIELDS has the size and type that its bits are of. */
#include "import/nsys_counters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "import/nsys_generic.h"
#include "import/nsys_names.h"
#include "model/load/samples.h"
#include "model/sums/sample_sums.h"

#define DEVICE_OF(type) ((uint32_t)(type)&0xff)

/* ---- The counters ---- */

uint32_t nsys_add_counter(struct nsys_counters *all, int64_t type, uint64_t key, uint32_t metric)
{
    rf_recording *rec = all->load->rec;
    uint32_t n = rec->n_counters;
    if (rf_grow_array(&rec->counter, n, &all->room, sizeof(*rec->counter)) != RF_OK ||
        rf_grow_array(&rec->counter_origin, n, &all->origin_room, sizeof(*rec->counter_origin)) !=
            RF_OK ||
        rf_grow_array(&all->field, n, &all->field_room, sizeof(*all->field)) != RF_OK ||
        rf_grow_array(&all->sum, n, &all->sum_room, sizeof(*all->sum)) != RF_OK ||
        rf_map_set(&all->index_of, (uint64_t)type, key, n) != RF_OK)
        return RF_NO_INDEX;
    rec->counter[n] = (struct rf_counter){.name = RF_NO_STRING,
                                          .set = RF_NO_STRING,
                                          .device = all->is_soc ? RF_NO_INDEX : DEVICE_OF(type),
                                          .process = RF_NO_INDEX};
    rec->counter_origin[n] =
        (struct rf_counter_origin){.type = type, .metric = metric, .is_soc = all->is_soc};
    all->field[n] = (struct nsys_metric_field){NSYS_FIELD_PLAIN, 0};
    all->sum[n] = NULL;
    return rec->n_counters++;
}

static int read_name(void *context, struct nsys_row *row)
{
    struct nsys_counters *all = context;
    rf_recording *rec = all->load->rec;
    int64_t type;
    uint32_t metric = nsys_row_u32(row, 1);
    if (!nsys_row_int(row, 0, &type) || !nsys_row_has(row, 1))
        return nsys_row_skip(row, "no typeId or no metricId: left out");
    if (rf_map_find(&all->index_of, (uint64_t)type, metric) != RF_MAP_NONE)
        return nsys_row_skip(row, "named a second time: left out");
    uint32_t i = nsys_add_counter(all, type, metric, metric);
    if (i == RF_NO_INDEX)
        return nsys_no_memory(all->load);
    (void)nsys_row_int(row, 2, &rec->counter_origin[i].source);
    int status = nsys_read_text(all->load, row, 3, &rec->counter[i].set);
    return status == RF_OK ? nsys_read_text(all->load, row, 4, &rec->counter[i].name) : status;
}

static int read_field(void *context, struct nsys_row *row)
{
    struct nsys_counters *all = context;
    int64_t type, kind, size;
    if (!nsys_row_int(row, 0, &type))
        return RF_OK;
    uint32_t i = rf_map_find(&all->index_of, (uint64_t)type, nsys_row_u32(row, 1));
    if (i == RF_MAP_NONE || !nsys_row_int(row, 2, &size) || !nsys_row_int(row, 3, &kind))
        return RF_OK;
    if (kind >= NSYS_FIELD_SIGNED && kind <= NSYS_FIELD_DOUBLE && size >= 1 && size <= 8)
        all->field[i] = (struct nsys_metric_field){(int8_t)kind, (uint8_t)size};
    return RF_OK;
}

/* ---- Samples ---- */

static double decode_value(const struct nsys_metric_field *field, int64_t value)
{
    int shift = 64 - 8 * field->size_bytes;
    uint64_t bits = (uint64_t)value;
    float single;
    double real;
    if (field->type == NSYS_FIELD_UNSIGNED)
        return (double)(bits << shift >> shift);
    if (field->type == NSYS_FIELD_FLOAT && field->size_bytes == 4) {
        uint32_t low = (uint32_t)bits;
        memcpy(&single, &low, sizeof(single));
        return (double)single;
    }
    if (field->type == NSYS_FIELD_DOUBLE && field->size_bytes == 8) {
        memcpy(&real, &bits, sizeof(real));
        return real;
    }
    return (double)value;
}

/* Adds up a sample that is left out, if that is asked for. */
static int sum_sample(struct nsys_counters *all, uint32_t counter, int64_t ns, double value)
{
    rf_recording *rec = all->load->rec;
    if ((all->load->db.flags & RF_OPEN_SAMPLE_SUMS) == 0)
        return RF_OK;
    if (all->sum[counter] == NULL) {
        struct rf_sample_sum *sum = calloc(1, sizeof(*sum));
        if (sum == NULL || rf_samples_keep(rec, sum) != RF_OK)
            return nsys_no_memory(all->load);
        rec->counter_origin[counter].sum = all->sum[counter] = sum;
    }
    rf_sample_sum_add_real(all->sum[counter], ns, value);
    return RF_OK;
}

int nsys_add_sample(struct nsys_counters *all, uint32_t counter, int64_t ns, double value)
{
    const size_t n = all->n_samples;
    all->load->rec->info.n_samples++;
    if ((all->load->db.flags & RF_OPEN_NO_SAMPLES) != 0)
        return sum_sample(all, counter, ns, value);
    if (rf_grow_array(&all->ns, n, &all->ns_room, sizeof(*all->ns)) != RF_OK ||
        rf_grow_array(&all->value, n, &all->value_room, sizeof(*all->value)) != RF_OK ||
        rf_grow_array(&all->place, n, &all->place_room, sizeof(*all->place)) != RF_OK)
        return nsys_no_memory(all->load);
    all->ns[n] = ns;
    all->value[n] = value;
    all->place[n] = counter;
    all->n_samples++;
    all->load->rec->counter[counter].n_samples++;
    return RF_OK;
}

static int name_by_number(rf_recording *rec, uint32_t i)
{
    char name[32];
    int size = snprintf(name, sizeof(name), "metric %" PRIu32, rec->counter_origin[i].metric);
    rec->counter[i].name = rf_strings_add(&rec->strings, name, (size_t)size);
    return rec->counter[i].name != RF_NO_STRING ? RF_OK : RF_ERR_NO_MEMORY;
}

static int read_sample(void *context, struct nsys_row *row)
{
    struct nsys_counters *all = context;
    int64_t type, ns, whole;
    double value;
    uint32_t metric = nsys_row_u32(row, 2);
    if (!nsys_row_int(row, 0, &ns) || !nsys_is_time(ns))
        return nsys_row_skip(row, "no timestamp: left out");
    if (!nsys_row_double(row, 3, &value) || !(value - value == 0))
        return nsys_row_skip(row, "no value: left out");
    (void)nsys_row_int(row, 1, &type);
    uint32_t i = rf_map_find(&all->index_of, (uint64_t)type, metric);
    if (i == RF_MAP_NONE) {
        (void)nsys_row_skip(row, "of a metric that has no name: shown by its number");
        i = nsys_add_counter(all, type, metric, metric);
        if (i == RF_NO_INDEX || name_by_number(all->load->rec, i) != RF_OK)
            return nsys_no_memory(all->load);
    }
    if (all->field[i].type != NSYS_FIELD_PLAIN && row->cells[3].type == SQLITE_INTEGER &&
        nsys_row_int(row, 3, &whole)) {
        value = decode_value(&all->field[i], whole);
        if (!(value - value == 0))
            return nsys_row_skip(row, "value that is no number: left out");
    }
    return nsys_add_sample(all, i, ns, value);
}

static int read_tables(struct nsys_counters *all, const char *names, const char *samples)
{
    const struct nsys_reader readers[] = {
        {names, read_name,
         NSYS_COLUMNS("typeId", "metricId", "sourceId", "typeName", "metricName")},
        {"GENERIC_EVENT_TYPE_FIELDS", read_field,
         NSYS_COLUMNS("typeId", "fieldIdx", "size", "type")},
        {samples, read_sample, NSYS_COLUMNS("timestamp", "typeId", "metricId", "value")},
        {.table = NULL}};
    struct nsys_db *db = &all->load->db;
    if (nsys_db_find_table(db, names) == NULL && nsys_db_find_table(db, samples) == NULL)
        return RF_OK;
    int status = nsys_db_read(db, readers, all);
    rf_map_release(&all->index_of);
    return status;
}

/* ---- Order ---- */

/* Brings the samples of each counter together, in place: a copy would double the memory. */
static void group_samples(struct nsys_counters *all)
{
    for (uint32_t i = 0; i < all->n_samples; i++) {
        while (all->place[i] != i) {
            uint32_t k = all->place[i];
            int64_t ns = all->ns[k];
            double value = all->value[k];
            all->ns[k] = all->ns[i];
            all->value[k] = all->value[i];
            all->ns[i] = ns;
            all->value[i] = value;
            all->place[i] = all->place[k];
            all->place[k] = k;
        }
    }
}

/* Gives each counter its part of the arrays, and each sample its place there. */
static int assign_places(struct nsys_counters *all)
{
    rf_recording *rec = all->load->rec;
    size_t *next = malloc(((size_t)rec->n_counters + 1) * sizeof(*next));
    size_t first = 0;
    if (next == NULL)
        return nsys_no_memory(all->load);
    for (uint32_t i = 0; i < rec->n_counters; i++) {
        struct rf_counter *counter = &rec->counter[i];
        next[i] = first;
        if (counter->n_samples > 0) {
            counter->ns = all->ns + first;
            counter->value = all->value + first;
        }
        first += counter->n_samples;
    }
    for (size_t i = 0; i < all->n_samples; i++)
        all->place[i] = (uint32_t)next[all->place[i]]++;
    free(next);
    return RF_OK;
}

static int sort_samples(struct nsys_counters *all)
{
    const rf_recording *rec = all->load->rec;
    size_t first = 0;
    for (uint32_t i = 0; i < rec->n_counters; i++) {
        size_t n = rec->counter[i].n_samples;
        if (n > 0 && rf_samples_sort(all->ns + first, n, all->value + first, 1) != RF_OK)
            return nsys_no_memory(all->load);
        first += n;
    }
    return RF_OK;
}

/* The recording owns the arrays from now on, even after an error. */
static int keep_samples(struct nsys_counters *all)
{
    int status = rf_samples_keep(all->load->rec, all->ns);
    all->is_kept = true;
    int other = rf_samples_keep(all->load->rec, all->value);
    return nsys_memory_status(all->load, status == RF_OK && other == RF_OK);
}

static int put_in_order(struct nsys_counters *all)
{
    int status = assign_places(all);
    if (status != RF_OK)
        return status;
    group_samples(all);
    return sort_samples(all);
}

int nsys_counters_finish(struct nsys_counters *all)
{
    int status = put_in_order(all);
    int kept = keep_samples(all);
    return status == RF_OK ? kept : status;
}

void nsys_counters_release(struct nsys_counters *all)
{
    rf_map_release(&all->index_of);
    free(all->field);
    free(all->sum);
    free(all->place);
    if (all->is_kept)
        return;
    free(all->ns);
    free(all->value);
}

int nsys_load_counters(struct nsys_load *load)
{
    struct nsys_counters all = {.load = load};
    int status = read_tables(&all, "TARGET_INFO_GPU_METRICS", "GPU_METRICS");
    if (status == RF_OK && nsys_db_find_table(&load->db, "GPU_METRICS") == NULL)
        status = nsys_load_generic(&all);
    rf_map_release(&all.index_of);
    all.is_soc = true;
    if (status == RF_OK)
        status = read_tables(&all, "TARGET_INFO_SOC_METRICS", "SOC_METRICS");
    if (status == RF_OK)
        status = nsys_counters_finish(&all);
    nsys_counters_release(&all);
    return status;
}
