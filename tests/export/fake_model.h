/* SPDX-License-Identifier: Apache-2.0 */
/* A recording that is built in memory, so that exporters and reports are tested on anything the
 * model may say, whatever the readers make of files. A failed allocation aborts. */
#ifndef TESTS_EXPORT_FAKE_MODEL_H
#define TESTS_EXPORT_FAKE_MODEL_H

#include "rangefinder/rangefinder.h"

/* One process "app" (pid 100, thread 100) and its default domain (0) to begin with. */
rf_recording *fake_new(void);

struct rf_info *fake_info(rf_recording *rec);

/* Interned; NULL gives RF_NO_STRING. */
uint32_t fake_string(rf_recording *rec, const char *text);

/* Each returns the index. The structures may be changed through the pointers that *_at() give. A
 * process gets a default domain and no thread. */
uint32_t fake_process(rf_recording *rec, uint32_t pid, const char *name);
uint32_t fake_thread(rf_recording *rec, uint32_t process, uint32_t tid, const char *name);
uint32_t fake_domain(rf_recording *rec, uint32_t process, uint32_t id, const char *name);
struct rf_process *fake_process_at(rf_recording *rec, uint32_t i);
struct rf_thread *fake_thread_at(rf_recording *rec, uint32_t i);
struct rf_domain *fake_domain_at(rf_recording *rec, uint32_t i);

/* A domain has the names of categories that another one, of the process it was forked from, has. */
void fake_inherit_domain(rf_recording *rec, uint32_t domain, uint32_t parent);

void fake_category_name(rf_recording *rec, uint32_t domain, uint32_t category, const char *name);
void fake_message(rf_recording *rec, const char *message);

/* A capture: the recording is focused. */
void fake_capture(rf_recording *rec, int64_t begin_ns, int64_t end_ns, int is_open);

/* Adds an event to a thread, after those it has, and returns it; valid until the next is added.
 * Ranges and marks count in the info. end_ns is RF_NO_TIME for what is no range. */
struct rf_event *fake_event(rf_recording *rec, uint32_t thread, int kind, int64_t start_ns,
                            int64_t end_ns, uint32_t domain, const char *name);

/* The same with what start/end ranges have. */
struct rf_event *fake_start_end(rf_recording *rec, uint32_t thread, int64_t start_ns,
                                int64_t end_ns, uint32_t end_thread, const char *name);

/* Calls go to a thread by start, like events. */
struct rf_call *fake_call(rf_recording *rec, uint32_t thread, int kind, int64_t start_ns,
                          int64_t end_ns, const char *name);

struct rf_gpu *fake_gpu(rf_recording *rec, uint32_t id, const char *name);

/* A stream of a GPU; the work added next is this one's. */
uint32_t fake_track(rf_recording *rec, uint32_t process, uint32_t device, uint32_t context,
                    uint32_t stream);
struct rf_gpu_op *fake_op(rf_recording *rec, int kind, int64_t start_ns, int64_t end_ns,
                          const char *name);
struct rf_kernel *fake_kernel(rf_recording *rec, struct rf_gpu_op *op, const char *demangled);
struct rf_transfer *fake_transfer(rf_recording *rec, struct rf_gpu_op *op, uint64_t bytes);

/* A piece of work is caused by a call of a thread. */
void fake_cause(rf_recording *rec, uint32_t thread, uint32_t call, struct rf_gpu_op *op);

/* A counter, after those of devices and processes before; the samples added next are its own, and
 * come by time. */
struct rf_counter *fake_counter(rf_recording *rec, uint32_t device, uint32_t process,
                                const char *set, const char *name);
void fake_sample(rf_recording *rec, int64_t ns, double value);

/* Makes the last counter one of NVTX, when it has its samples: absolute, until the next one, of no
 * unit. It may be changed. */
struct rf_nvtx_counter *fake_nvtx_counter(rf_recording *rec, uint32_t domain);

void fake_free(rf_recording *rec);

#endif
