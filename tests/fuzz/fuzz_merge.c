/* SPDX-License-Identifier: Apache-2.0 */
/* Two forged recordings in one file of each format. The input is a packed file, and behind it 12
 * bytes: where (4) which value (8) stands in the second recording, which is otherwise a copy of the
 * first, of another session. Both are salvaged: checksums stop nothing. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SESSION_AT   16 /* of the session's number, in the file's header */
#define SESSION_SIZE 16
#define PATCH_SIZE   12

static const char *const formats[] = {"perfetto", "json", "sqlite"};

static rf_recording *open_bytes(int *fd, const uint8_t *data, size_t size)
{
    rf_recording *rec = NULL;
    char path[64];
    if (*fd < 0)
        *fd = memfd_create("fuzz_merge", MFD_CLOEXEC);
    if (*fd < 0 || ftruncate(*fd, 0) != 0 || pwrite(*fd, data, size, 0) != (ssize_t)size)
        abort();
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", *fd);
    return rf_open(path, RF_OPEN_SALVAGE, &rec, NULL) == RF_OK ? rec : NULL;
}

/* The session's number stands in the header and on the control page. */
static void make_second(uint8_t *data, size_t size, const uint8_t *patch)
{
    uint8_t session[SESSION_SIZE], *found = data;
    uint32_t at;
    memcpy(session, data + SESSION_AT, sizeof(session));
    while ((found = memmem(found, size - (size_t)(found - data), session, sizeof(session))) != NULL)
        *found++ ^= 0xff;
    memcpy(&at, patch, sizeof(at));
    if (size > 8)
        memcpy(data + at % (size - 8), patch + 4, 8);
}

static int drop(void *context, const void *data, size_t size)
{
    (void)context;
    (void)data;
    (void)size;
    return 0;
}

/* Where the first range of the recording that was added last is: it is found, or a usage error. */
static void look(rf_merged_export *merged, const rf_recording *rec)
{
    struct rf_trace_view view = RF_TRACE_VIEW_INIT;
    const struct rf_event *event = rf_n_threads(rec) > 0 ? rf_thread_event_at(rec, 0, 0) : NULL;
    const char *name = event != NULL ? rf_string(rec, event->name, NULL) : NULL;
    struct rf_err err;
    if (name == NULL)
        return;
    int status = rf_merged_export_find_view(merged, rec, name, &view, &err);
    if (status != RF_OK && (status != RF_ERR_NOT_FOUND || err.text[0] == '\0'))
        abort();
}

static void merge(const char *format, const rf_recording *const rec[2])
{
    struct rf_export_options options = RF_EXPORT_OPTIONS_INIT;
    rf_merged_export *merged;
    struct rf_err err;
    options.format = format;
    options.can_overwrite = 1;
    options.gpu_events = 1;
    if (strcmp(format, "sqlite") == 0)
        options.output = fuzz_path();
    else
        options.write = drop;
    if (rf_merged_export_new(&options, &merged, &err) != RF_OK)
        abort();
    int status = RF_OK;
    for (int i = 0; i < 2 && status == RF_OK; i++) {
        status = rf_merged_export_add(merged, rec[i], i == 0 ? "first" : "second", -1, &err);
        if (status == RF_OK && strcmp(format, "perfetto") == 0)
            look(merged, rec[i]);
    }
    if (status != RF_OK && err.text[0] == '\0')
        abort();
    if ((rf_merged_export_finish(merged, &err) == RF_OK) != (status == RF_OK))
        abort();
    rf_merged_export_free(merged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd[2] = {-1, -1};
    if (size < PATCH_SIZE + SESSION_AT + SESSION_SIZE)
        return 0;
    size -= PATCH_SIZE;
    uint8_t *copy = malloc(size);
    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    make_second(copy, size, data + size);
    rf_recording *rec[2] = {open_bytes(&fd[0], data, size), open_bytes(&fd[1], copy, size)};
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]) && rec[0] != NULL && rec[1] != NULL;
         i++)
        merge(formats[i], (const rf_recording *const[]){rec[0], rec[1]});
    rf_close(rec[0]);
    rf_close(rec[1]);
    free(copy);
    return 0;
}
