/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3, the annotation interface: marks, ranges, names, domains. This is Rangefinder's own
 * implementation. It is header-only, needs nothing at link time beyond libc (dlopen), and any
 * NVTX tool can attach to a program that uses it.
 *
 * How it works. Every function below is inline: it loads one function pointer and calls it
 * unless it is null. At the first call of any function, from whichever thread, the tool named
 * by the environment is loaded and fills in the pointers of the functions that it wants to
 * hear; all others become null. With no tool a call is one load and one branch for ever after.
 * Programs and shared libraries each have their own set of pointers, and each attaches by
 * itself at its own first call.
 *
 * Where the tool is looked for, in this order:
 *   1. the shared library named by NVTX_INJECTION64_PATH (NVTX_INJECTION32_PATH in a 32-bit
 *      program), which exports InitializeInjectionNvtx2. If it is named and cannot be used,
 *      the search ends: annotations do nothing. "./." is the name for no tool. A set-user-id
 *      program ignores the variable.
 *   2. a tool linked into the program, which defines InitializeInjectionNvtx2_fnptr.
 *   3. the CUDA driver, if the variable is not set and a tool has left the file nvtx-cuda.yaml in
 *      /run/nvidia/nvtx, for root /run/nvidia/nvtx/user.0, for others
 *      $XDG_RUNTIME_DIR/nvidia/nvtx: libcuda.so.1 is loaded and asked.
 *
 * What holds for all functions:
 *   - They may be called from any thread at any time, before main() and in destructors too.
 *   - They report no errors and keep the caller's errno. They neither lock nor allocate, but
 *     for the first, which loads the tool while other threads' first calls wait for it; what
 *     the tool does inside its callbacks is the tool's affair.
 *   - Text and attribute structures are the caller's: they are read during the call only and
 *     may be changed or freed as soon as it returns. "A" functions take char text (UTF-8 is
 *     what tools expect), "W" functions take wchar_t text. NULL text is passed on to the tool
 *     as it is; not every tool survives it.
 *   - Handles belong to the tool. They are opaque, and NULL is a valid value for all of them:
 *     it is what comes back where no tool listens.
 *   - A call made by the tool while it is still being loaded does nothing.
 *
 * Macros to define before the header is included (all files of a program should agree):
 *   NVTX_DISABLE        every function does nothing, and no loader is compiled in
 *   NVTX_NO_IMPL        declarations and types only; for tools, which implement the functions
 *   NVTX_EXPORT_API     define the functions as exported symbols; for one file of a shared
 *                       library that offers NVTX to another language
 *   NVTX_AS_SYSTEM_HEADER   compilers give no warnings about these headers
 *   NVTX_DEBUG_PRINT    say on stderr why a tool was not attached
 *   NVTX_SUPPORT_ENV_VARS, NVTX_SUPPORT_DYNAMIC_INJECTION_LIBRARY,
 *   NVTX_SUPPORT_ALREADY_INJECTED_LIBRARY, NVTX_SUPPORT_STATIC_INJECTION_LIBRARY,
 *   NVTX_SUPPORT_CUDA_DRIVER_INJECTION_LIBRARY
 *                       0 or 1: which places are searched, see rfDetail/rf_nvtx_loader.h
 *   NVTX_STATIC_INJECTION_IMPL  this file defines InitializeInjectionNvtx2_fnptr itself, and
 *                       with headers of extensions InitializeInjectionNvtxExtension_fnptr
 *   NVTX_STDINT_TYPES_ALREADY_DEFINED   do not include <stdint.h>
 *
 * The other headers: nvToolsExtSync.h (locks), nvToolsExtCuda.h, nvToolsExtCudaRt.h and
 * nvToolsExtOpenCL.h (names of their objects), nvToolsExtPayload.h (data of any layout),
 * nvToolsExtCounters.h, nvtxDetail/nvtxTypes.h and nvtxDetail/nvtxExtTypes.h (what a tool needs).
 * NVIDIA's headers of other extensions and nvtx3.hpp may stand in the same file, before or behind.
 * Where NVIDIA's nvToolsExt.h came first, it is in force, and these headers leave the file to it.
 */
#if defined(NVTX_VERSION) && NVTX_VERSION < 3
#error "an older NVTX was included before nvtx3/nvToolsExt.h; include this header first"
#endif

