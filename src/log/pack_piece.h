/* SPDX-License-Identifier: Apache-2.0 */
/* Packing what a session has recorded since its last piece, while it goes on. */
#ifndef RF_LOG_PACK_PIECE_H
#define RF_LOG_PACK_PIECE_H

#include "log/pack.h"

/* Makes the next piece of a session that is written to files one after another, and takes what it
 * has out of the session. control: the session's own page. The file appears under the name output
 * when all is done. *is_empty: nothing was recorded, and no file was made. A program that is
 * killed, or we, at any moment leave each record in one piece or in the session. While somebody
 * reads the session it waits, for a while. *packed is filled where a file was made. */
int rf_pack_piece(const char *session_dir, struct rf_control *control, const char *output,
                  bool can_overwrite, struct rf_packed *packed, bool *is_empty, struct rf_err *err);

/* Drops the oldest that was recorded since the last piece, until about keep_bytes are left, as if a
 * piece had been made of it and removed: it takes the number of one. *packed: how many records and
 * bytes went. */
int rf_drop_piece(const char *session_dir, struct rf_control *control, uint64_t keep_bytes,
                  struct rf_packed *packed, struct rf_err *err);

/* The number of a complete piece that has no name yet, because its writer could not give it one or
 * was killed; 0: there is none. One that is not complete is removed. */
uint32_t rf_find_piece(const char *session_dir);

/* Gives it its name. RF_ERR_EXISTS: another file has it. */
int rf_name_piece(const char *session_dir, uint32_t number, const char *output, bool can_overwrite,
                  struct rf_err *err);

#endif
