/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/report_arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "stats/report_list.h"
#include "stats/report_refusals.h"

#define MAX_NAMES 64 /* among which a nearest one is looked for */

/* The names of the arguments, by what a report must be able to do for them. */
static const struct {
    const char *name;
    unsigned can; /* enum rf_report_can; 0: every report can */
    const char *meaning;
} known[] = {
    {"base", RF_CAN_NAME_KERNELS, "names of kernels without namespaces and parameters"},
    {"mangled", RF_CAN_NAME_KERNELS, "names of kernels as the compiler wrote them, where known"},
    {"nvtx-name", RF_CAN_NAME_RANGES,
     "names of kernels after that of the innermost range around their launch, as in step/gemm"},
    {"ticks_threshold=N", RF_CAN_THRESHOLD,
     "only what waited for more than N ticks per millisecond, 10000 without it"},
    {"gap=TIME", RF_CAN_GAP,
     "only gaps of this time or longer, as in gap=20us, 2ms, 1s; 10us without it"},
    {"rows=N", 0, "the first N rows"},
};
#define N_KNOWN (sizeof(known) / sizeof(known[0]))

const char *rf_report_argument_at(const char *name, size_t i, const char **meaning)
{
    const struct rf_report *report = rf_report_list_find(name);
    for (size_t k = 0; report != NULL && k < N_KNOWN; k++) {
        if ((report->can & known[k].can) != known[k].can || i-- > 0)
            continue;
        if (meaning != NULL)
            *meaning = known[k].meaning;
        return known[k].name;
    }
    return NULL;
}

static int fail_report(const char *name, struct rf_err *err)
{
    const char *names[MAX_NAMES];
    size_t n = 0;
    const char *why = rf_report_refusal(name);
    if (why != NULL)
        return rf_fail(err, RF_ERR_USAGE, "no report '%.100s': %s", name, why);
    while (n < MAX_NAMES && (names[n] = rf_report_at(n, NULL)) != NULL)
        n++;
    const char *nearest = rf_nearest_name(name, names, n);
    if (nearest != NULL)
        return rf_fail(err, RF_ERR_USAGE, "unknown report '%.100s'; did you mean '%s'?", name,
                       nearest);
    return rf_fail(err, RF_ERR_USAGE,
                   "unknown report '%.100s'; 'rangefinder stats --help-reports' lists the reports",
                   name);
}

static int fail_argument(const struct rf_report *report, const char *word, struct rf_err *err)
{
    char list[128] = "";
    const char *name;
    for (size_t i = 0; (name = rf_report_argument_at(report->name, i, NULL)) != NULL; i++) {
        (void)strncat(list, i > 0 ? ", " : "", sizeof(list) - strlen(list) - 1);
        (void)strncat(list, name, sizeof(list) - strlen(list) - 1);
    }
    return rf_fail(err, RF_ERR_USAGE, "the report %s has no argument '%.60s'; it has: %s",
                   report->name, word, list);
}

/* false: the text is no number. */
static bool read_number(const char *text, uint64_t *number)
{
    char *end;
    if (*text < '0' || *text > '9' || strlen(text) > 18)
        return false;
    *number = strtoull(text, &end, 10);
    return *end == '\0';
}

/* "20us", in nanoseconds without a unit. false: the text is no time. */
static bool read_time(const char *text, uint64_t *ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    const size_t n_digits = strspn(text, "0123456789");
    char digits[20];
    if (n_digits >= sizeof(digits))
        return false;
    (void)snprintf(digits, sizeof(digits), "%.*s", (int)n_digits, text);
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(text + n_digits, units[i].name) == 0)
            return read_number(digits, ns) && !__builtin_mul_overflow(*ns, units[i].ns, ns);
    return false;
}

static int read_argument(const char *word, struct rf_report_arguments *out, struct rf_err *err)
{
    bool can_name = (out->report->can & RF_CAN_NAME_KERNELS) != 0;
    const bool is_rows = strncmp(word, "rows=", 5) == 0;
    const bool is_threshold =
        strncmp(word, "ticks_threshold=", 16) == 0 || strncmp(word, "gap=", 4) == 0;
    if ((is_rows && out->has_rows) || (is_threshold && out->threshold != RF_NO_ID))
        return rf_fail(err, RF_ERR_USAGE, "the report %s has '%.*s' twice", out->report->name,
                       (int)strcspn(word, "=") + 1, word);
    if (is_rows) {
        out->has_rows = true;
        if (!read_number(word + 5, &out->max_rows) || out->max_rows == 0)
            return rf_fail(err, RF_ERR_USAGE, "'%.60s' of the report %s is no number from 1 on",
                           word, out->report->name);
    } else if (can_name && (strcmp(word, "base") == 0 || strcmp(word, "mangled") == 0)) {
        enum rf_kernel_naming naming = word[0] == 'b' ? RF_NAME_BASE : RF_NAME_MANGLED;
        if (out->kernel_naming != RF_NAME_DEMANGLED && out->kernel_naming != naming)
            return rf_fail(err, RF_ERR_USAGE,
                           "'base' and 'mangled' of the report %s exclude each other",
                           out->report->name);
        out->kernel_naming = naming;
    } else if ((out->report->can & RF_CAN_THRESHOLD) != 0 &&
               strncmp(word, "ticks_threshold=", 16) == 0) {
        if (!read_number(word + 16, &out->threshold))
            return rf_fail(err, RF_ERR_USAGE, "'%.60s' of the report %s is no number", word,
                           out->report->name);
    } else if ((out->report->can & RF_CAN_GAP) != 0 && strncmp(word, "gap=", 4) == 0) {
        if (!read_time(word + 4, &out->threshold))
            return rf_fail(err, RF_ERR_USAGE,
                           "'%.60s' of the report %s is no time such as 20us, 2ms or 1s", word,
                           out->report->name);
    } else if ((out->report->can & RF_CAN_NAME_RANGES) != 0 && strcmp(word, "nvtx-name") == 0) {
        out->with_ranges = true;
    } else {
        return fail_argument(out->report, word, err);
    }
    return RF_OK;
}

int rf_report_arguments_read(const char *request, struct rf_report_arguments *out,
                             struct rf_err *err)
{
    char word[64];
    const char *p = request != NULL ? request : "";
    int status = RF_OK;
    *out = (struct rf_report_arguments){.report = rf_report_list_find(p), .threshold = RF_NO_ID};
    if (out->report == NULL)
        return fail_report(p, err);
    out->max_rows = out->report->max_rows;
    for (p += strcspn(p, ":"); *p == ':' && status == RF_OK; p += strcspn(p, ":")) {
        p++;
        (void)snprintf(word, sizeof(word), "%.*s", (int)strcspn(p, ":"), p);
        status = read_argument(word, out, err);
    }
    return status;
}

int rf_report_parse(const char *request, struct rf_err *err)
{
    struct rf_report_arguments ignored;
    return rf_report_arguments_read(request, &ignored, err);
}
