/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX v3, extension: payloads. Events carry data of any layout, which a schema describes:
 *
 *     struct transfer { uint64_t bytes; int32_t peer; };
 *     static const nvtxPayloadSchemaEntry_t entries[] = {
 *         {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "bytes", NULL, 0, 0, NULL, NULL},
 *         {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "peer", NULL, 0, 8, NULL, NULL},
 *     };
 *     nvtxPayloadSchemaAttr_t schema = {0};
 *     schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
 *                        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
 *                        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
 *                        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
 *     schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
 *     schema.entries = entries;
 *     schema.numEntries = 2;
 *     schema.payloadStaticSize = sizeof(struct transfer);
 *     id = nvtxPayloadSchemaRegister(domain, &schema);
 *     ...
 *     NVTX_PAYLOAD_EVTATTR_SET_DATA(event, &data, id, &transfer, sizeof transfer)
 *     nvtxDomainRangePushEx(domain, &event);
 *
 * nvToolsExtPayloadHelper.h has macros that write such tables. Here too are scopes (where something
 * happened), time domains (whose clock) and deferred events (which happened before).
 *
 * nvToolsExt.h says what holds for all functions; it holds for attributes, entries and data too:
 * they are read during the call only. Each extension attaches by itself, at the first call of one
 * of its functions, by the entry point InitializeInjectionNvtxExtension of the same tool.
 *
 * Ids of schemas, enums, scopes, time domains and counters are numbers of a domain. The program
 * chooses one from ..._ID_STATIC_START up to ..._ID_DYNAMIC_START, or leaves it 0, and the tool
 * chooses one from ..._ID_DYNAMIC_START up. A registration returns the id; 0 if it failed, and
 * without a tool. Schemas and enums share their ids.
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
#include_next <nvtx3/nvToolsExtPayload.h>
#elif !defined(NVTX_PAYLOAD_TYPEDEFS_V1)
/* Guards of NVIDIA's header: what stands here is left out there. */
#define NVTX_PAYLOAD_ENTRY_FLAGS_V1
#define NVTX_PAYLOAD_ENTRY_TYPES_V1
#define NVTX_PAYLOAD_SCHEMA_TYPES_V1
#define NVTX_PAYLOAD_SCHEMA_FLAGS_V1
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELDS_V1
#define NVTX_PAYLOAD_ENUM_ATTR_FIELDS_V1
#define NVTX_SCOPES_V1
#define NVTX_TIME_V1
#define NVTX_BATCH_FLAGS_V1
#define NVTX_PAYLOAD_TYPEDEFS_V1
#define NVTX_PAYLOAD_TYPEDEFS_DEFERRED_V1
#define NVTX_PAYLOAD_API_FUNCTIONS_V1
#define NVTX_PAYLOAD_API_FUNCTIONS_DEFERRED_V1
#define NVTX_PAYLOAD_CALLBACK_ID_V1
#define NVTX_PAYLOAD_CALLBACK_ID_DEFERRED_V1
#define NVTX_EXT_IMPL_PAYLOAD_V1

#include "nvtxDetail/nvtxExtTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of this extension, and its version. */
#define NVTX_EXT_PAYLOAD_MODULEID 2
#define NVTX_EXT_PAYLOAD_COMPATID 0x0104

/* One more nvtxPayloadType_t: payload.ullValue is the address of an array of nvtxPayloadData_t,
 * reserved0 the number of its elements. */
#define NVTX_PAYLOAD_TYPE_EXT     (NVTX_STATIC_CAST(int32_t, 0xDFBD0009))

/* ---- Types of entries ---- */

#define NVTX_PAYLOAD_ENTRY_TYPE_INVALID         0

