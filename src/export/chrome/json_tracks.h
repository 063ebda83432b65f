/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and tracks of Chrome trace JSON. */
#ifndef RF_EXPORT_CHROME_JSON_TRACKS_H
#define RF_EXPORT_CHROME_JSON_TRACKS_H

#include "export/chrome/json_writer.h"

void json_begin_line(struct json_writer *to);

/* name, with its quotes, comma and colon, and a number. */
void json_put_member(struct rf_sink *sink, const char *name, uint64_t value);

/* The same of a text; NULL is the empty one. */
void json_put_text_member(struct rf_sink *sink, const char *name, const char *text);

/* Begins one of args; the first begins args, too. */
void json_put_arg(struct json_writer *to, const char *name);
void json_put_number_arg(struct json_writer *to, const char *name, uint64_t value);

/* Of a copy or a set, as a member; nothing where it took no time. */
void json_put_bandwidth(struct rf_sink *sink, uint64_t bytes, uint64_t duration_ns);

/* Ends args, if there are any, and the event. */
void json_end_args(struct json_writer *to);

/* A metadata event up to its args. tid 0: it is about the process. */
void json_begin_metadata(struct json_writer *to, const char *name, uint32_t pid, uint32_t tid);
void json_put_sort_index(struct json_writer *to, const char *name, uint32_t pid, uint32_t tid,
                         uint64_t index);

/* A name as text inside quotes, or what stands for it: "thread 12". */
void json_put_inner_name(struct json_writer *to, uint32_t string, const char *otherwise);
void json_put_numbered_name(struct json_writer *to, uint32_t string, const char *what,
                            uint32_t number);

/* What stands before the names of one input of several, inside quotes. process: NULL for what
 * belongs to none. */
void json_put_prefix(struct json_writer *to, const struct rf_process *process);

/* The member "name" of an annotation. */
void json_put_event_name(struct json_writer *to, const struct rf_event *event);

/* The argument "domain", unless it is the default domain. */
void json_put_domain_arg(struct json_writer *to, const struct rf_event *event);

/* A time of the recording as viewers are told it. Times of a damaged recording may be anything. */
static inline int64_t json_shown_ns(const struct json_writer *to, int64_t at_ns)
{
    return (int64_t)((uint64_t)to->base_ns + (uint64_t)at_ns);
}

/* pid, tid and ts. */
void json_put_place(struct json_writer *to, uint32_t tid, int64_t at_ns);

/* The same in a lane of the track that has its tid. */
void json_put_lane_place(struct json_writer *to, size_t lane, int64_t at_ns);

/* The sort index of the next track. */
static inline uint64_t json_next_place(struct json_writer *to)
{
    return to->n_places++ * RF_MAX_LANES;
}

/* Begins a track: it has one lane, which is empty. */
void json_begin_track(struct json_writer *to, uint32_t pid, uint32_t first_tid, uint64_t sort_index,
                      void (*put_track_name)(struct json_writer *to));

/* The viewer's tid of a lane of the track; names it the first time. */
uint32_t json_lane_tid(struct json_writer *to, size_t lane);

/* A slice in the first lane where it nests. Slices come by start, enclosing before enclosed. *lane
 * (may be NULL): where it was put. Returns 0 or a negative error. */
int json_put_slice(struct json_writer *to, const struct json_slice *slice, size_t *lane);

/* A range that overlaps others as it likes. id: its own among those of its category. */
void json_put_async(struct json_writer *to, const struct json_slice *slice, uint64_t id,
                    uint32_t tid, uint32_t end_tid);

/* To be called after each thing that is written: the next one may be another thread's. Returns 0,
 * or an error of the output. */
int json_next_item(struct json_writer *to);

/* Once per event, call and piece of work: progress, and errors of the sink. */
int json_step(struct json_writer *to);

#endif
