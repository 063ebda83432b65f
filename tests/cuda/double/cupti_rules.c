/* SPDX-License-Identifier: Apache-2.0 */
/* The rules: who may call, from where. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cupti.h"

static pid_t owner; /* who subscribed or registered */
static __thread enum cupti_inside inside;

static void write_line(const char *variable, int otherwise, const char *head, const char *format,
                       va_list arguments)
{
    char line[600];
    const char *path = getenv(variable);
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : otherwise;
    if (file < 0)
        return;
    int length = snprintf(line, sizeof line, "%s", head);
    length += vsnprintf(line + length, sizeof line - 2 - (size_t)length, format, arguments);
    if (length > (int)sizeof line - 2)
        length = (int)sizeof line - 2;
    line[length++] = '\n';
    if (write(file, line, (size_t)length) != length)
        abort();
    if (path)
        close(file);
}

void cupti_violation(const char *format, ...)
{
    char head[64];
    va_list arguments;
    snprintf(head, sizeof head, "process %d: ", getpid());
    va_start(arguments, format);
    write_line("RF_DOUBLE_VIOLATIONS", 2, head, format, arguments);
    va_end(arguments);
}

void cupti_note(const char *format, ...)
{
    char head[96];
    va_list arguments;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(head, sizeof head, "%lld %d %ld ",
             (long long)now.tv_sec * 1000000000 + (long long)now.tv_nsec, getpid(),
             syscall(SYS_gettid));
    va_start(arguments, format);
    write_line("RF_DOUBLE_CALLS", -1, head, format, arguments);
    va_end(arguments);
}

void cupti_own_process(void)
{
    if (!owner)
        owner = getpid();
}

void cupti_set_inside(enum cupti_inside now)
{
    inside = now;
}

enum cupti_inside cupti_inside(void)
{
    return inside;
}

static void check_process(const char *function)
{
    if (owner && owner != getpid())
        cupti_violation("%s in a forked child of %d", function, owner);
}

void cupti_enter(const char *function)
{
    errno = EDOM; /* as any call of a library may leave it */
    check_process(function);
    if (inside == CUPTI_IN_REQUEST)
        cupti_violation("%s inside the callback that is asked for a buffer", function);
    else if (inside == CUPTI_IN_COMPLETE)
        cupti_violation("%s inside the callback that gets a buffer", function);
}

void cupti_enter_simple(const char *function)
{
    check_process(function);
    if (inside == CUPTI_IN_REQUEST)
        cupti_violation("%s inside the callback that is asked for a buffer", function);
}
