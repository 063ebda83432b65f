/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/searched.h"

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

struct rf_searched *rf_searched_at(struct rf_searched_inputs *all, uint32_t input)
{
    while (all->n <= input) {
        if (rf_grow_array(&all->input, all->n, &all->room, sizeof(*all->input)) != RF_OK)
            return NULL;
        all->input[all->n++] = (struct rf_searched){0, 0};
    }
    return &all->input[input];
}

struct rf_searched rf_searched_of(const struct rf_searched_inputs *all, uint32_t input)
{
    return input < all->n ? all->input[input] : (struct rf_searched){0, 0};
}

static int add(struct rf_searched_inputs *to, uint32_t input, const struct rf_searched *from)
{
    struct rf_searched *searched = rf_searched_at(to, input);
    if (searched == NULL)
        return RF_ERR_NO_MEMORY;
    if (__builtin_add_overflow(searched->n_searched, from->n_searched, &searched->n_searched) ||
        __builtin_add_overflow(searched->n_left_out, from->n_left_out, &searched->n_left_out) ||
        searched->n_searched > INT64_MAX || searched->n_left_out > INT64_MAX)
        return RF_ERR_UNSUPPORTED;
    return RF_OK;
}

int rf_searched_absorb(struct rf_searched_inputs *to, const struct rf_searched_inputs *from,
                       const uint32_t *input)
{
    int status = RF_OK;
    for (size_t i = 0; i < from->n && status == RF_OK; i++) {
        const uint32_t goes_to = input != NULL ? input[i] : (uint32_t)i;
        if (goes_to != RF_NO_INDEX)
            status = add(to, goes_to, &from->input[i]);
    }
    return status;
}
