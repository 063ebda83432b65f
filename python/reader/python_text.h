/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_PYTHON_TEXT_H
#define RF_READER_PYTHON_TEXT_H

#include "with_python.h"

#include "shared_recording.h"

/* Text as str: what is no UTF-8 becomes U+FFFD. NULL text: None. */
PyObject *text_object(const char *text, size_t size);
PyObject *string_object(const struct recording *recording, uint32_t id);

#endif
