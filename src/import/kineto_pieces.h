/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a trace in pieces, which threads read ahead and take apart. A piece ends where an
 * event seems to end: that is a guess, made without knowing what is before, so that pieces can be
 * taken apart side by side. The caller, who goes through them in order, sees whether it was right:
 * the part of a piece counts if the piece before it was used up to its end, inside of the array of
 * events. Otherwise the caller reads the text itself. */
#ifndef RF_IMPORT_KINETO_PIECES_H
#define RF_IMPORT_KINETO_PIECES_H

#include "import/kineto_input.h"
#include "import/kineto_part.h"

struct kineto_pieces;

struct kineto_piece {
    char *text; /* KINETO_PADDING bytes are behind it */
    size_t size, room;
    uint64_t offset; /* of the text in the file, unpacked */
    int status;      /* of reading what is behind the text; then it is the last one */
    struct rf_err err;
    bool is_last;
    uint8_t state;
    struct kineto_part part;
};

/* How a file is read; what comes of it is the same. */
struct kineto_way {
    size_t piece_size;  /* bytes; an event that is longer makes its piece longer */
    unsigned n_workers; /* threads that take pieces apart, besides the caller and one that reads; 0:
                         * the caller does it all */
};

/* A way that suits the file. */
struct kineto_way kineto_way_of(const struct kineto_input *input);

/* Begins to read. input and strings (see kineto_part_read()) outlive the pieces. Returns NULL when
 * out of memory. */
struct kineto_pieces *kineto_pieces_new(struct kineto_input *input,
                                        const struct rf_strings *strings,
                                        const struct kineto_way *way);

/* Waits for the next piece; the one before is gone. NULL: there are no more. */
struct kineto_piece *kineto_pieces_next(struct kineto_pieces *pieces);

/* The events of the piece that came last, as if it began inside of the array. Waits for them. */
const struct kineto_part *kineto_pieces_part(struct kineto_pieces *pieces);

/* Whether offsets are of the unpacked text. */
bool kineto_pieces_is_packed(const struct kineto_pieces *pieces);

/* Ends the threads. NULL is accepted. */
void kineto_pieces_free(struct kineto_pieces *pieces);

#endif
