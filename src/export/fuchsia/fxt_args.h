/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of calls, GPU work and annotations as arguments of events. */
#ifndef RF_EXPORT_FUCHSIA_FXT_ARGS_H
#define RF_EXPORT_FUCHSIA_FXT_ARGS_H

#include "export/fuchsia/fxt_records.h"
#include "export/shown_fields.h"

#define FXT_MAX_FIELDS 48

/* Of rows of one kind. */
struct fxt_fields {
    size_t n;
    struct fxt_field {
        struct rf_shown_field shown;
        uint8_t least; /* less is left out */
        bool is_link;  /* names the call that caused it, to which a flow leads as well */
        uint16_t key;
    } field[FXT_MAX_FIELDS];
};

struct fxt_args {
    struct fxt_fields call[RF_MAX_KINDS], op[RF_MAX_KINDS], event[RF_MAX_KINDS],
        range[RF_MAX_KINDS];
};

/* Adds the keys to the table of texts: before fxt_keep(). */
void fxt_args_init(struct fxt_args *args, struct fxt *fxt);

/* The fields that a row has, to the event that is being put together. */
void fxt_put_fields(struct fxt *fxt, const struct fxt_fields *fields, const struct rf_row *row,
                    bool with_link);

#endif
