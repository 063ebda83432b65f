/* SPDX-License-Identifier: Apache-2.0 */
/* To add a kind: its id in kind.h, its `const struct kind` in a kinds_*.c, a line here, and its
 * type in _reader.pyi. */
#include "kinds.h"

#include <string.h>

#include "field_columns.h"
#include "kind.h"
#include "row.h"

#define DECLARE(id, description) extern const struct kind description;
KINDS(DECLARE)

#define ADDRESS(id, description) [id] = &(description),
static const struct kind *const descriptions[N_KINDS] = {KINDS(ADDRESS)};

/* Returns 0, or -1 without memory. */
static int list_columns(struct kind *kind)
{
    for (const struct column *column = kind->columns; column->name != NULL; column++) {
        if (column->only_in != 0 && (column->only_in >> kind->id & 1) == 0)
            continue;
        if (column->doc != NULL)
            kind->column[kind->n_columns++] = column;
        else if (field_columns_add(kind, column->name) != 0)
            return -1;
    }
    return field_columns_add(kind, NULL);
}

static int add_type(PyObject *module, const char *full_name, PyTypeObject *type)
{
    const char *name = strrchr(full_name, '.') + 1;
    return type != NULL ? PyModule_AddObject(module, name, new_reference(type)) : -1;
}

/* What an earlier import made stays as it is. */
static void complete(struct kind *kind, enum kind_id id)
{
    if (kind->row_type != NULL)
        return;
    *kind = *descriptions[id];
    kind->id = id;
    if (kind->columns != NULL && list_columns(kind) != 0)
        (void)PyErr_NoMemory();
    else
        kind->row_type = row_type_new(kind);
}

int kinds_init(PyObject *module)
{
    if (add_type(module, "rangefinder.recording.Row", row_base_type()) != 0)
        return -1;
    for (int id = 0; id < N_KINDS; id++) {
        complete(&kinds[id], (enum kind_id)id);
        if (add_type(module, kinds[id].type_name, kinds[id].row_type) != 0)
            return -1;
    }
    return 0;
}
