/* SPDX-License-Identifier: Apache-2.0 */
#include "log/mend.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "log/chunks.h"
#include "log/counts.h"
#include "log/log_memory.h"
#include "log/log_order.h"
#include "log/part_reader.h"

#define MAX_WORDS    (RF_PART_SIZE / 8)
#define LOST_WORDS   ((uint32_t)(sizeof(struct rf_lost) / 8))
#define TO_THE_END   255u         /* of a run: its last record ends where the part does */
#define ENOUGH       4u           /* records in a row that are taken for some */
#define SLACK_TICKS  (1ULL << 32) /* how far times may lie outside of what the parts around say */
#define LONG_TICKS   (1ULL << 46) /* how long a part may take that no other one follows: hours */
#define UNKNOWN      (1ULL << 32) /* starts that may be missing, where nothing says how many */
#define MAX_SAMPLED  64u          /* parts that say how long a record is */
#define MAX_GAP      (1ULL << 20) /* a larger one is a wrong number */
#define USUAL_RECORD 40u

/* ---- One wrong bit ---- */

bool rf_mend_bit(uint8_t *copy, size_t size, uint32_t crc32c)
{
    uint64_t bit = rf_crc32c_find_bit(rf_crc32c(0, copy, size) ^ crc32c, size);
    if (bit == UINT64_MAX)
        return false;
    copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
    return true;
}

/* ---- What may be a record ---- */

/* Times that records of a part can have. */
struct window {
    uint64_t from, length;
};

/* The length of what stands at words as a record, or 0 where it can be none. room: words there. */
static uint32_t plausible_words(const uint8_t *words, uint32_t room, const struct window *window)
{
    static const uint8_t fewest[] = {[RF_REC_MARK] = 2,    [RF_REC_PUSH] = 2,
                                     [RF_REC_POP] = 1,     [RF_REC_POP_DOMAIN] = 2,
                                     [RF_REC_START] = 2,   [RF_REC_END] = 2,
                                     [RF_REC_TEXT] = 2,    [RF_REC_THREAD] = 4,
                                     [RF_REC_SYNC] = 3,    [RF_REC_THREAD_END] = 4,
                                     [RF_REC_COUNTER] = 2, [RF_REC_VOID] = 1,
                                     [RF_REC_CUDA] = 2,    [RF_REC_LOST] = LOST_WORDS,
                                     [RF_REC_PARENT] = 3,  [RF_REC_DATA] = 2,
                                     [RF_REC_EXT] = 2};
    static const uint32_t of_fixed_length =
        1u << RF_REC_POP | 1u << RF_REC_POP_DOMAIN | 1u << RF_REC_END | 1u << RF_REC_THREAD |
        1u << RF_REC_THREAD_END | 1u << RF_REC_SYNC | 1u << RF_REC_COUNTER | 1u << RF_REC_PARENT;
    uint64_t head = rf_load64(words);
    uint32_t type = head & ((1u << RF_WORD_TYPE_BITS) - 1);
    uint32_t n = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
    if (type >= sizeof(fewest) || fewest[type] == 0)
        return 0;
    if (n == 0 && room > 1)
        n = (uint32_t)(rf_load64(words + 8) >> 32);
    else if ((of_fixed_length >> type & 1) && n != fewest[type])
        return 0;
    if (n < fewest[type] || n > room)
        return 0;
    uint64_t since = ((head >> RF_WORD_TICK_SHIFT) - window->from) & RF_WORD_TICK_MASK;
    return since <= window->length ? n : 0;
}

/* For each word of the records: how many plausible ones follow each other from there on. */
static void find_runs(uint8_t *run, const uint8_t *records, uint32_t n_words,
                      const struct window *window)
{
    run[n_words] = TO_THE_END;
    for (uint32_t i = n_words; i-- > 0;) {
        uint32_t n = plausible_words(records + 8 * (size_t)i, n_words - i, window);
        uint8_t rest = n > 0 ? run[i + n] : 0;
        run[i] = n == 0 ? 0 : rest >= TO_THE_END - 1 ? rest : (uint8_t)(rest + 1);
    }
}

/* ---- A part ---- */

