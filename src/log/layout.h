/* SPDX-License-Identifier: Apache-2.0 */
/* The recording format as C structures. docs/format.md is normative; the static asserts at the
 * end mirror it. Everything is little-endian; structures are naturally aligned, with no padding
 * that is not named. Included by the injected library, the reader and the command line; depends
 * on nothing but <stdint.h>. */
#ifndef RF_LOG_LAYOUT_H
#define RF_LOG_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* ---- File header and chunks (docs/format.md, section 2) ---- */

#define RF_FILE_MAGIC   "RFLOG\r\n\x1a"
#define RF_CHUNK_MAGIC  0x4b434652u /* "RFCK" */
#define RF_FORMAT_MAJOR 1
/* Of a file that has, and a session that may have, compressed chunks: readers of version 1 would
 * pass over them, and must refuse it instead; those of version 2 do not know times in steps. */
#define RF_FORMAT_COMPRESSED       3
#define RF_FORMAT_COMPRESSED_MINOR 0
/* 1.1: COUNTER and VOID, capture; 1.2: CUDA; 1.3: LOST, PARENT, early copies, what was salvaged;
 * 1.4: NVTX's payloads and counters; 1.5: how good clocks are, rings; 1.6: times over months, files
 * one after another */
#define RF_FORMAT_MINOR 8

static inline int rf_format_is_known(uint32_t version_major)
{
    return version_major >= RF_FORMAT_MAJOR && version_major <= RF_FORMAT_COMPRESSED;
}

/* The first 64 bytes of NAME.rf and of every pNNNNNN.log. */
struct rf_file_header {
    uint8_t magic[8];
    uint16_t version_major; /* a reader refuses a major version it does not know */
    uint16_t version_minor;
    uint32_t header_size; /* 64; chunks start here */
    uint8_t session_id[16];
    uint8_t reserved[32]; /* zero */
};

enum rf_chunk_type {
    RF_CHUNK_PART = 1,       /* struct rf_part_header, then event records */
    RF_CHUNK_DEFS = 2,       /* a piece of a process's definitions stream */
    RF_CHUNK_SESSION = 3,    /* struct rf_control, as it was when written; the last one holds */
    RF_CHUNK_INDEX = 4,      /* struct rf_index_entry[]: the last chunk of a finished file */
    RF_CHUNK_METRICS = 5,    /* samples of GPU metrics: see metrics.h */
    RF_CHUNK_COUNTS = 6,     /* what parts come to: struct rf_count_entry with domains (1.4) */
    RF_CHUNK_RECYCLED = 7,   /* in a log: a hole where older parts of a ring stood (1.5) */
    RF_CHUNK_COMPRESSED = 8, /* struct rf_compressed: another chunk, compressed (2.0) */
    RF_CHUNK_MOMENT = 9,     /* in a log: struct rf_moment (1.6) */
    RF_CHUNK_TAKEN = 10,     /* struct rf_taken: how far a stream is in files before (1.6) */
};

/* Before every chunk. size is a multiple of 8; the next chunk starts at offset + 64 + size. */
struct rf_chunk_header {
    uint32_t magic;
    uint16_t type;        /* enum rf_chunk_type; an unknown one is skipped */
    uint16_t header_size; /* 64 */
    uint64_t size;        /* payload bytes that follow */
    uint32_t process;     /* number of the process in the session, from 0 */
    uint32_t slot;        /* PART: the stream in the process, from 0; METRICS: the sampler */
    uint64_t seq;         /* PART, METRICS: number in its stream, from 1; DEFS: byte offset */
    uint64_t ticks;       /* PART: full clock value from which record times are completed; METRICS:
                           * when it was written */
    int64_t mono_ns;      /* CLOCK_MONOTONIC at ticks; 0: not taken */
    uint64_t reserved[2]; /* zero */
};

/* One per chunk before the index itself, in file order. */
struct rf_index_entry {
    uint64_t offset; /* of the chunk header */
    uint64_t size;   /* header and payload */
    uint32_t crc32c; /* of both */
    uint16_t type;
    uint16_t other_type; /* of COMPRESSED: of the chunk that it stands for (2.0); else 0 */
    uint32_t process;
    uint32_t slot;
    uint64_t seq;
};
/* The index chunk: mono_ns unused; seq = offset of the index chunk; slot = CRC-32C of the
 * entries. */

/* ---- Compressed chunks (section 2.6) ----
 *
 * A COMPRESSED chunk stands for another one, whose header it has but for type and size. The payload
 * is struct rf_compressed; of a PART its struct rf_part_header, as it is; then bytes that
 * `compression` describes, and zeros up to a word. */

enum rf_compression {
    RF_COMPRESSION_PLAIN = 1,   /* of the payload, or for a PART of its records: one frame */
    RF_COMPRESSION_COLUMNS = 2, /* of a PART: struct rf_split_size[RF_N_SPLITS], the columns */
    RF_COMPRESSION_STEPS = 3,   /* struct rf_split_step, and the same with times in steps (3.0) */
};

