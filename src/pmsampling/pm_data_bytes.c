/* SPDX-License-Identifier: Apache-2.0 */
/* Counter data as bytes: a header, the names, the times, the image. Little-endian. */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "pmsampling/pm_chip.h"
#include "pmsampling/pm_data.h"
#include "pmsampling/pm_error.h"

#define MAGIC   "RFPMDATA"
#define VERSION 1

#define IS_OVERFLOW 1u
#define IS_FIRST    2u

struct header {
    char magic[8];
    uint32_t version;
    uint32_t header_size; /* of this struct */
    uint64_t size;        /* of all */
    uint32_t crc;         /* of all, with this field 0 */
    uint32_t cupti_version;
    uint32_t flags;
    uint32_t stop_reason;
    uint32_t n_metrics;
    uint32_t text_size; /* names, each with its NUL: chip, single-pass set ("": none), metrics;
                         * then zeros up to a multiple of 8 */
    uint64_t n_total;
    uint64_t n_populated;
    uint64_t n_completed; /* times: so many starts, then so many ends, 8 bytes each */
    uint64_t image_size;
};
_Static_assert(sizeof(struct header) == 80, "the header of counter data is a format");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "counter data is little-endian");

/* ---- Writing ---- */

static size_t text_size_of(const struct rf_pm_data_info *info)
{
    size_t size = strlen(info->chip) + 2;
    size += info->single_pass_set != NULL ? strlen(info->single_pass_set) : 0;
    for (size_t i = 0; i < info->n_metrics; i++)
        size += strlen(info->metrics[i]) + 1;
    return (size + 7) & ~(size_t)7;
}

static uint8_t *put_text(uint8_t *at, const char *text)
{
    size_t size = text != NULL ? strlen(text) + 1 : 1;
    memcpy(at, text != NULL ? text : "", size);
    return at + size;
}

static void write_all(const rf_pm_data *data, const struct header *header, uint8_t *bytes)
{
    const struct rf_pm_data_info *info = &data->info;
    size_t times_size = 2 * info->n_completed * sizeof(uint64_t);
    uint8_t *text = bytes + sizeof(*header), *times = text + header->text_size;
    memset(text, 0, header->text_size);
    text = put_text(text, info->chip);
    text = put_text(text, info->single_pass_set);
    for (size_t i = 0; i < info->n_metrics; i++)
        text = put_text(text, info->metrics[i]);
    if (times_size > 0)
        memcpy(times, data->times, times_size);
    memcpy(times + times_size, data->image, data->image_size);
    memcpy(bytes, header, sizeof(*header));
    uint32_t crc = rf_crc32c(0, bytes, (size_t)header->size);
    memcpy(bytes + offsetof(struct header, crc), &crc, sizeof(crc));
}

int rf_pm_data_serialise(const rf_pm_data *data, void **bytes, size_t *size,
                         struct rf_pm_error *err)
{
    if (bytes != NULL)
        *bytes = NULL;
    if (size != NULL)
        *size = 0;
    if (data == NULL || bytes == NULL || size == NULL)
        return pm_fail_null(err, "rf_pm_data_serialise");
    const struct rf_pm_data_info *info = &data->info;
    struct header header = {.magic = MAGIC,
                            .version = VERSION,
                            .header_size = sizeof(header),
                            .cupti_version = info->cupti_version,
                            .flags = (info->is_overflow ? IS_OVERFLOW : 0) |
                                     (info->is_first ? IS_FIRST : 0),
                            .stop_reason = (uint32_t)info->stop_reason,
                            .n_metrics = (uint32_t)info->n_metrics,
                            .text_size = (uint32_t)text_size_of(info),
                            .n_total = info->n_total,
                            .n_populated = info->n_populated,
                            .n_completed = info->n_completed,
                            .image_size = data->image_size};
    header.size = sizeof(header) + header.text_size + 2 * info->n_completed * sizeof(uint64_t) +
                  data->image_size;
    *bytes = malloc((size_t)header.size);
    *size = *bytes != NULL ? (size_t)header.size : 0;
    if (*bytes == NULL)
        return pm_no_memory(err);
    write_all(data, &header, *bytes);
    return RF_PM_OK;
}

/* ---- Reading: nothing is believed before the checksum agrees, and little afterwards ---- */

static int check_header(const uint8_t *bytes, size_t size, struct header *header,
                        struct rf_pm_error *err)
{
    if (bytes == NULL || size < sizeof(*header) || memcmp(bytes, MAGIC, 8) != 0)
        return pm_fail(err, RF_PM_ERR_DATA, "these %zu bytes are no counter data", size);
    memcpy(header, bytes, sizeof(*header));
    if (header->version != VERSION || header->header_size != sizeof(*header))
        return pm_fail(err, RF_PM_ERR_DATA,
                       "counter data of version %u is not known here: a later Rangefinder made it",
                       (unsigned)header->version);
    if (header->size != size)
        return pm_fail(err, RF_PM_ERR_DATA, "counter data is cut: %zu bytes of %llu", size,
                       (unsigned long long)header->size);
    uint32_t zero = 0;
    size_t at = offsetof(struct header, crc), behind = at + sizeof(zero);
    uint32_t crc = rf_crc32c(0, bytes, at);
    crc = rf_crc32c(crc, &zero, sizeof(zero));
    if (rf_crc32c(crc, bytes + behind, size - behind) != header->crc)
        return pm_fail(err, RF_PM_ERR_DATA, "counter data is damaged: its checksum does not agree");
    return RF_PM_OK;
}