/* The types of C, in the size that the program was compiled with. */
#define NVTX_PAYLOAD_ENTRY_TYPE_CHAR            1
#define NVTX_PAYLOAD_ENTRY_TYPE_UCHAR           2
#define NVTX_PAYLOAD_ENTRY_TYPE_SHORT           3
#define NVTX_PAYLOAD_ENTRY_TYPE_USHORT          4
#define NVTX_PAYLOAD_ENTRY_TYPE_INT             5
#define NVTX_PAYLOAD_ENTRY_TYPE_UINT            6
#define NVTX_PAYLOAD_ENTRY_TYPE_LONG            7
#define NVTX_PAYLOAD_ENTRY_TYPE_ULONG           8
#define NVTX_PAYLOAD_ENTRY_TYPE_LONGLONG        9
#define NVTX_PAYLOAD_ENTRY_TYPE_ULONGLONG       10
#define NVTX_PAYLOAD_ENTRY_TYPE_INT8            11
#define NVTX_PAYLOAD_ENTRY_TYPE_UINT8           12
#define NVTX_PAYLOAD_ENTRY_TYPE_INT16           13
#define NVTX_PAYLOAD_ENTRY_TYPE_UINT16          14
#define NVTX_PAYLOAD_ENTRY_TYPE_INT32           15
#define NVTX_PAYLOAD_ENTRY_TYPE_UINT32          16
#define NVTX_PAYLOAD_ENTRY_TYPE_INT64           17
#define NVTX_PAYLOAD_ENTRY_TYPE_UINT64          18
#define NVTX_PAYLOAD_ENTRY_TYPE_FLOAT           19
#define NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE          20
#define NVTX_PAYLOAD_ENTRY_TYPE_LONGDOUBLE      21
#define NVTX_PAYLOAD_ENTRY_TYPE_SIZE            22 /* size_t */
#define NVTX_PAYLOAD_ENTRY_TYPE_ADDRESS         23 /* void * */
#define NVTX_PAYLOAD_ENTRY_TYPE_WCHAR           24 /* wchar_t */
#define NVTX_PAYLOAD_ENTRY_TYPE_CHAR8           25 /* char8_t, ... */
#define NVTX_PAYLOAD_ENTRY_TYPE_CHAR16          26
#define NVTX_PAYLOAD_ENTRY_TYPE_CHAR32          27

/* Elements of the array of their sizes, which a tool gets: see nvtxPayloadEntryTypeInfo_t. */
#define NVTX_PAYLOAD_ENTRY_TYPE_INFO_ARRAY_SIZE (NVTX_PAYLOAD_ENTRY_TYPE_CHAR32 + 1)

/* Types of a size that is fixed, aligned like the integer of that size. */
#define NVTX_PAYLOAD_ENTRY_TYPE_BYTE            32 /* 8 bits of no meaning */
#define NVTX_PAYLOAD_ENTRY_TYPE_INT128          33
#define NVTX_PAYLOAD_ENTRY_TYPE_UINT128         34
#define NVTX_PAYLOAD_ENTRY_TYPE_FLOAT16         42 /* IEEE 754 */
#define NVTX_PAYLOAD_ENTRY_TYPE_FLOAT32         43
#define NVTX_PAYLOAD_ENTRY_TYPE_FLOAT64         44
#define NVTX_PAYLOAD_ENTRY_TYPE_FLOAT128        45
#define NVTX_PAYLOAD_ENTRY_TYPE_BF16            50 /* bfloat16 */
#define NVTX_PAYLOAD_ENTRY_TYPE_TF32            52 /* TensorFloat-32, in 32 bits */

/* Attributes of the event that carries the payload, or its scope. */
#define NVTX_PAYLOAD_ENTRY_TYPE_RANGE_ID        67 /* nvtxRangeId_t */
#define NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY        68 /* uint32_t */
#define NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB      69 /* uint32_t */
#define NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID        70 /* uint64_t */
#define NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT32      71
#define NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT64      72
#define NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT32      73
#define NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT64      74

/* Text, of code units of 1, 1, 2 and 4 bytes. Without a flag that says more, an entry is a text of
 * `arrayOrUnionDetail` code units, which ends before at a zero; or, where that is 0, a pointer to a
 * text that ends at a zero. */
#define NVTX_PAYLOAD_ENTRY_TYPE_CSTRING         75 /* in the encoding of the locale */
#define NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8    76
#define NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16   77
#define NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32   78

#define NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE 80 /* nvtxStringHandle_t */

/* In a schema NVTX_PAYLOAD_SCHEMA_TYPE_UNION_WITH_INTERNAL_SELECTOR: the number of the entry that
 * is set. */
#define NVTX_PAYLOAD_ENTRY_TYPE_UNION_SELECTOR                100

/* Instead of a schema, for nvtxPayloadData_t alone: bytes that other payloads of the event point
 * into; bytes of no described layout. */
#define NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED                   1022
#define NVTX_TYPE_PAYLOAD_SCHEMA_RAW                          1023

#define NVTX_PAYLOAD_SCHEMA_ID_STATIC_START  (1 << 24)
#define NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START (NVTX_STATIC_CAST(uint64_t, 1) << 32)

