/* SPDX-License-Identifier: Apache-2.0 */
/* A program of NVIDIA's headers alone: their loader, their helpers of events and counters.
 *
 *     nvidia BACKEND OUTPUT
 *
 * The loader's functions stand in a source file that the headers do not bring: nvtxwGetInterface is
 * taken from the library directly, as the headers allow. */
#include <nvtxw3/nvtxw3_counter_helpers.h>
#include <nvtxw3/nvtxw3_event_helpers.h>
#include <nvtxw3/nvtxw3_setup_helpers.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define RF_RECORD_NVTX_NVTX_H /* the headers above have its place */
#include "nvtxw/nvtxw_abi.h"

/* Our declarations lay everything out as theirs do. */
#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(struct ours) == sizeof(theirs), #theirs)
#define SAME_PLACE(ours, theirs)                                                                   \
    _Static_assert(offsetof(struct nvtxw_interface, ours) == offsetof(nvtxwInterface_t, theirs),   \
                   #theirs)
SAME_SIZE(nvtxw_session_attributes, nvtxwSessionAttributes_t);
SAME_SIZE(nvtxw_domain_attributes, nvtxwDomainAttributes_t);
SAME_SIZE(nvtxw_stream_attributes, nvtxwStreamAttributes_t);
SAME_SIZE(nvtxw_interface, nvtxwInterface_t);
SAME_PLACE(session_end, SessionEnd);
SAME_PLACE(resource_register, ResourceRegister);
SAME_PLACE(time_domain_register, TimeDomainRegister);
SAME_PLACE(stream_close, StreamClose);
SAME_PLACE(counter_batch_write, CounterBatchWrite);
SAME_PLACE(timestamp_conversion_factor_write, TimestampConversionFactorWrite);
_Static_assert(NVTXW_VERSION == NVTXW_INTERFACE_VERSION, "version");
_Static_assert(NVTXW_INVALID_ARGUMENT == NVTXW_RESULT_INVALID_ARGUMENT, "results");

/* The loader that the setup helpers call. */
nvtxwResultCode_t nvtxwLoad(const char *library, nvtxwGetInterface_t *get,
                            nvtxwModuleHandle_t *module)
{
    *module = dlopen(library, RTLD_NOW);
    *(void **)get = *module != NULL ? dlsym(*module, NVTXW_GET_INTERFACE_SYMBOL_NAME) : NULL;
    return *get != NULL ? NVTXW_RESULT_SUCCESS : NVTXW_RESULT_LIBRARY_LOAD_FAILED;
}

void nvtxwUnload(nvtxwModuleHandle_t module)
{
    void (*finalize)(void);
    *(void **)&finalize = dlsym(module, NVTXW_FINALIZE_SYMBOL_NAME);
    finalize();
    (void)dlclose(module);
}

static int failed(const char *what)
{
    (void)fprintf(stderr, "%s failed\n", what);
    return 1;
}

static int write_events(const nvtxwEventWriter_t *w, nvtxDomainHandle_t domain)
{
    nvtxwEventAttributes_t registered = {.color = 0xff00ff00, .category = 3};
    nvtxwEventAttributesUtf8_t text = {.message = "text that goes on", .messageLength = 4};
    int result = w->iface->StringRegister(domain, "string", &registered.message);
    result |= nvtxwCategoryRegister(w->iface, domain, 3, "third");
    result |= nvtxwMarkWrite(w, 1000, registered);
    result |= nvtxwMarkWriteUtf8(w, 1001, text);
    text.message = "whole";
    text.messageLength = 0;
    result |= nvtxwRangePushPopWrite(w, 2000, 3000, registered);
    result |= nvtxwRangePushPopWriteUtf8(w, 2100, 2900, text);
    result |= nvtxwRangeStartEndWriteUtf8(w, 2200, 5000, text);
    result |= nvtxwRangePushWriteUtf8(w, 6000, text);
    result |= nvtxwRangePopWrite(w, 6500);
    result |= nvtxwRangeStartWrite(w, 7000, 77, registered);
    result |= nvtxwRangeEndWrite(w, 7500, 77);
    text.message = NULL;
    result |= nvtxwMarkWriteUtf8(w, 8000, text);
    return result != 0 ? failed("an event") : 0;
}

static int write_counters(const nvtxwEventWriter_t *w, nvtxDomainHandle_t domain)
{
    uint64_t whole, real;
    int result = nvtxwCounterInt64Register(w->iface, domain, "whole", NULL, &whole);
    result |= nvtxwCounterFloat64Register(w->iface, domain, "real", NULL, &real);
    result |= nvtxwCounterInt64Write(w->iface, w->stream, 1500, whole, -5);
    result |= nvtxwCounterFloat64Write(w->iface, w->stream, 1600, real, 0.25);
    return result != 0 ? failed("a counter") : 0;
}

int main(int argc, char **argv)
{
    const nvtxwInterface_t *iface = NULL;
    nvtxwModuleHandle_t module = NULL;
    nvtxwSessionAttributes_t a;
    nvtxwSessionHandle_t session = NULL;
    nvtxDomainHandle_t domain = NULL;
    nvtxwEventWriter_t writer;
    char config[4096];
    if (argc != 3 || nvtxwLoadInterface(argv[1], &iface, &module) != NVTXW_RESULT_SUCCESS)
        return failed("loading");
    (void)nvtxwSessionAttributesInit(&a);
    (void)snprintf(config, sizeof config, "output=%s", argv[2]);
    a.name = "nvidia";
    a.configString = config;
    if (iface->SessionBegin(&a, &session) != NVTXW_RESULT_SUCCESS ||
        nvtxwDomainRegister(iface, session, "helpers", &domain) != NVTXW_RESULT_SUCCESS ||
        nvtxwEventWriterOpen(iface, session, "main", domain, NULL, 0, &writer) !=
            NVTXW_RESULT_SUCCESS)
        return failed("beginning");
    if (write_events(&writer, domain) != 0 || write_counters(&writer, domain) != 0)
        return 1;
    if (iface->SessionEnd(session) != NVTXW_RESULT_SUCCESS)
        return failed("ending");
    nvtxwUnload(module);
    return 0;
}
