/* SPDX-License-Identifier: Apache-2.0 */
/* Making a process ready to record: its number in the session, its files, what it is.
 *
 * It happens on a stack of the program's, which may be small: what is large is static, since one
 * thread at a time initialises. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "log/capture.h"
#include "log/file_header.h"
#include "record/stream/emit.h"

struct rf_recorder rf_recorder;
const struct rf_hooks *rf_hooks;

#define TMPFS_FREE_MIN (256ULL << 20)
#define TMPFS_TYPE     0x01021994

#define START_PATIENCE_NS 20000000000

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
        return rf_note("openat", fd) == 0;
    long n = rf_sys_write(fd, &header, sizeof(header));
    rf_sys_close(fd);
    return rf_note("write", n) == (long)sizeof(header);
}

/* May the pool stand in /dev/shm? Only if that is the command line's /dev/shm too, and roomy. */
static bool is_shm_good(void)
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
    if (is_shm_good() && make_pool_in_shm(path))
        return true;
    memcpy(r->pool_path, path, sizeof(path));
    return rf_pool_create(-1);
}

/* It is its owner's alone: who may read it may write to it. */
static bool is_directory_open(void)
{
    int fd = rf_sys_open(rf_recorder.session, O_RDONLY | O_DIRECTORY, 0);
    if (fd >= 0)
        rf_sys_close(fd);
    return fd >= 0;
}