/* ---- Flags of entries ---- */

#define NVTX_PAYLOAD_ENTRY_FLAG_UNUSED                     0

/* The entry is not the value but leads to it: by its address; by its distance in bytes from the
 * payload's first byte; by that from the end of the entry. */
#define NVTX_PAYLOAD_ENTRY_FLAG_POINTER                    (1 << 1)
#define NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE           (1 << 2)
#define NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE           (1 << 3)

/* One of these, a number in bits 4 to 6: the value is an array, with as many elements as
 * `arrayOrUnionDetail` says; up to an element of zeros; as the entry of that index before this one
 * says; as the payload of that index in the same event says. An entry or payload that is an array
 * itself has the extents of an array of several dimensions, the last of which varies fastest. */
#define NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE           (1 << 4)
#define NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED      (2 << 4)
#define NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX         (3 << 4)
#define NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_PAYLOAD_INDEX (4 << 4)

/* The bits of that number; the number in the flags F. */
#define NVTX_PAYLOAD_ENTRY_FLAG_IS_ARRAY                                                           \
    (NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED |    \
     NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX |                                                  \
     NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_PAYLOAD_INDEX)
#define NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_TYPE(F)                 ((F)&NVTX_PAYLOAD_ENTRY_FLAG_IS_ARRAY)

/* What the entry points at is to be copied, wherever it lies; the schema has
 * NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY. */
#define NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY                     (1 << 8)

/* Not to be shown. */
#define NVTX_PAYLOAD_ENTRY_FLAG_HIDE                          (1 << 9)

/* The entry is the event's message; a time. */
#define NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE                 (1 << 10)
#define NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP                     (2 << 10)

/* One of these, a number in bits 12 to 14: the entry, a time, is the begin or the end of a range,
 * or that of a mark; or the entry is a counter's value. */
#define NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN                   (1 << 12)
#define NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END                     (2 << 12)
#define NVTX_PAYLOAD_ENTRY_FLAG_MARK                          (3 << 12)
#define NVTX_PAYLOAD_ENTRY_FLAG_COUNTER                       (4 << 12)

/* ---- Schemas ---- */

/* How the entries lie: as in a C struct, of one size; one after the other, of a size that the data
 * tell; as in a C union, whose member another entry of the enclosing schema or one of its own
 * selects. */
#define NVTX_PAYLOAD_SCHEMA_TYPE_INVALID                      0
#define NVTX_PAYLOAD_SCHEMA_TYPE_STATIC                       1
#define NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC                      2
#define NVTX_PAYLOAD_SCHEMA_TYPE_UNION                        3
#define NVTX_PAYLOAD_SCHEMA_TYPE_UNION_WITH_INTERNAL_SELECTOR 4

#define NVTX_PAYLOAD_SCHEMA_FLAG_NONE              0

/* Entries may have NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY; other payloads of the event may point into
 * payloads of this schema. */
#define NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY         (1 << 1)
#define NVTX_PAYLOAD_SCHEMA_FLAG_REFERENCED        (1 << 2)

/* One of these, a number in bits 3 to 6: a payload of this schema is a group of counters, or an
 * event that is submitted later (nvtxEventSubmit). */
#define NVTX_PAYLOAD_SCHEMA_FLAG_COUNTER_GROUP     (1 << 3)
#define NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSHPOP     (2 << 3)
#define NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_STARTEND    (3 << 3)
#define NVTX_PAYLOAD_SCHEMA_FLAG_MARK              (4 << 3)
#define NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSH        (5 << 3)
#define NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_POP         (6 << 3)
#define NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_START       (7 << 3)
#define NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_END         (8 << 3)

/* Which members of nvtxPayloadSchemaAttr_t are set: the others must not be read. */
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME        (1 << 1)
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE        (1 << 2) /* required */
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS       (1 << 3)
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES     (1 << 4) /* required */
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES (1 << 5) /* required */
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE (1 << 6)
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT   (1 << 7)
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID   (1 << 8)
#define NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_EXTENSION   (1 << 9)

/* Which members of nvtxPayloadEnumAttr_t are set. */
#define NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME          (1 << 1)
#define NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES       (1 << 2) /* required */
#define NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES   (1 << 3) /* required */
#define NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE          (1 << 4) /* required */
#define NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID     (1 << 5)
#define NVTX_PAYLOAD_ENUM_ATTR_FIELD_EXTENSION     (1 << 6)

