/* SPDX-License-Identifier: Apache-2.0 */
/* What an nsys export says besides events: strings, names, the session. */
#include "import/nsys_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/grow.h"

#define MAX_DENSE_ID (1u << 22)

/* ---- Strings ---- */

static int set_string(struct nsys_load *load, int64_t id, uint32_t string)
{
    if (id < 0 || id >= MAX_DENSE_ID)
        return rf_map_set(&load->sparse_string, (uint64_t)id, 0, string);
    if (id >= load->n_string_of) {
        uint32_t room = load->n_string_of < 512 ? 512 : load->n_string_of;
        while (room <= id)
            room *= 2;
        uint32_t *more = realloc(load->string_of, room * sizeof(*more));
        if (more == NULL)
            return RF_ERR_NO_MEMORY;
        memset(more + load->n_string_of, 0xff, (room - load->n_string_of) * sizeof(*more));
        load->string_of = more;
        load->n_string_of = room;
    }
    load->string_of[id] = string;
    return RF_OK;
}

static int read_string(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    int64_t id;
    size_t size;
    const char *text = nsys_row_text(row, 1, &size);
    if (!nsys_row_int(row, 0, &id) || text == NULL)
        return nsys_row_skip(row, "no id or no text: left out");
    uint32_t string = rf_strings_add(&load->rec->strings, text, size);
    if (string == RF_NO_STRING || set_string(load, id, string) != RF_OK)
        return nsys_no_memory(load);
    return RF_OK;
}

uint32_t nsys_string(struct nsys_load *load, const struct nsys_row *row, int64_t id, bool *is_bad)
{
    char text[32];
    const struct nsys_load *names = load->names;
    uint32_t string = id >= 0 && id < names->n_string_of
                          ? names->string_of[id]
                          : rf_map_find(&names->sparse_string, (uint64_t)id, 0);
    if (is_bad != NULL)
        *is_bad = string == RF_NO_STRING;
    if (string != RF_NO_STRING)
        return string;
    (void)nsys_row_skip(row, "name that StringIds lacks: shown as its number");
    int size = snprintf(text, sizeof(text), "0x%llx", (unsigned long long)id);
    return rf_strings_add(&load->rec->strings, text, (size_t)size) |
           (names != load ? NSYS_PART_STRING : 0);
}

int nsys_read_string_id(struct nsys_load *load, struct nsys_row *row, int column, uint32_t *string)
{
    int64_t id;
    *string = RF_NO_STRING;
    if (!nsys_row_int(row, column, &id))
        return RF_OK;
    *string = nsys_string(load, row, id, NULL);
    return nsys_memory_status(load, *string != RF_NO_STRING);
}

int nsys_read_text(struct nsys_load *load, struct nsys_row *row, int column, uint32_t *string)
{
    size_t size;
    const char *text = nsys_row_text(row, column, &size);
    *string = RF_NO_STRING;
    if (text == NULL)
        return RF_OK;
    *string = rf_strings_add(&load->rec->strings, text, size);
    return nsys_memory_status(load, *string != RF_NO_STRING);
}

/* ---- Names of processes and threads ---- */

static int add_known(struct nsys_load *load, struct rf_map *map, uint64_t key,
                     struct nsys_name name)
{
    uint32_t i = rf_map_find(map, key, 0);
    if (i != RF_MAP_NONE) {
        if (name.priority < load->known[i].priority)
            load->known[i] = name;
        return RF_OK;
    }
    if (rf_grow_array(&load->known, load->n_known, &load->known_room, sizeof(*load->known)) !=
            RF_OK ||
        rf_map_set(map, key, 0, load->n_known) != RF_OK)
        return nsys_no_memory(load);
    load->known[load->n_known++] = name;
    return RF_OK;
}

static int read_process(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    int64_t global_pid;
    struct nsys_name name = {.pid = nsys_row_u32(row, 1)};
    if (!nsys_row_int(row, 0, &global_pid))
        return nsys_row_skip(row, "no globalPid: left out");
    int status = nsys_read_text(load, row, 2, &name.name);
    if (status == RF_OK && name.name == RF_NO_STRING)
        status = nsys_read_string_id(load, row, 3, &name.name);
    if (status != RF_OK)
        return status;
    return add_known(load, &load->known_process, (uint64_t)global_pid >> NSYS_TID_BITS, name);
}

static int read_thread_name(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    int64_t global_tid;
    struct nsys_name name = {.pid = 0};
    if (!nsys_row_int(row, 2, &name.priority))
        name.priority = INT64_MAX - 1;
    int status = nsys_read_string_id(load, row, 1, &name.name);
    if (status != RF_OK)
        return status;
    if (!nsys_row_int(row, 0, &global_tid) || name.name == RF_NO_STRING)
        return nsys_row_skip(row, "no globalTid or no name: left out");
    return add_known(load, &load->known_thread, (uint64_t)global_tid, name);
}

int nsys_load_names(struct nsys_load *load)
{
    const struct nsys_reader readers[] = {
        {"StringIds", read_string, NSYS_COLUMNS("id", "value")},
        {"PROCESSES", read_process, NSYS_COLUMNS("globalPid", "pid", "name", "nameId")},
        {"ThreadNames", read_thread_name, NSYS_COLUMNS("globalTid", "nameId", "priority")},
        {.table = NULL}};
    return nsys_db_read(&load->db, readers, load);
}

/* ---- The session ---- */

static void copy_text(char *to, size_t room, const char *text, size_t size)
{
    size_t n = size < room - 1 ? size : room - 1;
    memcpy(to, text, n);
    memset(to + n, 0, room - n);
}

