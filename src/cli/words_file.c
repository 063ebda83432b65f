/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/words_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZE ((size_t)1 << 20)
#define BLANKS   " \t\r\n"

/* The words and their text are one allocation: n bytes of text make at most n / 2 + 1 words, and
 * the NUL that ends each word takes the place of a blank, a quote or the end of the text. */
static struct cli_words *make_words(size_t size)
{
    struct cli_words *words = malloc(sizeof(*words) + (size / 2 + 2) * sizeof(char *) + size + 1);
    if (words == NULL)
        return NULL;
    words->n = 0;
    words->word = (char **)(words + 1);
    return words;
}

/* Copies the word at p to *to. Returns the position after it, or NULL where a quote is not closed.
 */
static const char *copy_word(char **to, const char *p)
{
    char quote = '\0';
    for (; *p != '\0' && (quote != '\0' || strchr(BLANKS, *p) == NULL); p++) {
        if (*p == quote) {
            quote = '\0';
        } else if (quote == '\0' && (*p == '\'' || *p == '"')) {
            quote = *p;
        } else {
            if (*p == '\\' && quote != '\'' && p[1] != '\0' &&
                (quote == '\0' || p[1] == '"' || p[1] == '\\'))
                p++;
            *(*to)++ = *p;
        }
    }
    *(*to)++ = '\0';
    return quote == '\0' ? p : NULL;
}

static int split(struct cli_words *words, char *to, const char *text, const char *path,
                 struct rf_err *err)
{
    for (const char *p = text; *(p += strspn(p, BLANKS)) != '\0';) {
        if (*p == '#') {
            p += strcspn(p, "\n");
            continue;
        }
        words->word[words->n++] = to;
        const char *behind = copy_word(&to, p);
        if (behind == NULL)
            return rf_fail(err, RF_ERR_USAGE, "'%s': a quote at byte %zu does not end", path,
                           (size_t)(p - text));
        p = behind;
    }
    words->word[words->n] = NULL;
    return RF_OK;
}

/* The text of a file, which the caller frees; NULL after *status was set. */
static char *read_text(const char *path, int *status, struct rf_err *err)
{
    FILE *file = fopen(path, "re");
    char *text = malloc(MAX_SIZE + 2);
    size_t size = file != NULL && text != NULL ? fread(text, 1, MAX_SIZE + 1, file) : 0;
    if (file == NULL || ferror(file))
        *status = rf_fail(err, RF_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    else if (text == NULL)
        *status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    else if (size > MAX_SIZE)
        *status = rf_fail(err, RF_ERR_USAGE, "'%s' is larger than 1 MiB: no list of options", path);
    else if (memchr(text, '\0', size) != NULL)
        *status = rf_fail(err, RF_ERR_USAGE, "'%s' has a NUL byte: no list of options", path);
    else
        *status = RF_OK;
    if (file != NULL)
        (void)fclose(file);
    if (*status == RF_OK) {
        text[size] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

int cli_words_parse(struct cli_words **out, const char *text, const char *path, struct rf_err *err)
{
    size_t size = strlen(text);
    struct cli_words *words = make_words(size);
    int status = words == NULL
                     ? rf_fail(err, RF_ERR_NO_MEMORY, "out of memory")
                     : split(words, (char *)(words->word + size / 2 + 2), text, path, err);
    *out = status == RF_OK ? words : NULL;
    if (status != RF_OK)
        cli_words_free(words);
    return status;
}

int cli_words_read(struct cli_words **out, const char *path, struct rf_err *err)
{
    int status;
    char *text = read_text(path, &status, err);
    *out = NULL;
    if (text != NULL)
        status = cli_words_parse(out, text, path, err);
    free(text);
    return status;
}

void cli_words_free(struct cli_words *words)
{
    free(words);
}
