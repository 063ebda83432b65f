/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions streams describe processes, give handles their meaning, and hold the calls that
 * create and name things. */
#include "model/load/definitions.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/map.h"
#include "model/cuda/cuda_load.h"
#include "model/load/handles.h"
#include "model/load/namings.h"
#include "model/load/timeline.h"
#include "model/payload/nvtx_definitions.h"
#include "model/payload/schemas.h"
#include "model/quote.h"
#include "model/strings.h"

/* ---- What describes a process ---- */

struct process_lists {
    uint32_t *list; /* strings of ARG, then of ENV */
    uint32_t n_args, n_env;
    size_t arg_room, env_room;
    uint32_t *args, *env;
};

static uint32_t find_process(const struct rf_load *load, uint64_t number, uint32_t n_below)
{
    uint32_t low = 0, high = n_below;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (load->process[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n_below && load->process[low].number == number ? low : RF_NO_INDEX;
}

static int set_process_field(struct rf_load *load, uint32_t index, const struct rf_def *def,
                             uint32_t text, uint64_t ticks, int64_t ns, struct process_lists *lists)
{
    struct rf_process *process = &load->rec->process[index];
    struct rf_load_process *state = &load->process[index];
    switch (def->index) {
    case RF_PROC_PID:
        process->pid = (uint32_t)def->value;
        break;
    case RF_PROC_PPID:
        process->ppid = (uint32_t)def->value;
        break;
    case RF_PROC_START_TIME:
        process->start_time = def->value;
        break;
    case RF_PROC_PID_NS:
        process->pid_ns = def->value;
        break;
    case RF_PROC_NAME:
        process->name = text;
        break;
    case RF_PROC_EXE:
        process->exe = text;
        break;
    case RF_PROC_CWD:
        process->cwd = text;
        break;
    case RF_PROC_ARG:
        if (rf_grow_array(&lists->args, lists->n_args, &lists->arg_room, sizeof(*lists->args)) !=
            RF_OK)
            return RF_ERR_NO_MEMORY;
        lists->args[lists->n_args++] = text;
        break;
    case RF_PROC_ENV:
        if (rf_grow_array(&lists->env, lists->n_env, &lists->env_room, sizeof(*lists->env)) !=
            RF_OK)
            return RF_ERR_NO_MEMORY;
        lists->env[lists->n_env++] = text;
        break;
    case RF_PROC_FORK_OF:
        state->fork_of = find_process(load, def->value, index);
        state->fork_ticks = ticks;
        process->parent = state->fork_of;
        break;
    case RF_PROC_EXIT:
        state->is_exit_seen = true;
        process->exit_ns = ns;
        break;
    case RF_PROC_ALIVE:
        state->is_alive_seen = true;
        break;
    case RF_PROC_CPU:
        process->cpu = text;
        break;
    case RF_PROC_N_CPUS:
        process->n_cpus = (uint32_t)def->value;
        break;
    default: /* of a later version */
        break;
    }
    return RF_OK;
}

/* ---- Other definitions ---- */

static uint64_t domain_handle(const struct rf_def *def)
{
    return def->domain != UINT32_MAX ? def->domain : def->value;
}

static int add_object(struct rf_load *load, uint32_t process, enum rf_load_object kind,
                      uint64_t handle, uint32_t domain)
{
    return rf_map_set(&load->object, (uint64_t)process | (uint64_t)kind << 32, handle, domain);
}

static int define_domain(struct rf_load *load, uint32_t process, const struct rf_def *def,
                         uint64_t ticks, struct rf_event *event)
{
    bool is_new;
    uint32_t domain = rf_load_named_domain(load, process, event->name, ticks, &is_new);
    if (domain == RF_NO_INDEX ||
        rf_load_add_handle(load, &load->domain_of, process, def->index, ticks, domain) != RF_OK)
        return RF_ERR_NO_MEMORY;
    event->kind = RF_EVENT_DOMAIN_CREATE;
    event->domain = domain;
    return is_new ? rf_load_add_naming(load, process, def->tid, event) : RF_OK;
}

static int define_destroy(struct rf_load *load, uint32_t process, const struct rf_def *def,
                          uint64_t ticks, struct rf_event *event)
{
    event->kind = RF_EVENT_DOMAIN_DESTROY;
    event->domain = rf_load_domain(load, process, def->value);
    if (event->domain == RF_NO_INDEX ||
        rf_grow_array(&load->destroy, load->n_destroys, &load->destroy_room,
                      sizeof(*load->destroy)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    if (def->value != 0) { /* the default domain cannot be destroyed */
        if (load->n_destroys == 0 || event->start_ns < load->first_destroy_ns)
            load->first_destroy_ns = event->start_ns;
        load->destroy[load->n_destroys++] =
            (struct rf_load_destroy){event->domain, event->start_ns};
        if (rf_load_add_gone(load, process, def->value, event->domain, ticks) != RF_OK)
            return RF_ERR_NO_MEMORY;
    }
    return rf_load_add_naming(load, process, def->tid, event);
}

static int define_category(struct rf_load *load, uint32_t process, const struct rf_def *def,
                           struct rf_event *event)
{
    event->kind = RF_EVENT_CATEGORY;
    event->flags = RF_EVENT_HAS_CATEGORY;
    event->category = def->index;
    event->domain = rf_load_domain(load, process, domain_handle(def));
    if (event->domain == RF_NO_INDEX)
        return RF_ERR_NO_MEMORY;
    if (event->name != RF_NO_STRING &&
        rf_map_set(&load->rec->category, event->domain, def->index, event->name) != RF_OK)
        return RF_ERR_NO_MEMORY;
    return rf_load_add_naming(load, process, def->tid, event);
}

static int define_thread_name(struct rf_load *load, uint32_t process, const struct rf_def *def,
                              struct rf_event *event)
{
    if (rf_grow_array(&load->thread_name, load->n_thread_names, &load->thread_name_room,
                      sizeof(*load->thread_name)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    load->thread_name[load->n_thread_names++] =
        (struct rf_load_thread_name){event->start_ns, process, def->index, event->name};
    event->kind = RF_EVENT_THREAD_NAME;
    event->named_tid = def->index;
    return rf_load_add_naming(load, process, def->tid, event);
}

static int define_object(struct rf_load *load, uint32_t process, const struct rf_def *def,
                         enum rf_record_type type, struct rf_event *event)
{
    enum rf_load_object kind = type == RF_REC_RESOURCE || type == RF_REC_RESOURCE_DESTROY
                                   ? RF_LOAD_RESOURCE
                                   : RF_LOAD_SYNC;
    bool is_create = type == RF_REC_RESOURCE || type == RF_REC_SYNC_CREATE;
    if (kind == RF_LOAD_RESOURCE)
        event->resource_index = def->index;
    else
        event->sync_index = def->index;
    if (is_create) /* of a resource, value is its identifier */
        event->domain = rf_load_domain(
            load, process, type == RF_REC_SYNC_CREATE ? domain_handle(def) : def->domain);
    else
        event->domain = rf_load_object_domain(load, process, kind, def->value);
    if (event->domain == RF_NO_INDEX ||
        (is_create && add_object(load, process, kind, def->index, event->domain) != RF_OK))
        return RF_ERR_NO_MEMORY;
    event->kind = (uint8_t)(kind == RF_LOAD_RESOURCE
                                ? (is_create ? RF_EVENT_RESOURCE : RF_EVENT_RESOURCE_DESTROY)
                                : (is_create ? RF_EVENT_SYNC_CREATE : RF_EVENT_SYNC_DESTROY));
    if (type == RF_REC_RESOURCE) {
        event->identifier_type = def->detail;
        event->identifier = def->value;
    } else if (!is_create) {
        event->handle = def->value;
    }
    return rf_load_add_naming(load, process, def->tid, event);
}

static int add_definition(struct rf_load *load, uint32_t process, const struct rf_def *def,
                          uint32_t text, uint64_t ticks, int64_t ns, struct process_lists *lists)
{
    enum rf_record_type type = def->head & ((1u << RF_WORD_TYPE_BITS) - 1);
    struct rf_event event = {.start_ns = ns,
                             .end_ns = RF_NO_TIME,
                             .name = text,
                             .domain = load->process[process].default_domain,
                             .link = RF_NO_INDEX};
    switch (type) {
    case RF_REC_PROCESS:
        return set_process_field(load, process, def, text, ticks, ns, lists);
    case RF_REC_DOMAIN:
        return define_domain(load, process, def, ticks, &event);
    case RF_REC_DOMAIN_DESTROY:
        return define_destroy(load, process, def, ticks, &event);
    case RF_REC_STRING:
        return rf_load_add_string(load, process, def->index, domain_handle(def), ticks, text);
    case RF_REC_CATEGORY:
        return define_category(load, process, def, &event);
    case RF_REC_THREAD_NAME:
        return define_thread_name(load, process, def, &event);
    case RF_REC_OBJECT_NAME:
        event.kind = RF_EVENT_OBJECT_NAME;
        event.object_kind = def->index;
        event.handle = def->value;
        return rf_load_add_naming(load, process, def->tid, &event);
    case RF_REC_RESOURCE:
    case RF_REC_RESOURCE_DESTROY:
    case RF_REC_SYNC_CREATE:
    case RF_REC_SYNC_DESTROY:
        return define_object(load, process, def, type, &event);
    case RF_REC_CUDA_DEF:
        return rf_load_cuda_define(load, process, def, text, ticks, ns);
    default: /* of a later version */
        return RF_OK;
    }
}

/* ---- A process's stream ---- */

/* Clock values in definitions have 53 bits. The whole one is the nearest to the one before it, but
 * for TIME, which has it; the first one's is the nearest to the process's first part, or else to
 * the session's first pair. */
static uint64_t nearest_ticks(uint64_t near, uint64_t low)
{
    uint64_t forward = (low - near) & RF_WORD_TICK_MASK;
    return forward > RF_WORD_TICK_MASK / 2 ? near - (RF_WORD_TICK_MASK + 1 - forward)
                                           : near + forward;
}

static bool is_time(const struct rf_def *def)
{
    return (def->head & ((1u << RF_WORD_TYPE_BITS) - 1)) == RF_REC_PROCESS &&
           def->index == RF_PROC_TIME;
}

static uint64_t first_ticks(const struct rf_load *load, uint32_t process)
{
    const struct rf_load_process *state = &load->process[process];
    if (state->n_streams == 0)
        return load->timeline.line[0].ticks;
    return load->stream[state->first_stream].part[0].ticks;
}

/* Names given after the last capture are not part of the recording. What describes processes and
 * CUDA is, and strings are only handles. */
static bool is_left_out(const struct rf_load *load, const struct rf_def *def, int64_t ns)
{
    enum rf_record_type type = def->head & ((1u << RF_WORD_TYPE_BITS) - 1);
    return load->windows.n > 0 && ns > load->windows.last_end_ns && type != RF_REC_PROCESS &&
           type != RF_REC_STRING && type != RF_REC_CUDA_DEF;
}

static size_t text_size(const struct rf_def *def)
{
    size_t room = 8 * (size_t)def->n_words - sizeof(*def);
    return def->text_size < room ? def->text_size : room;
}

/* The text behind a definition as a string; *status is set when out of memory. */
static uint32_t definition_text(struct rf_load *load, const struct rf_def *def,
                                const uint8_t *bytes, int *status)
{
    if (def->text_size == RF_NO_TEXT)
        return RF_NO_STRING;
    uint32_t text = rf_strings_add(&load->rec->strings, (const char *)bytes, text_size(def));
    if (text == RF_NO_STRING)
        *status = RF_ERR_NO_MEMORY;
    return text;
}

/* Schemas and what else NVTX's extensions define: their text is no string. */
static int define_nvtx(struct rf_load *load, uint32_t process, const struct rf_def *def,
                       const uint8_t *bytes, int64_t ns)
{
    struct rf_nvtx_definition definition = {.id = def->value,
                                            .process = process,
                                            .kind = def->index,
                                            .ns = ns,
                                            .bytes = (uint8_t *)(uintptr_t)bytes};
    if (def->text_size == RF_NO_TEXT)
        return RF_OK;
    definition.size = (uint32_t)text_size(def);
    definition.domain = rf_load_domain(load, process, def->domain);
    return definition.domain != RF_NO_INDEX ? rf_nvtx_define(load->rec, &definition)
                                            : RF_ERR_NO_MEMORY;
}

static int take_definition(struct rf_load *load, uint32_t process, const struct rf_def *def,
                           const uint8_t *bytes, uint64_t ticks, int64_t ns,
                           struct process_lists *lists)
{
    int status = RF_OK;
    if ((def->head & ((1u << RF_WORD_TYPE_BITS) - 1)) == RF_REC_NVTX_DEF)
        return define_nvtx(load, process, def, bytes, ns);
    uint32_t text = definition_text(load, def, bytes, &status);
    return status == RF_OK ? add_definition(load, process, def, text, ticks, ns, lists) : status;
}

static int add_stream(struct rf_load *load, uint32_t process, const struct rf_log_process *log,
                      struct process_lists *lists)
{
    rf_recording *rec = load->rec;
    uint64_t ticks = first_ticks(load, process);
    size_t line = 0;
    bool is_damaged = false;
    int status = RF_OK;
    uint64_t used = rf_defs_used_bytes(log->defs, log->defs_size, &is_damaged);
    if (is_damaged)
        rec->info.n_damaged_bytes += log->defs_size - used;
    for (uint64_t at = 0; at < used && status == RF_OK;) {
        struct rf_def def;
        memcpy(&def, log->defs + at, sizeof(def));
        const uint8_t *text = log->defs + at + sizeof(def);
        at += 8 * (uint64_t)def.n_words;
        if (def.head == 0)
            continue; /* it was never completed */
        ticks = is_time(&def) ? def.value : nearest_ticks(ticks, def.head >> RF_WORD_TICK_SHIFT);
        int64_t ns = rf_timeline_ns(&load->timeline, &line, ticks);
        if (rec->process[process].first_ns == RF_NO_TIME)
            rec->process[process].first_ns = ns;
        if (ns > load->process[process].last_ns)
            load->process[process].last_ns = ns;
        if (is_left_out(load, &def, ns))
            continue;
        status = take_definition(load, process, &def, text, ticks, ns, lists);
    }
    return status;
}

static int finish_process_lists(rf_recording *rec, uint32_t index,
                                const struct process_lists *lists, uint32_t *n_list,
                                size_t *list_room)
{
    struct rf_process *process = &rec->process[index];
    process->n_args = lists->n_args;
    process->n_env = lists->n_env;
    for (uint32_t i = 0; i < lists->n_args + lists->n_env; i++) {
        if (rf_grow_array(&rec->list, *n_list, list_room, sizeof(*rec->list)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        rec->list[(*n_list)++] = i < lists->n_args ? lists->args[i] : lists->env[i - lists->n_args];
    }
    return lists->n_args == 0
               ? RF_OK
               : rf_quote_command(&rec->strings, lists->args, lists->n_args, &process->command);
}

static int load_process(struct rf_load *load, uint32_t index, const struct rf_log_process *log,
                        uint32_t *n_list, size_t *list_room)
{
    rf_recording *rec = load->rec;
    struct process_lists lists = {.args = NULL};
    struct rf_domain domain = {.process = index, .name = RF_NO_STRING, .is_valid = true};
    struct rf_process *process = &rec->process[index];
    process->parent = RF_NO_INDEX;
    process->name = process->exe = process->command = process->cwd = process->cpu = RF_NO_STRING;
    process->first_ns = process->exit_ns = RF_NO_TIME;
    load->process[index].default_domain = rf_load_add_domain(load, &domain, 0, RF_NO_INDEX);
    int status = load->process[index].default_domain != RF_NO_INDEX ? RF_OK : RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        status = add_stream(load, index, log, &lists);
    if (status == RF_OK)
        status = finish_process_lists(rec, index, &lists, n_list, list_room);
    free(lists.args);
    free(lists.env);
    return status;
}

/* Groups the parts by stream. */
static int list_streams(struct rf_load *load)
{
    const struct rf_log *log = &load->log;
    uint32_t process = 0;
    size_t n = 0;
    for (size_t i = 0; i < log->n_parts; i++)
        n += i == 0 || log->part[i].process != log->part[i - 1].process ||
             log->part[i].slot != log->part[i - 1].slot;
    load->stream = n < UINT32_MAX ? calloc(n + 1, sizeof(*load->stream)) : NULL;
    if (load->stream == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < log->n_parts; i++) {
        const struct rf_log_part *part = &log->part[i];
        struct rf_load_stream *stream = &load->stream[load->n_streams];
        if (i == 0 || part->process != part[-1].process || part->slot != part[-1].slot) {
            while (load->process[process].number != part->process)
                process++;
            if (load->process[process].n_streams++ == 0)
                load->process[process].first_stream = load->n_streams;
            stream->part = part;
            stream->process = process;
            stream->slot = part->slot;
            stream->loss_ns = RF_NO_TIME;
            stream->last_ns = RF_NO_TIME;
            load->n_streams++;
        }
        load->stream[load->n_streams - 1].n_parts++;
    }
    return RF_OK;
}

int rf_load_definitions(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    const struct rf_log *log = &load->log;
    uint32_t n_list = 0;
    size_t list_room = 0;
    if (log->n_processes >= RF_NO_INDEX)
        return RF_ERR_NO_MEMORY;
    rec->process = calloc(log->n_processes + 1, sizeof(*rec->process));
    load->process = calloc(log->n_processes + 1, sizeof(*load->process));
    if (rec->process == NULL || load->process == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < log->n_processes; i++) {
        load->process[i].number = log->process[i].number;
        load->process[i].fork_of = RF_NO_INDEX;
        load->process[i].last_ns = load->process[i].loss_ns = RF_NO_TIME;
    }
    int status = list_streams(load);
    for (uint32_t i = 0; i < log->n_processes && status == RF_OK; i++) {
        rec->n_processes++;
        status = load_process(load, i, &log->process[i], &n_list, &list_room);
    }
    for (uint32_t i = 0, at = 0; i < rec->n_processes && n_list > 0 && status == RF_OK; i++) {
        rec->process[i].args = rec->list + at;
        rec->process[i].env = rec->list + at + rec->process[i].n_args;
        at += rec->process[i].n_args + rec->process[i].n_env;
    }
    rf_load_sort_namings(load);
    rf_load_sort_destroys(load);
    load->n_defined_domains = rec->n_domains;
    return status == RF_OK ? rf_payload_schemas_lay_out(rec) : status;
}
