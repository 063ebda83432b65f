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

/* NVTX_EVENTS.eventType. */
enum rf_nsys_event_type {
    RF_NSYS_NVTX_CATEGORY = 33,
    RF_NSYS_NVTX_MARK = 34,
    RF_NSYS_NVTX_THREAD = 39,
    RF_NSYS_NVTX_PUSH_POP_RANGE = 59,
    RF_NSYS_NVTX_START_END_RANGE = 60,
    RF_NSYS_NVTX_DOMAIN_CREATE = 75,
    RF_NSYS_NVTX_DOMAIN_DESTROY = 76,
};

/* The statements that create every table but the enumerations. */
extern const char rf_sqlite_schema[];

#endif
