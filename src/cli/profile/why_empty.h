/* SPDX-License-Identifier: Apache-2.0 */
/* Why a run that went well left an empty recording. */
#ifndef RF_CLI_PROFILE_WHY_EMPTY_H
#define RF_CLI_PROFILE_WHY_EMPTY_H

#include <stdbool.h>

/* The likeliest reason, as one sentence without a full stop: a constant string. path: the program;
 * is_loaded: some process loaded the recorder. */
const char *cli_why_empty(const char *path, bool is_loaded);

/* Why no library that a variable names can be loaded into this program; NULL: no reason is known.
 */
const char *cli_why_not_loaded(const char *path);

/* Whether the program has a call in it by which it can become another user: an interpreter has. */
bool cli_can_change_user(const char *path);

#endif
