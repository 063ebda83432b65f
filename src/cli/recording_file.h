/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the verbs that read a recording. */
#ifndef RF_CLI_RECORDING_FILE_H
#define RF_CLI_RECORDING_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "rangefinder/rangefinder.h"

/* Opens a recording. Prints why it cannot be opened and what to do, or what is unusual about it
 * (still running, damaged, events lost). Returns NULL on failure. */
rf_recording *cli_open_recording(const char *path);

struct rf_alignment;

/* As cli_open_recording(), with flags of rf_open(). */
rf_recording *cli_open_recording_as(const char *path, unsigned flags);

/* The same with times as rf_open_aligned() has them. Such a recording was opened before: what is
 * unusual about it is not said again. alignment NULL: as cli_open_recording_as(). */
rf_recording *cli_open_recording_aligned(const char *path, unsigned flags,
                                         const struct rf_alignment *alignment);

struct rf_filter_options;

/* The same of a recording that is to be filtered by these options; NULL: by none. */
rf_recording *cli_open_recording_selected(const char *path, unsigned flags,
                                          const struct rf_alignment *alignment,
                                          const struct rf_filter_options *options);

/* Whether the output is the input file, which is an error: prints a message. */
bool cli_is_input(const char *output, const char *input);

/* Writes the path without a trailing slash and without the ending of a recording; other endings are
 * appended to it. */
void cli_recording_base(char *base, size_t size, const char *path);

/* The endings of what can be read: recordings, summaries and foreign traces. NULL past the last. */
const char *cli_recording_ending(size_t i);

/* Writes the output name that -o gives, with the ending .rf added where it is missing. Returns
 * false after a message where it is too long. */
bool cli_recording_name(char *path, size_t size, const char *name);

/* Whether text ends with suffix and has something before it. */
bool cli_has_suffix(const char *text, const char *suffix);

#endif
