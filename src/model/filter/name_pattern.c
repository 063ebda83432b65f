/* SPDX-License-Identifier: Apache-2.0 */
#include "model/filter/name_pattern.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/wildcard.h"
#include "model/filter/expression.h"
#include "model/recording.h"

int rf_name_pattern_init(struct rf_name_pattern *pattern, const rf_recording *rec, const char *text,
                         struct rf_err *err)
{
    size_t n = strlen(text);
    pattern->text = text;
    pattern->known = calloc((size_t)rf_n_strings(rec) + 1, 1);
    if (pattern->known == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    if (n < 2 || text[0] != '/' || text[n - 1] != '/')
        return RF_OK;
    char *inner = strndup(text + 1, n - 2);
    if (inner == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    int status = rf_expression_new(&pattern->expression, inner, err);
    free(inner);
    return status;
}

int rf_name_search(const struct rf_name_pattern *pattern, const char *text, size_t size,
                   struct rf_err *err)
{
    return pattern->expression != NULL ? rf_expression_find(pattern->expression, text, size, err)
                                       : rf_wildcard_fits(pattern->text, text, size, false);
}

bool rf_name_fits(struct rf_name_pattern *pattern, const rf_recording *rec, uint32_t name)
{
    if (pattern->text == NULL)
        return true;
    size_t size;
    const char *text = rf_string(rec, name, &size);
    if (text == NULL || pattern->failed.code != RF_OK)
        return false;
    if (pattern->known[name] == 0) {
        const int fits = rf_name_search(pattern, text, size, &pattern->failed);
        pattern->known[name] = fits > 0 ? 1 : 2;
    }
    return pattern->known[name] == 1;
}
