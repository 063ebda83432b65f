/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX_EVENTS. */
#include "import/nsys_nvtx.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "import/nsys_names.h"
#include "import/nsys_own_events.h"
#include "import/nsys_payloads.h"

enum column {
    START,
    END,
    EVENT_TYPE,
    RANGE_ID,
    CATEGORY,
    COLOR,
    TEXT,
    GLOBAL_TID,
    END_GLOBAL_TID,
    TEXT_ID,
    DOMAIN_ID,
    UINT64,
    INT64,
    DOUBLE,
    UINT32,
    INT32,
    FLOAT,
    JSON,
    JSON_ID,
    BINARY,
    ROW
};

static const char *const columns[] = {
    "start",      "end",         "eventType",  "rangeId",      "category",
    "color",      "text",        "globalTid",  "endGlobalTid", "textId",
    "domainId",   "uint64Value", "int64Value", "doubleValue",  "uint32Value",
    "int32Value", "floatValue",  "jsonText",   "jsonTextId",   "binaryData",
    NULL};

/* The kind of an ENUM_NSYS_EVENT_TYPE; 0: another event. 70 and 71 are ranges of NVTXT text files.
 */
static int kind_of(int64_t type)
{
    switch (type) {
    case 33:
        return RF_EVENT_CATEGORY;
    case 34:
        return RF_EVENT_MARK;
    case 39:
        return RF_EVENT_THREAD_NAME;
    case 59:
    case 70:
        return RF_EVENT_PUSH_POP;
    case 60:
    case 71:
        return RF_EVENT_START_END;
    case 75:
        return RF_EVENT_DOMAIN_CREATE;
    case 76:
        return RF_EVENT_DOMAIN_DESTROY;
    default:
        return 0;
    }
}

/* ---- Domains ---- */

static uint32_t add_domain(struct nsys_load *load, uint32_t process, uint64_t id)
{
    rf_recording *rec = load->rec;
    if (rf_grow_array(&rec->domain, rec->n_domains, &rec->domain_room, sizeof(*rec->domain)) !=
            RF_OK ||
        rf_map_set(&load->domain_of, process, id, rec->n_domains) != RF_OK)
        return RF_NO_INDEX;
    rec->domain[rec->n_domains] = (struct rf_domain){.process = process,
                                                     .id = (uint32_t)id,
                                                     .name = RF_NO_STRING,
                                                     .is_valid = id <= UINT32_MAX,
                                                     .handle = id <= UINT32_MAX ? 0 : id};
    return rec->n_domains++;
}

/* The default domain stands before the others of its process. */
uint32_t nsys_find_domain(struct nsys_load *load, uint32_t process, uint64_t id)
{
    struct nsys_process *of = &load->process[process];
    if (of->default_domain == RF_NO_INDEX)
        of->default_domain = add_domain(load, process, 0);
    if (id == 0 || of->default_domain == RF_NO_INDEX)
        return of->default_domain;
    uint32_t i = rf_map_find(&load->domain_of, process, id);
    return i != RF_MAP_NONE ? i : add_domain(load, process, id);
}

int nsys_add_default_domains(struct nsys_load *load)
{
    for (uint32_t i = 0; i < load->n_processes; i++)
        if (nsys_find_domain(load, i, 0) == RF_NO_INDEX)
            return nsys_no_memory(load);
    uint32_t n = load->rec->n_domains;
    load->rec->domain_parent = malloc(((size_t)n + 1) * sizeof(*load->rec->domain_parent));
    if (load->rec->domain_parent == NULL)
        return nsys_no_memory(load);
    for (uint32_t i = 0; i < n; i++)
        load->rec->domain_parent[i] = RF_NO_INDEX;
    return RF_OK;
}

/* ---- A row ---- */

static int read_name(struct nsys_load *load, struct nsys_row *row, struct rf_event *event)
{
    size_t size;
    int64_t id;
    bool is_bad = false;
    const char *text = nsys_row_text(row, TEXT, &size);
    event->name = RF_NO_STRING;
    if (text != NULL) {
        event->name = rf_strings_add(&load->rec->strings, text, size);
    } else if (nsys_row_int(row, TEXT_ID, &id)) {
        event->name = nsys_string(load, row, id, &is_bad);
        event->flags |= RF_EVENT_REGISTERED | (is_bad ? RF_EVENT_BAD_HANDLE : 0);
    } else {
        return RF_OK;
    }
    return nsys_memory_status(load, event->name != RF_NO_STRING);
}