#if defined(NVTX_AS_SYSTEM_HEADER)
#if defined(__clang__)
#pragma clang system_header
#elif defined(__GNUC__)
#pragma GCC system_header
#endif
#endif

#if !defined(NVTX_VERSION)

/* Version of the interface. Goes into the `version` member of every attribute structure. */
#define NVTX_VERSION 3

/* Says that this implementation, not another one, is in force in this file. Changes with the
 * layout of its private data. */
#define RF_NVTX_IMPLEMENTATION 1

#ifndef NVTX_STDINT_TYPES_ALREADY_DEFINED
#include <stdint.h>
#endif
#include <stddef.h>

/* ---- Platform and linkage ---- */

/* Calling convention of the functions and of the tool's callbacks. */
#define NVTX_API

/* A symbol that other shared objects can see, and what its body needs for its plain name. */
#define NVTX_DYNAMIC_EXPORT __attribute__((visibility("default")))
#define NVTX_EXPORT_UNMANGLED_FUNCTION_NAME

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define NVTX_INLINE_STATIC inline static
#else
#define NVTX_INLINE_STATIC __inline__ static
#endif

#if !defined(NVTX_NULLPTR)
#if defined(__cplusplus) && __cplusplus >= 201103L
#define NVTX_NULLPTR nullptr
#else
#define NVTX_NULLPTR NULL
#endif
#endif

#if defined(__cplusplus)
#define NVTX_STATIC_CAST(type, value)      (static_cast<type>(value))
#define NVTX_REINTERPRET_CAST(type, value) (reinterpret_cast<type>(value))
#else
#define NVTX_STATIC_CAST(type, value)      ((type)(value))
#define NVTX_REINTERPRET_CAST(type, value) ((type)(value))
#endif

/* Linkage of the NVTX functions, and what stands first in their bodies. Both may be set by the
 * program; the defaults follow the mode. */
#if !defined(NVTX_DECLSPEC)
#if defined(NVTX_NO_IMPL)
#define NVTX_DECLSPEC
#elif defined(NVTX_EXPORT_API)
#define NVTX_DECLSPEC NVTX_DYNAMIC_EXPORT
#else
#define NVTX_DECLSPEC NVTX_INLINE_STATIC
#endif
#endif
#if !defined(NVTX_SET_NAME_MANGLING_OPTIONS)
#if defined(NVTX_EXPORT_API) && !defined(NVTX_NO_IMPL)
#define NVTX_SET_NAME_MANGLING_OPTIONS NVTX_EXPORT_UNMANGLED_FUNCTION_NAME
#else
#define NVTX_SET_NAME_MANGLING_OPTIONS
#endif
#endif

/* Definitions in headers of which each shared object keeps exactly one, whatever number of
 * its files include the header, and which other shared objects do not see. */
#define NVTX_LINKONCE_WEAK           __attribute__((weak))
#define NVTX_LINKONCE_HIDDEN         __attribute__((visibility("hidden")))
#define NVTX_LINKONCE_DEFINE_GLOBAL  NVTX_LINKONCE_HIDDEN NVTX_LINKONCE_WEAK
#define NVTX_LINKONCE_FWDDECL_GLOBAL NVTX_LINKONCE_DEFINE_GLOBAL extern
#if defined(__cplusplus)
#define NVTX_LINKONCE_DEFINE_FUNCTION extern "C" NVTX_LINKONCE_HIDDEN inline
#else
#define NVTX_LINKONCE_DEFINE_FUNCTION NVTX_LINKONCE_HIDDEN NVTX_LINKONCE_WEAK
#endif
#define NVTX_LINKONCE_FWDDECL_FUNCTION NVTX_LINKONCE_DEFINE_FUNCTION

/* NAME with the interface version appended: name_v3. */
#define NVTX_VERSIONED_IDENTIFIER_L3(NAME, VERSION) NAME##_v##VERSION
#define NVTX_VERSIONED_IDENTIFIER_L2(NAME, VERSION) NVTX_VERSIONED_IDENTIFIER_L3(NAME, VERSION)
#define NVTX_VERSIONED_IDENTIFIER(NAME)             NVTX_VERSIONED_IDENTIFIER_L2(NAME, NVTX_VERSION)

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Results and handles ---- */

/* Outcomes of looking for a tool. No function returns them; they name what NVTX_DEBUG_PRINT
 * reports. */
