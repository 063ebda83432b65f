/* SPDX-License-Identifier: Apache-2.0 */
/* What makes a file a libcupti for those who look: the version, and the names of what recording
 * calls, which nobody calls here. */
#include "pm_double.h"

#define UNUSED(name)                                                                               \
    PM_DOUBLE_EXPORT int name(void);                                                               \
    int name(void)                                                                                 \
    {                                                                                              \
        pm_double_violation(#name ": this is the stand-in for sampling");                          \
        return 999;                                                                                \
    }

UNUSED(cuptiActivityDisable)
UNUSED(cuptiActivityEnable)
UNUSED(cuptiActivityFlushAll)
UNUSED(cuptiActivityGetNextRecord)
UNUSED(cuptiActivityRegisterCallbacks)
UNUSED(cuptiEnableCallback)
UNUSED(cuptiGetCallbackName)
UNUSED(cuptiGetTimestamp)
UNUSED(cuptiSetThreadIdType)
UNUSED(cuptiSubscribe)

PM_DOUBLE_EXPORT int cuptiGetVersion(uint32_t *version);
int cuptiGetVersion(uint32_t *version)
{
    *version = pm_double_version();
    return 0;
}
