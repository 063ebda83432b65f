/* SPDX-License-Identifier: Apache-2.0 */
/* What was sampled. A sample's value is that of the time from the sample before up to its own.
 * On counter tracks a value holds from its time on: there each stands at the time of the sample
 * before. Where that is asked for, GPU counters of the machine are GpuCounterEvents, which say that
 * their values look backwards, with descriptors of their own for each GPU. */
#include "export/perfetto/export_perfetto_counters.h"

#include <stdio.h>
#include <string.h>

#include "export/counter_names.h"
#include "export/counter_gaps.h"
#include "export/counter_values.h"
#include "export/perfetto/export_perfetto_packets.h"
#include "export/perfetto/export_perfetto_tracks.h"
#include "model/gpu/shown_metric.h"

enum { COUNTERS_OF_EVENT = 2, DESCRIPTOR_IID = 4 };
enum { COUNTER_ID = 1, COUNTER_INT = 2, COUNTER_DOUBLE = 3 };
enum { INTERNED_IID = 1, INTERNED_DESCRIPTOR = 2, INTERNED_GPU_ID = 3, DESCRIPTORS = 47 };
enum { DESCRIPTOR_SPECS = 1, DESCRIPTOR_GROUPS = 6 };
enum {
    SPEC_ID = 1,
    SPEC_NAME = 2,
    SPEC_DESCRIPTION = 3,
    SPEC_NUMERATOR = 7,
    SPEC_DENOMINATOR = 8,
    SPEC_GROUPS = 10,
    SPEC_DIRECTION = 11,
};
enum { GROUP_ID = 1, GROUP_NAME = 2, GROUP_COUNTERS = 4 };
enum { LOOKS_BACKWARDS = 1 };
enum { TRACK_COUNTER = 8, COUNTER_UNIT = 3, COUNTER_UNIT_NAME = 6, UNIT_BYTES = 3 };

#define FIRST_GROUP ((uint64_t)16) /* below are Perfetto's own */
#define RANK        (3u << 20)

/* Counters that are described, and searched for the next sample, together. */
#define MAX_TOGETHER 64

/* ---- What a name says ---- */

enum { GROUP_SYSTEM = 1, GROUP_MEMORY = 5, GROUP_COMPUTE = 6 };

/* Groups that Perfetto has; the first of these words that a name contains decides. */
static const struct word {
    const char *text;
    uint32_t group;
} words[] = {
    {"Clock", GROUP_SYSTEM},   {"DRAM", GROUP_MEMORY},   {"PCIe", GROUP_MEMORY},
    {"NVLink", GROUP_MEMORY},  {"BAR1", GROUP_MEMORY},   {"L2 ", GROUP_MEMORY},
    {"Memory", GROUP_MEMORY},  {"dram_", GROUP_MEMORY},  {"pcie_", GROUP_MEMORY},
    {"lts_", GROUP_MEMORY},    {"SM", GROUP_COMPUTE},    {"sm_", GROUP_COMPUTE},
    {"Tensor", GROUP_COMPUTE}, {"Warps", GROUP_COMPUTE}, {"Compute", GROUP_COMPUTE},
    {"GR Act", GROUP_COMPUTE},
};

/* Of Perfetto's MeasureUnit. */
static const struct unit {
    const char *text;
    uint32_t numerator, denominator; /* 0: none */
} units[] = {
    {"Hz", 13, 0},    {"kHz", 14, 0}, {"MHz", 15, 0},     {"GHz", 16, 0},  {"bytes", 7, 0},
    {"B", 7, 0},      {"B/s", 7, 22}, {"bytes/s", 7, 22}, {"KB/s", 8, 22}, {"MB/s", 9, 22},
    {"GB/s", 10, 22}, {"W", 29, 0},   {"mW", 28, 0},      {"C", 34, 0},
};

static uint32_t group_of(const char *name)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(name, words[i].text) != NULL)
            return words[i].group;
    return 0;
}

/* What stands in brackets at the end of a name: "SMs Active [Throughput %]". */
static const char *unit_text(const char *name, size_t *size)
{
    const char *from = strrchr(name, '[');
    const char *to = from != NULL ? strchr(from, ']') : NULL;
    *size = to != NULL ? (size_t)(to - from) - 1 : 0;
    return to != NULL ? from + 1 : NULL;
}

static struct unit unit_of(const char *name)
{
    size_t size;
    const char *text = unit_text(name, &size);
    if (size > 0 && text[size - 1] == '%')
        return (struct unit){"%", 37, 0};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (size == strlen(units[i].text) && memcmp(text, units[i].text, size) == 0)
            return units[i];
    return (struct unit){"", 0, 0};
}

