/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++ functions out of their mangled form. */
#ifndef RF_MODEL_GPU_DEMANGLE_H
#define RF_MODEL_GPU_DEMANGLE_H

#include <stddef.h>

/* Writes the name into a buffer, NUL-ended, and returns its length; 0: it is not mangled, or would
 * be longer than the buffer: a few bytes of mangled name can stand for any number of bytes. */
size_t rf_demangle(const char *mangled, char *buffer, size_t room);

/* The part of a demangled name that is the function's own: without its result, namespaces, template
 * arguments and parameters. *size: its length. */
const char *rf_short_name(const char *name, size_t length, size_t *size);

#endif
