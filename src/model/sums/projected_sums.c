/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sums/projected_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define KIND_BITS 9 /* of a range, with RF_RANGES_BY_PROCESS */

void rf_projected_sums_init(struct rf_projected_sums *sums, enum rf_kernel_naming naming,
                            bool folds_numbers)
{
    *sums = (struct rf_projected_sums){.naming = naming, .folds_numbers = folds_numbers};
    if (folds_numbers)
        rf_folded_strings_init(&sums->folded);
}

uint32_t rf_projected_sums_ranges(struct rf_projected_sums *sums, uint32_t thread, uint32_t domain,
                                  uint32_t name, uint32_t kind)
{
    const uint64_t a = (uint64_t)thread << 32 | domain;
    const uint64_t b = (uint64_t)name << KIND_BITS | kind;
    const uint32_t i = rf_map_find(&sums->ranges_of, a, b);
    if (i != RF_MAP_NONE)
        return i;
    if (rf_grow_array(&sums->ranges, sums->n_ranges, &sums->ranges_room, sizeof(*sums->ranges)) !=
            RF_OK ||
        rf_map_set(&sums->ranges_of, a, b, sums->n_ranges) != RF_OK)
        return RF_NO_INDEX;
    sums->ranges[sums->n_ranges] = (struct rf_projected_ranges){
        .thread = thread, .domain = domain, .name = name, .kind = kind};
    return sums->n_ranges++;
}

uint32_t rf_projected_sums_kernel(struct rf_projected_sums *sums, uint32_t ranges, uint32_t label)
{
    const uint32_t i = rf_map_find(&sums->kernel_of, ranges, label);
    if (i != RF_MAP_NONE)
        return i;
    if (rf_grow_array(&sums->kernel, sums->n_kernels, &sums->kernel_room, sizeof(*sums->kernel)) !=
            RF_OK ||
        rf_map_set(&sums->kernel_of, ranges, label, sums->n_kernels) != RF_OK)
        return RF_NO_INDEX;
    sums->kernel[sums->n_kernels] = (struct rf_projected_kernel){.ranges = ranges, .label = label};
    return sums->n_kernels++;
}

void rf_projected_sums_leave_kernels(struct rf_projected_sums *sums)
{
    for (uint32_t i = 0; i < sums->n_kernels; i++)
        rf_value_counts_release(&sums->kernel[i].ns);
    free(sums->kernel);
    sums->kernel = NULL;
    sums->n_kernels = 0;
    sums->kernel_room = 0;
    rf_map_release(&sums->kernel_of);
    sums->has_no_kernels = true;
}

void rf_projected_sums_release(struct rf_projected_sums *sums)
{
    for (uint32_t i = 0; i < sums->n_ranges; i++)
        rf_value_counts_release(&sums->ranges[i].ns);
    for (uint32_t i = 0; i < sums->n_kernels; i++)
        rf_value_counts_release(&sums->kernel[i].ns);
    free(sums->ranges);
    free(sums->kernel);
    if (sums->folds_numbers)
        rf_folded_strings_release(&sums->folded);
    rf_map_release(&sums->ranges_of);
    rf_map_release(&sums->kernel_of);
    memset(sums, 0, sizeof(*sums));
}
