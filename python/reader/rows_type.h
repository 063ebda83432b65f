/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_ROWS_TYPE_H
#define RF_READER_ROWS_TYPE_H

#include "with_python.h"

extern PyTypeObject rows_type;

#endif
