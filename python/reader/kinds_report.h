/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_KINDS_REPORT_H
#define RF_READER_KINDS_REPORT_H

#include "with_python.h"

#include "shared_recording.h"

/* Computes a report of a recording. NULL with an exception. */
PyObject *report_rows_new(const struct recording *recording, const char *name, bool by_process,
                          const char *group_by, const char *quantiles, bool fold_numbers,
                          const char *step);

#endif
