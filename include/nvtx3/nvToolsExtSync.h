/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3: locks. Names for the locks of the system (as resources, see
 * nvtxDomainResourceCreate), and events for locks that a program builds itself, from atomic
 * operations for instance, which no tool can see otherwise:
 *
 *     nvtxDomainSyncUserAcquireStart(lock);
 *     if (try_lock())
 *         nvtxDomainSyncUserAcquireSuccess(lock);
 *     else
 *         nvtxDomainSyncUserAcquireFailed(lock);
 *     ...
 *     nvtxDomainSyncUserReleasing(lock);
 *     unlock();
 *
 * nvToolsExt.h says what holds for all functions.
 */
#include "nvToolsExt.h"

#if defined(NVTX_AS_SYSTEM_HEADER)
#if defined(__clang__)
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif
#endif

#ifndef RF_NVTX_IMPLEMENTATION
/* another implementation's nvToolsExt.h was included first: its header, then */
#include_next <nvtx3/nvToolsExtSync.h>
#elif !defined(NVTOOLSEXT_SYNC_V3)
#define NVTOOLSEXT_SYNC_V3

#ifdef __cplusplus
extern "C" {
#endif

/* Resource classes: objects of the operating system, objects of the pthread library. */
#define NVTX_RESOURCE_CLASS_SYNC_OS      2
#define NVTX_RESOURCE_CLASS_SYNC_PTHREAD 3

/* Resource types of the pthread library; the identifier is the object's address. */
typedef enum nvtxResourceSyncPosixThreadType_t {
    NVTX_RESOURCE_TYPE_SYNC_PTHREAD_MUTEX = NVTX_RESOURCE_MAKE_TYPE(SYNC_PTHREAD, 1),
    NVTX_RESOURCE_TYPE_SYNC_PTHREAD_CONDITION = NVTX_RESOURCE_MAKE_TYPE(SYNC_PTHREAD, 2),
    NVTX_RESOURCE_TYPE_SYNC_PTHREAD_RWLOCK = NVTX_RESOURCE_MAKE_TYPE(SYNC_PTHREAD, 3),
    NVTX_RESOURCE_TYPE_SYNC_PTHREAD_BARRIER = NVTX_RESOURCE_MAKE_TYPE(SYNC_PTHREAD, 4),
    NVTX_RESOURCE_TYPE_SYNC_PTHREAD_SPINLOCK = NVTX_RESOURCE_MAKE_TYPE(SYNC_PTHREAD, 5),
    NVTX_RESOURCE_TYPE_SYNC_PTHREAD_ONCE = NVTX_RESOURCE_MAKE_TYPE(SYNC_PTHREAD, 6)
} nvtxResourceSyncPosixThreadType_t;

/* Resource types of Windows. Their numbers overlap with those of Linux on purpose: a recording
 * knows its system. */
typedef enum nvtxResourceSyncWindowsType_t {
    NVTX_RESOURCE_TYPE_SYNC_WINDOWS_MUTEX = NVTX_RESOURCE_MAKE_TYPE(SYNC_OS, 1),
    NVTX_RESOURCE_TYPE_SYNC_WINDOWS_SEMAPHORE = NVTX_RESOURCE_MAKE_TYPE(SYNC_OS, 2),
    NVTX_RESOURCE_TYPE_SYNC_WINDOWS_EVENT = NVTX_RESOURCE_MAKE_TYPE(SYNC_OS, 3),
    NVTX_RESOURCE_TYPE_SYNC_WINDOWS_CRITICAL_SECTION = NVTX_RESOURCE_MAKE_TYPE(SYNC_OS, 4),
    NVTX_RESOURCE_TYPE_SYNC_WINDOWS_SRWLOCK = NVTX_RESOURCE_MAKE_TYPE(SYNC_OS, 5)
} nvtxResourceSyncWindowsType_t;

/* Resource types of Linux, and of Android. */
typedef enum nvtxResourceSyncLinuxType_t {
    NVTX_RESOURCE_TYPE_SYNC_LINUX_MUTEX = NVTX_RESOURCE_MAKE_TYPE(SYNC_OS, 1),
    NVTX_RESOURCE_TYPE_SYNC_LINUX_FUTEX = NVTX_RESOURCE_MAKE_TYPE(SYNC_OS, 2),
    NVTX_RESOURCE_TYPE_SYNC_LINUX_SEMAPHORE = NVTX_RESOURCE_MAKE_TYPE(SYNC_OS, 3),
    NVTX_RESOURCE_TYPE_SYNC_LINUX_COMPLETION = NVTX_RESOURCE_MAKE_TYPE(SYNC_OS, 4),
    NVTX_RESOURCE_TYPE_SYNC_LINUX_SPINLOCK = NVTX_RESOURCE_MAKE_TYPE(SYNC_OS, 5),
    NVTX_RESOURCE_TYPE_SYNC_LINUX_SEQLOCK = NVTX_RESOURCE_MAKE_TYPE(SYNC_OS, 6),
    NVTX_RESOURCE_TYPE_SYNC_LINUX_RCU = NVTX_RESOURCE_MAKE_TYPE(SYNC_OS, 7)
} nvtxResourceSyncLinuxType_t;

typedef enum nvtxResourceSyncLinuxType_t nvtxResourceSyncAndroidType_t;

/* A lock that the program built itself. The tool's; NULL without a tool. */
typedef struct nvtxSyncUser *nvtxSyncUser_t;

/* Describes such a lock. To be set up like nvtxEventAttributes_t: zero, version, size, rest. */
typedef struct nvtxSyncUserAttributes_v0 {
    uint16_t version;           /* NVTX_VERSION */
    uint16_t size;              /* NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE */
    int32_t messageType;        /* nvtxMessageType_t */
    nvtxMessageValue_t message; /* its name */
} nvtxSyncUserAttributes_v0;

typedef struct nvtxSyncUserAttributes_v0 nvtxSyncUserAttributes_t;

#define NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE                                                           \
    (NVTX_STATIC_CAST(uint16_t, sizeof(nvtxSyncUserAttributes_v0)))

/* Introduces a lock of `domain`. Returns its handle; NULL without a tool. */
NVTX_DECLSPEC nvtxSyncUser_t NVTX_API
nvtxDomainSyncUserCreate(nvtxDomainHandle_t domain, const nvtxSyncUserAttributes_t *attribs);

/* Says that the lock is gone. The handle must not be used any more. */
NVTX_DECLSPEC void NVTX_API nvtxDomainSyncUserDestroy(nvtxSyncUser_t handle);

/* The calling thread is about to try for the lock... */
NVTX_DECLSPEC void NVTX_API nvtxDomainSyncUserAcquireStart(nvtxSyncUser_t handle);

/* ... has given up without it... */
NVTX_DECLSPEC void NVTX_API nvtxDomainSyncUserAcquireFailed(nvtxSyncUser_t handle);

/* ... or has got it. */
NVTX_DECLSPEC void NVTX_API nvtxDomainSyncUserAcquireSuccess(nvtxSyncUser_t handle);

/* The calling thread is about to release the lock. */
NVTX_DECLSPEC void NVTX_API nvtxDomainSyncUserReleasing(nvtxSyncUser_t handle);

/* The functions' types with their real parameters, for tools. */
RF_NVTX_SYNC(RF_NVTX_TYPE_V, RF_NVTX_TYPE_R, nvtxSyncUser_t, nvtxSyncUserAttributes_t)

#ifndef NVTX_NO_IMPL
RF_NVTX_SYNC(RF_NVTX_CALL_V, RF_NVTX_CALL_R, nvtxSyncUser_t, nvtxSyncUserAttributes_t)
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NVTOOLSEXT_SYNC_V3 */
