/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings that a verb reads one after another, keeping none. */
#ifndef RF_CLI_EACH_RECORDING_H
#define RF_CLI_EACH_RECORDING_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/filter_options.h"
#include "cli/inputs.h"

struct cli_each {
    const struct cli_filter *filter;
    const char *lacks; /* what summaries have none of: "instances" */
    /* RF_ERR_NOT_FOUND: it has not what is asked for, RF_ERR_EXISTS: it is there already; it is
     * passed over. */
    int (*add)(void *context, const rf_recording *rec, const char *path, struct rf_err *err);
    void *context;
    bool has_failed; /* an input could not be read; the others were */
    size_t n_added;
    struct rf_err none; /* why the first one was passed over; text "": none was */
};

/* Gives each input that can be read to add(). Returns enum cli_status; messages are printed. */
int cli_each_recording(struct cli_each *each, const struct cli_inputs *inputs);

/* Where nothing was added: says why, as far as that was not said. */
int cli_each_say_none(const struct cli_each *each);

#endif
