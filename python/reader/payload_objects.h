/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads of NVTX's payload extension as objects of Python. */
#ifndef RF_READER_PAYLOAD_OBJECTS_H
#define RF_READER_PAYLOAD_OBJECTS_H

#include "with_python.h"

#include "rangefinder/rangefinder.h"

/* The payload of an event whose payload_type is RF_TYPE_EXTENDED: a dict, a list, or a plain value.
 */
PyObject *payload_object_of(const rf_recording *rec, const struct rf_event *event);

#endif