/* Size and alignment of a type as the program was compiled. A tool gets an array of them, indexed
 * by NVTX_PAYLOAD_ENTRY_TYPE_CHAR to NVTX_PAYLOAD_ENTRY_TYPE_CHAR32, in the extension's `extInfo`.
 * Its element 0 is the number of elements and the size of each; {0, 0} stands for a type that the
 * program's language lacks. */
typedef struct nvtxPayloadEntryTypeInfo_v1 {
    uint16_t size;
    uint16_t align;
} nvtxPayloadEntryTypeInfo_t;

/* One payload of an event. */
typedef struct nvtxPayloadData_v1 {
    /* its layout: a registered schema, one of the types NVTX_PAYLOAD_ENTRY_TYPE_..., of which there
     * are as many as fit into `size`, or NVTX_TYPE_PAYLOAD_SCHEMA_... Text is the text itself. */
    uint64_t schemaId;
    size_t size;         /* in bytes, not 0; of text that ends at a zero, SIZE_MAX: not counted */
    const void *payload; /* its first byte */
} nvtxPayloadData_t;

/* What more is to be said of an entry or counter: a list of structures that begin with this. The
 * headers nvToolsExtSemantics*.h have them. */
typedef struct nvtxSemanticsHeader_v1 {
    uint32_t structSize; /* of the whole structure */
    uint16_t semanticId; /* NVTX_SEMANTIC_ID_..._V1 */
    uint16_t version;    /* NVTX_..._SEMANTIC_VERSION */
    const struct nvtxSemanticsHeader_v1 *next;
} nvtxSemanticsHeader_t;

/* One value in a payload. All members but `type` may be 0. */
typedef struct nvtxPayloadSchemaEntry_v1 {
    uint64_t flags;          /* NVTX_PAYLOAD_ENTRY_FLAG_... */
    uint64_t type;           /* NVTX_PAYLOAD_ENTRY_TYPE_..., or the id of a schema or an enum */
    const char *name;        /* for display, as is description */
    const char *description; /* in a sentence */

    /* a length or an index, see the flags and text types; for a NVTX_PAYLOAD_SCHEMA_TYPE_UNION the
     * index of the entry that selects the member */
    uint64_t arrayOrUnionDetail;

    /* distance from the first byte of the payload; 0 in any entry but the first: behind the entry
     * before, aligned as its type asks for */
    uint64_t offset;

    const nvtxSemanticsHeader_t *semantics; /* may be NULL */
    const void *reserved;                   /* NULL */
} nvtxPayloadSchemaEntry_t;

/* Describes a schema. */
typedef struct nvtxPayloadSchemaAttr_v1 {
    uint64_t fieldMask; /* NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_... */
    const char *name;
    uint64_t type;  /* NVTX_PAYLOAD_SCHEMA_TYPE_... */
    uint64_t flags; /* NVTX_PAYLOAD_SCHEMA_FLAG_... */
    const nvtxPayloadSchemaEntry_t *entries;
    size_t numEntries;
    size_t payloadStaticSize; /* of a static schema; not set: computed from the entries */
    size_t packAlign;         /* no entry is aligned to more, as by #pragma pack(N); 0: no limit */
    uint64_t schemaId;        /* chosen by the program */
    void *extension;          /* NULL */
} nvtxPayloadSchemaAttr_t;

/* One value of an enum. */
typedef struct nvtxPayloadEnum_v1 {
    const char *name;
    uint64_t value;
    int8_t isFlag; /* not 0: a bit that is combined with others */
} nvtxPayloadEnum_t;

/* Describes an enum. */
typedef struct nvtxPayloadEnumAttr_v1 {
    uint64_t fieldMask; /* NVTX_PAYLOAD_ENUM_ATTR_FIELD_... */
    const char *name;
    const nvtxPayloadEnum_t *entries;
    size_t numEntries;
    size_t sizeOfEnum; /* sizeof(enum ...) */
    uint64_t schemaId; /* chosen by the program */
    void *extension;   /* NULL */
} nvtxPayloadEnumAttr_t;

/* Registers a schema or an enum in `domain`. Returns its id. */
NVTX_DECLSPEC uint64_t NVTX_API nvtxPayloadSchemaRegister(nvtxDomainHandle_t domain,
                                                          const nvtxPayloadSchemaAttr_t *attr);
NVTX_DECLSPEC uint64_t NVTX_API nvtxPayloadEnumRegister(nvtxDomainHandle_t domain,
                                                        const nvtxPayloadEnumAttr_t *attr);

