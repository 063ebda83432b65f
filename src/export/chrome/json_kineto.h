/* SPDX-License-Identifier: Apache-2.0 */
/* Chrome trace JSON as PyTorch's profiler (Kineto) writes it, for the programs that analyze its
 * traces: processes are pids, devices are pids as well, below 1024; a stream is a tid of its
 * device; correlation ids differ in the whole file, where the recording has several processes. */
#ifndef RF_EXPORT_CHROME_JSON_KINETO_H
#define RF_EXPORT_CHROME_JSON_KINETO_H

#include "export/chrome/json_writer.h"

struct json_kineto {
    uint32_t *track_tids;        /* by GPU track */
    struct rf_wanted_id *tracks; /* GPU tracks by pid */
    uint64_t *first_external_id; /* by thread: of its first event */
    uint32_t *correlation_space; /* by process */
};

/* The first pid that is not a device. */
uint32_t json_kineto_first_pid(const rf_recording *rec);

/* The pid of a device. */
uint32_t json_kineto_device_pid(uint32_t device);

/* Gives the ids; to->lanes must be there. The caller releases it in any case. */
int json_kineto_init(struct json_kineto *kineto, struct json_writer *to);
void json_kineto_release(struct json_kineto *kineto);

/* Everything before the events, and after them. */
void json_kineto_put_head(struct json_writer *to);
void json_kineto_put_tail(struct json_writer *to);

/* Names of the devices that have a track. */
void json_kineto_put_devices(struct json_writer *to);

/* The name of the stream to->stream, as text inside quotes. */
void json_kineto_put_track_name(struct json_writer *to);

/* What a correlation id of a process is in the file; 0 stays 0. */
uint64_t json_kineto_correlation(const struct json_writer *to, uint32_t process,
                                 uint32_t correlation);

/* The id of a range, by which others refer to it. */
uint64_t json_kineto_external_id(const struct json_writer *to, uint32_t thread, uint32_t event);

/* That of the operator of PyTorch that caused a piece of work; 0: none did. */
uint64_t json_kineto_operator_of(const struct json_writer *to, uint32_t op);

/* What the message of torch.autograd.profiler.emit_nvtx() says: "aten::add, seq = 7, op_id = 9". */
struct json_operator {
    size_t size;
    size_t name_size;  /* "aten::add"; of other messages all */
    uint64_t sequence; /* 7 */
    bool has_sequence;
    bool is_operator; /* of PyTorch, not a range of the program's */
};

/* Returns the message, which may be NULL. */
const char *json_kineto_parse(const struct json_writer *to, const struct rf_event *event,
                              struct json_operator *out);

/* A range's name without what emit_nvtx() added. */
void json_kineto_put_name(struct json_writer *to, const struct rf_event *event);

/* Whether a range is an operator of PyTorch. */
bool json_kineto_is_operator(const struct json_writer *to, const struct rf_event *event);

/* The name of a call without the version of CUDA that it is from: cudaLaunchKernel_v7000. Returns
 * how much of it stays. */
size_t json_kineto_call_size(const char *name, size_t size);

#endif
