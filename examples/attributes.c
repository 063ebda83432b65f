/* SPDX-License-Identifier: Apache-2.0 */
/* A library's own domain, with registered strings, categories, colors and payloads: what makes
 * ranges cheap to record and easy to pick out of a large trace.
 *
 *     rangefinder profile --nvtx-domain-include=sorter build/bin/example-attributes
 */
#include <nvtx3/nvToolsExt.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CATEGORY_FILL = 1, CATEGORY_SORT = 2 };

/* Made once: a domain keeps the library's events apart from those of the application, and a
 * registered string is recorded as a number. */
struct annotations {
    nvtxDomainHandle_t domain;
    nvtxStringHandle_t fill;
    nvtxStringHandle_t sort;
};

static struct annotations annotations_make(void)
{
    struct annotations a;
    a.domain = nvtxDomainCreateA("sorter");
    a.fill = nvtxDomainRegisterStringA(a.domain, "fill");
    a.sort = nvtxDomainRegisterStringA(a.domain, "sort");
    nvtxDomainNameCategoryA(a.domain, CATEGORY_FILL, "prepare");
    nvtxDomainNameCategoryA(a.domain, CATEGORY_SORT, "work");
    return a;
}

static void push(const struct annotations *a, nvtxStringHandle_t name, uint32_t category,
                 uint32_t argb, uint64_t n_items)
{
    nvtxEventAttributes_t attributes = {0};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.category = category;
    attributes.colorType = NVTX_COLOR_ARGB;
    attributes.color = argb;
    attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    attributes.payload.ullValue = n_items;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = name;
    nvtxDomainRangePushEx(a->domain, &attributes);
}

static int compare(const void *left, const void *right)
{
    uint32_t l = *(const uint32_t *)left;
    uint32_t r = *(const uint32_t *)right;
    return (l > r) - (l < r);
}

int main(void)
{
    struct annotations a = annotations_make();
    static uint32_t items[1 << 16];
    for (size_t n = 1 << 10; n <= sizeof items / sizeof items[0]; n *= 2) {
        push(&a, a.fill, CATEGORY_FILL, 0xff76b900u, n);
        uint32_t random = 1;
        for (size_t i = 0; i < n; i++)
            items[i] = random = random * 1664525u + 1013904223u;
        nvtxDomainRangePop(a.domain);

        push(&a, a.sort, CATEGORY_SORT, 0xff0071c5u, n);
        qsort(items, n, sizeof items[0], compare);
        nvtxDomainRangePop(a.domain);
    }
    printf("smallest %u, largest %u\n", (unsigned)items[0], (unsigned)items[(1 << 16) - 1]);
    nvtxDomainDestroy(a.domain);
    return 0;
}