struct rf_compressed {
    uint16_t type;       /* of the other chunk: PART or DEFS */
    uint8_t compression; /* enum rf_compression */
    uint8_t first;       /* PART: the type of its first record; 0: there is none */
    uint32_t raw_size;   /* size of the other chunk: of its payload */
    uint32_t size;       /* bytes in use behind this and the part header */
    uint32_t crc32c;     /* of this chunk, header included, with 0 here */
};

#define RF_COMPRESSED_MOST   (1u << 20) /* raw_size, at most */
#define RF_COMPRESSED_FACTOR 64u        /* and of DEFS: times the payload's size */

/* One per column. */
struct rf_split_size {
    uint16_t size;   /* bytes of the column */
    uint16_t stored; /* of its frame; as many: there is none, these are the bytes; 0: all are 0 */
};

/* A clock that has not every value. */
struct rf_split_step {
    uint32_t step;  /* ticks from one value to the next, times RF_STEP_ONE; at most RF_STEP_MOST */
    uint16_t phase; /* of a tick, likewise: that has passed at the part's ticks */
    uint16_t reserved;
};
#define RF_STEP_BITS 16
#define RF_STEP_ONE  (1u << RF_STEP_BITS)
#define RF_STEP_MOST (256u << RF_STEP_BITS)

/* A record is its form, which is all of it but its time, and the time since the record before. The
 * form is mostly the one that followed the same one before. */
enum rf_split_column {
    RF_SPLIT_TIME = 0, /* to 3: bytes 0 to 3 of the time since the record before, or of its steps */
    RF_SPLIT_WHOLE_TIME = 4, /* of a time that does not fit them */
    RF_SPLIT_RUN = 5,        /* how many records have the form that is expected */
    RF_SPLIT_FORM = 6,       /* the form of the record behind them */
    RF_SPLIT_HEAD = 7,       /* of a new form: its bits of word 0 */
    RF_SPLIT_BODY = 8,       /* and its other words */
};
#define RF_N_SPLITS   9u
#define RF_N_FORMS    255u /* that are kept */
#define RF_FORM_NEW   255u /* the next one of HEAD and BODY */
#define RF_FORM_MOST  16u  /* words of a record whose form is kept */
#define RF_RUN_MOST   255u /* a run that is as long has no form behind it */
#define RF_TIME_WHOLE 0x80000000u

/* ---- Parts: what a thread fills (section 3) ---- */

#define RF_PART_SIZE 65536u /* chunk header, part header and records together */

struct rf_part_header {
    uint64_t first_start;  /* start/end ranges begun in this stream before this part */
    uint64_t lost_records; /* records of this stream dropped between the previous part and this */
    uint64_t lost_bytes;
    uint32_t tid;      /* thread whose records come first; a THREAD record changes it */
    uint32_t serial;   /* numbers the process's threads, from 1: a tid can come again */
    uint32_t is_first; /* 1: what the stream had before was left out of this file on purpose */
    uint32_t reserved0;
    uint64_t carried_from; /* the number of the first of the parts that hold what recycled ones left
                            * open, this one among them; 0: it is a part of events (1.5) */
    uint64_t reserved[2];
};

#define RF_PART_RECORDS_OFFSET                                                                     \
    ((uint32_t)(sizeof(struct rf_chunk_header) + sizeof(struct rf_part_header)))

/* Of a part that its thread had written to, and not for long, at the chunk's ticks (section 3). */
struct rf_moment {
    uint64_t size; /* bytes of the part that were there: records behind them are later */
};

/* ---- Records (section 4) ----
 *
 * Word 0: bits 0-4 type, 5-10 length in 8-byte words, 11-63 the low 53 bits of the clock.
 * Length 0: the upper half of word 1 holds it. A zero word 0 ends the records. */

#define RF_WORD_TYPE_BITS  5
#define RF_WORD_LEN_BITS   6
#define RF_WORD_TICK_SHIFT 11
#define RF_WORD_MAX_WORDS  63u /* the longest record with its length in word 0 */
#define RF_WORD_TICK_MASK  ((1ULL << 53) - 1)
/* Within these many ticks something has to say the whole time, so that 53 bits of it are enough. */
#define RF_TICKS_APART (1ULL << 48)

