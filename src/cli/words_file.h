/* SPDX-License-Identifier: Apache-2.0 */
/* A file of words, as --command-file names one. */
#ifndef RF_CLI_WORDS_FILE_H
#define RF_CLI_WORDS_FILE_H

#include "base/error.h"

struct cli_words {
    int n;
    char **word; /* ends with NULL */
};

/* The words of a text that ends with NUL: separated by spaces and line ends, quoted with '...',
 * "..." and \ as in a shell, # begins a comment. Nothing is expanded. path: for messages. Returns
 * RF_OK, RF_ERR_USAGE (a quote without its end) or RF_ERR_NO_MEMORY. */
int cli_words_parse(struct cli_words **out, const char *text, const char *path, struct rf_err *err);

/* Those of a file. Returns RF_ERR_IO too, and RF_ERR_USAGE where it holds a NUL byte. */
int cli_words_read(struct cli_words **out, const char *path, struct rf_err *err);

/* NULL is harmless. */
void cli_words_free(struct cli_words *words);

#endif
