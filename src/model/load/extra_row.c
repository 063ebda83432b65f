/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/extra_row.h"

#include "base/grow.h"
#include "model/load/load.h"

struct rf_extra_row rf_extra_row_new(enum rf_extra_kind kind, uint32_t process)
{
    return (struct rf_extra_row){.extra = {.start_ns = RF_NO_TIME,
                                           .end_ns = RF_NO_TIME,
                                           .name = RF_NO_STRING,
                                           .process = process,
                                           .thread = RF_NO_INDEX,
                                           .device = RF_NO_INDEX,
                                           .context = RF_NO_INDEX,
                                           .stream = RF_NO_INDEX,
                                           .kind = (uint8_t)kind}};
}

void rf_extra_row_set(struct rf_extra_row *row, unsigned i, uint64_t value)
{
    row->extra.has |= UINT32_C(1) << i;
    row->value[i] = (int64_t)value;
}

int rf_extra_row_add(struct rf_load *load, struct rf_extra_row *row)
{
    struct rf_cuda_load *room = &load->cuda; /* that of the arrays */
    rf_recording *rec = load->rec;
    row->extra.first_value = room->n_extra_values;
    for (unsigned i = 0; i < 32; i++) {
        if ((row->extra.has >> i & 1) == 0)
            continue;
        if (rf_grow_array(&rec->extra_value, room->n_extra_values, &room->extra_value_room,
                          sizeof(*rec->extra_value)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        rec->extra_value[room->n_extra_values++] = row->value[i];
    }
    if (rf_grow_array(&rec->extra, rec->n_extras, &room->extra_room, sizeof(*rec->extra)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    rec->extra[rec->n_extras++] = row->extra;
    return RF_OK;
}
