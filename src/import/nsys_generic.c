/* SPDX-License-Identifier: Apache-2.0 */
/* GPU metrics as exports had them before GPU_METRICS: a row of GENERIC_EVENTS per moment, its data
 * a JSON object of names and values, which are numbers or texts of numbers. A type belongs to a
 * source, and the source called GpuMetrics is the one; what others sent is left out. */
#include "import/nsys_generic.h"

#include <stdlib.h>
#include <string.h>

struct generic {
    struct nsys_counters *all;
    struct rf_map source;    /* those that are called GpuMetrics */
    struct rf_map type;      /* those of such a source: how many metrics it has */
    uint32_t n_of_type[256]; /* by the number in the map */
    uint32_t n_types;
};

/* ---- JSON ---- */

struct reader {
    const char *at, *end;
};

static void skip_space(struct reader *in)
{
    while (in->at < in->end && memchr(" \t\r\n", *in->at, 4) != NULL)
        in->at++;
}

static int take_char(struct reader *in, char c)
{
    skip_space(in);
    if (in->at == in->end || *in->at != c)
        return 0;
    in->at++;
    return 1;
}

/* The inside of a string as it stands: names of metrics have nothing to be escaped. */
static int take_string(struct reader *in, const char **text, size_t *size)
{
    if (!take_char(in, '"'))
        return 0;
    *text = in->at;
    while (in->at < in->end && *in->at != '"')
        in->at += *in->at == '\\' && in->end - in->at > 1 ? 2 : 1;
    *size = (size_t)(in->at - *text);
    return take_char(in, '"');
}

static int parse_number(const char *text, size_t size, double *value)
{
    char copy[64];
    char *end;
    if (size == 0 || size >= sizeof(copy))
        return 0;
    memcpy(copy, text, size);
    copy[size] = '\0';
    *value = strtod(copy, &end);
    return *end == '\0' && *value - *value == 0;
}

/* 1: a number; 0: something else, which is passed over; -1: no value at all. */
static int take_value(struct reader *in, double *value)
{
    const char *text;
    size_t size;
    skip_space(in);
    if (in->at < in->end && *in->at == '"')
        return take_string(in, &text, &size) ? parse_number(text, size, value) : -1;
    text = in->at;
    while (in->at < in->end && memchr(",}[]{ \t\r\n", *in->at, 9) == NULL)
        in->at++;
    if (in->at == text)
        return -1;
    return parse_number(text, (size_t)(in->at - text), value);
}

/* ---- Sources and types ---- */

static int has_name(const char *text, size_t size)
{
    static const char name[] = "\"GpuMetrics\"";
    return text != NULL && memmem(text, size, name, sizeof(name) - 1) != NULL;
}

static int read_source(void *context, struct nsys_row *row)
{
    struct generic *job = context;
    int64_t source;
    size_t size;
    const char *text = nsys_row_text(row, 1, &size);
    if (nsys_row_int(row, 0, &source) && has_name(text, size) &&
        rf_map_set(&job->source, (uint64_t)source, 0, 0) != RF_OK)
        return nsys_no_memory(job->all->load);
    return RF_OK;
}

static int read_type(void *context, struct nsys_row *row)
{
    struct generic *job = context;
    int64_t type, source;
    if (!nsys_row_int(row, 0, &type) || !nsys_row_int(row, 1, &source) ||
        rf_map_find(&job->source, (uint64_t)source, 0) == RF_MAP_NONE || job->n_types == 256)
        return RF_OK;
    if (rf_map_set(&job->type, (uint64_t)type, 0, job->n_types) != RF_OK)
        return nsys_no_memory(job->all->load);
    job->n_types++;
    return RF_OK;
}

/* ---- Events ---- */

/* The counter of a name; they are numbered as they come. */
static uint32_t find_counter(struct generic *job, int64_t type, uint32_t of_type, const char *name,
                             size_t size)
{
    rf_recording *rec = job->all->load->rec;
    uint32_t string = rf_strings_add(&rec->strings, name, size);
    uint32_t i =
        string != RF_NO_STRING ? rf_map_find(&job->all->of, (uint64_t)type, string) : RF_NO_INDEX;
    if (string == RF_NO_STRING || i != RF_MAP_NONE)
        return i;
    i = nsys_add_counter(job->all, type, string, job->n_of_type[of_type]++);
    if (i != RF_NO_INDEX)
        rec->counter[i].name = string;
    return i;
}

static int read_members(struct generic *job, struct nsys_row *row, struct reader *in, int64_t type,
                        int64_t ns)
{
    uint32_t of_type = rf_map_find(&job->type, (uint64_t)type, 0);
    const char *name;
    size_t size;
    double value;
    int status = RF_OK, found = take_char(in, '{') ? 0 : -1;
    if (found == 0 && take_char(in, '}'))
        return RF_OK;
    while (found >= 0 && status == RF_OK) {
        if (!take_string(in, &name, &size) || !take_char(in, ':'))
            break;
        found = take_value(in, &value);
        if (found < 0)
            break;
        if (found > 0) {
            uint32_t i = find_counter(job, type, of_type, name, size);
            status = i != RF_NO_INDEX ? nsys_add_sample(job->all, i, ns, value)
                                      : nsys_no_memory(job->all->load);
        }
        if (!take_char(in, ','))
            return status;
    }
    if (status == RF_OK)
        nsys_db_skip(row->db, row->table, "data that cannot be read: left out", 1);
    return status;
}

static int read_event(void *context, struct nsys_row *row)
{
    struct generic *job = context;
    int64_t type, ns;
    size_t size;
    if (!nsys_row_int(row, 2, &type) || rf_map_find(&job->type, (uint64_t)type, 0) == RF_MAP_NONE) {
        nsys_db_skip(row->db, row->table, "event that is no GPU metric: not read", 1);
        return RF_OK;
    }
    if ((!nsys_row_int(row, 0, &ns) && !nsys_row_int(row, 1, &ns)) || !nsys_is_time(ns)) {
        nsys_db_skip(row->db, row->table, "no timestamp: left out", 1);
        return RF_OK;
    }
    const char *text = nsys_row_text(row, 3, &size);
    struct reader in = {text, text};
    if (text != NULL)
        in.end = text + size;
    return read_members(job, row, &in, type, ns);
}

int nsys_load_generic(struct nsys_counters *all)
{
    static const char *const source_columns[] = {"sourceId", "data"};
    static const char *const type_columns[] = {"typeId", "sourceId"};
    static const char *const event_columns[] = {"timestamp", "rawTimestamp", "typeId", "data"};
    struct nsys_db *db = &all->load->db;
    struct generic job = {.all = all};
    int status = nsys_db_read(db, "GENERIC_EVENT_SOURCES", source_columns, 2, read_source, &job);
    if (status == RF_OK)
        status = nsys_db_read(db, "GENERIC_EVENT_TYPES", type_columns, 2, read_type, &job);
    if (status == RF_OK && job.n_types > 0)
        status = nsys_db_read(db, "GENERIC_EVENTS", event_columns, 4, read_event, &job);
    rf_map_release(&job.source);
    rf_map_release(&job.type);
    return status;
}
