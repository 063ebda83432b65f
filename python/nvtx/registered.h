/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_NVTX_REGISTERED_H
#define RF_NVTX_REGISTERED_H

#include "nvtx_python.h"

#include "domain.h"

extern PyTypeObject nvtx_registered_type;

/* The RegisteredString of a message; NULL with an exception. */
PyObject *nvtx_registered_new(struct domain *domain, PyObject *message);

/* The str of a RegisteredString: borrowed. */
PyObject *nvtx_registered_string(PyObject *registered);

#endif