struct mending {
    struct rf_log *log;
    struct rf_part_reader reader;
    const struct rf_log_part *part, *before, *next; /* of its stream, one seq away; or NULL */
    struct rf_chunk_header chunk;
    struct rf_part_header header;
    const uint8_t *records;
    uint32_t n_words;
    uint32_t n_missing; /* words that should follow: the chunk was cut short */
    uint32_t n_spare;   /* words that the part may become longer by */
    struct window window;
    uint8_t run[MAX_WORDS + 1];
    uint16_t start[MAX_WORDS]; /* of the records taken so far, in out */
    uint32_t n_taken;
    uint8_t *out; /* chunk header, part header, records */
    uint32_t at;  /* words of records in out */
    uint64_t n_starts, ticks;
    uint32_t tid, serial;
};

/* Follows what a record says of its stream. */
static void follow(struct mending *m, const uint8_t *words, uint32_t n_words)
{
    uint64_t head = rf_load64(words);
    uint64_t type = head & ((1u << RF_WORD_TYPE_BITS) - 1);
    m->ticks = head >> RF_WORD_TICK_SHIFT;
    m->n_starts += type == RF_REC_START;
    if (type == RF_REC_COUNTER && n_words > 1)
        m->n_starts = rf_load64(words + 8);
    if (type == RF_REC_THREAD && n_words > 1) {
        m->tid = (uint32_t)rf_load64(words + 8);
        m->serial = (uint32_t)(rf_load64(words + 8) >> 32);
    }
}

/* The headers of a damaged part may be wrong: what the parts around it say holds. */
static void check_headers(struct mending *m)
{
    uint64_t from = m->before != NULL ? rf_part_chunk(m->before).ticks : 0;
    uint64_t to = m->next != NULL ? rf_part_chunk(m->next).ticks : UINT64_MAX;
    if (m->chunk.ticks < from || m->chunk.ticks > to)
        m->chunk.ticks = from != 0 ? from : to;
    if (m->next != NULL && m->header.first_start > rf_part_header(m->next).first_start)
        m->header.first_start = rf_part_header(m->next).first_start;
    if (m->header.lost_records > UNKNOWN || m->header.lost_bytes > UNKNOWN << 10)
        m->header.lost_records = m->header.lost_bytes = 0;
    m->chunk.magic = RF_CHUNK_MAGIC;
    m->chunk.type = RF_CHUNK_PART;
    m->chunk.header_size = sizeof(m->chunk);
    m->chunk.process = m->part->process;
    m->chunk.slot = m->part->slot;
    m->chunk.seq = m->part->seq;
}

static struct window window_of(const struct mending *m)
{
    uint64_t from = m->chunk.ticks > SLACK_TICKS ? m->chunk.ticks - SLACK_TICKS : 0;
    uint64_t to =
        m->next != NULL ? rf_part_chunk(m->next).ticks + SLACK_TICKS : m->chunk.ticks + LONG_TICKS;
    uint64_t length = to > from ? to - from : SLACK_TICKS;
    return (struct window){from, length < RF_WORD_TICK_MASK / 2 ? length : RF_WORD_TICK_MASK / 2};
}

static void take(struct mending *m, const uint8_t *words, uint32_t n_words)
{
    m->start[m->n_taken++] = (uint16_t)m->at;
    memcpy(m->out + RF_PART_RECORDS_OFFSET + 8 * (size_t)m->at, words, 8 * (size_t)n_words);
    m->at += n_words;
    follow(m, words, n_words);
}

/* Gives back the record taken last. Returns its length in words. */
static uint32_t give_back(struct mending *m)
{
    uint32_t n = m->at - m->start[--m->n_taken];
    const uint8_t *words = m->out + RF_PART_RECORDS_OFFSET + 8 * (size_t)m->start[m->n_taken];
    uint64_t type = rf_load64(words) & ((1u << RF_WORD_TYPE_BITS) - 1);
    m->n_starts -= type == RF_REC_START && m->n_starts > 0;
    m->at -= n;
    return n;
}

/* What the records from word `from` to the part's end say of the stream behind the damage, where
 * the next part is there to compare with. */
static void look_ahead(const struct mending *m, uint32_t from, struct rf_lost *lost)
{
    uint64_t n_starts = 0;
    bool has_thread = false, has_counter = false;
    while (from < m->n_words) {
        const uint8_t *words = m->records + 8 * (size_t)from;
        uint32_t n = plausible_words(words, m->n_words - from, &m->window);
        uint64_t type = rf_load64(words) & ((1u << RF_WORD_TYPE_BITS) - 1);
        if (n == 0) { /* more damage */
            has_counter = has_thread = true;
            break;
        }
        n_starts += type == RF_REC_START;
        has_thread |= type == RF_REC_THREAD;
        has_counter |= type == RF_REC_COUNTER;
        from += n;
    }
    struct rf_part_header next = m->next != NULL ? rf_part_header(m->next) : m->header;
    if (m->next != NULL && !has_counter && next.first_start >= m->n_starts + n_starts)
        lost->n_starts = next.first_start - n_starts;
    else if (n_starts > 0)
        lost->n_starts = m->n_starts + UNKNOWN;
    if (m->next != NULL && !has_thread) {
        lost->tid = next.tid;
        lost->serial = next.serial;
    }
}

