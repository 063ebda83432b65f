/* SPDX-License-Identifier: Apache-2.0 */
/* rf-parts SESSION: the records of a session as they stand in its parts, before any reader decides
 * what belongs to a capture: one JSON object per record, process by process, stream by stream. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "log/reader.h"
#include "log/records.h"

static void print_text(const uint8_t *text, size_t size)
{
    putchar('"');
    for (size_t i = 0; i < size && text[i] != '\0'; i++)
        if (text[i] < 32 || text[i] > 126 || text[i] == '"' || text[i] == '\\')
            printf("\\u%04x", text[i]);
        else
            putchar(text[i]);
    putchar('"');
}

static void print_defs(const struct rf_log_process *process)
{
    for (size_t at = 0; at + sizeof(struct rf_def) <= process->defs_size;) {
        struct rf_def def;
        memcpy(&def, process->defs + at, sizeof(def));
        uint32_t type = def.head & ((1u << RF_WORD_TYPE_BITS) - 1);
        if (def.n_words == 0)
            break;
        printf(
            "{\"what\": \"def\", \"process\": %u, \"type\": %u, \"index\": %u, \"value\": %" PRIu64,
            process->number, type, def.index, def.value);
        if (def.text_size != RF_NO_TEXT) {
            printf(", \"text\": ");
            print_text(process->defs + at + sizeof(def), def.text_size);
        }
        printf("}\n");
        at += (size_t)def.n_words * 8;
    }
}

/* MARK, PUSH and START: the domain, and the text or the string's handle. */
static void print_attributes(const struct rf_record *r)
{
    uint64_t word1 = rf_load64(r->words + 8);
    uint32_t kind = word1 >> RF_ATTR_MESSAGE_SHIFT & 3;
    uint32_t n = 2;
    uint64_t domain = word1 & RF_ATTR_DOMAIN_ESCAPE;
    n += domain == RF_ATTR_DOMAIN_ESCAPE;
    n += kind == RF_MESSAGE_REGISTERED && word1 >> 32 == RF_ATTR_STRING_ESCAPE;
    n += (word1 & (RF_ATTR_COLOR | RF_ATTR_CATEGORY)) != 0;
    n += (word1 >> RF_ATTR_PAYLOAD_SHIFT & 7) != 0;
    printf(", \"domain\": %" PRIu64, domain);
    if (kind == RF_MESSAGE_REGISTERED)
        printf(", \"string\": %" PRIu64, word1 >> 32);
    if (kind == RF_MESSAGE_TEXT && n <= r->n_words) {
        printf(", \"text\": ");
        print_text(r->words + 8 * n, 8 * (size_t)(r->n_words - n));
    }
}

static void print_stream(struct rf_part_reader *reader, const struct rf_log_part *part, size_t n)
{
    struct rf_stream_cursor cursor;
    struct rf_stream_part info = {0};
    struct rf_record r;
    enum rf_stream_step step;
    uint32_t process = part->process, slot = part->slot;
    rf_stream_init(&cursor, reader, part, n);
    while ((step = rf_stream_next(&cursor, &r, &info)) != RF_STREAM_END) {
        if (step == RF_STREAM_PART) {
            printf(
                "{\"what\": \"part\", \"process\": %u, \"slot\": %u, \"tid\": %u, \"seq\": %" PRIu64
                ", \"lost\": %" PRIu64 ", \"is_gap\": %d}\n",
                process, slot, info.tid, cursor.seq, info.n_lost_records, info.is_gap);
            continue;
        }
        printf("{\"what\": \"record\", \"process\": %u, \"slot\": %u, \"type\": %u, \"ticks\": "
               "%" PRIu64,
               process, slot, r.type, r.ticks);
        if (r.type <= RF_REC_PUSH || r.type == RF_REC_START)
            print_attributes(&r);
        if (r.type == RF_REC_START)
            printf(", \"id\": %" PRIu64, rf_range_id(process, slot, cursor.n_starts));
        if (r.type == RF_REC_THREAD || r.type == RF_REC_THREAD_END)
            printf(", \"tid\": %u", (uint32_t)rf_load64(r.words + 8));
        if (r.type == RF_REC_END || r.type == RF_REC_POP_DOMAIN || r.type == RF_REC_COUNTER)
            printf(", \"value\": %" PRIu64, rf_load64(r.words + 8));
        printf("}\n");
    }
    if (cursor.n_damaged_bytes > 0)
        printf("{\"what\": \"damage\", \"bytes\": %" PRIu64 "}\n", cursor.n_damaged_bytes);
}

int main(int argc, char **argv)
{
    struct rf_log log;
    struct rf_part_reader reader;
    struct rf_err err;
    if (argc != 2) {
        fprintf(stderr, "usage: rf-parts SESSION\n");
        return 2;
    }
    if (rf_log_open(&log, argv[1], 0, &err) < 0) {
        fprintf(stderr, "rf-parts: %s\n", err.text);
        return 1;
    }
    rf_part_reader_init(&reader, &log);
    for (size_t i = 0; i < log.n_processes; i++)
        print_defs(&log.process[i]);
    for (size_t at = 0, n; at < log.n_parts; at += n) {
        for (n = 1; at + n < log.n_parts && log.part[at + n].process == log.part[at].process &&
                    log.part[at + n].slot == log.part[at].slot;)
            n++;
        print_stream(&reader, &log.part[at], n);
    }
    rf_part_reader_release(&reader);
    rf_log_close(&log);
    return 0;
}
