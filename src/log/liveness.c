/* SPDX-License-Identifier: Apache-2.0 */
#include "log/liveness.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Reads a small file of /proc; text ends in NUL. Returns 0 if there is none. */
static bool read_text(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return false;
    size_t n = fread(text, 1, size - 1, f);
    text[n] = 0;
    (void)fclose(f);
    return n > 0;
}

/* Reads /proc/PID/stat. Returns its field 3, the state of the process; NULL: there is none. Behind
 * "./" qemu-user does not make it up, as it does of the process that asks. */
static const char *read_stat(uint32_t pid, char *text, size_t size)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/./%u/stat", pid);
    if (!read_text(path, text, size))
        return NULL;
    /* the name, in parentheses, may hold anything; the state follows it */
    const char *at = strrchr(text, ')');
    return at != NULL && at[1] != 0 ? at + 2 : NULL;
}

/* The number in a field of it. */
static bool stat_field(const char *state, int number, unsigned long long *value)
{
    const char *at = state;
    for (int field = 3; field < number && at != NULL; field++)
        at = strchr(at + 1, ' ');
    return at != NULL && sscanf(at, "%llu", value) == 1;
}

/* Where the first thread alone has ended the process goes on. */
static bool has_ended(const char *state)
{
    unsigned long long n_threads = 0;
    return *state == 'X' ||
           (*state == 'Z' && (!stat_field(state, 20, &n_threads) || n_threads < 2));
}

/* Whether a pid is one of ours: of the pid namespace of this process. */
static bool is_pid_known(uint32_t pid, uint64_t pid_ns)
{
    struct stat own;
    return pid != 0 &&
           (pid_ns == 0 || (stat("/proc/self/ns/pid", &own) == 0 && own.st_ino == pid_ns));
}

enum rf_liveness rf_process_liveness(uint32_t pid, uint64_t start_time, uint64_t pid_ns)
{
    char text[1024];
    unsigned long long value;
    if (!is_pid_known(pid, pid_ns))
        return RF_LIVENESS_UNKNOWN;
    const char *state = read_stat(pid, text, sizeof(text));
    if (state == NULL || has_ended(state))
        return RF_LIVENESS_ENDED;
    return stat_field(state, 22, &value) && value == start_time ? RF_LIVENESS_RUNNING
                                                                : RF_LIVENESS_ENDED;
}

bool rf_process_ending(uint32_t pid, uint64_t start_time, uint64_t pid_ns, int *status)
{
    char text[1024];
    unsigned long long started, code;
    const char *state = is_pid_known(pid, pid_ns) ? read_stat(pid, text, sizeof(text)) : NULL;
    if (state == NULL || *state != 'Z' || !has_ended(state) || !stat_field(state, 22, &started) ||
        started != start_time || !stat_field(state, 52, &code))
        return false;
    *status = (int)code;
    return true;
}

enum rf_liveness rf_log_process_liveness(const struct rf_log *log,
                                         const struct rf_log_process *process)
{
    for (size_t i = 0; i < log->n_running; i++)
        if (log->running[i] == process->number)
            return RF_LIVENESS_RUNNING;
    uint64_t used = rf_defs_used_bytes(process->defs, process->defs_size, NULL);
    uint64_t value[RF_PROC_PID_NS + 1] = {0};
    struct rf_def def;
    for (uint64_t at = 0; at < used; at += 8 * (uint64_t)def.n_words) {
        memcpy(&def, process->defs + at, sizeof(def));
        if ((def.head & ((1u << RF_WORD_TYPE_BITS) - 1)) == RF_REC_PROCESS &&
            def.index <= RF_PROC_PID_NS)
            value[def.index] = def.value;
    }
    return rf_process_liveness((uint32_t)value[RF_PROC_PID], value[RF_PROC_START_TIME],
                               value[RF_PROC_PID_NS]);
}

enum rf_liveness rf_log_liveness(const struct rf_log *log)
{
    enum rf_liveness all = RF_LIVENESS_ENDED;
    if (!rf_is_this_boot(&log->control))
        return all;
    for (size_t i = 0; i < log->n_processes && all != RF_LIVENESS_RUNNING; i++) {
        enum rf_liveness one = rf_log_process_liveness(log, &log->process[i]);
        if (one != RF_LIVENESS_ENDED)
            all = one;
    }
    return all;
}

bool rf_is_this_boot(const struct rf_control *control)
{
    static const uint8_t unknown[16];
    uint8_t id[16];
    char text[64];
    size_t n = 0;
    if (!read_text("/proc/sys/kernel/random/boot_id", text, sizeof(text)))
        return false;
    for (const char *p = text; *p != 0 && n < sizeof(id);) {
        unsigned value;
        if (*p == '-') {
            p++;
            continue;
        }
        if (p[1] == 0 || sscanf(p, "%2x", &value) != 1)
            break;
        id[n++] = (uint8_t)value;
        p += 2;
    }
    return n == sizeof(id) && memcmp(id, control->boot_id, sizeof(id)) == 0 &&
           memcmp(id, unknown, sizeof(id)) != 0;
}
