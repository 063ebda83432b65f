/* SPDX-License-Identifier: Apache-2.0 */
#include "record/stream/writer.h"

struct rf_writer rf_no_writer;
__thread struct rf_writer *rf_tls_writer = &rf_no_writer;