enum rf_record_type {
    RF_REC_MARK = 1,       /* word 1 attributes, extension words, text */
    RF_REC_PUSH = 2,       /* the same */
    RF_REC_POP = 3,        /* the default domain: word 0 only */
    RF_REC_POP_DOMAIN = 4, /* word 1: domain handle */
    RF_REC_START = 5,      /* as MARK; the id is not stored: rf_range_id() */
    RF_REC_END = 6,        /* word 1: range id, as the program passed it */
    RF_REC_TEXT = 7,       /* word 1 as long form (lower half: 1 = more follows); text goes on */
    RF_REC_THREAD = 8,     /* word 1: tid | serial << 32; words 2, 3: thread name, NUL-padded */
    RF_REC_THREAD_END = 9, /* word 1: tid | serial << 32; words 2, 3: thread name at its end */
    RF_REC_SYNC = 10,      /* word 1: sync object index; word 2: enum rf_sync_op */
    RF_REC_COUNTER = 11,   /* word 1: ranges begun in this stream before the next START */
    RF_REC_VOID = 12,      /* nothing: the record here was removed */
    RF_REC_CUDA = 13,      /* of the process: struct rf_cuda_head and what follows, see cuda.h */
    RF_REC_LOST = 14,      /* struct rf_lost: the records here could not be read */
    RF_REC_PARENT = 15,    /* word 1: id of a range; word 2: of the one that it is part of, or 0 */
    /* definitions: struct rf_def */
    RF_REC_PROCESS = 16,
    RF_REC_DOMAIN = 17,
    RF_REC_DOMAIN_DESTROY = 18,
    RF_REC_STRING = 19,
    RF_REC_CATEGORY = 20,
    RF_REC_THREAD_NAME = 21,
    RF_REC_OBJECT_NAME = 22,
    RF_REC_RESOURCE = 23,
    RF_REC_RESOURCE_DESTROY = 24,
    RF_REC_SYNC_CREATE = 25,
    RF_REC_SYNC_DESTROY = 26,
    RF_REC_CUDA_DEF = 27, /* see cuda.h */
    RF_REC_NVTX_DEF = 28, /* see nvtx_ext.h */
    /* events again: see nvtx_ext.h */
    RF_REC_DATA = 29, /* bytes that belong to the record before */
    RF_REC_EXT = 30,  /* counters, and events of another time */
};

enum rf_sync_op {
    RF_SYNC_ACQUIRE_START = 1,
    RF_SYNC_ACQUIRE_FAILED = 2,
    RF_SYNC_ACQUIRE_SUCCESS = 3,
    RF_SYNC_RELEASING = 4,
};

/* LOST: `recover` writes it over what it could not read, and a VOID over the rest. It is read as a
 * part header in the middle of a part. */
struct rf_lost {
    uint64_t head;
    uint64_t n_starts; /* as in COUNTER */
    uint32_t tid;      /* thread whose records follow */
    uint32_t serial;
    uint64_t n_records; /* estimated number of records */
    uint64_t n_bytes;   /* estimated bytes of them */
};

/* Word 1 of MARK, PUSH and START: bits 0-23 domain handle (RF_ATTR_DOMAIN_ESCAPE: it stands in an
 * extension word), 24-25 message kind, 26 color, 27 category, 28-30 payload type, 31 the text
 * goes on in TEXT records, 32-63 registered string handle (RF_ATTR_STRING_ESCAPE: extension
 * word), or the length in words of a long record.
 *
 * Extension words, each there only if its bit or escape is: domain handle; string handle;
 * color | category << 32 (if either bit); payload. Then the text, to the record's end, padded
 * with zeros to a word. */
#define RF_ATTR_DOMAIN_ESCAPE 0xffffffu
#define RF_ATTR_STRING_ESCAPE 0xffffffffu
#define RF_ATTR_MESSAGE_SHIFT 24
#define RF_ATTR_COLOR         (1u << 26)
#define RF_ATTR_CATEGORY      (1u << 27)
#define RF_ATTR_PAYLOAD_SHIFT 28
#define RF_ATTR_MORE          (1u << 31)

enum rf_message_kind {
    RF_MESSAGE_NONE = 0,       /* no message was given, or one of an unknown type */
    RF_MESSAGE_TEXT = 1,       /* in line, UTF-8 as given; wide text converted */
    RF_MESSAGE_REGISTERED = 2, /* a registered string */
    RF_MESSAGE_NULL = 3,       /* a NULL pointer was given as text */
};

/* NVTX's payload types, renumbered to fit. */
enum rf_payload_kind {
    RF_PAYLOAD_NONE = 0,
    RF_PAYLOAD_UINT64 = 1,
    RF_PAYLOAD_INT64 = 2,
    RF_PAYLOAD_DOUBLE = 3,
    RF_PAYLOAD_UINT32 = 4,
    RF_PAYLOAD_INT32 = 5,
    RF_PAYLOAD_FLOAT = 6,
    RF_PAYLOAD_OTHER = 7, /* a type that NVTX 3.2 core does not define; 8 raw bytes */
};

/* Range ids: bits 0-39 how many ranges this stream had begun, from 1; 40-53 slot + 1;
 * 54-63 process number modulo 1024. */
#define RF_ID_COUNTER_BITS 40
#define RF_ID_SLOT_BITS    14
#define RF_MAX_SLOTS       16000u

static inline uint64_t rf_range_id(uint32_t process, uint32_t slot, uint64_t counter)
{
    return (uint64_t)(process & 1023u) << (RF_ID_COUNTER_BITS + RF_ID_SLOT_BITS) |
           (uint64_t)(slot + 1) << RF_ID_COUNTER_BITS |
           (counter & ((1ULL << RF_ID_COUNTER_BITS) - 1));
}