#define NVTX_SUCCESS                              0
#define NVTX_FAIL                                 1
#define NVTX_ERR_INIT_LOAD_PROPERTY               2
#define NVTX_ERR_INIT_ACCESS_LIBRARY              3
#define NVTX_ERR_INIT_LOAD_LIBRARY                4
#define NVTX_ERR_INIT_MISSING_LIBRARY_ENTRY_POINT 5
#define NVTX_ERR_INIT_FAILED_LIBRARY_ENTRY_POINT  6
#define NVTX_ERR_NO_INJECTION_LIBRARY_AVAILABLE   7

/* What push and pop return where nobody counts the nesting level, e.g. without a tool. */
#define NVTX_NO_PUSH_POP_TRACKING (-2)

/* Names one start/end range in the process. 0 where no tool listens. */
typedef uint64_t nvtxRangeId_t;

/* A domain: a name space for ranges, categories and strings, usually one per library.
 * NULL is the default domain, which always exists. */
struct nvtxDomainRegistration_st;
typedef struct nvtxDomainRegistration_st nvtxDomainRegistration;
typedef nvtxDomainRegistration *nvtxDomainHandle_t;

/* A text that was handed to the tool once and can be used by reference in its domain. */
struct nvtxStringRegistration_st;
typedef struct nvtxStringRegistration_st nvtxStringRegistration;
typedef nvtxStringRegistration *nvtxStringHandle_t;

/* ---- Event attributes ---- */

/* How `color` is to be read. */
typedef enum nvtxColorType_t {
    NVTX_COLOR_UNKNOWN = 0, /* no color given */
    NVTX_COLOR_ARGB = 1     /* 0xAARRGGBB */
} nvtxColorType_t;

/* Which member of a message is set. */
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,        /* no message */
    NVTX_MESSAGE_TYPE_ASCII = 1,     /* message.ascii */
    NVTX_MESSAGE_TYPE_UNICODE = 2,   /* message.unicode */
    NVTX_MESSAGE_TYPE_REGISTERED = 3 /* message.registered, of the same domain as the event */
} nvtxMessageType_t;

/* A text in one of three forms. */
typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;

/* Which member of the payload is set. */
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,             /* no payload */
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1, /* payload.ullValue */
    NVTX_PAYLOAD_TYPE_INT64 = 2,          /* payload.llValue */
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,         /* payload.dValue */
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4, /* payload.uiValue */
    NVTX_PAYLOAD_TYPE_INT32 = 5,          /* payload.iValue */
    NVTX_PAYLOAD_TYPE_FLOAT = 6           /* payload.fValue */
} nvtxPayloadType_t;

/* Describes a mark or a range. Set the whole structure to zero, then `version` and `size`,
 * then what the event has; zero in any other member means that it has none:
 *
 *     nvtxEventAttributes_t event = {0};
 *     event.version = NVTX_VERSION;
 *     event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
 *     event.messageType = NVTX_MESSAGE_TYPE_ASCII;
 *     event.message.ascii = "solve";
 *
 * Tools read it by its `size`, so that programs built with older and newer headers both work. */
typedef struct nvtxEventAttributes_v2 {
    uint16_t version;    /* NVTX_VERSION */
    uint16_t size;       /* NVTX_EVENT_ATTRIB_STRUCT_SIZE */
    uint32_t category;   /* a number of the program's own choice, 0 for none; see
                          * nvtxDomainNameCategoryA */
    int32_t colorType;   /* nvtxColorType_t */
    uint32_t color;      /* for display */
    int32_t payloadType; /* nvtxPayloadType_t */
    int32_t reserved0;   /* 0 */
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;           /* one number that belongs to the event */
    int32_t messageType; /* nvtxMessageType_t */
    nvtxMessageValue_t message;
} nvtxEventAttributes_v2;

typedef struct nvtxEventAttributes_v2 nvtxEventAttributes_t;

#define NVTX_EVENT_ATTRIB_STRUCT_SIZE (NVTX_STATIC_CAST(uint16_t, sizeof(nvtxEventAttributes_t)))

/* ---- Initialisation ---- */

/* Loads the tool now, where the program has time for it, instead of at the first annotation.
 * Never needed, harmless when repeated. `reserved` is NULL. */
NVTX_DECLSPEC void NVTX_API nvtxInitialize(const void *reserved);

/* ---- Marks: something happened at this moment ---- */

/* Marks the moment in `domain`. */
NVTX_DECLSPEC void NVTX_API nvtxDomainMarkEx(nvtxDomainHandle_t domain,
                                             const nvtxEventAttributes_t *eventAttrib);

