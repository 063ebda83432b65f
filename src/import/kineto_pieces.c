/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_pieces.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/helper_threads.h"

#define PIECE_SIZE      ((size_t)1 << 20)
#define MAX_WORKERS     7
#define WORTH_A_THREAD  ((uint64_t)4 << 20) /* bytes of a file */
#define WORTH_A_THREADZ ((uint64_t)1 << 19) /* ... that is compressed */

enum state { TEXT, TAKEN, DONE }; /* of a piece: not taken apart yet, just now, finished */

/* Pieces stand in a ring; n_read, n_gone count them. The first one begins with the head of the
 * file, and is not taken apart by workers. */
struct kineto_pieces {
    struct kineto_input *input;
    const struct rf_strings *strings;
    struct kineto_piece piece[2 * MAX_WORKERS + 4];
    uint64_t n_pieces, n_read, n_gone;
    size_t piece_size;
    char *rest; /* of the text, behind the last piece */
    size_t n_rest, rest_room;
    uint64_t offset; /* of the rest */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct rf_threads threads; /* the reader first */
    bool has_current, is_ended, is_stopped;
};

/* ---- Where a piece ends ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Whether an event may begin at a brace: a comma is before it, a key of events behind it. */
static bool is_begin(const char *text, const char *at, const char *end)
{
    static const char *const keys[] = {"\"ph\"",  "\"name\"", "\"cat\"", "\"pid\"", "\"ts\"",
                                       "\"tid\"", "\"args\"", "\"dur\"", "\"id\"",  "\"s\""};
    const char *before = at, *behind = at + 1;
    while (before > text && is_space(before[-1]))
        before--;
    if (before == text || before[-1] != ',')
        return false;
    while (behind < end && is_space(*behind))
        behind++;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const size_t size = strlen(keys[i]);
        if ((size_t)(end - behind) > size && memcmp(behind, keys[i], size) == 0)
            return true;
    }
    return false;
}

/* How much of a text belongs together; all of it where no end was found. */
static size_t guess_end(const char *text, size_t size)
{
    const char *at = text + size;
    while ((at = memrchr(text, '{', (size_t)(at - text))) != NULL && at > text)
        if (is_begin(text, at, text + size))
            return (size_t)(at - text);
    return size;
}

/* ---- Reading ---- */

static bool make_room(char **text, size_t *room, size_t size)
{
    if (size + KINETO_PADDING <= *room)
        return true;
    char *more = realloc(*text, size + KINETO_PADDING);
    if (more == NULL)
        return false;
    *text = more;
    *room = size + KINETO_PADDING;
    return true;
}

static void fail_memory(const struct kineto_pieces *pieces, struct kineto_piece *piece)
{
    piece->status = rf_fail(&piece->err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory",
                            pieces->input->path);
    piece->is_last = true;
}

/* Keeps the text behind `size` for the next piece. */
static void split(struct kineto_pieces *pieces, struct kineto_piece *piece, size_t size)
{
    pieces->n_rest = piece->size - size;
    if (!make_room(&pieces->rest, &pieces->rest_room, pieces->n_rest)) {
        fail_memory(pieces, piece);
        return;
    }
    memcpy(pieces->rest, piece->text + size, pieces->n_rest);
    piece->size = size;
    pieces->offset = piece->offset + size;
}

static void read_piece(struct kineto_pieces *pieces, struct kineto_piece *piece)
{
    const size_t before = pieces->n_rest;
    size_t n;
    piece->status = RF_OK;
    piece->is_last = false;
    piece->offset = pieces->offset;
    piece->size = 0;
    if (!make_room(&piece->text, &piece->room, before + pieces->piece_size)) {
        fail_memory(pieces, piece);
        return;
    }
    if (before > 0)
        memcpy(piece->text, pieces->rest, before);
    piece->status =
        kineto_input_read(pieces->input, piece->text + before, pieces->piece_size, &n, &piece->err);
    piece->size = before + n;
    piece->is_last = piece->status != RF_OK || n < pieces->piece_size;
    pieces->n_rest = 0;
    pieces->offset += piece->size;
    if (!piece->is_last)
        split(pieces, piece, guess_end(piece->text, piece->size));
    memset(piece->text + piece->size, 0, KINETO_PADDING);
}

static struct kineto_piece *piece_at(struct kineto_pieces *pieces, uint64_t number)
{
    return &pieces->piece[number % pieces->n_pieces];
}

/* The piece at n_read is free. */
static void read_next(struct kineto_pieces *pieces)
{
    struct kineto_piece *piece = piece_at(pieces, pieces->n_read);
    read_piece(pieces, piece);
    (void)pthread_mutex_lock(&pieces->lock);
    piece->state = TEXT;
    pieces->n_read++;
    pieces->is_ended = piece->is_last;
    (void)pthread_cond_broadcast(&pieces->changed);
    (void)pthread_mutex_unlock(&pieces->lock);
}

static void *run_reader(void *context)
{
    struct kineto_pieces *pieces = context;
    bool goes_on = true;
    while (goes_on) {
        (void)pthread_mutex_lock(&pieces->lock);
        while (pieces->n_read - pieces->n_gone == pieces->n_pieces && !pieces->is_stopped)
            (void)pthread_cond_wait(&pieces->changed, &pieces->lock);
        goes_on = !pieces->is_stopped;
        (void)pthread_mutex_unlock(&pieces->lock);
        if (goes_on)
            read_next(pieces);
        goes_on = goes_on && !pieces->is_ended;
    }
    return NULL;
}

/* ---- Taking apart ---- */

