/* SPDX-License-Identifier: Apache-2.0 */
#include "import/nsys_own_processes.h"

#include <stdlib.h>

#include "base/grow.h"
#include "import/nsys_names.h"
#include "model/ranks.h"

/* A variable of a process. */
struct variable {
    uint32_t place; /* of the process */
    uint32_t string;
};

/* An input of several recordings in one database. */
struct input {
    int64_t first_machine, last_machine;
    int32_t rank;
    bool is_known, is_other; /* a process has this rank of its own, another one */
};

struct own {
    struct nsys_load *load;
    struct rf_map place_of; /* processId */
    struct variable *variable;
    struct input *input; /* by machine */
    uint32_t n_variables, n_inputs;
    size_t variable_room, input_room;
};

/* ---- The tables ---- */

/* Processes without events are left out, as other tables have them left out. */
static int read_process(void *context, struct nsys_row *row)
{
    struct own *own = context;
    const struct nsys_load *load = own->load;
    int64_t id, global_pid, exit_ns;
    if (!nsys_row_int(row, 0, &id) || !nsys_row_int(row, 1, &global_pid))
        return nsys_row_skip(row, "no processId or no globalPid: left out");
    const uint32_t i = rf_map_find(&load->process_of, (uint64_t)global_pid >> NSYS_TID_BITS, 0);
    if (i == RF_MAP_NONE)
        return RF_OK;
    struct rf_process *process = &load->rec->process[load->process[i].place];
    if (nsys_row_int(row, 2, &exit_ns)) {
        if (nsys_is_time(exit_ns) && exit_ns >= process->first_ns)
            process->exit_ns = exit_ns;
        else
            (void)nsys_row_skip(row, "exits at no possible time: taken as no exit");
    }
    return nsys_memory_status(
        load, rf_map_set(&own->place_of, (uint64_t)id, 0, load->process[i].place) == RF_OK);
}

static int read_variable(void *context, struct nsys_row *row)
{
    struct own *own = context;
    struct variable variable;
    int64_t id;
    if (!nsys_row_int(row, 0, &id))
        return nsys_row_skip(row, "no processId: left out");
    variable.place = rf_map_find(&own->place_of, (uint64_t)id, 0);
    if (variable.place == RF_MAP_NONE)
        return RF_OK;
    int status = nsys_read_text(own->load, row, 1, &variable.string);
    if (status != RF_OK || variable.string == RF_NO_STRING)
        return status;
    if (own->n_variables == UINT32_MAX ||
        rf_grow_array(&own->variable, own->n_variables, &own->variable_room, sizeof(variable)) !=
            RF_OK)
        return nsys_no_memory(own->load);
    own->variable[own->n_variables++] = variable;
    return RF_OK;
}

/* Inputs have their machines in their order. One that goes on with the processes of another has
 * none, and first is behind last. */
static int read_input(void *context, struct nsys_row *row)
{
    struct own *own = context;
    struct input input = {.is_known = false};
    int64_t rank;
    if (!nsys_row_int(row, 0, &rank) || rank < 0 || rank > INT32_MAX ||
        !nsys_row_int(row, 1, &input.first_machine) || !nsys_row_int(row, 2, &input.last_machine) ||
        input.first_machine > input.last_machine)
        return RF_OK;
    if (own->n_inputs > 0 && input.first_machine <= own->input[own->n_inputs - 1].last_machine)
        return nsys_row_skip(row, "machines of another input: its rank is left out");
    if (rf_grow_array(&own->input, own->n_inputs, &own->input_room, sizeof(input)) != RF_OK)
        return nsys_no_memory(own->load);
    input.rank = (int32_t)rank;
    own->input[own->n_inputs++] = input;
    return RF_OK;
}

/* ---- Variables ---- */

/* In the order of processes, each with its own in the order of the table. */
static int set_variables(const struct own *own)
{
    rf_recording *rec = own->load->rec;
    uint32_t at = 0;
    if (own->n_variables == 0)
        return RF_OK;
    rec->list = malloc((size_t)own->n_variables * sizeof(*rec->list));
    if (rec->list == NULL)
        return nsys_no_memory(own->load);
    for (uint32_t i = 0; i < own->n_variables; i++)
        rec->process[own->variable[i].place].n_env++;
    for (uint32_t i = 0; i < rec->n_processes; i++) {
        rec->process[i].env = rec->list + at;
        at += rec->process[i].n_env;
        rec->process[i].n_env = 0;
    }
    for (uint32_t i = 0; i < own->n_variables; i++) {
        struct rf_process *process = &rec->process[own->variable[i].place];
        rec->list[process->env - rec->list + process->n_env++] = own->variable[i].string;
    }
    return RF_OK;
}

/* ---- Ranks ---- */

/* The input that a process is of; NULL: none that has a rank. */
static struct input *input_of(const struct own *own, const struct nsys_process *process)
{
    const int64_t machine = (int64_t)(process->key >> NSYS_TID_BITS);
    uint32_t low = 0, high = own->n_inputs;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (own->input[middle].last_machine < machine)
            low = middle + 1;
        else
            high = middle;
    }
    return low < own->n_inputs && own->input[low].first_machine <= machine ? &own->input[low]
                                                                           : NULL;
}

/* The rank of an input is that of its processes, as their variables say; where these say another
 * one, or none, it was given when the inputs were put together, and is that of all of them. */
static void set_ranks(const struct own *own)
{
    const struct nsys_load *load = own->load;
    rf_recording *rec = load->rec;
    for (uint32_t i = 0; i < load->n_processes; i++) {
        struct input *input = input_of(own, &load->process[i]);
        const int32_t rank = rec->process[load->process[i].place].rank;
        if (input != NULL && rank >= 0) {
            input->is_known |= rank == input->rank;
            input->is_other |= rank != input->rank;
        }
    }
    for (uint32_t i = 0; i < load->n_processes; i++) {
        const struct input *input = input_of(own, &load->process[i]);
        if (input != NULL && (input->is_other || !input->is_known))
            rec->process[load->process[i].place].rank = input->rank;
    }
    rf_agree_on_rank(rec);
}

/* ---- All of it ---- */

int nsys_load_own_processes(struct nsys_load *load)
{
    struct own own = {.load = load};
    const struct nsys_reader readers[] = {
        {"RANGEFINDER_PROCESSES", read_process, NSYS_COLUMNS("processId", "globalPid", "exit")},
        {"RANGEFINDER_ENVIRONMENT", read_variable, NSYS_COLUMNS("processId", "value")},
        {"RANGEFINDER_INPUTS", read_input, NSYS_COLUMNS("rank", "firstMachine", "lastMachine")},
        {.table = NULL}};
    int status = nsys_db_read(&load->db, readers, &own);
    if (status == RF_OK)
        status = set_variables(&own);
    if (status == RF_OK) {
        rf_find_ranks(load->rec);
        set_ranks(&own);
    }
    rf_map_release(&own.place_of);
    free(own.variable);
    free(own.input);
    return status;
}
