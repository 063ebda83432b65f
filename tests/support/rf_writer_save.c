/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a recording out: as one packed file, or as a session directory. */
#include "rf_writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"

#define NEED(condition)                                                                            \
    ((condition) ? (void)0                                                                         \
                 : (perror(#condition), fprintf(stderr, "%s:%d\n", __FILE__, __LINE__), abort()))

static void add_file_header(const struct rfw *w, struct rfw_bytes *out)
{
    struct rf_file_header header = {.version_major = RF_FORMAT_MAJOR,
                                    .version_minor = RF_FORMAT_MINOR,
                                    .header_size = sizeof(header)};
    memcpy(header.magic, RF_FILE_MAGIC, sizeof(header.magic));
    memcpy(header.session_id, w->control.session_id, sizeof(header.session_id));
    rfw_add(out, &header, sizeof(header));
}

static void add_chunk(struct rfw_bytes *out, struct rf_chunk_header header, const void *payload,
                      size_t size)
{
    header.magic = RF_CHUNK_MAGIC;
    header.header_size = sizeof(header);
    header.size = size;
    rfw_add(out, &header, sizeof(header));
    rfw_add(out, payload, size);
}

void rfw_part_bytes(const struct rfw_part *part, struct rfw_bytes *out)
{
    struct rf_chunk_header header = part->chunk;
    header.size = sizeof(part->part) + part->records.size;
    rfw_add(out, &header, sizeof(header));
    rfw_add(out, &part->part, sizeof(part->part));
    rfw_add(out, part->records.data, part->records.size);
}

/* Every part of a process that stands in place or in both. */
static void add_parts(const struct rfw_process *p, struct rfw_bytes *out, int in_pool, int in_log)
{
    for (size_t i = 0; i < p->n_streams; i++) {
        for (size_t k = 0; k < p->stream[i]->n_parts; k++) {
            const struct rfw_part *part = p->stream[i]->part[k];
            if (part->place == RFW_IN_BOTH || (part->place == RFW_IN_LOG && in_log) ||
                (part->place == RFW_IN_POOL && in_pool))
                rfw_part_bytes(part, out);
        }
    }
}

static void add_defs(const struct rfw *w, size_t process, struct rfw_bytes *out)
{
    const struct rfw_bytes *defs = &w->process[process]->defs;
    if (defs->size > 0)
        add_chunk(out,
                  (struct rf_chunk_header){.type = RF_CHUNK_DEFS, .process = (uint32_t)process},
                  defs->data, defs->size);
}

static void add_session(const struct rfw *w, struct rfw_bytes *out)
{
    add_chunk(out, (struct rf_chunk_header){.type = RF_CHUNK_SESSION}, &w->control,
              sizeof(w->control));
}

/* The index over the chunks that out holds. */
static void add_index(struct rfw_bytes *out)
{
    struct rfw_bytes index = {0};
    uint64_t offset = sizeof(struct rf_file_header);
    struct rf_chunk_header h;
    while (offset < out->size) {
        memcpy(&h, out->data + offset, sizeof(h));
        uint64_t size = sizeof(h) + h.size;
        struct rf_index_entry entry = {.offset = offset,
                                       .size = size,
                                       .crc32c = rf_crc32c(0, out->data + offset, size),
                                       .type = h.type,
                                       .process = h.process,
                                       .slot = h.slot,
                                       .seq = h.seq};
        rfw_add(&index, &entry, sizeof(entry));
        offset += size;
    }
    h = (struct rf_chunk_header){
        .type = RF_CHUNK_INDEX, .slot = rf_crc32c(0, index.data, index.size), .seq = out->size};
    add_chunk(out, h, index.data, index.size);
    free(index.data);
}

void rfw_packed_bytes(const struct rfw *w, struct rfw_bytes *out)
{
    *out = (struct rfw_bytes){0};
    add_file_header(w, out);
    if (w->has_early_copies)
        add_session(w, out);
    for (size_t i = 0; i < w->n_processes; i++) {
        const struct rfw_process *p = w->process[i];
        if (p->is_missing)
            continue;
        if (w->has_early_copies)
            add_defs(w, i, out);
        add_parts(p, out, 1, 1);
        add_defs(w, i, out);
    }
    if (w->metrics.size > 0)
        rfw_add(out, w->metrics.data, w->metrics.size);
    add_session(w, out);
    add_index(out);
}

void rfw_write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    NEED(f != NULL);
    NEED(fwrite(data, 1, size, f) == size);
    NEED(fclose(f) == 0);
}

void rfw_read_file(const char *path, struct rfw_bytes *out)
{
    char buffer[65536];
    size_t n;
    FILE *f = fopen(path, "rb");
    *out = (struct rfw_bytes){0};
    NEED(f != NULL);
    while ((n = fread(buffer, 1, sizeof(buffer), f)) > 0)
        rfw_add(out, buffer, n);
    NEED(fclose(f) == 0);
}

void rfw_save_packed(const struct rfw *w, const char *path)
{
    struct rfw_bytes out;
    rfw_packed_bytes(w, &out);
    rfw_write_file(path, out.data, out.size);
    free(out.data);
}

/* A stream's parts alternate between the two places of its slot in the pool; what stands there
 * last wins, as in a running session. */
static void save_pool(const struct rfw *w, size_t process, const char *path)
{
    const struct rfw_process *p = w->process[process];
    struct rf_pool_header header = {.version = RF_FORMAT_MAJOR,
                                    .process = (uint32_t)process,
                                    .pid = p->pid,
                                    .start_time = p->start_time,
                                    .pid_ns = p->pid_ns};
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    NEED(fd >= 0);
    memcpy(header.magic, RF_POOL_MAGIC, sizeof(header.magic));
    memcpy(header.session_id, w->control.session_id, sizeof(header.session_id));
    for (size_t i = 0; i < p->n_streams; i++) {
        const struct rfw_stream *s = p->stream[i];
        struct rf_pool_slot slot = {.tid = s->tid};
        if (s->slot >= header.n_slots)
            header.n_slots = header.n_allocated = s->slot + 1;
        for (size_t k = 0; k < s->n_parts; k++) {
            const struct rfw_part *part = s->part[k];
            uint32_t place = (uint32_t)((part->chunk.seq - 1) % RF_PARTS_PER_SLOT);
            struct rfw_bytes bytes = {0};
            if (part->place != RFW_IN_POOL && part->place != RFW_IN_BOTH)
                continue;
            rfw_part_bytes(part, &bytes);
            slot.part[place].seq = part->chunk.seq;
            slot.part[place].state = part->pool_state;
            slot.part[place].size = part->pool_state == RF_PART_ACTIVE ? 0 : (uint32_t)bytes.size;
            if (part->pool_state == RF_PART_ACTIVE)
                ((struct rf_chunk_header *)bytes.data)->size = 0;
            if (bytes.size + 8 <= RF_PART_SIZE)
                rfw_add(&bytes, &(uint64_t){0}, 8);
            NEED(pwrite(fd, bytes.data, bytes.size, (off_t)rf_pool_part_offset(s->slot, place)) ==
                 (ssize_t)bytes.size);
            free(bytes.data);
        }
        NEED(pwrite(fd, &slot, sizeof(slot),
                    (off_t)(RF_POOL_HEADER_SIZE + s->slot * sizeof(slot))) == sizeof(slot));
    }
    NEED(pwrite(fd, &header, sizeof(header), 0) == sizeof(header));
    NEED(ftruncate(fd, (off_t)rf_pool_part_offset(header.n_slots, 0)) == 0);
    NEED(close(fd) == 0);
}

static void save_process(const struct rfw *w, size_t process, const char *directory)
{
    const struct rfw_process *p = w->process[process];
    char path[4096];
    struct rfw_bytes bytes = {0};
    struct rf_defs_header header = {.version = RF_FORMAT_MAJOR, .process = (uint32_t)process};
    static const uint8_t zeros[4096];
    add_file_header(w, &bytes);
    if (w->has_early_copies) {
        add_session(w, &bytes);
        add_defs(w, process, &bytes);
    }
    add_parts(p, &bytes, 0, 1);
    (void)snprintf(path, sizeof(path), "%s/p%06zu.log", directory, process);
    if (bytes.size > sizeof(struct rf_file_header))
        rfw_write_file(path, bytes.data, bytes.size);
    (void)snprintf(path, sizeof(path), "%s/p%06zu.pool", directory, process);
    save_pool(w, process, path);
    memcpy(header.magic, RF_DEFS_MAGIC, sizeof(header.magic));
    memcpy(header.session_id, w->control.session_id, sizeof(header.session_id));
    header.tail = sizeof(header) + p->defs.size;
    bytes.size = 0;
    rfw_add(&bytes, &header, sizeof(header));
    rfw_add(&bytes, p->defs.data, p->defs.size);
    rfw_add(&bytes, zeros, sizeof(zeros));
    (void)snprintf(path, sizeof(path), "%s/p%06zu.defs", directory, process);
    rfw_write_file(path, bytes.data, bytes.size);
    free(bytes.data);
}

void rfw_save_directory(const struct rfw *w, const char *path)
{
    char file[4096];
    NEED(mkdir(path, 0700) == 0);
    (void)snprintf(file, sizeof(file), "%s/%s", path, RF_CONTROL_FILE);
    rfw_write_file(file, &w->control, sizeof(w->control));
    for (size_t i = 0; i < w->n_processes; i++)
        if (!w->process[i]->is_missing)
            save_process(w, i, path);
    if (w->metrics.size == 0)
        return;
    struct rfw_bytes log = {0};
    add_file_header(w, &log);
    rfw_add(&log, w->metrics.data, w->metrics.size);
    (void)snprintf(file, sizeof(file), "%s/%s", path, RF_METRICS_FILE);
    rfw_write_file(file, log.data, log.size);
    free(log.data);
}

void rfw_use_this_boot(struct rfw *w)
{
    struct rfw_bytes text;
    size_t n = 0;
    rfw_read_file("/proc/sys/kernel/random/boot_id", &text);
    rfw_add(&text, "", 1);
    for (const char *p = (const char *)text.data; *p != 0 && *p != '\n' && n < 16; p += 2) {
        unsigned value;
        p += *p == '-';
        NEED(sscanf(p, "%2x", &value) == 1);
        w->control.boot_id[n++] = (uint8_t)value;
    }
    NEED(n == 16);
    free(text.data);
}

void rfw_facts_of_self(struct rfw *w, uint32_t process, int64_t ns)
{
    struct rfw_bytes text;
    struct stat st;
    unsigned long long start_time = 0;
    rfw_read_file("/proc/self/./stat", &text);
    rfw_add(&text, "", 1);
    const char *p = strrchr((const char *)text.data, ')');
    for (int i = 0; i < 20 && p != NULL; i++)
        p = strchr(p + 1, ' ');
    NEED(p != NULL && sscanf(p, "%llu", &start_time) == 1);
    NEED(stat("/proc/self/ns/pid", &st) == 0);
    rfw_fact(w, process, ns, RF_PROC_PID, (uint64_t)getpid(), NULL);
    rfw_fact(w, process, ns, RF_PROC_PID_NS, st.st_ino, NULL);
    rfw_fact(w, process, ns, RF_PROC_START_TIME, start_time, NULL);
    w->process[process]->pid = (uint32_t)getpid();
    w->process[process]->start_time = start_time;
    w->process[process]->pid_ns = st.st_ino;
    free(text.data);
}

char *rfw_make_tmpdir(void)
{
    const char *base = getenv("TMPDIR");
    char *path = NULL;
    NEED(asprintf(&path, "%s/rf-test-XXXXXX", base != NULL && base[0] != 0 ? base : "/tmp") > 0);
    NEED(mkdtemp(path) != NULL);
    return path;
}

void rfw_remove_tree(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    char child[4096];
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        (void)snprintf(child, sizeof(child), "%s/%s", path, entry->d_name);
        if (lstat(child, &st) == 0 && S_ISDIR(st.st_mode))
            rfw_remove_tree(child);
        else
            (void)unlink(child);
    }
    if (dir != NULL)
        (void)closedir(dir);
    (void)rmdir(path);
}
