/* SPDX-License-Identifier: Apache-2.0 */
/* Settings, rules that hold for every function, and what is left open at the end. */
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pm_double.h"
#include "pmsampling/pm_abi.h"

static struct pm_double control = {.chip = "GH100",
                                   .devices = 1,
                                   .bogus_first = 1,
                                   .supported = PM_SUPPORTED,
                                   .architecture = PM_SUPPORTED,
                                   .sli = PM_SUPPORTED,
                                   .vgpu = PM_SUPPORTED,
                                   .confidential = PM_SUPPORTED,
                                   .cmp = PM_SUPPORTED,
                                   .wsl = PM_SUPPORTED};
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t version = 130000;

/* ---- Violations ---- */

void pm_double_violation(const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof(line) - 1, format, args);
    va_end(args);
    if (n >= (int)sizeof(line) - 1)
        n = (int)sizeof(line) - 2;
    if (atomic_fetch_add(&control.violations, 1) == 0)
        (void)snprintf(control.violation, sizeof(control.violation), "%s", line);
    const char *path = getenv("RF_DOUBLE_VIOLATIONS");
    int file = path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : 2;
    line[n] = '\n';
    if (file < 0 || write(file, line, (size_t)n + 1) != n + 1)
        abort();
    if (path != NULL)
        (void)close(file);
}

/* ---- Settings ---- */

#define NUMBERS(X)                                                                                 \
    X(devices)                                                                                     \
    X(make)                                                                                        \
    X(realtime)                                                                                    \
    X(capacity)                                                                                    \
    X(overflow_flag)                                                                               \
    X(rest)                                                                                        \
    X(says_end)                                                                                    \
    X(incomplete)                                                                                  \
    X(unpopulated)                                                                                 \
    X(bogus_first)                                                                                 \
    X(empty_last)                                                                                  \
    X(needs_context)                                                                               \
    X(no_perfworks)                                                                                \
    X(finalizes)                                                                                   \
    X(stops_early)                                                                                 \
    X(delay_ms)                                                                                    \
    X(decode_us)                                                                                   \
    X(evaluate_us)                                                                                 \
    X(initialize_ms)                                                                               \
    X(supported)                                                                                   \
    X(architecture)                                                                                \
    X(sli)                                                                                         \
    X(vgpu) X(confidential) X(cmp) X(wsl)

static void set(const char *name, const char *value)
{
#define SET(field)                                                                                 \
    if (strcmp(name, #field) == 0) {                                                               \
        control.field = (__typeof__(control.field))strtoull(value, NULL, 0);                       \
        return;                                                                                    \
    }
    NUMBERS(SET)
#undef SET
    if (strcmp(name, "chip") == 0) {
        (void)snprintf(control.chip, sizeof(control.chip), "%s", value);
    } else if (strcmp(name, "lacking") == 0) {
        (void)snprintf(control.lacking, sizeof(control.lacking), "%s", value);
    } else if (strcmp(name, "fail") == 0) {
        struct pm_double_fail *fail = control.fail;
        while (fail->function[0] != '\0' && fail < control.fail + PM_DOUBLE_FAILS - 1)
            fail++;
        int n = -1;
        (void)sscanf(value, "%63[^:]:%d:%d", fail->function, &fail->code, &n);
        fail->n = n;
    } else {
        (void)fprintf(stderr, "RF_PM_DOUBLE: there is no '%s'\n", name);
        abort();
    }
}

static void set_all(const char *settings)
{
    char *copy = strdup(settings), *rest = NULL;
    for (char *item = strtok_r(copy, ",", &rest); item != NULL; item = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(item, '=');
        if (equals != NULL)
            *equals = '\0';
        set(item, equals != NULL ? equals + 1 : "1");
    }
    free(copy);
}

static struct pm_double pristine;

static void set_up(void)
{
    const char *text = getenv("RF_DOUBLE_CUPTI_VERSION");
    if (text != NULL)
        version = (uint32_t)strtoul(text, NULL, 0);
    const char *settings = getenv("RF_PM_DOUBLE");
    set_all(settings != NULL ? settings : "");
    pristine = control;
}

PM_DOUBLE_EXPORT struct pm_double *pm_double(void)
{
    (void)pthread_once(&once, set_up);
    return &control;
}

void pm_double_reset(const char *settings)
{
    (void)pm_double();
    control = pristine;
    set_all(settings);
}

void pm_double_set(const char *settings)
{
    (void)pm_double();
    set_all(settings);
}

#define COUNTS(X)                                                                                  \
    X(violations)                                                                                  \
    X(initialized)                                                                                 \
    X(enables)                                                                                     \
    X(disables)                                                                                    \
    X(decodes)                                                                                     \
    X(hosts_open)                                                                                  \
    X(objects_open)                                                                                \
    X(evaluations)

unsigned pm_double_count(const char *name)
{
#define COUNT(field)                                                                               \
    if (strcmp(name, #field) == 0)                                                                 \
        return control.field;
    COUNTS(COUNT)
#undef COUNT
    (void)fprintf(stderr, "pm_double_count: there is no '%s'\n", name);
    abort();
}

uint32_t pm_double_version(void)
{
    (void)pm_double();
    return version;
}

/* ---- Rules ---- */

static int find_fail(const char *function)
{
    for (size_t i = 0; i < PM_DOUBLE_FAILS; i++) {
        struct pm_double_fail *fail = &control.fail[i];
        if (strcmp(fail->function, function) == 0 && fail->n != 0) {
            fail->n -= fail->n > 0;
            return fail->code;
        }
    }
    return 0;
}

int pm_double_enter(const char *function, const void *params, const size_t *sizes, size_t n)
{
    const struct pm_params *head = params;
    bool is_right = false;
    (void)pm_double();
    if (head->priv != NULL)
        pm_double_violation("%s: pPriv is not NULL", function);
    for (size_t i = 0; i < n; i++)
        is_right = is_right || head->struct_size == sizes[i];
    if (is_right)
        return find_fail(function);
    /* before CUPTI 12.8 there is no other way than to try, and that size is allowed to be wrong */
    if (strcmp(function, "cuptiPmSamplingSetConfig") != 0)
        pm_double_violation("%s: structSize is %zu", function, head->struct_size);
    return PM_INVALID_PARAMETER;
}

__attribute__((destructor)) static void check_end(void)
{
    if (control.objects_open > 0)
        pm_double_violation("the end: %u devices are enabled still", control.objects_open);
    if (control.initialized > 0)
        pm_double_violation("the end: ProfilerInitialize without DeInitialize");
}