/* ---- Definitions (section 5) ----
 *
 * A definition is a record in long form: its length is always in n_words. A writer first reserves
 * space by a compare-and-swap of n_words from 0, and publishes by storing head last: a record
 * with n_words but no head was never finished and is skipped; one with neither ends the stream.
 *
 * | type             | index             | domain        | value                 | text      |
 * | PROCESS          | enum rf_proc_key  | -             | number                | value     |
 * | DOMAIN           | handle            | -             | -                     | name      |
 * | DOMAIN_DESTROY   | handle            | -             | handle, 64 bits       | -         |
 * | STRING           | handle            | handle        | domain handle, 64 bit | text      |
 * | CATEGORY         | category id       | handle        | domain handle, 64 bit | name      |
 * | THREAD_NAME      | the thread named  | -             | -                     | name      |
 * | OBJECT_NAME      | enum rf_object    | -             | object handle         | name      |
 * | RESOURCE         | handle            | handle        | identifier            | message   |
 * | RESOURCE_DESTROY | handle            | -             | handle, 64 bits       | -         |
 * | SYNC_CREATE      | handle            | handle        | domain handle, 64 bit | message   |
 * | SYNC_DESTROY     | handle            | -             | handle, 64 bits       | -         |
 *
 * A domain handle over 32 bits is written as UINT32_MAX, whole in value where value is free. */
struct rf_def {
    uint64_t head;    /* word 0 of a record, length 0; the clock */
    uint32_t tid;     /* who called */
    uint32_t n_words; /* of the whole record */
    uint32_t index;
    uint32_t domain;
    uint64_t value;
    uint32_t text_size; /* bytes; RF_NO_TEXT: the pointer was NULL or there is none */
    uint32_t detail;    /* RESOURCE: identifier type; otherwise 0 */
};
#define RF_NO_TEXT 0xffffffffu

/* What a process is: written when its log is made, before its first event. */
enum rf_proc_key {
    RF_PROC_PID = 1,        /* value; as in its own pid namespace */
    RF_PROC_PPID = 2,       /* value */
    RF_PROC_START_TIME = 3, /* value: field 22 of /proc/PID/stat, clock ticks after boot */
    RF_PROC_PID_NS = 4,     /* value: inode of the pid namespace */
    RF_PROC_NAME = 5,       /* text: file name of the executable */
    RF_PROC_EXE = 6,        /* text: its path */
    RF_PROC_ARG = 7,        /* text: one record per argument, in order */
    RF_PROC_CWD = 8,        /* text */
    RF_PROC_ENV = 9,        /* text NAME=VALUE; names of the allow-list only */
    RF_PROC_FORK_OF = 10,   /* value: the process whose memory this one copied: its definitions
                             * before this moment hold here too */
    RF_PROC_EXIT = 11,      /* the process ended by exit() or by returning from main */
    RF_PROC_ALIVE = 12,     /* the process still ran at this moment, the end of a capture */
    RF_PROC_CPU = 13,       /* text: the name of the processor */
    RF_PROC_N_CPUS = 14,    /* value: how many of its threads the process may use */
    RF_PROC_TIME = 15,      /* value: the whole time: those that follow are near to it (1.6) */
};

/* What an OBJECT_NAME names. */
enum rf_object {
    RF_OBJECT_CU_DEVICE = 1,
    RF_OBJECT_CU_CONTEXT,
    RF_OBJECT_CU_STREAM,
    RF_OBJECT_CU_EVENT,
    RF_OBJECT_CUDA_DEVICE,
    RF_OBJECT_CUDA_STREAM,
    RF_OBJECT_CUDA_EVENT,
    RF_OBJECT_CL_DEVICE,
    RF_OBJECT_CL_CONTEXT,
    RF_OBJECT_CL_QUEUE,
    RF_OBJECT_CL_MEM,
    RF_OBJECT_CL_SAMPLER,
    RF_OBJECT_CL_PROGRAM,
    RF_OBJECT_CL_EVENT,
};

/* ---- The pool: parts in shared memory (section 6) ----
 *
 * pNNNNNN.pool: struct rf_pool_header in 4096 bytes, struct rf_pool_slot[RF_MAX_SLOTS] to
 * RF_POOL_SLOTS_END, then per slot two parts. A part in the pool has the bytes that it has as a
 * PART chunk, but for size (0 until it is full) and the zero word that ends its records. */

#define RF_POOL_MAGIC     "RFPOOL\r\n"
#define RF_PARTS_PER_SLOT 2u
#define RF_SLOT_SIZE      (RF_PARTS_PER_SLOT * RF_PART_SIZE)

enum rf_part_state {
    RF_PART_FREE = 0,     /* all of its records are in the log */
    RF_PART_ACTIVE = 1,   /* its thread writes */
    RF_PART_FULL = 2,     /* to be appended to the log, by whoever claims it first */
    RF_PART_CLAIMED = 3,  /* being appended by the command line */
    RF_PART_APPENDING = 4 /* being appended by its own thread */
};

