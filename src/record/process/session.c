/* SPDX-License-Identifier: Apache-2.0 */
/* The session that this process records into: the one that the command line made, or, with
 * NVTX_INJECTION64_PATH set by hand, ./rangefinder-PID.rfdir. One thread at a time is here; what is
 * large is static, since its stack may be small. */
#include "record/process/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include "log/ticks.h"
#include "record/process/ask_command_line.h"
#include "record/process/files.h"
#include "record/text.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Two installations have met: the command line, which prints this, is of another version. */
static const char other_version[] = "has the recorder of rangefinder " RF_PRODUCT_VERSION
                                    ", which does not know this session: use one installation";

/* place: what is mapped there is replaced; NULL: anywhere. */
static void *map_control(const char *path, void *place)
{
    char last;
    int fds[RF_ASK_MAX_FDS] = {rf_sys_open(path, O_RDWR, 0)};
    struct rf_ask ask = {.kind = RF_ASK_CONTROL};
    /* this process has another user or root directory: the command line opens it */
    if (rf_note_refused("openat", fds[0]) < 0 && rf_ask_command_line(&ask, fds) < 0)
        return NULL;
    void *mapping = NULL;
    long n = RF_SYSCALL4(SYS_pread64, fds[0], &last, 1, sizeof(struct rf_control) - 1);
    if (n == 0)
        rf_recorder.refusal = other_version;
    else if (n == 1)
        mapping =
            rf_map(place, sizeof(struct rf_control), PROT_READ | PROT_WRITE, MAP_SHARED, fds[0]);
    rf_sys_close(fds[0]);
    return mapping;
}

static bool join(const char *directory)
{
    struct rf_recorder *r = &rf_recorder;
    static char path[sizeof(r->session) + 16];
    size_t at = rf_put_text(r->session, sizeof(r->session), 0, directory);
    if (directory[0] != '/' || directory[at] != '\0')
        return false;
    at = rf_put_text(path, sizeof(path), 0, directory);
    (void)rf_put_text(path, sizeof(path), at, "/" RF_CONTROL_FILE);
    struct rf_control *control = map_control(path, NULL);
    if (control == NULL)
        return false;
    if (memcmp(control->magic, RF_CONTROL_MAGIC, sizeof(control->magic)) != 0 ||
        !rf_format_is_known(control->version) || control->size != sizeof(*control)) {
        r->refusal = other_version;
        (void)rf_sys_munmap(control, sizeof(*control));
        return false;
    }
    r->control = control;
    return true;
}

/* ---- A session by hand ---- */

/* Is the processor's counter the kernel's own clock? Then it is invariant on every core. */
static uint32_t choose_clock(void)
{
    const char *wish = getenv("RANGEFINDER_CLOCK");
    if (wish != NULL && strcmp(wish, "monotonic") == 0)
        return RF_CLOCK_MONO;
#if defined(__x86_64__)
    char name[8] = {0};
    uint32_t a = 0;
    uint32_t b = 0;
    uint32_t c = 0;
    uint32_t d = 0;
    int fd = rf_sys_open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                         O_RDONLY, 0);
    if (fd >= 0) {
        (void)rf_sys_read(fd, name, sizeof(name) - 1);
        rf_sys_close(fd);
    }
    if (strcmp(name, "tsc\n") != 0 || !__get_cpuid(0x80000007u, &a, &b, &c, &d) || !(d & 1u << 8))
        return RF_CLOCK_MONO;
#endif
    return RF_CLOCK_COUNTER;
}

static void read_boot_id(uint8_t id[16])
{
    char text[40] = {0};
    int fd = rf_sys_open("/proc/sys/kernel/random/boot_id", O_RDONLY, 0);
    if (fd < 0)
        return;
    (void)rf_sys_read(fd, text, sizeof(text) - 1);
    rf_sys_close(fd);
    int digit = 0;
    for (const char *p = text; *p != '\0' && digit < 32; p++) {
        int value = *p >= '0' && *p <= '9' ? *p - '0' : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10 : -1;
        if (value < 0)
            continue;
        id[digit / 2] = (uint8_t)(id[digit / 2] << 4 | value);
        digit++;
    }
}

static bool look_at(const char *path, struct stat *st)
{
#if defined(__x86_64__)
    return RF_SYSCALL4(SYS_stat, path, st, 0, 0) == 0;
#else
    return RF_SYSCALL4(SYS_newfstatat, AT_FDCWD, path, st, 0) == 0;
#endif
}

