/* SPDX-License-Identifier: Apache-2.0 */
/* Building a recording in memory; rf_writer_save.c writes it out. */
#include "rf_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEED(condition)                                                                            \
    ((condition) ? (void)0                                                                         \
                 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

static void *grow(void *array, size_t n, size_t size)
{
    /* doubled at every power of two */
    if ((n & (n - 1)) == 0) {
        array = realloc(array, (n == 0 ? 1 : 2 * n) * size);
        NEED(array != NULL);
    }
    return array;
}

static void *new_zeroed(size_t size)
{
    void *p = calloc(1, size);
    NEED(p != NULL);
    return p;
}

void rfw_add(struct rfw_bytes *bytes, const void *data, size_t size)
{
    if (bytes->size + size > bytes->room) {
        bytes->room = 2 * (bytes->size + size);
        bytes->data = realloc(bytes->data, bytes->room);
        NEED(bytes->data != NULL);
    }
    if (size > 0)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

struct rfw *rfw_new(void)
{
    struct rfw *w = new_zeroed(sizeof(*w));
    struct rf_control *c = &w->control;
    memcpy(c->magic, RF_CONTROL_MAGIC, sizeof(c->magic));
    c->version = RF_FORMAT_MAJOR;
    c->size = sizeof(*c);
    memcpy(c->session_id, "0123456789abcdef", 16);
    memcpy(c->boot_id, "a boot elsewhere", 16);
    c->clock_kind = RF_CLOCK_MONO;
    c->utc_offset_s = 3600;
    c->is_finished = 1;
    c->records_all = 1;
    c->root_pid = 100;
    c->root_end = RF_ROOT_EXITED;
    (void)snprintf(c->host, sizeof(c->host), "testhost");
    (void)snprintf(c->product, sizeof(c->product), "rangefinder test");
    for (int i = 0; i < 2; i++) {
        int64_t at = (int64_t)RFW_TICKS_0 + i * 10000000000LL;
        c->clock[i] = (struct rf_clock_pair){(uint64_t)at, at, at + 1000,
                                             at - (int64_t)RFW_TICKS_0 + RFW_REAL_NS_0};
    }
    c->n_clocks = 2;
    return w;
}

static void free_stream(struct rfw_stream *s)
{
    for (size_t i = 0; i < s->n_parts; i++) {
        free(s->part[i]->records.data);
        free(s->part[i]);
    }
    free(s->part);
    free(s);
}

void rfw_free(struct rfw *w)
{
    if (w == NULL)
        return;
    for (size_t i = 0; i < w->n_processes; i++) {
        for (size_t k = 0; k < w->process[i]->n_streams; k++)
            free_stream(w->process[i]->stream[k]);
        free(w->process[i]->stream);
        free(w->process[i]->defs.data);
        free(w->process[i]);
    }
    free(w->process);
    free(w->metrics.data);
    free(w);
}

uint32_t rfw_process_bare(struct rfw *w)
{
    w->process = grow(w->process, w->n_processes, sizeof(*w->process));
    w->process[w->n_processes++] = new_zeroed(sizeof(struct rfw_process));
    w->control.n_processes = (uint32_t)w->n_processes;
    return (uint32_t)w->n_processes - 1;
}

uint32_t rfw_process(struct rfw *w, uint32_t pid, const char *name)
{
    uint32_t p = rfw_process_bare(w);
    char path[256];
    (void)snprintf(path, sizeof(path), "/usr/bin/%s", name);
    rfw_fact(w, p, 0, RF_PROC_PID, pid, NULL);
    rfw_fact(w, p, 0, RF_PROC_PPID, 1, NULL);
    rfw_fact(w, p, 0, RF_PROC_START_TIME, 1000 + pid, NULL);
    rfw_fact(w, p, 0, RF_PROC_PID_NS, 4026531836u, NULL);
    rfw_fact(w, p, 0, RF_PROC_NAME, 0, name);
    rfw_fact(w, p, 0, RF_PROC_EXE, 0, path);
    rfw_fact(w, p, 0, RF_PROC_ARG, 0, path);
    rfw_fact(w, p, 0, RF_PROC_ARG, 0, "two words");
    rfw_fact(w, p, 0, RF_PROC_CWD, 0, "/home/user");
    return p;
}

static uint64_t word0(uint64_t type, uint64_t n_words, uint64_t ticks)
{
    return type | n_words << RF_WORD_TYPE_BITS | ticks << RF_WORD_TICK_SHIFT;
}

size_t rfw_def(struct rfw *w, uint32_t process, const struct rf_def *def, int64_t ns,
               enum rf_record_type type, const char *text, size_t text_size)
{
    struct rfw_bytes *defs = &w->process[process]->defs;
    struct rf_def copy = *def;
    size_t at = defs->size;
    size_t text_words = text == NULL ? 0 : (text_size + 7) / 8;
    copy.head = word0(type, 0, RFW_TICKS_0 + (uint64_t)ns);
    copy.n_words = (uint32_t)(sizeof(copy) / 8 + text_words);
    copy.text_size = text == NULL ? RF_NO_TEXT : (uint32_t)text_size;
    rfw_add(defs, &copy, sizeof(copy));
    if (text != NULL) {
        static const uint8_t zeros[8];
        rfw_add(defs, text, text_size);
        rfw_add(defs, zeros, 8 * text_words - text_size);
    }
    return at;
}

static void define(struct rfw *w, uint32_t process, int64_t ns, enum rf_record_type type,
                   struct rf_def def, const char *text)
{
    (void)rfw_def(w, process, &def, ns, type, text, text == NULL ? 0 : strlen(text));
}

void rfw_fact(struct rfw *w, uint32_t process, int64_t ns, enum rf_proc_key key, uint64_t value,
              const char *text)
{
    define(w, process, ns, RF_REC_PROCESS, (struct rf_def){.index = key, .value = value}, text);
}

uint32_t rfw_domain(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, const char *name)
{
    uint32_t handle = ++w->process[process]->n_domains;
    define(w, process, ns, RF_REC_DOMAIN, (struct rf_def){.tid = tid, .index = handle}, name);
    return handle;
}

void rfw_domain_destroy(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, uint64_t domain)
{
    define(w, process, ns, RF_REC_DOMAIN_DESTROY,
           (struct rf_def){.tid = tid, .index = (uint32_t)domain, .value = domain}, NULL);
}

uint32_t rfw_string(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, uint32_t domain,
                    const char *text)
{
    uint32_t handle = ++w->process[process]->n_strings;
    define(w, process, ns, RF_REC_STRING,
           (struct rf_def){.tid = tid, .index = handle, .domain = domain, .value = domain}, text);
    return handle;
}

void rfw_category(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, uint32_t domain,
                  uint32_t category, const char *name)
{
    define(w, process, ns, RF_REC_CATEGORY,
           (struct rf_def){.tid = tid, .index = category, .domain = domain, .value = domain}, name);
}

void rfw_thread_name(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, uint32_t named,
                     const char *name)
{
    define(w, process, ns, RF_REC_THREAD_NAME, (struct rf_def){.tid = tid, .index = named}, name);
}

void rfw_object_name(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, enum rf_object kind,
                     uint64_t object, const char *name)
{
    define(w, process, ns, RF_REC_OBJECT_NAME,
           (struct rf_def){.tid = tid, .index = kind, .value = object}, name);
}

uint32_t rfw_resource(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, uint32_t domain,
                      uint32_t identifier_type, uint64_t identifier, const char *message)
{
    uint32_t handle = ++w->process[process]->n_resources;
    define(w, process, ns, RF_REC_RESOURCE,
           (struct rf_def){.tid = tid,
                           .index = handle,
                           .domain = domain,
                           .value = identifier,
                           .detail = identifier_type},
           message);
    return handle;
}

void rfw_resource_destroy(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid,
                          uint64_t handle)
{
    define(w, process, ns, RF_REC_RESOURCE_DESTROY,
           (struct rf_def){.tid = tid, .index = (uint32_t)handle, .value = handle}, NULL);
}

uint32_t rfw_sync_create(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, uint32_t domain,
                         const char *message)
{
    uint32_t handle = ++w->process[process]->n_syncs;
    define(w, process, ns, RF_REC_SYNC_CREATE,
           (struct rf_def){.tid = tid, .index = handle, .domain = domain}, message);
    return handle;
}

void rfw_sync_destroy(struct rfw *w, uint32_t process, int64_t ns, uint32_t tid, uint64_t handle)
{
    define(w, process, ns, RF_REC_SYNC_DESTROY,
           (struct rf_def){.tid = tid, .index = (uint32_t)handle, .value = handle}, NULL);
}

void rfw_exit(struct rfw *w, uint32_t process, int64_t ns)
{
    rfw_fact(w, process, ns, RF_PROC_EXIT, 0, NULL);
}

struct rfw_stream *rfw_stream(struct rfw *w, uint32_t process, uint32_t slot, uint32_t tid,
                              uint32_t serial)
{
    struct rfw_process *p = w->process[process];
    struct rfw_stream *s = new_zeroed(sizeof(*s));
    p->stream = grow(p->stream, p->n_streams, sizeof(*p->stream));
    p->stream[p->n_streams++] = s;
    s->writer = w;
    s->process = process;
    s->slot = slot;
    s->tid = tid;
    s->serial = serial;
    return s;
}

struct rfw_part *rfw_next_part(struct rfw_stream *s, int64_t ns)
{
    struct rfw_part *part = new_zeroed(sizeof(*part));
    s->part = grow(s->part, s->n_parts, sizeof(*s->part));
    s->part[s->n_parts++] = part;
    part->chunk = (struct rf_chunk_header){.magic = RF_CHUNK_MAGIC,
                                           .type = RF_CHUNK_PART,
                                           .header_size = sizeof(struct rf_chunk_header),
                                           .process = s->process,
                                           .slot = s->slot,
                                           .seq = s->n_parts,
                                           .ticks = RFW_TICKS_0 + (uint64_t)ns + s->ticks_offset};
    part->part =
        (struct rf_part_header){.first_start = s->n_starts, .tid = s->tid, .serial = s->serial};
    part->pool_state = RF_PART_ACTIVE;
    return part;
}

/* The part that a record of n_words at ns goes into. */
static struct rfw_part *part_for(struct rfw_stream *s, int64_t ns, size_t n_words)
{
    struct rfw_part *part = s->n_parts > 0 ? s->part[s->n_parts - 1] : NULL;
    NEED(n_words * 8 <= RFW_PART_ROOM);
    if (part == NULL || part->records.size + n_words * 8 > RFW_PART_ROOM)
        part = rfw_next_part(s, ns);
    return part;
}

static void add_words(struct rfw_stream *s, int64_t ns, const uint64_t *words, size_t n_words)
{
    rfw_add(&part_for(s, ns, n_words)->records, words, n_words * 8);
}

void rfw_raw(struct rfw_stream *s, const uint64_t *words, size_t n_words)
{
    add_words(s, 0, words, n_words);
}

static uint64_t record_head(const struct rfw_stream *s, uint64_t type, size_t n_words, int64_t ns)
{
    return word0(type, n_words <= RF_WORD_MAX_WORDS ? n_words : 0,
                 RFW_TICKS_0 + (uint64_t)ns + s->ticks_offset);
}

/* Writes the rest of a text in TEXT records, each in a part of its own if it is that long. */
static void add_text(struct rfw_stream *s, int64_t ns, const char *text, size_t size)
{
    static uint64_t words[RFW_PART_ROOM / 8];
    while (size > 0) {
        size_t room = 8 * (RFW_PART_ROOM / 8 - 2);
        size_t piece = size < room ? size : room;
        size_t n_words = 2 + (piece + 7) / 8;
        memset(words, 0, n_words * 8);
        words[0] = word0(RF_REC_TEXT, 0, RFW_TICKS_0 + (uint64_t)ns + s->ticks_offset);
        words[1] = (uint64_t)n_words << 32 | (piece < size);
        memcpy(words + 2, text, piece);
        add_words(s, ns, words, n_words);
        text += piece;
        size -= piece;
    }
}

/* Words 2 and following up to the text; sets word 1. Returns how many words there are. */
static size_t attribute_words(const struct rfw_attr *a, uint64_t *words)
{
    size_t n = 2;
    uint64_t w1 = a->domain < RF_ATTR_DOMAIN_ESCAPE ? a->domain : RF_ATTR_DOMAIN_ESCAPE;
    if (a->domain >= RF_ATTR_DOMAIN_ESCAPE)
        words[n++] = a->domain;
    if (a->string != 0) {
        w1 |= (uint64_t)RF_MESSAGE_REGISTERED << RF_ATTR_MESSAGE_SHIFT;
        w1 |= (a->string < RF_ATTR_STRING_ESCAPE ? a->string : RF_ATTR_STRING_ESCAPE) << 32;
        if (a->string >= RF_ATTR_STRING_ESCAPE)
            words[n++] = a->string;
    } else if (a->is_null_message) {
        w1 |= (uint64_t)RF_MESSAGE_NULL << RF_ATTR_MESSAGE_SHIFT;
    } else if (a->text != NULL) {
        w1 |= (uint64_t)RF_MESSAGE_TEXT << RF_ATTR_MESSAGE_SHIFT;
    }
    if (a->has_color || a->has_category)
        words[n++] = (a->has_color ? a->color : 0) | (uint64_t)(a->has_category ? a->category : 0)
                                                         << 32;
    w1 |= (a->has_color ? RF_ATTR_COLOR : 0) | (a->has_category ? RF_ATTR_CATEGORY : 0);
    w1 |= (uint64_t)a->payload_kind << RF_ATTR_PAYLOAD_SHIFT;
    if (a->payload_kind != RF_PAYLOAD_NONE)
        words[n++] = a->payload;
    words[1] = w1;
    return n;
}

static void add_event(struct rfw_stream *s, int64_t ns, enum rf_record_type type,
                      const struct rfw_attr *attr)
{
    static const struct rfw_attr nothing;
    static uint64_t words[RFW_PART_ROOM / 8];
    const struct rfw_attr *a = attr != NULL ? attr : &nothing;
    size_t n = attribute_words(a, words);
    size_t size = a->text == NULL || a->string != 0 ? 0
                  : a->text_size != 0               ? a->text_size
                                                    : strlen(a->text);
    size_t room = 8 * (RFW_PART_ROOM / 8 - n);
    size_t piece = size < room ? size : room;
    size_t n_words = n + (piece + 7) / 8;
    memset(words + n, 0, (n_words - n) * 8);
    if (piece > 0)
        memcpy(words + n, a->text, piece);
    words[0] = record_head(s, type, n_words, ns);
    if (n_words > RF_WORD_MAX_WORDS)
        words[1] |= (uint64_t)n_words << 32;
    if (piece < size)
        words[1] |= RF_ATTR_MORE;
    add_words(s, ns, words, n_words);
    s->n_starts += type == RF_REC_START; /* its text may go on in a part that counts it */
    if (piece < size)
        add_text(s, ns, a->text + piece, size - piece);
}

void rfw_mark(struct rfw_stream *s, int64_t ns, const struct rfw_attr *attr)
{
    add_event(s, ns, RF_REC_MARK, attr);
}

void rfw_push(struct rfw_stream *s, int64_t ns, const struct rfw_attr *attr)
{
    add_event(s, ns, RF_REC_PUSH, attr);
}

void rfw_pop(struct rfw_stream *s, int64_t ns, uint64_t domain)
{
    uint64_t words[2] = {0, domain};
    size_t n = domain == 0 ? 1 : 2;
    words[0] = record_head(s, domain == 0 ? RF_REC_POP : RF_REC_POP_DOMAIN, n, ns);
    add_words(s, ns, words, n);
}

uint64_t rfw_start(struct rfw_stream *s, int64_t ns, const struct rfw_attr *attr)
{
    add_event(s, ns, RF_REC_START, attr);
    return rf_range_id(s->process, s->slot, s->n_starts);
}

void rfw_end(struct rfw_stream *s, int64_t ns, uint64_t id)
{
    uint64_t words[2] = {record_head(s, RF_REC_END, 2, ns), id};
    add_words(s, ns, words, 2);
}

static void add_thread(struct rfw_stream *s, int64_t ns, enum rf_record_type type, const char *name)
{
    uint64_t words[4] = {record_head(s, type, 4, ns), s->tid | (uint64_t)s->serial << 32, 0, 0};
    size_t size = name == NULL ? 0 : strlen(name);
    if (size > 0)
        memcpy(words + 2, name, size < 16 ? size : 16);
    add_words(s, ns, words, 4);
}

void rfw_thread(struct rfw_stream *s, int64_t ns, uint32_t tid, uint32_t serial, const char *name)
{
    s->tid = tid;
    s->serial = serial;
    add_thread(s, ns, RF_REC_THREAD, name);
}

void rfw_thread_end(struct rfw_stream *s, int64_t ns, const char *name)
{
    add_thread(s, ns, RF_REC_THREAD_END, name);
}

void rfw_counter(struct rfw_stream *s, int64_t ns, uint64_t n)
{
    uint64_t words[2] = {record_head(s, RF_REC_COUNTER, 2, ns), n};
    add_words(s, ns, words, 2);
    s->n_starts = n;
}

void rfw_void(struct rfw_stream *s, int64_t ns, size_t n_words)
{
    static const uint64_t garbage[RF_WORD_MAX_WORDS] = {1, UINT64_MAX, 3};
    uint64_t words[RF_WORD_MAX_WORDS];
    NEED(n_words > 0 && n_words <= RF_WORD_MAX_WORDS);
    memcpy(words, garbage, sizeof(words));
    words[0] = record_head(s, RF_REC_VOID, n_words, ns);
    add_words(s, ns, words, n_words);
}

void rfw_focus(struct rfw *w, int keeps_open)
{
    w->control.records_all = 0;
    w->control.capture.keeps_open = keeps_open != 0;
}

void rfw_window(struct rfw *w, int64_t begin_ns, int64_t end_ns)
{
    struct rf_control *c = &w->control;
    int is_open = end_ns == RFW_OPEN;
    uint32_t n = c->n_windows++;
    c->window[n % RF_MAX_WINDOWS] = (struct rf_capture_window){
        RFW_TICKS_0 + (uint64_t)begin_ns, is_open ? 0 : RFW_TICKS_0 + (uint64_t)end_ns};
    c->capture.word = (2 * (uint64_t)n + (is_open ? 1 : 2)) << RF_CAPTURE_PHASE_SHIFT;
    if (!is_open)
        c->capture.last_end_ticks = RFW_TICKS_0 + (uint64_t)end_ns;
}

void rfw_sync(struct rfw_stream *s, int64_t ns, uint64_t object, enum rf_sync_op op)
{
    uint64_t words[3] = {record_head(s, RF_REC_SYNC, 3, ns), object, op};
    add_words(s, ns, words, 3);
}

void rfw_cuda(struct rfw_stream *s, int64_t ns, const void *record, size_t size)
{
    uint64_t words[RF_CUDA_MAX_WORDS];
    size_t n = size / 8;
    NEED(n >= 2 && n <= RF_CUDA_MAX_WORDS);
    memcpy(words, record, size);
    while (n > 2 && words[n - 1] == 0)
        n--;
    words[0] = record_head(s, RF_REC_CUDA, n, ns);
    add_words(s, ns, words, n);
}

void rfw_cuda_def(struct rfw *w, uint32_t process, int64_t ns, enum rf_cuda_def kind,
                  uint32_t index, uint64_t value, uint32_t detail, const char *text)
{
    define(w, process, ns, RF_REC_CUDA_DEF,
           (struct rf_def){.index = index, .domain = kind, .value = value, .detail = detail}, text);
}

void rfw_cuda_clocks(struct rfw *w, uint32_t process)
{
    const int64_t ns[] = {1, 10000000000};
    for (int i = 0; i < 2; i++)
        rfw_cuda_def(w, process, ns[i], RF_CUDA_DEF_CLOCK, 0, RFW_CUPTI(ns[i]), 50, NULL);
}