static void put_void(struct mending *m, uint32_t n_words)
{
    uint64_t head = m->ticks << RF_WORD_TICK_SHIFT | RF_REC_VOID;
    uint8_t *to = m->out + RF_PART_RECORDS_OFFSET + 8 * (size_t)m->at;
    if (n_words == 0)
        return;
    memset(to, 0, 8 * (size_t)n_words);
    if (n_words <= RF_WORD_MAX_WORDS) {
        head |= (uint64_t)n_words << RF_WORD_TYPE_BITS;
    } else {
        uint64_t word = (uint64_t)n_words << 32;
        memcpy(to + 8, &word, sizeof(word));
    }
    memcpy(to, &head, sizeof(head));
    m->at += n_words;
}

static uint32_t mean_record(struct rf_log *log)
{
    struct rf_counts counts = {.n_records = 0};
    uint64_t n_bytes = 0;
    size_t step = 1 + log->n_parts / MAX_SAMPLED;
    struct rf_part_reader reader;
    if (log->damage.mean_record != 0)
        return log->damage.mean_record;
    rf_part_reader_init(&reader, log);
    for (size_t i = 0; i < log->n_parts; i += step) {
        const struct rf_part_view view = rf_part_view(&reader, &log->part[i]);
        n_bytes += rf_counts_add(&counts, view.data + RF_PART_RECORDS_OFFSET,
                                 view.size - RF_PART_RECORDS_OFFSET);
        rf_part_reader_drop(&reader, log->part, log->part + log->n_parts);
    }
    rf_part_reader_release(&reader);
    log->damage.mean_record =
        counts.n_records > 0 ? (uint32_t)(n_bytes / counts.n_records) : USUAL_RECORD;
    return log->damage.mean_record;
}

/* About how many records these bytes were. */
static uint64_t records_in(struct rf_log *log, uint64_t n_bytes)
{
    uint32_t mean = mean_record(log);
    return n_bytes == 0 ? 0 : n_bytes < mean ? 1 : n_bytes / mean;
}

/* Puts a LOST record in place of n_words of the part, behind which it can be read from word `next`
 * on, and of those that are missing at its end. */
static void put_lost(struct mending *m, uint32_t n_words, uint32_t next, uint32_t n_missing)
{
    uint32_t room = n_words + n_missing;
    uint64_t n_bytes = 8 * (uint64_t)room;
    if (room < LOST_WORDS && m->n_spare >= LOST_WORDS - room) { /* the part was not full */
        m->n_spare -= LOST_WORDS - room;
        room = LOST_WORDS;
    }
    while (room < LOST_WORDS && m->n_taken > 0) { /* the record before it makes room */
        uint32_t n = give_back(m);
        room += n;
        n_words += n;
        n_bytes += 8 * (uint64_t)n;
    }
    struct rf_lost lost = {.n_starts = m->n_starts,
                           .tid = m->tid,
                           .serial = m->serial,
                           .n_records = records_in(m->log, n_bytes),
                           .n_bytes = n_bytes};
    m->log->damage.n_records += lost.n_records;
    m->log->damage.n_bytes += n_bytes;
    if (room < LOST_WORDS) /* nothing of the part is left */
        return;
    look_ahead(m, next, &lost);
    lost.head = m->ticks << RF_WORD_TICK_SHIFT | LOST_WORDS << RF_WORD_TYPE_BITS | RF_REC_LOST;
    memcpy(m->out + RF_PART_RECORDS_OFFSET + 8 * (size_t)m->at, &lost, sizeof(lost));
    m->at += LOST_WORDS;
    m->n_starts = lost.n_starts;
    m->tid = lost.tid;
    m->serial = lost.serial;
    m->n_taken = 0; /* what stands before it is not given back */
    put_void(m, n_words > LOST_WORDS ? n_words - LOST_WORDS : 0);
}

