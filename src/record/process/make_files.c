/* SPDX-License-Identifier: Apache-2.0 */
/* The files of this process. One thread at a time makes them, on a stack of the program's, which
 * may be small: what is large is static. */
#include "record/process/make_files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "log/file_header.h"
#include "record/names/defs.h"
#include "record/process/ask_command_line.h"
#include "record/process/files.h"
#include "record/process/session_page.h"
#include "record/stream/pool.h"
#include "record/text.h"

#define TMPFS_FREE_MIN (256ULL << 20)
#define TMPFS_TYPE     0x01021994

static void make_path(char *path, size_t size, const char *suffix)
{
    size_t at = rf_put_text(path, size, 0, rf_recorder.session);
    at = rf_put_text(path, size, at, "/p");
    at = rf_put_number(path, size, at, rf_recorder.process, 6);
    (void)rf_put_text(path, size, at, suffix);
}

static bool make_log(void)
{
    struct rf_recorder *r = &rf_recorder;
    const struct rf_file_header header = rf_file_header_of(r->control);
    int fd = rf_sys_open(r->log_path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600);
    if (fd < 0)
        return rf_note_refused("openat", fd) == 0;
    long n = rf_sys_write(fd, &header, sizeof(header));
    rf_sys_close(fd);
    return rf_note_refused("write", n) == (long)sizeof(header);
}

/* May the pool be in /dev/shm? Only if that is the same /dev/shm as the command line's, and has
 * room. */
