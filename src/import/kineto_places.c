/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_places.h"

#include <stdio.h>
#include <string.h>

#include "base/grow.h"
#include "import/nsys_nvtx.h"

/* ---- Numbers ---- */

bool kineto_trailing_number(const char *text, size_t size, uint32_t *number)
{
    size_t begin = size;
    uint64_t read = 0;
    while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9')
        begin--;
    for (size_t i = begin; i < size && read <= UINT32_MAX; i++)
        read = read * 10 + (uint64_t)(text[i] - '0');
    *number = (uint32_t)read;
    return begin < size && read <= UINT32_MAX;
}

uint32_t kineto_id_number(const struct kineto_id *id)
{
    uint32_t number = 0;
    if (id->text.at == NULL)
        return kineto_fits(id->number) ? (uint32_t)id->number : 0;
    return kineto_trailing_number(id->text.at, id->text.size, &number) ? number : 0;
}

/* A number as text, which names what 32 bits cannot. */
static uint32_t name_number(struct kineto_load *load, int64_t number)
{
    char text[24];
    const int n = snprintf(text, sizeof(text), "%lld", (long long)number);
    return rf_strings_add(&load->model.rec->strings, text, (size_t)n);
}

/* ---- Ids ---- */

static bool is_same(const struct kineto_id *a, const struct kineto_id *b)
{
    return a->text.at == NULL && b->text.at == NULL && a->number == b->number &&
           a->is_there == b->is_there;
}

/* What an id is looked up by. */
static int key_of(struct kineto_load *load, const struct kineto_id *id, uint64_t *key,
                  uint32_t *text)
{
    *text = kineto_string(load, &id->text);
    *key = id->text.at != NULL ? *text : (uint64_t)id->number;
    return id->text.at == NULL || *text != RF_NO_STRING ? RF_OK : RF_ERR_NO_MEMORY;
}

uint32_t kineto_find_pid(struct kineto_load *load, const struct kineto_id *id)
{
    uint64_t key;
    uint32_t text;
    if (load->last_pid_index != RF_NO_INDEX && is_same(&load->last_pid, id))
        return load->last_pid_index;
    if (key_of(load, id, &key, &text) != RF_OK)
        return RF_NO_INDEX;
    uint32_t i = rf_map_find(&load->pid_of, key, text != RF_NO_STRING);
    if (i == RF_MAP_NONE) {
        i = load->n_pids;
        if (rf_grow_array(&load->pid, i, &load->pid_room, sizeof(*load->pid)) != RF_OK ||
            rf_map_set(&load->pid_of, key, text != RF_NO_STRING, i) != RF_OK)
            return RF_NO_INDEX;
        load->pid[load->n_pids++] = (struct kineto_pid){.number = id->number,
                                                        .text = text,
                                                        .name = RF_NO_STRING,
                                                        .process = RF_NO_INDEX,
                                                        .space = RF_NO_INDEX};
    }
    load->last_pid = *id;
    load->last_pid_index = i;
    load->last_tid_index = RF_NO_INDEX;
    return i;
}

uint32_t kineto_find_tid(struct kineto_load *load, const struct kineto_item *item)
{
    const struct kineto_id *id = &item->tid;
    const uint32_t pid = kineto_find_pid(load, &item->pid);
    uint64_t key;
    uint32_t text;
    if (load->last_tid_index != RF_NO_INDEX && is_same(&load->last_tid, id))
        return load->last_tid_index;
    if (pid == RF_NO_INDEX || key_of(load, id, &key, &text) != RF_OK)
        return RF_NO_INDEX;
    const uint64_t space = 2 * (uint64_t)pid + (text != RF_NO_STRING);
    uint32_t i = rf_map_find(&load->tid_of, key, space);
    if (i == RF_MAP_NONE) {
        i = load->n_tids;
        if (rf_grow_array(&load->tid, i, &load->tid_room, sizeof(*load->tid)) != RF_OK ||
            rf_map_set(&load->tid_of, key, space, i) != RF_OK)
            return RF_NO_INDEX;
        load->tid[load->n_tids++] = (struct kineto_tid){.pid = pid,
                                                        .number = id->number,
                                                        .text = text,
                                                        .name = RF_NO_STRING,
                                                        .thread = RF_NO_INDEX};
    }
    load->last_tid = *id;
    load->last_tid_index = i;
    return i;
}

/* ---- Processes and threads ---- */

static uint32_t number_of(struct kineto_load *load, int64_t number, uint32_t text)
{
    uint32_t read = 0;
    size_t size;
    const char *bytes = rf_string(load->model.rec, text, &size);
    if (bytes == NULL) /* negative ones are those of 32 bits with a sign */
        return number >= INT32_MIN && number <= UINT32_MAX ? (uint32_t)number : 0;
    return kineto_trailing_number(bytes, size, &read) ? read : 0;
}

/* Processes are listed by their numbers, those whose pids are texts behind the others. */
uint32_t kineto_process(struct kineto_load *load, uint32_t pid)
{
    struct nsys_load *model = &load->model;
    struct kineto_pid *of = &load->pid[pid];
    if (of->process != RF_NO_INDEX)
        return of->process;
    if (rf_grow_array(&model->process, model->n_processes, &model->process_room,
                      sizeof(*model->process)) != RF_OK)
        return RF_NO_INDEX;
    const bool is_text = of->text != RF_NO_STRING;
    model->process[model->n_processes] =
        (struct nsys_process){.key = is_text ? UINT64_MAX : (uint64_t)of->number,
                              .pid = number_of(load, of->number, of->text),
                              .name = RF_NO_STRING,
                              .default_domain = RF_NO_INDEX};
    of->process = model->n_processes;
    return model->n_processes++;
}

