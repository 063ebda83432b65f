/* SPDX-License-Identifier: Apache-2.0 */
/* What a test program did, in its own words. Every truth_...() call annotates and notes what it
 * annotates in a file that is mapped shared, so that the notes survive whatever happens to the
 * process; the harness compares them with the recording. A note is written before the call and
 * marked as done after it: what is marked must be in the recording, what is not may be.
 *
 * Noting uses no system call, no lock and no allocation, so that it works in a signal handler,
 * after all descriptors were closed, and between fork and exec. A program may be run without
 * TRUTH in its environment; it then only annotates.
 *
 * A note is one line of fields separated by tabs:
 *     state pid tid lane op domain message flags color category payload_type payload id
 * state: '-' begun, '+' done. domain, message: hexadecimal with an 'x' before it, '-' for none.
 * The op "value" carries a name in domain and a number in payload: a measurement. */
#ifndef RF_TESTS_TRUTH_H
#define RF_TESTS_TRUTH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <nvtx3/nvToolsExt.h>

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRUTH_HEADER 64 /* the first word: where the next note goes */

enum { TRUTH_COLOR = 1, TRUTH_CATEGORY = 2, TRUTH_REGISTERED = 4 };

struct truth_note {
    const char *op;
    const char *domain;  /* NULL: the default domain */
    const void *message; /* bytes as they should be recorded; NULL: none */
    size_t message_size;
    unsigned flags;
    uint32_t color;
    uint32_t category;
    int payload_type; /* as NVTX numbers them */
    uint64_t payload;
    uint64_t id; /* of a started range */
};

struct truth_domain {
    nvtxDomainHandle_t handle;
    const char *name;
};

static char *truth_base;
static size_t truth_size;
static _Thread_local int truth_lane; /* 0; signal handlers take other numbers */
static _Thread_local uint32_t truth_tid;
static _Thread_local uint32_t truth_pid;

/* Before main, or at dlopen, when there are no other threads to race with. */
__attribute__((constructor, unused)) static void truth_open(void)
{
    const char *path = getenv("TRUTH");
    if (truth_base || !path)
        return;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0)
        abort();
    truth_size = (size_t)st.st_size;
    truth_base = mmap(NULL, truth_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (truth_base == MAP_FAILED)
        abort();
    close(fd);
}

/* Ids by system call: a raw clone leaves the C library's copies stale. */
static inline void truth_forget_thread(void)
{
    truth_tid = 0;
}

static inline char *truth_put_hex(char *at, const char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    if (!bytes) {
        *at++ = '-';
        return at;
    }
    *at++ = 'x';
    for (size_t i = 0; i < size; i++) {
        *at++ = digits[(unsigned char)bytes[i] >> 4];
        *at++ = digits[(unsigned char)bytes[i] & 15];
    }
    return at;
}

static inline char *truth_put_number(char *at, uint64_t number)
{
    char digits[24];
    int n = 0;
    *at++ = '\t';
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    while (n)
        *at++ = digits[--n];
    return at;
}

static inline size_t truth_line_size(const struct truth_note *note)
{
    return 160 + strlen(note->op) + 2 * (note->domain ? strlen(note->domain) : 0) +
           2 * note->message_size;
}

/* Writes a note; returns the byte that truth_done() sets. */
static inline char *truth_begin(const struct truth_note *note)
{
    static char nowhere[1];
    truth_open();
    if (!truth_base)
        return nowhere;
    if (!truth_tid) {
        truth_pid = (uint32_t)syscall(SYS_getpid);
        truth_tid = (uint32_t)syscall(SYS_gettid);
    }
    size_t size = truth_line_size(note);
    size_t offset = __atomic_fetch_add((uint64_t *)(void *)truth_base, size, __ATOMIC_RELAXED);
    if (TRUTH_HEADER + offset + size > truth_size)
        abort();
    char *line = truth_base + TRUTH_HEADER + offset;
    char *at = line + 1;
    at = truth_put_number(at, truth_pid);
    at = truth_put_number(at, truth_tid);
    at = truth_put_number(at, (uint64_t)truth_lane);
    *at++ = '\t';
    size_t op_size = strlen(note->op);
    memcpy(at, note->op, op_size);
    at += op_size;
    *at++ = '\t';
    at = truth_put_hex(at, note->domain, note->domain ? strlen(note->domain) : 0);
    *at++ = '\t';
    at = truth_put_hex(at, note->message, note->message_size);
    at = truth_put_number(at, note->flags);
    at = truth_put_number(at, note->color);
    at = truth_put_number(at, note->category);
    at = truth_put_number(at, (uint64_t)note->payload_type);
    at = truth_put_number(at, note->payload);
    at = truth_put_number(at, note->id);
    *at++ = '\n';
    __atomic_store_n(line, '-', __ATOMIC_RELEASE);
    return line;
}

static inline void truth_done(char *state)
{
    __atomic_store_n(state, '+', __ATOMIC_RELEASE);
}

/* A measurement for the harness. */
static inline void truth_value(const char *name, uint64_t value)
{
    struct truth_note note = {.op = "value", .domain = name, .payload = value};
    truth_done(truth_begin(&note));
}

