/* SPDX-License-Identifier: Apache-2.0 */
/* The input is serialised counter data, as it is and with a checksum that agrees, so that what is
 * behind the checksum is reached, too. What is accepted is written out again and must be the same.
 * It is not evaluated: of the image, CUPTI believes everything. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "rangefinder/pm_sampling.h"

#define CRC_AT ((size_t)24)

static void need(int condition)
{
    if (!condition)
        abort();
}

static void look_at(rf_pm_data *data)
{
    const struct rf_pm_data_info *info = rf_pm_data_get_info(data);
    size_t sum = strlen(info->chip), size;
    need(sum > 0 && info->n_metrics > 0);
    for (size_t i = 0; i < info->n_metrics; i++)
        sum += strlen(info->metrics[i]);
    for (size_t i = 0; i < info->n_completed; i++)
        sum += info->start_ns[i] != info->end_ns[i];
    const uint8_t *image = rf_pm_data_image(data, &size);
    need(sum > 1 && size > 32 && info->n_completed <= info->n_total);
    rf_pm_data *again;
    need(rf_pm_data_new(info, image, size, &again, NULL) == RF_PM_OK);
    rf_pm_data_free(again);
}

static void try_bytes(const uint8_t *bytes, size_t size)
{
    struct rf_pm_error err;
    rf_pm_data *data;
    void *copy;
    size_t copy_size;
    int status = rf_pm_data_deserialise(bytes, size, &data, &err);
    if (status != RF_PM_OK) {
        need(data == NULL && err.status == status && err.text[0] != '\0');
        need(status == RF_PM_ERR_DATA || status == RF_PM_ERR_NO_MEMORY);
        return;
    }
    look_at(data);
    need(rf_pm_data_serialise(data, &copy, &copy_size, &err) == RF_PM_OK);
    rf_pm_data_free(data);
    need(rf_pm_data_deserialise(copy, copy_size, &data, &err) == RF_PM_OK);
    rf_pm_data_free(data);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t whole = size;
    try_bytes(input, size);
    if (size < 80)
        return 0;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL)
        return 0;
    memcpy(bytes, input, size);
    memcpy(bytes + 16, &whole, sizeof(whole)); /* the size that is written in it */
    memset(bytes + CRC_AT, 0, 4);
    uint32_t crc = rf_crc32c(0, bytes, size);
    memcpy(bytes + CRC_AT, &crc, sizeof(crc));
    try_bytes(bytes, size);
    free(bytes);
    return 0;
}
