/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the macros of nvToolsExtPayloadHelper.h, which alone includes this, are made of. `s` is the
 * name of the struct throughout, and an entry is a list in parentheses.
 */
#ifndef RF_NVTX_PAYLOAD_HELPER_H
#define RF_NVTX_PAYLOAD_HELPER_H

/* ---- Lists ---- */

#define RF_NVTX_PASTE_(a, b) a##b
#define RF_NVTX_PASTE(a, b)  RF_NVTX_PASTE_(a, b)

/* The elements of a list in parentheses. */
#define RF_NVTX_UNPACK(...) __VA_ARGS__

/* The first of a list of elements; how many there are, up to 16. */
#define RF_NVTX_FIRST_OF_(a, ...)                                            a
#define RF_NVTX_FIRST_OF(...)                                                RF_NVTX_FIRST_OF_(__VA_ARGS__, 0)
#define RF_NVTX_17TH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, ...) q
#define RF_NVTX_COUNT(...)                                                                         \
    RF_NVTX_17TH(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)

/* m(s, element) for each element. */
#define RF_NVTX_EACH(m, s, ...)                                                                    \
    RF_NVTX_PASTE(RF_NVTX_EACH_, RF_NVTX_COUNT(__VA_ARGS__))(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_1(m, s, e)       m(s, e)
#define RF_NVTX_EACH_2(m, s, e, ...)  m(s, e) RF_NVTX_EACH_1(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_3(m, s, e, ...)  m(s, e) RF_NVTX_EACH_2(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_4(m, s, e, ...)  m(s, e) RF_NVTX_EACH_3(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_5(m, s, e, ...)  m(s, e) RF_NVTX_EACH_4(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_6(m, s, e, ...)  m(s, e) RF_NVTX_EACH_5(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_7(m, s, e, ...)  m(s, e) RF_NVTX_EACH_6(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_8(m, s, e, ...)  m(s, e) RF_NVTX_EACH_7(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_9(m, s, e, ...)  m(s, e) RF_NVTX_EACH_8(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_10(m, s, e, ...) m(s, e) RF_NVTX_EACH_9(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_11(m, s, e, ...) m(s, e) RF_NVTX_EACH_10(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_12(m, s, e, ...) m(s, e) RF_NVTX_EACH_11(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_13(m, s, e, ...) m(s, e) RF_NVTX_EACH_12(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_14(m, s, e, ...) m(s, e) RF_NVTX_EACH_13(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_15(m, s, e, ...) m(s, e) RF_NVTX_EACH_14(m, s, __VA_ARGS__)
#define RF_NVTX_EACH_16(m, s, e, ...) m(s, e) RF_NVTX_EACH_15(m, s, __VA_ARGS__)

/* ---- Entries ---- */

/* Behind NVTX_PAYLOAD_ENTRY_ stands TYPE_... or this, which leaves the id alone. */
#define _NVTX_PAYLOAD_NESTED(id) RF_NVTX_NESTED id
#define NVTX_PAYLOAD_ENTRY_RF_NVTX_NESTED

/* One nvtxPayloadSchemaEntry_t, its members in their order. */
#define RF_NVTX_ENTRY(flags, type, name, text, length, place, semantics)                           \
    {flags, type, name, text, length, place, semantics, NVTX_NULLPTR},

/* Of a member of a struct that exists: the number is that of the elements. */
#define RF_NVTX_OLD(s, entry) RF_NVTX_OLD_(s, RF_NVTX_UNPACK entry)
#define RF_NVTX_OLD_(s, ...)  RF_NVTX_PASTE(RF_NVTX_OLD_, RF_NVTX_COUNT(__VA_ARGS__))(s, __VA_ARGS__)
#define RF_NVTX_OLD_2(s, member, type)                                                             \
    RF_NVTX_ENTRY(0, NVTX_PAYLOAD_ENTRY_##type, NVTX_NULLPTR, NVTX_NULLPTR, 0,                     \
                  offsetof(s, member), NVTX_NULLPTR)
#define RF_NVTX_OLD_3(s, member, type, name)                                                       \
    RF_NVTX_ENTRY(0, NVTX_PAYLOAD_ENTRY_##type, name, NVTX_NULLPTR, 0, offsetof(s, member),        \
                  NVTX_NULLPTR)
#define RF_NVTX_OLD_4(s, member, type, name, text)                                                 \
    RF_NVTX_ENTRY(0, NVTX_PAYLOAD_ENTRY_##type, name, text, 0, offsetof(s, member), NVTX_NULLPTR)
#define RF_NVTX_OLD_5(s, member, type, name, text, length)                                         \
    RF_NVTX_ENTRY(0, NVTX_PAYLOAD_ENTRY_##type, name, text, length, offsetof(s, member),           \
                  NVTX_NULLPTR)
#define RF_NVTX_OLD_6(s, member, type, name, text, length, flag)                                   \
    RF_NVTX_ENTRY(NVTX_PAYLOAD_ENTRY_FLAG_##flag, NVTX_PAYLOAD_ENTRY_##type, name, text, length,   \
                  offsetof(s, member), NVTX_NULLPTR)
#define RF_NVTX_OLD_7(s, member, type, name, text, length, flag, semantics)                        \
    RF_NVTX_ENTRY(NVTX_PAYLOAD_ENTRY_FLAG_##flag, NVTX_PAYLOAD_ENTRY_##type, name, text, length,   \
                  offsetof(s, member), semantics)

/* Of a member that the same list defines. */
#define RF_NVTX_NEW(s, entry)                             RF_NVTX_NEW_(s, RF_NVTX_UNPACK entry)
#define RF_NVTX_NEW_(s, ...)                              RF_NVTX_PASTE(RF_NVTX_NEW_, RF_NVTX_COUNT(__VA_ARGS__))(s, __VA_ARGS__)
#define RF_NVTX_NEW_3(s, ctype, member, type)             RF_NVTX_OLD_2(s, member, type)
#define RF_NVTX_NEW_4(s, ctype, member, type, name)       RF_NVTX_OLD_3(s, member, type, name)
#define RF_NVTX_NEW_5(s, ctype, member, type, name, text) RF_NVTX_OLD_4(s, member, type, name, text)
#define RF_NVTX_NEW_6(s, ctype, member, type, name, text, length)                                  \
    RF_NVTX_OLD_5(s, RF_NVTX_FIRST_OF member, type, name, text, length)
#define RF_NVTX_NEW_7(s, ctype, member, type, name, text, length, flag)                            \
    RF_NVTX_OLD_6(s, RF_NVTX_FIRST_OF member, type, name, text, length, flag)

/* ---- Structs ---- */

/* The definition of a member. */
#define RF_NVTX_FIELD(s, entry)                          RF_NVTX_FIELD_(RF_NVTX_UNPACK entry)
#define RF_NVTX_FIELD_(...)                              RF_NVTX_PASTE(RF_NVTX_FIELD_, RF_NVTX_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define RF_NVTX_FIELD_2(ctype, member)                   ctype member;
#define RF_NVTX_FIELD_3(ctype, member, type)             ctype member;
#define RF_NVTX_FIELD_4(ctype, member, type, name)       ctype member;
#define RF_NVTX_FIELD_5(ctype, member, type, name, text) ctype member;
#define RF_NVTX_FIELD_6(ctype, member, type, name, text, length)                                   \
    ctype RF_NVTX_PASTE(RF_NVTX_ARRAY_, RF_NVTX_COUNT member) member;
#define RF_NVTX_FIELD_7(ctype, member, type, name, text, length, flag)                             \
    ctype RF_NVTX_PASTE(RF_NVTX_ARRAY_, RF_NVTX_COUNT member) member;
#define RF_NVTX_ARRAY_1(member)    member
#define RF_NVTX_ARRAY_2(member, n) member[n]

#define _NVTX_PAYLOAD_TYPEDEF_STRUCT(s, ...)                                                       \
    typedef struct {                                                                               \
        RF_NVTX_EACH(RF_NVTX_FIELD, s, __VA_ARGS__)                                                \
    } s;

/* ---- Schemas ---- */

/* The array of entries, with zeros behind, and what describes the schema. `entry` makes an entry.
 */
#define RF_NVTX_SCHEMA(entry, s, name, prefix, flags, id, mask, entries)                           \
    prefix nvtxPayloadSchemaEntry_t s##Schema[] = {RF_NVTX_EACH(entry, s, RF_NVTX_UNPACK entries){ \
        0, 0, NVTX_NULLPTR, NVTX_NULLPTR, 0, 0, NVTX_NULLPTR, NVTX_NULLPTR}};                      \
    prefix nvtxPayloadSchemaAttr_t s##Attr = {mask | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |         \
                                                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |         \
                                                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |     \
                                                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,      \
                                              name,                                                \
                                              NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,                     \
                                              flags,                                               \
                                              s##Schema,                                           \
                                              RF_NVTX_COUNT(RF_NVTX_UNPACK entries),               \
                                              sizeof(s),                                           \
                                              0,                                                   \
                                              id,                                                  \
                                              NVTX_NULLPTR};

