/* SPDX-License-Identifier: Apache-2.0 */
#include "record/stream/thread_record.h"

#include <sys/prctl.h>

#include "record/clock.h"
#include "record/process/confined.h"

void rf_write_thread_record(struct rf_writer *writer, uint32_t type)
{
    uint8_t *end = rf_writer_begin(writer);
    uint64_t *record = (uint64_t *)(void *)writer->cursor;
    record[1] = writer->tid | (uint64_t)writer->serial << 32;
    record[2] = record[3] = 0;
    if (rf_recorder.has_filter)
        rf_confined_thread_name((char *)(record + 2));
    else
        (void)RF_SYSCALL4(SYS_prctl, PR_GET_NAME, record + 2, 0, 0);
    rf_publish(writer, end, rf_head(rf_now(), type, 4), 4);
}
