/* SPDX-License-Identifier: Apache-2.0 */
/* The device half: objects that sample, a hardware buffer that overflows, images. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pm_double.h"
#include "pmsampling/pm_abi.h"

#define OBJECT_MAGIC 0x4a424f50u
#define MAX_DEVICES  16

struct object {
    uint32_t magic;
    atomic_int is_busy;
    size_t device;
    bool is_configured, is_started, was_started, is_overflown, is_wrapped, lacks_counters;
    const uint8_t *config; /* the caller's, who keeps it */
    uint8_t *config_copy;
    size_t config_size;
    uint32_t names, n_metrics;
    uint64_t interval_ns, capacity;
    int append;
    uint64_t base_ns;   /* when sample 0 began */
    uint64_t made;      /* samples since the start */
    uint64_t n_pending; /* of these, in the buffer: the last ones */
    uint64_t n_gone;    /* of those that an image had no room for, not handed out yet */
    uint64_t n_empty;   /* samples of no length to hand out */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *enabled[MAX_DEVICES];
static pid_t owner; /* who called ProfilerInitialize */
static atomic_bool is_finalized;

#define SIZES(...) ((const size_t[]){__VA_ARGS__})
#define ENTER(params, n, ...)                                                                      \
    do {                                                                                           \
        int entered = pm_double_enter(__func__, params, SIZES(__VA_ARGS__), n);                    \
        if (entered != 0)                                                                          \
            return entered;                                                                        \
    } while (0)

/* ---- The profiler ---- */

static bool check_initialized(const char *function)
{
    if (pm_double()->initialized == 0)
        pm_double_violation("%s: before ProfilerInitialize: the real one crashes", function);
    else if (owner != getpid())
        pm_double_violation("%s: by a process that was forked", function);
    return pm_double()->initialized > 0 && !is_finalized;
}

PM_DOUBLE_EXPORT int cuptiProfilerInitialize(struct pm_params *params);
int cuptiProfilerInitialize(struct pm_params *params)
{
    ENTER(params, 1, 16);
    if (pm_double()->no_perfworks)
        return PM_NOT_INITIALIZED;
    owner = getpid();
    is_finalized = false;
    atomic_fetch_add(&pm_double()->initializes, 1);
    (void)usleep(pm_double()->initialize_ms * 1000);
    if (atomic_fetch_add(&pm_double()->initialized, 1) > 0)
        pm_double_violation("%s: a second time", __func__);
    return PM_SUCCESS;
}

PM_DOUBLE_EXPORT int cuptiProfilerDeInitialize(struct pm_params *params);
int cuptiProfilerDeInitialize(struct pm_params *params)
{
    ENTER(params, 1, 16);
    if (!check_initialized(__func__) && !is_finalized)
        return PM_UNKNOWN;
    if (pm_double()->objects_open > 0)
        pm_double_violation("%s: while a device is enabled", __func__);
    if (pm_double()->evaluating > 0)
        pm_double_violation("%s: while another thread evaluates", __func__);
    atomic_fetch_sub(&pm_double()->initialized, 1);
    return PM_SUCCESS;
}

PM_DOUBLE_EXPORT int cuptiDeviceGetChipName(struct pm_get_chip_name *params);
int cuptiDeviceGetChipName(struct pm_get_chip_name *params)
{
    ENTER(params, 1, 32);
    if (!check_initialized(__func__))
        return PM_UNKNOWN;
    params->chip = pm_double()->chip;
    return params->device < pm_double()->devices ? PM_SUCCESS : PM_INVALID_PARAMETER;
}

PM_DOUBLE_EXPORT int cuptiProfilerDeviceSupported(struct pm_device_supported *params);
int cuptiProfilerDeviceSupported(struct pm_device_supported *params)
{
    const struct pm_double *control = pm_double();
    size_t later = pm_double_version() >= 130500 ? 56 : 52;
    ENTER(params, 2, 52, later);
    if (params->api != 3)
        return PM_INVALID_PARAMETER;
    params->is_supported = control->supported;
    params->architecture = control->architecture;
    params->sli = control->sli;
    params->vgpu = control->vgpu;
    params->confidential = control->confidential;
    params->cmp = control->cmp;
    params->wsl = control->wsl;
    return PM_SUCCESS;
}

/* ---- Objects ---- */

static int begin(const char *function, void *pointer)
{
    struct object *object = pointer;
    if (!check_initialized(function))
        return PM_UNKNOWN;
    if (object == NULL || object->magic != OBJECT_MAGIC) {
        pm_double_violation("%s: no object", function);
        return PM_INVALID_PARAMETER;
    }
    if (atomic_fetch_add(&object->is_busy, 1) != 0)
        pm_double_violation("%s: two threads use an object at once", function);
    return PM_SUCCESS;
}

