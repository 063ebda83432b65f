/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda/cuda_messages.h"

#include <string.h>

#include "cuda/cuda_state.h"
#include "record/process/session_page.h"
#include "record/text.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

void rf_cuda_report_off(const char *a, const char *b, const char *c)
{
    char text[RF_MESSAGE_SIZE];
    size_t at = rf_put_text(text, sizeof(text), 0, "CUDA is not recorded: ");
    at = rf_put_text(text, sizeof(text), at, a);
    if (b != NULL) {
        at = rf_put_text(text, sizeof(text), at, " '");
        at = rf_put_text(text, sizeof(text), at, b);
        at = rf_put_text(text, sizeof(text), at, "'");
    }
    if (c != NULL)
        (void)rf_put_text(text, sizeof(text), at, c);
    rf_session_add_message(text);
}

/* Reports the library that was tried first, and why it could not be loaded. A path that does not
 * fit loses its beginning. */
static void report_tried(const char *tried)
{
    char text[RF_MESSAGE_SIZE];
    const char *behind = strstr(tried, "; ");
    size_t size = behind != NULL ? (size_t)(behind - tried) : strlen(tried);
    size_t at = rf_put_text(text, sizeof(text), 0, "tried ");
    if (size > sizeof(text) - 1 - at) {
        at = rf_put_text(text, sizeof(text), at, "...");
        tried += size - (sizeof(text) - 1 - at);
        size = sizeof(text) - 1 - at;
    }
    memcpy(text + at, tried, size);
    text[at + size] = '\0';
    rf_session_add_message(text);
}

void rf_cuda_report_no_library(void)
{
    if (rf_cuda.cupti_file.tried[0] == '\0') {
        rf_cuda_report_off(
            "there is no libcupti (pip install nvidia-cuda-cupti, or set RANGEFINDER_CUPTI)", NULL,
            NULL);
        return;
    }
    rf_cuda_report_off("no libcupti can be loaded; 'rangefinder doctor' says more", NULL, NULL);
    report_tried(rf_cuda.cupti_file.tried);
}

void rf_cuda_report_result(int result)
{
    char text[96];
    const char *name = base_name(rf_cuda.cupti_file.path);
    if (result == RF_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
        rf_cuda_report_off("another profiler has CUPTI in this process (39): run without it", NULL,
                           NULL);
        return;
    }
    size_t at = rf_put_text(text, sizeof(text), 0, " does not start (");
    at = rf_put_number(text, sizeof(text), at, (uint64_t)result, 1);
    (void)rf_put_text(text, sizeof(text), at, "): no GPU, or an older driver than it needs");
    rf_cuda_report_off("CUPTI", name, text);
}