/* ---- Marks and ranges described by payloads alone ---- */

/* Like nvtxDomainMarkEx, ...RangePushEx, ...Pop, ...StartEx, ...End, with the same results. The
 * message and other attributes are entries of the `count` payloads. What the end of a range brings
 * is added to the range; an attribute that was there already is replaced. */
NVTX_DECLSPEC void NVTX_API nvtxMarkPayload(nvtxDomainHandle_t domain,
                                            const nvtxPayloadData_t *payloadData, size_t count);
NVTX_DECLSPEC int NVTX_API nvtxRangePushPayload(nvtxDomainHandle_t domain,
                                                const nvtxPayloadData_t *payloadData, size_t count);
NVTX_DECLSPEC int NVTX_API nvtxRangePopPayload(nvtxDomainHandle_t domain,
                                               const nvtxPayloadData_t *payloadData, size_t count);
NVTX_DECLSPEC nvtxRangeId_t NVTX_API nvtxRangeStartPayload(nvtxDomainHandle_t domain,
                                                           const nvtxPayloadData_t *payloadData,
                                                           size_t count);
NVTX_DECLSPEC void NVTX_API nvtxRangeEndPayload(nvtxDomainHandle_t domain, nvtxRangeId_t id,
                                                const nvtxPayloadData_t *payloadData, size_t count);

/* Tells whether a tool listens to `domain`, so that a program can leave out what is costly to
 * gather: 0 without a tool; 1 where the tool does not say. */
NVTX_DECLSPEC uint8_t NVTX_API nvtxDomainIsEnabled(nvtxDomainHandle_t domain);

/* ---- Scopes: where something happened ---- */

#define NVTX_SCOPE_NONE                    0 /* not said */
#define NVTX_SCOPE_ROOT                    1 /* above all others */

/* Where the calling thread is at the time of the event: in hardware... */
#define NVTX_SCOPE_CURRENT_HW_MACHINE      2
#define NVTX_SCOPE_CURRENT_HW_SOCKET       3
#define NVTX_SCOPE_CURRENT_HW_CPU_PHYSICAL 4
#define NVTX_SCOPE_CURRENT_HW_CPU_LOGICAL  5
#define NVTX_SCOPE_CURRENT_HW_INNERMOST    15

/* ... and in software. */
#define NVTX_SCOPE_CURRENT_HYPERVISOR      16
#define NVTX_SCOPE_CURRENT_VM              17
#define NVTX_SCOPE_CURRENT_KERNEL          18
#define NVTX_SCOPE_CURRENT_CONTAINER       19
#define NVTX_SCOPE_CURRENT_OS              20
#define NVTX_SCOPE_CURRENT_SW_PROCESS      21
#define NVTX_SCOPE_CURRENT_SW_THREAD       22
#define NVTX_SCOPE_CURRENT_SW_INNERMOST    31

#define NVTX_SCOPE_ID_STATIC_START                               (1 << 24)
#define NVTX_SCOPE_ID_DYNAMIC_START                              (NVTX_STATIC_CAST(uint64_t, 1) << 32)

/* Describes a scope. */
typedef struct nvtxScopeAttr_v1 {
    size_t structSize; /* sizeof(nvtxScopeAttr_t) */

    /* names below parentScope, separated by '/', in UTF-8; NULL or "" for none. name[key] is one of
     * several that are alike: "GPU[CUDAID:0]", "GPU[UUID:...]", "CPU[0:3]" (package, logical core).
     * '\' stands before a '/', '[' or ']' that is part of a name. */
    const char *path;

    uint64_t parentScope; /* NVTX_SCOPE_ROOT, NVTX_SCOPE_NONE or a registered scope */
    uint64_t scopeId;     /* chosen by the program, or NVTX_SCOPE_NONE */
} nvtxScopeAttr_t;

/* Registers a scope in `domain`. Returns its id; NVTX_SCOPE_NONE if that failed. */
NVTX_DECLSPEC uint64_t NVTX_API nvtxScopeRegister(nvtxDomainHandle_t domain,
                                                  const nvtxScopeAttr_t *attr);

/* ---- Time: whose clock a time was read from ---- */

/* Clocks. Where the id of a time domain is asked for, one of these may be given if it says enough.
 */