/* Each type of payload has a column. */
static void read_payload(struct nsys_row *row, struct rf_event *event)
{
    int64_t value;
    double real;
    float single;
    for (int column = UINT64; column <= FLOAT; column++) {
        if (!nsys_row_has(row, column))
            continue;
        if (column != DOUBLE && column != FLOAT) {
            if (!nsys_row_int(row, column, &value))
                continue;
            event->payload =
                column == UINT32 || column == INT32 ? (uint32_t)value : (uint64_t)value;
        } else if (!nsys_row_double(row, column, &real)) {
            continue;
        } else if (column == DOUBLE) {
            memcpy(&event->payload, &real, sizeof(real));
        } else {
            uint32_t bits;
            single = (float)real;
            memcpy(&bits, &single, sizeof(bits));
            event->payload = bits;
        }
        event->payload_type = (uint8_t)(RF_TYPE_UINT64 + (column - UINT64));
        return;
    }
}

/* What our own tables say of the row. Of a range that has no end nsys_finish() knows the cut. */
static void add_own(struct nsys_load *load, struct nsys_row *row, bool is_range,
                    struct rf_event *event)
{
    int64_t number;
    if (load->own_events == NULL || !nsys_row_int(row, ROW, &number))
        return;
    const struct nsys_own_event own = nsys_own_event(load, number, is_range);
    if (event->cut == RF_CUT_NONE)
        event->cut = own.cut;
    event->flags |= own.flags;
    if (event->payload_type == RF_TYPE_EXTENDED)
        nsys_set_place(load, event, own.scope, own.is_placed);
}

/* The text that nsys made of an extended payload. */
static int read_json(struct nsys_load *load, struct nsys_row *row, uint32_t *string)
{
    int64_t id;
    int status = nsys_read_text(load, row, JSON, string);
    if (status != RF_OK || *string != RF_NO_STRING || !nsys_row_int(row, JSON_ID, &id))
        return status;
    *string = nsys_string(load, row, id, NULL);
    return nsys_memory_status(load, *string != RF_NO_STRING);
}

/* Bytes of an extended payload: as the program gave it, or, if they cannot be read and nothing else
 * tells of it, as they are. */
static int read_binary(struct nsys_load *load, struct nsys_row *row, uint32_t json,
                       struct rf_event *event, bool *is_taken)
{
    size_t size;
    const char *bytes = nsys_row_text(row, BINARY, &size);
    *is_taken = false;
    if (bytes == NULL)
        return RF_OK;
    int status = RF_OK;
    if (event->kind <= RF_EVENT_MARK)
        status = nsys_add_payloads(load, bytes, size, json, event, is_taken);
    if (status != RF_OK || *is_taken)
        return status;
    if (json != RF_NO_STRING)
        return nsys_row_skip(row, "bytes of a payload that stands as JSON, too: left out");
    uint32_t string = rf_strings_add(&load->rec->strings, bytes, size);
    (void)nsys_row_skip(row, "bytes of a payload that cannot be decoded: shown as bytes");
    event->payload = string;
    event->payload_type = RF_TYPE_BINARY;
    event->flags |= RF_EVENT_BAD_PAYLOAD;
    *is_taken = true;
    return nsys_memory_status(load, string != RF_NO_STRING);
}

/* What the program gave goes before the text that was made of it. */
static int read_extended(struct nsys_load *load, struct nsys_row *row, struct rf_event *event)
{
    uint32_t json;
    bool has_number = event->payload_type != RF_TYPE_NONE, is_taken = false;
    int status = read_json(load, row, &json);
    if (status == RF_OK)
        status = read_binary(load, row, json, event, &is_taken);
    if (status != RF_OK || (!is_taken && json == RF_NO_STRING))
        return status;
    if (has_number)
        (void)nsys_row_skip(row, "number of a payload that stands as JSON, too: left out");
    if (!is_taken) {
        event->payload = json;
        event->payload_type = RF_TYPE_JSON;
    }
    return RF_OK;
}

static int read_attributes(struct nsys_load *load, struct nsys_row *row, struct rf_event *event)
{
    int64_t value;
    if (nsys_row_int(row, CATEGORY, &value)) {
        event->category = (uint32_t)value;
        event->flags |= RF_EVENT_HAS_CATEGORY;
    }
    if (nsys_row_int(row, COLOR, &value)) {
        event->color = (uint32_t)value;
        event->flags |= RF_EVENT_HAS_COLOR;
    }
    read_payload(row, event);
    return read_extended(load, row, event);
}

