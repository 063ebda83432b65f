/* SPDX-License-Identifier: Apache-2.0 */
/* One capture as a file of its own shows what the session directory shows of it. */
#include <inttypes.h>
#include <sys/stat.h>

#include "log/nvtx_ext.h"
#include "log/pack_capture.h"
#include "log/records.h"
#include "rf_cuda_writer.h"
#include "unit.h"

#define N_SEEDS   120
#define N_THREADS 6
#define N_WINDOWS 5

struct files {
    char *dir;
    char session[4096], packed[4096];
};

static int set_up(void **state)
{
    struct files *f = calloc(1, sizeof(*f));
    f->dir = rfw_make_tmpdir();
    (void)snprintf(f->session, sizeof(f->session), "%s/a.rfdir", f->dir);
    (void)snprintf(f->packed, sizeof(f->packed), "%s/a.rf", f->dir);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct files *f = *state;
    rfw_remove_tree(f->dir);
    free(f->dir);
    free(f);
    return 0;
}

/* ---- What is compared ---- */

static void print_string(FILE *out, const rf_recording *rec, uint32_t id)
{
    size_t size;
    const char *text = rf_string(rec, id, &size);
    (void)fprintf(out, " %.40s:%zu", text != NULL ? text : "-", size);
}

/* A loss before the capture, which may have been the end of a range, is not in its file: such a
 * range ends with the process all the same, but for the reason given. */
static const char *cut_of(const struct rf_event *e)
{
    return e->kind == RF_EVENT_START_END &&
                   (e->cut == RF_CUT_LOST || e->cut == RF_CUT_PROCESS_ENDED)
               ? rf_cut_name(RF_CUT_KILLED)
               : rf_cut_name(e->cut);
}

static void print_event(FILE *out, const rf_recording *rec, const struct rf_event *e)
{
    (void)fprintf(out,
                  "  %u %" PRId64 " %" PRId64 " flags %x cut %s color %x category %u payload %u",
                  e->kind, e->start_ns, e->end_ns, e->flags, cut_of(e), e->color, e->category,
                  e->payload_type);
    print_string(out, rec, e->name);
    (void)fputs(" in", out);
    print_string(out, rec, rf_domain_at(rec, e->domain)->name);
    if (e->kind == RF_EVENT_START_END) {
        const struct rf_start_end *s = rf_start_end_at(rec, e->link);
        (void)fprintf(out, " id %" PRIx64 " number %" PRIu64 " ended by %u", s->id, s->number,
                      rf_thread_at(rec, s->end_thread)->tid);
    }
    (void)fputc('\n', out);
}

/* All events by thread, and what else a capture has of its own. */
static char *show(const rf_recording *rec)
{
    char *text = NULL;
    size_t size = 0, n;
    FILE *out = open_memstream(&text, &size);
    const struct rf_info *info = rf_get_info(rec);
    (void)fprintf(out,
                  "ranges %" PRIu64 " marks %" PRIu64 " cut %" PRIu64 " %" PRIu64
                  " unmatched %" PRIu64 " damaged %" PRIu64 "\n",
                  info->n_ranges, info->n_marks, info->n_cut, info->n_cut_at_start,
                  info->n_unmatched_ends, info->n_damaged_bytes);
    for (uint32_t i = 0; i < rf_n_captures(rec); i++) {
        const struct rf_capture_info *c = rf_capture_at(rec, i);
        (void)fprintf(out, "capture %u %" PRId64 " %" PRId64 " %d\n", c->number, c->begin_ns,
                      c->end_ns, c->is_open);
    }
    for (uint32_t i = 0; i < rf_n_threads(rec); i++) {
        const struct rf_thread *t = rf_thread_at(rec, i);
        const struct rf_event *e = rf_thread_events(rec, i, &n);
        (void)fprintf(out, "thread %u of %u serial %u named %d", t->tid,
                      rf_process_at(rec, t->process)->pid, t->serial, t->is_named);
        print_string(out, rec, t->name);
        (void)fputc('\n', out);
        for (size_t k = 0; k < n; k++)
            print_event(out, rec, &e[k]);
        const struct rf_call *call = rf_thread_calls(rec, i, &n);
        for (size_t k = 0; k < n; k++)
            (void)fprintf(out, "  call %u from %" PRId64 " to %" PRId64 " caused %u\n",
                          call[k].correlation, call[k].start_ns, call[k].end_ns, call[k].first_op);
    }
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t k = 0; k < n; k++)
        (void)fprintf(out, "work %u from %" PRId64 " to %" PRId64 " of %u %u\n", op[k].correlation,
                      op[k].start_ns, op[k].end_ns, op[k].thread, op[k].call);
    (void)fclose(out);
    return text;
}

