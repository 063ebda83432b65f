/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sizes and alignments of C's types, as the program is compiled: `extInfo` of the payload
 * extension. Private to include/nvtx3.
 */
#ifndef RF_NVTX_TYPE_SIZES_H
#define RF_NVTX_TYPE_SIZES_H

/* The languages that have char8_t, char16_t and char32_t; the compiler's names for them need no
 * header. */
#if defined(__cpp_char8_t) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
typedef unsigned char rf_nvtx_char8;
#define RF_NVTX_CHAR8(X, NONE) X(rf_nvtx_char8)
#else
#define RF_NVTX_CHAR8(X, NONE) NONE
#endif
#if (defined(__cplusplus) && __cplusplus >= 201103L) ||                                            \
    (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L)
typedef __CHAR16_TYPE__ rf_nvtx_char16;
typedef __CHAR32_TYPE__ rf_nvtx_char32;
#define RF_NVTX_CHAR16_32(X, NONE) X(rf_nvtx_char16) X(rf_nvtx_char32)
#else
#define RF_NVTX_CHAR16_32(X, NONE) NONE NONE
#endif

typedef unsigned char rf_nvtx_uchar;
typedef unsigned short rf_nvtx_ushort;
typedef unsigned int rf_nvtx_uint;
typedef unsigned long rf_nvtx_ulong;
__extension__ typedef long long rf_nvtx_llong;
__extension__ typedef unsigned long long rf_nvtx_ullong;
typedef long double rf_nvtx_ldouble;
typedef void *rf_nvtx_address;

/* Where T stands in this is what C aligns it to, in each version of C and C++. */
#define RF_NVTX_ALIGNED(T)                                                                         \
    struct rf_nvtx_align_##T {                                                                     \
        char before;                                                                               \
        T value;                                                                                   \
    };
#define RF_NVTX_SIZE_AND_ALIGN(T)                                                                  \
    ,                                                                                              \
    {                                                                                              \
        sizeof(T), offsetof(struct rf_nvtx_align_##T, value)                                       \
    }
#define RF_NVTX_NO_TYPE
#define RF_NVTX_NO_SIZE                                                                            \
    ,                                                                                              \
    {                                                                                              \
        0, 0                                                                                       \
    }

/* In the order of NVTX_PAYLOAD_ENTRY_TYPE_CHAR, ..._WCHAR, without a gap. */
#define RF_NVTX_C_TYPES(X)                                                                         \
    X(char)                                                                                        \
    X(rf_nvtx_uchar)                                                                               \
    X(short)                                                                                       \
    X(rf_nvtx_ushort)                                                                              \
    X(int)                                                                                         \
    X(rf_nvtx_uint)                                                                                \
    X(long)                                                                                        \
    X(rf_nvtx_ulong)                                                                               \
    X(rf_nvtx_llong)                                                                               \
    X(rf_nvtx_ullong)                                                                              \
    X(int8_t)                                                                                      \
    X(uint8_t)                                                                                     \
    X(int16_t)                                                                                     \
    X(uint16_t)                                                                                    \
    X(int32_t)                                                                                     \
    X(uint32_t)                                                                                    \
    X(int64_t)                                                                                     \
    X(uint64_t)                                                                                    \
    X(float)                                                                                       \
    X(double)                                                                                      \
    X(rf_nvtx_ldouble)                                                                             \
    X(size_t)                                                                                      \
    X(rf_nvtx_address)                                                                             \
    X(wchar_t)

RF_NVTX_C_TYPES(RF_NVTX_ALIGNED)
RF_NVTX_CHAR8(RF_NVTX_ALIGNED, RF_NVTX_NO_TYPE)
RF_NVTX_CHAR16_32(RF_NVTX_ALIGNED, RF_NVTX_NO_TYPE)

#ifdef __cplusplus
extern "C" {
#endif

NVTX_LINKONCE_FWDDECL_GLOBAL nvtxPayloadEntryTypeInfo_t
    rf_nvtx_v1_type_sizes[NVTX_PAYLOAD_ENTRY_TYPE_INFO_ARRAY_SIZE];
NVTX_LINKONCE_DEFINE_GLOBAL nvtxPayloadEntryTypeInfo_t
    rf_nvtx_v1_type_sizes[NVTX_PAYLOAD_ENTRY_TYPE_INFO_ARRAY_SIZE] = {
        /* clang-format off */
        {NVTX_PAYLOAD_ENTRY_TYPE_INFO_ARRAY_SIZE, sizeof(nvtxPayloadEntryTypeInfo_t)}
        RF_NVTX_C_TYPES(RF_NVTX_SIZE_AND_ALIGN)
        RF_NVTX_CHAR8(RF_NVTX_SIZE_AND_ALIGN, RF_NVTX_NO_SIZE)
        RF_NVTX_CHAR16_32(RF_NVTX_SIZE_AND_ALIGN, RF_NVTX_NO_SIZE)
        /* clang-format on */
};

#ifdef __cplusplus
} /* extern "C" */
#endif

#undef RF_NVTX_CHAR8
#undef RF_NVTX_CHAR16_32
#undef RF_NVTX_ALIGNED
#undef RF_NVTX_SIZE_AND_ALIGN
#undef RF_NVTX_NO_TYPE
#undef RF_NVTX_NO_SIZE
#undef RF_NVTX_C_TYPES

#endif /* RF_NVTX_TYPE_SIZES_H */