struct rf_pool_part {
    uint64_t seq;   /* of the part in it; 0: never used */
    uint32_t state; /* enum rf_part_state; a compare-and-swap claims it */
    uint32_t size;  /* bytes of chunk header, part header and records; valid from FULL on */
};

struct rf_pool_slot {
    struct rf_pool_part part[RF_PARTS_PER_SLOT];
    uint32_t is_owned; /* a live thread writes here */
    uint32_t tid;
    uint64_t lost_records; /* dropped so far in this stream, all counted */
    uint64_t lost_bytes;
    uint64_t reserved;
};

struct rf_pool_header {
    uint8_t magic[8];
    uint32_t version; /* RF_FORMAT_MAJOR */
    uint32_t process;
    uint8_t session_id[16];
    uint32_t n_slots;     /* slots ever used; their headers are valid */
    uint32_t n_allocated; /* slots whose pages exist */

    /* process that has triggers open: the command line closes those of a dead process */
    uint32_t pid;             /* as in its own pid namespace */
    uint32_t n_open_triggers; /* atomic: its share of rf_capture_n_open() */
    uint64_t start_time;      /* field 22 of /proc/PID/stat */
    uint64_t pid_ns;          /* inode of the pid namespace */

    uint32_t cuda_state; /* enum rf_cuda_state; atomic */
    uint32_t cuda_phase; /* atomic: up to this phase of the captures all records of CUDA are in the
                            streams */

    /* ranges of the trigger's name, in a run that captures some of them: all are atomic */
    uint32_t n_steps_begun;
    uint32_t n_steps_ended; /* of those that are triggers */
    uint32_t step_hold; /* enum rf_step_hold: a trigger that is open from the first to the last */

    /* who takes a snapshot stores cuda_asked, adds 1 to cuda_wake and wakes it; atomic */
    uint32_t cuda_wake;  /* futex: the recorder's thread for CUDA waits here */
    uint64_t cuda_asked; /* GPU work that had ended by then shall come into the streams: */
    uint64_t cuda_ticks; /* that which had ended by then has */
};

enum rf_step_hold { RF_STEP_HOLD_NONE = 0, RF_STEP_HOLD_OPEN = 1, RF_STEP_HOLD_CLOSED = 2 };

#define RF_POOL_HEADER_SIZE 4096u
#define RF_POOL_SLOTS_END   1028096u /* 4096 + 16000 * 64 */

static inline uint64_t rf_pool_part_offset(uint32_t slot, uint32_t part)
{
    return RF_POOL_SLOTS_END + (uint64_t)slot * RF_SLOT_SIZE + (uint64_t)part * RF_PART_SIZE;
}

/* pNNNNNN.defs: the definitions stream after a header of 64 bytes. */
#define RF_DEFS_MAGIC "RFDEFS\r\n"
struct rf_defs_header {
    uint8_t magic[8];
    uint32_t version;
    uint32_t process;
    uint8_t session_id[16];
    uint64_t tail; /* hint: an earlier end of the stream */
    uint64_t reserved[3];
};

/* ---- The control page (section 7): the file "session" ---- */

#define RF_CONTROL_MAGIC "RFCTRL\r\n"
#define RF_CONTROL_FILE  "session"
#define RF_MAX_MESSAGES  16u
#define RF_MESSAGE_SIZE  128u
#define RF_MAX_CLOCKS    256u
#define RF_MAX_WINDOWS   256u
#define RF_FILTER_SIZE   1280u
#define RF_MAX_SPARES    4u

enum rf_clock_kind {
    RF_CLOCK_TSC = 1,    /* x86-64 invariant time stamp counter */
    RF_CLOCK_CNTVCT = 2, /* aarch64 virtual counter */
    RF_CLOCK_MONO = 3,   /* CLOCK_MONOTONIC in nanoseconds */
};

enum rf_overflow { RF_OVERFLOW_BLOCK = 0, RF_OVERFLOW_DROP = 1 };
enum rf_filter_mode { RF_FILTER_NONE = 0, RF_FILTER_INCLUDE = 1, RF_FILTER_EXCLUDE = 2 };

/* How the root process ended, when the command line saw it. */
enum rf_root_end { RF_ROOT_UNKNOWN = 0, RF_ROOT_EXITED = 1, RF_ROOT_SIGNALED = 2 };

/* What a file that `recover` made of a damaged recording lacks for good. */
enum rf_salvaged {
    RF_SALVAGED_DAMAGED = 1,    /* something was damaged or missing */
    RF_SALVAGED_NO_END = 2,     /* the end was missing, and how much it held is not known */
    RF_SALVAGED_NO_CONTROL = 4, /* no control page: when and where it was made is not known */
};

struct rf_clock_pair {
    uint64_t ticks;
    int64_t mono_ns;
    int64_t boot_ns;
    int64_t real_ns;
};

