/* SPDX-License-Identifier: Apache-2.0 */
/* What the tracks of streams are called where a track is a line of text. */
#ifndef RF_EXPORT_STREAM_NAMES_H
#define RF_EXPORT_STREAM_NAMES_H

#include <stdbool.h>

#include "model/fields/gpu_names.h"

/* The tracks of a device in a process are neighbors. *end: the first behind them. Returns whether
 * they are of several contexts: then these stand in the names. */
bool rf_has_contexts(const rf_recording *rec, uint32_t first, uint32_t *end);

/* "GPU 0 stream 7", "GPU 0 (trainer) context 1 stream 13 (copies)": of a track, by its index.
 * Returns the size of the name. */
#define RF_STREAM_NAME_SIZE (4 * RF_PLACE_NAME_SIZE + 2)
size_t rf_stream_name(const rf_recording *rec, uint32_t track, bool has_contexts,
                      char name[RF_STREAM_NAME_SIZE]);

#endif
