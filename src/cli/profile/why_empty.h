/* SPDX-License-Identifier: Apache-2.0 */
/* Why a successful run left an empty recording. */
#ifndef RF_CLI_PROFILE_WHY_EMPTY_H
#define RF_CLI_PROFILE_WHY_EMPTY_H

#include <stdbool.h>

/* The most likely reason: a constant string, one sentence without a full stop. path: the program;
 * is_loaded: some process loaded the recorder. */
const char *cli_why_empty(const char *path, bool is_loaded);

/* Why no library that a variable names can be loaded into this program; NULL: no reason is known.
 */
const char *cli_why_not_loaded(const char *path);

/* Whether the program contains a call by which it can become another user, as interpreters do. */
bool cli_can_change_user(const char *path);

/* Whether a program has NVTX in it. */
bool cli_uses_nvtx(const char *path);

#endif