/* Takes a piece apart, without the lock, which is held before and afterwards. */
static void take_apart(struct kineto_pieces *pieces, struct kineto_piece *piece)
{
    piece->state = TAKEN;
    (void)pthread_mutex_unlock(&pieces->lock);
    kineto_part_read(&piece->part, piece->text, piece->size, piece->offset, pieces->strings);
    (void)pthread_mutex_lock(&pieces->lock);
    piece->state = DONE;
    (void)pthread_cond_broadcast(&pieces->changed);
}

/* The first piece that waits; NULL: none. */
static struct kineto_piece *find_text(struct kineto_pieces *pieces)
{
    for (uint64_t i = pieces->n_gone > 0 ? pieces->n_gone : 1; i < pieces->n_read; i++)
        if (piece_at(pieces, i)->state == TEXT)
            return piece_at(pieces, i);
    return NULL;
}

static void *run_worker(void *context)
{
    struct kineto_pieces *pieces = context;
    (void)pthread_mutex_lock(&pieces->lock);
    for (;;) {
        struct kineto_piece *piece = find_text(pieces);
        if (pieces->is_stopped || (piece == NULL && pieces->is_ended))
            break;
        if (piece != NULL)
            take_apart(pieces, piece);
        else
            (void)pthread_cond_wait(&pieces->changed, &pieces->lock);
    }
    (void)pthread_mutex_unlock(&pieces->lock);
    return NULL;
}

/* ---- Threads ---- */

struct kineto_way kineto_way_of(const struct kineto_input *input)
{
    const uint64_t worth = input->is_packed ? WORTH_A_THREADZ : WORTH_A_THREAD;
    const unsigned n = input->size_bytes < worth ? 0 : rf_n_processors() - 1;
    return (struct kineto_way){PIECE_SIZE, n > MAX_WORKERS ? MAX_WORKERS : n};
}

struct kineto_pieces *kineto_pieces_new(struct kineto_input *input,
                                        const struct rf_strings *strings,
                                        const struct kineto_way *way)
{
    struct kineto_pieces *pieces = calloc(1, sizeof(*pieces));
    const unsigned n_workers = way->n_workers < MAX_WORKERS ? way->n_workers : MAX_WORKERS;
    if (pieces == NULL)
        return NULL;
    pieces->piece_size = way->piece_size;
    pieces->input = input;
    pieces->strings = strings;
    pieces->n_pieces = n_workers > 0 ? 2 * n_workers + 4 : 1;
    (void)pthread_mutex_init(&pieces->lock, NULL);
    (void)pthread_cond_init(&pieces->changed, NULL);
    if (n_workers > 0)
        (void)rf_threads_start(&pieces->threads, run_reader, pieces);
    for (unsigned i = 0; i < n_workers && pieces->threads.n > 0; i++)
        (void)rf_threads_start(&pieces->threads, run_worker, pieces);
    return pieces;
}

bool kineto_pieces_is_packed(const struct kineto_pieces *pieces)
{
    return pieces->input->is_packed;
}

void kineto_pieces_free(struct kineto_pieces *pieces)
{
    if (pieces == NULL)
        return;
    (void)pthread_mutex_lock(&pieces->lock);
    pieces->is_stopped = true;
    (void)pthread_cond_broadcast(&pieces->changed);
    (void)pthread_mutex_unlock(&pieces->lock);
    rf_threads_join(&pieces->threads);
    for (uint64_t i = 0; i < pieces->n_pieces; i++) {
        free(pieces->piece[i].text);
        kineto_part_release(&pieces->piece[i].part);
    }
    free(pieces->rest);
    (void)pthread_cond_destroy(&pieces->changed);
    (void)pthread_mutex_destroy(&pieces->lock);
    free(pieces);
}

/* ---- In order ---- */

/* The lock is held. */
static void leave_current(struct kineto_pieces *pieces)
{
    if (!pieces->has_current)
        return;
    while (piece_at(pieces, pieces->n_gone)->state == TAKEN)
        (void)pthread_cond_wait(&pieces->changed, &pieces->lock);
    pieces->has_current = false;
    pieces->n_gone++;
    (void)pthread_cond_broadcast(&pieces->changed);
}

struct kineto_piece *kineto_pieces_next(struct kineto_pieces *pieces)
{
    (void)pthread_mutex_lock(&pieces->lock);
    leave_current(pieces);
    if (pieces->threads.n == 0 && !pieces->is_ended) {
        (void)pthread_mutex_unlock(&pieces->lock);
        read_next(pieces);
        (void)pthread_mutex_lock(&pieces->lock);
    }
    while (pieces->n_gone == pieces->n_read && !pieces->is_ended)
        (void)pthread_cond_wait(&pieces->changed, &pieces->lock);
    pieces->has_current = pieces->n_gone < pieces->n_read;
    (void)pthread_mutex_unlock(&pieces->lock);
    return pieces->has_current ? piece_at(pieces, pieces->n_gone) : NULL;
}

/* Meanwhile it takes other pieces apart. */
const struct kineto_part *kineto_pieces_part(struct kineto_pieces *pieces)
{
    struct kineto_piece *piece = piece_at(pieces, pieces->n_gone);
    (void)pthread_mutex_lock(&pieces->lock);
    while (piece->state != DONE) {
        struct kineto_piece *other = piece->state == TEXT ? piece : find_text(pieces);
        if (other != NULL)
            take_apart(pieces, other);
        else
            (void)pthread_cond_wait(&pieces->changed, &pieces->lock);
    }
    (void)pthread_mutex_unlock(&pieces->lock);
    return &piece->part;
}