static const char *name_of(const struct pf_writer *to, const struct rf_counter *counter)
{
    const char *name = rf_string(to->rec, counter->name, NULL);
    return name != NULL ? name : "(null)";
}

/* "DOMAIN:NAME (SET)"; of NVTX a scope stands in the place of the set. */
static void sink_name(struct pf_writer *to, const struct rf_counter *counter, bool has_sets)
{
    const uint32_t domain = rf_counter_domain(to->rec, counter);
    const uint32_t behind =
        counter->nvtx != NULL ? rf_counter_scope(to->rec, counter) : counter->set;
    if (domain != RF_NO_STRING) {
        pf_sink_string(to, domain);
        rf_sink_char(&to->words, ':');
    }
    rf_sink_text(&to->words, name_of(to, counter));
    if ((!has_sets && counter->nvtx == NULL) || rf_string(to->rec, behind, NULL) == NULL)
        return;
    rf_sink_text(&to->words, " (");
    pf_sink_string(to, behind);
    rf_sink_text(&to->words, ")");
}

/* ---- As GPU counters ---- */

/* Some of the counters of a GPU. */
struct together {
    uint32_t first, n;
    bool has_sets; /* the GPU's counters are of several sets, so that names may occur twice */
    const struct rf_counter *counter[MAX_TOGETHER];
    double factor[MAX_TOGETHER];  /* of values: rf_counter_shown_factor() */
    size_t next[MAX_TOGETHER];    /* sample */
    int64_t interval_ns, last_ns; /* between samples; of the samples before. 0: there are none */
};

static void put_spec(struct pf_writer *to, const struct together *some, uint32_t i)
{
    const struct rf_counter *counter = some->counter[i];
    const char *name = name_of(to, counter);
    const struct unit unit = unit_of(name);
    size_t begin = rf_proto_begin_wide(&to->interned, DESCRIPTOR_SPECS);
    rf_proto_u64(&to->interned, SPEC_ID, i + 1);
    sink_name(to, counter, some->has_sets);
    pf_take_words(to, &to->interned, SPEC_NAME);
    pf_sink_string(to, counter->set);
    if (rf_string(to->rec, counter->set, NULL) != NULL)
        pf_take_words(to, &to->interned, SPEC_DESCRIPTION);
    if (unit.numerator != 0)
        rf_proto_u64(&to->interned, SPEC_NUMERATOR, unit.numerator);
    if (unit.denominator != 0)
        rf_proto_u64(&to->interned, SPEC_DENOMINATOR, unit.denominator);
    rf_proto_u64(&to->interned, SPEC_GROUPS, group_of(name));
    rf_proto_u64(&to->interned, SPEC_DIRECTION, LOOKS_BACKWARDS);
    rf_proto_end_wide(&to->interned, begin);
}

/* Viewers show the counters of a set under its name. */
static void put_groups(struct pf_writer *to, const struct together *some)
{
    for (uint32_t i = 0, end; i < some->n; i = end) {
        uint32_t set = some->counter[i]->set;
        for (end = i + 1; end < some->n && some->counter[end]->set == set; end++)
            ;
        if (rf_string(to->rec, set, NULL) == NULL)
            continue;
        size_t begin = rf_proto_begin_wide(&to->interned, DESCRIPTOR_GROUPS);
        rf_proto_u64(&to->interned, GROUP_ID, FIRST_GROUP + set);
        pf_sink_string(to, set);
        pf_take_words(to, &to->interned, GROUP_NAME);
        for (uint32_t k = i; k < end; k++)
            rf_proto_u64(&to->interned, GROUP_COUNTERS, k + 1);
        rf_proto_end_wide(&to->interned, begin);
    }
}

static uint64_t describe_some(struct pf_writer *to, const struct together *some)
{
    uint64_t iid = (uint64_t)some->first + 1;
    if (pf_is_known(to, PF_COUNTERS, iid))
        return iid;
    pf_define(to, PF_COUNTERS, iid);
    size_t begin = rf_proto_begin_wide(&to->interned, DESCRIPTORS);
    rf_proto_u64(&to->interned, INTERNED_IID, iid);
    size_t descriptor = rf_proto_begin_wide(&to->interned, INTERNED_DESCRIPTOR);
    for (uint32_t i = 0; i < some->n; i++)
        put_spec(to, some, i);
    put_groups(to, some);
    rf_proto_end_wide(&to->interned, descriptor);
    rf_proto_u64(&to->interned, INTERNED_GPU_ID, pf_gpu_id(to, some->counter[0]->device));
    rf_proto_end_wide(&to->interned, begin);
    return iid;
}

