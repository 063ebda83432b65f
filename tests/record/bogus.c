/* SPDX-License-Identifier: Apache-2.0 */
/* Handles that nobody gave out, ids that nobody started, and ends without beginnings. */
#include "truth.h"

#include "modes.h"

#include <nvtx3/nvToolsExtSync.h>

#include <pthread.h>
#include <sys/wait.h>

static void *handle_of(uintptr_t number)
{
    return (void *)number;
}

static const uintptr_t numbers[] = {0x1234,      1000000,         0xffffffu,
                                    0xfffffffeu, 0x7fffdeadbeefu, UINTPTR_MAX};
enum { N_NUMBERS = sizeof numbers / sizeof numbers[0] };

static int run_handles(int argc, char **argv)
{
    (void)argc, (void)argv;
    truth_mark("before");
    for (size_t i = 0; i < N_NUMBERS; i++) {
        nvtxDomainHandle_t domain = handle_of(numbers[i]);
        nvtxEventAttributes_t a = truth_attributes("bogus domain");
        nvtxDomainMarkEx(domain, &a);
        nvtxDomainRangePushEx(domain, &a);
        nvtxDomainRangePop(domain);
        nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &a));
        nvtxDomainNameCategoryA(domain, 1, "category of a bogus domain");
        a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        a.message.registered = handle_of(numbers[i]);
        nvtxMarkEx(&a);
        a.message.registered = nvtxDomainRegisterStringA(domain, "registered there");
        nvtxMarkEx(&a);
        nvtxDomainResourceDestroy(handle_of(numbers[i]));
        nvtxSyncUser_t sync = handle_of(numbers[i]);
        nvtxDomainSyncUserAcquireStart(sync);
        nvtxDomainSyncUserReleasing(sync);
        nvtxDomainSyncUserDestroy(sync);
    }
    nvtxEventAttributes_t a = truth_attributes(NULL);
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED; /* a NULL handle */
    nvtxMarkEx(&a);
    truth_mark("after");
    for (size_t i = 0; i < N_NUMBERS; i++)
        nvtxDomainDestroy(handle_of(numbers[i]));
    nvtxDomainDestroy(NULL);
    truth_mark("after destroying");
    return 0;
}

/* Types that no version of NVTX has. */
static int run_types(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int type = 4; type < 100; type += 19) {
        nvtxEventAttributes_t a = truth_attributes("unused");
        a.messageType = type;
        nvtxMarkEx(&a);
        a = truth_attributes("odd color");
        a.colorType = type;
        a.color = 5;
        nvtxMarkEx(&a);
        a = truth_attributes("odd payload");
        a.payloadType = type + 3;
        a.payload.ullValue = 99;
        nvtxMarkEx(&a);
    }
    truth_mark("after");
    return 0;
}

static void *pops_what_is_not_its_own(void *unused)
{
    (void)unused;
    nvtxRangePop();
    return NULL;
}

static int run_ends(int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_t thread;
    nvtxRangePop(); /* nothing is open */
    truth_mark("after a pop without a push");
    for (size_t i = 0; i < N_NUMBERS; i++)
        nvtxRangeEnd(numbers[i]);
    nvtxRangeEnd(0);
    nvtxRangeId_t id = truth_start("ended twice");
    truth_end(id);
    nvtxRangeEnd(id);
    struct truth_domain domain = truth_domain_make("D");
    id = truth_start("ended by way of a domain");
    struct truth_note note = {.op = "end", .id = id};
    char *state = truth_begin(&note);
    nvtxDomainRangeEnd(domain.handle, id);
    truth_done(state);
    truth_push("not popped by another thread");
    if (pthread_create(&thread, NULL, pops_what_is_not_its_own, NULL))
        return 1;
    pthread_join(thread, NULL);
    nvtxDomainRangePop(domain.handle); /* nothing is open in this domain */
    truth_mark("inside");
    truth_pop();
    /* Stacks are per domain: these cross. */
    nvtxEventAttributes_t a = truth_attributes("D");
    truth_push("default");
    truth_push_ex(&domain, &a, NULL);
    truth_pop();
    truth_domain_pop(&domain);
    return 0;
}

static void mark_registered(struct truth_domain domain, nvtxStringHandle_t string)
{
    nvtxEventAttributes_t a = truth_attributes(NULL);
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = string;
    a.category = 2;
    nvtxDomainMarkEx(domain.handle, &a);
}

/* A forked child destroys its own copy of a domain. */
static int destroy_in_child(struct truth_domain domain)
{
    nvtxStringHandle_t string = nvtxDomainRegisterStringA(domain.handle, "inherited");
    pid_t pid = fork();
    if (pid == 0) {
        mark_registered(domain, string);
        nvtxDomainDestroy(domain.handle);
        mark_registered(domain, string);
        domain = truth_domain_make(domain.name);
        mark_registered(domain, nvtxDomainRegisterStringA(domain.handle, "the child's"));
        exit(0);
    }
    int status = 1;
    if (waitpid(pid, &status, 0) != pid)
        return 1;
    mark_registered(domain, string);
    return status != 0;
}

