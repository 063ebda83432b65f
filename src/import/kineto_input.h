/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a file, unpacked where it is compressed by gzip. */
#ifndef RF_IMPORT_KINETO_INPUT_H
#define RF_IMPORT_KINETO_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "rangefinder/rangefinder.h"

struct kineto_input {
    const char *path;
    int fd;
    bool is_packed;
    bool is_in_member; /* of gzip: its end was not read */
    bool is_ended;
    uint64_t size_bytes; /* of the file, when it was opened */
    uint64_t n_read;     /* bytes of the file so far */
    uint64_t n_unpacked; /* bytes that came out of them */
    uint8_t *packed;
    z_stream inflater;
};

/* To be closed even if it fails. */
int kineto_input_open(struct kineto_input *input, const char *path, struct rf_err *err);
void kineto_input_close(struct kineto_input *input);

/* Reads up to `room` bytes; *n is less only at the end, and 0 behind it. What was read before an
 * error counts too. */
int kineto_input_read(struct kineto_input *input, char *to, size_t room, size_t *n,
                      struct rf_err *err);

#endif
