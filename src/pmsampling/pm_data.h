/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of rf_pm_data: its parts, which the collector or the reader of serialised data fills. */
#ifndef RF_PMSAMPLING_PM_DATA_H
#define RF_PMSAMPLING_PM_DATA_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "pmsampling/pm_host.h"
#include "pmsampling/pm_spare.h"

#define PM_MAX_METRICS 65535
#define PM_MAX_SET     256 /* length of the name of a single-pass set */

/* Behind CUPTI's image, little-endian. */
struct pm_seal {
    char magic[8]; /* PM_SEAL_MAGIC */
    uint64_t size; /* of the image before it */
    uint32_t cupti_version;
    uint32_t reserved; /* 0 */
    uint32_t image_crc;
    uint32_t seal_crc; /* of the bytes before this field */
};
#define PM_SEAL_MAGIC "RFPMIMG1"

struct rf_pm_data {
    struct rf_pm_data_info info; /* points into what follows */
    char *text;                  /* the names, each with its NUL */
    const char **metrics;
    uint64_t *times;   /* starts, then ends */
    uint8_t *image;    /* with room for the seal behind it */
    size_t image_size; /* without the seal */
    struct pm_spare *spare;
    pthread_mutex_t lock; /* over what follows */
    bool is_sealed;
    struct pm_host host; /* opened by the first evaluation */
};

/* Data with names and without samples and image. All names are tested: lengths, and characters that
 * can stand in one. RF_PM_ERR_ARGUMENT. set may be NULL. */
int pm_data_make(const char *chip, const char *set, const char *const *metrics, size_t n_metrics,
                 struct rf_pm_data **out, struct rf_pm_error *err);

/* Room for the times of info.n_completed samples, and for an image, whose memory goes back to spare
 * (NULL: is freed). Either may be asked for once. */
int pm_data_make_times(struct rf_pm_data *data, struct rf_pm_error *err);
int pm_data_make_image(struct rf_pm_data *data, struct pm_spare *spare, size_t size,
                       struct rf_pm_error *err);

/* RF_PM_ERR_ARGUMENT: the numbers of samples contradict each other. */
int pm_data_check_numbers(const struct rf_pm_data_info *info, struct rf_pm_error *err);

#endif