/* Notes without annotating: for calls that the functions below do not cover. */
static inline char *truth_begin_text(const char *op, const char *domain, const void *message,
                                     size_t size)
{
    struct truth_note note = {.op = op, .domain = domain, .message = message, .message_size = size};
    return truth_begin(&note);
}

static inline char *truth_begin_string(const char *op, const char *domain, const char *message)
{
    return truth_begin_text(op, domain, message, message ? strlen(message) : 0);
}

/* ---- The default domain ---- */

static inline void truth_mark(const char *message)
{
    char *state = truth_begin_string("mark", NULL, message);
    nvtxMarkA(message);
    truth_done(state);
}

static inline int truth_push(const char *message)
{
    char *state = truth_begin_string("push", NULL, message);
    int level = nvtxRangePushA(message);
    truth_done(state);
    return level;
}

static inline int truth_pop(void)
{
    char *state = truth_begin_string("pop", NULL, NULL);
    int level = nvtxRangePop();
    truth_done(state);
    return level;
}

/* The id of a started range is known only after the call: it is a note of its own. */
static inline void truth_note_id(uint64_t id)
{
    struct truth_note note = {.op = "id", .id = id};
    truth_done(truth_begin(&note));
}

static inline nvtxRangeId_t truth_start(const char *message)
{
    char *state = truth_begin_string("start", NULL, message);
    nvtxRangeId_t id = nvtxRangeStartA(message);
    truth_done(state);
    truth_note_id(id);
    return id;
}

static inline void truth_end(nvtxRangeId_t id)
{
    struct truth_note note = {.op = "end", .id = id};
    char *state = truth_begin(&note);
    nvtxRangeEnd(id);
    truth_done(state);
}

/* ---- Domains and attributes ---- */

static inline struct truth_domain truth_domain_make(const char *name)
{
    struct truth_domain domain = {nvtxDomainCreateA(name), name};
    return domain;
}

static inline nvtxEventAttributes_t truth_attributes(const char *message)
{
    nvtxEventAttributes_t a;
    memset(&a, 0, sizeof a);
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    if (message) {
        a.messageType = NVTX_MESSAGE_TYPE_ASCII;
        a.message.ascii = message;
    }
    return a;
}

static inline uint64_t truth_payload_bits(const nvtxEventAttributes_t *a)
{
    uint64_t bits = 0;
    memcpy(&bits, &a->payload, sizeof bits);
    switch (a->payloadType) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
    case NVTX_PAYLOAD_TYPE_INT32:
    case NVTX_PAYLOAD_TYPE_FLOAT:
        return bits & 0xffffffffu;
    case NVTX_PAYLOAD_UNKNOWN:
        return 0;
    default:
        return bits;
    }
}

/* text: what a registered message says. */
static inline char *truth_begin_ex(const char *op, const struct truth_domain *domain,
                                   const nvtxEventAttributes_t *a, const char *text)
{
    struct truth_note note = {.op = op, .domain = domain ? domain->name : NULL};
    if (a->messageType == NVTX_MESSAGE_TYPE_ASCII) {
        note.message = a->message.ascii;
    } else if (a->messageType == NVTX_MESSAGE_TYPE_REGISTERED) {
        note.message = text;
        note.flags |= TRUTH_REGISTERED;
    }
    note.message_size = note.message ? strlen(note.message) : 0;
    if (a->colorType == NVTX_COLOR_ARGB) {
        note.flags |= TRUTH_COLOR;
        note.color = a->color;
    }
    if (a->category) {
        note.flags |= TRUTH_CATEGORY;
        note.category = a->category;
    }
    note.payload_type = a->payloadType;
    note.payload = truth_payload_bits(a);
    return truth_begin(&note);
}

static inline void truth_mark_ex(const struct truth_domain *domain, const nvtxEventAttributes_t *a,
                                 const char *text)
{
    char *state = truth_begin_ex("mark", domain, a, text);
    if (domain)
        nvtxDomainMarkEx(domain->handle, a);
    else
        nvtxMarkEx(a);
    truth_done(state);
}

static inline void truth_push_ex(const struct truth_domain *domain, const nvtxEventAttributes_t *a,
                                 const char *text)
{
    char *state = truth_begin_ex("push", domain, a, text);
    if (domain)
        nvtxDomainRangePushEx(domain->handle, a);
    else
        nvtxRangePushEx(a);
    truth_done(state);
}

static inline void truth_domain_pop(const struct truth_domain *domain)
{
    char *state = truth_begin_string("pop", domain->name, NULL);
    nvtxDomainRangePop(domain->handle);
    truth_done(state);
}

static inline nvtxRangeId_t truth_start_ex(const struct truth_domain *domain,
                                           const nvtxEventAttributes_t *a, const char *text)
{
    char *state = truth_begin_ex("start", domain, a, text);
    nvtxRangeId_t id = domain ? nvtxDomainRangeStartEx(domain->handle, a) : nvtxRangeStartEx(a);
    truth_done(state);
    truth_note_id(id);
    return id;
}

/* Runs a function after noting that the process forked without exec: ids are new. */
static inline void truth_child(void)
{
    truth_forget_thread();
}

#endif