static int fail_contradiction(struct rf_pm_error *err)
{
    return pm_fail(err, RF_PM_ERR_DATA, "counter data is damaged: its parts contradict each other");
}

/* Whether the parts are as large as all of it. */
static bool sizes_agree(const struct header *header)
{
    uint64_t rest = header->size - sizeof(*header);
    if (header->text_size > rest || header->text_size % 8 != 0)
        return false;
    rest -= header->text_size;
    if (header->n_completed > rest / (2 * sizeof(uint64_t)))
        return false;
    rest -= header->n_completed * 2 * sizeof(uint64_t);
    return header->image_size == rest && header->image_size > 0;
}

/* The next name; NULL where the text ends before. */
static const char *take_name(const char **at, const char *end)
{
    const char *begin = *at;
    const char *nul = memchr(begin, '\0', (size_t)(end - begin));
    if (nul == NULL)
        return NULL;
    *at = nul + 1;
    return begin;
}

/* Makes data with the names of the text. */
static int read_names(const struct header *header, const char *text, struct rf_pm_data **out,
                      struct rf_pm_error *err)
{
    const char *at = text, *end = text + header->text_size;
    const char *chip = take_name(&at, end);
    const char *set = chip != NULL ? take_name(&at, end) : NULL;
    if (set == NULL || header->n_metrics > (size_t)(end - at))
        return fail_contradiction(err);
    const char **metrics = calloc(header->n_metrics + 1u, sizeof(*metrics));
    if (metrics == NULL)
        return pm_no_memory(err);
    int status = RF_PM_OK;
    for (uint32_t i = 0; i < header->n_metrics && status == RF_PM_OK; i++) {
        metrics[i] = take_name(&at, end);
        if (metrics[i] == NULL)
            status = fail_contradiction(err);
    }
    if (status == RF_PM_OK)
        status =
            pm_data_make(chip, set[0] != '\0' ? set : NULL, metrics, header->n_metrics, out, err);
    free(metrics);
    return status;
}

static int read_rest(const struct header *header, const uint8_t *rest, struct rf_pm_data *data,
                     struct rf_pm_error *err)
{
    struct rf_pm_data_info *info = &data->info;
    info->n_total = (size_t)header->n_total;
    info->n_populated = (size_t)header->n_populated;
    info->n_completed = (size_t)header->n_completed;
    info->cupti_version = header->cupti_version;
    info->stop_reason = header->stop_reason <= RF_PM_STOP_END_OF_RECORDS ? (int)header->stop_reason
                                                                         : RF_PM_STOP_OTHER;
    info->is_overflow = (header->flags & IS_OVERFLOW) != 0;
    info->is_first = (header->flags & IS_FIRST) != 0;
    size_t times_size = 2 * info->n_completed * sizeof(uint64_t);
    int status = pm_data_check_numbers(info, err);
    if (status == RF_PM_OK)
        status = pm_data_make_times(data, err);
    if (status == RF_PM_OK)
        status = pm_data_make_image(data, NULL, (size_t)header->image_size, err);
    if (status != RF_PM_OK)
        return status;
    if (times_size > 0)
        memcpy(data->times, rest, times_size);
    memcpy(data->image, rest + times_size, data->image_size);
    return RF_PM_OK;
}

int rf_pm_data_deserialise(const void *bytes, size_t size, rf_pm_data **out,
                           struct rf_pm_error *err)
{
    struct header header;
    struct rf_pm_data *data = NULL;
    if (out == NULL)
        return pm_fail_null(err, "rf_pm_data_deserialise");
    *out = NULL;
    int status = check_header(bytes, size, &header, err);
    if (status == RF_PM_OK && !sizes_agree(&header))
        status = fail_contradiction(err);
    const uint8_t *text = status == RF_PM_OK ? (const uint8_t *)bytes + sizeof(header) : NULL;
    if (status == RF_PM_OK)
        status = read_names(&header, (const char *)text, &data, err);
    if (status == RF_PM_OK)
        status = read_rest(&header, text + header.text_size, data, err);
    if (status == RF_PM_OK) {
        *out = data;
    } else {
        rf_pm_data_free(data);
        if (status == RF_PM_ERR_ARGUMENT) {
            status = RF_PM_ERR_DATA; /* whatever is wrong, it is the bytes */
            if (err != NULL)
                err->status = status;
        }
    }
    return status;
}