/* The same in the default domain: with attributes, or with a text alone. */
NVTX_DECLSPEC void NVTX_API nvtxMarkEx(const nvtxEventAttributes_t *eventAttrib);
NVTX_DECLSPEC void NVTX_API nvtxMarkA(const char *message);
NVTX_DECLSPEC void NVTX_API nvtxMarkW(const wchar_t *message);

/* ---- Start/end ranges: they overlap freely and may end on another thread ---- */

/* Starts a range in `domain`. Returns its id, which nvtxDomainRangeEnd or nvtxRangeEnd takes;
 * 0 without a tool. A range that is never ended lasts to the end of the process. */
NVTX_DECLSPEC nvtxRangeId_t NVTX_API
nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *eventAttrib);

/* The same in the default domain: with attributes, or with a text alone. */
NVTX_DECLSPEC nvtxRangeId_t NVTX_API nvtxRangeStartEx(const nvtxEventAttributes_t *eventAttrib);
NVTX_DECLSPEC nvtxRangeId_t NVTX_API nvtxRangeStartA(const char *message);
NVTX_DECLSPEC nvtxRangeId_t NVTX_API nvtxRangeStartW(const wchar_t *message);

/* Ends the range `id`, from any thread. Ids are unique in the process: the two functions do
 * the same, `domain` merely repeats where the range was started. */
NVTX_DECLSPEC void NVTX_API nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id);
NVTX_DECLSPEC void NVTX_API nvtxRangeEnd(nvtxRangeId_t id);

/* ---- Push/pop ranges: they nest, per thread and per domain ---- */

/* Opens a range on the calling thread, inside the thread's open ranges of `domain`. Returns
 * its level, the outermost being 0; negative if there is none to tell
 * (NVTX_NO_PUSH_POP_TRACKING without a tool). */
NVTX_DECLSPEC int NVTX_API nvtxDomainRangePushEx(nvtxDomainHandle_t domain,
                                                 const nvtxEventAttributes_t *eventAttrib);

/* The same in the default domain: with attributes, or with a text alone. */
NVTX_DECLSPEC int NVTX_API nvtxRangePushEx(const nvtxEventAttributes_t *eventAttrib);
NVTX_DECLSPEC int NVTX_API nvtxRangePushA(const char *message);
NVTX_DECLSPEC int NVTX_API nvtxRangePushW(const wchar_t *message);

/* Closes the calling thread's innermost range of `domain`, or of the default domain. Returns
 * the level of the range that was closed; negative as for a push, or where none was open. */
NVTX_DECLSPEC int NVTX_API nvtxDomainRangePop(nvtxDomainHandle_t domain);
NVTX_DECLSPEC int NVTX_API nvtxRangePop(void);

/* ---- Resources: objects of the program or of the system that are given a name ---- */

/* Composes a resource type from the class NVTX_RESOURCE_CLASS_<CLASS> and a number in it. */
#define NVTX_RESOURCE_MAKE_TYPE(CLASS, INDEX)                                                      \
    (((NVTX_STATIC_CAST(uint32_t, NVTX_RESOURCE_CLASS_##CLASS)) << 16) |                           \
     (NVTX_STATIC_CAST(uint32_t, INDEX)))
#define NVTX_RESOURCE_CLASS_GENERIC 1

/* What an identifier is, where no class of its own exists. Other headers define more classes. */
typedef enum nvtxResourceGenericType_t {
    NVTX_RESOURCE_TYPE_UNKNOWN = 0,
    /* an address, different from that of every other resource */
    NVTX_RESOURCE_TYPE_GENERIC_POINTER = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 1),
    /* a number, different from that of every other resource */
    NVTX_RESOURCE_TYPE_GENERIC_HANDLE = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 2),
    /* the operating system's thread id */
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 3),
    /* a pthread_t */
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 4)
} nvtxResourceGenericType_t;

/* Describes a resource. To be set up like nvtxEventAttributes_t: zero, version, size, rest. */
typedef struct nvtxResourceAttributes_v0 {
    uint16_t version;       /* NVTX_VERSION */
    uint16_t size;          /* NVTX_RESOURCE_ATTRIB_STRUCT_SIZE */
    int32_t identifierType; /* NVTX_RESOURCE_TYPE_... */
    union identifier_t {
        const void *pValue;
        uint64_t ullValue;
    } identifier;               /* which object; never dereferenced */
    int32_t messageType;        /* nvtxMessageType_t */
    nvtxMessageValue_t message; /* its name */
} nvtxResourceAttributes_v0;

