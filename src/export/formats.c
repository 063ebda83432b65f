/* SPDX-License-Identifier: Apache-2.0 */
#include "export/formats.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"

/* To add a format: a file below src/export (src/page, where it shows tables) with `const struct
 * rf_export_format rf_export_NAME`, and a line here. `tests/docs/lists.py --write` then makes the
 * lists in the documents, and `tests/export/golden.sh -u` the expected outputs. The first format is
 * the default. */
#define RF_EXPORT_FORMATS(X)                                                                       \
    X(sqlite)                                                                                      \
    X(json)                                                                                        \
    X(perfetto)                                                                                    \
    X(fxt)                                                                                         \
    X(jsonl)                                                                                       \
    X(csv)                                                                                         \
    X(folded)                                                                                      \
    X(speedscope)                                                                                  \
    X(html)                                                                                        \
    X(text)

#define DECLARE(name) extern const struct rf_export_format rf_export_##name;
RF_EXPORT_FORMATS(DECLARE)

#define ADDRESS(name) &rf_export_##name,
static const struct rf_export_format *const formats[] = {RF_EXPORT_FORMATS(ADDRESS)};

#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

const char *rf_export_format_at(size_t i, const char **description)
{
    if (i >= N_FORMATS)
        return NULL;
    if (description != NULL)
        *description = formats[i]->description;
    return formats[i]->name;
}

static const struct rf_export_format *find_format(const char *name)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (name != NULL && strcmp(name, formats[i]->name) == 0)
            return formats[i];
    return NULL;
}

/* Whether the first size bytes of path are a name that ends in ".EXTENSION". */
static bool has_extension(const char *path, size_t size, const char *extension)
{
    size_t length = strlen(extension);
    return size > length + 1 && path[size - length - 1] == '.' &&
           memcmp(path + size - length, extension, length) == 0;
}

const char *rf_export_format_of(const char *path)
{
    size_t size = path != NULL ? strlen(path) : 0;
    if (path == NULL)
        return NULL;
    if (has_extension(path, size, "gz"))
        size -= strlen(".gz");
    size_t longest = 0; /* speedscope.json is not json */
    const char *name = NULL;
    for (size_t i = 0; i < N_FORMATS; i++)
        for (const char *const *extension = formats[i]->extensions; *extension != NULL; extension++)
            if (strlen(*extension) > longest && has_extension(path, size, *extension)) {
                longest = strlen(*extension);
                name = formats[i]->name;
            }
    return name;
}

const char *rf_export_extension(const char *name)
{
    const struct rf_export_format *format = find_format(name);
    return format != NULL ? format->extensions[0] : NULL;
}

int rf_export_is_trace(const char *name)
{
    const struct rf_export_format *format = find_format(name);
    return format != NULL && format->is_trace;
}

const struct rf_export_format *rf_export_find(const char *name, struct rf_err *err)
{
    const struct rf_export_format *format = find_format(name);
    const char *names[N_FORMATS];
    char list[128] = "";
    if (format != NULL)
        return format;
    for (size_t i = 0; i < N_FORMATS; i++) {
        names[i] = formats[i]->name;
        (void)strncat(list, i > 0 ? ", " : "", sizeof(list) - strlen(list) - 1);
        (void)strncat(list, names[i], sizeof(list) - strlen(list) - 1);
    }
    const char *nearest = name != NULL ? rf_nearest_name(name, names, N_FORMATS) : NULL;
    (void)rf_fail(err, RF_ERR_USAGE, "unknown export format '%.100s': %s%s%sthe formats are %s",
                  name != NULL ? name : "", nearest != NULL ? "did you mean '" : "",
                  nearest != NULL ? nearest : "", nearest != NULL ? "'? " : "", list);
    return NULL;
}
