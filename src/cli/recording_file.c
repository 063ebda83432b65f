/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/recording_file.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/amounts.h"
#include "cli/output_name.h"
#include "cli/say.h"
#include "cli/waiting.h"
#include "rangefinder/summary.h"

bool cli_has_suffix(const char *text, const char *suffix)
{
    size_t length = strlen(text), n = strlen(suffix);
    return length > n && strcmp(text + length - n, suffix) == 0;
}

/* A longer one before one that it ends with. Summaries keep theirs in names of outputs. */
static const char *const endings[] = {
    ".rfdir",         ".rf",  ".sqlite", ".nsys-rep", ".qdrep", ".pt.trace.json.gz", ".json.gz",
    ".pt.trace.json", ".json"};

#define N_ENDINGS (sizeof(endings) / sizeof(endings[0]))

const char *cli_recording_ending(size_t i)
{
    if (i == N_ENDINGS)
        return ".rfsum";
    return i < N_ENDINGS ? endings[i] : NULL;
}

void cli_recording_base(char *base, size_t size, const char *path)
{
    (void)snprintf(base, size, "%s", path);
    size_t length = strlen(base);
    while (length > 1 && base[length - 1] == '/')
        base[--length] = '\0';
    for (size_t i = 0; i < N_ENDINGS; i++) {
        if (!cli_has_suffix(base, endings[i]))
            continue;
        base[length - strlen(endings[i])] = '\0';
        return;
    }
}

bool cli_is_input(const char *output, const char *input)
{
    struct stat a, b;
    if (stat(output, &a) != 0 || stat(input, &b) != 0 || a.st_dev != b.st_dev ||
        a.st_ino != b.st_ino)
        return false;
    cli_say("'%s' is the input; name another output with -o", output);
    return true;
}

rf_recording *cli_open_recording(const char *path)
{
    return cli_open_recording_as(path, 0);
}

rf_recording *cli_open_recording_as(const char *path, unsigned flags)
{
    const struct cli_opening of = {.path = path, .flags = flags};
    return cli_open_recording_by(&of, NULL);
}

rf_recording *cli_open_recording_by(const struct cli_opening *of, struct cli_open_ahead *ahead)
{
    const char *path = of->path;
    rf_recording *rec = NULL;
    struct rf_err err;
    char count[32];
    struct stat st;
    struct cli_waiting waiting;
    if (rf_is_summary(path)) {
        cli_say(
            "'%s' is a summary, which has no events; 'rangefinder stats', 'summarize' and 'info' "
            "read it",
            path);
        return NULL;
    }
    cli_waiting_begin(&waiting, "reading '%.80s'", path);
    const int status = cli_open_ahead_take(ahead, of, &rec, &err);
    cli_waiting_end(&waiting);
    if (status != RF_OK) {
        cli_say("%s", err.text);
        return NULL;
    }
    const struct rf_info *info = rf_get_info(rec);
    if (of->alignment != NULL)
        return rec;
    if (info->is_live && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        cli_say("'%s' is still being recorded; this is its state now", path);
    if (info->n_lost_records > 0)
        cli_say("'%s': %s%s events were lost", path, info->n_lost_about > 0 ? "about " : "",
                rf_format_count(count, sizeof(count), info->n_lost_records));
    return rec;
}

bool cli_recording_name(char *path, size_t size, const char *name)
{
    if (!cli_output_names_file(name)) {
        cli_say("-o: '%s' names no file", name);
        return false;
    }
    int n = snprintf(path, size, "%s%s", name,
                     cli_has_suffix(name, CLI_RECORDING_SUFFIX) ? "" : CLI_RECORDING_SUFFIX);
    if (n >= 0 && (size_t)n < size)
        return true;
    cli_say("'%.64s...': the path is too long", name);
    return false;
}
