/* SPDX-License-Identifier: Apache-2.0 */
/* rf-dump RECORDING: prints everything that the public reader library says about a recording, one
 * JSON object per line, for the harness. Text is printed byte for byte: a byte above 126 or below
 * 32 is \u00XX, whatever its encoding. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rangefinder/rangefinder.h"

static void print_bytes(const char *text, size_t size)
{
    putchar('"');
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 32 || c > 126 || c == '"' || c == '\\')
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void print_string(const char *key, const rf_recording *rec, uint32_t id)
{
    size_t size = 0;
    const char *text = rf_string(rec, id, &size);
    printf(", \"%s\": ", key);
    if (text)
        print_bytes(text, size);
    else
        printf("null");
}

static void print_strings(const char *key, const rf_recording *rec, const uint32_t *ids, uint32_t n)
{
    printf(", \"%s\": [", key);
    for (uint32_t i = 0; i < n; i++) {
        size_t size = 0;
        const char *text = rf_string(rec, ids[i], &size);
        printf("%s", i ? ", " : "");
        print_bytes(text ? text : "", size);
    }
    printf("]");
}

static void print_info(const rf_recording *rec)
{
    const struct rf_info *info = rf_get_info(rec);
    printf("{\"what\": \"info\", \"clock\": \"%s\", \"clock_hz\": %.17g", info->clock_name,
           info->clock_hz);
    printf(", \"end_ns\": %" PRId64 ", \"epoch_utc_ns\": %" PRId64, info->end_ns,
           info->epoch_utc_ns);
    printf(", \"n_events\": %" PRIu64 ", \"n_ranges\": %" PRIu64 ", \"n_marks\": %" PRIu64,
           info->n_events, info->n_ranges, info->n_marks);
    printf(", \"n_cut\": %" PRIu64 ", \"n_lost_records\": %" PRIu64 ", \"lost_bytes\": %" PRIu64,
           info->n_cut, info->n_lost_records, info->lost_bytes);
    printf(", \"n_lost_defs\": %" PRIu64 ", \"n_failed_processes\": %" PRIu64, info->n_lost_defs,
           info->n_failed_processes);
    printf(", \"n_stalls\": %" PRIu64 ", \"n_unmatched_ends\": %" PRIu64, info->n_stalls,
           info->n_unmatched_ends);
    printf(", \"n_foreign_ends\": %" PRIu64 ", \"n_damaged_bytes\": %" PRIu64, info->n_foreign_ends,
           info->n_damaged_bytes);
    printf(", \"is_live\": %d, \"is_finished\": %d, \"root_pid\": %u", info->is_live,
           info->is_finished, info->root_pid);
    printf(", \"root_signal\": %d, \"root_status\": %d}\n", info->root_signal, info->root_status);
    for (size_t i = 0; rf_message_at(rec, i); i++) {
        printf("{\"what\": \"message\", \"text\": ");
        print_bytes(rf_message_at(rec, i), strlen(rf_message_at(rec, i)));
        printf("}\n");
    }
}

static void print_processes(const rf_recording *rec)
{
    for (uint32_t i = 0; i < rf_n_processes(rec); i++) {
        const struct rf_process *p = rf_process_at(rec, i);
        printf("{\"what\": \"process\", \"pid\": %u, \"ppid\": %u, \"parent\": %" PRId64, p->pid,
               p->ppid, p->parent == RF_NO_INDEX ? (int64_t)-1 : (int64_t)p->parent);
        print_string("name", rec, p->name);
        print_string("exe", rec, p->exe);
        print_string("command", rec, p->command);
        print_string("cwd", rec, p->cwd);
        print_strings("args", rec, p->args, p->n_args);
        print_strings("env", rec, p->env, p->n_env);
        printf(", \"exited\": %d, \"n_lost\": %" PRIu64 "}\n", p->exit_ns != RF_NO_TIME,
               p->n_lost_records);
    }
}

static void print_domains(const rf_recording *rec)
{
    for (uint32_t i = 0; i < rf_n_domains(rec); i++) {
        const struct rf_domain *d = rf_domain_at(rec, i);
        printf("{\"what\": \"domain\", \"process\": %u, \"id\": %u, \"is_valid\": %d, "
               "\"handle\": %" PRIu64,
               d->process, d->id, d->is_valid, d->handle);
        print_string("name", rec, d->name);
        printf("}\n");
    }
}

static void print_unless_zero(const char *key, uint64_t value)
{
    if (value)
        printf(",\"%s\":%" PRIu64, key, value);
}

/* What is zero or absent is left out: there may be millions of these lines. */
static void print_event(const rf_recording *rec, const struct rf_event *e)
{
    printf("{\"what\":\"event\",\"kind\":%u,\"start\":%" PRId64 ",\"domain\":%u", e->kind,
           e->start_ns, e->domain);
    if (e->name != RF_NO_STRING)
        print_string("name", rec, e->name);
    if (e->kind == RF_EVENT_PUSH_POP || e->kind == RF_EVENT_START_END)
        printf(",\"end\":%" PRId64, e->end_ns);
    print_unless_zero("cut", e->cut);
    print_unless_zero("flags", e->flags);
    print_unless_zero("color", e->color);
    print_unless_zero("category", e->category);
    print_unless_zero("payload_type", e->payload_type);
    print_unless_zero("payload", e->payload);
    if (e->kind == RF_EVENT_START_END) {
        const struct rf_start_end *s = rf_start_end_at(rec, e->link);
        printf(",\"id\":%" PRIu64 ",\"number\":%" PRIu64 ",\"end_thread\":%u", s->id, s->number,
               s->end_thread);
    }
    if (e->flags & RF_EVENT_HAS_CATEGORY)
        print_string("category_name", rec, rf_category_name(rec, e->domain, e->category));
    printf("}\n");
}

/* A thread's events follow its line. */
static void print_threads(const rf_recording *rec)
{
    for (uint32_t i = 0; i < rf_n_threads(rec); i++) {
        const struct rf_thread *t = rf_thread_at(rec, i);
        printf("{\"what\": \"thread\", \"process\": %u, \"tid\": %u, \"serial\": %u", t->process,
               t->tid, t->serial);
        print_string("name", rec, t->name);
        printf(", \"is_named\": %d, \"ended\": %d}\n", t->is_named, t->end_ns != RF_NO_TIME);
        size_t n = 0;
        const struct rf_event *events = rf_thread_events(rec, i, &n);
        for (size_t e = 0; e < n; e++)
            print_event(rec, &events[e]);
    }
}

int main(int argc, char **argv)
{
    struct rf_err err;
    rf_recording *rec = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: rf-dump RECORDING\n");
        return 2;
    }
    if (rf_open(argv[1], 0, &rec, &err) < 0) {
        fprintf(stderr, "rf-dump: %s\n", err.text);
        return 1;
    }
    print_info(rec);
    print_processes(rec);
    print_domains(rec);
    print_threads(rec);
    rf_close(rec);
    return 0;
}
