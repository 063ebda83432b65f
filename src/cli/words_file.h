/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a file, as for --command-file. */
#ifndef RF_CLI_WORDS_FILE_H
#define RF_CLI_WORDS_FILE_H

#include "base/error.h"

struct cli_words {
    int n;
    char **word; /* ends with NULL */
};

/* Splits a text that ends with NUL into words, which are separated by spaces and line ends and
 * quoted with '...', "..." and \ as in a shell; # begins a comment. Nothing is expanded. path: for
 * messages. Returns RF_OK, RF_ERR_USAGE (a quote is not closed) or RF_ERR_NO_MEMORY. */
int cli_words_parse(struct cli_words **out, const char *text, const char *path, struct rf_err *err);

/* Splits the text of a file. Also returns RF_ERR_IO, and RF_ERR_USAGE where the file holds a NUL
 * byte. */
int cli_words_read(struct cli_words **out, const char *path, struct rf_err *err);

/* NULL is harmless. */
void cli_words_free(struct cli_words *words);

#endif
