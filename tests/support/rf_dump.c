/* SPDX-License-Identifier: Apache-2.0 */
#include "rf_dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_text(FILE *f, const rf_recording *rec, uint32_t id)
{
    size_t size;
    const char *text = rf_string(rec, id, &size);
    if (text == NULL) {
        (void)fputs("-", f);
        return;
    }
    (void)fputc('"', f);
    for (size_t i = 0; i < size && i < 64; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < ' ' || c == '"' || c == '\\' || c >= 127)
            (void)fprintf(f, "\\x%02x", c);
        else
            (void)fputc(c, f);
    }
    (void)fputc('"', f);
    if (size > 64)
        (void)fprintf(f, "...%zu", size);
}

static void print_time(FILE *f, int64_t ns)
{
    if (ns == RF_NO_TIME)
        (void)fputs("-", f);
    else
        (void)fprintf(f, "%" PRId64, ns);
}

static void dump_info(FILE *f, const rf_recording *rec)
{
    const struct rf_info *i = rf_get_info(rec);
    (void)fprintf(f, "product %s\nhost %s\nclock %s %.0f\n", i->product, i->host, i->clock_name,
                  i->clock_hz);
    (void)fprintf(f, "epoch %" PRId64 " %" PRId64 " %d\nend %" PRId64 "\n", i->epoch_utc_ns,
                  i->epoch_mono_ns, i->utc_offset_s, i->end_ns);
    (void)fprintf(f, "events %" PRIu64 " ranges %" PRIu64 " marks %" PRIu64 " cut %" PRIu64 "\n",
                  i->n_events, i->n_ranges, i->n_marks, i->n_cut);
    (void)fprintf(f,
                  "lost records %" PRIu64 " bytes %" PRIu64 " parts %" PRIu64 " defs %" PRIu64
                  " processes %" PRIu64 "\n",
                  i->n_lost_records, i->lost_bytes, i->n_lost_parts, i->n_lost_defs,
                  i->n_failed_processes);
    (void)fprintf(f, "ends unmatched %" PRIu64 " foreign %" PRIu64 "\ndamaged %" PRIu64 "\n",
                  i->n_unmatched_ends, i->n_foreign_ends, i->n_damaged_bytes);
    (void)fprintf(f, "live %d finished %d\nroot %u signal %d status %d\n", i->is_live,
                  i->is_finished, i->root_pid, i->root_signal, i->root_status);
    for (uint32_t k = 0; k < rf_n_captures(rec); k++) {
        const struct rf_capture_info *c = rf_capture_at(rec, k);
        (void)fprintf(f, "capture %u %" PRId64 " %" PRId64 " open %d\n", c->number, c->begin_ns,
                      c->end_ns, c->is_open);
    }
    for (size_t k = 0; rf_message_at(rec, k) != NULL; k++)
        (void)fprintf(f, "message %s\n", rf_message_at(rec, k));
}

static void dump_process(FILE *f, const rf_recording *rec, uint32_t index)
{
    const struct rf_process *p = rf_process_at(rec, index);
    (void)fprintf(f, "process %u pid %u ppid %u parent ", index, p->pid, p->ppid);
    (void)fprintf(f, p->parent == RF_NO_INDEX ? "-" : "%u", p->parent);
    (void)fprintf(f, " start %" PRIu64 " ns %" PRIu64 " first ", p->start_time, p->pid_ns);
    print_time(f, p->first_ns);
    (void)fputs(" exit ", f);
    print_time(f, p->exit_ns);
    (void)fprintf(f, " lost %" PRIu64 "\n", p->n_lost_records);
    const uint32_t ids[] = {p->name, p->exe, p->command, p->cwd};
    (void)fputs(" ", f);
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        (void)fputc(' ', f);
        print_text(f, rec, ids[i]);
    }
    (void)fputs("\n  args", f);
    for (uint32_t i = 0; i < p->n_args; i++) {
        (void)fputc(' ', f);
        print_text(f, rec, p->args[i]);
    }
    (void)fputs("\n  env", f);
    for (uint32_t i = 0; i < p->n_env; i++) {
        (void)fputc(' ', f);
        print_text(f, rec, p->env[i]);
    }
    (void)fputc('\n', f);
}

static void print_payloads(FILE *f, const rf_recording *rec, const struct rf_event *e)
{
    size_t size = rf_payload_json(rec, e, 0, NULL, 0);
    char *text = size != 0 && size != SIZE_MAX ? malloc(size + 1) : NULL;
    if (text == NULL)
        return;
    (void)rf_payload_json(rec, e, 0, text, size + 1);
    (void)fprintf(f, " payloads %s", text);
    free(text);
}

