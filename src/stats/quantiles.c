/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/quantiles.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define MAX_DECIMALS 6
#define PERCENT      1000000u /* parts */

/* "99.9" of size bytes as parts. */
static bool parse_percent(const char *text, size_t size, uint64_t *parts)
{
    uint64_t value = 0;
    size_t n_decimals = 0, n_digits = 0;
    bool has_point = false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9' || ++n_digits > 9 || n_decimals == MAX_DECIMALS)
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
        n_decimals += has_point;
    }
    for (; n_decimals < MAX_DECIMALS; n_decimals++)
        value *= 10;
    *parts = value;
    return n_digits > 0 && value <= 100 * (uint64_t)PERCENT;
}

/* Without zeros at the end: 50.0 is "50". */
static void set_label(char label[16], uint64_t parts)
{
    int n =
        snprintf(label, 16, "%u.%06u", (unsigned)(parts / PERCENT), (unsigned)(parts % PERCENT));
    while (label[n - 1] == '0')
        label[--n] = '\0';
    if (label[n - 1] == '.')
        label[n - 1] = '\0';
}

static bool has_parts(const struct rf_quantiles *quantiles, uint64_t parts)
{
    for (size_t i = 0; i < quantiles->n; i++)
        if (quantiles->parts[i] == parts)
            return true;
    return false;
}

int rf_quantiles_parse(struct rf_quantiles *quantiles, const char *text, struct rf_err *err)
{
    quantiles->n = 0;
    while (text != NULL) {
        size_t size = strcspn(text, ",");
        uint64_t parts;
        while (size > 0 && *text == ' ') {
            text++;
            size--;
        }
        if (!parse_percent(text, size, &parts))
            return rf_fail(
                err, RF_ERR_USAGE,
                "'%.*s' is no quantile: a number from 0 to 100, with at most %d decimals",
                (int)(size < 40 ? size : 40), text, MAX_DECIMALS);
        if (has_parts(quantiles, parts))
            return rf_fail(err, RF_ERR_USAGE, "the quantile %.*s is asked for twice", (int)size,
                           text);
        if (quantiles->n == RF_MAX_QUANTILES)
            return rf_fail(err, RF_ERR_USAGE, "more than %d quantiles", RF_MAX_QUANTILES);
        set_label(quantiles->label[quantiles->n], parts);
        quantiles->parts[quantiles->n++] = parts;
        text = text[size] == ',' ? text + size + 1 : NULL;
    }
    return RF_OK;
}

uint64_t rf_quantile_rank(const struct rf_quantiles *quantiles, size_t i, uint64_t n)
{
    const unsigned __int128 whole = 100 * (uint64_t)PERCENT;
    const unsigned __int128 above =
        (n * (unsigned __int128)quantiles->parts[i] + whole - 1) / whole;
    return above > 0 ? (uint64_t)above - 1 : 0;
}
