/* SPDX-License-Identifier: Apache-2.0 */
/* The input is the command line of `profile`, a word per line: -p MESSAGE@DOMAIN, times, captures,
 * keys; and a file of --command-file. Nothing is run. */
#include "fuzz.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command_help.h"
#include "cli/profile/functions_file.h"
#include "cli/profile/profile_option_table.h"
#include "cli/profile/profile_option_values.h"
#include "cli/profile/profile_options.h"
#include "cli/profile/pytorch.h"
#include "cli/say.h"
#include "cli/usage_error.h"
#include "cli/words_file.h"

#define MAX_WORDS 64

/* What the options need of the verbs, and of files that a word may name. */
void cli_command_help(const struct cli_command *command)
{
    (void)command;
}

int cli_usage_error(const struct cli_command *command, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)command;
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return CLI_USAGE;
}

bool profile_say_values(const struct cli_option *option)
{
    (void)option;
    return false;
}

int cli_pytorch_parse(const char *list, unsigned *set, struct rf_err *err)
{
    (void)list;
    (void)err;
    *set = 0;
    return RF_OK;
}

int cli_python_functions_check(const char *path, struct rf_err *err)
{
    (void)path;
    (void)err;
    return RF_OK;
}

static void say_nothing(void *context, const char *line, size_t size)
{
    (void)context;
    (void)line;
    (void)size;
}

static const struct cli_command profile = {
    .name = "profile",
    .synopsis = "",
    .description = "",
    .options = profile_option_table,
    .stops_at_operand = true,
};

/* The input as a file of options. */
static void parse_words(const char *text)
{
    struct cli_words *words;
    struct rf_err err;
    size_t length = 0;
    if (cli_words_parse(&words, text, "fuzz", &err) != RF_OK)
        return;
    for (int i = 0; i < words->n; i++)
        length += strlen(words->word[i]);
    if (length > strlen(text) || words->word[words->n] != NULL)
        abort();
    cli_words_free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *words[MAX_WORDS + 1], *text = malloc(size + 1);
    int n = 0, status = 0;
    struct profile_options options;
    if (text == NULL)
        return 0;
    cli_say_through(say_nothing, NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    parse_words(text);
    if (strstr(text, "--command-file") != NULL) { /* no files of this machine */
        free(text);
        return 0;
    }
    for (char *at = text; at != NULL && n < MAX_WORDS; n++) {
        char *end = strchr(at, '\n');
        words[n] = at;
        if (end != NULL)
            *end++ = '\0';
        at = end;
    }
    words[n] = NULL;
    memset(&options, 0, sizeof(options));
    if (profile_options_parse(&options, &profile, 0, n, words, &status) == 0) {
        const struct focus_options *focus = &options.focus;
        const struct rf_capture *capture = &options.config.capture;
        if (focus->delay_ns < 0 || focus->duration_ns < 0 ||
            (focus->message != NULL && capture->message[0] == '\0') ||
            memchr(capture->message, '\0', sizeof(capture->message)) == NULL ||
            memchr(capture->domain, '\0', sizeof(capture->domain)) == NULL)
            abort();
    }
    profile_options_release(&options);
    free(text);
    return 0;
}
