/* SPDX-License-Identifier: Apache-2.0 */
#include "record/recorder.h"

#include "log/product_mark.h"

struct rf_recorder rf_recorder;

/* Read from the file by the command line, which refuses the recorder of another version. */
__attribute__((used)) static const char product[] = RF_PRODUCT_MARK RF_PRODUCT_VERSION;