static bool is_name(const char *text, size_t size, const char *name)
{
    return size == strlen(name) && memcmp(text, name, size) == 0;
}

struct session {
    struct nsys_load *load;
    char product[64], version[64]; /* of what exported it */
};

/* A row of a name and a value. */
static int read_setting(void *context, struct nsys_row *row)
{
    struct session *session = context;
    struct rf_control *control = &session->load->rec->control;
    size_t name_size, size;
    const char *name = nsys_row_text(row, 0, &name_size);
    const char *value = nsys_row_text(row, 1, &size);
    if (name == NULL || value == NULL || size == 0)
        return RF_OK;
    if (is_name(name, name_size, "EXPORT_PRODUCT_NAME"))
        copy_text(session->product, sizeof(session->product), value, size);
    else if (is_name(name, name_size, "EXPORT_PRODUCT_VERSION"))
        copy_text(session->version, sizeof(session->version), value, size);
    else if (is_name(name, name_size, "DEVICE_DISPLAY_NAME") ||
             is_name(name, name_size, "Hostname"))
        copy_text(control->host, sizeof(control->host), value, size);
    return RF_OK;
}

/* "2026-05-24T13:40:14" in seconds; 0: it is not a time. */
static int64_t parse_time(const char *text, size_t size)
{
    struct tm tm = {.tm_isdst = 0};
    char copy[32];
    if (text == NULL)
        return 0;
    copy_text(copy, sizeof(copy), text, size);
    const char *end = strptime(copy, "%Y-%m-%dT%H:%M:%S", &tm);
    return end != NULL ? (int64_t)timegm(&tm) : 0;
}

static int read_start_time(void *context, struct nsys_row *row)
{
    struct session *session = context;
    struct rf_info *info = &session->load->rec->info;
    size_t size;
    (void)nsys_row_int(row, 0, &info->epoch_utc_ns);
    (void)nsys_row_int(row, 1, &info->epoch_mono_ns);
    const char *text = nsys_row_text(row, 2, &size);
    int64_t utc_s = parse_time(text, size);
    text = nsys_row_text(row, 3, &size);
    int64_t local_s = parse_time(text, size);
    if (utc_s != 0 && local_s != 0)
        info->utc_offset_s = rf_utc_offset(local_s - utc_s);
    return RF_OK;
}

/* A recording goes on behind its last event. */
static int read_end(struct nsys_load *load, struct nsys_row *row)
{
    int64_t end_ns;
    if (!nsys_row_int(row, 1, &end_ns))
        return RF_OK;
    if (!nsys_is_time(end_ns))
        return nsys_row_skip(row, "ends at no possible time: left out");
    if (end_ns > load->last_ns)
        load->last_ns = end_ns;
    return RF_OK;
}

/* What our own export says of the recording that it was made from. */
static int read_own_info(void *context, struct nsys_row *row)
{
    struct session *session = context;
    struct rf_info *info = &session->load->rec->info;
    const struct {
        const char *name;
        uint64_t *count;
    } counts[] = {
        {"lostEvents", &info->n_lost_records},
        {"lostBytes", &info->lost_bytes},
        {"lostDefinitions", &info->n_lost_defs},
        {"lostProcesses", &info->n_failed_processes},
        {"damagedBytes", &info->n_damaged_bytes},
        {"unmatchedEnds", &info->n_unmatched_ends},
        {"foreignEnds", &info->n_foreign_ends},
        {"stalls", &info->n_stalls},
        {"stallNs", &info->stall_ns},
    };
    size_t name_size, size;
    int64_t number;
    const char *name = nsys_row_text(row, 0, &name_size);
    if (name == NULL)
        return RF_OK;
    if (is_name(name, name_size, "recordedBy")) {
        const char *text = nsys_row_text(row, 1, &size);
        if (text != NULL && size > 0) {
            copy_text(session->product, sizeof(session->product), text, size);
            session->version[0] = 0;
        }
        return RF_OK;
    }
    if (is_name(name, name_size, "epochMonotonicNs"))
        (void)nsys_row_int(row, 1, &info->epoch_mono_ns);
    if (is_name(name, name_size, "endNs"))
        return read_end(session->load, row);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        if (is_name(name, name_size, counts[i].name) && nsys_row_int(row, 1, &number) &&
            number >= 0)
            *counts[i].count = (uint64_t)number;
    return RF_OK;
}

/* The names of the tables changed over the versions of nsys. */
int nsys_load_session(struct nsys_load *load)
{
    static const char *const setting[] = {"name", "value", NULL};
    const struct nsys_reader readers[] = {
        {"META_DATA_CAPTURE", read_setting, setting},
        {"TARGET_INFO_SYSTEM_ENV", read_setting, setting},
        {"EXPORT_META_DATA", read_setting, setting},
        {"META_DATA_EXPORT", read_setting, setting},
        {"TARGET_INFO_SESSION_START_TIME", read_start_time,
         NSYS_COLUMNS("utcEpochNs", "systemClockNs", "utcTime", "localTime")},
        {"RANGEFINDER_INFO", read_own_info, setting},
        {.table = NULL}};
    struct rf_control *control = &load->rec->control;
    struct session session = {.load = load, .product = "nsys"};
    char product[sizeof(session.product) + sizeof(session.version)];
    copy_text(control->host, sizeof(control->host), RF_UNKNOWN_HOST, strlen(RF_UNKNOWN_HOST));
    int status = nsys_db_read(&load->db, readers, &session);
    int size = snprintf(product, sizeof(product), "%s%s%s", session.product,
                        session.version[0] != 0 ? " " : "", session.version);
    copy_text(control->product, sizeof(control->product), product, (size_t)size);
    return status;
}
