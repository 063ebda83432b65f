/* SPDX-License-Identifier: Apache-2.0 */
/* The command that comes next, for people: on standard error, wherever that goes. Not said by what
 * was asked to be quiet, nor where the output is for programs. */
#ifndef RF_CLI_NEXT_H
#define RF_CLI_NEXT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define CLI_NEXT_SIZE (2 * PATH_MAX + 64)

/* Writes "rangefinder VERB ARGUMENT PATH", quoted for a shell. argument: NULL for none. Returns
 * false, and writes "", where that does not fit. */
bool cli_next_about(char line[CLI_NEXT_SIZE], const char *verb, const char *argument,
                    const char *path);

/* Prints "next: rangefinder VERB PATH", with the path quoted for a shell. */
void cli_say_next(const char *verb, const char *path);

/* The same with an argument before the path. */
void cli_say_next_about(const char *verb, const char *argument, const char *path);

/* The same with all operands of the command line behind it. */
void cli_say_next_of(const char *verb, char *const *operands, size_t n);

/* Appends the first n words of a command, or all, quoted for a shell, each behind a space; false:
 * they do not fit. */
bool cli_append_words(char *line, size_t size, char *const *words, size_t n);

#endif