static void dump_event(FILE *f, const rf_recording *rec, const struct rf_event *e)
{
    static const char *const kinds[] = {"?",         "push",   "start",   "mark",   "category",
                                        "thread",    "domain", "destroy", "object", "resource",
                                        "~resource", "sync",   "~sync",   "op"};
    const struct rf_domain *domain = rf_domain_at(rec, e->domain);
    (void)fputs("  ", f);
    print_time(f, e->start_ns);
    (void)fputc(' ', f);
    print_time(f, e->end_ns);
    (void)fprintf(f, " %s %u:", e->kind < 14 ? kinds[e->kind] : "?", domain->id);
    print_text(f, rec, domain->name);
    (void)fputc(' ', f);
    print_text(f, rec, e->name);
    (void)fprintf(f, " color %08x category %u payload %u:%" PRIx64 " flags %x", e->color,
                  e->category, e->payload_type, e->payload, e->flags);
    print_payloads(f, rec, e);
    if (e->cut != RF_CUT_NONE)
        (void)fprintf(f, " cut (%s)", rf_cut_name(e->cut));
    if (e->kind == RF_EVENT_START_END) {
        const struct rf_start_end *s = rf_start_end_at(rec, e->link);
        (void)fprintf(f, " id %" PRIx64 " number %" PRIu64 " ended by %u", s->id, s->number,
                      s->end_thread);
    }
    (void)fputc('\n', f);
}

static void dump_thread(FILE *f, const rf_recording *rec, uint32_t index)
{
    const struct rf_thread *t = rf_thread_at(rec, index);
    size_t n;
    const struct rf_event *event = rf_thread_events(rec, index, &n);
    (void)fprintf(f, "thread %u of %u tid %u serial %u ", index, t->process, t->tid, t->serial);
    print_text(f, rec, t->name);
    (void)fprintf(f, " named %d first ", t->is_named);
    print_time(f, t->first_ns);
    (void)fputs(" end ", f);
    print_time(f, t->end_ns);
    (void)fprintf(f, " events %" PRIu64 "\n", t->n_events);
    for (size_t i = 0; i < n; i++)
        dump_event(f, rec, &event[i]);
}

/* Counters of NVTX alone: they came with 1.4. */
static void dump_counter(FILE *f, const rf_recording *rec, const struct rf_counter *c)
{
    const struct rf_nvtx_counter *nvtx = c->nvtx;
    const uint32_t ids[] = {c->name, rf_domain_at(rec, nvtx->domain)->name, nvtx->unit,
                            nvtx->description, nvtx->scope};
    (void)fprintf(f, "counter of %u", c->process);
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        (void)fputc(' ', f);
        print_text(f, rec, ids[i]);
    }
    (void)fprintf(f, " thread %" PRId64 " number %u %s %s limits %u %g %g\n",
                  nvtx->thread != RF_NO_INDEX ? (int64_t)nvtx->thread : -1, nvtx->number,
                  rf_counter_value_type_name(nvtx->value_type),
                  rf_counter_interpolation_name(nvtx->interpolation), nvtx->has_limits,
                  nvtx->min.value, nvtx->max.value);
    for (size_t i = 0; i < c->n_samples; i++)
        (void)fprintf(f, "  %" PRId64 " %g %" PRId64 " flags %x\n", c->ns[i], c->value[i],
                      nvtx->integer != NULL ? nvtx->integer[i] : 0,
                      nvtx->flags != NULL ? (unsigned)nvtx->flags[i] : 0);
}

char *rf_dump(const rf_recording *rec)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (f == NULL)
        abort();
    dump_info(f, rec);
    for (uint32_t i = 0; i < rf_n_processes(rec); i++)
        dump_process(f, rec, i);
    for (uint32_t i = 0; i < rf_n_domains(rec); i++) {
        const struct rf_domain *d = rf_domain_at(rec, i);
        (void)fprintf(f, "domain %u of %u id %u ", i, d->process, d->id);
        print_text(f, rec, d->name);
        (void)fprintf(f, d->is_valid ? "\n" : " invalid %" PRIx64 "\n", d->handle);
    }
    for (uint32_t i = 0; i < rf_n_threads(rec); i++)
        dump_thread(f, rec, i);
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        if (rf_counter_at(rec, i)->nvtx != NULL)
            dump_counter(f, rec, rf_counter_at(rec, i));
    if (fclose(f) != 0)
        abort();
    return text;
}

rf_recording *rfw_reopen(const struct rfw *w, int as_directory, unsigned flags)
{
    char *dir = rfw_make_tmpdir(), path[4096];
    struct rf_err err;
    rf_recording *rec;
    (void)snprintf(path, sizeof(path), "%s/%s", dir, as_directory ? "a.rfdir" : "a.rf");
    if (as_directory)
        rfw_save_directory(w, path);
    else
        rfw_save_packed(w, path);
    if (rf_open(path, flags, &rec, &err) != RF_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        abort();
    }
    rfw_remove_tree(dir);
    free(dir);
    return rec;
}
