/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the annotation headers as a shared library, for languages that can call C but
 * not compile it. Everything that NVTX needs is in the headers: there is nothing to link. */
#include <nvtx3/nvToolsExt.h>

#include <string.h>

#define SHIM __attribute__((visibility("default")))

SHIM void shim_mark(const char *message);
SHIM void shim_push(const char *message);
SHIM void shim_push_colored(const char *message, unsigned argb);
SHIM void shim_pop(void);
SHIM unsigned long long shim_start(const char *message);
SHIM void shim_end(unsigned long long id);
SHIM void shim_name_thread(unsigned tid, const char *name);

void shim_mark(const char *message)
{
    nvtxMarkA(message);
}

void shim_push(const char *message)
{
    nvtxRangePushA(message);
}

void shim_push_colored(const char *message, unsigned argb)
{
    nvtxEventAttributes_t attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.colorType = NVTX_COLOR_ARGB;
    attributes.color = argb;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = message;
    nvtxRangePushEx(&attributes);
}

void shim_pop(void)
{
    nvtxRangePop();
}

unsigned long long shim_start(const char *message)
{
    return nvtxRangeStartA(message);
}

void shim_end(unsigned long long id)
{
    nvtxRangeEnd(id);
}

void shim_name_thread(unsigned tid, const char *name)
{
    nvtxNameOsThreadA(tid, name);
}
