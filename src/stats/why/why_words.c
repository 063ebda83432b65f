/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/why/why_words.h"

#include <stdbool.h>

#include "base/escape.h"

void rf_why_put_where(struct rf_sink *sink, const struct rf_why_cause *cause)
{
    bool is_inside = cause->path[0] != '\0';
    static const char *const before[] = {
        [RF_WHY_RANGE] = "in what is in ",
        [RF_WHY_SELF] = "in ",
        [RF_WHY_CALL] = "in ",
        [RF_WHY_GAP] = "before ",
        [RF_WHY_GAPS] = "between the ranges in it, and around them",
        [RF_WHY_MORE] = "in ",
    };
    rf_sink_text(sink, before[cause->part]);
    if (cause->part == RF_WHY_CALL) {
        rf_sink_quoted(sink, cause->call);
        rf_sink_text(sink, is_inside ? ", called in " : ", called in it directly");
    }
    if (cause->part == RF_WHY_GAP && !is_inside)
        rf_sink_text(sink, "its end, after the last range in it");
    else if (is_inside)
        rf_sink_quoted(sink, cause->path);
    else if (cause->part == RF_WHY_SELF || cause->part == RF_WHY_RANGE)
        rf_sink_text(sink, "the range itself");
    if (cause->part == RF_WHY_SELF)
        rf_sink_text(sink, is_inside ? " itself" : "");
}
