/* SPDX-License-Identifier: Apache-2.0 */
/* The name of what `profile` writes, from the pattern that -o gives. */
#ifndef RF_CLI_OUTPUT_NAME_H
#define RF_CLI_OUTPUT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "rangefinder/rangefinder.h"

#define CLI_RECORDING_SUFFIX ".rf"

/* Whether a path that endings are added to has a name at its end: none have "", "folder/", ".",
 * ".." and "-", which stands for standard output. */
bool cli_output_names_file(const char *base);

/* Expands a pattern: %p the pid, %h the host name, %r the rank, %q{VAR} an environment variable, %n
 * the smallest number, from 1, that gives an unused name, %% a percent sign. A trailing ".rf" or
 * ".nsys-rep" is dropped: the result is the base that endings are added to. pid 0 only checks the
 * pattern. What cannot be replaced (a variable that is not set, %z) stays as it is, as with nsys;
 * %r where there is no rank is an error. */
int cli_output_base(char *base, size_t size, const char *pattern, pid_t pid, struct rf_err *err);

/* Warns of the parts of a pattern that cannot be replaced. */
void cli_output_warn(const char *pattern);

/* Expands a pattern without %n for another purpose; `what` names it in messages. A part that cannot
 * be replaced is an error. */
int cli_expand(char *out, size_t size, const char *pattern, pid_t pid, const char *what,
               struct rf_err *err);

/* Whether a pattern contains %n. */
bool cli_output_has_number(const char *pattern);

/* Whether BASE.rf exists. */
bool cli_output_is_recorded(const char *base);

/* How many files BASE.N.rf there are, N from 1 on. first: the path of one of them, or NULL. */
unsigned cli_output_count_numbered(const char *base, char *first, size_t size);

/* Whether BASE.rf, a BASE.N.rf or BASE.rfdir exists. */
bool cli_output_is_taken(const char *base);

/* Appends "-2", "-3", ... to base until BASE.rf does not exist. */
void cli_output_next_free(char *base, size_t size);

/* Checks that the folder of base exists and is writable, and that BASE.rf is none or a file. */
int cli_output_check_folder(const char *base, struct rf_err *err);

#endif
