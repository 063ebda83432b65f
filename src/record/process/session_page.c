/* SPDX-License-Identifier: Apache-2.0 */
/* What the recorder writes to the control page of its session. */
#include "record/process/session_page.h"

#include <stdlib.h>
#include <string.h>

#include "log/ticks.h"
#include "record/process/ask_command_line.h"
#include "record/text.h"

RF_COLD void rf_count_lost(uint64_t records, uint64_t bytes)
{
    struct rf_control *control = rf_recorder.control;
    if (control == NULL)
        return;
    (void)__atomic_fetch_add(&control->lost_records, records, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&control->lost_bytes, bytes, __ATOMIC_RELAXED);
}

void rf_session_add_message(const char *text)
{
    struct rf_control *control = rf_recorder.control;
    if (control == NULL)
        return;
    uint32_t i = __atomic_fetch_add(&control->n_messages, 1, __ATOMIC_RELAXED);
    if (i >= RF_MAX_MESSAGES)
        return;
    /* the first byte last: the command line prints a message once it is there */
    size_t n = strnlen(text, RF_MESSAGE_SIZE - 1);
    memcpy(control->message[i] + 1, text + 1, n > 0 ? n - 1 : 0);
    __atomic_store_n(&control->message[i][0], text[0], __ATOMIC_RELEASE);
}

/* text ends with a line feed; reason: the part of it behind the process's number. */
static void report_without_page(const char *text, size_t size, const char *reason)
{
    const char *directory = getenv("RANGEFINDER_SESSION");
    static char path[PATH_MAX];
    if (directory == NULL || directory[0] == '\0')
        return; /* a session by hand: nobody would read it */
    size_t at = rf_put_text(path, sizeof(path), 0, directory);
    (void)rf_put_text(path, sizeof(path), at, "/" RF_REFUSED_FILE);
    int fd = rf_sys_open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd >= 0) {
        (void)rf_sys_write(fd, text, size);
        rf_sys_close(fd);
        return;
    }
    struct rf_ask ask = {.kind = RF_ASK_FAILED};
    int fds[RF_ASK_MAX_FDS];
    (void)rf_put_text(ask.text, sizeof(ask.text), 0, reason);
    (void)rf_ask_command_line(&ask, fds);
}

bool rf_session_report_failure(const char *reason)
{
    const struct rf_recorder *r = &rf_recorder;
    char text[RF_MESSAGE_SIZE];
    size_t at = rf_put_text(text, sizeof(text) - 1, 0, "process ");
    at = rf_put_number(text, sizeof(text) - 1, at, rf_sys_getpid(), 1);
    at = rf_put_text(text, sizeof(text) - 1, at, " ");
    const char *behind = text + at;
    at = rf_put_text(text, sizeof(text) - 1, at, reason);
    if (r->refused_call != NULL) {
        at = rf_put_text(text, sizeof(text) - 1, at, ": ");
        at = rf_put_text(text, sizeof(text) - 1, at, r->refused_call);
        at = rf_put_text(text, sizeof(text) - 1, at, " was refused (errno ");
        at = rf_put_number(text, sizeof(text) - 1, at, (uint64_t)r->refused_code, 1);
        at = rf_put_text(text, sizeof(text) - 1, at, ")");
    }
    if (r->control != NULL) {
        (void)__atomic_fetch_add(&r->control->n_failed_processes, 1, __ATOMIC_RELAXED);
        rf_session_add_message(text);
        return false;
    }
    text[at++] = '\n';
    report_without_page(text, at, behind);
    return false;
}

void rf_session_add_clock(void)
{
    struct rf_control *control = rf_recorder.control;
    if (__atomic_load_n(&control->n_clocks, __ATOMIC_RELAXED) >= RF_MAX_CLOCKS / 4)
        return;
    struct rf_clock_pair pair = rf_clock_pair_take(rf_recorder.clock_kind);
    uint32_t i = __atomic_fetch_add(&control->n_clocks, 1, __ATOMIC_RELAXED);
    if (i >= RF_MAX_CLOCKS)
        return;
    control->clock[i].ticks = pair.ticks;
    control->clock[i].mono_ns = pair.mono_ns;
    control->clock[i].boot_ns = pair.boot_ns;
    __atomic_store_n(&control->clock[i].real_ns, pair.real_ns, __ATOMIC_RELEASE);
}
