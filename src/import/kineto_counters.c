/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "import/kineto_places.h"
#include "import/nsys_counters.h"
#include "model/sums/sample_sums.h"

struct kineto_counters {
    struct nsys_counters all;
    uint32_t *pid; /* per counter: index */
    size_t pid_room;
};

/* ---- Names ---- */

#define MAX_NAME ((size_t)1024)

static bool is_text(const struct kineto_text *text, const char *word)
{
    return text->size == strlen(word) && memcmp(text->at, word, text->size) == 0;
}

/* The only value of an event has its name; of several each adds its key. */
static uint32_t name_of(struct kineto_load *load, const struct kineto_item *item,
                        const struct kineto_text *key)
{
    struct rf_strings *strings = &load->model.rec->strings;
    char name[2 * MAX_NAME + 1];
    const size_t n = item->name.size < MAX_NAME ? item->name.size : MAX_NAME;
    const size_t m = key->size < MAX_NAME ? key->size : MAX_NAME;
    const bool is_memory = item->phase != 'C';
    if (is_memory || item->name.size == 0)
        return kineto_string(load, key);
    if (is_text(key, "value") ||
        (key->size == item->name.size && memcmp(key->at, item->name.at, key->size) == 0))
        return kineto_string(load, &item->name);
    memcpy(name, item->name.at, n);
    name[n] = '.';
    memcpy(name + n + 1, key->at, m);
    return rf_strings_add(strings, name, n + 1 + m);
}

/* ---- Samples ---- */

/* pid: index. The map tells apart what has another pid or device; that is no typeId. */
static uint32_t add_counter(struct kineto_load *load, uint32_t pid, uint32_t device, uint32_t name)
{
    struct kineto_counters *of = load->counters;
    rf_recording *rec = load->model.rec;
    const uint32_t n = rec->n_counters;
    const int64_t type = (int64_t)((uint64_t)pid << 32 | device);
    uint32_t i = rf_map_find(&of->all.index_of, (uint64_t)type, name);
    if (i != RF_MAP_NONE)
        return i;
    if (rf_grow_array(&of->pid, n, &of->pid_room, sizeof(*of->pid)) != RF_OK)
        return RF_NO_INDEX;
    i = nsys_add_counter(&of->all, type, name, n);
    if (i == RF_NO_INDEX)
        return RF_NO_INDEX;
    of->pid[i] = pid;
    rec->counter[i].name = name;
    rec->counter[i].device = device;
    return i;
}

int kineto_take_sample(struct kineto_load *load, const struct kineto_item *item,
                       const struct kineto_sample *sample)
{
    if (load->counters == NULL) {
        load->counters = calloc(1, sizeof(*load->counters));
        if (load->counters == NULL)
            return nsys_no_memory(&load->model);
        load->counters->all.load = &load->model;
    }
    const double value = sample->value;
    if (!(value - value == 0)) {
        kineto_skip(load, item, "value that is no number: left out");
        return RF_OK;
    }
    const uint32_t pid = kineto_find_pid(load, &item->pid);
    const uint32_t name = name_of(load, item, &sample->key);
    const uint32_t i = pid != RF_NO_INDEX && name != RF_NO_STRING
                           ? add_counter(load, pid, sample->device, name)
                           : RF_NO_INDEX;
    if (i == RF_NO_INDEX)
        return nsys_no_memory(&load->model);
    kineto_see_time(load, item->start_ns);
    return nsys_add_sample(&load->counters->all, i, item->start_ns, value);
}

/* ---- Owners ---- */

#define MAX_DEVICES 1024

/* A pid under which nothing runs on a CPU is that of a GPU, where it can be one. */
static void set_owner(struct kineto_load *load, uint32_t counter)
{
    struct rf_counter *of = &load->model.rec->counter[counter];
    struct rf_counter_origin *origin = &load->model.rec->counter_origin[counter];
    const struct kineto_pid *pid = &load->pid[load->counters->pid[counter]];
    if (of->device == RF_NO_INDEX && pid->process == RF_NO_INDEX && pid->text == RF_NO_STRING &&
        pid->number >= 0 && pid->number < MAX_DEVICES)
        of->device = (uint32_t)pid->number;
    else if (pid->process != RF_NO_INDEX)
        of->process = pid->process;
    origin->is_soc = of->device == RF_NO_INDEX;
    origin->type = of->device != RF_NO_INDEX ? of->device & 0xff : 0;
}

int kineto_finish_counters(struct kineto_load *load)
{
    struct kineto_counters *of = load->counters;
    if (of == NULL)
        return RF_OK;
    for (uint32_t i = 0; i < load->model.rec->n_counters; i++)
        set_owner(load, i);
    for (size_t i = 0; i < of->all.n_samples; i++)
        of->all.ns[i] -= load->first_ns;
    for (uint32_t i = 0; i < load->model.rec->n_counters; i++)
        if (of->all.sum[i] != NULL)
            of->all.sum[i]->figures.last_ns -= load->first_ns;
    return nsys_counters_finish(&of->all);
}

void kineto_place_counters(struct kineto_load *load)
{
    rf_recording *rec = load->model.rec;
    for (uint32_t i = 0; i < rec->n_counters; i++)
        if (rec->counter[i].process != RF_NO_INDEX)
            rec->counter[i].process = load->model.process[rec->counter[i].process].place;
}

void kineto_counters_free(struct kineto_counters *counters)
{
    if (counters == NULL)
        return;
    nsys_counters_release(&counters->all);
    free(counters->pid);
    free(counters);
}
