/* SPDX-License-Identifier: Apache-2.0 */
/* rf_open(): which reader a file is for. */
#include "model/model.h"

int rf_open(const char *path, unsigned flags, rf_recording **out, struct rf_err *err)
{
    return rf_recording_open(path, flags, out, err);
}
