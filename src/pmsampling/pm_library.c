/* SPDX-License-Identifier: Apache-2.0 */
#include "pmsampling/pm_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/cupti_library.h"
#include "pmsampling/pm_driver.h"
#include "pmsampling/pm_error.h"

#define VERSION_OF_SETS 130200

/* The one state of src/pmsampling. */
static struct {
    pthread_mutex_t lock;
    bool is_loaded;
    struct rf_cupti_library found;
    struct pm_library cupti;
    pid_t pid; /* whose the rest is */
    unsigned n_holds;
    struct pm_session *sessions;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A thread that the child does not have may hold it, for as long as CUPTI takes to begin. */
static void forget_lock(void)
{
    (void)pthread_mutex_init(&state.lock, NULL);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, forget_lock);
}

static void lock(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch_forks);
    (void)pthread_mutex_lock(&state.lock);
    if (state.pid != getpid()) {
        state.pid = getpid();
        state.n_holds = 0;
        state.sessions = NULL;
    }
}

static void unlock(void)
{
    (void)pthread_mutex_unlock(&state.lock);
}

/* ---- Loading ---- */

/* The name of a function that is missing, or NULL. */
static const char *find_functions(struct pm_cupti *call, void *handle)
{
#define PM_FIND(name, params)                                                                      \
    *(void **)&call->name = dlsym(handle, #name);                                                  \
    if (call->name == NULL)                                                                        \
        return #name;
    PM_REQUIRED_FUNCTIONS(PM_FIND)
#undef PM_FIND
#define PM_FIND(name, params) *(void **)&call->name = dlsym(handle, #name);
    PM_OPTIONAL_FUNCTIONS(PM_FIND)
#undef PM_FIND
    return NULL;
}

static int load(struct rf_pm_error *err)
{
    struct rf_cupti_library *found = &state.found;
    if (rf_cupti_library_load(found, pm_driver_version(), "cuptiPmSamplingEnable") != 0)
        return pm_fail(
            err, RF_PM_ERR_LIBRARY,
            "NVIDIA's libcupti of CUDA 12.6 or later cannot be loaded%s%s: install it (pip install "
            "nvidia-cuda-cupti-cu12, or a CUDA toolkit), or name it in RANGEFINDER_CUPTI",
            found->tried[0] != '\0' ? ": " : "", found->tried);
    const char *missing = find_functions(&state.cupti.call, found->handle);
    if (missing != NULL)
        return pm_fail(err, RF_PM_ERR_LIBRARY,
                       "'%s' of CUDA %d.%d cannot sample a GPU's counters, it lacks %s: CUPTI of "
                       "CUDA 12.6 or later is needed; RANGEFINDER_CUPTI can name one",
                       found->path, found->major, found->minor, missing);
    rf_cupti_library_load_perfworks(found); /* or CUPTI may take those of another version */
    state.cupti.info = (struct rf_pm_library_info){
        .path = found->path,
        .major = found->major,
        .minor = found->minor,
        .version = found->version,
        .has_single_pass_sets = found->version >= VERSION_OF_SETS &&
                                state.cupti.call.cuptiProfilerHostGetSinglePassSets != NULL &&
                                state.cupti.call.cuptiProfilerHostGetMetricsInSinglePassSet != NULL,
    };
    return RF_PM_OK;
}

const struct pm_library *pm_library_get(struct rf_pm_error *err)
{
    lock();
    if (!state.is_loaded)
        state.is_loaded = load(err) == RF_PM_OK;
    bool is_loaded = state.is_loaded;
    unlock();
    return is_loaded ? &state.cupti : NULL;
}

int rf_pm_library(const struct rf_pm_library_info **out, struct rf_pm_error *err)
{
    if (out == NULL)
        return pm_fail_null(err, "rf_pm_library");
    const struct pm_library *library = pm_library_get(err);
    *out = library != NULL ? &library->info : NULL;
    return library != NULL ? RF_PM_OK : RF_PM_ERR_LIBRARY;
}

/* ---- The profiler ---- */

static int fail_initialize(const struct pm_library *library, int code, struct rf_pm_error *err)
{
    if (code == PM_NOT_INITIALIZED)
        return pm_fail_cupti(err, RF_PM_ERR_LIBRARY, code, "cuptiProfilerInitialize",
                             "'%s' cannot load libnvperf_host.so and libnvperf_target.so, which "
                             "belong beside it: install it whole, or add their folder to "
                             "LD_LIBRARY_PATH",
                             library->info.path);
    return pm_fail_code(err, code, "cuptiProfilerInitialize", "sampling cannot be set up");
}

int pm_library_hold(const struct pm_library *library, struct rf_pm_error *err)
{
    struct pm_params params = {.struct_size = PM_PARAMS_SIZE};
    int code = PM_SUCCESS;
    lock();
    if (state.n_holds == 0)
        code = library->call.cuptiProfilerInitialize(&params);
    if (code == PM_SUCCESS)
        state.n_holds++;
    unlock();
    return code == PM_SUCCESS ? RF_PM_OK : fail_initialize(library, code, err);
}

void pm_library_release(const struct pm_library *library)
{
    struct pm_params params = {.struct_size = PM_PARAMS_SIZE};
    lock();
    if (state.n_holds > 0 && --state.n_holds == 0)
        (void)library->call.cuptiProfilerDeInitialize(&params);
    unlock();
}

int pm_library_renew(const struct pm_library *library, struct rf_pm_error *err)
{
    struct pm_params params = {.struct_size = PM_PARAMS_SIZE};
    int code = PM_SUCCESS;
    lock();
    if (state.n_holds == 1) {
        (void)library->call.cuptiProfilerDeInitialize(&params);
        params = (struct pm_params){.struct_size = PM_PARAMS_SIZE};
        code = library->call.cuptiProfilerInitialize(&params);
        state.n_holds = code == PM_SUCCESS;
    }
    unlock();
    return code == PM_SUCCESS ? RF_PM_OK : fail_initialize(library, code, err);
}

/* ---- Who samples what ---- */

int pm_session_enter(struct pm_session *session, size_t device, struct rf_pm_error *err)
{
    bool is_taken = false;
    lock();
    for (const struct pm_session *s = state.sessions; s != NULL; s = s->next)
        is_taken = is_taken || s->device == device;
    if (!is_taken) {
        *session = (struct pm_session){.next = state.sessions, .device = device};
        state.sessions = session;
    }
    unlock();
    if (is_taken)
        return pm_fail(err, RF_PM_ERR_ENABLED,
                       "GPU %zu is sampled already, by another collector of this process (pid %d): "
                       "disable that one first",
                       device, (int)getpid());
    return RF_PM_OK;
}

void pm_session_leave(struct pm_session *session)
{
    lock();
    for (struct pm_session **at = &state.sessions; *at != NULL; at = &(*at)->next) {
        if (*at == session) {
            *at = session->next;
            break;
        }
    }
    unlock();
}