#define NVTX_TIMESTAMP_TYPE_NONE                                 0 /* not known */
#define NVTX_TIMESTAMP_TYPE_TOOL_PROVIDED                        1 /* nvtxTimestampGet() */
#define NVTX_TIMESTAMP_TYPE_CPU_TSC                              10
#define NVTX_TIMESTAMP_TYPE_CPU_TSC_NONVIRTUALIZED               11 /* CNTPCT of ARM */
#define NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_REALTIME           12 /* CLOCK_REALTIME, ... */
#define NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_REALTIME_COARSE    13
#define NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC          14
#define NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC_RAW      15
#define NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC_COARSE   16
#define NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_BOOTTIME           17
#define NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_PROCESS_CPUTIME_ID 18
#define NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_THREAD_CPUTIME_ID  19
#define NVTX_TIMESTAMP_TYPE_WIN_QPC                              30 /* QueryPerformanceCounter() */
#define NVTX_TIMESTAMP_TYPE_WIN_GSTAFT                           31 /* GetSystemTimeAsFileTime() */
#define NVTX_TIMESTAMP_TYPE_WIN_GSTAFTP                          32 /* ...Precise...() */
#define NVTX_TIMESTAMP_TYPE_C_TIME                               40 /* time() */
#define NVTX_TIMESTAMP_TYPE_C_CLOCK                              41 /* clock() */
#define NVTX_TIMESTAMP_TYPE_C_TIMESPEC_GET                       42 /* timespec_get() */
#define NVTX_TIMESTAMP_TYPE_CPP_STEADY_CLOCK                     50 /* std::chrono::steady_clock */
#define NVTX_TIMESTAMP_TYPE_CPP_HIGH_RESOLUTION_CLOCK            51
#define NVTX_TIMESTAMP_TYPE_CPP_SYSTEM_CLOCK                     52
#define NVTX_TIMESTAMP_TYPE_CPP_UTC_CLOCK                        53
#define NVTX_TIMESTAMP_TYPE_CPP_TAI_CLOCK                        54
#define NVTX_TIMESTAMP_TYPE_CPP_GPS_CLOCK                        55
#define NVTX_TIMESTAMP_TYPE_CPP_FILE_CLOCK                       56
#define NVTX_TIMESTAMP_TYPE_GPU_GLOBALTIMER                      80

#define NVTX_TIME_DOMAIN_ID_NONE                             0
#define NVTX_TIME_DOMAIN_ID_STATIC_START                     (1 << 24)
#define NVTX_TIME_DOMAIN_ID_DYNAMIC_START                    (NVTX_STATIC_CAST(uint64_t, 1) << 32)

/* Properties of a clock: never goes back; never goes back, and its ticks are of one length. */
#define NVTX_TIMER_FLAG_NONE                                 0
#define NVTX_TIMER_FLAG_CLOCK_MONOTONIC                      (1 << 1)
#define NVTX_TIMER_FLAG_CLOCK_STEADY                         (1 << 2)

/* When a clock was 0. */
#define NVTX_TIMER_START_UNKNOWN                             0
#define NVTX_TIMER_START_SYSTEM_BOOT                         1
#define NVTX_TIMER_START_VM_BOOT                             2
#define NVTX_TIMER_START_UNIX_EPOCH                          3 /* 1970-01-01 */
#define NVTX_TIMER_START_WIN_FILETIME                        4 /* 1601-01-01 */

/* Whether the function of nvtxTimerSource may be called while the process ends. */
#define NVTX_TIMER_SOURCE_SAFE_CALL_AFTER_PROCESS_TEARDOWN   0
#define NVTX_TIMER_SOURCE_UNSAFE_CALL_AFTER_PROCESS_TEARDOWN 1

/* Describes a time domain: a clock, and where it counts. */
typedef struct nvtxTimeDomainAttr_v1 {
    uint64_t scopeId;
    uint64_t timestampTypeId; /* NVTX_TIMESTAMP_TYPE_... */
    uint64_t timeDomainId;    /* chosen by the program, or 0 */
    uint64_t timerFlags;      /* NVTX_TIMER_FLAG_... */
    int64_t timerResolution;  /* ticks in a second; 0: not known */
    uint64_t timerStart;      /* NVTX_TIMER_START_... */
} nvtxTimeDomainAttr_t;

/* The same moment by two clocks. */
typedef struct nvtxSyncPoint_v1 {
    int64_t src;
    int64_t dst;
} nvtxSyncPoint_t;

/* Returns the time by the tool's clock, for deferred events and counters; 0 without a tool. */
NVTX_DECLSPEC int64_t NVTX_API nvtxTimestampGet(void);

