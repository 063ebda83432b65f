/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a session directory: sections of a 2-byte head and their bytes. Head: bits 0-1 which
 * file, 2-3 of which process, 4-15 the size. What every such file begins with is added here, and
 * a pool's bytes become slot headers and parts, so that the input stays small. A control page that
 * says 2 in records_all is one of a focused run; its windows follow the bytes of its beginning. A
 * second section of a control page makes the session one that is written in pieces: it is the file
 * that says what the first piece has. The session is read, packed, and watched. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/ring/rule_watch.h"
#include "cli/top/top_figures.h"
#include "cli/top/top_text.h"
#include "log/layout.h"
#include "log/pack_capture.h"
#include "log/pack_piece.h"
#include "log/recycle.h"

static char dir[64];

static void remove_dir(void)
{
    char command[128];
    (void)snprintf(command, sizeof(command), "rm -rf %s", dir);
    (void)!system(command);
}

static void make_dir(void)
{
    const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(dir, sizeof(dir), "%s/fuzz_dir-XXXXXX", base);
    if (mkdtemp(dir) == NULL)
        abort();
    (void)atexit(remove_dir);
}

static int make_file(unsigned process, const char *suffix)
{
    char path[128];
    if (suffix == NULL)
        (void)snprintf(path, sizeof(path), "%s/%s", dir, RF_CONTROL_FILE);
    else
        (void)snprintf(path, sizeof(path), "%s/p%06u.%s", dir, process, suffix);
    return open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void put(int fd, const void *data, size_t size)
{
    if (size > 0 && write(fd, data, size) != (ssize_t)size)
        abort();
}

#define BEGINNING 272u /* bytes of the control page behind the first 16 */
#define FOCUSED   2u   /* in records_all */

static void add_session(const uint8_t *data, size_t size)
{
    struct rf_control control = {.version = RF_FORMAT_MAJOR, .size = sizeof(control)};
    int fd = make_file(0, NULL);
    memcpy(control.magic, RF_CONTROL_MAGIC, sizeof(control.magic));
    if (size > 16)
        memcpy((uint8_t *)&control + 16, data, size);
    control.records_all = control.records_all != FOCUSED;
    if (control.records_all == 0) {
        size_t n = size > BEGINNING ? size - BEGINNING : 0;
        memcpy(control.window, data + size - n, n);
        control.capture.keeps_open = control.is_by_hand == 0;
    }
    put(fd, &control, sizeof(control));
    (void)close(fd);
}

static void add_log(unsigned process, const uint8_t *data, size_t size)
{
    struct rf_file_header header = {.version_major = RF_FORMAT_MAJOR, .header_size = 64};
    int fd = make_file(process, "log");
    memcpy(header.magic, RF_FILE_MAGIC, sizeof(header.magic));
    if (lseek(fd, 0, SEEK_END) == 0)
        put(fd, &header, sizeof(header));
    put(fd, data, size);
    (void)close(fd);
}

static void add_defs(unsigned process, const uint8_t *data, size_t size)
{
    struct rf_defs_header header = {.version = RF_FORMAT_MAJOR, .process = process};
    int fd = make_file(process, "defs");
    memcpy(header.magic, RF_DEFS_MAGIC, sizeof(header.magic));
    if (lseek(fd, 0, SEEK_END) == 0)
        put(fd, &header, sizeof(header));
    put(fd, data, size);
    (void)close(fd);
}

static void add_pool(unsigned process, const uint8_t *data, size_t size)
{
    const uint32_t n_slots = 2, n_places = n_slots * RF_PARTS_PER_SLOT;
    struct rf_pool_header header = {.version = RF_FORMAT_MAJOR, .n_slots = n_slots};
    int fd = make_file(process, "pool");
    size_t slots = n_slots * sizeof(struct rf_pool_slot);
    size_t n = size < slots ? size : slots;
    memcpy(header.magic, RF_POOL_MAGIC, sizeof(header.magic));
    (void)fcntl(fd, F_SETFL, 0);
    (void)!pwrite(fd, &header, sizeof(header), 0);
    (void)!pwrite(fd, data, n, RF_POOL_HEADER_SIZE);
    data += n;
    size -= n;
    for (uint32_t i = 0; i < n_places; i++)
        (void)!pwrite(fd, data + size / n_places * i, size / n_places,
                      (off_t)rf_pool_part_offset(i / RF_PARTS_PER_SLOT, i % RF_PARTS_PER_SLOT));
    (void)close(fd);
}

/* What the first piece has. */
static void add_taken(const uint8_t *data, size_t size)
{
    struct rf_file_header header = {.version_major = RF_FORMAT_MAJOR, .header_size = 64};
    const struct rf_pieces pieces = {.is_split = 1, .n_pieces = 1};
    char path[128];
    int fd = make_file(0, NULL);
    (void)fcntl(fd, F_SETFL, 0);
    (void)!pwrite(fd, &pieces, sizeof(pieces), offsetof(struct rf_control, pieces));
    (void)close(fd);
    (void)snprintf(path, sizeof(path), "%s/" RF_TAKEN_FILE, dir, 1u);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    memcpy(header.magic, RF_FILE_MAGIC, sizeof(header.magic));
    put(fd, &header, sizeof(header));
    put(fd, data, size);
    (void)close(fd);
}

static void clear_dir(void)
{
    static const char *const suffixes[] = {"log", "pool", "defs"};
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/%s", dir, RF_CONTROL_FILE);
    (void)unlink(path);
    for (unsigned i = 0; i < 4; i++) {
        (void)snprintf(path, sizeof(path), "%s/" RF_TAKEN_FILE, dir, i);
        (void)unlink(path);
    }
    for (unsigned process = 0; process < 4; process++) {
        for (int i = 0; i < 3; i++) {
            (void)snprintf(path, sizeof(path), "%s/p%06u.%s", dir, process, suffixes[i]);
            (void)unlink(path);
        }
    }
}

/* What is packed must open. */
static void pack_capture(uint32_t window)
{
    char path[128];
    rf_recording *rec;
    (void)snprintf(path, sizeof(path), "%s/out.rf", dir);
    if (rf_pack_capture(NULL, dir, path, 1, window, NULL, NULL) != RF_OK)
        return;
    if (rf_open(path, 0, &rec, NULL) != RF_OK)
        abort();
    fuzz_walk(rec);
    rf_close(rec);
    (void)unlink(path);
}

/* A piece opens, and what is left does. */
static void pack_piece(void)
{
    struct rf_control control = {.is_by_hand = 0};
    struct rf_packed packed;
    char path[128];
    bool is_empty = true;
    rf_recording *rec;
    int fd = make_file(0, NULL);
    const bool is_read = pread(fd, &control, sizeof(control), 0) == (ssize_t)sizeof(control);
    (void)close(fd);
    (void)snprintf(path, sizeof(path), "%s/out.rf", dir);
    if (!is_read || !control.pieces.is_split)
        return;
    (void)rf_drop_piece(dir, &control, 100, &packed, NULL);
    if (rf_pack_piece(dir, &control, path, true, &packed, &is_empty, NULL) == RF_OK && !is_empty) {
        if (rf_open(path, 0, &rec, NULL) != RF_OK)
            abort();
        fuzz_walk(rec);
        rf_close(rec);
    }
    (void)unlink(path);
    fuzz_open(dir);
}

static int swallow(void *context, const void *data, size_t size, struct rf_err *err)
{
    (void)context;
    (void)data;
    (void)size;
    (void)err;
    return RF_OK;
}

static void show(struct top_session *session)
{
    const struct top_wanted wanted = {TOP_BY_P99, 20, 20};
    const struct top_page page = {.title = "\x1b[31m", .width = 60};
    struct top_figures figures;
    struct rf_sink sink;
    top_session_end_interval(session);
    if (top_figures_make(&figures, session, &wanted) == RF_OK &&
        rf_sink_init(&sink, swallow, NULL, NULL) == RF_OK) {
        (void)top_text_write(&sink, &figures, &page);
        (void)rf_sink_finish(&sink);
        rf_sink_release(&sink);
    }
    top_figures_release(&figures);
    top_session_begin_interval(session);
}

/* As a session of this boot. */
static void watch_top(void)
{
    static struct top_session session;
    char text[64] = "";
    uint8_t id[16];
    unsigned n = 0;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    (void)!read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    for (const char *p = text; *p > ' ' && n < sizeof(id); p += 2) {
        unsigned byte = 0;
        p += *p == '-';
        (void)sscanf(p, "%2x", &byte);
        id[n++] = (uint8_t)byte;
    }
    fd = make_file(0, NULL);
    (void)fcntl(fd, F_SETFL, 0);
    (void)!pwrite(fd, id, sizeof(id), offsetof(struct rf_control, boot_id));
    (void)close(fd);
    if (top_session_open(&session, dir, false, NULL) == RF_OK)
        for (int i = 0; i < 2; i++) {
            (void)top_session_look(&session);
            show(&session);
        }
    top_session_close(&session);
}

static bool is_wanted(void *context, const struct rule *rule)
{
    (void)context;
    return rule == NULL || rule->kind != RULE_OPEN;
}

static void on_fire(void *context, const struct rule_firing *firing)
{
    (void)context;
    if (strnlen(firing->reason, sizeof(firing->reason)) == sizeof(firing->reason))
        abort();
}

/* A flight recorder looks at what its programs record. */
static void watch(bool from_now_on)
{
    static const char *const texts[] = {"mark:*",     "slow:*:1ns", "slow:a*@*:1.5x", "open:*:1ns",
                                        "open:b@:1h", "exit",       "crash",          "mark:x@y"};
    static const struct rf_control control = {
        .n_processes = 4, .clock_kind = RF_CLOCK_MONO, .ring = {.size = 1}};
    struct rules rules = {.n = 0};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (rules_add(&rules, texts[i], NULL) != RF_OK)
            abort();
    const struct rule_watch_config config = {
        .dir = dir, .control = &control, .rules = &rules, .is_wanted = is_wanted, .fire = on_fire};
    struct rule_watch *w = rule_watch_new(&config, from_now_on);
    for (int i = 0; i < 16 && w != NULL; i++)
        (void)rule_watch_round(w);
    rule_watch_free(w);
    rules_release(&rules);
}

/* What is left when parts were recycled is a session, and can be recycled again. */
static void recycle(size_t keep)
{
    struct rf_recycled recycled;
    for (int i = 0; i < 2; i++)
        (void)rf_recycle(dir, keep / (size_t)(i + 1), 0, true, &recycled, NULL);
    fuzz_open(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int has_session = 0;
    const size_t all = size;
    if (dir[0] == 0)
        make_dir();
    clear_dir();
    while (size >= 2) {
        unsigned head = (unsigned)(data[0] | data[1] << 8), process = head >> 2 & 3;
        size_t n = head >> 4 < size - 2 ? head >> 4 : size - 2;
        if ((head & 3) == 0 && !has_session)
            add_session(data + 2, n);
        else if ((head & 3) == 0)
            add_taken(data + 2, n);
        has_session |= (head & 3) == 0;
        if ((head & 3) == 1)
            add_log(process, data + 2, n);
        else if ((head & 3) == 2)
            add_defs(process, data + 2, n);
        else if ((head & 3) == 3)
            add_pool(process, data + 2, n);
        data += 2 + n;
        size -= 2 + n;
    }
    if (!has_session)
        add_session(NULL, 0);
    fuzz_open(dir);
    (void)rf_pack_copy(dir, "/dev/null", 1, NULL, NULL);
    for (uint32_t window = 0; window < 2; window++)
        pack_capture(window);
    watch(all % 2);
    watch_top();
    pack_piece();
    recycle(all / 4);
    watch(true);
    return 0;
}