/* Whole numbers are shorter as such, and read back as the same. */
static void put_value(struct pf_writer *to, uint32_t int_field, uint32_t double_field, double value)
{
    if (value > -1e15 && value < 1e15 && (double)(int64_t)value == value)
        rf_proto_u64(&to->packet, int_field, (uint64_t)(int64_t)value);
    else
        rf_proto_double(&to->packet, double_field, value);
}

/* The time of the next sample of one of them. Returns false where none is left. */
static bool next_time(const struct together *some, uint32_t i, int64_t *ns)
{
    if (some->next[i] == some->counter[i]->n_samples)
        return false;
    *ns = some->counter[i]->ns[some->next[i]];
    return true;
}

/* The earliest time that is left. Returns how many counters have samples left. */
static uint32_t next_of_all(const struct together *some, int64_t *at_ns)
{
    uint32_t n_left = 0;
    int64_t ns;
    *at_ns = INT64_MAX;
    for (uint32_t i = 0; i < some->n; i++) {
        if (!next_time(some, i, &ns))
            continue;
        n_left++;
        if (ns < *at_ns)
            *at_ns = ns;
    }
    return n_left;
}

static void put_sample(struct pf_writer *to, uint32_t i, double value)
{
    size_t counter = rf_proto_begin(&to->packet, COUNTERS_OF_EVENT);
    rf_proto_u64(&to->packet, COUNTER_ID, i + 1);
    put_value(to, COUNTER_INT, COUNTER_DOUBLE, value);
    rf_proto_end(&to->packet, counter);
}

/* What the counters had at a time; is_gap: all of them had 0 up to it. */
static int put_samples_at(struct pf_writer *to, struct together *some, int64_t at_ns, bool is_gap)
{
    int64_t ns;
    pf_begin_packet_at(to, at_ns);
    size_t begin = rf_proto_begin_wide(&to->packet, PF_PACKET_GPU_COUNTERS);
    rf_proto_u64(&to->packet, DESCRIPTOR_IID, describe_some(to, some));
    for (uint32_t i = 0; i < some->n; i++) {
        if (is_gap)
            put_sample(to, i, 0);
        else if (next_time(some, i, &ns) && ns == at_ns)
            put_sample(to, i, some->counter[i]->value[some->next[i]++] * some->factor[i]);
    }
    rf_proto_end_wide(&to->packet, begin);
    return pf_end_packet(to);
}

/* The samples of all of them at the earliest time that is left; false where none is. */
static bool put_samples(struct pf_writer *to, struct together *some)
{
    int64_t at_ns;
    if (next_of_all(some, &at_ns) == 0)
        return false;
    if (some->last_ns != 0 && rf_is_sample_gap(some->interval_ns, some->last_ns, at_ns))
        (void)put_samples_at(to, some, at_ns - some->interval_ns, true);
    some->last_ns = at_ns;
    return put_samples_at(to, some, at_ns, false) == RF_OK;
}

/* Counters of one GPU. */
static void put_gpu_counters(struct pf_writer *to, uint32_t first, uint32_t end, bool has_sets)
{
    while (first < end && to->status == RF_OK) {
        struct together some = {.first = first, .has_sets = has_sets};
        while (first < end && some.n < MAX_TOGETHER) {
            some.counter[some.n] = rf_counter_at(to->rec, first++);
            some.factor[some.n] = rf_counter_shown_factor(to->rec, some.counter[some.n]);
            some.n++;
        }
        some.interval_ns = rf_sample_interval_ns(some.counter[0]);
        while (put_samples(to, &some))
            ;
    }
}

/* ---- As tracks ---- */

/* The unit that the program gave, or the one that a name says. */
static void put_unit(struct pf_writer *to, const struct rf_counter *counter)
{
    const char *name = name_of(to, counter);
    const struct unit unit = unit_of(name);
    size_t size = 0, begin = rf_proto_begin_wide(&to->packet, TRACK_COUNTER);
    const char *text = counter->nvtx != NULL ? rf_string(to->rec, counter->nvtx->unit, &size)
                                             : unit_text(name, &size);
    bool is_bytes = counter->nvtx == NULL && unit.numerator == 7 && unit.denominator == 0;
    if (text != NULL && counter->nvtx != NULL)
        is_bytes = strcmp(text, "bytes") == 0 || strcmp(text, "B") == 0;
    if (is_bytes)
        rf_proto_u64(&to->packet, COUNTER_UNIT, UNIT_BYTES);
    else if (text != NULL)
        rf_proto_text(&to->packet, COUNTER_UNIT_NAME, text, size);
    rf_proto_end_wide(&to->packet, begin);
}