/* Registers a time domain. Returns its id. */
NVTX_DECLSPEC uint64_t NVTX_API nvtxTimeDomainRegister(nvtxDomainHandle_t domain,
                                                       const nvtxTimeDomainAttr_t *timeAttr);

/* Gives the tool a function that reads the clock of a time domain, without and with an argument of
 * its own. `flags` is NVTX_TIMER_SOURCE_... The function is called from any thread. */
NVTX_DECLSPEC void NVTX_API nvtxTimerSource(nvtxDomainHandle_t domain, uint64_t timeDomainId,
                                            uint64_t flags, int64_t (*timestampProviderFn)(void));
NVTX_DECLSPEC void NVTX_API nvtxTimerSourceWithData(nvtxDomainHandle_t domain,
                                                    uint64_t timeDomainId, uint64_t flags,
                                                    int64_t (*timestampProviderFn)(void *data),
                                                    void *data);

/* Says what two clocks showed at the same moment: once, and at `count` moments. Between two such
 * moments a tool can convert one time to the other. */
NVTX_DECLSPEC void NVTX_API nvtxTimeSyncPoint(nvtxDomainHandle_t domain, uint64_t timeDomainId1,
                                              uint64_t timeDomainId2, int64_t timestamp1,
                                              int64_t timestamp2);
NVTX_DECLSPEC void NVTX_API nvtxTimeSyncPointTable(nvtxDomainHandle_t domain,
                                                   uint64_t timeDomainIdSrc,
                                                   uint64_t timeDomainIdDst,
                                                   const nvtxSyncPoint_t *syncPoints, size_t count);

/* Says how to convert: dst = timestampDst + slope * (src - timestampSrc). */
NVTX_DECLSPEC void NVTX_API nvtxTimestampConversionFactor(nvtxDomainHandle_t domain,
                                                          uint64_t timeDomainIdSrc,
                                                          uint64_t timeDomainIdDst, double slope,
                                                          int64_t timestampSrc,
                                                          int64_t timestampDst);

/* ---- Deferred events: what happened before, with times of its own ---- */

/* How the events or samples of a batch lie, a number in bits 1 and 2: by time; nearly so; by time
 * within each scope; in no order. */
#define NVTX_BATCH_FLAG_TIME_SORTED                          0
#define NVTX_BATCH_FLAG_TIME_SORTED_PARTIALLY                (1 << 1)
#define NVTX_BATCH_FLAG_TIME_SORTED_PER_SCOPE                (2 << 1)
#define NVTX_BATCH_FLAG_UNSORTED                             (3 << 1)

/* Events of one schema, one behind the other. */
typedef struct nvtxEventBatch_v1 {
    uint64_t eventSchemaId; /* the layout of each, with NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_..., _MARK */
    size_t size;            /* of all events, in bytes */
    const void *events;
    uint64_t scope; /* of events that do not say another one */
    uint64_t flags; /* NVTX_BATCH_FLAG_... */

    /* bytes that entries of the events point into: flexDataSize of them, flexDataOffset bytes
     * behind flexData; offsets in the events count from flexData */
    const void *flexData;
    size_t flexDataSize;
    size_t flexDataOffset;
} nvtxEventBatch_t;

/* Submits one event, with its message, kind and times in its payloads; or many. */
NVTX_DECLSPEC void NVTX_API nvtxEventSubmit(nvtxDomainHandle_t domain,
                                            const nvtxPayloadData_t *payloadData,
                                            size_t numPayloads);
NVTX_DECLSPEC void NVTX_API nvtxEventBatchSubmit(nvtxDomainHandle_t domain,
                                                 const nvtxEventBatch_t *eventBatch);

/* ---- The side of the tool: the functions' slots, see nvtxExtTypes.h ---- */