typedef struct nvtxResourceAttributes_v0 nvtxResourceAttributes_t;

#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE                                                           \
    (NVTX_STATIC_CAST(uint16_t, sizeof(nvtxResourceAttributes_v0)))

typedef struct nvtxResourceHandle *nvtxResourceHandle_t;

/* Gives the object a name in `domain`. Returns a handle for nvtxDomainResourceDestroy; NULL
 * without a tool. */
NVTX_DECLSPEC nvtxResourceHandle_t NVTX_API
nvtxDomainResourceCreate(nvtxDomainHandle_t domain, nvtxResourceAttributes_t *attribs);

/* Says that the object is gone. The handle must not be used any more. */
NVTX_DECLSPEC void NVTX_API nvtxDomainResourceDestroy(nvtxResourceHandle_t resource);

/* ---- Names of categories and threads ---- */

/* Names the number `category`, as used in the attributes of events of `domain`. A later name
 * for the same number replaces the earlier one. */
NVTX_DECLSPEC void NVTX_API nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category,
                                                    const char *name);
NVTX_DECLSPEC void NVTX_API nvtxDomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category,
                                                    const wchar_t *name);

/* The same in the default domain. */
NVTX_DECLSPEC void NVTX_API nvtxNameCategoryA(uint32_t category, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameCategoryW(uint32_t category, const wchar_t *name);

/* Names a thread of this process. `threadId` is the kernel's id of it (gettid() on Linux), not
 * a pthread_t. */
NVTX_DECLSPEC void NVTX_API nvtxNameOsThreadA(uint32_t threadId, const char *name);
NVTX_DECLSPEC void NVTX_API nvtxNameOsThreadW(uint32_t threadId, const wchar_t *name);

/* ---- Registered strings ---- */

/* Hands `string` to the tool once. Events of `domain` that carry the returned handle, with
 * NVTX_MESSAGE_TYPE_REGISTERED, cost no copying of text. The handle is good until the domain
 * is destroyed; NULL without a tool. */
NVTX_DECLSPEC nvtxStringHandle_t NVTX_API nvtxDomainRegisterStringA(nvtxDomainHandle_t domain,
                                                                    const char *string);
NVTX_DECLSPEC nvtxStringHandle_t NVTX_API nvtxDomainRegisterStringW(nvtxDomainHandle_t domain,
                                                                    const wchar_t *string);

/* ---- Domains ---- */

/* Creates the domain of that name. Returns its handle; NULL, which is the default domain,
 * without a tool. */
NVTX_DECLSPEC nvtxDomainHandle_t NVTX_API nvtxDomainCreateA(const char *name);
NVTX_DECLSPEC nvtxDomainHandle_t NVTX_API nvtxDomainCreateW(const wchar_t *name);

/* Ends the life of a domain, its registered strings, resources and open ranges. None of their
 * handles may be used any more. */
NVTX_DECLSPEC void NVTX_API nvtxDomainDestroy(nvtxDomainHandle_t domain);

/* Names without A or W, chosen by UNICODE. */
#ifdef UNICODE
#define nvtxMark                 nvtxMarkW
#define nvtxRangeStart           nvtxRangeStartW
#define nvtxRangePush            nvtxRangePushW
#define nvtxNameCategory         nvtxNameCategoryW
#define nvtxNameOsThread         nvtxNameOsThreadW
#define nvtxDomainCreate         nvtxDomainCreateW
#define nvtxDomainRegisterString nvtxDomainRegisterStringW
#define nvtxDomainNameCategory   nvtxDomainNameCategoryW
#else
#define nvtxMark                 nvtxMarkA
#define nvtxRangeStart           nvtxRangeStartA
#define nvtxRangePush            nvtxRangePushA
#define nvtxNameCategory         nvtxNameCategoryA
#define nvtxNameOsThread         nvtxNameOsThreadA
#define nvtxDomainCreate         nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory   nvtxDomainNameCategoryA
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "nvtxDetail/nvtxTypes.h"

#ifndef NVTX_NO_IMPL
#include "rfDetail/rf_nvtx_loader.h"
#include "rfDetail/rf_nvtx_calls.h"
#endif

#endif /* NVTX_VERSION */
