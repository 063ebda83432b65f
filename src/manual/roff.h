/* SPDX-License-Identifier: Apache-2.0 */
/* What tables of options say, as roff. */
#ifndef RF_MANUAL_ROFF_H
#define RF_MANUAL_ROFF_H

#include <stdio.h>

#include "cli/command.h"

/* A value as help names it: what stands for itself is bold, what stands for something is italic. */
void roff_put_value(FILE *to, const char *value);

/* A text of help in running text: options and quoted commands are bold, and so are words of `value`
 * (may be NULL) where they are explained; words in capitals that are in it, or in `synopsis`, are
 * italic. */
void roff_put_text(FILE *to, const char *text, const char *value, const char *synopsis);

/* The line under NAME, and the item of a verb under VERBS, which refers to its page. */
void roff_put_name(FILE *to, const char *name, const char *summary);
void roff_put_verb(FILE *to, const char *name, const char *summary);

/* What stands behind the name of a program or verb. */
void roff_put_synopsis(FILE *to, const char *synopsis);

/* The tag of an option. separator: what stands between the name and the value. */
void roff_put_option(FILE *to, const struct cli_option *option, char separator);

#endif
