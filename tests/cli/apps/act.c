/* SPDX-License-Identifier: Apache-2.0 */
/* act: a program that annotates as its arguments say, one after another:
 *
 *     push:TEXT pop mark:TEXT        in the default domain, or in that of the last domain:NAME
 *     domain:NAME                    NAME empty: the default domain
 *     trigger:TEXT                   push:TEXT with a registered string
 *     start:TEXT end                 a started range and its end, in the default domain
 *     part:TEXT unpart               one that is part of it, and its end
 *     cuda:start cuda:stop           cudaProfilerStart and Stop, where something has them
 *     repeat:N                       goes back to the beginning, N times in all
 *     ranges:N                       N ranges
 *     print:TEXT                     a line on standard output
 *     sleep:MS                       waits
 *     touch:PATH                     makes a file
 *     await:PATH                     waits until there is such a file
 *     linger:PATH                    leaves a process behind that annotates when PATH is there
 *     kill:SIGNAL                    sends itself a signal
 *     exit:STATUS */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nvtx3/nvToolsExt.h>

extern int cudaProfilerStart(void) __attribute__((weak));
extern int cudaProfilerStop(void) __attribute__((weak));

static nvtxDomainHandle_t domain;
static nvtxRangeId_t started, part;

static nvtxEventAttributes_t attributes(const char *text)
{
    nvtxEventAttributes_t attributes;
    memset(&attributes, 0, sizeof(attributes));
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = text;
    return attributes;
}

static void push(const char *text)
{
    nvtxEventAttributes_t event = attributes(text);
    (void)nvtxDomainRangePushEx(domain, &event);
}

static void trigger(const char *text)
{
    nvtxEventAttributes_t event = attributes(NULL);
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = nvtxDomainRegisterStringA(domain, text);
    (void)nvtxDomainRangePushEx(domain, &event);
}

/* As Python's tasks are: the recorder is told. */
static void start_part(const char *text)
{
    const char *recorder = getenv("NVTX_INJECTION64_PATH");
    void *library = recorder != NULL ? dlopen(recorder, RTLD_NOW | RTLD_NOLOAD) : NULL;
    void (*tell)(uint64_t, uint64_t) = NULL;
    part = nvtxRangeStartA(text);
    if (library != NULL)
        *(void **)(&tell) = dlsym(library, "rangefinder_range_parent");
    if (tell != NULL)
        tell(part, started);
}

static void mark(const char *text)
{
    nvtxEventAttributes_t event = attributes(text);
    nvtxDomainMarkEx(domain, &event);
}

static void ranges(int n)
{
    for (int i = 0; i < n; i++) {
        push("twenty-four bytes, text.");
        (void)nvtxDomainRangePop(domain);
    }
}

static void await(const char *path)
{
    struct stat st;
    while (stat(path, &st) != 0)
        (void)usleep(2000);
}

static void touch(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file != NULL)
        (void)fclose(file);
}

static void linger(const char *path)
{
    if (fork() != 0)
        return;
    await(path);
    mark("left behind");
    exit(0);
}

static void act(const char *verb, const char *value)
{
    if (strcmp(verb, "push") == 0)
        push(value);
    else if (strcmp(verb, "pop") == 0)
        (void)nvtxDomainRangePop(domain);
    else if (strcmp(verb, "mark") == 0)
        mark(value);
    else if (strcmp(verb, "domain") == 0)
        domain = value[0] != '\0' ? nvtxDomainCreateA(value) : NULL;
    else if (strcmp(verb, "trigger") == 0)
        trigger(value);
    else if (strcmp(verb, "start") == 0)
        started = nvtxRangeStartA(value);
    else if (strcmp(verb, "end") == 0)
        nvtxRangeEnd(started);
    else if (strcmp(verb, "part") == 0)
        start_part(value);
    else if (strcmp(verb, "unpart") == 0)
        nvtxRangeEnd(part);
    else if (strcmp(verb, "cuda") == 0 && cudaProfilerStart != NULL && cudaProfilerStop != NULL)
        (void)(strcmp(value, "start") == 0 ? cudaProfilerStart() : cudaProfilerStop());
    else if (strcmp(verb, "ranges") == 0)
        ranges(atoi(value));
    else if (strcmp(verb, "print") == 0)
        printf("%s\n", value);
    else if (strcmp(verb, "sleep") == 0)
        (void)usleep((useconds_t)atoi(value) * 1000);
    else if (strcmp(verb, "touch") == 0)
        touch(value);
    else if (strcmp(verb, "await") == 0)
        await(value);
    else if (strcmp(verb, "linger") == 0)
        linger(value);
    else if (strcmp(verb, "kill") == 0)
        (void)raise(atoi(value));
    else if (strcmp(verb, "exit") == 0)
        exit(atoi(value));
}

int main(int argc, char **argv)
{
    int n_rounds = 1;
    for (int i = 1; i < argc; i++) {
        char verb[32];
        size_t length = strcspn(argv[i], ":");
        const char *value = argv[i] + length + (argv[i][length] == ':');
        (void)snprintf(verb, sizeof(verb), "%.*s", (int)length, argv[i]);
        (void)fflush(stdout);
        if (strcmp(verb, "repeat") == 0)
            i = n_rounds++ < atoi(value) ? 0 : i;
        else
            act(verb, value);
    }
    return 0;
}
