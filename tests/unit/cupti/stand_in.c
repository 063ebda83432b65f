/* SPDX-License-Identifier: Apache-2.0 */
/* What the search for libcupti finds: the functions that recording needs, and a version. */
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

#ifdef STAND_IN_SILENT
static volatile int has_driver; /* without one it does not say */
#else
enum { has_driver = 1 };
#endif

EXPORT int cuptiGetVersion(uint32_t *version);
int cuptiGetVersion(uint32_t *version)
{
    if (!has_driver)
        return 999;
    *version = STAND_IN_VERSION;
    return STAND_IN_VERSION == 0 ? 999 : 0;
}

#define FUNCTION(name)                                                                             \
    EXPORT int name(void);                                                                         \
    int name(void)                                                                                 \
    {                                                                                              \
        return 999;                                                                                \
    }

FUNCTION(cuptiActivityDisable)
FUNCTION(cuptiActivityEnable)
FUNCTION(cuptiActivityFlushAll)
FUNCTION(cuptiActivityGetNextRecord)
FUNCTION(cuptiActivityRegisterCallbacks)
FUNCTION(cuptiEnableCallback)
FUNCTION(cuptiGetCallbackName)
FUNCTION(cuptiGetTimestamp)
FUNCTION(cuptiSetThreadIdType)
#ifdef STAND_IN_SAMPLES
FUNCTION(cuptiPmSamplingEnable)
#endif
#ifndef STAND_IN_LACKS
FUNCTION(cuptiSubscribe)
#endif
