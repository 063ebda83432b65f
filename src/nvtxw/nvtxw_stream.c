/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtxw/nvtxw_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/output.h"
#include "nvtxw/nvtxw_defs.h"
#include "nvtxw/nvtxw_error.h"
#include "nvtxw/nvtxw_extents.h"
#include "record/nvtx/read_sized.h"

/* ---- Parts ---- */

static struct rf_chunk_header *chunk_of(struct nvtxw_stream *stream)
{
    return (struct rf_chunk_header *)(void *)stream->part;
}

static void set_state(struct nvtxw_stream *stream, enum rf_part_state state)
{
    /* after everything that was written before: pairs with a reader of the pool */
    __atomic_store_n(&stream->header->part[0].state, state, __ATOMIC_RELEASE);
}

static void begin_part(struct nvtxw_stream *stream)
{
    const uint64_t seq = ++stream->session->slot_seq[stream->slot];
    set_state(stream, RF_PART_FREE);
    *chunk_of(stream) = (struct rf_chunk_header){.magic = RF_CHUNK_MAGIC,
                                                 .type = RF_CHUNK_PART,
                                                 .header_size = sizeof(struct rf_chunk_header),
                                                 .slot = stream->slot,
                                                 .seq = seq,
                                                 .ticks = NVTXW_TICKS};
    *(struct rf_part_header *)(void *)(stream->part + sizeof(struct rf_chunk_header)) =
        (struct rf_part_header){.tid = stream->tid, .serial = stream->number};
    stream->at = stream->part + RF_PART_RECORDS_OFFSET;
    stream->end = stream->part + RF_PART_SIZE;
    memset(stream->at, 0, 8);
    stream->header->part[0].seq = seq;
    stream->header->part[0].size = 0;
    set_state(stream, RF_PART_ACTIVE);
}

/* Nothing was written to the part: the slot's next one has its number, since a reader takes one
 * that is not there for lost. */
static void take_back_part(struct nvtxw_stream *stream)
{
    stream->header->part[0].seq = --stream->session->slot_seq[stream->slot];
}

/* A whole chunk in one call, so that those of other streams come before or behind it. */
static int append(struct nvtxw_stream *stream)
{
    struct nvtxw_session *session = stream->session;
    const size_t size = (size_t)(stream->at - stream->part);
    chunk_of(stream)->size = size - sizeof(struct rf_chunk_header);
    ssize_t n;
    do
        n = write(session->log_fd, stream->part, size);
    while (n < 0 && errno == EINTR);
    if (n == (ssize_t)size)
        return NVTXW_SUCCESS;
    const int code = n < 0 ? errno : ENOSPC;
    chunk_of(stream)->size = 0;
    return nvtxw_fail(NVTXW_FAILED, "cannot write '%s': %s", session->dir.dir,
                      rf_write_error(code));
}

int nvtxw_stream_next_part(struct nvtxw_stream *stream)
{
    int result = append(stream);
    if (result != NVTXW_SUCCESS)
        return result;
    begin_part(stream);
    return NVTXW_SUCCESS;
}

/* ---- Opening ---- */

static int map_slot(struct nvtxw_stream *stream)
{
    struct nvtxw_session *session = stream->session;
    const off_t at = (off_t)RF_POOL_SLOTS_END + (off_t)stream->slot * RF_SLOT_SIZE;
    /* allocated now: a full disk is an error here instead of SIGBUS later */
    int code = posix_fallocate(session->pool_fd, at, RF_SLOT_SIZE);
    void *part = code == 0 ? mmap(NULL, RF_PART_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
                                  session->pool_fd, at)
                           : MAP_FAILED;
    if (part == MAP_FAILED)
        return nvtxw_fail(NVTXW_FAILED, "cannot make room in '%s': %s", session->dir.dir,
                          rf_write_error(code != 0 ? code : errno));
    stream->part = part;
    stream->header =
        (struct rf_pool_slot *)(void *)((uint8_t *)session->pool + RF_POOL_HEADER_SIZE) +
        stream->slot;
    stream->header->is_owned = 1;
    stream->header->tid = stream->tid;
    if (session->pool->n_slots <= stream->slot)
        session->pool->n_slots = session->pool->n_allocated = stream->slot + 1;
    return NVTXW_SUCCESS;
}

