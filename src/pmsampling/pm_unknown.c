/* SPDX-License-Identifier: Apache-2.0 */
/* The error that names metrics which cannot be sampled: those that CUPTI does not describe, with
 * what they may mean, and those that it describes and refuses. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "pmsampling/pm_chip.h"
#include "pmsampling/pm_error.h"

#define ROOM_FOR_ONE 600

struct text {
    char text[1600];
    size_t n;
};

struct saying {
    struct rf_pm_chip *chip;
    struct text unknown, refused;
    struct rf_pm_error refusal; /* what CUPTI said of the last refused one */
    size_t n_unsaid;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(out->text + out->n, sizeof(out->text) - out->n, format, args);
    va_end(args);
    out->n = n < 0 || out->n + (size_t)n >= sizeof(out->text) ? sizeof(out->text) - 1
                                                              : out->n + (size_t)n;
}

static void say_unknown(struct saying *s, const char *metric)
{
    const char *nearest[RF_PM_NEAREST];
    struct text *out = &s->unknown;
    int n = pm_chip_nearest(s->chip, metric, nearest, NULL);
    say(out, "%s'%.200s'", out->n > 0 ? ", " : "", metric);
    for (int i = 0; i < n; i++)
        say(out, "%s'%s'%s",
            i == 0      ? " (did you mean "
            : i + 1 < n ? ", "
                        : " or ",
            nearest[i], i + 1 == n ? "?)" : "");
}

static bool can_configure(const struct pm_host_kind *kind, const char *metric,
                          struct rf_pm_error *err)
{
    struct pm_config_image image;
    int status = pm_host_configure(kind, &metric, 1, &image, err);
    free(image.bytes);
    return status == RF_PM_OK;
}

/* Some metrics need counters that the chip has and this GPU has not. */
static void say_refused(struct saying *s, const char *metric)
{
    struct pm_host_kind kind = pm_chip_host_kind(s->chip, NULL);
    bool fits = can_configure(&kind, metric, &s->refusal);
    kind.availability = NULL;
    say(&s->refused, "%s'%.200s' (%s)", s->refused.n > 0 ? ", " : "", metric,
        fits                                 ? "not in this single-pass set"
        : can_configure(&kind, metric, NULL) ? "this GPU lacks its counters"
                                             : "CUPTI does not take it");
}

static void say_metric(struct saying *s, const char *metric)
{
    if (s->unknown.n + s->refused.n + ROOM_FOR_ONE >= sizeof(s->unknown.text))
        s->n_unsaid++;
    else if (pm_host_knows(&s->chip->host, metric))
        say_refused(s, metric);
    else
        say_unknown(s, metric);
}

int pm_chip_fail_unknown(struct rf_pm_chip *chip, const char *const *metrics, const uint8_t *fit,
                         size_t n, struct rf_pm_error *err)
{
    struct saying s = {.chip = chip};
    char more[48] = "";
    for (size_t i = 0; i < n; i++) {
        if (fit[i] == RF_PM_UNKNOWN)
            say_metric(&s, metrics[i]);
    }
    if (s.n_unsaid > 0)
        (void)snprintf(more, sizeof(more), " and %zu more", s.n_unsaid);
    if (s.unknown.n == 0 && s.refusal.cupti != 0)
        return pm_fail_cupti(err, RF_PM_ERR_METRIC, s.refusal.cupti, s.refusal.function,
                             "%s cannot sample %s%s", chip->name, s.refused.text, more);
    return pm_fail_cupti(err, RF_PM_ERR_METRIC, PM_INVALID_METRIC_NAME,
                         "cuptiProfilerHostGetMetricProperties", "%s has no metric %s%s%s%s",
                         chip->name, s.unknown.text, s.refused.n > 0 ? ", and cannot sample " : "",
                         s.refused.text, more);
}