static char *show_file(const char *path)
{
    struct rf_err err;
    rf_recording *rec;
    if (rf_open(path, 0, &rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    char *text = show(rec);
    rf_close(rec);
    return text;
}

static void check_same(const char *session, const char *packed, uint64_t seed, uint32_t window)
{
    char *a = show_file(session), *b = show_file(packed);
    size_t at = 0, line = 0;
    while (a[at] == b[at] && a[at] != 0) {
        if (a[at++] == '\n')
            line = at;
    }
    if (a[at] != b[at])
        fail_msg("seed %" PRIu64 ", capture %u\nsession: %.*s\nfile:    %.*s", seed, window,
                 (int)strcspn(a + line, "\n"), a + line, (int)strcspn(b + line, "\n"), b + line);
    free(a);
    free(b);
}

/* ---- Random sessions ---- */

struct random {
    uint64_t state;
};

static uint32_t below(struct random *r, uint32_t n)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (uint32_t)((r->state >> 20) % n);
}

#define MAX_OPEN    400
#define MAX_PENDING 256

/* A call that CUPTI has not told of yet, nor of its work. */
struct launch {
    uint32_t process, tid, id;
    int64_t start_ns;
};

struct world {
    struct random random;
    struct rfw *w;
    struct rfw_stream *stream[2 * N_THREADS]; /* a thread's, then those of its signal handlers */
    uint32_t process[N_THREADS];
    uint32_t tid[N_THREADS], serial;
    uint8_t
        is_ambiguous[N_THREADS]; /* two threads had its tid, and the first one's end is not said */
    uint32_t domain[4];          /* two have one name */
    uint32_t string[3];
    uint64_t open[MAX_OPEN];
    size_t n_open;
    int64_t now;
    int has_destroy;            /* a domain's end makes second ends of its ranges no mistakes */
    struct rfw_stream *cuda[2]; /* what CUPTI tells of a process is written here, now and then */
    struct launch pending[MAX_PENDING];
    uint32_t n_pending, n_launches;
    int64_t window_end[N_WINDOWS];
    char *long_text;
};

static struct rfw_attr random_attr(struct world *x)
{
    static const char *const texts[] = {"a", "forward", "a name that takes some more words", ""};
    struct random *r = &x->random;
    struct rfw_attr attr = {.text = texts[below(r, 4)]};
    uint32_t domain = below(r, 8);
    attr.domain = domain < 4 ? x->domain[domain] : 0;
    if (below(r, 4) == 0)
        attr.string = x->string[below(r, 3)];
    if (below(r, 5) == 0) {
        attr.has_color = 1;
        attr.color = below(r, 1000);
        attr.payload_kind = RF_PAYLOAD_UINT64;
        attr.payload = below(r, 1000);
    }
    if (below(r, 400) == 0)
        attr.domain = 1u << 24; /* nobody gave it out */
    if (below(r, 500) == 0) {
        attr.text = x->long_text;
        attr.text_size = 40000 + below(r, 100000);
        attr.string = 0;
    }
    return attr;
}

/* Not of all threads: some were read without a THREAD record. */
static const char *name_of(uint32_t serial)
{
    return serial % 3 == 0 ? "" : serial % 3 == 1 ? "worker" : "loader";
}

static void replace_thread(struct world *x, uint32_t i)
{
    struct rfw_stream *s = x->stream[i];
    int has_end = below(&x->random, 2) == 0;
    if (has_end)
        rfw_thread_end(s, x->now, name_of(s->serial));
    if (below(&x->random, 4) != 0) /* the system uses a tid again */
        x->tid[i] = 1000 + x->serial;
    else if (!has_end)
        x->is_ambiguous[i] = 1;
    x->stream[N_THREADS + i] = NULL;
    x->serial++;
    rfw_thread(s, x->now, x->tid[i], x->serial, name_of(x->serial));
    if (below(&x->random, 4) == 0)
        rfw_thread_name(x->w, x->process[i], x->now, x->tid[i], x->tid[i], "named");
}

/* The stream of thread i, now and then the one of its signal handlers. */
static struct rfw_stream *stream_of(struct world *x, uint32_t i)
{
    struct rfw_stream **nested = &x->stream[N_THREADS + i];
    if (i % 3 != 1 || below(&x->random, 8) != 0)
        return x->stream[i];
    if (*nested == NULL) {
        *nested = rfw_stream(x->w, x->process[i], (uint32_t)x->w->process[x->process[i]]->n_streams,
                             x->tid[i], x->stream[i]->serial);
        rfw_thread(*nested, x->now, x->tid[i], x->stream[i]->serial, name_of(x->stream[i]->serial));
    }
    return *nested;
}

static void random_start(struct world *x, struct rfw_stream *s, const struct rfw_attr *attr)
{
    if (below(&x->random, 10) == 0)
        rfw_counter(s, x->now, s->n_starts + below(&x->random, 100));
    uint64_t id = rfw_start(s, x->now, attr);
    if (x->n_open < MAX_OPEN)
        x->open[x->n_open++] = id;
}

static void random_end(struct world *x, struct rfw_stream *s)
{
    if (x->n_open == 0)
        return;
    uint32_t i = below(&x->random, (uint32_t)x->n_open);
    uint64_t id = x->open[i];
    /* another process ends only what has no other end: one before the capture would not be known */
    int is_foreign = id >> 54 != s->process;
    if (is_foreign && (!x->has_destroy || below(&x->random, 8) != 0))
        return;
    rfw_end(s, x->now, id);
    if (is_foreign || x->has_destroy || below(&x->random, 20) != 0) /* some are ended twice */
        x->open[i] = x->open[--x->n_open];
}

/* Tells of all calls until a time, and their work; of a work's call now and then not. */
static void flush_launches(struct world *x, int64_t until_ns)
{
    uint32_t n_left = 0;
    for (uint32_t i = 0; i < x->n_pending; i++) {
        const struct launch *launch = &x->pending[i];
        if (launch->start_ns > until_ns) {
            x->pending[n_left++] = *launch;
            continue;
        }
        struct rfw_stream *s = x->cuda[launch->process];
        const int64_t ns = launch->start_ns;
        const struct rf_cuda_api api = {.head = {.kind = RF_CUDA_API, .correlation = launch->id},
                                        .start = RFW_CUPTI(ns),
                                        .end = RFW_CUPTI(ns + below(&x->random, 200000)),
                                        .tid = launch->tid,
                                        .function = RFW_LAUNCH};
        const struct rf_cuda_kernel kernel = {
            .head = {.kind = RF_CUDA_KERNEL, .correlation = launch->id},
            .start = RFW_CUPTI(ns + below(&x->random, 500000)),
            .end = RFW_CUPTI(ns + 500000),
            .name = RFW_KERNEL_ADD};
        rfw_cuda(s, x->now, &kernel, sizeof(kernel));
        if (below(&x->random, 8) != 0)
            rfw_cuda(s, x->now, &api, sizeof(api));
    }
    x->n_pending = n_left;
}

static void random_launch(struct world *x, uint32_t i)
{
    if (x->n_pending < MAX_PENDING)
        x->pending[x->n_pending++] =
            (struct launch){x->process[i], x->tid[i], ++x->n_launches, x->now};
    if (x->n_pending == MAX_PENDING || below(&x->random, 200) == 0)
        flush_launches(x, x->now);
}

/* What was launched in a capture is told before the one after the next begins. */
static void flush_in_time(struct world *x, int64_t from_ns, int64_t to_ns)
{
    for (int i = 1; i < N_WINDOWS; i++)
        if (x->window_end[i] > from_ns && x->window_end[i] <= to_ns)
            flush_launches(x, x->window_end[i - 1]);
}

static void random_event(struct world *x)
{
    struct random *r = &x->random;
    uint32_t i = below(r, N_THREADS), domain = below(r, 8);
    struct rfw_stream *s = stream_of(x, i);
    struct rfw_attr attr = random_attr(x);
    int64_t before = x->now;
    x->now += below(r, 100000);
    flush_in_time(x, before, x->now);
    if (below(r, 4) == 0 && !x->is_ambiguous[i])
        random_launch(x, i);
    if (below(r, 300) == 0)
        replace_thread(x, i);
    if (below(r, 200) == 0)
        rfw_next_part(s, x->now);
    switch (below(r, 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
        rfw_push(s, x->now, &attr);
        break;
    case 4:
    case 5:
    case 6:
    case 7:
        rfw_pop(s, x->now, domain < 4 ? x->domain[domain] : 0);
        break;
    case 8:
    case 9:
        random_start(x, s, &attr);
        break;
    case 10:
    case 11:
        random_end(x, s);
        break;
    case 12:
        rfw_void(s, x->now, 1 + below(r, 20));
        break;
    case 13:
        if (i % 3 != 1 && below(r, 40) == 0)
            rfw_next_part(s, x->now)->part.lost_records = 1 + below(r, 5);
        break;
    case 14:
        rfw_sync(s, x->now, 1, RF_SYNC_RELEASING);
        break;
    default:
        rfw_mark(s, x->now, &attr);
    }
}

static void add_windows(struct world *x, int64_t duration_ns)
{
    int64_t at = (int64_t)below(&x->random, 3) * duration_ns / 20;
    rfw_focus(x->w, below(&x->random, 4) != 0);
    for (int i = 0; i < N_WINDOWS; i++) {
        int64_t begin = at + 100000 + below(&x->random, (uint32_t)(duration_ns / 8));
        at = begin + below(&x->random, (uint32_t)(duration_ns / 8));
        rfw_window(x->w, begin, at);
        x->window_end[i] = at;
    }
}

static void add_threads(struct world *x)
{
    struct rfw *w = x->w;
    uint32_t p = rfw_process(w, 100, "app"), q;
    x->domain[0] = rfw_domain(w, p, 10, 100, "D");
    x->domain[1] = rfw_domain(w, p, 11, 100, "E");
    x->domain[2] = rfw_domain(w, p, 12, 100, "D");
    x->domain[3] = rfw_domain(w, p, 13, 100, NULL);
    for (uint32_t i = 0; i < 3; i++)
        x->string[i] = rfw_string(w, p, 14, 100, 0, i == 0 ? "registered" : i == 1 ? "b" : "c");
    (void)rfw_sync_create(w, p, 15, 100, 0, "lock");
    rfw_category(w, p, 16, 100, 0, 1, "category");
    q = rfw_process_bare(w); /* a fork of it */
    rfw_fact(w, q, 20, RF_PROC_PID, 200, NULL);
    rfw_fact(w, q, 20, RF_PROC_START_TIME, 1234, NULL);
    rfw_fact(w, q, 20, RF_PROC_FORK_OF, p, NULL);
    for (uint32_t i = 0; i < N_THREADS; i++) {
        x->process[i] = i < 4 ? p : q;
        x->tid[i] = i == 0 ? 100 : i == 4 ? 200 : 300 + i;
        x->stream[i] = rfw_stream(w, x->process[i], i < 4 ? i : i - 4, x->tid[i], ++x->serial);
        if (i % 3 == 1 || below(&x->random, 2))
            rfw_thread(x->stream[i], 100 + i, x->tid[i], x->serial, name_of(x->serial));
    }
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t slot = (uint32_t)w->process[i]->n_streams;
        x->cuda[i] = x->stream[4 * i + 1];
        rfw_cuda_names(w, i);
        rfw_cuda_clocks(w, i);
        if (below(&x->random, 3) == 0) /* in the stream of a thread that asked for it */
            continue;
        x->cuda[i] = rfw_stream(w, i, slot, 90 + i, ++x->serial);
        rfw_thread(x->cuda[i], 200, 90 + i, x->serial, "cuda");
    }
}

static void place_parts(struct world *x)
{
    for (size_t p = 0; p < x->w->n_processes; p++) {
        for (size_t i = 0; i < x->w->process[p]->n_streams; i++) {
            struct rfw_stream *s = x->w->process[p]->stream[i];
            if (s->n_parts > 0 && below(&x->random, 2))
                s->part[s->n_parts - 1]->place = RFW_IN_POOL;
            if (s->n_parts > 1 && below(&x->random, 3) == 0) {
                s->part[s->n_parts - 2]->place = RFW_IN_BOTH;
                s->part[s->n_parts - 2]->pool_state = RF_PART_FULL;
            }
        }
    }
}

/* ---- Captures that are packed while the session goes on ---- */

/* A stream as it was at a moment, and what it was cut from. */
struct cut {
    struct rfw_stream *stream;
    size_t n_parts, size; /* as they are without it; bytes of the last part that it has */
    enum rfw_place place;
    uint32_t pool_state;
};

/* How many bytes of a part were recorded before the moment. */
static size_t bytes_before(const struct rfw_part *part, uint64_t ticks)
{
    size_t at = 0;
    while (at < part->records.size) {
        const uint64_t head = rf_load64(part->records.data + at);
        uint64_t n_words = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
        if (n_words == 0)
            n_words = rf_load64(part->records.data + at + 8) >> 32;
        if (head >> RF_WORD_TICK_SHIFT >= ticks)
            break;
        at += 8 * n_words;
    }
    return at;
}

static void cut_stream(struct world *x, struct cut *cut, struct rfw_stream *s, uint64_t ticks)
{
    *cut = (struct cut){.stream = s, .n_parts = s->n_parts};
    while (s->n_parts > 0 && s->part[s->n_parts - 1]->chunk.ticks >= ticks)
        s->n_parts--;
    if (s->n_parts == 0)
        return;
    struct rfw_part *last = s->part[s->n_parts - 1];
    cut->size = last->records.size;
    cut->place = last->place;
    cut->pool_state = last->pool_state;
    last->records.size = bytes_before(last, ticks);
    last->place = below(&x->random, 3) == 0 ? RFW_IN_LOG : RFW_IN_POOL;
    last->pool_state = RF_PART_ACTIVE;
}

static void mend_stream(const struct cut *cut)
{
    struct rfw_stream *s = cut->stream;
    if (s->n_parts > 0) {
        struct rfw_part *last = s->part[s->n_parts - 1];
        last->records.size = cut->size;
        last->place = cut->place;
        last->pool_state = cut->pool_state;
    }
    s->n_parts = cut->n_parts;
}

static void check_one_after_another(const struct files *f, struct world *x, uint64_t seed)
{
    struct rf_captures *captures = rf_captures_new();
    struct cut cut[64];
    char again[4200];
    struct rf_err err;
    (void)snprintf(again, sizeof(again), "%s.again", f->packed);
    for (uint32_t k = 0; k < N_WINDOWS; k++) {
        const uint64_t ticks =
            x->w->control.window[k].end_ticks + (1u << 20) + below(&x->random, 4000000);
        size_t n = 0;
        for (size_t p = 0; p < x->w->n_processes; p++)
            for (size_t i = 0; i < x->w->process[p]->n_streams; i++)
                cut_stream(x, &cut[n++], x->w->process[p]->stream[i], ticks);
        rfw_remove_tree(f->session);
        rfw_save_directory(x->w, f->session);
        if (rf_pack_capture(NULL, f->session, f->packed, 1, k, NULL, &err) != RF_OK ||
            rf_pack_capture(captures, f->session, again, 1, k, NULL, &err) != RF_OK)
            fail_msg("%s", err.text);
        struct rfw_bytes alone = {NULL, 0, 0}, after = {NULL, 0, 0};
        rfw_read_file(f->packed, &alone);
        rfw_read_file(again, &after);
        if (alone.size != after.size || memcmp(alone.data, after.data, alone.size) != 0)
            fail_msg("seed %" PRIu64 ", capture %u: not the same as by itself", seed, k + 1);
        free(alone.data);
        free(after.data);
        while (n > 0)
            mend_stream(&cut[--n]);
    }
    rf_captures_free(captures);
}

static void check_seed(const struct files *f, uint64_t seed)
{
    struct world x = {.random = {seed * 0x9e3779b97f4a7c15ULL + 1}, .w = rfw_new()};
    struct rf_err err;
    uint32_t n_events = 200 + below(&x.random, 4000);
    x.long_text = malloc(200000);
    memset(x.long_text, 'x', 200000);
    x.has_destroy = below(&x.random, 3) == 0;
    add_threads(&x);
    add_windows(&x, (int64_t)n_events * 50000);
    for (uint32_t i = 0; i < n_events; i++)
        random_event(&x);
    flush_launches(&x, x.now);
    if (x.has_destroy)
        rfw_domain_destroy(x.w, 0, x.now / 2, 100, x.domain[1]);
    if (below(&x.random, 3) == 0)
        rfw_exit(x.w, 0, x.now / 4 * (1 + below(&x.random, 4)));
    place_parts(&x);
    struct rf_control all = x.w->control;
    rfw_save_directory(x.w, f->session);
    char control_path[4200];
    (void)snprintf(control_path, sizeof(control_path), "%s/%s", f->session, RF_CONTROL_FILE);
    if (rf_pack_copy(f->session, f->packed, 1, NULL, &err) != RF_OK)
        fail_msg("%s", err.text);
    check_same(f->session, f->packed, seed, UINT32_MAX); /* all of them in one file */
    for (uint32_t k = 0; k < N_WINDOWS; k++) {
        struct rf_control one = all;
        memset(one.window, 0, sizeof(one.window));
        one.window[0] = all.window[k];
        one.n_windows = 1;
        one.n_left_out = k;
        rfw_write_file(control_path, &all, sizeof(all));
        if (rf_pack_capture(NULL, f->session, f->packed, 1, k, NULL, &err) != RF_OK)
            fail_msg("%s", err.text);
        rfw_write_file(control_path, &one, sizeof(one));
        check_same(f->session, f->packed, seed, k);
    }
    check_one_after_another(f, &x, seed);
    rfw_remove_tree(f->session);
    free(x.long_text);
    rfw_free(x.w);
}

/* RF_SEED=N RF_SEEDS=M: seeds N to N + M - 1. */
static void test_random(void **state)
{
    const char *from = getenv("RF_SEED"), *n = getenv("RF_SEEDS");
    uint64_t first = from != NULL ? strtoull(from, NULL, 10) : 1;
    uint64_t n_seeds = n != NULL ? strtoull(n, NULL, 10) : N_SEEDS;
    for (uint64_t seed = first; seed < first + n_seeds; seed++)
        check_seed(*state, seed);
}

/* ---- What it says and leaves out ---- */

static void test_errors(void **state)
{
    struct files *f = *state;
    struct rfw *w = rfw_new();
    struct rf_err err;
    (void)rfw_process(w, 100, "app");
    rfw_save_directory(w, f->session);
    assert_int_equal(rf_pack_capture(NULL, f->session, f->packed, 0, 0, NULL, &err), RF_ERR_USAGE);
    assert_non_null(strstr(err.text, "no session of captures"));
    rfw_remove_tree(f->session);
    rfw_focus(w, 1);
    for (int64_t i = 0; i < 257; i++)
        rfw_window(w, 100 * i, 100 * i + 50);
    rfw_window(w, 30000, RFW_OPEN);
    rfw_save_directory(w, f->session);
    assert_int_equal(rf_pack_capture(NULL, f->session, f->packed, 0, 258, NULL, &err),
                     RF_ERR_USAGE);
    assert_non_null(strstr(err.text, "has no capture 259"));
    assert_int_equal(rf_pack_capture(NULL, f->session, f->packed, 0, 1, NULL, &err), RF_ERR_USAGE);
    assert_int_equal(rf_pack_capture(NULL, f->session, f->packed, 0, 257, NULL, &err),
                     RF_ERR_USAGE);
    assert_non_null(strstr(err.text, "has not ended"));
    assert_int_equal(rf_pack_capture(NULL, f->session, f->packed, 0, 2, NULL, &err), RF_OK);
    assert_int_equal(rf_pack_capture(NULL, f->session, f->packed, 0, 256, NULL, &err),
                     RF_ERR_EXISTS);
    assert_int_equal(rf_pack_capture(NULL, f->session, f->packed, 1, 256, NULL, &err), RF_OK);
    assert_int_equal(rf_pack_capture(NULL, f->dir, f->packed, 1, 0, NULL, &err), RF_ERR_FORMAT);
    rf_recording *rec;
    assert_int_equal(rf_open(f->packed, 0, &rec, &err), RF_OK);
    assert_int_equal(rf_n_captures(rec), 1);
    assert_int_equal(rf_capture_at(rec, 0)->number, 257);
    assert_int_equal(rf_get_info(rec)->is_live, 0);
    rf_close(rec);
    rfw_free(w);
}

/* What was recorded before and after takes no room; deep stacks and long texts that are open do,
 * over as many parts as it takes. */
static void test_size(void **state)
{
    enum { DEPTH = 3000, LONG = 150000 };
    struct files *f = *state;
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    struct rfw_bytes bytes;
    struct rf_err err;
    rf_recording *rec;
    char *text = malloc(LONG);
    size_t n;
    memset(text, 'y', LONG);
    rfw_focus(w, 1);
    rfw_push(s, 10, &(struct rfw_attr){.text = text, .text_size = LONG});
    for (int i = 0; i < DEPTH; i++)
        rfw_push(s, 20 + i, &(struct rfw_attr){.text = "deep in the stack, for a while"});
    (void)rfw_start(s, 40000, NULL);
    for (int round = 0; round < 2; round++) {
        int64_t at = round == 0 ? 1000000 : 80000000;
        for (int i = 0; i < 100000; i++, at += 100) {
            rfw_push(s, at, &(struct rfw_attr){.text = "x"});
            rfw_pop(s, at + 50, 0);
        }
        if (round == 0) {
            rfw_window(w, 50000000, 50001000);
            rfw_mark(s, 50000500, &(struct rfw_attr){.text = "inside"});
        }
    }
    rfw_save_directory(w, f->session);
    assert_int_equal(rf_pack_capture(NULL, f->session, f->packed, 0, 0, NULL, &err), RF_OK);
    rfw_read_file(f->packed, &bytes);
    assert_in_range(bytes.size, LONG + DEPTH * 48, LONG + DEPTH * 48 + 40000);
    free(bytes.data);
    assert_int_equal(rf_open(f->packed, 0, &rec, &err), RF_OK);
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    assert_int_equal(n, DEPTH + 3);
    assert_int_equal(e[0].start_ns, 10);
    (void)rf_string(rec, e[0].name, &n);
    assert_int_equal(n, LONG);
    assert_int_equal(e[DEPTH + 1].kind, RF_EVENT_START_END);
    assert_int_equal(rf_start_end_at(rec, e[DEPTH + 1].link)->id, rf_range_id(p, 0, 1));
    assert_int_equal(rf_get_info(rec)->n_cut_at_start, DEPTH + 2);
    assert_int_equal(rf_get_info(rec)->n_cut, DEPTH + 2);
    rf_close(rec);
    free(text);
    rfw_free(w);
}

/* What was lost before a capture is not its loss. */
static void test_losses(void **state)
{
    struct files *f = *state;
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    struct rf_err err;
    rf_recording *rec;
    rfw_focus(w, 1);
    rfw_window(w, 10000000, 20000000);
    rfw_window(w, 30000000, 40000000);
    for (uint32_t i = 0; i < 6; i++) {
        struct rfw_part *part = rfw_next_part(s, 5000000 + 10000000 * i);
        part->part.lost_records = 1u << 4 * i;
        rfw_mark(s, 5000001 + 10000000 * i, NULL);
        w->control.lost_records += part->part.lost_records;
    }
    rfw_save_directory(w, f->session);
    for (uint32_t k = 0; k < 2; k++) {
        assert_int_equal(rf_pack_capture(NULL, f->session, f->packed, 1, k, NULL, &err), RF_OK);
        assert_int_equal(rf_open(f->packed, 0, &rec, &err), RF_OK);
        assert_int_equal(rf_get_info(rec)->n_marks, 1);
        /* in it, and between it and the next record */
        assert_int_equal(rf_get_info(rec)->n_lost_records, k == 0 ? 0x110 : 0x11000);
        rf_close(rec);
    }
    rfw_free(w);
}

/* A process that goes on after a capture did not end in it, though it recorded nothing more. */
static void test_alive(void **state)
{
    struct files *f = *state;
    struct rf_err err;
    rf_recording *rec;
    size_t n;
    for (int is_dead = 0; is_dead < 2; is_dead++) {
        struct rfw *w = rfw_new();
        uint32_t p = rfw_process_bare(w);
        struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
        rfw_use_this_boot(w);
        w->control.is_finished = 0;
        w->control.root_end = RF_ROOT_UNKNOWN;
        if (is_dead)
            rfw_fact(w, p, 1, RF_PROC_PID, UINT32_MAX, NULL);
        else
            rfw_facts_of_self(w, p, 1);
        rfw_focus(w, 1);
        rfw_window(w, 50, 100);
        rfw_push(s, 20, &(struct rfw_attr){.text = "a"});
        rfw_mark(s, 60, NULL);
        rfw_save_directory(w, f->session);
        assert_int_equal(rf_pack_capture(NULL, f->session, f->packed, 1, 0, NULL, &err), RF_OK);
        rfw_remove_tree(f->session);
        assert_int_equal(rf_open(f->packed, 0, &rec, &err), RF_OK);
        const struct rf_event *e = rf_thread_events(rec, 0, &n);
        assert_int_equal(n, 2);
        assert_string_equal(rf_cut_name(e->cut),
                            rf_cut_name(is_dead ? RF_CUT_KILLED : RF_CUT_CAPTURE_ENDED));
        assert_int_equal(rf_get_info(rec)->is_live, 0);
        assert_int_equal(rf_get_info(rec)->is_root_ended, 0);
        rf_close(rec);
        rfw_free(w);
    }
}

/* DATA of a record: 8 bytes. */
static void add_data(struct rfw_stream *s, int64_t ns, uint64_t value)
{
    const uint64_t words[] = {(RFW_TICKS_0 + (uint64_t)ns) << RF_WORD_TICK_SHIFT |
                                  5 << RF_WORD_TYPE_BITS | RF_REC_DATA,
                              RF_DATA_PAYLOAD, 18, 8, value};
    rfw_raw(s, words, 5);
}

/* The records of a file's only stream: P, S and M for PUSH, START and MARK, the value of DATA. */
static void list_records(const char *path, char *text, size_t size)
{
    struct rf_log log;
    struct rf_err err;
    struct rf_stream_cursor cursor;
    struct rf_stream_part part;
    struct rf_record r;
    enum rf_stream_step step;
    size_t n = 0;
    assert_int_equal(rf_log_open(&log, path, 0, &err), RF_OK);
    struct rf_part_reader reader;
    rf_part_reader_init(&reader, &log);
    rf_stream_init(&cursor, &reader, log.part, log.n_parts);
    text[0] = 0;
    while ((step = rf_stream_next(&cursor, &r, &part)) != RF_STREAM_END) {
        char kind = r.type == RF_REC_PUSH ? 'P' : r.type == RF_REC_START ? 'S' : 'M';
        if (step == RF_STREAM_RECORD && r.type == RF_REC_DATA)
            n += (size_t)snprintf(text + n, size - n, "%u", (unsigned)rf_load64(r.words + 32));
        else if (step == RF_STREAM_RECORD && (kind != 'M' || r.type == RF_REC_MARK))
            n += (size_t)snprintf(text + n, size - n, "%c", kind);
    }
    rf_log_close(&log);
}

/* Ranges that are open when a capture begins keep their DATA, and so does the capture's last
 * record, wherever it stands. */
static void test_data(void **state)
{
    struct files *f = *state;
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    struct rf_err err;
    char text[100];
    rfw_focus(w, 1);
    rfw_window(w, 5000000, 9000000);
    rfw_push(s, 100, NULL);
    add_data(s, 100, 1);
    add_data(s, 100, 2);
    rfw_push(s, 200, NULL);
    add_data(s, 200, 3);
    rfw_pop(s, 300, 0);
    add_data(s, 300, 4);
    rfw_mark(s, 310, NULL);
    add_data(s, 310, 5);
    (void)rfw_start(s, 350, NULL);
    add_data(s, 350, 6);
    rfw_push(s, 400, NULL);
    (void)rfw_next_part(s, 410);
    add_data(s, 3999999, 7);
    add_data(s, 6000000, 8); /* its time means nothing */
    rfw_mark(s, 6000000, NULL);
    add_data(s, 6000000, 9);
    rfw_mark(s, 8000000, NULL);
    (void)rfw_next_part(s, 30000000);
    add_data(s, 30000000, 10);
    rfw_mark(s, 31000000, NULL);
    add_data(s, 31000000, 11);
    rfw_save_directory(w, f->session);
    assert_int_equal(rf_pack_capture(NULL, f->session, f->packed, 1, 0, NULL, &err), RF_OK);
    list_records(f->packed, text, sizeof(text));
    assert_string_equal(text, "P12S6P78M9M10");
    rfw_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_losses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_data, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_alive, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
