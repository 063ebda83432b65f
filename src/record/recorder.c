/* SPDX-License-Identifier: Apache-2.0 */
#include "record/recorder.h"

struct rf_recorder rf_recorder;
