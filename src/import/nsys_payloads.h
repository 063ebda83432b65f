/* SPDX-License-Identifier: Apache-2.0 */
/* The payloads of NVTX_EVENTS.binaryData. */
#ifndef RF_IMPORT_NSYS_PAYLOADS_H
#define RF_IMPORT_NSYS_PAYLOADS_H

#include "import/nsys_load.h"

/* Takes the payloads of an event, which becomes RF_TYPE_EXTENDED. json: the string that stands for
 * them if their schema is not known, or RF_NO_STRING. *is_taken: whether they could be read.
 * Returns RF_OK or RF_ERR_NO_MEMORY. */
int nsys_add_payloads(struct nsys_load *load, const char *bytes, size_t size, uint32_t json,
                      struct rf_event *event, bool *is_taken);

/* The scope that an event with such payloads has, and whether it is where it was called. */
void nsys_set_place(struct nsys_load *load, const struct rf_event *event, uint32_t scope,
                    bool is_placed);

/* Gives events what was taken, when layouts are defined. */
int nsys_finish_payloads(struct nsys_load *load);

/* NULL is accepted. */
void nsys_payloads_free(struct nsys_payloads *payloads);

#endif
