/* SPDX-License-Identifier: Apache-2.0 */
/* The name of the file that `profile --summary-json` writes. */
#ifndef RF_CLI_PROFILE_SUMMARY_NAME_H
#define RF_CLI_PROFILE_SUMMARY_NAME_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct profile_options;

/* Expands the pattern; path stays "" where there is none. pid: the program's, or 0. Returns CLI_OK;
 * or CLI_PROFILE_FAILED, after a message and with path "", where the file cannot be written. */
int summary_name(const struct profile_options *options, pid_t pid, char path[PATH_MAX]);

/* Whether the run writes no recording and no export of this name, after a message where it does.
 * base: of its outputs, without their endings. */
bool summary_name_is_free(const struct profile_options *options, const char *base,
                          const char *path);

#endif