static int end(void *object, int code)
{
    atomic_fetch_sub(&((struct object *)object)->is_busy, 1);
    return code;
}

/* Whether libcuda's stand-in has been asked for a context. */
static bool has_context(void)
{
    unsigned (*n_contexts)(void) = NULL;
    void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (handle != NULL)
        *(void **)&n_contexts = dlsym(handle, "pm_double_contexts");
    return n_contexts != NULL && n_contexts() > 0;
}

/* Which counters a device lacks: the beginning of their metrics' names; "*": all. */
bool pm_double_lacks(const char *metric)
{
    const char *lacking = pm_double()->lacking;
    return lacking[0] == '*' ||
           (lacking[0] != '\0' && strncmp(metric, lacking, strlen(lacking)) == 0);
}

PM_DOUBLE_EXPORT int
cuptiPmSamplingGetCounterAvailability(struct pm_get_counter_availability *params);
int cuptiPmSamplingGetCounterAvailability(struct pm_get_counter_availability *params)
{
    static const uint8_t image[] = PM_DOUBLE_AVAILABILITY;
    ENTER(params, 1, 40);
    if (!check_initialized(__func__))
        return PM_UNKNOWN;
    if (params->device >= pm_double()->devices || params->device >= MAX_DEVICES)
        return PM_INVALID_PARAMETER;
    if (enabled[params->device] != NULL)
        pm_double_violation("%s: while the device is enabled it may fail", __func__);
    if (params->image != NULL && params->size < sizeof(image))
        return PM_INVALID_PARAMETER;
    if (params->image != NULL)
        memcpy(params->image, image, sizeof(image));
    params->size = sizeof(image);
    return PM_SUCCESS;
}

PM_DOUBLE_EXPORT int cuptiPmSamplingEnable(struct pm_enable *params);
int cuptiPmSamplingEnable(struct pm_enable *params)
{
    ENTER(params, 1, 32);
    if (!check_initialized(__func__))
        return PM_UNKNOWN;
    if (params->device >= pm_double()->devices || params->device >= MAX_DEVICES)
        return PM_INVALID_PARAMETER;
    if (pm_double()->needs_context && !has_context())
        return pm_double()->needs_context;
    (void)pthread_mutex_lock(&lock);
    struct object *object = NULL;
    if (enabled[params->device] == NULL) {
        object = calloc(1, sizeof(*object));
        object->magic = OBJECT_MAGIC;
        object->device = params->device;
        enabled[params->device] = object;
    }
    (void)pthread_mutex_unlock(&lock);
    if (object == NULL)
        return PM_INVALID_OPERATION;
    params->object = object;
    atomic_fetch_add(&pm_double()->enables, 1);
    atomic_fetch_add(&pm_double()->objects_open, 1);
    return PM_SUCCESS;
}

PM_DOUBLE_EXPORT int cuptiPmSamplingDisable(struct pm_object *params);
int cuptiPmSamplingDisable(struct pm_object *params)
{
    ENTER(params, 1, 24);
    int code = begin(__func__, params->object);
    if (code != PM_SUCCESS)
        return code;
    struct object *object = params->object;
    if (object->is_started)
        pm_double_violation("%s: before Stop", __func__);
    if (pm_double()->stops_early > 0 && object->n_pending > 0)
        pm_double_violation("%s: %u samples stay behind", __func__, (unsigned)object->n_pending);
    (void)pthread_mutex_lock(&lock);
    enabled[object->device] = NULL;
    (void)pthread_mutex_unlock(&lock);
    object->magic = 0;
    free(object->config_copy);
    free(object);
    atomic_fetch_add(&pm_double()->disables, 1);
    atomic_fetch_sub(&pm_double()->objects_open, 1);
    is_finalized = pm_double()->finalizes;
    return PM_SUCCESS;
}

/* ---- Configuring ---- */

uint32_t pm_double_names(const char *const *names, size_t n)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++) {
        for (const char *c = names[i]; c == names[i] || c[-1] != '\0'; c++)
            hash = (hash ^ (unsigned char)*c) * 16777619u;
    }
    return hash;
}