static bool can_use_shm(void)
{
    struct stat st;
    struct statfs fs;
#if defined(__x86_64__)
    long status = RF_SYSCALL4(SYS_stat, "/dev/shm", &st, 0, 0);
#else
    long status = RF_SYSCALL4(SYS_newfstatat, AT_FDCWD, "/dev/shm", &st, 0);
#endif
    if (status < 0 || st.st_dev != rf_recorder.control->shm_device ||
        rf_recorder.control->shm_device == 0)
        return false;
    return RF_SYSCALL4(SYS_statfs, "/dev/shm", &fs, 0, 0) == 0 && fs.f_type == TMPFS_TYPE &&
           (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize >= TMPFS_FREE_MIN;
}

static bool make_pool_in_shm(const char *link)
{
    static const char hex[] = "0123456789abcdef";
    struct rf_recorder *r = &rf_recorder;
    char id[17] = {0};
    for (int i = 0; i < 8; i++) {
        id[2 * i] = hex[r->control->session_id[i] >> 4];
        id[2 * i + 1] = hex[r->control->session_id[i] & 15];
    }
    size_t at = rf_put_text(r->pool_path, sizeof(r->pool_path), 0, "/dev/shm/rangefinder-");
    at = rf_put_text(r->pool_path, sizeof(r->pool_path), at, id);
    at = rf_put_text(r->pool_path, sizeof(r->pool_path), at, "-p");
    at = rf_put_number(r->pool_path, sizeof(r->pool_path), at, r->process, 6);
    (void)rf_put_text(r->pool_path, sizeof(r->pool_path), at, ".pool");
    if (RF_SYSCALL4(SYS_symlinkat, r->pool_path, AT_FDCWD, link, 0) < 0)
        return false;
    if (rf_pool_create(-1))
        return true;
    (void)rf_sys_unlink(link);
    (void)rf_sys_unlink(r->pool_path);
    return false;
}

static bool make_pool(void)
{
    struct rf_recorder *r = &rf_recorder;
    static char path[sizeof(r->pool_path)];
    make_path(path, sizeof(path), ".pool");
    if (can_use_shm() && make_pool_in_shm(path))
        return true;
    memcpy(r->pool_path, path, sizeof(path));
    return rf_pool_create(-1);
}

/* Can this process open the session directory? Only its owner can: whoever may read it may write
 * to it. */
static bool is_directory_open(void)
{
    int fd = rf_sys_open(rf_recorder.session, O_RDONLY | O_DIRECTORY, 0);
    if (fd >= 0)
        rf_sys_close(fd);
    return fd >= 0;
}

/* Takes the lowest process number whose files the command line has made beforehand. A forked
 * process, or the image that exec starts, has a higher number than its origin (docs/format.md,
 * newest), which may have taken one of its own while the command line was still making the files of
 * a lower one. */
static bool claim_spare(uint32_t *process)
{
    uint32_t *spare = rf_recorder.control->spare;
    const uint32_t newest = __atomic_load_n(&rf_recorder.control->newest, __ATOMIC_RELAXED);
    for (;;) {
        uint32_t best = 0, number = 0;
        for (uint32_t i = 0; i < RF_MAX_SPARES; i++) {
            uint32_t seen = __atomic_load_n(&spare[i], __ATOMIC_RELAXED);
            if (seen > newest && (number == 0 || seen < number)) {
                best = i;
                number = seen;
            }
        }
        if (number == 0)
            return false;
        /* acquire: pairs with the release of who made the files */
        if (__atomic_compare_exchange_n(&spare[best], &number, 0, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            *process = number - 1;
            return true;
        }
    }
}

static void raise_newest(uint32_t number)
{
    uint32_t *newest = &rf_recorder.control->newest;
    uint32_t seen = __atomic_load_n(newest, __ATOMIC_RELAXED);
    while (seen < number && !__atomic_compare_exchange_n(newest, &seen, number, true,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void name_files(void)
{
    struct rf_recorder *r = &rf_recorder;
    raise_newest(r->process + 1);
    make_path(r->defs_path, sizeof(r->defs_path), ".defs");
    make_path(r->log_path, sizeof(r->log_path), ".log");
}

/* Opens files that were made beforehand. If that fails, files of another number are made here:
 * these may lead to another /dev/shm. */
static bool open_spare(void)
{
    struct rf_recorder *r = &rf_recorder;
    int fds[RF_ASK_MAX_FDS] = {-1, -1};
    if (!claim_spare(&r->process))
        return false;
    name_files();
    make_path(r->pool_path, sizeof(r->pool_path), ".pool");
    fds[RF_ASK_DEFS] = rf_sys_open(r->defs_path, O_RDWR, 0);
    fds[RF_ASK_POOL] = rf_sys_open(r->pool_path, O_RDWR, 0);
    bool is_made = fds[RF_ASK_DEFS] >= 0 && fds[RF_ASK_POOL] >= 0 &&
                   rf_defs_create(fds[RF_ASK_DEFS]) && rf_pool_create(fds[RF_ASK_POOL]);
    rf_ask_close_fds(fds);
    if (!is_made)
        (void)__atomic_fetch_add(&r->control->n_unused, 1, __ATOMIC_RELAXED);
    return is_made;
}

/* The command line makes the files of a process that cannot open the directory. Returns 0 or a
 * negative errno. */
static long ask_for_files(void)
{
    struct rf_recorder *r = &rf_recorder;
    struct rf_ask ask = {.kind = RF_ASK_FILES, .process = r->process};
    int fds[RF_ASK_MAX_FDS];
    long status = rf_ask_command_line(&ask, fds);
    if (status < 0)
        return status;
    r->was_handed_files = 1;
    bool is_made = rf_defs_create(fds[RF_ASK_DEFS]) && rf_pool_create(fds[RF_ASK_POOL]);
    rf_ask_close_fds(fds);
    return is_made ? 0 : -ENOMEM;
}

bool rf_make_files(void)
{
    struct rf_recorder *r = &rf_recorder;
    r->was_handed_files = 0;
    r->refused_call = NULL;
    bool is_open = is_directory_open();
    if (is_open && open_spare())
        return true;
    r->process = __atomic_fetch_add(&r->control->n_processes, 1, __ATOMIC_RELAXED);
    name_files();
    if (is_open)
        return (rf_defs_create(-1) && make_log() && make_pool()) ||
               rf_session_report_failure("could not make its files in the session directory");
    long status = ask_for_files();
    return status == 0 ||
           rf_session_report_failure(
               status == -EAGAIN || status == -EINTR
                   ? "cannot open the session, and the command line does not answer"
               : status == -ENOMEM ? "cannot map the session's files"
               : status == -ECONNREFUSED || status == -ENOENT
                   ? "cannot open the session (another user's?), nor reach a command line"
                   : "cannot open the session, nor can the command line for it");
}
