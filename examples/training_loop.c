/* SPDX-License-Identifier: Apache-2.0 */
/* A training loop that says which of its steps are worth recording: PROFILE_COUNT steps (3) from
 * step PROFILE_STEP (10) on, after the warm-up. It says so in both ways; one is enough:
 *
 *     rangefinder profile -c nvtx -p profile@training build/bin/example-training_loop
 *     rangefinder profile -c cudaProfilerApi build/bin/example-training_loop
 *
 * Without a profiler neither costs anything. The argument is the number of steps (100). */
#include <nvtx3/nvToolsExt.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Of the CUDA runtime, where the program is linked to it; here also without. */
extern int cudaProfilerStart(void) __attribute__((weak));
extern int cudaProfilerStop(void) __attribute__((weak));

static nvtxDomainHandle_t domain;

static nvtxEventAttributes_t with_message(nvtxStringHandle_t message)
{
    nvtxEventAttributes_t attributes = {0};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = message;
    return attributes;
}

static void run_step(int step)
{
    char name[32];
    snprintf(name, sizeof(name), "step %d", step);
    nvtxRangePushA(name);
    nvtxRangePushA("forward");
    usleep(400);
    nvtxRangePop();
    nvtxRangePushA("backward");
    usleep(800);
    nvtxRangePop();
    nvtxRangePushA("optimizer");
    usleep(200);
    nvtxRangePop();
    nvtxRangePop();
}

static int number_of(const char *variable, int otherwise)
{
    const char *value = getenv(variable);
    return value != NULL ? atoi(value) : otherwise;
}

int main(int argc, char **argv)
{
    int n_steps = argc > 1 ? atoi(argv[1]) : 100;
    int first = number_of("PROFILE_STEP", 10);
    int end = first + number_of("PROFILE_COUNT", 3);
    domain = nvtxDomainCreateA("training");
    /* registered: a message that begins a capture must be found without comparing texts */
    nvtxEventAttributes_t profile = with_message(nvtxDomainRegisterStringA(domain, "profile"));

    for (int step = 0; step < n_steps; step++) {
        if (step == first) {
            if (cudaProfilerStart != NULL)
                cudaProfilerStart();
            nvtxDomainRangePushEx(domain, &profile);
        }
        run_step(step);
        if (step == end - 1) {
            nvtxDomainRangePop(domain);
            if (cudaProfilerStop != NULL)
                cudaProfilerStop();
        }
    }
    return 0;
}