static bool read_config(struct object *object, const struct pm_set_config *params)
{
    struct pm_double_config config;
    const char *names[1024], *at = (const char *)params->config + sizeof(config);
    if (params->config == NULL || params->config_size < sizeof(config))
        return false;
    memcpy(&config, params->config, sizeof(config));
    if (config.magic != PM_DOUBLE_CONFIG_MAGIC || config.size != params->config_size)
        return false;
    for (uint32_t i = 0; i < config.n_metrics; i++) {
        names[i] = at;
        object->lacks_counters |= pm_double_lacks(at);
        at += strlen(at) + 1;
    }
    if (config.n_passes != 1)
        pm_double_violation("cuptiPmSamplingSetConfig: %u passes", config.n_passes);
    object->n_metrics = config.n_metrics;
    object->names = pm_double_names(names, config.n_metrics);
    object->config = params->config;
    object->config_size = params->config_size;
    free(object->config_copy);
    object->config_copy = malloc(params->config_size);
    memcpy(object->config_copy, params->config, params->config_size);
    return config.n_passes == 1;
}

static int configure(struct object *object, const struct pm_set_config *params, int append)
{
    struct pm_double *control = pm_double();
    bool is_turing = strncmp(control->chip, "TU", 2) == 0;
    if (object->is_configured)
        pm_double_violation("cuptiPmSamplingSetConfig: a second time on one object: versions of "
                            "CUPTI crash in the next decode");
    if (object->is_started)
        pm_double_violation("cuptiPmSamplingSetConfig: while started");
    if (params->hardware_buffer_size == 0 || params->interval == 0 || params->trigger > 1)
        return PM_INVALID_PARAMETER;
    if ((params->trigger == 1 && (is_turing || strcmp(control->chip, "GA100") == 0)) ||
        (append == 1 && is_turing))
        return PM_NOT_SUPPORTED;
    if (!read_config(object, params))
        return PM_NOT_SUPPORTED;
    object->is_configured = true;
    object->append = append;
    object->interval_ns = params->interval; /* the SYS clock has 1 GHz here */
    object->capacity =
        control->capacity > 0 ? control->capacity : params->hardware_buffer_size / 1024;
    return PM_SUCCESS;
}

PM_DOUBLE_EXPORT int cuptiPmSamplingSetConfig(struct pm_set_config *params);
int cuptiPmSamplingSetConfig(struct pm_set_config *params)
{
    bool is_old = pm_double_version() < 26;
    ENTER(params, 1, is_old ? 60 : 64);
    int code = begin(__func__, params->object);
    if (code != PM_SUCCESS)
        return code;
    struct pm_double *control = pm_double();
    control->set_config_size = params->struct_size;
    control->trigger = params->trigger;
    control->append = is_old ? 0 : params->append;
    control->interval = params->interval;
    control->hardware_buffer = params->hardware_buffer_size;
    return end(params->object, configure(params->object, params, control->append));
}

/* ---- Sampling ---- */

static uint64_t now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Lets samples come into the buffer. */
static void make_samples(struct object *object)
{
    struct pm_double *control = pm_double();
    uint64_t n = control->make;
    if (!object->is_started)
        return;
    if (control->realtime) {
        uint64_t whole = (now() - object->base_ns) / object->interval_ns;
        n = whole > object->made ? whole - object->made : 0;
    }
    control->make = 0;
    if (object->is_overflown)
        return;
    if (object->append == 0 && object->n_pending + n > object->capacity) {
        n = object->capacity - object->n_pending;
        object->is_overflown = true;
    }
    object->made += n;
    object->n_pending += n;
    if (object->n_pending > object->capacity) {
        object->n_pending = object->capacity;
        object->is_wrapped = true;
    }
}

static void check_config(const char *function, const struct object *object)
{
    if (memcmp(object->config, object->config_copy, object->config_size) != 0)
        pm_double_violation("%s: the configuration has not been kept", function);
}

PM_DOUBLE_EXPORT int cuptiPmSamplingStart(struct pm_object *params);
int cuptiPmSamplingStart(struct pm_object *params)
{
    ENTER(params, 1, 24);
    int code = begin(__func__, params->object);
    if (code != PM_SUCCESS)
        return code;
    struct object *object = params->object;
    if (!object->is_configured || object->is_started) {
        pm_double_violation("%s: %s", __func__,
                            object->is_started ? "a second time" : "not configured");
        return end(object, PM_INVALID_OPERATION);
    }
    check_config(__func__, object);
    object->is_started = object->was_started = true;
    object->base_ns = now();
    object->made = object->n_pending = object->n_gone = object->n_empty = 0;
    atomic_fetch_add(&pm_double()->starts, 1);
    return end(object, PM_SUCCESS);
}

