/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the real libcupti what it tells without a GPU, through our own declarations.
 *
 *     probe           the one that is found: its path, its version; 77: there is none
 *     probe library   what it has, and what it says: functions, versions, the clock, names, records
 *     probe errors [LIBRARY]
 *                     what recording does when there is no device: nothing that crashes; with the
 *                     LIBRARY, the driver's, mapped before
 *
 * Prints what it finds; exit status 1 where that is not what the recorder believes. */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cupti_library.h"
#include "base/cupti_version.h"
#include "double.h"
#include "probe.h"

/* What NVIDIA's libraries keep is not ours. Asked for by the address sanitizer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static struct rf_cupti_library library;
static struct rf_cupti cupti;
static int status;

void probe_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("WRONG: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    status = 1;
}

static void find_functions(void)
{
    const struct {
        const char *name;
        void **place;
        int is_needed;
    } functions[] = {
#define ROW(member, symbol, is_needed, parameters)                                                 \
    {#symbol, (void **)(void *)&cupti.member, is_needed},
        RF_CUPTI_FUNCTIONS(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *found = dlsym(library.handle, functions[i].name);
        memcpy(functions[i].place, &found, sizeof(found));
        if (found == NULL && functions[i].is_needed)
            probe_fail("no %s", functions[i].name);
        else if (found == NULL)
            printf("lacks %s\n", functions[i].name);
    }
    if (status != 0)
        exit(status);
}

static uint64_t real_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* CLOCK_REALTIME, cut to microseconds by some versions. */
static void check_clock(void)
{
    uint64_t before = real_time();
    uint64_t time = 0;
    int result = cupti.get_timestamp(&time);
    uint64_t after = real_time();
    if (result != 0 || time + 1000 < before || time > after + 1000)
        probe_fail("cuptiGetTimestamp: %d, %llu, between %llu and %llu of CLOCK_REALTIME", result,
                   (unsigned long long)time, (unsigned long long)before, (unsigned long long)after);
}

static void check_name(int domain, uint32_t cbid, const char *expected)
{
    const char *name = NULL;
    int result = cupti.get_callback_name(domain, cbid, &name);
    if (result != 0 || name == NULL || strcmp(name, expected) != 0)
        probe_fail("callback %d.%u is %d '%s', expected '%s'", domain, cbid, result,
                   name != NULL ? name : "(null)", expected);
}

/* What the stand-in calls its functions, as this library has it. */
static void check_stand_in_names(void)
{
    for (int domain = DOUBLE_DRIVER; domain <= DOUBLE_RUNTIME; domain++) {
        for (uint32_t cbid = 1; cbid < 1000; cbid++) {
            const char *name = double_callback_name((enum double_domain)domain, cbid);
            bool is_there = name != NULL && (library.major >= 13 || strstr(name, "_v13") == NULL);
            if (is_there)
                check_name(domain, cbid, name);
        }
    }
}

static void check_result(int result, const char *expected)
{
    const char *text = NULL;
    if (cupti.get_result_string(result, &text) != 0 || text == NULL || strcmp(text, expected) != 0)
        probe_fail("result %d is '%s', expected '%s'", result, text != NULL ? text : "(null)",
                   expected);
}

static void check_library(void)
{
    uint32_t version = 0, of_file = rf_cupti_version_of_file(library.path);
    if (of_file != library.version)
        probe_fail("the file says version %u, expected %u", of_file, library.version);
    if (cupti.get_version(&version) != 0 || version != library.version)
        probe_fail("cuptiGetVersion: %u, expected %u", version, library.version);
    check_clock();
    check_name(RF_CUPTI_DOMAIN_DRIVER, RF_CUPTI_CBID_CU_PROFILER_START, "cuProfilerStart");
    check_name(RF_CUPTI_DOMAIN_DRIVER, RF_CUPTI_CBID_CU_PROFILER_STOP, "cuProfilerStop");
    check_stand_in_names();
    check_result(RF_CUPTI_ERROR_NOT_INITIALIZED, "CUPTI_ERROR_NOT_INITIALIZED");
    check_result(RF_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
                 "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED");
    check_result(RF_CUPTI_ERROR_UNKNOWN, "CUPTI_ERROR_UNKNOWN");
    probe_records(&cupti, library.major, library.version);
}

/* ---- Without a device ---- */

static void on_callback(void *user, int domain, uint32_t cbid, const void *data)
{
    (void)user, (void)domain, (void)cbid, (void)data;
    probe_fail("a callback, without a device");
}

static void request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    (void)buffer, (void)size, (void)max_records;
    probe_fail("a buffer is asked for, without a device");
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                     size_t valid_size)
{
    (void)context, (void)stream, (void)buffer, (void)size, (void)valid_size;
    probe_fail("a buffer is given back, without a device");
}

/* All that the recorder may call, though it stops at the first failure. */
static void check_errors(void)
{
    void *subscriber = NULL;
    size_t n_dropped = 0;
    int subscribed = cupti.subscribe(&subscriber, on_callback, NULL);
    printf("subscribe %d\n", subscribed);
    if (subscribed != RF_CUPTI_ERROR_NOT_INITIALIZED && subscribed != RF_CUPTI_ERROR_UNKNOWN)
        probe_fail("cuptiSubscribe: %d, expected 15 or 999", subscribed);
    printf("thread ids %d\n", cupti.set_thread_id_type(RF_CUPTI_THREAD_ID_SYSTEM));
    printf("callbacks %d\n", cupti.register_callbacks(request, complete));
    printf("enable %d\n", cupti.enable(RF_CUPTI_KIND_CONCURRENT_KERNEL));
    printf("enable callback %d\n", cupti.enable_callback(1, subscriber, RF_CUPTI_DOMAIN_DRIVER,
                                                         RF_CUPTI_CBID_CU_PROFILER_START));
    printf("flush %d\n", cupti.flush_all(0));
    if (library.version < 130200) /* since then it needs a subscriber, and crashes without one */
        printf("dropped %d\n", cupti.get_n_dropped(NULL, 0, &n_dropped));
    printf("disable %d\n", cupti.disable(RF_CUPTI_KIND_CONCURRENT_KERNEL));
    printf("flush %d\n", cupti.flush_all(RF_CUPTI_FLUSH_FORCED));
    check_clock();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (argc > 2 && dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL) == NULL)
        probe_fail("%s", dlerror());
    errno = 4711;
    int found = rf_cupti_library_load(&library, 0, NULL);
    if (errno != 4711)
        probe_fail("errno is changed to %d", errno);
    if (library.tried[0] != '\0')
        printf("tried %s\n", library.tried);
    if (found != 0)
        return 77;
    printf("path %s\nversion %d.%d %u\n", library.path, library.major, library.minor,
           library.version);
    find_functions();
    if (strcmp(what, "library") == 0)
        check_library();
    else if (strcmp(what, "errors") == 0)
        check_errors();
    fflush(stdout);
    return status;
}