static uint64_t describe_track(struct pf_writer *to, uint32_t i, bool has_sets)
{
    const struct rf_counter *counter = rf_counter_at(to->rec, i);
    char gpu[32] = "";
    uint64_t uuid = to->next_uuid++;
    if (counter->device != RF_NO_INDEX)
        (void)snprintf(gpu, sizeof(gpu), "GPU %u: ", counter->device);
    pf_begin_packet(to);
    size_t begin = rf_proto_begin_wide(&to->packet, PF_PACKET_TRACK_DESCRIPTOR);
    rf_proto_u64(&to->packet, PF_TRACK_UUID, uuid);
    if (counter->nvtx != NULL && counter->nvtx->thread != RF_NO_INDEX)
        rf_proto_u64(&to->packet, PF_TRACK_PARENT, pf_thread_uuid(to, counter->nvtx->thread));
    else if (counter->process < rf_n_processes(to->rec))
        rf_proto_u64(&to->packet, PF_TRACK_PARENT, pf_process_uuid(to, counter->process));
    if (counter->process >= rf_n_processes(to->rec))
        pf_sink_prefix(to, RF_NO_INDEX);
    rf_sink_text(&to->words, gpu);
    sink_name(to, counter, has_sets);
    pf_take_words(to, &to->packet, PF_TRACK_NAME);
    rf_proto_u64(&to->packet, PF_TRACK_RANK, RANK + (i & (RANK - 1)));
    if (counter->nvtx != NULL && counter->nvtx->description != RF_NO_STRING) {
        pf_sink_string(to, counter->nvtx->description);
        pf_take_words(to, &to->packet, PF_TRACK_DESCRIPTION);
    }
    put_unit(to, counter);
    rf_proto_end_wide(&to->packet, begin);
    (void)pf_end_packet(to);
    return uuid;
}

static void put_point(struct pf_writer *to, uint64_t uuid, int64_t at_ns, double value)
{
    size_t begin = pf_begin_event(to, at_ns, PF_COUNTER, uuid, 0);
    put_value(to, PF_EVENT_COUNTER_VALUE, PF_EVENT_DOUBLE_COUNTER_VALUE, value);
    (void)pf_end_message(to, begin);
}

static void put_track(struct pf_writer *to, uint32_t i, bool has_sets)
{
    const struct rf_counter *counter = rf_counter_at(to->rec, i);
    if (counter->n_samples == 0)
        return;
    size_t last = counter->n_samples - 1;
    const int64_t interval_ns = rf_sample_interval_ns(counter);
    uint64_t uuid = describe_track(to, i, has_sets);
    struct rf_drawn drawn = {.counter = counter};
    while (counter->nvtx != NULL && to->status == RF_OK && rf_drawn_next(&drawn, counter->ns[0]))
        put_point(to, uuid, drawn.ns, drawn.value);
    if (counter->nvtx != NULL)
        return;
    const double factor = rf_counter_shown_factor(to->rec, counter);
    for (size_t k = 0; k < last && to->status == RF_OK; k++) {
        int64_t from_ns = counter->ns[k];
        if (rf_is_sample_gap(interval_ns, from_ns, counter->ns[k + 1])) {
            put_point(to, uuid, from_ns, 0);
            from_ns = counter->ns[k + 1] - interval_ns;
        }
        put_point(to, uuid, from_ns, counter->value[k + 1] * factor);
    }
    put_point(to, uuid, counter->ns[last], last == 0 ? counter->value[last] * factor : 0);
}

/* ---- All of them ---- */

int pf_write_counters(struct pf_writer *to)
{
    bool has_sets;
    for (uint32_t i = 0; i < rf_n_counters(to->rec) && to->status == RF_OK;) {
        const struct rf_counter *counter = rf_counter_at(to->rec, i);
        uint32_t end = rf_counters_end(to->rec, i, &has_sets);
        if (to->gpu_events && counter->device != RF_NO_INDEX && counter->process == RF_NO_INDEX)
            put_gpu_counters(to, i, end, has_sets);
        else
            for (uint32_t k = i; k < end && to->status == RF_OK; k++)
                put_track(to, k, has_sets);
        i = end;
    }
    return to->status;
}
