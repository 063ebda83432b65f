/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the verbs that read a recording. */
#ifndef RF_CLI_RECORDING_FILE_H
#define RF_CLI_RECORDING_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/open_ahead.h"
#include "rangefinder/rangefinder.h"

/* Opens a recording. Prints why it cannot be opened and what to do, or what is unusual about it
 * (still running, damaged, events lost). Returns NULL on failure. */
rf_recording *cli_open_recording(const char *path);

/* As cli_open_recording(), with flags of rf_open(). */
rf_recording *cli_open_recording_as(const char *path, unsigned flags);

/* The same in any way. One with an alignment was opened before: what is unusual about it is not
 * said again. ahead (may be NULL): as cli_open_ahead_take(). */
rf_recording *cli_open_recording_by(const struct cli_opening *of, struct cli_open_ahead *ahead);

/* Whether the output is the input file, which is an error: prints a message. */
bool cli_is_input(const char *output, const char *input);

/* Writes the path without a trailing slash and without the ending of a recording; other endings are
 * appended to it. */
void cli_recording_base(char *base, size_t size, const char *path);

/* The endings of what can be read: recordings, summaries and foreign traces. NULL past the last. */
const char *cli_recording_ending(size_t i);

/* Writes the output name that -o gives, with the ending .rf added where it is missing. Returns
 * false after a message where it is too long, or names no file. */
bool cli_recording_name(char *path, size_t size, const char *name);

/* Whether text ends with suffix and has something before it. */
bool cli_has_suffix(const char *text, const char *suffix);

#endif
