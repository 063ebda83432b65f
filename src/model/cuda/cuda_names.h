/* SPDX-License-Identifier: Apache-2.0 */
/* What functions and kernels are called, in a recording of our own (docs/format.md, section 9). A
 * kernel's name is taken apart when the first kernel has it, once for all processes. */
#ifndef RF_MODEL_CUDA_CUDA_NAMES_H
#define RF_MODEL_CUDA_CUDA_NAMES_H

#include <stdbool.h>

#include "base/map.h"
#include "model/strings.h"

/* Strings; RF_NO_STRING: none. */
struct rf_cuda_name {
    uint32_t mangled;
    uint32_t demangled; /* the same, where it is not mangled */
    uint32_t short_name;
    bool is_known; /* demangled and short_name are */
};

struct rf_cuda_names {
    struct rf_cuda_name *name;
    uint32_t n;
    size_t room;
    struct rf_map by_string; /* of the mangled name, to name[] */
    struct rf_map by_handle; /* (process, handle), to name[] */
    struct rf_map function;  /* (process, as in API records), to a string */
    struct rf_map device_of; /* (process, context) */
    uint64_t n_undefined;    /* times that something was looked up which is not defined */
};

void rf_cuda_names_release(struct rf_cuda_names *names);

/* Each returns 0 or RF_ERR_NO_MEMORY. text: string. The last definition holds. */
int rf_cuda_names_add_kernel(struct rf_cuda_names *names, uint32_t process, uint32_t handle,
                             uint32_t text);
int rf_cuda_names_add_function(struct rf_cuda_names *names, uint32_t process, uint32_t function,
                               uint32_t text);

/* The names of a kernel or variable; NULL: out of memory. Handle 0 has none; one that is not
 * defined has its number for a name, "0x2a". */
const struct rf_cuda_name *rf_cuda_names_of(struct rf_cuda_names *names, struct rf_strings *strings,
                                            uint32_t process, uint32_t handle);

/* Name i of names->name; NULL: out of memory. */
const struct rf_cuda_name *rf_cuda_name_at(struct rf_cuda_names *names, struct rf_strings *strings,
                                           uint32_t i);

/* What rows call a kernel of this name. */
uint32_t rf_cuda_name_label(const struct rf_cuda_name *name);

/* The name of a function: string, likewise; RF_NO_STRING: out of memory. */
uint32_t rf_cuda_function_name(struct rf_cuda_names *names, struct rf_strings *strings,
                               uint32_t process, uint32_t function);

#endif
