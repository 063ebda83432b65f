/* SPDX-License-Identifier: Apache-2.0 */
/* What `rangefinder gpu-metrics` prints, as text for people or as JSON. All of it needs libcupti
 * and no GPU, but for gpu_metrics_print_sets(), which needs neither. The functions return an exit
 * status, after a message where it is not CLI_OK. */
#ifndef RF_CLI_GPU_METRICS_GPU_METRICS_H
#define RF_CLI_GPU_METRICS_GPU_METRICS_H

#include <stddef.h>

#include "base/sink.h"
#include "rangefinder/pm_sampling.h"

/* ---- What is meant ---- */

/* Opens the chip of this name. NULL: that of the machine's first GPU, or, where there is none, the
 * first of the set (which may be NULL) that CUPTI knows. */
int gpu_metrics_open_chip(const char *name, const struct rf_pm_set *set, rf_pm_chip **chip);

/* The set of ours with this name; *out is NULL where there is none, which may then be one of
 * CUPTI's. CLI_FAILED: it is nearly the name of one of ours. */
int gpu_metrics_find_set(const char *name, const struct rf_pm_set **out);

/* Says what is wrong. Returns CLI_FAILED. */
int gpu_metrics_fail(const struct rf_pm_error *err);

/* ---- What is printed ---- */

/* The metrics whose names match a pattern (* and ?, or a part of a name; case does not matter) with
 * all that is known of each; NULL: all names. A metric with a submetric: that one. */
int gpu_metrics_print_list(rf_pm_chip *chip, const char *pattern, int is_json);

/* The sets of all families. */
int gpu_metrics_print_sets(int is_json);

/* A set, and what of it a chip has. set: NULL where the name is one of CUPTI's own sets. */
int gpu_metrics_print_set(rf_pm_chip *chip, const struct rf_pm_set *set, const char *name,
                          int is_json);

/* Whether metrics fit in one pass: CLI_OK; if not, CLI_FAILED. */
int gpu_metrics_print_check(rf_pm_chip *chip, const char *const *metrics, size_t n, int is_json);

/* ---- Recording ---- */

/* gpu-metrics record; argv: what follows. */
int gpu_metrics_record(int argc, char **argv);

/* ---- Standard output ---- */

/* Returns CLI_OK, or CLI_FAILED after a message. */
int gpu_metrics_open_output(struct rf_sink *sink);

/* Writes what is left, and frees. Returns status. */
int gpu_metrics_close_output(struct rf_sink *sink, int status);

/* "key": "text" */
void gpu_metrics_put_member(struct rf_sink *sink, const char *key, const char *text);

/* "key": ["text", ...] */
void gpu_metrics_put_array(struct rf_sink *sink, const char *key, const char *const *texts,
                           size_t n);

/* The text in a column of this width, and at least one space. */
void gpu_metrics_put_cell(struct rf_sink *sink, const char *text, size_t width);

/* The number with its noun: "1 pass", "2 passes". */
void gpu_metrics_put_count(struct rf_sink *sink, size_t n, const char *one, const char *many);

#endif