/* The length of the record at word i, or 0. What there is of a part that was cut short is right. */
static uint32_t words_at(const struct mending *m, uint32_t i)
{
    const uint8_t *words = m->records + 8 * (size_t)i;
    const uint32_t room = m->n_words - i;
    if (m->n_missing == 0)
        return plausible_words(words, room, &m->window);
    uint64_t head = rf_load64(words);
    uint32_t n = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS, fewest = 1;
    if (n == 0 && room > 1) {
        n = (uint32_t)(rf_load64(words + 8) >> 32);
        fewest = 2;
    }
    return head != 0 && n >= fewest && n <= room ? n : 0;
}

/* Copies what can be read. Where it breaks off, the record before is not trusted either: its length
 * led there. A part that was cut short is read as far as it goes. */
static void copy_records(struct mending *m)
{
    uint32_t i = 0;
    while (i < m->n_words) {
        uint32_t n = words_at(m, i);
        if (n > 0) {
            take(m, m->records + 8 * (size_t)i, n);
            i += n;
            continue;
        }
        uint32_t from = i - (m->n_taken > 0 && m->n_missing == 0 ? give_back(m) : 0);
        uint32_t next = from + 1;
        while (next < m->n_words &&
               (m->n_missing > 0 || next - from < LOST_WORDS || m->run[next] < ENOUGH))
            next++;
        put_lost(m, next - from, next, next == m->n_words ? m->n_missing : 0);
        if (next == m->n_words)
            return;
        i = next;
    }
    if (m->n_missing > 0)
        put_lost(m, 0, m->n_words, m->n_missing);
}

static void set_neighbours(struct mending *m, size_t i)
{
    const struct rf_log *log = m->log;
    const struct rf_log_part *part = &log->part[i];
    m->part = part;
    if (i > 0 && part[-1].process == part->process && part[-1].slot == part->slot &&
        part[-1].seq + 1 == part->seq)
        m->before = part - 1;
    if (i + 1 < log->n_parts && part[1].process == part->process && part[1].slot == part->slot &&
        part[1].seq == part->seq + 1)
        m->next = part + 1;
}

static bool is_broken(struct mending *m)
{
    struct rf_counts counts = {.n_records = 0};
    uint64_t size = 8 * (uint64_t)m->n_words;
    return m->n_missing > 0 || rf_counts_add(&counts, m->records, size) < size ||
           (m->part->is_suspect && m->run[0] != TO_THE_END);
}

static void read_part(struct mending *m)
{
    const struct rf_log_part *part = m->part;
    m->chunk = rf_part_chunk(part);
    m->header = rf_part_header(part);
    const struct rf_part_view view = rf_part_view(&m->reader, part);
    m->records = view.data + RF_PART_RECORDS_OFFSET;
    m->n_words = (view.size - RF_PART_RECORDS_OFFSET) / 8;
    uint64_t whole = sizeof(m->chunk) + m->chunk.size;
    if (part->is_cut) /* at least a word: its length may be wrong */
        m->n_missing = whole > part->size && whole <= RF_PART_SIZE
                           ? (uint32_t)(whole / 8 - (RF_PART_RECORDS_OFFSET / 8 + m->n_words))
                           : 1;
    uint32_t n_most = (RF_PART_SIZE - RF_PART_RECORDS_OFFSET) / 8;
    m->n_spare = n_most > m->n_words + m->n_missing ? n_most - m->n_words - m->n_missing : 0;
    if (part->is_suspect)
        check_headers(m);
    m->n_starts = m->header.first_start;
    m->tid = m->header.tid;
    m->serial = m->header.serial;
    m->ticks = m->chunk.ticks;
    m->window = window_of(m);
    find_runs(m->run, m->records, m->n_words, &m->window);
}

int rf_mend_part(struct rf_log *log, size_t i)
{
    struct mending *m = calloc(1, sizeof(*m));
    if (m == NULL)
        return RF_ERR_NO_MEMORY;
    m->log = log;
    rf_part_reader_init(&m->reader, log);
    set_neighbours(m, i);
    read_part(m);
    int status = RF_OK;
    if (is_broken(m)) {
        m->out = rf_log_allocate(log, RF_PART_SIZE + sizeof(struct rf_lost));
        status = m->out != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    }
    if (m->out != NULL) {
        copy_records(m);
        m->chunk.size = sizeof(m->header) + 8 * (uint64_t)m->at;
        memcpy(m->out, &m->chunk, sizeof(m->chunk));
        memcpy(m->out + sizeof(m->chunk), &m->header, sizeof(m->header));
        log->part[i].raw = m->out;
        log->part[i].packed = NULL;
        log->part[i].size = (uint32_t)(sizeof(m->chunk) + m->chunk.size);
        log->part[i].is_complete = true;
        log->part[i].is_cut = false;
        log->damage.n_parts++;
    }
    log->part[i].is_suspect = false;
    if (m->reader.is_out_of_memory)
        status = RF_ERR_NO_MEMORY;
    rf_part_reader_release(&m->reader);
    free(m);
    return status;
}

