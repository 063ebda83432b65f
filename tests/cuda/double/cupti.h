/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the stand-in for libcupti. */
#ifndef RF_TESTS_DOUBLE_CUPTI_H
#define RF_TESTS_DOUBLE_CUPTI_H

#include "cuda/cupti/cupti_abi.h"
#include "double.h"

#define CUPTI_MAX_KIND   64u
#define CUPTI_MAX_RECORD 256u

/* ---- cupti_rules.c ---- */

/* A breach of the rules: a line in RF_DOUBLE_VIOLATIONS, or on standard error. */
void cupti_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A call worth a line in RF_DOUBLE_CALLS: nanoseconds, pid, tid, text. */
void cupti_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Each function of the interface begins with one of these. */
void cupti_enter(const char *function);        /* not inside the buffer callbacks */
void cupti_enter_simple(const char *function); /* allowed in the completed callback, too */

enum cupti_inside { CUPTI_OUTSIDE = 0, CUPTI_IN_REQUEST, CUPTI_IN_COMPLETE };
void cupti_set_inside(enum cupti_inside inside);
enum cupti_inside cupti_inside(void);

/* From now on this process is the one that may call. */
void cupti_own_process(void);

/* ---- cupti_api.c ---- */

uint32_t cupti_version(void);
const struct double_gpu *cupti_gpu(void); /* NULL: there is no libcuda */
bool cupti_is_enabled(uint32_t kind);
uint32_t cupti_thread_id(void); /* as cuptiSetThreadIdType() asked for */
bool cupti_is_per_thread(void);
void cupti_check_zero(void);             /* a buffer is not zero, though it should be */
bool cupti_is_zeroed(void);              /* the client gives zeroed buffers */
uint64_t cupti_time(uint64_t true_time); /* on CUPTI's clock */
void cupti_drop_record(void);            /* there is no memory for it: counted */

/* ---- cupti_records.c: what libcuda tells becomes records ---- */

extern const struct double_hooks cupti_hooks;
void cupti_call_back(struct double_call *call, bool is_exit);
void cupti_call_back_context(struct double_context *context);
void cupti_call_back_made(uint32_t cbid, void *context, void *stream);
void cupti_dump(uint32_t kind);
bool cupti_api_is_wanted(enum double_domain domain, uint32_t cbid);

/* ---- cupti_layout.c: bytes ---- */

/* The size of a record of this kind in this version; 0: no such kind. */
size_t cupti_record_size(uint32_t kind);

/* Each fills record, of CUPTI_MAX_RECORD bytes; what is padding or reserved is poison. */
void cupti_lay_call(uint8_t *record, const struct double_call *call, uint32_t thread);
void cupti_lay_op(uint8_t *record, const struct double_op *op, const char *name);
void cupti_lay_context(uint8_t *record, const struct double_context *context);
void cupti_lay_stream(uint8_t *record, const struct double_stream *stream);
void cupti_lay_device(uint8_t *record, uint32_t device, const char *name);
void cupti_lay_overhead(uint8_t *record, uint32_t kind, uint32_t thread, uint64_t start,
                        uint64_t end);
void cupti_lay_unknown(uint8_t *record);
#define CUPTI_UNKNOWN_KIND 61u

/* The kind under which an operation is enabled. */
uint32_t cupti_kind_of(const struct double_op *op);

/* ---- cupti_buffers.c ---- */

void cupti_set_buffer_callbacks(rf_cupti_request *request, rf_cupti_complete *complete);

/* Adds a record of size bytes; name, if not NULL, is freed and overwritten when the buffer was
 * taken. is_gpu: it goes to the buffer of the GPU's records. */
void cupti_add(const uint8_t *record, size_t size, char *name, bool is_gpu);

/* The same of an operation that has just been launched: the buffer comes when it has ended. */
void cupti_add_launched(const struct double_op *op);

void cupti_flush(bool is_forced);

/* A context ends: what was not asked for before is lost. */
void cupti_forget_records(void);

/* ---- cupti_pending.c ---- */

/* Adds an operation, whose record comes when it has ended. */
void cupti_add_pending(const struct double_op *op);

/* Gives records to the work that has ended; forced: to all of it, without an end. */
void cupti_drain_pending(bool is_forced);

void cupti_forget_pending(void);

/* A kind is disabled: of its work that runs CUPTI keeps the records, which a forced flush gives
 * without an end, and which come when the kind is enabled again, with that time for their end. */
void cupti_hold(uint32_t kind);
void cupti_release_held(uint32_t kind);
bool cupti_is_any_pending(void); /* has work not ended? */

/* As cupti_lay_op(), by the true clock: of work that has not ended by now the end is 0. */
void cupti_lay_op_now(uint8_t *record, const struct double_op *op, const char *name, uint64_t now);

/* Twice the size of an array of *size items; false: there is no memory. */
bool cupti_grow(void *array, size_t *size, size_t item);

/* ---- cupti_replay.c ---- */

uint32_t cupti_replay_version(void); /* 0: nothing is replayed */
uint64_t cupti_replay_first_time(void);
void cupti_replay_all(rf_cupti_request *request, rf_cupti_complete *complete);

#endif
