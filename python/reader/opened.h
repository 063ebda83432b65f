/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_OPENED_H
#define RF_READER_OPENED_H

#include "with_python.h"

extern PyTypeObject opened_type;

#endif
