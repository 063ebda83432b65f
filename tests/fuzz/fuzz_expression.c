/* SPDX-License-Identifier: Apache-2.0 */
/* The input is what --nvtx-color-scheme is given: JSON, and in it regular expressions. What is
 * accepted must end soon, on any name. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "export/export_nsys2json_colors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char name[20000]; /* one that no repetition gets enough of */
    struct rf_color_scheme scheme;
    struct rf_err err;
    char *json = malloc(size + 1);
    if (json == NULL)
        return 0;
    memcpy(json, data, size);
    json[size] = '\0';
    memset(name, 'a', sizeof(name) - 2);
    int status = rf_color_scheme_init(&scheme, json, &err);
    if (status == RF_OK) {
        (void)rf_color_scheme_find(&scheme, "");
        (void)rf_color_scheme_find(&scheme, "step 12: \xc3\xa9\xff(]");
        (void)rf_color_scheme_find(&scheme, name);
        (void)rf_color_scheme_find(&scheme, json);
    } else if (err.code != status || err.text[0] == '\0') {
        abort();
    }
    rf_color_scheme_release(&scheme);
    free(json);
    return 0;
}
