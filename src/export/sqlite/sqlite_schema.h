/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of an exported database as data: those of Nsight Systems' export schema 3.0.0 (names,
 * columns, types and their order are an interface, kept to the letter) and our own beside them,
 * RANGEFINDER_*. docs/sqlite.md describes both. */
#ifndef RF_EXPORT_SQLITE_SQLITE_SCHEMA_H
#define RF_EXPORT_SQLITE_SQLITE_SCHEMA_H

#define RF_NSYS_SCHEMA_VERSION "3.0.0"
#define RF_NSYS_SCHEMA_MAJOR   "3"
#define RF_NSYS_SCHEMA_MINOR   "0"
#define RF_NSYS_SCHEMA_MICRO   "0"

/* The columns of NVTX_EVENTS, with the word for each in the code. */
#define RF_NVTX_COLUMNS(COLUMN)                                                                    \
    COLUMN(START, "start INTEGER NOT NULL")                                                        \
    COLUMN(END, ", end INTEGER")                                                                   \
    COLUMN(EVENT_TYPE, ", eventType INTEGER NOT NULL")                                             \
    COLUMN(RANGE_ID, ", rangeId INTEGER")                                                          \
    COLUMN(CATEGORY, ", category INTEGER")                                                         \
    COLUMN(COLOR, ", color INTEGER")                                                               \
    COLUMN(TEXT, ", text TEXT")                                                                    \
    COLUMN(GLOBAL_TID, ", globalTid INTEGER")                                                      \
    COLUMN(END_GLOBAL_TID, ", endGlobalTid INTEGER")                                               \
    COLUMN(TEXT_ID, ", textId INTEGER")                                                            \
    COLUMN(DOMAIN_ID, ", domainId INTEGER")                                                        \
    COLUMN(UINT64, ", uint64Value INTEGER")                                                        \
    COLUMN(INT64, ", int64Value INTEGER")                                                          \
    COLUMN(DOUBLE, ", doubleValue REAL")                                                           \
    COLUMN(UINT32, ", uint32Value INTEGER")                                                        \
    COLUMN(INT32, ", int32Value INTEGER")                                                          \
    COLUMN(FLOAT, ", floatValue REAL")                                                             \
    COLUMN(JSON_ID, ", jsonTextId INTEGER")                                                        \
    COLUMN(JSON, ", jsonText TEXT")
#define RF_NVTX_COLUMN_TEXT(word, text) text

/* Later versions of the schema have it, for payloads that were not decoded. */
#define RF_NVTX_LATE_COLUMN "binaryData TEXT"

/* The statements that create every table but the enumerations. */
extern const char rf_sqlite_schema[];

#endif
