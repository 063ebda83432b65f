/* SPDX-License-Identifier: Apache-2.0 */
#include "import/nsys_nvtx_counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "import/nsys_names.h"
#include "import/nsys_nvtx.h"
#include "model/fields/fields_counter.h"
#include "model/load/samples.h"
#include "model/nvtx/nvtx_columns.h"
#include "model/sums/sample_sums.h"

/* A counter while its samples are read. Processes and threads are those of nsys_load. */
struct read_counter {
    struct rf_counter counter;
    struct rf_nvtx_counter nvtx;
    struct rf_nvtx_sample *sample;
    struct rf_sample_sum *sum; /* NULL: none */
    size_t n, room;
};

struct nsys_nvtx_counters {
    struct read_counter *counter;
    uint32_t n;
    size_t room;
    struct rf_map index_of; /* (counterId, 0) */
};

/* ---- Counters ---- */

enum {
    ID,
    GLOBAL_PID,
    GLOBAL_TID,
    DOMAIN_ID,
    NAME,
    UNIT,
    DESCRIPTION,
    SCOPE,
    NUMBER,
    VALUE_TYPE,
    INTERPOLATION,
    MINIMUM,
    MAXIMUM,
    SCALE_NUMERATOR,
    SCALE_DENOMINATOR,
    FACTOR
};

static const char *const columns[] = {"counterId", "globalPid",      "globalTid",        "domainId",
                                      "name",      "unit",           "description",      "scope",
                                      "number",    "valueType",      "interpolation",    "minimum",
                                      "maximum",   "scaleNumerator", "scaleDenominator", "factor",
                                      NULL};

/* The number of a word; 0 where it is none. */
static uint8_t word_at(struct nsys_row *row, int column, const char *(*name_of)(int))
{
    size_t size;
    const char *text = nsys_row_text(row, column, &size), *name;
    for (uint8_t i = 0; text != NULL && (name = name_of(i)) != NULL; i++)
        if (strlen(name) == size && memcmp(name, text, size) == 0)
            return i;
    if (text != NULL)
        (void)nsys_row_skip(row, "word that is not known, taken as the usual one");
    return 0;
}