static int add_start_end(struct nsys_load *load, struct nsys_row *row, uint32_t thread,
                         struct rf_event *event)
{
    rf_recording *rec = load->rec;
    int64_t id, global_tid;
    uint32_t end_thread = thread;
    if (rf_grow_array(&rec->start_end, rec->n_start_end, &load->start_end_room,
                      sizeof(*rec->start_end)) != RF_OK)
        return nsys_no_memory(load);
    if (!nsys_row_int(row, RANGE_ID, &id) || id == 0)
        id = (int64_t)rec->n_start_end + 1;
    if (nsys_row_int(row, END_GLOBAL_TID, &global_tid))
        end_thread = nsys_find_thread(load, (uint64_t)global_tid);
    if (end_thread == RF_NO_INDEX)
        return nsys_no_memory(load);
    event->link = rec->n_start_end;
    rec->start_end[rec->n_start_end++] =
        (struct rf_start_end){.id = (uint64_t)id, .number = (uint64_t)id, .end_thread = end_thread};
    return RF_OK;
}

/* Gives the thing that the event names its name. */
static int add_name(struct nsys_load *load, uint32_t thread, struct rf_event *event)
{
    struct nsys_thread *of = &load->thread[thread];
    struct rf_domain *domain = &load->rec->domain[event->domain];
    switch (event->kind) {
    case RF_EVENT_CATEGORY:
        if (event->name != RF_NO_STRING &&
            rf_map_set(&load->rec->category, event->domain, event->category, event->name) != RF_OK)
            return nsys_no_memory(load);
        break;
    case RF_EVENT_THREAD_NAME: /* the row stands under the thread that was named */
        event->named_tid = of->tid;
        event->payload_type = RF_TYPE_NONE;
        if (event->name != RF_NO_STRING) {
            of->name = event->name;
            of->is_named = true;
        }
        break;
    case RF_EVENT_DOMAIN_CREATE:
        if (event->name != RF_NO_STRING && domain->id != 0)
            domain->name = event->name;
        break;
    default:
        break;
    }
    return RF_OK;
}

static bool is_before(const struct rf_event *a, const struct rf_event *b)
{
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->end_ns > b->end_ns;
}

int nsys_add_event(struct nsys_load *load, uint32_t thread, const struct rf_event *event)
{
    struct nsys_thread *of = &load->thread[thread];
    if (rf_grow_array(&of->event, of->n_events, &of->event_room, sizeof(*of->event)) != RF_OK)
        return nsys_no_memory(load);
    if (of->n_events > 0 && is_before(event, &of->event[of->n_events - 1]))
        of->is_unsorted = true;
    of->event[of->n_events++] = *event;
    return RF_OK;
}

static int read_row(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    struct rf_event event = {.link = RF_NO_INDEX};
    int64_t type, domain;
    bool is_clamped;
    if (!nsys_row_int(row, EVENT_TYPE, &type) || kind_of(type) == 0)
        return nsys_row_skip(row, "event of a type that is not known: left out");
    event.kind = (uint8_t)kind_of(type);
    if (!nsys_row_times(load, row, START, END, &event.start_ns, &event.end_ns, &is_clamped))
        return RF_OK;
    bool is_range = event.kind == RF_EVENT_PUSH_POP || event.kind == RF_EVENT_START_END;
    if (!is_range)
        event.end_ns = RF_NO_TIME;
    else if (event.end_ns == RF_NO_TIME)
        event.cut = RF_CUT_CAPTURE_ENDED; /* nsys_finish() knows where */
    event.flags = is_range && is_clamped ? RF_EVENT_CLAMPED : 0;
    uint32_t thread = nsys_row_thread(load, row, GLOBAL_TID);
    if (thread == RF_NO_INDEX)
        return nsys_no_memory(load);
    (void)nsys_row_int(row, DOMAIN_ID, &domain);
    event.domain = nsys_find_domain(load, load->thread[thread].process, (uint64_t)domain);
    if (event.domain == RF_NO_INDEX)
        return nsys_no_memory(load);
    int status = read_name(load, row, &event);
    if (status == RF_OK)
        status = read_attributes(load, row, &event);
    if (status == RF_OK)
        add_own(load, row, is_range, &event);
    if (status == RF_OK && event.kind == RF_EVENT_START_END)
        status = add_start_end(load, row, thread, &event);
    if (status == RF_OK && !is_range)
        status = add_name(load, thread, &event);
    return status == RF_OK ? nsys_add_event(load, thread, &event) : status;
}

int nsys_load_nvtx(struct nsys_load *load)
{
    const char *asked[ROW + 2];
    const struct nsys_reader readers[] = {{"NVTX_EVENTS", read_row, asked}, {.table = NULL}};
    int status = nsys_load_own_events(load);
    memcpy((void *)asked, (const void *)columns, sizeof(columns));
    asked[ROW] = load->own_events != NULL ? NSYS_ROW_ID : NULL;
    asked[ROW + 1] = NULL;
    return status == RF_OK ? nsys_db_read(&load->db, readers, load) : status;
}
