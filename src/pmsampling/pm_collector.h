/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of rf_pm_collector: what pm_collector.c (its life), pm_configure.c and pm_decode.c share.
 */
#ifndef RF_PMSAMPLING_PM_COLLECTOR_H
#define RF_PMSAMPLING_PM_COLLECTOR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "pmsampling/pm_driver.h"
#include "pmsampling/pm_host.h"

/* What is sampled, and how. */
struct pm_setup {
    struct pm_config_image image; /* CUPTI reads it until Disable. bytes NULL: there is no setup */
    char **metrics;
    size_t n_metrics;
    char *single_pass_set; /* or NULL */
    size_t hardware_buffer_bytes;
    uint64_t interval;
    int trigger, append;
};

struct rf_pm_collector {
    size_t device;
    pid_t pid;              /* that made it: a child uses nothing of it */
    atomic_int is_decoding; /* by a thread: another one is refused, and not kept waiting */
    pthread_mutex_t lock;   /* over what follows */
    const struct pm_library *library;
    struct pm_driver driver;
    struct pm_session session;
    int cu_device;
    bool has_context; /* the primary context is retained */
    void *object;     /* of CUPTI; NULL: not enabled */
    bool is_started;
    bool is_fresh; /* no sample was decoded since the last start */
    char chip[32];
    uint8_t *availability; /* which counters the GPU has; NULL: that is not known */
    size_t availability_size;
    struct pm_setup setup;
    uint8_t *pristine; /* an image as CUPTI initializes it, for pristine_samples */
    size_t pristine_size;
    uint32_t pristine_samples;
    size_t sample_bytes;
    struct pm_spare *spare; /* while it is enabled */
};

/* RF_PM_ERR_ORDER in a process that did not make it. Before the lock, which a thread of the parent
 * may have held at the fork. */
int pm_collector_check_pid(const struct rf_pm_collector *c, struct rf_pm_error *err);

/* The functions below want the lock held. */

/* RF_PM_ERR_ORDER where it is not enabled. what: "configured". */
int pm_collector_check_enabled(const struct rf_pm_collector *c, const char *what,
                               struct rf_pm_error *err);

/* The error that a code of the device half stands for. what: "sampling cannot be started". */
int pm_collector_fail(const struct rf_pm_collector *c, int code, const char *function,
                      const char *what, struct rf_pm_error *err);

/* Makes and destroys CUPTI's object of an enabled collector. */
int pm_collector_open_object(struct rf_pm_collector *c, struct rf_pm_error *err);
int pm_collector_close_object(struct rf_pm_collector *c, struct rf_pm_error *err);

/* One after the other. Where that fails, the device has been given back. */
int pm_collector_renew_object(struct rf_pm_collector *c, struct rf_pm_error *err);

/* Gives the device back, whatever fails on the way; the first failure is the result. */
int pm_collector_shut(struct rf_pm_collector *c, struct rf_pm_error *err);

/* Hands a setup to CUPTI. */
int pm_collector_apply(struct rf_pm_collector *c, const struct pm_setup *setup,
                       struct rf_pm_error *err);

void pm_collector_forget_pristine(struct rf_pm_collector *c);

void pm_setup_release(struct pm_setup *setup);

#endif