/* ---- All parts ---- */

static void count_missing(struct rf_log *log, uint64_t n_parts, uint64_t n_bytes)
{
    log->damage.n_parts += n_parts;
    log->damage.n_bytes += n_bytes;
    log->damage.n_records += records_in(log, n_bytes);
}

/* Parts that are missing before this one, whose writer does not say that it dropped them. */
static void count_gap(struct rf_log *log, const struct rf_log_part *before,
                      const struct rf_log_part *part)
{
    uint64_t last = before != NULL ? before->seq : 0;
    uint64_t gap = part->seq > last ? part->seq - last - 1 : 0;
    if (gap == 0)
        return;
    struct rf_part_header header = rf_part_header(part);
    if (header.is_first || header.lost_records > 0)
        return;
    gap = gap < MAX_GAP ? gap : 1;
    count_missing(log, gap, gap * (RF_PART_SIZE - RF_PART_RECORDS_OFFSET));
}

/* A part that a pool says is in the log, and is not; and those before it that are not there, up to
 * the other one that the pool knows of. */
static void count_tail(struct rf_log *log, size_t i)
{
    const struct rf_log_tail *tail = &log->tail[i], *end = log->tail + log->n_tails;
    uint64_t before;
    if (rf_log_has_part(log, tail, &before))
        return;
    for (const struct rf_log_tail *other = i > 0 ? tail - 1 : tail;
         other < end && other <= tail + 1; other++)
        if (other->process == tail->process && other->slot == tail->slot &&
            other->seq < tail->seq && other->seq > before)
            before = other->seq;
    uint64_t gap = tail->seq - before - 1;
    gap = gap < MAX_GAP ? gap : 0;
    count_missing(log, gap + 1, (gap + 1) * (tail->size - RF_PART_RECORDS_OFFSET));
}

/* A packed file says how much it should hold. */
static void count_end(struct rf_log *log)
{
    uint64_t n_bytes = log->damage.n_bytes;
    for (size_t i = 0; i < log->n_parts; i++)
        n_bytes += log->part[i].size;
    if (!log->damage.is_end_missing || log->control.n_parts == 0)
        return;
    log->damage.is_end_missing = false;
    if (log->control.n_parts > log->n_parts && log->control.parts_bytes > n_bytes)
        count_missing(log, log->control.n_parts - log->n_parts, log->control.parts_bytes - n_bytes);
}

int rf_mend_parts(struct rf_log *log)
{
    int status = RF_OK;
    for (size_t i = 0; i < log->n_parts && status == RF_OK; i++) {
        const struct rf_log_part *part = &log->part[i];
        bool is_first = i == 0 || part[-1].process != part->process || part[-1].slot != part->slot;
        count_gap(log, is_first ? NULL : part - 1, part);
        if (part->is_cut || part->is_suspect)
            status = rf_mend_part(log, i);
    }
    for (size_t i = 0; i < log->n_tails && status == RF_OK; i++)
        count_tail(log, i);
    count_end(log);
    return status;
}

void rf_mend_report(struct rf_log *log)
{
    struct rf_control *control = &log->control;
    const struct rf_damage *damage = &log->damage, *reported = &log->reported;
    control->lost_records += damage->n_records - reported->n_records;
    control->lost_bytes += damage->n_bytes - reported->n_bytes;
    control->n_lost_about += damage->n_records - reported->n_records;
    control->n_lost_parts += damage->n_parts - reported->n_parts;
    control->lost_defs += damage->n_defs - reported->n_defs;
    if (damage->n_parts + damage->n_defs + log->n_damaged_bytes > 0 || damage->is_end_missing)
        control->salvaged |= RF_SALVAGED_DAMAGED;
    if (damage->is_end_missing)
        control->salvaged |= RF_SALVAGED_NO_END;
    if (damage->has_no_control)
        control->salvaged |= RF_SALVAGED_NO_CONTROL;
    log->reported = *damage;
}