/* The number is that of the arguments behind the name of the struct. */
#define RF_NVTX_SCHEMA_1(entry, s, entries)                                                        \
    RF_NVTX_SCHEMA(entry, s, NVTX_NULLPTR, , NVTX_PAYLOAD_SCHEMA_FLAG_NONE, 0, 0, entries)
#define RF_NVTX_SCHEMA_2(entry, s, name, entries)                                                  \
    RF_NVTX_SCHEMA(entry, s, name, , NVTX_PAYLOAD_SCHEMA_FLAG_NONE, 0,                             \
                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME, entries)
#define RF_NVTX_SCHEMA_3(entry, s, name, prefix, entries)                                          \
    RF_NVTX_SCHEMA(entry, s, name, prefix, NVTX_PAYLOAD_SCHEMA_FLAG_NONE, 0,                       \
                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME, entries)
#define RF_NVTX_SCHEMA_4(entry, s, name, prefix, flags, entries)                                   \
    RF_NVTX_SCHEMA(entry, s, name, prefix, flags, 0,                                               \
                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS,     \
                   entries)
#define RF_NVTX_SCHEMA_5(entry, s, name, prefix, flags, id, entries)                               \
    RF_NVTX_SCHEMA(entry, s, name, prefix, flags, id,                                              \
                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS |    \
                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID,                                   \
                   entries)