static int define_stream(struct nvtxw_stream *stream, const struct nvtxw_stream_attributes *given)
{
    const struct rf_stream_def about = {.scope = given->scope,
                                        .time_domain = given->time_domain,
                                        .interleaving = given->interleaving,
                                        .ordering = given->ordering,
                                        .skid = given->skid,
                                        .skid_amount = given->skid_amount};
    struct rf_def def = {.tid = stream->tid, .index = stream->tid};
    int result = stream->name != NULL
                     ? nvtxw_define_name(stream->session, RF_REC_THREAD_NAME, def, stream->name)
                     : NVTXW_SUCCESS;
    def.index = RF_NVTX_DEF_STREAM;
    def.domain = stream->domain->number;
    def.value = stream->tid;
    return result == NVTXW_SUCCESS
               ? nvtxw_define(stream->session, RF_REC_NVTX_DEF, def, &about, sizeof(about))
               : result;
}

static int find_slot(struct nvtxw_session *session, uint32_t *slot)
{
    for (*slot = 0; *slot < RF_MAX_SLOTS; ++*slot)
        if (session->slot[*slot] == NULL)
            return NVTXW_SUCCESS;
    return nvtxw_fail(NVTXW_FAILED, "more than %u streams are open", RF_MAX_SLOTS);
}

static int add_stream(struct nvtxw_session *session, struct nvtxw_stream *stream,
                      const struct nvtxw_stream_attributes *given)
{
    int result = find_slot(session, &stream->slot);
    if (result != NVTXW_SUCCESS)
        return result;
    if (session->n_streams >= NVTXW_MOST_TIDS ||
        rf_grow_array(&session->stream, session->n_streams, &session->stream_room,
                      sizeof(*session->stream)) != RF_OK)
        return nvtxw_fail(NVTXW_FAILED, "too many streams");
    stream->number = (uint32_t)session->n_streams + 1;
    stream->tid = NVTXW_FIRST_TID + (uint32_t)session->n_streams;
    result = map_slot(stream);
    if (result == NVTXW_SUCCESS)
        result = define_stream(stream, given);
    if (result != NVTXW_SUCCESS)
        return result;
    session->slot[stream->slot] = stream;
    session->stream[session->n_streams++] = stream;
    begin_part(stream);
    __atomic_store_n(&stream->is_open, true, __ATOMIC_RELEASE);
    return NVTXW_SUCCESS;
}

/* Streams that are open have slots; of those that were, there may be many more. */
static bool has_name(const struct nvtxw_session *session, const char *name)
{
    for (uint32_t i = 0; i < session->pool->n_slots && name != NULL; i++) {
        const struct nvtxw_stream *stream = session->slot[i];
        if (stream != NULL && nvtxw_stream_is_open(stream) && stream->name != NULL &&
            strcmp(stream->name, name) == 0)
            return true;
    }
    return false;
}

static int check(struct nvtxw_session *session, const struct nvtxw_stream_attributes *a,
                 const struct nvtxw_domain *domain)
{
    const char *name = a->name != NULL ? a->name : "";
    if (domain == NULL)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "stream '%s': its domain is none of this session",
                          name);
    if (has_name(session, a->name))
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "stream '%s': another one has this name", name);
    if (!nvtxw_has_scope(domain, a->scope))
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "stream '%s': its scope is not registered", name);
    if (!nvtxw_has_time_domain(domain, a->time_domain))
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "stream '%s': its time domain is not registered",
                          name);
    if (a->interleaving < 0 || a->interleaving > NVTXW_INTERLEAVING_SCOPE || a->ordering < 0 ||
        a->ordering > NVTXW_ORDERING_RANGE_END || a->skid < 0 || a->skid > NVTXW_SKID_EVENT_COUNT ||
        a->skid_amount < 0)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "stream '%s': its order is none that there is",
                          name);
    return NVTXW_SUCCESS;
}

/* Within a scope, or by a number of events, nothing is checked: it would take the scopes of all
 * events, or a list of their times. */