static void fill_control(struct rf_control *control)
{
    struct utsname uts;
    struct stat st;
    control->version = RF_FORMAT_MAJOR;
    control->size = sizeof(*control);
    (void)RF_SYSCALL4(SYS_getrandom, control->session_id, sizeof(control->session_id), 0, 0);
    read_boot_id(control->boot_id);
    control->clock_kind = rf_recorder.clock_kind != 0 ? rf_recorder.clock_kind : choose_clock();
    control->is_by_hand = 1;
    control->records_all = !rf_recorder.is_standby;
    control->capture.max_windows = rf_recorder.is_standby;
    if (RF_SYSCALL4(SYS_uname, &uts, 0, 0, 0) == 0)
        (void)rf_put_text(control->host, sizeof(control->host), 0, uts.nodename);
    (void)rf_put_text(control->product, sizeof(control->product), 0,
                      "rangefinder " RF_PRODUCT_VERSION);
    if (look_at("/dev/shm", &st))
        control->shm_device = st.st_dev;
    if (look_at("/proc/self/ns/time", &st))
        control->time_namespace = st.st_ino;
    control->root_pid = rf_sys_getpid();
    control->clock[0] = rf_clock_pair_take(control->clock_kind);
    control->n_clocks = 1;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(control->magic, RF_CONTROL_MAGIC, sizeof(control->magic));
}

static bool make_control(const char *directory)
{
    static char path[PATH_MAX];
    size_t at = rf_put_text(path, sizeof(path), 0, directory);
    (void)rf_put_text(path, sizeof(path), at, "/" RF_CONTROL_FILE);
    int fd = rf_sys_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return false;
    rf_sys_close(fd);
    struct rf_control *control = NULL;
    if (rf_file_reserve(path, 0, sizeof(struct rf_control)) >= 0)
        control = map_control(path, NULL);
    if (control == NULL) {
        (void)rf_sys_unlink(path);
        return false;
    }
    fill_control(control);
    (void)rf_sys_munmap(control, sizeof(*control));
    return true;
}

static bool open_by_hand(void)
{
    static char directory[PATH_MAX];
    if (RF_SYSCALL4(SYS_getcwd, directory, sizeof(directory) - 64, 0, 0) < 0)
        return false;
    size_t at = strlen(directory);
    at = rf_put_text(directory, sizeof(directory), at, "/rangefinder-");
    at = rf_put_number(directory, sizeof(directory), at, rf_sys_getpid(), 1);
    /* the name may be taken: this process's image before exec, or an old process of this pid */
    for (uint64_t i = 1; i < 1000; i++) {
        size_t end = at;
        if (i > 1) {
            end = rf_put_text(directory, sizeof(directory), end, ".");
            end = rf_put_number(directory, sizeof(directory), end, i, 1);
        }
        (void)rf_put_text(directory, sizeof(directory), end, ".rfdir");
        long status = RF_SYSCALL4(SYS_mkdirat, AT_FDCWD, directory, 0700, 0);
        if (status == 0 && make_control(directory))
            return join(directory);
        if (status == 0) /* leave nothing behind */
            (void)RF_SYSCALL4(SYS_unlinkat, AT_FDCWD, directory, AT_REMOVEDIR, 0);
        if (status == 0)
            return false;
        if (status != -17 /* EEXIST */)
            return false;
    }
    return false;
}

bool rf_session_open(void)
{
    const char *directory = getenv("RANGEFINDER_SESSION");
    return directory != NULL && directory[0] != '\0' ? join(directory) : open_by_hand();
}

/* ---- Sessions in standby ---- */

bool rf_session_make(const char *directory)
{
    struct rf_recorder *r = &rf_recorder;
    static char path[sizeof(r->session) + 16];
    size_t at = rf_put_text(r->session, sizeof(r->session), 0, directory);
    if (directory[0] != '/' || directory[at] != '\0' || !make_control(directory))
        return false;
    at = rf_put_text(path, sizeof(path), 0, directory);
    (void)rf_put_text(path, sizeof(path), at, "/" RF_CONTROL_FILE);
    return map_control(path, r->control) != NULL;
}

bool rf_session_blank(void)
{
    struct rf_recorder *r = &rf_recorder;
    void *page = rf_sys_mmap_at(r->control, sizeof(*r->control), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (page == NULL)
        return false;
    if (r->control == NULL) /* otherwise the page is mapped already, and threads are reading it */
        r->control = page;
    r->control->clock_kind = r->clock_kind != 0 ? r->clock_kind : choose_clock();
    return true;
}
