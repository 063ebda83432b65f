/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_RECORD_PROCESS_MAKE_FILES_H
#define RF_RECORD_PROCESS_MAKE_FILES_H

#include "record/recorder.h"

/* Takes the next process number of the session, and makes and maps the files of this process.
 * False: it cannot be recorded, which was reported. */
bool rf_make_files(void);

#endif