/* Takes the lowest number whose files the command line has made beforehand. */
static bool take_spare(uint32_t *process)
{
    uint32_t *spare = rf_recorder.control->spare;
    for (;;) {
        uint32_t best = 0;
        for (uint32_t i = 0; i < RF_MAX_SPARES; i++) {
            uint32_t seen = __atomic_load_n(&spare[i], __ATOMIC_RELAXED);
            uint32_t lowest = __atomic_load_n(&spare[best], __ATOMIC_RELAXED);
            if (seen != 0 && (lowest == 0 || seen < lowest))
                best = i;
        }
        uint32_t number = __atomic_load_n(&spare[best], __ATOMIC_ACQUIRE);
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

static void name_files(void)
{
    struct rf_recorder *r = &rf_recorder;
    make_path(r->defs_path, sizeof(r->defs_path), ".defs");
    make_path(r->log_path, sizeof(r->log_path), ".log");
}

/* Where it cannot, files of another number are made here: these may lead to another /dev/shm. */
static bool open_spare(void)
{
    struct rf_recorder *r = &rf_recorder;
    int fds[RF_ASK_MAX_FDS] = {-1, -1};
    if (!take_spare(&r->process))
        return false;
    name_files();
    make_path(r->pool_path, sizeof(r->pool_path), ".pool");
    fds[RF_ASK_DEFS] = rf_sys_open(r->defs_path, O_RDWR, 0);
    fds[RF_ASK_POOL] = rf_sys_open(r->pool_path, O_RDWR, 0);
    bool is_made = fds[RF_ASK_DEFS] >= 0 && fds[RF_ASK_POOL] >= 0 &&
                   rf_defs_create(fds[RF_ASK_DEFS]) && rf_pool_create(fds[RF_ASK_POOL]);
    rf_ask_close(fds);
    if (!is_made)
        (void)__atomic_fetch_add(&r->control->n_unused, 1, __ATOMIC_RELAXED);
    return is_made;
}

/* The command line makes the files of a process that has no way to them. Returns 0 or a negative
 * errno. */
static long ask_for_files(void)
{
    struct rf_recorder *r = &rf_recorder;
    struct rf_ask ask = {.kind = RF_ASK_FILES, .process = r->process};
    int fds[RF_ASK_MAX_FDS];
    long status = rf_ask(&ask, fds);
    if (status < 0)
        return status;
    r->was_handed_files = 1;
    bool is_made = rf_defs_create(fds[RF_ASK_DEFS]) && rf_pool_create(fds[RF_ASK_POOL]);
    rf_ask_close(fds);
    return is_made ? 0 : -ENOMEM;
}

static bool make_files(void)
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
               rf_session_fail("could not make its files in the session directory");
    long status = ask_for_files();
    return status == 0 ||
           rf_session_fail(
               status == -EAGAIN || status == -EINTR
                   ? "cannot open the session, and the command line does not answer"
               : status == -ENOMEM ? "cannot map the session's files"
               : status == -ECONNREFUSED || status == -ENOENT
                   ? "cannot open the session (another user's?), nor reach a command line"
                   : "cannot open the session, nor can the command line for it");
}

/* ---- What this process is ---- */

static void say_text(enum rf_proc_key key, const char *text, size_t size)
{
    (void)rf_defs_add(RF_REC_PROCESS, (uint32_t)key, 0, 0, 0, text, size);
}

static void say_number(enum rf_proc_key key, uint64_t value)
{
    (void)rf_defs_add(RF_REC_PROCESS, (uint32_t)key, 0, value, 0, NULL, 0);
}

static void say_arguments(void)
{
    static char buffer[65536];
    int fd = rf_sys_open("/proc/self/cmdline", O_RDONLY, 0);
    if (fd < 0)
        return;
    size_t size = 0;
    long n;
    while (size < sizeof(buffer) && (n = rf_sys_read(fd, buffer + size, sizeof(buffer) - size)) > 0)
        size += (size_t)n;
    rf_sys_close(fd);
    for (size_t at = 0; at < size;) {
        size_t length = strnlen(buffer + at, size - at);
        say_text(RF_PROC_ARG, buffer + at, length);
        at += length + 1;
    }
}

static void say_link(enum rf_proc_key key, const char *link, bool with_name)
{
    static char path[PATH_MAX];
    long n = rf_recorder.has_filter
                 ? (long)rf_confined_path(key, path, sizeof(path))
                 : RF_SYSCALL4(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
    if (n <= 0)
        return;
    path[n] = '\0';
    say_text(key, path, (size_t)n);
    const char *name = strrchr(path, '/');
    if (with_name && name != NULL)
        say_text(RF_PROC_NAME, name + 1, strlen(name + 1));
}

/* Fields 4 (parent) and 22 (start time) of /proc/self/stat, behind the name in parentheses. */
static void say_stat(void)
{
    static char text[1024];
    int fd = rf_sys_open("/proc/self/stat", O_RDONLY, 0);
    if (fd < 0)
        return;
    long n = rf_sys_read(fd, text, sizeof(text) - 1);
    rf_sys_close(fd);
    if (n <= 0)
        return;
    text[n] = '\0';
    const char *p = strrchr(text, ')');
    for (int field = 2; p != NULL && *p != '\0'; p++) {
        if (*p != ' ')
            continue;
        field++;
        if (field != 4 && field != 22)
            continue;
        uint64_t value = 0;
        for (const char *digit = p + 1; *digit >= '0' && *digit <= '9'; digit++)
            value = value * 10 + (uint64_t)(*digit - '0');
        say_number(field == 4 ? RF_PROC_PPID : RF_PROC_START_TIME, value);
        if (field == 22)
            rf_pool_header()->start_time = value;
    }
}

/* The environment holds secrets: these names only. */
static void say_environment(void)
{
    static const char *const names[] = {
        "CUDA_VISIBLE_DEVICES",
        "CUDA_DEVICE_ORDER",
        "OMP_NUM_THREADS",
        "RANK",
        "LOCAL_RANK",
        "WORLD_SIZE",
        "LOCAL_WORLD_SIZE",
        "NODE_RANK",
        "GROUP_RANK",
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "PMI_RANK",
        "PMI_SIZE",
        "PMIX_RANK",
        "MV2_COMM_WORLD_RANK",
        "SLURM_JOB_ID",
        "SLURM_PROCID",
        "SLURM_LOCALID",
        "SLURM_NODEID",
        "SLURM_NTASKS",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);
        if (value == NULL)
            continue;
        static char text[512];
        size_t at = rf_put_text(text, sizeof(text), 0, names[i]);
        at = rf_put_text(text, sizeof(text), at, "=");
        at = rf_put_text(text, sizeof(text), at, value);
        say_text(RF_PROC_ENV, text, at);
    }
}

static void say_process(void)
{
    uint64_t pid_ns = rf_inode_of("/proc/self/ns/pid");
    say_number(RF_PROC_PID, rf_sys_getpid());
    say_stat();
    say_number(RF_PROC_PID_NS, pid_ns);
    rf_pool_header()->pid_ns = pid_ns;
    if (rf_recorder.parent != UINT32_MAX)
        say_number(RF_PROC_FORK_OF, rf_recorder.parent);
    say_link(RF_PROC_EXE, "/proc/self/exe", true);
    say_arguments();
    say_link(RF_PROC_CWD, "/proc/self/cwd", false);
    say_environment();
}

/* ---- Starting ---- */

/* A new set of writers, in pages that a fork empties. The old set stays: a thread of a forked child
 * may still point into it, and finds zeros there. */
static struct rf_local *make_local(void)
{
    size_t size =
        rf_recorder.is_focused ? sizeof(struct rf_local) : offsetof(struct rf_local, idle);
    struct rf_local *local =
        rf_map(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (local == NULL)
        return NULL;
    if (rf_note("madvise", rf_sys_madvise(local, size, MADV_WIPEONFORK)) < 0) {
        (void)rf_sys_munmap(local, size);
        return NULL;
    }
    local->is_made = 1;
    return local;
}

/* Puts the pool aside and unmaps the one that was put aside before, the grandparent's. The pointer
 * goes first: a child that is forked in between must not unmap an address that is somebody else's
 * by then. */
static void put_pool_aside(void)
{
    struct rf_recorder *r = &rf_recorder;
    uint8_t *older = __atomic_exchange_n(&r->old_pool, NULL, __ATOMIC_RELAXED);
    if (older != NULL)
        (void)rf_sys_munmap(older, r->old_pool_size);
    r->old_pool_size = r->pool_size;
    uint8_t *old = __atomic_exchange_n(&r->pool, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&r->old_pool, old, __ATOMIC_RELAXED);
}

/* The files of this process, and what it is. Whatever an earlier start left here, complete or cut
 * off by a fork, is made anew. */
static bool make_process(uint32_t parent)
{
    struct rf_recorder *r = &rf_recorder;
    put_pool_aside();
    r->parent = parent;
    if (!make_files())
        return false;
    say_process();
    rf_session_add_clock();
    r->origin = r->process;
    return true;
}

/* This process is no fork of a recorded one, or begins a session of its own. */
static uint32_t start_first(void)
{
    return make_process(UINT32_MAX) ? RF_LOCAL_READY : RF_LOCAL_OFF;
}

static uint32_t busy_with(uint32_t tid)
{
    return tid << RF_LOCAL_STATUS_BITS | RF_LOCAL_BUSY;
}

/* A forked child gets writers of its own. They are published when they are complete and BUSY: to
 * all other threads of the child a start is under way, whichever set they look at. */
static uint32_t start_child(const struct rf_local *wiped, uint32_t tid)
{
    struct rf_recorder *r = &rf_recorder;
    struct rf_local *local = make_local();
    if (local == NULL) {
        (void)rf_session_fail("cannot be recorded");
        return RF_LOCAL_OFF;
    }
    local->status = busy_with(tid);
    __atomic_store_n(&r->local, local, __ATOMIC_SEQ_CST);
    if (r->is_standby) /* names must not miss the copy that the session's stream begins with */
        (void)rf_standby_wait_for_naming(wiped);
    uint32_t status = make_process(r->origin) ? RF_LOCAL_READY : RF_LOCAL_OFF;
    __atomic_store_n(&local->status, status, __ATOMIC_RELEASE);
    return status;
}

/* Waits for the thread that is initialising; a signal handler on that very thread must not. Where
 * it does not come to an end, the process is not recorded until it does: only once is waited. */
static bool wait_for_start(struct rf_local *local, uint32_t status, uint32_t tid)
{
    int64_t until = rf_clock_ns(CLOCK_MONOTONIC) + START_PATIENCE_NS;
    while (status != RF_LOCAL_READY && status != RF_LOCAL_OFF) {
        if (status == busy_with(tid))
            return false;
        if (rf_clock_ns(CLOCK_MONOTONIC) >= until &&
            __atomic_compare_exchange_n(&local->status, &status, RF_LOCAL_OFF, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
            return false;
        rf_sys_sleep_us(100);
        status = __atomic_load_n(&local->status, __ATOMIC_ACQUIRE);
    }
    return status == RF_LOCAL_READY;
}

bool rf_process_ensure(void)
{
    struct rf_local *local = __atomic_load_n(&rf_recorder.local, __ATOMIC_ACQUIRE);
    uint32_t status = __atomic_load_n(&local->status, __ATOMIC_ACQUIRE);
    if (status == RF_LOCAL_READY || status == RF_LOCAL_OFF)
        return status == RF_LOCAL_READY;
    int saved_errno = errno;
    uint32_t tid = rf_sys_gettid();
    uint64_t signals = rf_sys_block_signals(); /* what a handler annotated would be lost */
    status = RF_LOCAL_FRESH;
    bool is_ours = __atomic_compare_exchange_n(&local->status, &status, busy_with(tid), false,
                                               __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (is_ours) {
        status = local->is_made ? start_first() : start_child(local, tid);
        __atomic_store_n(&local->status, status, __ATOMIC_RELEASE);
    }
    rf_sys_restore_signals(signals);
    errno = saved_errno;
    return is_ours ? status == RF_LOCAL_READY : wait_for_start(local, status, tid);
}

struct rf_local *rf_process_own_local(void)
{
    struct rf_local *local = rf_recorder.local;
    if (local->is_made)
        return local;
    local = make_local();
    if (local != NULL)
        __atomic_store_n(&rf_recorder.local, local, __ATOMIC_SEQ_CST);
    return local;
}

/* ---- The library's start and end ---- */

typedef unsigned int rf_pthread_key;
#if defined(__x86_64__)
__asm__(".symver pthread_key_create,pthread_key_create@GLIBC_2.2.5");
#else
__asm__(".symver pthread_key_create,pthread_key_create@GLIBC_2.17");
#endif
extern int pthread_key_create(rf_pthread_key *key, void (*destroy)(void *)) __attribute__((weak));

static bool start_recorder(enum rf_standby_wish wish)
{
    struct rf_recorder *r = &rf_recorder;
    const char *preload = getenv("LD_PRELOAD");
    r->is_watched = preload != NULL && strstr(preload, "vgpreload") != NULL;
    r->has_filter = rf_is_confined();
    bool is_open = wish == RF_STANDBY_YES ? rf_standby_open() : rf_session_open();
    struct rf_local *local = is_open && rf_trigger_prepare() ? make_local() : NULL;
    if (local == NULL)
        return rf_session_fail("cannot be recorded");
    rf_pthread_key key;
    r->clock_kind = r->control->clock_kind;
    r->is_slow = r->is_watched || r->is_standby || r->clock_kind != RF_CLOCK_COUNTER;
    r->domain_floor = rf_defs_is_default_excluded();
    __atomic_store_n(&r->local, local, __ATOMIC_RELEASE);
    if (pthread_key_create != NULL && pthread_key_create(&key, rf_writer_thread_exit) == 0)
        r->key = key + 1;
    rf_fork_watch();
    return r->is_standby || rf_process_ensure();
}

/* Makes this thread the one that starts the recorder, or waits until another has: false. In a
 * forked child that other thread may be none of this process. */
static bool become_starter(uint32_t *starter, uint32_t started)
{
    uint32_t self = rf_sys_getpid();
    uint32_t seen = 0;
    while (!__atomic_compare_exchange_n(starter, &seen, self, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
        if (seen == started)
            return false;
        if (seen == self) {
            rf_sys_sleep_us(50);
            seen = 0;
        }
    }
    return true;
}

bool rf_recorder_start(void)
{
    enum { STARTED = -1 };
    static uint32_t starter; /* 0, the process whose thread starts the recorder, or STARTED */
    struct rf_recorder *r = &rf_recorder;
    enum rf_standby_wish wish = rf_standby_wish();
    if (wish == RF_STANDBY_DECLINED)
        return false;
    uint64_t signals = rf_sys_block_signals(); /* a handler must not wait for its own thread */
    bool is_ready = false;
    bool is_first = become_starter(&starter, (uint32_t)STARTED);
    if (is_first) {
        is_ready = start_recorder(wish);
        __atomic_store_n(&starter, (uint32_t)STARTED, __ATOMIC_RELEASE);
    }
    rf_sys_restore_signals(signals);
    /* else another copy of the NVTX headers in this process was first */
    return is_first ? is_ready : r->is_standby || (r->local != NULL && rf_process_ensure());
}

/* exit() or a return from main. Nothing is torn down: what runs after this may annotate too. */
__attribute__((destructor)) static void at_exit(void)
{
    struct rf_local *local = rf_recorder.local;
    if (local == NULL || __atomic_load_n(&local->status, __ATOMIC_ACQUIRE) != RF_LOCAL_READY)
        return;
    if (rf_recorder.is_standby && !rf_capture_is_on(rf_capture_word(rf_recorder.control)))
        return;
    rf_trigger_process_exit();
    say_number(RF_PROC_EXIT, 0);
    rf_session_add_clock();
}