/* Integers that SQLite does not hold stand as text. */
static bool parse_integer(const char *text, size_t size, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < size; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (text[i] < '0' || text[i] > '9' || *value > (UINT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return size > 0;
}

static double real_at(struct nsys_row *row, int column, uint8_t bit, uint8_t *has)
{
    double value;
    if (nsys_row_has(row, column) && nsys_row_double(row, column, &value))
        *has |= bit;
    else
        value = 0;
    return value;
}

/* A limit as our databases have it: integers are exact, those without a sign perhaps text. */
static struct rf_counter_limit limit_at(struct nsys_row *row, int column, uint8_t bit, uint8_t *has)
{
    const struct nsys_value *cell = &row->cells[column];
    uint64_t bits;
    size_t size;
    if (cell->type == SQLITE_INTEGER) {
        *has |= bit;
        return rf_nvtx_limit(RF_COUNTER_INT64, (uint64_t)cell->integer);
    }
    const char *text = cell->type == SQLITE_TEXT ? nsys_row_text(row, column, &size) : NULL;
    if (text != NULL && parse_integer(text, size, &bits)) {
        *has |= bit;
        return rf_nvtx_limit(RF_COUNTER_UINT64, bits);
    }
    double real = real_at(row, column, bit, has);
    memcpy(&bits, &real, sizeof(bits));
    return rf_nvtx_limit(RF_COUNTER_REAL, bits);
}

static void read_scale(struct nsys_row *row, struct rf_nvtx_counter *nvtx)
{
    int64_t numerator, denominator;
    uint8_t has = 0;
    nvtx->scale_numerator = nvtx->scale_denominator = 1;
    if (nsys_row_int(row, SCALE_NUMERATOR, &numerator) && numerator != 0 &&
        nsys_row_int(row, SCALE_DENOMINATOR, &denominator) && denominator != 0) {
        nvtx->scale_numerator = (uint64_t)numerator;
        nvtx->scale_denominator = (uint64_t)denominator;
    }
    nvtx->factor = real_at(row, FACTOR, 1, &has);
    if (has == 0 || !isfinite(nvtx->factor))
        nvtx->factor = (double)nvtx->scale_numerator / (double)nvtx->scale_denominator;
}

/* Whose it is. */
static int read_owner(struct nsys_load *load, struct nsys_row *row, struct read_counter *to)
{
    int64_t id;
    (void)nsys_row_int(row, GLOBAL_PID, &id);
    to->counter.process = nsys_find_process(load, (uint64_t)id >> NSYS_TID_BITS);
    if (to->counter.process == RF_NO_INDEX)
        return nsys_no_memory(load);
    (void)nsys_row_int(row, DOMAIN_ID, &id);
    to->nvtx.domain = nsys_find_domain(load, to->counter.process, (uint64_t)id);
    to->nvtx.thread = RF_NO_INDEX;
    if (to->nvtx.domain == RF_NO_INDEX)
        return nsys_no_memory(load);
    if (!nsys_row_int(row, GLOBAL_TID, &id))
        return RF_OK;
    to->nvtx.thread = nsys_find_thread(load, (uint64_t)id);
    if (to->nvtx.thread == RF_NO_INDEX)
        return nsys_no_memory(load);
    if (load->thread[to->nvtx.thread].process != to->counter.process)
        to->nvtx.thread = RF_NO_INDEX;
    return RF_OK;
}

static int read_texts(struct nsys_load *load, struct nsys_row *row, struct read_counter *to)
{
    const struct {
        int column;
        uint32_t *string;
    } texts[] = {{NAME, &to->counter.name},
                 {UNIT, &to->nvtx.unit},
                 {DESCRIPTION, &to->nvtx.description},
                 {SCOPE, &to->nvtx.scope}};
    int status = RF_OK;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && status == RF_OK; i++)
        status = nsys_read_text(load, row, texts[i].column, texts[i].string);
    return status;
}

static int read_counter(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    struct nsys_nvtx_counters *all = load->nvtx_counters;
    struct read_counter new = {.counter = {.set = RF_NO_STRING, .device = RF_NO_INDEX}};
    int64_t id;
    if (!nsys_row_int(row, ID, &id) || rf_map_find(&all->index_of, (uint64_t)id, 0) != RF_MAP_NONE)
        return nsys_row_skip(row, "no counterId, or that of another counter: left out");
    int status = read_owner(load, row, &new);
    if (status == RF_OK)
        status = read_texts(load, row, &new);
    if (status != RF_OK)
        return status;
    new.nvtx.number = word_at(row, NUMBER, rf_counter_number_name);
    new.nvtx.value_type = word_at(row, VALUE_TYPE, rf_counter_value_type_name);
    new.nvtx.interpolation = word_at(row, INTERPOLATION, rf_counter_interpolation_name);
    new.nvtx.min = limit_at(row, MINIMUM, 1, &new.nvtx.has_limits);
    new.nvtx.max = limit_at(row, MAXIMUM, 2, &new.nvtx.has_limits);
    read_scale(row, &new.nvtx);
    if (rf_grow_array(&all->counter, all->n, &all->room, sizeof(*all->counter)) != RF_OK ||
        rf_map_set(&all->index_of, (uint64_t)id, 0, all->n) != RF_OK)
        return nsys_no_memory(load);
    all->counter[all->n++] = new;
    return RF_OK;
}

/* ---- Samples ---- */

static bool has_word(const char *text, size_t size, const char *word)
{
    return text != NULL && memmem(text, size, word, strlen(word)) != NULL;
}

/* Reads the value and the flags; false: it is no value. */
static bool read_value(struct nsys_row *row, struct rf_nvtx_sample *sample)
{
    size_t size, flags_size;
    const struct nsys_value *cell = &row->cells[2];
    const char *flags = nsys_row_text(row, 3, &flags_size);
    double real = cell->type == SQLITE_FLOAT ? cell->real : (double)NAN;
    if (has_word(flags, flags_size, "placed"))
        sample->flags |= RF_SAMPLE_PLACED;
    sample->kind = RF_NVTX_SAMPLE_REAL;
    memcpy(&sample->bits, &real, sizeof(real));
    if (cell->type == SQLITE_NULL) { /* SQLite has no NaN */
        if (has_word(flags, flags_size, "no_value"))
            sample->kind = RF_NVTX_SAMPLE_NONE;
    } else if (cell->type == SQLITE_INTEGER) {
        sample->kind = RF_NVTX_SAMPLE_INTEGER;
        sample->bits = (uint64_t)cell->integer;
    } else if (cell->type != SQLITE_FLOAT) {
        const char *text = nsys_row_text(row, 2, &size);
        sample->kind = RF_NVTX_SAMPLE_INTEGER;
        return parse_integer(text, size, &sample->bits);
    }
    return true;
}

/* Adds up a sample that is left out, if that is asked for. */
static int sum_sample(struct nsys_load *load, struct read_counter *to,
                      const struct rf_nvtx_sample *sample)
{
    if ((load->db.flags & RF_OPEN_SAMPLE_SUMS) == 0)
        return RF_OK;
    if (to->sum == NULL && (to->sum = calloc(1, sizeof(*to->sum))) == NULL)
        return nsys_no_memory(load);
    rf_nvtx_sum_sample(to->sum, sample, to->nvtx.number);
    return RF_OK;
}

static int read_sample(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    struct nsys_nvtx_counters *all = load->nvtx_counters;
    struct rf_nvtx_sample sample = {.flags = 0};
    int64_t id;
    uint32_t i =
        nsys_row_int(row, 0, &id) ? rf_map_find(&all->index_of, (uint64_t)id, 0) : RF_MAP_NONE;
    if (i == RF_MAP_NONE || !nsys_row_int(row, 1, &sample.ns) || !nsys_is_time(sample.ns))
        return nsys_row_skip(row, "of no counter, or no timestamp: left out");
    if (!read_value(row, &sample))
        return nsys_row_skip(row, "value that is no number: left out");
    load->rec->info.n_samples++;
    struct read_counter *to = &all->counter[i];
    if ((load->db.flags & RF_OPEN_NO_SAMPLES) != 0)
        return sum_sample(load, to, &sample);
    if (rf_grow_array(&to->sample, to->n, &to->room, sizeof(*to->sample)) != RF_OK)
        return nsys_no_memory(load);
    to->sample[to->n++] = sample;
    return RF_OK;
}

int nsys_load_nvtx_counters(struct nsys_load *load)
{
    const struct nsys_reader readers[] = {
        {"RANGEFINDER_NVTX_COUNTERS", read_counter, columns},
        {"RANGEFINDER_NVTX_COUNTER_SAMPLES", read_sample,
         NSYS_COLUMNS("counterId", "timestamp", "value", "flags")},
        {.table = NULL}};
    if (nsys_db_find_table(&load->db, readers[0].table) == NULL)
        return RF_OK;
    load->nvtx_counters = calloc(1, sizeof(*load->nvtx_counters));
    if (load->nvtx_counters == NULL)
        return nsys_no_memory(load);
    return nsys_db_read(&load->db, readers, load);
}

/* ---- The recording's ---- */

static int make_room(rf_recording *rec, uint32_t n_more)
{
    size_t n = (size_t)rec->n_counters + n_more + 1;
    struct rf_counter *counter = realloc(rec->counter, n * sizeof(*counter));
    if (counter != NULL)
        rec->counter = counter;
    struct rf_counter_origin *origin = realloc(rec->counter_origin, n * sizeof(*origin));
    if (origin != NULL)
        rec->counter_origin = origin;
    return counter != NULL && origin != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

static int add_counter(struct nsys_load *load, struct read_counter *from)
{
    rf_recording *rec = load->rec;
    from->counter.process = load->process[from->counter.process].place;
    if (from->nvtx.thread != RF_NO_INDEX)
        from->nvtx.thread = load->thread[from->nvtx.thread].place;
    void *memory = rf_nvtx_columns_new(&from->counter, &from->nvtx, from->sample, from->n);
    if (memory == NULL)
        return RF_ERR_NO_MEMORY;
    rec->counter_origin[rec->n_counters] =
        (struct rf_counter_origin){.sum = from->sum, .metric = rec->n_counters};
    rec->counter[rec->n_counters++] = from->counter;
    free(from->sample);
    from->sample = NULL;
    const int status = rf_samples_keep(rec, from->sum), other = rf_samples_keep(rec, memory);
    from->sum = NULL;
    return status == RF_OK ? other : status;
}

int nsys_finish_nvtx_counters(struct nsys_load *load)
{
    struct nsys_nvtx_counters *all = load->nvtx_counters;
    if (all == NULL || all->n == 0)
        return RF_OK;
    int status = make_room(load->rec, all->n);
    for (uint32_t i = 0; i < all->n && status == RF_OK; i++)
        status = add_counter(load, &all->counter[i]);
    return status;
}

void nsys_nvtx_counters_free(struct nsys_nvtx_counters *all)
{
    if (all == NULL)
        return;
    for (uint32_t i = 0; i < all->n; i++) {
        free(all->counter[i].sample);
        free(all->counter[i].sum);
    }
    free(all->counter);
    rf_map_release(&all->index_of);
    free(all);
}
