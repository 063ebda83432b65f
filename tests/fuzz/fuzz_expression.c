/* SPDX-License-Identifier: Apache-2.0 */
/* The input is what --nvtx-color-scheme is given: JSON, and in it regular expressions. What is
 * accepted must end soon, on any name: with an answer, or an error. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "export/chrome/export_nsys2json_colors.h"

#define MAX_SIZE 4096 /* every expression may take its time */

static void find(const struct rf_color_scheme *scheme, const char *name)
{
    const struct rf_color *color;
    struct rf_err err = {.code = RF_OK};
    int status = rf_color_scheme_find(scheme, name, strlen(name), &color, &err);
    if (status != err.code || (status != RF_OK && (err.text[0] == '\0' || color != NULL)) ||
        (color != NULL && color->value == NULL))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char name[20000]; /* one that no repetition gets enough of */
    struct rf_color_scheme scheme;
    struct rf_err err;
    char *json = malloc(size + 1);
    if (json == NULL || size > MAX_SIZE) {
        free(json);
        return 0;
    }
    memcpy(json, data, size);
    json[size] = '\0';
    memset(name, 'a', sizeof(name) - 2);
    int status = rf_color_scheme_init(&scheme, json, &err);
    if (status == RF_OK) {
        find(&scheme, "");
        find(&scheme, "step 12: \xc3\xa9\xff(]");
        find(&scheme, name);
        find(&scheme, json);
    } else if (err.code != status || err.text[0] == '\0') {
        abort();
    }
    rf_color_scheme_release(&scheme);
    free(json);
    return 0;
}
