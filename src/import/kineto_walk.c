/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "import/kineto_head.h"
#include "import/kineto_take.h"

#define MAX_VALUE ((size_t)64 << 20) /* bytes of an event or a member of the head */

enum place { START, MEMBERS, EVENTS, AFTER_EVENTS, END };

struct walk {
    struct kineto_load *load;
    struct kineto_pieces *pieces;
    const struct kineto_piece *piece; /* the last one that came; NULL: none so far */
    struct kineto_part part;          /* of text that no thread took apart */
    struct kineto_scan scan;          /* of the text that is there */
    const char *text;                 /* its begin */
    uint64_t offset;                  /* of that in the file */
    char *kept;                       /* memory of the text, where it is more than a piece */
    size_t kept_room;
    enum place place;
    bool is_fresh; /* the text is one piece, and nothing of it is taken */
    bool is_array; /* the file is one */
    bool has_events;
};

static uint64_t offset_of(const struct walk *walk, const char *at)
{
    return walk->offset + (uint64_t)(at - walk->text);
}

/* ---- Errors ---- */

/* Counts what is not read; its bytes are counted as they come out of the file. */
static void leave_rest(struct walk *walk, uint64_t from)
{
    const struct kineto_piece *piece = walk->piece;
    uint64_t end = from;
    for (; piece != NULL; piece = kineto_pieces_next(walk->pieces))
        end = piece->offset + piece->size;
    walk->load->model.rec->info.n_damaged_bytes += end > from ? end - from : 1;
    nsys_db_skip(&walk->load->model.db, "traceEvents",
                 "damaged: what is behind the damage is left out", 1);
    walk->place = END;
    walk->piece = NULL;
}

/* Without events there is nothing to salvage. */
static bool is_salvaged(const struct walk *walk)
{
    return (walk->load->model.db.flags & RF_OPEN_SALVAGE) != 0 && walk->has_events;
}

static int fail_at(struct walk *walk, const char *at, const char *what)
{
    const struct nsys_db *db = &walk->load->model.db;
    const uint64_t offset = offset_of(walk, at);
    if (is_salvaged(walk)) {
        leave_rest(walk, offset);
        return RF_OK;
    }
    return rf_fail_at(db->err, RF_ERR_DAMAGED, offset, "'%s' is no whole JSON: %s at byte %llu%s",
                      db->path, what, (unsigned long long)offset,
                      kineto_pieces_is_packed(walk->pieces) ? " of what it unpacks to" : "");
}

static int fail_format(const struct walk *walk, const char *what)
{
    const struct nsys_db *db = &walk->load->model.db;
    return rf_fail(db->err, RF_ERR_FORMAT,
                   "'%s' is JSON and no trace: %s; open the recording that it was made of",
                   db->path, what);
}

/* ---- More text ---- */

/* The file ended. */
static int fail_cut(struct walk *walk)
{
    const struct kineto_piece *piece = walk->piece;
    struct nsys_db *db = &walk->load->model.db;
    if (piece != NULL && piece->status != RF_OK && !is_salvaged(walk)) {
        if (db->err != NULL)
            *db->err = piece->err;
        return piece->status;
    }
    if (walk->place == EVENTS && walk->is_array && walk->scan.at == walk->scan.end &&
        (piece == NULL || piece->status == RF_OK)) {
        /* the format leaves the bracket to whoever is not interrupted */
        nsys_db_skip(db, "traceEvents", "no closing bracket: more may be missing", 1);
        walk->place = END;
        return RF_OK;
    }
    return fail_at(walk, walk->scan.end, walk->place == START ? "there is nothing" : "it ends");
}

static int make_room(struct walk *walk, size_t size)
{
    if (size + KINETO_PADDING <= walk->kept_room)
        return RF_OK;
    char *more = realloc(walk->kept, 2 * size + KINETO_PADDING);
    if (more == NULL)
        return nsys_no_memory(&walk->load->model);
    walk->kept = more;
    walk->kept_room = 2 * size + KINETO_PADDING;
    return RF_OK;
}

/* Keeps the n bytes that are not taken: the piece goes away with the next one. */
static int keep(struct walk *walk, size_t n)
{
    int status = walk->text != walk->kept ? make_room(walk, n) : RF_OK;
    if (status == RF_OK && n > 0)
        memmove(walk->kept, walk->scan.at, n);
    return status;
}

/* Puts a piece behind them. */
static int join(struct walk *walk, size_t n, const struct kineto_piece *piece)
{
    int status = make_room(walk, n + piece->size);
    if (status != RF_OK)
        return status;
    memcpy(walk->kept + n, piece->text, piece->size);
    memset(walk->kept + n + piece->size, 0, KINETO_PADDING);
    walk->text = walk->kept;
    return RF_OK;
}

static int read_more(struct walk *walk)
{
    const size_t n = (size_t)(walk->scan.end - walk->scan.at);
    const uint64_t offset = offset_of(walk, walk->scan.at);
    if (walk->piece != NULL && walk->piece->is_last)
        return fail_cut(walk);
    if (n > MAX_VALUE)
        return fail_at(walk, walk->scan.at, "a value of more than 64 MiB");
    int status = keep(walk, n);
    if (status != RF_OK)
        return status;
    const struct kineto_piece *piece = kineto_pieces_next(walk->pieces);
    if (piece == NULL)
        return nsys_no_memory(&walk->load->model);
    walk->piece = piece;
    walk->offset = offset;
    walk->is_fresh = n == 0;
    walk->text = piece->text;
    if (n > 0)
        status = join(walk, n, piece);
    walk->scan = (struct kineto_scan){.at = walk->text, .end = walk->text + n + piece->size};
    return status;
}