/* Of a pair that the command line took: how good the clocks were. status: the low 12 bits are the
 * kernel's (adjtimex(2)), the others RF_CLOCK_TAKEN and so on. */
struct rf_clock_quality {
    uint32_t max_error_us; /* the kernel's bound for CLOCK_REALTIME */
    uint16_t est_error_us; /* and its estimate; 65535: that or more */
    uint16_t status;
};

#define RF_CLOCK_KERNEL_BITS 0x0fffu
#define RF_CLOCK_UNSYNC      0x0040u /* the kernel's STA_UNSYNC */
#define RF_CLOCK_NOT_ASKED   0x1000u /* the kernel did not say how good its clock is */
#define RF_CLOCK_FAKED_REAL  0x2000u /* real_ns is not the kernel's: what programs were told */
#define RF_CLOCK_FAKED_MONO  0x4000u /* programs were told another CLOCK_MONOTONIC than mono_ns */
#define RF_CLOCK_TAKEN       0x8000u /* the command line took the pair */

#define RF_N_QUALITIES 160u /* of the first so many entries of clock[]: the command line's */

struct rf_capture_window {
    uint64_t begin_ticks;
    uint64_t end_ticks; /* 0: still open */
};

/* ---- Focused captures ---- */

/* What begins and ends captures inside the program: bits. */
enum rf_trigger {
    RF_TRIGGER_NVTX = 1,     /* a range with capture.message in capture.domain */
    RF_TRIGGER_PROFILER = 2, /* cudaProfilerStart and Stop, cuProfilerStart and Stop */
};

enum rf_capture_domain {
    RF_CAPTURE_DOMAIN_DEFAULT = 0,
    RF_CAPTURE_DOMAIN_NAMED = 1,
    RF_CAPTURE_DOMAIN_ANY = 2,
};

/* Ranges that would have begun a capture, except for one difference. */
enum rf_near_miss_kind {
    RF_NEAR_UNREGISTERED = 1, /* the message is no registered string */
    RF_NEAR_DOMAIN = 2,       /* another domain; text: its name, "" for the default domain */
    RF_NEAR_CASE = 3,         /* upper and lower case; text: the message */
};
#define RF_MAX_NEAR_MISSES 8u

struct rf_near_miss {
    uint32_t kind; /* enum rf_near_miss_kind; stored last, with release */
    char text[124];
};

/* Which part of the run is wanted, and whether this is it. src/log/capture.h has the steps. */
struct rf_capture {
    /* read by every event of a focused run: one cache line */
    uint64_t word;               /* atomic, see RF_CAPTURE_ below */
    uint64_t last_end_ticks;     /* end of the last window; stored before word says that it ended */
    uint32_t keeps_open;         /* between captures the starts of open ranges are kept */
    uint32_t triggers;           /* enum rf_trigger */
    uint32_t takes_unregistered; /* any message counts, not only a registered string */
    uint32_t domain_kind;        /* enum rf_capture_domain */
    uint32_t ends_with_trigger;  /* 0: a capture goes on when its last trigger closes */
    uint32_t max_windows;        /* limit of the number of captures; 0: none */
    uint32_t first_step; /* with n_steps: the first range of a process that is a trigger, from 0 */
    uint32_t n_steps;    /* how many are triggers, one capture in all; 0: each is */
    uint64_t reserved[2];

    uint32_t n_saved;         /* atomic: windows whose entry in window[] may be used again */
    uint32_t n_missed;        /* atomic: captures that did not begin: RF_MAX_WINDOWS were unsaved */
    uint32_t n_near_misses;   /* atomic: places used in near_miss[] */
    uint32_t n_lost_triggers; /* atomic: triggers beyond those that a process can keep apart */
    uint32_t n_trigger_hits;  /* atomic: how often one opened, in a capture or not */
    uint32_t n_profiler_loaded; /* atomic: processes that have the cudaProfiler interposer */
    uint32_t most_steps;        /* atomic: ranges that began in the process that had most */
    uint8_t reserved1[36];
    char message[512]; /* NUL-ended */
    char domain[512];
    struct rf_near_miss near_miss[RF_MAX_NEAR_MISSES];
};

/* rf_capture.word: bits 0-31 triggers that are open, in all processes; 32-61 phase: how many times
 * a capture began or ended, so that bit 32 says that one is on; 62 triggers begin captures (the
 * delay, if any, is over); 63 there will be no other capture. The current window is window[(phase
 * - 1) / 2 % RF_MAX_WINDOWS]. */
#define RF_CAPTURE_ON          (1ULL << 32)
#define RF_CAPTURE_ARMED       (1ULL << 62)
#define RF_CAPTURE_OVER        (1ULL << 63)
#define RF_CAPTURE_PHASE_SHIFT 32
#define RF_CAPTURE_PHASE_MASK  0x3fffffffu

/* Which rank of a job the session is, by the environment of the command line (1.4). Numbers are +
 * 1; 0: unknown. */