uint32_t kineto_thread(struct kineto_load *load, uint32_t tid)
{
    struct nsys_load *model = &load->model;
    struct kineto_tid *of = &load->tid[tid];
    if (of->thread != RF_NO_INDEX)
        return of->thread;
    const uint32_t process = kineto_process(load, of->pid);
    if (process == RF_NO_INDEX ||
        rf_grow_array(&model->thread, model->n_threads, &model->thread_room,
                      sizeof(*model->thread)) != RF_OK)
        return RF_NO_INDEX;
    model->thread[model->n_threads] =
        (struct nsys_thread){.process = process,
                             .tid = number_of(load, of->number, of->text),
                             .name = RF_NO_STRING,
                             .priority = INT64_MAX};
    of->thread = model->n_threads;
    return model->n_threads++;
}

/* ---- Domains ---- */

uint32_t kineto_domain(struct kineto_load *load, uint32_t pid, uint32_t name)
{
    struct kineto_pid *of = &load->pid[pid];
    if (name == RF_NO_STRING)
        return nsys_find_domain(&load->model, of->process, 0);
    uint32_t i = rf_map_find(&load->domain_of, of->process, name);
    if (i != RF_MAP_NONE)
        return i;
    i = nsys_find_domain(&load->model, of->process, of->n_domains + 1);
    if (i == RF_NO_INDEX || rf_map_set(&load->domain_of, of->process, name, i) != RF_OK)
        return RF_NO_INDEX;
    of->n_domains++;
    load->model.rec->domain[i].name = name;
    return i;
}

/* ---- Names ---- */

static bool is_name(const struct kineto_text *text, const char *name)
{
    return text->at != NULL && text->size == strlen(name) &&
           memcmp(text->at, name, text->size) == 0;
}

int kineto_take_name(struct kineto_load *load, const struct kineto_item *item)
{
    const bool is_process = is_name(&item->name, "process_name");
    if ((!is_process && !is_name(&item->name, "thread_name")) || item->payload.at == NULL ||
        !item->pid.is_there)
        return RF_OK;
    const uint32_t name = kineto_string(load, &item->payload);
    const uint32_t i = is_process ? kineto_find_pid(load, &item->pid) : kineto_find_tid(load, item);
    if (name == RF_NO_STRING || i == RF_NO_INDEX)
        return nsys_no_memory(&load->model);
    if (is_process)
        load->pid[i].name = name;
    else
        load->tid[i].name = name;
    return RF_OK;
}

/* Kineto calls a thread "thread 57 (python)"; its name is python. */
static uint32_t plain_name(struct kineto_load *load, uint32_t name, uint32_t tid)
{
    char begin[32];
    size_t size;
    const char *text = rf_string(load->model.rec, name, &size);
    const size_t n = (size_t)snprintf(begin, sizeof(begin), "thread %u (", tid);
    if (text == NULL || size <= n || text[size - 1] != ')' || memcmp(text, begin, n) != 0)
        return name;
    return rf_strings_add(&load->model.rec->strings, text + n, size - n - 1);
}

/* The name of what has no other one: its pid or tid, where that is a text, or no number of 32 bits.
 * Returns RF_OK or an error. */
static int name_by_id(struct kineto_load *load, int64_t number, uint32_t text, uint32_t *name)
{
    *name = text;
    if (text != RF_NO_STRING || (number >= 0 && number <= UINT32_MAX))
        return RF_OK;
    *name = name_number(load, number);
    return nsys_memory_status(&load->model, *name != RF_NO_STRING);
}

/* Counts a number that nothing shows. what: "pid" or "tid". */
static void count_lost(struct kineto_load *load, const char *what, int64_t number, uint32_t text)
{
    if (text == RF_NO_STRING && (number < INT32_MIN || number > UINT32_MAX))
        nsys_db_skip(&load->model.db, what, "number of more than 32 bits of what has a name: 0", 1);
}

static int name_processes(struct kineto_load *load)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < load->n_pids && status == RF_OK; i++) {
        const struct kineto_pid *pid = &load->pid[i];
        if (pid->process == RF_NO_INDEX)
            continue;
        uint32_t *name = &load->model.process[pid->process].name;
        *name = pid->name;
        if (pid->name == RF_NO_STRING)
            status = name_by_id(load, pid->number, pid->text, name);
        else
            count_lost(load, "pid", pid->number, pid->text);
    }
    return status;
}

static int name_threads(struct kineto_load *load)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < load->n_tids && status == RF_OK; i++) {
        const struct kineto_tid *tid = &load->tid[i];
        if (tid->thread == RF_NO_INDEX)
            continue;
        struct nsys_thread *thread = &load->model.thread[tid->thread];
        if (tid->name == RF_NO_STRING) {
            status = name_by_id(load, tid->number, tid->text, &thread->name);
            continue;
        }
        count_lost(load, "tid", tid->number, tid->text);
        thread->name = plain_name(load, tid->name, thread->tid);
        status = nsys_memory_status(&load->model, thread->name != RF_NO_STRING);
    }
    return status;
}

int kineto_name_places(struct kineto_load *load)
{
    int status = name_processes(load);
    return status == RF_OK ? name_threads(load) : status;
}
