/* SPDX-License-Identifier: Apache-2.0 */
/* Making the best of a damaged recording: records before and after the damage stay, and what is
 * gone is counted, as far as it can be told. */
#ifndef RF_LOG_MEND_H
#define RF_LOG_MEND_H

#include <stdbool.h>

#include "log/reader.h"

/* Whether turning one bit of the bytes gives them this checksum: their copy has it turned. Of
 * damage to more bits one in some thousands looks as if it were to one; what the records look like
 * then says the rest. */
bool rf_mend_bit(uint8_t *copy, size_t size, uint32_t crc32c);

/* Part i of a log is not whole: it becomes a copy that has a LOST record where it cannot be read,
 * and log->damage says what that took. A part that can be read to its end stays as it is. Returns
 * RF_ERR_NO_MEMORY, or 0. */
int rf_mend_part(struct rf_log *log, size_t i);

/* All parts of a log that are known to be cut or damaged; and counts those that are missing. */
int rf_mend_parts(struct rf_log *log);

/* Says in the control page what log->damage says and was not said there before. */
void rf_mend_report(struct rf_log *log);

#endif
