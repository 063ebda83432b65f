/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/drain/process_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "log/file_header.h"
#include "session/session_dir.h"

#define TMPFS_TYPE    0x01021994
#define SHM_FREE_MIN  (256ULL << 20)
#define FIRST_SLOTS   2u           /* of a pool: threads for which there is room at once */
#define DEFS_SIZE_MAX (1ULL << 30) /* as much as a recorder maps */
#define PATH_ROOM     (PATH_MAX + 32)

static void make_path(char *path, const char *dir, uint32_t process, const char *ending)
{
    (void)snprintf(path, PATH_ROOM, "%s/p%06" PRIu32 ".%s", dir, process, ending);
}

/* Growing a file over the limit would raise a signal. */
static bool may_grow_to(uint64_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           size <= limit.rlim_cur;
}

/* A new file of this size, with blocks up to `reserved`. Returns 0 or an errno. */
static int make_file(const char *path, uint64_t size, uint64_t reserved)
{
    if (!may_grow_to(size))
        return EFBIG;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    int code = ftruncate(fd, (off_t)size) == 0 ? 0 : errno;
    if (code == 0 && reserved > 0)
        code = posix_fallocate(fd, 0, (off_t)reserved);
    (void)close(fd);
    if (code != 0)
        (void)unlink(path);
    return code;
}

/* ---- In shared memory ---- */

static bool has_room_in_shm(uint64_t size)
{
    struct statfs fs;
    return statfs(SESSION_SHM_FOLDER, &fs) == 0 && fs.f_type == TMPFS_TYPE &&
           (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize >= SHM_FREE_MIN + size;
}

/* The name that the recorder uses. */
static void name_in_shm(const struct rf_control *control, uint32_t process, const char *ending,
                        char *path)
{
    char id[17];
    for (int i = 0; i < 8; i++)
        (void)snprintf(id + 2 * i, 3, "%02x", control->session_id[i]);
    (void)snprintf(path, PATH_ROOM, SESSION_SHM_FOLDER SESSION_SHM_PREFIX "%s-p%06" PRIu32 ".%s",
                   id, process, ending);
}

/* Links to the file that was made in shared memory, or removes it. Returns 0 or an errno. */
static int link_to(const char *target, const char *path)
{
    if (symlink(target, path) == 0)
        return 0;
    int code = errno;
    (void)unlink(target);
    return code;
}

/* ---- The log ---- */

static int make_log_at(const struct rf_control *control, const char *path)
{
    const struct rf_file_header header = rf_file_header_of(control);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    ssize_t n = write(fd, &header, sizeof(header));
    int code = n < 0 ? errno : n < (ssize_t)sizeof(header) ? ENOSPC : 0;
    (void)close(fd);
    if (code != 0)
        (void)unlink(path);
    return code;
}

/* That of a ring is memory. */
static int make_log(const struct rf_control *control, const char *path, uint32_t process)
{
    char target[PATH_ROOM];
    name_in_shm(control, process, "log", target);
    if (control->ring.size == 0 || !has_room_in_shm(control->ring.size) ||
        make_log_at(control, target) != 0)
        return make_log_at(control, path);
    return link_to(target, path);
}

/* ---- The pool ---- */

static int make_pool(const struct rf_control *control, const char *path, uint32_t process)
{
    const uint64_t size = rf_pool_part_offset(RF_MAX_SLOTS, 0);
    const uint64_t reserved = RF_POOL_HEADER_SIZE + 4096;
    char target[PATH_ROOM];
    name_in_shm(control, process, "pool", target);
    if (!has_room_in_shm(0) || make_file(target, size, reserved) != 0)
        return make_file(path, size, reserved);
    return link_to(target, path);
}

/* Room for the first threads; a pool without it works too. */
static void reserve_slots(const char *dir, uint32_t process)
{
    const uint32_t n = FIRST_SLOTS;
    int fd = process_files_open(dir, process, RF_ASK_POOL);
    if (fd < 0)
        return;
    if (posix_fallocate(fd, (off_t)rf_pool_part_offset(0, 0), FIRST_SLOTS * RF_SLOT_SIZE) == 0)
        (void)!pwrite(fd, &n, sizeof(n), offsetof(struct rf_pool_header, n_allocated));
    (void)close(fd);
}

/* ---- All of them ---- */

int process_files_make(const struct rf_control *control, const char *dir, uint32_t process)
{
    char log[PATH_ROOM], defs[PATH_ROOM], pool[PATH_ROOM];
    make_path(log, dir, process, "log");
    make_path(defs, dir, process, "defs");
    make_path(pool, dir, process, "pool");
    int code = make_log(control, log, process);
    if (code != 0)
        return code;
    code = make_file(defs, RF_DEFS_MADE_SIZE, RF_DEFS_FIRST_SIZE);
    if (code == 0) {
        code = make_pool(control, pool, process);
        if (code != 0)
            (void)unlink(defs);
    }
    if (code != 0)
        (void)unlink(log);
    else
        reserve_slots(dir, process);
    return code;
}

int process_files_open(const char *dir, uint32_t process, enum rf_ask_file file)
{
    char path[PATH_ROOM];
    make_path(path, dir, process, file == RF_ASK_DEFS ? "defs" : "pool");
    return open(path, O_RDWR | O_CLOEXEC);
}

int process_files_reserve(const char *dir, const struct rf_ask *ask)
{
    uint64_t limit =
        ask->file == RF_ASK_DEFS ? DEFS_SIZE_MAX : rf_pool_part_offset(RF_MAX_SLOTS, 0);
    if (ask->file > RF_ASK_POOL || ask->size == 0 || ask->size > limit ||
        ask->offset > limit - ask->size)
        return EINVAL;
    int fd = process_files_open(dir, ask->process, (enum rf_ask_file)ask->file);
    if (fd < 0)
        return errno;
    int code = posix_fallocate(fd, (off_t)ask->offset, (off_t)ask->size);
    (void)close(fd);
    return code;
}