/* What a domain had is gone when it is destroyed; its name can come again. */
static int run_destroy(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct truth_domain domain = truth_domain_make("short-lived");
    nvtxStringHandle_t string = nvtxDomainRegisterStringA(domain.handle, "string");
    nvtxEventAttributes_t a = truth_attributes("started");
    nvtxDomainNameCategoryA(domain.handle, 1, "old name");
    nvtxDomainNameCategoryA(domain.handle, 2, "old name");
    a.category = 1;
    nvtxRangeId_t id = nvtxDomainRangeStartEx(domain.handle, &a);
    a.message.ascii = "pushed";
    nvtxDomainRangePushEx(domain.handle, &a);
    usleep(20000);
    nvtxDomainDestroy(domain.handle);
    usleep(20000);
    nvtxDomainRangeEnd(domain.handle, id); /* ignored: it was closed with its domain */
    nvtxDomainRangePop(domain.handle);
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = string;
    nvtxDomainMarkEx(domain.handle, &a);
    nvtxDomainDestroy(domain.handle);
    domain = truth_domain_make("short-lived");
    a = truth_attributes("in the second life");
    a.category = 1;
    nvtxDomainMarkEx(domain.handle, &a);
    nvtxDomainRangePushEx(domain.handle, &a);
    nvtxDomainRangePop(domain.handle);
    nvtxDomainNameCategoryA(domain.handle, 2, "its own name");
    a = truth_attributes("with a name of its own");
    a.category = 2;
    nvtxDomainMarkEx(domain.handle, &a);
    return destroy_in_child(domain);
}

/* Everything else that has a handle or a name. */
static int run_objects(int argc, char **argv)
{
    (void)argc, (void)argv;
    nvtxDomainHandle_t domain = nvtxDomainCreateA("objects");
    nvtxResourceAttributes_t resource;
    memset(&resource, 0, sizeof resource);
    resource.version = NVTX_VERSION;
    resource.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
    resource.identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER;
    resource.identifier.pValue = handle_of(0xabc0);
    resource.messageType = NVTX_MESSAGE_TYPE_ASCII;
    resource.message.ascii = "a resource";
    nvtxResourceHandle_t r = nvtxDomainResourceCreate(domain, &resource);
    nvtxDomainResourceDestroy(r);
    nvtxDomainResourceDestroy(r); /* stale */

    nvtxSyncUserAttributes_t attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = "a lock";
    nvtxSyncUser_t sync = nvtxDomainSyncUserCreate(domain, &attributes);
    nvtxDomainSyncUserAcquireStart(sync);
    nvtxDomainSyncUserAcquireFailed(sync);
    nvtxDomainSyncUserAcquireStart(sync);
    nvtxDomainSyncUserAcquireSuccess(sync);
    nvtxDomainSyncUserReleasing(sync);
    nvtxDomainSyncUserDestroy(sync);
    nvtxDomainSyncUserReleasing(sync); /* stale */

    nvtxNameCategoryA(3, "first name");
    nvtxNameCategoryA(3, "last name");
    nvtxDomainNameCategoryA(domain, 3, "name in the domain");
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "first thread name");
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "last thread name");
    nvtxNameOsThreadA(12345678, "a thread that does not exist");
    nvtxEventAttributes_t a = truth_attributes("with a category");
    a.category = 3;
    nvtxMarkEx(&a);
    nvtxDomainMarkEx(domain, &a);
    return 0;
}

/* Threads that resource objects name: themselves, or by others before or after they annotate. */
static pthread_barrier_t named;

static void name_by_resource(int32_t type, uint64_t identifier, const char *name)
{
    nvtxResourceAttributes_t resource;
    memset(&resource, 0, sizeof resource);
    resource.version = NVTX_VERSION;
    resource.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
    resource.identifierType = type;
    resource.identifier.ullValue = identifier;
    resource.messageType = NVTX_MESSAGE_TYPE_ASCII;
    resource.message.ascii = name;
    nvtxDomainResourceCreate(NULL, &resource);
}

static void *named_by_itself(void *unused)
{
    name_by_resource(NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE, (uint64_t)syscall(SYS_gettid),
                     "by its number");
    nvtxMarkA("by its number");
    return unused;
}

static void *named_by_main(void *text)
{
    nvtxMarkA(text);
    pthread_barrier_wait(&named);
    pthread_barrier_wait(&named);
    return NULL;
}

static void *named_before(void *text)
{
    pthread_barrier_wait(&named);
    pthread_barrier_wait(&named);
    nvtxMarkA(text);
    return NULL;
}

static int run_named(void *(*run)(void *), const char *name)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, (void *)name))
        return 1;
    if (run != named_by_itself) {
        pthread_barrier_wait(&named);
        name_by_resource(NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX, (uint64_t)thread, name);
        pthread_barrier_wait(&named);
    }
    return pthread_join(thread, NULL);
}

static int run_thread_names(int argc, char **argv)
{
    (void)argc, (void)argv;
    pthread_barrier_init(&named, NULL, 2);
    name_by_resource(NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX, (uint64_t)pthread_self(), "main's");
    nvtxMarkA("main's");
    for (size_t i = 0; i < N_NUMBERS; i++) {
        name_by_resource(NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX, numbers[i], "nobody's");
        name_by_resource(NVTX_RESOURCE_TYPE_GENERIC_POINTER, (uint64_t)pthread_self(), "no name");
    }
    return run_named(named_by_itself, NULL) || run_named(named_by_main, "by its handle") ||
           run_named(named_before, "before its first event");
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {
        {"handles", run_handles},
        {"types", run_types},
        {"ends", run_ends},
        {"destroy", run_destroy},
        {"objects", run_objects},
        {"thread-names", run_thread_names},
        {NULL, NULL},
    };
    return modes_run(modes, argc, argv);
}