struct rf_job {
    uint32_t rank;
    uint32_t local_rank;
    uint32_t world_size;
    uint32_t reserved;
    char ranks[112]; /* which ranks are recorded, as --ranks has it; "": all, or it is too long */
};

/* A mark in this domain asks for a snapshot; its message is the reason. No filter leaves it out. */
#define RF_SNAPSHOT_DOMAIN "rangefinder.snapshot"

/* A flight recorder: what is older than its ring is recycled (1.5). */
struct rf_ring {
    uint64_t size;      /* bytes of parts that it holds; 0: all is kept */
    int64_t keep_ns;    /* how long parts are kept; 0: any time */
    uint64_t n_records; /* recycled so far, and their bytes */
    uint64_t n_bytes;
    uint32_t snapshot; /* in a packed file: its number, from 1; 0: it is none */
    uint32_t asks;     /* 1: a process has the domain RF_SNAPSHOT_DOMAIN */
    uint64_t ticks;    /* of the snapshot: when it was asked for */
    char reason[128];  /* NUL-ended, likewise below */
    char rule[128];    /* as --snapshot-on has it; "": it was asked for */
    int64_t value_ns;  /* what the rule measured; -1: nothing */
    uint64_t n_held;   /* atomic: bytes of parts in the logs, see ring_held.h */
    uint32_t is_stuck; /* atomic, 1: nothing of it can be recycled now */
    uint32_t reserved;
    uint8_t reserved1[56]; /* zero */
};

/* A recording that is written to files one after another: pieces (1.6). */
struct rf_pieces {
    uint32_t is_split;
    uint32_t n_pieces;    /* atomic: that are complete; the file taken-N says what they have */
    uint32_t piece;       /* in a packed file: its number, from 1; 0: it is none */
    uint32_t goes_on;     /* in a packed file: 1: the recording goes on in the next one */
    uint64_t begin_ticks; /* when the piece began */
    uint64_t lost_records, lost_bytes; /* of rf_control: what the complete pieces have of them */
    uint64_t n_removed;                /* pieces that were removed to make room */
    uint64_t removed_records, removed_bytes; /* theirs */
    uint64_t reserved[4];
};

/* What complete pieces have of a stream: the parts before seq of the chunk header, and of that
 * part the bytes before offset. n_parts PART chunks follow: what is open there. */
struct rf_taken {
    uint64_t n_starts; /* ranges begun up to there */
    uint32_t offset;
    uint32_t tid, serial; /* whose records come next */
    uint32_t n_parts;
    uint64_t reserved;
};

#define RF_TAKEN_FILE "taken-%u" /* the number of pieces */
#define RF_PIECE_FILE "piece-%u" /* a piece that is complete and has not got its name yet */

struct rf_control {
    uint8_t magic[8];
    uint32_t version;
    uint32_t size; /* sizeof(struct rf_control) */
    uint8_t session_id[16];
    uint8_t boot_id[16];
    uint32_t clock_kind;
    uint32_t overflow; /* enum rf_overflow */
    int32_t utc_offset_s;
    uint32_t is_by_hand; /* made by the recorder, no command line is there */

    /* written by the recorder and the command line while the program runs: atomic */
    uint32_t n_processes;    /* files p000000 ... exist or are being made */
    uint32_t records_all;    /* 1: the whole run; 0: a focused run, see capture */
    uint32_t drainer_sleeps; /* futex word: 1 while the command line waits for a full part */
    uint32_t drainer_beat;   /* counts while the command line lives */
    uint32_t n_messages;     /* posted so far; only RF_MAX_MESSAGES are kept */
    uint32_t n_clocks;       /* atomic; pairs in clock[] */
    uint32_t n_windows;      /* captures that began; window[] has the last RF_MAX_WINDOWS */
    uint32_t is_finished;    /* the command line has seen the end */

    uint64_t lost_records; /* events that could not be recorded, whole session */
    uint64_t lost_bytes;
    uint64_t lost_defs;
    uint64_t n_stalls; /* parts that threads had to append themselves */
    uint64_t stall_ns;
    uint64_t n_failed_processes; /* the recorder could not make their files */
    uint32_t root_pid;
    uint32_t root_end;   /* enum rf_root_end */
    int32_t root_status; /* exit code or signal number */
    uint32_t filter_mode;
    uint32_t filter_size; /* bytes of filter[] in use */
    uint32_t n_left_out;  /* in the file of one capture: how many began before it */

