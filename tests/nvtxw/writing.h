/* SPDX-License-Identifier: Apache-2.0 */
/* A session that a test writes and reads. */
#ifndef TESTS_NVTXW_WRITING_H
#define TESTS_NVTXW_WRITING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nvtxw/nvtxw_abi.h"
#include "rangefinder/rangefinder.h"

/* Of static schemas that events of tests have. */
struct mark {
    int64_t time;
    nvtxStringHandle_t message;
};

struct range {
    int64_t begin, end;
    nvtxStringHandle_t message;
};

struct start {
    uint64_t id;
    int64_t time;
    nvtxStringHandle_t message;
};

struct writing {
    const struct nvtxw_interface *nvtxw;
    const char *(*error)(void);
    void (*finalize)(void);
    char *folder, path[4096];
    struct nvtxw_session *session;
    nvtxDomainHandle_t domain;
    struct nvtxw_stream *stream;                               /* "main", in the domain "dom" */
    uint64_t mark, push_pop, start_end, push, pop, start, end; /* schemas */
    rf_recording *rec;
};

int writing_set_up(void **state); /* the session has begun, the stream is open */
int writing_tear_down(void **state);

/* Opens a stream; sets what the attributes lack. */
struct nvtxw_stream *writing_open(struct writing *w, const char *name,
                                  struct nvtxw_stream_attributes a);

nvtxStringHandle_t writing_string(struct writing *w, const char *text);
int writing_mark(struct writing *w, int64_t time, const char *name);
int writing_event(struct writing *w, struct nvtxw_stream *stream, uint64_t schema,
                  const void *bytes, size_t size);
uint64_t writing_counter(struct writing *w, const char *name, uint64_t schema);

/* Ends the session, opens its recording, and shows it: "THREAD/SCOPE name begin-end", a line for
 * each event, then "COUNTER: time=value..."; times are those that were written, if `zero` is the
 * first of them. A '?' is behind a time that is not its own, "]" behind a push/pop range, ")"
 * behind a start/end range. */
void writing_expect(struct writing *w, int64_t zero, const char *expected);

#endif