PM_DOUBLE_EXPORT int cuptiPmSamplingStop(struct pm_object *params);
int cuptiPmSamplingStop(struct pm_object *params)
{
    ENTER(params, 1, 24);
    int code = begin(__func__, params->object);
    if (code != PM_SUCCESS)
        return code;
    struct object *object = params->object;
    if (!object->is_started) {
        pm_double_violation("%s: not started", __func__);
        return end(object, PM_INVALID_OPERATION);
    }
    make_samples(object);
    object->is_started = false;
    if (object->is_wrapped) /* it can be decoded while sampling runs only */
        object->n_pending = 0;
    object->n_empty = pm_double()->empty_last;
    atomic_fetch_add(&pm_double()->stops, 1);
    return end(object, PM_SUCCESS);
}

/* ---- Images ---- */

static uint64_t sample_bytes(uint32_t n_metrics)
{
    return sizeof(struct pm_double_sample) + 8u * n_metrics + 1024;
}

const struct pm_double_sample *pm_double_sample(const void *image, size_t index)
{
    const struct pm_double_image *head = image;
    return (const void *)((const uint8_t *)(head + 1) + index * head->sample_bytes);
}

PM_DOUBLE_EXPORT int cuptiPmSamplingGetCounterDataSize(struct pm_get_counter_data_size *params);
int cuptiPmSamplingGetCounterDataSize(struct pm_get_counter_data_size *params)
{
    ENTER(params, 1, 56);
    int code = begin(__func__, params->object);
    if (code != PM_SUCCESS)
        return code;
    struct object *object = params->object;
    if (!object->is_configured || params->n != object->n_metrics || params->max_samples == 0 ||
        object->names != pm_double_names(params->names, params->n)) {
        pm_double_violation("%s: not what is configured", __func__);
        return end(object, PM_INVALID_PARAMETER);
    }
    params->size =
        sizeof(struct pm_double_image) + params->max_samples * sample_bytes(object->n_metrics);
    return end(object, PM_SUCCESS);
}

PM_DOUBLE_EXPORT int cuptiPmSamplingCounterDataImageInitialize(struct pm_image_initialize *params);
int cuptiPmSamplingCounterDataImageInitialize(struct pm_image_initialize *params)
{
    ENTER(params, 1, 40);
    int code = begin(__func__, params->object);
    if (code != PM_SUCCESS)
        return code;
    struct object *object = params->object;
    uint64_t bytes = sample_bytes(object->n_metrics);
    struct pm_double_image head = {.magic = PM_DOUBLE_IMAGE_MAGIC,
                                   .state = 1,
                                   .n_metrics = object->n_metrics,
                                   .names = object->names,
                                   .sample_bytes = bytes};
    head.max_samples = (uint32_t)((params->size - sizeof(head)) / bytes);
    memset(params->image, 0xa5, params->size);
    memcpy(params->image, &head, sizeof(head));
    atomic_fetch_add(&pm_double()->image_initializes, 1);
    return end(object, PM_SUCCESS);
}

static struct pm_double_sample *next_sample(struct pm_double_image *head)
{
    return (struct pm_double_sample *)(uintptr_t)pm_double_sample(head, head->n_populated++);
}

static void put_sample(const struct object *object, struct pm_double_image *head, uint64_t k)
{
    struct pm_double_sample *sample = next_sample(head);
    bool is_bogus = k == 0 && pm_double()->bogus_first;
    sample->start = is_bogus ? 0 : object->base_ns + k * object->interval_ns;
    sample->end = object->base_ns + (k + 1) * object->interval_ns;
    for (uint32_t m = 0; m < object->n_metrics; m++)
        sample->values[m] = is_bogus ? -1 : (double)(k % 100) + m / 16.0;
}

static void put_nothing(const struct object *object, struct pm_double_image *head, uint64_t ns)
{
    struct pm_double_sample *sample = next_sample(head);
    sample->start = sample->end = ns;
    for (uint32_t m = 0; m < object->n_metrics; m++)
        sample->values[m] = -1;
}

static bool has_room(const struct pm_double_image *head)
{
    return head->n_populated < head->max_samples;
}