    char host[64];
    char product[64];       /* the product: "rangefinder 0.2.0" */
    uint64_t shm_device;    /* st_dev of /dev/shm where the session was made: pools may stand there;
                             * 0: they may not */
    uint32_t was_live;      /* in a packed file: processes of the session ran when it was packed */
    uint32_t cuda;          /* RF_CUDA_IS_WANTED and others */
    uint32_t cuda_flush_ms; /* interval at which CUPTI is flushed; 0: the recorder chooses */
    char socket[48];        /* RF_ASK_NAME_SIZE; of the command line, see ask.h; "": it has none */
    uint32_t salvaged;      /* enum rf_salvaged: bits; what `recover` found (1.3) */
    uint64_t n_lost_about;  /* of lost_records: an estimate, since nobody counted them */
    uint64_t n_lost_parts;  /* parts that are missing, or not whole */
    uint64_t n_damaged_bytes;      /* passed over */
    uint64_t n_parts;              /* in a packed file: how many parts it has; 0: not said */
    uint64_t parts_bytes;          /* their bytes, chunk headers included */
    uint32_t spare[RF_MAX_SPARES]; /* atomic: number + 1 of a process whose files the command line
                                    * made beforehand, and that nobody has taken; 0: none (1.3) */
    uint32_t n_unused;             /* atomic: numbers that no process took (1.3) */
    uint32_t n_time_calls;         /* atomic: of NVTX's time domains, not recorded (1.4) */
    uint64_t n_memory_calls;       /* atomic: of NVTX's memory extension, likewise */
    uint64_t n_uncaptured;         /* atomic: submissions while no capture was on, likewise */
    uint32_t newest;               /* atomic: the highest number + 1 that a process took (1.4) */
    uint32_t is_written;           /* by NVTXW: times are those that data says (1.7) */
    uint64_t time_namespace;       /* inode of the time namespace; 0: not known (1.5) */
    uint8_t reserved1[176];
    char filter[RF_FILTER_SIZE]; /* domain names, each ended by NUL; "\1": the default domain */
    struct rf_job job;
    char message[RF_MAX_MESSAGES][RF_MESSAGE_SIZE]; /* NUL-ended, first byte stored last */
    struct rf_clock_pair clock[RF_MAX_CLOCKS];      /* valid where real_ns != 0; any order */
    struct rf_capture_window window[RF_MAX_WINDOWS];
    struct rf_capture capture;
    struct rf_clock_quality quality[RF_N_QUALITIES]; /* of the entries of clock[] (1.5) */
    struct rf_ring ring;
    struct rf_pieces pieces;
    uint8_t reserved2[160];
};

/* What a part comes to that has nothing but pushes, pops and marks; n_domains structs
 * rf_count_domain follow. */
struct rf_count_entry {
    uint32_t entry; /* the part's in the index, from 0; ascending */
    uint32_t n_domains;
    uint64_t first_event_ticks; /* of the earliest push or mark; UINT64_MAX: there is none */
    uint64_t last_ticks;        /* of the latest record, or where the part begins */
};

struct rf_count_domain {
    uint64_t handle;
    uint32_t n_ranges; /* that begin and end in the part */
    uint32_t n_marks;
    uint32_t n_pops; /* of ranges that were open before it, innermost first; they come before... */
    uint32_t n_open; /* ... the pushes of ranges that are open behind it */
};

_Static_assert(sizeof(struct rf_count_entry) == 24, "docs/format.md 2.5");
_Static_assert(sizeof(struct rf_count_domain) == 24, "docs/format.md 2.5");
_Static_assert(sizeof(struct rf_file_header) == 64, "docs/format.md 2.1");
_Static_assert(sizeof(struct rf_chunk_header) == 64, "docs/format.md 2.2");
_Static_assert(sizeof(struct rf_index_entry) == 40, "docs/format.md 2.3");
_Static_assert(sizeof(struct rf_part_header) == 64, "docs/format.md 3");
_Static_assert(sizeof(struct rf_lost) == 40, "docs/format.md 4.3");
_Static_assert(sizeof(struct rf_def) == 40, "docs/format.md 5");
_Static_assert(sizeof(struct rf_pool_slot) == 64, "docs/format.md 6");
_Static_assert(sizeof(struct rf_defs_header) == 64, "docs/format.md 6");
_Static_assert(sizeof(struct rf_control) == 20480, "docs/format.md 7");
_Static_assert(offsetof(struct rf_control, message) == 2048, "docs/format.md 7");
_Static_assert(offsetof(struct rf_control, clock) == 4096, "docs/format.md 7");
_Static_assert(offsetof(struct rf_control, capture) == 16384, "docs/format.md 7");
_Static_assert(sizeof(struct rf_capture) == 2176, "docs/format.md 7");
_Static_assert(offsetof(struct rf_control, time_namespace) == 456, "docs/format.md 7");
_Static_assert(offsetof(struct rf_control, quality) == 18560, "docs/format.md 7");
_Static_assert(sizeof(struct rf_ring) == 384, "docs/format.md 7");
_Static_assert(sizeof(struct rf_pieces) == 96, "docs/format.md 7");
_Static_assert(offsetof(struct rf_control, pieces) == 20224, "docs/format.md 7");
_Static_assert(sizeof(struct rf_taken) == 32, "docs/format.md 7");
_Static_assert(RF_POOL_SLOTS_END % 4096 == 0, "slots start on a page");
_Static_assert(RF_POOL_SLOTS_END >= RF_POOL_HEADER_SIZE + RF_MAX_SLOTS * 64, "slot headers fit");
#endif
