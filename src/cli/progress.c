/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/progress_option.h"
#include "cli/say.h"
#include "log/ticks.h"

#define FIRST_BAR_NS 1000000000LL /* work shorter than this shows no bar */
#define NEXT_BAR_NS  100000000LL
#define BAR_WIDTH    40

void cli_progress_begin(struct cli_progress *progress, const char *what)
{
    progress->what = what;
    progress->done = 0;
    progress->begin_ns = rf_clock_ns(CLOCK_MONOTONIC);
    progress->shown_ns = 0;
    progress->is_terminal =
        !cli_progress_is_none() && !cli_progress_is_json() && isatty(STDERR_FILENO);
    if (cli_progress_is_json()) {
        progress->shown_ns = progress->begin_ns;
        cli_progress_line("begin", what, 0, progress->begin_ns);
    }
}

static void draw_bar(const struct cli_progress *progress)
{
    const int filled = (int)(progress->done * BAR_WIDTH);
    char bar[BAR_WIDTH + 1], line[160];
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)filled);
    bar[BAR_WIDTH] = '\0';
    int n = snprintf(line, sizeof(line), "\rrangefinder: %s [%s] %3.0f %%", progress->what, bar,
                     progress->done * 100);
    cli_say_text(line, n < (int)sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

int cli_progress_update(void *context, double done)
{
    struct cli_progress *progress = context;
    progress->done = done < 0 ? 0 : done > 1 ? 1 : done;
    if (!progress->is_terminal && !cli_progress_is_json())
        return 0;
    int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    if (progress->shown_ns == 0 ? now - progress->begin_ns < FIRST_BAR_NS
                                : now - progress->shown_ns < NEXT_BAR_NS)
        return 0;
    progress->shown_ns = now;
    if (progress->is_terminal)
        draw_bar(progress);
    else
        cli_progress_line("progress", progress->what, progress->done, progress->begin_ns);
    return 0;
}

void cli_progress_end(struct cli_progress *progress)
{
    static const char wipe[] = "\r\033[K";
    if (cli_progress_is_json())
        cli_progress_line("end", progress->what, progress->done, progress->begin_ns);
    else if (progress->shown_ns != 0)
        cli_say_text(wipe, sizeof(wipe) - 1);
    progress->shown_ns = 0;
}