static struct nvtxw_order order_of(const struct nvtxw_stream_attributes *a)
{
    return (struct nvtxw_order){.is_promised = a->ordering != NVTXW_ORDERING_UNKNOWN &&
                                               a->interleaving == NVTXW_INTERLEAVING_NONE &&
                                               a->skid != NVTXW_SKID_EVENT_COUNT,
                                .skid = a->skid == NVTXW_SKID_TIME_NS ? a->skid_amount : 0,
                                .role = a->ordering == NVTXW_ORDERING_RANGE_END
                                            ? NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END
                                            : NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN};
}

/* One that was not opened. */
static void stream_free(struct nvtxw_stream *stream)
{
    if (stream->part != NULL)
        (void)munmap(stream->part, RF_PART_SIZE);
    free(stream->name);
    free(stream);
}

int nvtxw_stream_open(struct nvtxw_session *session, const struct nvtxw_stream_attributes *given,
                      struct nvtxw_stream **out)
{
    struct nvtxw_stream_attributes a;
    struct nvtxw_stream *stream = calloc(1, sizeof(*stream));
    if (stream == NULL)
        return nvtxw_fail(NVTXW_FAILED, "out of memory");
    rf_read_sized(&a, sizeof(a), given, given->struct_size);
    (void)pthread_mutex_lock(&session->lock);
    struct nvtxw_domain *domain = nvtxw_domain_of(session, a.domain);
    int result = nvtxw_is_ours(session)
                     ? check(session, &a, domain)
                     : nvtxw_fail(NVTXW_INVALID_ARGUMENT, "the session has ended");
    if (result == NVTXW_SUCCESS) {
        (void)pthread_mutex_init(&stream->lock, NULL);
        stream->session = session;
        stream->domain = domain;
        stream->time_domain = a.time_domain;
        stream->name = a.name != NULL ? strdup(a.name) : NULL;
        stream->order = order_of(&a);
        result = add_stream(session, stream, &a);
    }
    (void)pthread_mutex_unlock(&session->lock);
    if (result == NVTXW_SUCCESS)
        *out = stream;
    else
        stream_free(stream);
    return result;
}

/* ---- Closing ---- */

static void report_order(const struct nvtxw_stream *stream)
{
    char text[RF_MESSAGE_SIZE];
    if (stream->order.n_broken == 0)
        return;
    (void)snprintf(text, sizeof(text),
                   "%llu events of the stream '%.40s' are not in the order that it promised",
                   (unsigned long long)stream->order.n_broken,
                   stream->name != NULL ? stream->name : "");
    session_post_message(stream->session->dir.control, text);
}

int nvtxw_stream_finish(struct nvtxw_stream *stream)
{
    struct nvtxw_session *session = stream->session;
    int result = NVTXW_SUCCESS;
    (void)pthread_mutex_lock(&stream->lock);
    if (nvtxw_stream_is_open(stream)) {
        __atomic_store_n(&stream->is_open, false, __ATOMIC_RELEASE);
        const bool is_empty = stream->at == stream->part + RF_PART_RECORDS_OFFSET;
        if (!is_empty)
            result = append(stream);
        /* what could not be appended stays in the pool, from where it is packed */
        if (result == NVTXW_SUCCESS)
            set_state(stream, RF_PART_FREE);
        if (is_empty)
            take_back_part(stream);
        (void)pthread_mutex_lock(&session->lock);
        if (result == NVTXW_SUCCESS) {
            stream->header->is_owned = 0;
            session->slot[stream->slot] = NULL;
        }
        if (!nvtxw_extents_join(&session->extents, stream->domain, &stream->extents))
            result = nvtxw_fail(NVTXW_FAILED, "out of memory");
        (void)pthread_mutex_unlock(&session->lock);
        report_order(stream);
        (void)munmap(stream->part, RF_PART_SIZE);
        stream->part = stream->at = stream->end = NULL;
    }
    (void)pthread_mutex_unlock(&stream->lock);
    return result;
}

int nvtxw_stream_close(struct nvtxw_stream *stream)
{
    if (!nvtxw_is_ours(stream->session) || !nvtxw_stream_is_open(stream))
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "the stream is closed");
    return nvtxw_stream_finish(stream);
}

void nvtxw_stream_release(struct nvtxw_stream *stream)
{
    (void)pthread_mutex_lock(&stream->lock);
    nvtxw_extents_release(&stream->extents);
    stream->extent = NULL;
    free(stream->name);
    stream->name = NULL;
    (void)pthread_mutex_unlock(&stream->lock);
}
