/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the nsys2json form makes of each line: a number as a time, anything else as text.
 * numbers.py compares with Python. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "export/chrome/python_micros.h"

static int print(void *context, const void *data, size_t size, struct rf_err *err)
{
    (void)context;
    (void)err;
    return fwrite(data, 1, size, stdout) == size ? RF_OK : RF_ERR_IO;
}

int main(void)
{
    char *line = NULL, *end;
    size_t room = 0;
    ssize_t n;
    struct rf_sink sink;
    if (rf_sink_init(&sink, print, NULL, NULL) != RF_OK)
        return 1;
    while ((n = getline(&line, &room, stdin)) > 0) {
        line[--n] = '\0';
        int64_t number = strtoll(line, &end, 10);
        if (n > 0 && *end == '\0')
            rf_sink_python_micros(&sink, number);
        else
            rf_sink_json_ascii(&sink, line, (size_t)n);
        rf_sink_char(&sink, '\n');
    }
    int status = rf_sink_finish(&sink);
    rf_sink_release(&sink);
    free(line);
    return status == RF_OK ? 0 : 1;
}
