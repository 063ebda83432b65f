/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/say.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/text_sink.h"

#define PREFIX "rangefinder: "

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

void cli_say_text(const char *lines, size_t size)
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
        cli_say_text(held->text, held->size);
    cli_held_release(held);
}

void cli_held_release(struct cli_held *held)
{
    free(held->text);
    *held = (struct cli_held){.text = NULL};
}

static void say_line(const char *line, size_t size)
{
    if (held_by_thread == NULL || !hold(held_by_thread, line, size))
        cli_say_text(line, size);
}

/* A line with what a terminal should not be given: paths and names come from anywhere. */
static void say_escaped(char *line, size_t size)
{
    struct rf_text_sink escaped;
    char *text = NULL;
    if (rf_text_sink_init(&escaped) == RF_OK) {
        rf_sink_safe(&escaped.sink, line, size - 1);
        rf_sink_char(&escaped.sink, '\n');
        text = rf_text_sink_take(&escaped);
    }
    rf_text_sink_release(&escaped);
    for (size_t i = 0; text == NULL && i + 1 < size; i++) /* out of memory */
        line[i] = line[i] < ' ' || line[i] > '~' ? '?' : line[i];
    say_line(text != NULL ? text : line, text != NULL ? strlen(text) : size);
    free(text);
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
    if (rf_is_safe(line, at - 1))
        say_line(line, at);
    else
        say_escaped(line, at);
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
