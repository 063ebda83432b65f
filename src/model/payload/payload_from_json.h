/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a payload that is known as JSON alone: in databases of nsys. */
#ifndef RF_MODEL_PAYLOAD_PAYLOAD_FROM_JSON_H
#define RF_MODEL_PAYLOAD_PAYLOAD_FROM_JSON_H

#include "model/payload/payload_leaves.h"

/* Gives values and paths as rf_payload_leaves_of_group() does. Structs are objects; a list of
 * objects is several payloads; a name that is empty is the number of the member. true and false are
 * texts. What is no JSON, or nested more than 60 deep, is one text with the empty path. text: with
 * a zero byte behind it. Returns 0, what leaf() returned, or RF_ERR_NO_MEMORY. */
int rf_payload_leaves_of_json(struct rf_payload_leaves *leaves, const char *text, size_t size,
                              rf_payload_leaf_fn *leaf, void *context);

#endif
