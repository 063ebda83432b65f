/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/say.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "log/ticks.h"

#define PREFIX       "rangefinder: "
#define FIRST_BAR_NS 1000000000LL /* work shorter than this shows no bar */
#define NEXT_BAR_NS  100000000LL
#define BAR_WIDTH    40

static struct {
    pthread_mutex_t lock;
    void (*write_line)(void *context, const char *line, size_t size);
    void *context;
} through = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct cli_held *held_by_thread;

static void write_all(const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = write(STDERR_FILENO, text, size);
        if (n <= 0)
            return; /* nobody reads standard error */
        text += n;
        size -= (size_t)n;
    }
}

static void print(const char *lines, size_t size)
{
    (void)pthread_mutex_lock(&through.lock);
    if (through.write_line != NULL)
        through.write_line(through.context, lines, size);
    else
        write_all(lines, size);
    (void)pthread_mutex_unlock(&through.lock);
}

/* Returns false where there is no memory to hold it. */
static bool hold(struct cli_held *held, const char *line, size_t size)
{
    if (held->size + size > held->room) {
        size_t room = 2 * (held->size + size);
        char *text = realloc(held->text, room);
        if (text == NULL)
            return false;
        held->text = text;
        held->room = room;
    }
    memcpy(held->text + held->size, line, size);
    held->size += size;
    return true;
}

void cli_say_hold(struct cli_held *held)
{
    held_by_thread = held;
}

void cli_held_print(struct cli_held *held)
{
    if (held->size > 0)
        print(held->text, held->size);
    cli_held_release(held);
}

void cli_held_release(struct cli_held *held)
{
    free(held->text);
    *held = (struct cli_held){.text = NULL};
}

void cli_say(const char *format, ...)
{
    char line[2048] = PREFIX;
    size_t at = strlen(PREFIX);
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line + at, sizeof(line) - at - 1, format, args);
    va_end(args);
    if (n > 0)
        at += (size_t)n < sizeof(line) - at - 1 ? (size_t)n : sizeof(line) - at - 2;
    line[at++] = '\n';
    if (held_by_thread == NULL || !hold(held_by_thread, line, at))
        print(line, at);
}

void cli_say_through(void (*write_line)(void *context, const char *line, size_t size),
                     void *context)
{
    (void)pthread_mutex_lock(&through.lock);
    through.write_line = write_line;
    through.context = context;
    (void)pthread_mutex_unlock(&through.lock);
}

unsigned cli_output_width(void)
{
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        return size.ws_col;
    return 0;
}

bool cli_is_ascii(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (size_t i = 0; i < 3 && (locale == NULL || locale[0] == '\0'); i++)
        locale = getenv(variables[i]);
    return locale == NULL ||
           (strcasestr(locale, "UTF-8") == NULL && strcasestr(locale, "UTF8") == NULL);
}

void cli_progress_begin(struct cli_progress *progress, const char *what)
{
    progress->what = what;
    progress->begin_ns = rf_clock_ns(CLOCK_MONOTONIC);
    progress->shown_ns = 0;
    progress->is_terminal = isatty(STDERR_FILENO);
}

int cli_progress_update(void *context, double done)
{
    struct cli_progress *progress = context;
    if (!progress->is_terminal)
        return 0;
    int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    if (progress->shown_ns == 0 ? now - progress->begin_ns < FIRST_BAR_NS
                                : now - progress->shown_ns < NEXT_BAR_NS)
        return 0;
    progress->shown_ns = now;
    done = done < 0 ? 0 : done > 1 ? 1 : done;
    int filled = (int)(done * BAR_WIDTH);
    char bar[BAR_WIDTH + 1];
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)filled);
    bar[BAR_WIDTH] = '\0';
    char line[160];
    int n = snprintf(line, sizeof(line), "\r" PREFIX "%s [%s] %3.0f %%", progress->what, bar,
                     done * 100);
    write_all(line, n < (int)sizeof(line) ? (size_t)n : sizeof(line) - 1);
    return 0;
}

void cli_progress_end(struct cli_progress *progress)
{
    static const char wipe[] = "\r\033[K";
    if (progress->shown_ns != 0)
        write_all(wipe, sizeof(wipe) - 1);
    progress->shown_ns = 0;
}
