/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs that read a recording have in common. */
#ifndef RF_CLI_RECORDING_FILE_H
#define RF_CLI_RECORDING_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "rangefinder/rangefinder.h"

/* Opens a recording. Says what is wrong and what to do where it cannot, and what is unusual about
 * one that it can (still running, damaged, events lost). NULL on failure. */
rf_recording *cli_open_recording(const char *path);

/* The same with flags of rf_open(). */
rf_recording *cli_open_recording_as(const char *path, unsigned flags);

/* Whether an output is the file that is read: says so, since that is an error. */
bool cli_is_input(const char *output, const char *input);

/* The path without the ending of a recording or a trailing slash: what endings are added to. */
void cli_recording_base(char *base, size_t size, const char *path);

/* The name of a recording that -o gives, with its ending where that was left out. Returns false
 * where it is too long, after a message. */
bool cli_recording_name(char *path, size_t size, const char *name);

/* "next: rangefinder VERB PATH", with the path as a shell takes it. */
void cli_say_next(const char *verb, const char *path);

/* Whether text ends with suffix and has something before it. */
bool cli_has_suffix(const char *text, const char *suffix);

#endif