#define _NVTX_DEFINE_SCHEMA_FOR_STRUCT(s, ...)                                                     \
    RF_NVTX_PASTE(RF_NVTX_SCHEMA_, RF_NVTX_COUNT(__VA_ARGS__))(RF_NVTX_OLD, s, __VA_ARGS__)

/* The struct is defined by the last argument. */
#define RF_NVTX_STRUCT(s, entries)    _NVTX_PAYLOAD_TYPEDEF_STRUCT(s, RF_NVTX_UNPACK entries)
#define RF_NVTX_LAST_1(a)             a
#define RF_NVTX_LAST_2(a, b)          b
#define RF_NVTX_LAST_3(a, b, c)       c
#define RF_NVTX_LAST_4(a, b, c, d)    d
#define RF_NVTX_LAST_5(a, b, c, d, e) e
#define _NVTX_DEFINE_STRUCT_WITH_SCHEMA(s, ...)                                                    \
    RF_NVTX_STRUCT(s, RF_NVTX_PASTE(RF_NVTX_LAST_, RF_NVTX_COUNT(__VA_ARGS__))(__VA_ARGS__))       \
    RF_NVTX_PASTE(RF_NVTX_SCHEMA_, RF_NVTX_COUNT(__VA_ARGS__))(RF_NVTX_NEW, s, __VA_ARGS__)

#endif /* RF_NVTX_PAYLOAD_HELPER_H */