#define NVTX3EXT_CBID_nvtxPayloadSchemaRegister     0
#define NVTX3EXT_CBID_nvtxPayloadEnumRegister       1
#define NVTX3EXT_CBID_nvtxMarkPayload               2
#define NVTX3EXT_CBID_nvtxRangePushPayload          3
#define NVTX3EXT_CBID_nvtxRangePopPayload           4
#define NVTX3EXT_CBID_nvtxRangeStartPayload         5
#define NVTX3EXT_CBID_nvtxRangeEndPayload           6
#define NVTX3EXT_CBID_nvtxDomainIsEnabled           7
#define NVTX3EXT_CBID_nvtxTimestampGet              8
#define NVTX3EXT_CBID_nvtxTimeDomainRegister        9
#define NVTX3EXT_CBID_nvtxTimerSource               10
#define NVTX3EXT_CBID_nvtxTimerSourceWithData       11
#define NVTX3EXT_CBID_nvtxScopeRegister             12
#define NVTX3EXT_CBID_nvtxTimeSyncPoint             13
#define NVTX3EXT_CBID_nvtxTimeSyncPointTable        14
#define NVTX3EXT_CBID_nvtxTimestampConversionFactor 15
#define NVTX3EXT_CBID_nvtxEventSubmit               16
#define NVTX3EXT_CBID_nvtxEventBatchSubmit          17

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "rfDetail/rf_nvtx_payload.h"

/* ---- Payloads of events with attributes ---- */

/* An address as a payload's number. */
#ifdef __cplusplus
#define NVTX_POINTER_AS_PAYLOAD_ULLVALUE(p) static_cast<uint64_t>(reinterpret_cast<uintptr_t>(p))
#else
#define NVTX_POINTER_AS_PAYLOAD_ULLVALUE(p)                                                        \
    (NVTX_STATIC_CAST(uint64_t, NVTX_STATIC_CAST(uintptr_t, p)))
#endif

/* These set the payloads of nvtxEventAttributes_t, and have their semicolons. The payloads must
 * live until the event is made.
 *
 * From `pldata`, an array; from the first `count` elements at `pldata`. */
#define NVTX_PAYLOAD_EVTATTR_SET_MULTIPLE_N(evtAttr, pldata, count)                                \
    (evtAttr).payload.ullValue = NVTX_POINTER_AS_PAYLOAD_ULLVALUE(pldata);                         \
    (evtAttr).payloadType = NVTX_PAYLOAD_TYPE_EXT;                                                 \
    (evtAttr).reserved0 = NVTX_STATIC_CAST(int32_t, count);
#define NVTX_PAYLOAD_EVTATTR_SET_MULTIPLE(evtAttr, pldata)                                         \
    NVTX_PAYLOAD_EVTATTR_SET_MULTIPLE_N(evtAttr, pldata, sizeof(pldata) / sizeof(nvtxPayloadData_t))

/* One payload, which is written to *pldata_addr. */
#define NVTX_PAYLOAD_EVTATTR_SET_DATA(evtAttr, pldata_addr, schema_id, pl_addr, sz)                \
    (pldata_addr)->payload = pl_addr;                                                              \
    (pldata_addr)->size = sz;                                                                      \
    (pldata_addr)->schemaId = schema_id;                                                           \
    NVTX_PAYLOAD_EVTATTR_SET_MULTIPLE_N(evtAttr, pldata_addr, 1)

/* One payload, which lives in the block where this stands. `evtAttr` is an address here. */
#define NVTX_PAYLOAD_EVTATTR_SET(evtAttr, schema_id, pl_addr, sz)                                  \
    nvtxPayloadData_t RF_NVTX_LOCAL;                                                               \
    NVTX_PAYLOAD_EVTATTR_SET_DATA(*(evtAttr), &RF_NVTX_LOCAL, schema_id, pl_addr, sz)

/* Its name is different on each line, so that a block may have several. */
#define RF_NVTX_LOCAL              RF_NVTX_LOCAL_AT(__LINE__)
#define RF_NVTX_LOCAL_AT(line)     RF_NVTX_LOCAL_PASTED(line)
#define RF_NVTX_LOCAL_PASTED(line) rf_nvtx_payload_##line

/* nvtxDomainRangePushEx and nvtxDomainMarkEx with that payload. */
#define nvtxPayloadRangePush(domain, evtAttr, schemaId, plAddr, size)                              \
    do {                                                                                           \
        NVTX_PAYLOAD_EVTATTR_SET(evtAttr, schemaId, plAddr, size)                                  \
        nvtxDomainRangePushEx(domain, evtAttr);                                                    \
    } while (0)
#define nvtxPayloadMark(domain, evtAttr, schemaId, plAddr, size)                                   \
    do {                                                                                           \
        NVTX_PAYLOAD_EVTATTR_SET(evtAttr, schemaId, plAddr, size)                                  \
        nvtxDomainMarkEx(domain, evtAttr);                                                         \
    } while (0)

#endif /* NVTX_PAYLOAD_TYPEDEFS_V1 */