/* Returns whether there is more. */
static bool fill_image(struct object *object, struct pm_double_image *head)
{
    const struct pm_double *control = pm_double();
    for (; object->n_gone > 0 && has_room(head); object->n_gone--)
        put_nothing(object, head, 0);
    for (; object->n_pending > 0 && has_room(head); object->n_pending--)
        put_sample(object, head, object->made - object->n_pending);
    bool is_more = object->n_pending > 0;
    for (; object->n_empty > 0 && has_room(head); object->n_empty--)
        put_nothing(object, head, object->base_ns);
    if (control->rest == PM_DOUBLE_LOSES)
        object->n_gone = object->n_pending;
    if (control->rest != PM_DOUBLE_KEEPS)
        object->n_pending = 0;
    head->state = 2;
    uint32_t n_incomplete = object->lacks_counters ? head->n_populated : control->incomplete;
    head->n_completed = head->n_populated > n_incomplete ? head->n_populated - n_incomplete : 0;
    return is_more;
}

/* A decode that stops early: takes from the end of what is pending what it leaves. */
static uint64_t keep_rest(struct object *object)
{
    struct pm_double *control = pm_double();
    if (control->stops_early == 0)
        return 0;
    uint64_t n = control->stops_early-- % 2 == 0 ? object->n_pending / 2 : object->n_pending;
    object->made -= n;
    object->n_pending -= n;
    return n;
}

static int decode(struct object *object, struct pm_decode *params)
{
    struct pm_double_image *head = (struct pm_double_image *)params->image;
    make_samples(object);
    check_config("cuptiPmSamplingDecodeData", object);
    if (head == NULL || params->size < sizeof(*head) || head->magic != PM_DOUBLE_IMAGE_MAGIC ||
        head->state != 1 ||
        params->size != sizeof(*head) + head->max_samples * head->sample_bytes) {
        pm_double_violation("cuptiPmSamplingDecodeData: the image is not a fresh one");
        return PM_INVALID_PARAMETER;
    }
    if (pm_double()->delay_ms > 0)
        (void)usleep(pm_double()->delay_ms * 1000);
    if (object->is_overflown && !pm_double()->overflow_flag)
        return PM_OUT_OF_MEMORY;
    uint64_t rest = keep_rest(object);
    bool is_end = rest == 0 && (!object->is_started || pm_double()->says_end);
    params->stop_reason = fill_image(object, head) ? 1 : is_end ? 2 : 0;
    (void)usleep((useconds_t)(pm_double()->decode_us * head->n_populated));
    object->made += rest;
    object->n_pending += rest;
    params->overflow = object->is_overflown;
    return PM_SUCCESS;
}

PM_DOUBLE_EXPORT int cuptiPmSamplingDecodeData(struct pm_decode *params);
int cuptiPmSamplingDecodeData(struct pm_decode *params)
{
    ENTER(params, 1, 45);
    int code = begin(__func__, params->object);
    if (code != PM_SUCCESS)
        return code;
    struct object *object = params->object;
    atomic_fetch_add(&pm_double()->decodes, 1);
    if (!object->was_started)
        return end(object, PM_INVALID_OPERATION);
    return end(object, decode(object, params));
}

static bool is_decoded(const char *function, const uint8_t *image, size_t size)
{
    const struct pm_double_image *head = (const void *)image;
    if (image != NULL && size >= sizeof(*head) && head->magic == PM_DOUBLE_IMAGE_MAGIC &&
        head->state == 2)
        return true;
    pm_double_violation("%s: no decoded image: the real one crashes", function);
    return false;
}

PM_DOUBLE_EXPORT int cuptiPmSamplingGetCounterDataInfo(struct pm_get_counter_data_info *params);
int cuptiPmSamplingGetCounterDataInfo(struct pm_get_counter_data_info *params)
{
    const struct pm_double_image *head = (const void *)params->image;
    ENTER(params, 1, 56);
    if (!is_decoded(__func__, params->image, params->size))
        return PM_INVALID_PARAMETER;
    params->n_total = head->max_samples;
    params->n_populated = pm_double()->unpopulated ? 0 : head->n_populated;
    params->n_completed = head->n_completed;
    return PM_SUCCESS;
}

PM_DOUBLE_EXPORT int cuptiPmSamplingCounterDataGetSampleInfo(struct pm_get_sample_info *params);
int cuptiPmSamplingCounterDataGetSampleInfo(struct pm_get_sample_info *params)
{
    ENTER(params, 1, 64);
    int code = begin(__func__, params->object);
    if (code != PM_SUCCESS)
        return code;
    const struct pm_double_image *head = (const void *)params->image;
    if (!is_decoded(__func__, params->image, params->size) || params->index >= head->n_completed)
        return end(params->object, PM_INVALID_PARAMETER);
    const struct pm_double_sample *sample = pm_double_sample(params->image, params->index);
    params->start = sample->start;
    params->end = sample->end;
    return end(params->object, PM_SUCCESS);
}
