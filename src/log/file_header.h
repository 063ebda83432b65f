/* SPDX-License-Identifier: Apache-2.0 */
/* The header of every file of a session. Header-only, because the recorder and the command line
 * both make files. */
#ifndef RF_LOG_FILE_HEADER_H
#define RF_LOG_FILE_HEADER_H

#include <string.h>

#include "log/layout.h"

static inline struct rf_file_header rf_file_header_of(const struct rf_control *control)
{
    struct rf_file_header header = {.version_major = RF_FORMAT_MAJOR,
                                    .version_minor = RF_FORMAT_MINOR,
                                    .header_size = sizeof(header)};
    if (control->version == RF_FORMAT_COMPRESSED) {
        header.version_major = RF_FORMAT_COMPRESSED;
        header.version_minor = RF_FORMAT_COMPRESSED_MINOR;
    }
    memcpy(header.magic, RF_FILE_MAGIC, sizeof(header.magic));
    memcpy(header.session_id, control->session_id, sizeof(header.session_id));
    return header;
}

#endif
