/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/summary_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "summary/summary_steps.h"

/* ---- Making and freeing ---- */

void rf_summary_init(rf_summary *summary)
{
    memset(summary, 0, sizeof(*summary));
    rf_strings_init(&summary->strings, rf_hash_seed());
}

void rf_summary_release(rf_summary *summary)
{
    for (size_t i = 0; i < summary->n_rows; i++)
        rf_histogram_release(&summary->row[i].histogram);
    free(summary->row);
    free(summary->path);
    free(summary->input);
    rf_summary_release_steps(summary);
    rf_summary_identities_release(&summary->identities);
    rf_map_release(&summary->path_of);
    rf_map_release(&summary->row_of);
    rf_summary_collectives_release(&summary->collectives);
    rf_summary_counters_release(&summary->counters);
    rf_counter_ranges_release(&summary->counter_ranges);
    rf_summary_settings_release(&summary->settings);
    rf_summary_tallies_release(&summary->tallies);
    rf_strings_release(&summary->strings);
}

int rf_summary_new(rf_summary **out, struct rf_err *err)
{
    if (out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_summary_new: out is NULL");
    *out = malloc(sizeof(**out));
    if (*out == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    rf_summary_init(*out);
    return RF_OK;
}

void rf_summary_free(rf_summary *summary)
{
    if (summary == NULL)
        return;
    rf_summary_release(summary);
    free(summary);
}

int rf_summary_fail(int status, const char *path, struct rf_err *err)
{
    if (status == RF_ERR_NO_MEMORY)
        return rf_fail(err, status, "out of memory");
    if (status == RF_ERR_UNSUPPORTED)
        return rf_fail(err, status, "%s: a sum is too large for the integers of a summary", path);
    return status;
}

const char *rf_summary_kind_name(uint32_t kind)
{
    static const char *const names[] = {
#define NAME(symbol, name) name,
        RF_SUMMARY_KINDS(NAME)
#undef NAME
    };
    return kind < RF_SUMMARY_N_KINDS ? names[kind] : "";
}

/* ---- Inputs ---- */

uint32_t rf_summary_n_inputs(const rf_summary *summary)
{
    return summary != NULL ? (uint32_t)summary->n_inputs : 0;
}

const struct rf_summary_input *rf_summary_input_at(const rf_summary *summary, uint32_t i)
{
    return i < rf_summary_n_inputs(summary) ? &summary->input[i] : NULL;
}

/* false: out of memory. */
static bool keep_text(rf_summary *summary, const char **text)
{
    size_t size;
    uint32_t string = rf_strings_add(&summary->strings, *text, strlen(*text));
    *text = rf_summary_text(summary, string, &size);
    return string != RF_NO_STRING;
}

int rf_summary_add_input(rf_summary *summary, const struct rf_summary_input *input)
{
    struct rf_summary_input own = *input;
    if (!keep_text(summary, &own.path) || !keep_text(summary, &own.host) ||
        !keep_text(summary, &own.filter) ||
        rf_grow_array(&summary->input, summary->n_inputs, &summary->input_room, sizeof(own)) !=
            RF_OK)
        return RF_ERR_NO_MEMORY;
    summary->input[summary->n_inputs++] = own;
    return RF_OK;
}

/* ---- Paths and rows ---- */

uint32_t rf_summary_path(rf_summary *summary, uint32_t parent, uint32_t domain, uint32_t name)
{
    uint64_t a = (uint64_t)parent << 32 | domain;
    uint32_t path = rf_map_find(&summary->path_of, a, name);
    if (path != RF_MAP_NONE)
        return path;
    path = (uint32_t)summary->n_paths;
    if (rf_grow_array(&summary->path, summary->n_paths, &summary->path_room,
                      sizeof(*summary->path)) != RF_OK ||
        rf_map_set(&summary->path_of, a, name, path) != RF_OK)
        return RF_NO_INDEX;
    summary->path[summary->n_paths++] = (struct rf_summary_path){parent, domain, name};
    return path;
}

struct rf_summary_row *rf_summary_row(rf_summary *summary, uint32_t input, uint32_t path,
                                      uint32_t kind)
{
    uint64_t a = (uint64_t)input << 32 | path;
    uint32_t *recent = &summary->recent_row[(8 * path + kind) % RF_SUMMARY_RECENT], row = *recent;
    if (row < summary->n_rows && summary->row[row].input == input &&
        summary->row[row].path == path && summary->row[row].kind == kind)
        return &summary->row[row];
    row = *recent = rf_map_find(&summary->row_of, a, kind);
    if (row != RF_MAP_NONE)
        return &summary->row[row];
    if (rf_grow_array(&summary->row, summary->n_rows, &summary->row_room, sizeof(*summary->row)) !=
            RF_OK ||
        rf_map_set(&summary->row_of, a, kind, (uint32_t)summary->n_rows) != RF_OK)
        return NULL;
    struct rf_summary_row *added = &summary->row[summary->n_rows++];
    *added = (struct rf_summary_row){.input = input, .path = path, .kind = kind};
    return added;
}
