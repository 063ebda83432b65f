/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/report_refusals.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "stats/report_list.h"

#define NOT_READ(what) what " is not read from recordings; use nsys stats"

static const struct {
    const char *name, *alias;
    const char *why;
} refusals[] = {
    {"dx11_pix_sum", NULL, NOT_READ("Direct3D 11 (Windows)")},
    {"dx12_gpu_marker_sum", NULL, NOT_READ("Direct3D 12 (Windows)")},
    {"dx12_pix_sum", NULL, NOT_READ("Direct3D 12 (Windows)")},
    {"wddm_queue_sum", "wddm_queues_details", NOT_READ("the WDDM queue of Windows")},
    {"opengl_khr_range_sum", "khrdebugsum", NOT_READ("OpenGL (KHR_debug)")},
    {"opengl_khr_gpu_range_sum", "khrdebuggpusum", NOT_READ("OpenGL (KHR_debug)")},
    {"vulkan_api_sum", NULL, NOT_READ("Vulkan")},
    {"vulkan_api_trace", NULL, NOT_READ("Vulkan")},
    {"vulkan_gpu_marker_sum", NULL, NOT_READ("Vulkan")},
    {"vulkan_marker_sum", "vulkanmarkerssum", NOT_READ("Vulkan")},
    {"nvvideo_api_sum", NULL, NOT_READ("the video API")},
};

const char *rf_report_refusal(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof(refusals) / sizeof(refusals[0]); i++)
        if (rf_is_same_report_name(name, refusals[i].name) ||
            (refusals[i].alias != NULL && rf_is_same_report_name(name, refusals[i].alias)))
            return refusals[i].why;
    return NULL;
}

const char *rf_report_refusal_at(size_t i, const char **alias, const char **why)
{
    if (i >= sizeof(refusals) / sizeof(refusals[0]))
        return NULL;
    *alias = refusals[i].alias;
    *why = refusals[i].why;
    return refusals[i].name;
}
