/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a session directory: sections of a 2-byte head and their bytes. Head: bits 0-1 which
 * file, 2-3 of which process, 4-15 the size. What every such file begins with is added here, and
 * a pool's bytes become slot headers and parts, so that the input stays small. A control page that
 * says 2 in records_all is one of a focused run; its windows follow the bytes of its beginning. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/layout.h"
#include "log/pack_capture.h"

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

static void clear_dir(void)
{
    static const char *const suffixes[] = {"log", "pool", "defs"};
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/%s", dir, RF_CONTROL_FILE);
    (void)unlink(path);
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
    if (rf_pack_capture(dir, path, 1, window, NULL, NULL) != RF_OK)
        return;
    if (rf_open(path, 0, &rec, NULL) != RF_OK)
        abort();
    fuzz_walk(rec);
    rf_close(rec);
    (void)unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int has_session = 0;
    if (dir[0] == 0)
        make_dir();
    clear_dir();
    while (size >= 2) {
        unsigned head = (unsigned)(data[0] | data[1] << 8), process = head >> 2 & 3;
        size_t n = head >> 4 < size - 2 ? head >> 4 : size - 2;
        if ((head & 3) == 0 && !has_session)
            add_session(data + 2, n);
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
    return 0;
}
