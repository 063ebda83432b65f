/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/cuda_names.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/map.h"
#include "model/gpu/demangle.h"
#include "model/strings.h"
#include "rangefinder/rangefinder.h"

#define MAX_NAME 65536 /* bytes of a demangled name; a longer one stays mangled */

void rf_cuda_names_release(struct rf_cuda_names *names)
{
    free(names->name);
    rf_map_release(&names->by_string);
    rf_map_release(&names->by_handle);
    rf_map_release(&names->function);
    rf_map_release(&names->device_of);
    *names = (struct rf_cuda_names){.name = NULL};
}

/* The place of a mangled name; RF_NO_INDEX: out of memory. */
static uint32_t find_name(struct rf_cuda_names *names, uint32_t text)
{
    uint32_t i = rf_map_find(&names->by_string, text, 0);
    if (i != RF_MAP_NONE)
        return i;
    if (rf_grow_array(&names->name, names->n, &names->room, sizeof(*names->name)) != RF_OK ||
        rf_map_set(&names->by_string, text, 0, names->n) != RF_OK)
        return RF_NO_INDEX;
    names->name[names->n] = (struct rf_cuda_name){text, text, text, text == RF_NO_STRING};
    return names->n++;
}

int rf_cuda_names_add_kernel(struct rf_cuda_names *names, uint32_t process, uint32_t handle,
                             uint32_t text)
{
    uint32_t i = find_name(names, text);
    return i != RF_NO_INDEX ? rf_map_set(&names->by_handle, process, handle, i) : RF_ERR_NO_MEMORY;
}

int rf_cuda_names_add_function(struct rf_cuda_names *names, uint32_t process, uint32_t function,
                               uint32_t text)
{
    return text != RF_NO_STRING ? rf_map_set(&names->function, process, function, text) : RF_OK;
}

/* ---- Looking them up ---- */

static uint32_t number_string(struct rf_cuda_names *names, struct rf_strings *strings,
                              uint32_t number)
{
    char text[16];
    int size = snprintf(text, sizeof(text), "0x%x", number);
    names->n_undefined++;
    return rf_strings_add(strings, text, (size_t)size);
}

static int demangle(struct rf_strings *strings, struct rf_cuda_name *name)
{
    char *buffer = malloc(MAX_NAME);
    if (buffer == NULL)
        return RF_ERR_NO_MEMORY;
    size_t size = rf_demangle(strings->entry[name->mangled].text, buffer, MAX_NAME), short_size;
    if (size > 0) {
        const char *short_name = rf_short_name(buffer, size, &short_size);
        name->demangled = rf_strings_add(strings, buffer, size);
        name->short_name = rf_strings_add(strings, short_name, short_size);
    }
    free(buffer);
    name->is_known = 1;
    return name->demangled != RF_NO_STRING && name->short_name != RF_NO_STRING ? RF_OK
                                                                               : RF_ERR_NO_MEMORY;
}

const struct rf_cuda_name *rf_cuda_name_at(struct rf_cuda_names *names, struct rf_strings *strings,
                                           uint32_t i)
{
    struct rf_cuda_name *name = &names->name[i];
    return name->is_known || demangle(strings, name) == RF_OK ? name : NULL;
}

const struct rf_cuda_name *rf_cuda_names_of(struct rf_cuda_names *names, struct rf_strings *strings,
                                            uint32_t process, uint32_t handle)
{
    uint32_t i = rf_map_find(&names->by_handle, process, handle);
    if (i == RF_MAP_NONE && handle == 0) {
        i = find_name(names, RF_NO_STRING);
    } else if (i == RF_MAP_NONE) {
        uint32_t text = number_string(names, strings, handle);
        i = text != RF_NO_STRING ? find_name(names, text) : RF_NO_INDEX;
    }
    return i != RF_NO_INDEX ? rf_cuda_name_at(names, strings, i) : NULL;
}

uint32_t rf_cuda_name_label(const struct rf_cuda_name *name)
{
    if (name->demangled != RF_NO_STRING)
        return name->demangled;
    return name->short_name != RF_NO_STRING ? name->short_name : name->mangled;
}

uint32_t rf_cuda_function_name(struct rf_cuda_names *names, struct rf_strings *strings,
                               uint32_t process, uint32_t function)
{
    uint32_t name = rf_map_find(&names->function, process, function);
    return name != RF_MAP_NONE ? name : number_string(names, strings, function);
}