/* ---- Steps: each takes something, or sets *is_short ---- */

/* A function of the scanner failed; what begins at `begin` is not taken. */
static int stop_at(struct walk *walk, const char *begin, bool *is_short)
{
    if (walk->scan.problem != NULL)
        return fail_at(walk, walk->scan.at, walk->scan.problem);
    walk->scan.at = begin;
    *is_short = true;
    return RF_OK;
}

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static int step_start(struct walk *walk, bool *is_short)
{
    struct kineto_scan *scan = &walk->scan;
    const size_t n = strlen(BYTE_ORDER_MARK);
    if ((size_t)(scan->end - scan->at) >= n && memcmp(scan->at, BYTE_ORDER_MARK, n) == 0)
        scan->at += n;
    const char c = kineto_peek(scan);
    if (scan->at == scan->end)
        return stop_at(walk, scan->at, is_short);
    if (c != '{' && c != '[')
        return fail_at(walk, scan->at, "neither an object nor an array");
    scan->at++;
    walk->is_array = c == '[';
    walk->has_events = walk->is_array;
    walk->place = walk->is_array ? EVENTS : MEMBERS;
    return RF_OK;
}

/* Behind the value of a member. */
static int step_after(struct walk *walk, bool *is_short)
{
    const char *begin = walk->scan.at;
    bool is_end;
    if (!kineto_scan_next(&walk->scan, '}', &is_end))
        return stop_at(walk, begin, is_short);
    walk->place = is_end ? END : MEMBERS;
    return RF_OK;
}

static int begin_events(struct walk *walk)
{
    if (walk->has_events)
        nsys_db_skip(&walk->load->model.db, "traceEvents", "a second list: read, too", 1);
    walk->scan.at++;
    walk->has_events = true;
    walk->place = EVENTS;
    return RF_OK;
}

static int step_member(struct walk *walk, bool *is_short)
{
    struct kineto_scan *scan = &walk->scan;
    struct kineto_value key, value;
    const char *begin = scan->at;
    if (kineto_peek(scan) == '}') {
        scan->at++;
        walk->place = END;
        return RF_OK;
    }
    if (!kineto_scan_key(scan, &key))
        return stop_at(walk, begin, is_short);
    const char c = kineto_peek(scan);
    if (kineto_is(&key, "traceEvents") && c == '[')
        return begin_events(walk);
    if (!kineto_scan_value(scan, &value) || scan->at == scan->end)
        return stop_at(walk, begin, is_short);
    if (kineto_is(&key, "traceEvents"))
        return fail_format(walk, "its \"traceEvents\" is no list");
    walk->place = AFTER_EVENTS;
    return kineto_take_member(walk->load, &key, &value);
}

static int step_events(struct walk *walk, bool *is_short)
{
    struct kineto_scan *scan = &walk->scan;
    const struct kineto_part *part = &walk->part;
    if (walk->is_fresh && scan->at == walk->text)
        part = kineto_pieces_part(walk->pieces);
    else
        kineto_part_read(&walk->part, scan->at, (size_t)(scan->end - scan->at),
                         offset_of(walk, scan->at), &walk->load->model.rec->strings);
    const char *end = scan->at + part->used;
    int status = kineto_take_part(walk->load, part);
    if (status != RF_OK)
        return status;
    scan->at = end;
    switch (part->end) {
    case KINETO_WRONG:
        return fail_at(walk, end, part->problem);
    case KINETO_CLOSED:
        walk->place = walk->is_array ? END : AFTER_EVENTS;
        return RF_OK;
    default:
        *is_short = true;
        return RF_OK;
    }
}

/* Behind the trace only spaces are expected. */
static int step_end(struct walk *walk)
{
    struct nsys_db *db = &walk->load->model.db;
    while (walk->piece != NULL) {
        if (kineto_peek(&walk->scan) != 0 || walk->scan.at < walk->scan.end) {
            nsys_db_skip(db, "traceEvents", "text behind the end of the trace: left out", 1);
            return RF_OK;
        }
        if (walk->piece->is_last)
            return walk->piece->status == RF_OK ? RF_OK : fail_cut(walk);
        int status = read_more(walk);
        if (status != RF_OK)
            return status;
    }
    return RF_OK;
}

static int step(struct walk *walk, bool *is_short)
{
    switch (walk->place) {
    case START:
        return step_start(walk, is_short);
    case MEMBERS:
        return step_member(walk, is_short);
    case EVENTS:
        return step_events(walk, is_short);
    default:
        return step_after(walk, is_short);
    }
}

int kineto_walk(struct kineto_load *load, struct kineto_pieces *pieces)
{
    struct walk walk = {.load = load, .pieces = pieces, .place = START};
    int status = read_more(&walk);
    while (status == RF_OK && walk.place != END) {
        bool is_short = false;
        status = step(&walk, &is_short);
        if (status == RF_OK && is_short)
            status = read_more(&walk);
    }
    if (status == RF_OK)
        status = step_end(&walk);
    if (status == RF_OK && !walk.has_events)
        status = fail_format(&walk, "it has no \"traceEvents\"");
    kineto_part_release(&walk.part);
    free(walk.kept);
    return status;
}
