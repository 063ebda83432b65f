/* SPDX-License-Identifier: Apache-2.0 */
/* GPU metrics of exports that have no GPU_METRICS. A row of GENERIC_EVENTS has all values of one
 * time, as a JSON object of names and values, which are numbers or texts of numbers. Its type
 * belongs to a source; only the source called GpuMetrics is read. */
#include "import/nsys_generic.h"

#include <stdlib.h>
#include <string.h>

struct gpu_metrics {
    struct nsys_counters *all;
    struct rf_map source;    /* the ids of those that are called GpuMetrics */
    struct rf_map type;      /* the ids of their types, to indices of n_of_type */
    uint32_t n_of_type[256]; /* metrics of a type */
    uint32_t n_types;
};

/* ---- JSON ---- */

struct json {
    const char *at, *end;
};

static void skip_space(struct json *in)
{
    while (in->at < in->end && memchr(" \t\r\n", *in->at, 4) != NULL)
        in->at++;
}

static bool skip_char(struct json *in, char c)
{
    skip_space(in);
    if (in->at == in->end || *in->at != c)
        return false;
    in->at++;
    return true;
}

/* Reads a string. Escapes are left as they are: names of metrics have none. */
static bool read_string(struct json *in, const char **text, size_t *size)
{
    if (!skip_char(in, '"'))
        return false;
    *text = in->at;
    while (in->at < in->end && *in->at != '"')
        in->at += *in->at == '\\' && in->end - in->at > 1 ? 2 : 1;
    *size = (size_t)(in->at - *text);
    return skip_char(in, '"');
}

static bool parse_number(const char *text, size_t size, double *value)
{
    char copy[64];
    char *end;
    if (size == 0 || size >= sizeof(copy))
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    *value = strtod(copy, &end);
    return *end == '\0' && *value - *value == 0;
}

enum json_value { JSON_ERROR, JSON_NUMBER, JSON_OTHER };

/* Reads a number, or a text of one, into *value, or passes over something else. */
static enum json_value read_value(struct json *in, double *value)
{
    const char *text;
    size_t size;
    skip_space(in);
    if (in->at < in->end && *in->at == '"')
        return !read_string(in, &text, &size)    ? JSON_ERROR
               : parse_number(text, size, value) ? JSON_NUMBER
                                                 : JSON_OTHER;
    text = in->at;
    while (in->at < in->end && memchr(",}[]{ \t\r\n", *in->at, 9) == NULL)
        in->at++;
    if (in->at == text)
        return JSON_ERROR;
    return parse_number(text, (size_t)(in->at - text), value) ? JSON_NUMBER : JSON_OTHER;
}

/* ---- Sources and types ---- */

static bool has_name(const char *text, size_t size)
{
    static const char name[] = "\"GpuMetrics\"";
    return text != NULL && memmem(text, size, name, sizeof(name) - 1) != NULL;
}

static int read_source(void *context, struct nsys_row *row)
{
    struct gpu_metrics *metrics = context;
    int64_t source;
    size_t size;
    const char *text = nsys_row_text(row, 1, &size);
    if (nsys_row_int(row, 0, &source) && has_name(text, size) &&
        rf_map_set(&metrics->source, (uint64_t)source, 0, 0) != RF_OK)
        return nsys_no_memory(metrics->all->load);
    return RF_OK;
}

static int read_type(void *context, struct nsys_row *row)
{
    struct gpu_metrics *metrics = context;
    int64_t type, source;
    if (!nsys_row_int(row, 0, &type) || !nsys_row_int(row, 1, &source) ||
        rf_map_find(&metrics->source, (uint64_t)source, 0) == RF_MAP_NONE ||
        metrics->n_types == 256)
        return RF_OK;
    if (rf_map_set(&metrics->type, (uint64_t)type, 0, metrics->n_types) != RF_OK)
        return nsys_no_memory(metrics->all->load);
    metrics->n_types++;
    return RF_OK;
}

/* ---- Events ---- */

/* The counter of a name, which is added if it is new; RF_NO_INDEX: out of memory. */
static uint32_t find_counter(struct gpu_metrics *metrics, int64_t type, const char *name,
                             size_t size)
{
    rf_recording *rec = metrics->all->load->rec;
    uint32_t string = rf_strings_add(&rec->strings, name, size);
    if (string == RF_NO_STRING)
        return RF_NO_INDEX;
    uint32_t i = rf_map_find(&metrics->all->index_of, (uint64_t)type, string);
    if (i != RF_MAP_NONE)
        return i;
    uint32_t *n = &metrics->n_of_type[rf_map_find(&metrics->type, (uint64_t)type, 0)];
    i = nsys_add_counter(metrics->all, type, string, (*n)++);
    if (i != RF_NO_INDEX)
        rec->counter[i].name = string;
    return i;
}

/* Reads name and value of a member of an object. */
static enum json_value read_member(struct json *in, const char **name, size_t *size, double *value)
{
    return read_string(in, name, size) && skip_char(in, ':') ? read_value(in, value) : JSON_ERROR;
}

static int read_object(struct gpu_metrics *metrics, struct nsys_row *row, struct json *in,
                       int64_t type, int64_t ns)
{
    const char *name;
    size_t size;
    double value;
    enum json_value found;
    int status = RF_OK;
    bool is_object = skip_char(in, '{');
    if (is_object && skip_char(in, '}'))
        return RF_OK;
    do {
        found = is_object ? read_member(in, &name, &size, &value) : JSON_ERROR;
        if (found == JSON_NUMBER) {
            uint32_t i = find_counter(metrics, type, name, size);
            status = i != RF_NO_INDEX ? nsys_add_sample(metrics->all, i, ns, value)
                                      : nsys_no_memory(metrics->all->load);
        } else if (found == JSON_ERROR) {
            (void)nsys_row_skip(row, "data that cannot be read: left out");
        }
    } while (status == RF_OK && found != JSON_ERROR && skip_char(in, ','));
    return status;
}

static int read_event(void *context, struct nsys_row *row)
{
    struct gpu_metrics *metrics = context;
    int64_t type, ns;
    size_t size;
    if (!nsys_row_int(row, 2, &type) ||
        rf_map_find(&metrics->type, (uint64_t)type, 0) == RF_MAP_NONE)
        return nsys_row_skip(row, "event that is no GPU metric: not read");
    if ((!nsys_row_int(row, 0, &ns) && !nsys_row_int(row, 1, &ns)) || !nsys_is_time(ns))
        return nsys_row_skip(row, "no timestamp: left out");
    const char *text = nsys_row_text(row, 3, &size);
    struct json in = {text, text};
    if (text != NULL)
        in.end = text + size;
    return read_object(metrics, row, &in, type, ns);
}

int nsys_load_generic(struct nsys_counters *all)
{
    struct gpu_metrics metrics = {.all = all};
    const struct nsys_reader readers[] = {
        {"GENERIC_EVENT_SOURCES", read_source, NSYS_COLUMNS("sourceId", "data")},
        {"GENERIC_EVENT_TYPES", read_type, NSYS_COLUMNS("typeId", "sourceId")},
        {.table = NULL}};
    const struct nsys_reader events[] = {
        {"GENERIC_EVENTS", read_event, NSYS_COLUMNS("timestamp", "rawTimestamp", "typeId", "data")},
        {.table = NULL}};
    int status = nsys_db_read(&all->load->db, readers, &metrics);
    if (status == RF_OK && metrics.n_types > 0)
        status = nsys_db_read(&all->load->db, events, &metrics);
    rf_map_release(&metrics.source);
    rf_map_release(&metrics.type);
    return status;
}
