/* SPDX-License-Identifier: Apache-2.0 */
#include "session/session_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/output.h"
#include "base/random.h"
#include "log/ask.h"
#include "log/clock_reading.h"
#include "log/metrics.h"
#include "log/ticks.h"

#define MAX_NAME_TRIES 10000

/* Reads a small file of /proc or /sys as text; "" where it cannot be read. */
static void read_text(const char *path, char *text, size_t size)
{
    size_t at = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && at + 1 < size) {
        ssize_t n = read(fd, text + at, size - 1 - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    text[at] = '\0';
    if (fd >= 0)
        (void)close(fd);
}

#if defined(__x86_64__)
/* Whether the processor's counter runs at one rate and never stops; the kernel's choice of it as
 * clock says that it is the same on all cores. */
static bool is_counter_steady(const char **reason)
{
    char text[4096];
    read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource", text,
              sizeof(text));
    if (strncmp(text, "tsc", 3) != 0) {
        *reason = "the kernel does not use the TSC as its clock";
        return false;
    }
    read_text("/proc/cpuinfo", text, sizeof(text)); /* the buffer holds the first processor */
    if (strstr(text, " constant_tsc") == NULL || strstr(text, " nonstop_tsc") == NULL) {
        *reason = "the processor's TSC is not invariant";
        return false;
    }
    *reason = "invariant TSC";
    return true;
}
#elif defined(__aarch64__)
static bool is_counter_steady(const char **reason)
{
    *reason = "the architecture's system counter";
    return true;
}
#else
static bool is_counter_steady(const char **reason)
{
    *reason = "this architecture has no counter that programs can read";
    return false;
}
#endif

uint32_t session_clock_kind(const char **reason)
{
    const char *unused;
    if (reason == NULL)
        reason = &unused;
    const char *forced = getenv("RANGEFINDER_CLOCK");
    if (forced != NULL && strcmp(forced, "monotonic") == 0) {
        *reason = "RANGEFINDER_CLOCK=monotonic";
        return RF_CLOCK_MONO;
    }
    return is_counter_steady(reason) ? RF_CLOCK_COUNTER : RF_CLOCK_MONO;
}

/* 32 hex digits with dashes among them. */
static void read_boot_id(uint8_t id[16])
{
    char text[64];
    read_text("/proc/sys/kernel/random/boot_id", text, sizeof(text));
    size_t n = 0;
    for (const char *p = text; *p != '\0' && n < 32; p++) {
        int digit = *p >= '0' && *p <= '9' ? *p - '0' : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10 : -1;
        if (digit < 0)
            continue;
        id[n / 2] = (uint8_t)(id[n / 2] << 4 | digit);
        n++;
    }
}

static void make_session_id(uint8_t id[16])
{
    if (rf_random_bytes(id, 16, GRND_NONBLOCK))
        return;
    uint64_t words[2] = {(uint64_t)rf_clock_ns(CLOCK_REALTIME),
                         (uint64_t)rf_clock_ns(CLOCK_BOOTTIME) << 20 ^ (uint64_t)getpid()};
    memcpy(id, words, 16);
}

static void init_control(struct rf_control *control, const struct session_dir_config *config)
{
    time_t now = time(NULL);
    struct tm local;
    struct stat shm;
    memcpy(control->magic, RF_CONTROL_MAGIC, 8);
    control->version = config->compresses ? RF_FORMAT_COMPRESSED : RF_FORMAT_MAJOR;
    control->size = sizeof(*control);
    make_session_id(control->session_id);
    read_boot_id(control->boot_id);
    control->clock_kind = session_clock_kind(NULL);
    control->overflow = config->overflow;
    control->utc_offset_s = localtime_r(&now, &local) != NULL ? (int32_t)local.tm_gmtoff : 0;
    (void)gethostname(control->host, sizeof(control->host) - 1);
    (void)snprintf(control->product, sizeof(control->product), "rangefinder %s", rf_version());
    control->filter_mode = config->filter_mode;
    control->filter_size = config->filter_size;
    memcpy(control->filter, config->filter, sizeof(control->filter));
    control->job = config->job;
    control->cuda = config->cuda;
    control->cuda_flush_ms = config->cuda_flush_ms;
    if (config->socket != NULL)
        (void)snprintf(control->socket, sizeof(control->socket), "%s", config->socket);
    if (stat(SESSION_SHM_FOLDER, &shm) == 0)
        control->shm_device = shm.st_dev;
    control->records_all = !config->is_focused;
    control->capture = config->capture;
    control->ring.size = config->ring_size;
    control->ring.keep_ns = config->ring_keep_ns;
    control->ring.value_ns = -1;
    control->pieces.is_split = config->is_split;
    control->time_namespace = rf_time_namespace();
    rf_control_read_clocks(control, 0);
    control->n_clocks = 1;
}

static int make_dir(struct session_dir *session, const char *base, struct rf_err *err)
{
    for (int i = 1; i <= MAX_NAME_TRIES; i++) {
        int n = i == 1 ? snprintf(session->dir, sizeof(session->dir), "%s.rfdir", base)
                       : snprintf(session->dir, sizeof(session->dir), "%s-%d.rfdir", base, i);
        if (n < 0 || n >= (int)sizeof(session->dir) - 32) {
            session->dir[0] = '\0';
            return rf_fail(err, RF_ERR_USAGE, "'%s': the name is too long", base);
        }
        if (mkdir(session->dir, 0700) == 0)
            return RF_OK;
        if (errno != EEXIST)
            break;
    }
    int code = errno;
    int status =
        rf_fail(err, RF_ERR_IO, "cannot make the directory '%s': %s", session->dir, strerror(code));
    session->dir[0] = '\0';
    return status;
}

static int make_control(struct session_dir *session, const struct session_dir_config *config,
                        struct rf_err *err)
{
    char path[PATH_MAX + 16];
    (void)snprintf(path, sizeof(path), "%s/" RF_CONTROL_FILE, session->dir);
    session->control_fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    /* allocated now: a full disk is an error here instead of SIGBUS later */
    int code = session->control_fd < 0
                   ? errno
                   : posix_fallocate(session->control_fd, 0, sizeof(struct rf_control));
    if (code != 0)
        return rf_fail(err, RF_ERR_IO, "cannot write '%s': %s", path, rf_write_error(code));
    (void)flock(session->control_fd,
                LOCK_EX |
                    LOCK_NB); /* marks the session as live; not every file system supports it */
    void *page = mmap(NULL, sizeof(struct rf_control), PROT_READ | PROT_WRITE, MAP_SHARED,
                      session->control_fd, 0);
    if (page == MAP_FAILED)
        return rf_fail(err, RF_ERR_IO, "cannot map '%s': %s", path, strerror(errno));
    session->control = page;
    init_control(session->control, config);
    return RF_OK;
}

int session_dir_create(struct session_dir *session, const char *base,
                       const struct session_dir_config *config, struct rf_err *err)
{
    memset(session, 0, sizeof(*session));
    session->control_fd = -1;
    int status = make_dir(session, base, err);
    if (status == RF_OK) {
        status = make_control(session, config, err);
        if (status != RF_OK)
            (void)session_dir_remove(session->dir, NULL);
    }
    if (status != RF_OK)
        session_dir_release(session);
    return status;
}

void session_dir_release(struct session_dir *session)
{
    free(session->first);
    session->first = NULL;
    if (session->control != NULL)
        (void)munmap(session->control, sizeof(struct rf_control));
    if (session->control != NULL || session->control_fd > 0)
        (void)close(session->control_fd);
    session->control = NULL;
    session->control_fd = -1;
    session->dir[0] = '\0';
}

void session_post_message(struct rf_control *control, const char *text)
{
    uint32_t i = __atomic_fetch_add(&control->n_messages, 1, __ATOMIC_RELAXED);
    if (i >= RF_MAX_MESSAGES)
        return;
    /* the first byte last, as the recorder does it: a message is printed once it is there */
    (void)snprintf(control->message[i] + 1, RF_MESSAGE_SIZE - 1, "%s", text + 1);
    __atomic_store_n(&control->message[i][0], text[0], __ATOMIC_RELEASE);
}

void session_dir_count_refused(const struct session_dir *session)
{
    char path[PATH_MAX + 16], line[RF_MESSAGE_SIZE];
    (void)snprintf(path, sizeof(path), "%s/" RF_REFUSED_FILE, session->dir);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        session_post_message(session->control, line);
        (void)__atomic_fetch_add(&session->control->n_failed_processes, 1, __ATOMIC_RELAXED);
    }
    if (file != NULL)
        (void)fclose(file);
}

/* The number behind a prefix, with nothing behind it; NULL: it is another file. */
static const char *number_behind(const char *name, const char *prefix)
{
    const size_t n = strlen(prefix);
    const bool is_one = strncmp(name, prefix, n) == 0 && name[n] != '\0' &&
                        name[n + strspn(name + n, "0123456789")] == '\0';
    return is_one ? name + n : NULL;
}

static bool post_beginning(const struct session_dir *session, int dir_fd, const char *name)
{
    char tool[64], text[RF_MESSAGE_SIZE];
    const char *pid = number_behind(name, RF_BEGINNING_PREFIX);
    const int fd =
        pid != NULL ? openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    const ssize_t n = fd >= 0 ? read(fd, tool, sizeof(tool)) : 0;
    if (fd >= 0)
        (void)close(fd);
    if (n <= 0)
        return false;
    (void)snprintf(text, sizeof(text), "process %.10s ended while the tool '%.*s' was beginning",
                   pid, (int)n, tool);
    session_post_message(session->control, text);
    return true;
}

uint32_t session_dir_note_beginning(const struct session_dir *session)
{
    uint32_t n = 0;
    DIR *stream = opendir(session->dir);
    const struct dirent *entry;
    while (stream != NULL && (entry = readdir(stream)) != NULL)
        n += post_beginning(session, dirfd(stream), entry->d_name);
    if (stream != NULL)
        (void)closedir(stream);
    return n;
}

bool session_dir_is_live(const char *dir)
{
    char path[PATH_MAX + 16];
    (void)snprintf(path, sizeof(path), "%s/" RF_CONTROL_FILE, dir);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_live = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    (void)close(fd);
    return is_live;
}

/* "session", "metrics.log", "refused", chain-N, taken-N, or pNNNNNN (six digits or more) with one
 * of the three endings. */
static bool is_session_file(const char *name)
{
    if (strcmp(name, RF_CONTROL_FILE) == 0 || strcmp(name, RF_METRICS_FILE) == 0 ||
        strcmp(name, RF_REFUSED_FILE) == 0)
        return true;
    if (number_behind(name, RF_BEGINNING_PREFIX) != NULL)
        return true;
    if (strncmp(name, "taken-", strlen("taken-")) == 0)
        return name[strlen("taken-") + strspn(name + strlen("taken-"), "0123456789")] == '\0';
    if (strncmp(name, "piece-", strlen("piece-")) == 0) /* a whole one is a recording */
        return strstr(name, ".tmp-") != NULL;
    size_t digits = name[0] == 'p' ? strspn(name + 1, "0123456789") : 0;
    const char *ending = name + 1 + digits;
    return digits >= 6 && (strcmp(ending, ".log") == 0 || strcmp(ending, ".pool") == 0 ||
                           strcmp(ending, ".defs") == 0);
}

/* Removes the file in /dev/shm that a pool may link to. The directory may come from anywhere, so
 * only what is certainly one of our pools is removed. */
static void remove_link_target(int dir_fd, const char *name)
{
    char target[PATH_MAX];
    struct stat st;
    ssize_t n = readlinkat(dir_fd, name, target, sizeof(target) - 1);
    if (n <= 0)
        return;
    target[n] = '\0';
    const char *file = target + strlen(SESSION_SHM_FOLDER);
    if (strncmp(target, SESSION_SHM_FOLDER SESSION_SHM_PREFIX,
                strlen(SESSION_SHM_FOLDER SESSION_SHM_PREFIX)) == 0 &&
        strchr(file, '/') == NULL && lstat(target, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_uid == geteuid())
        (void)unlink(target);
}

#define REMNANT ".remnant"

bool session_dir_is_remnant(const char *dir)
{
    const char *name = strrchr(dir, '/');
    return strstr(name != NULL ? name : dir, ".rfdir" REMNANT) != NULL;
}

/* Renames the directory to the name of a remnant. Where that fails it is removed under its own
 * name. */
static void rename_to_remnant(const char *dir, char *remnant, size_t size)
{
    (void)snprintf(remnant, size, "%s", dir);
    for (int i = 1; i < MAX_NAME_TRIES && !session_dir_is_remnant(dir); i++) {
        int n = i == 1 ? snprintf(remnant, size, "%s" REMNANT, dir)
                       : snprintf(remnant, size, "%s" REMNANT "-%d", dir, i);
        if (n < (int)size && rename(dir, remnant) == 0)
            return;
        (void)snprintf(remnant, size, "%s", dir);
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
            return;
    }
}

static void remove_files(DIR *stream, int dir_fd)
{
    const struct dirent *entry;
    while ((entry = readdir(stream)) != NULL) {
        if (!is_session_file(entry->d_name))
            continue;
        remove_link_target(dir_fd, entry->d_name);
        (void)unlinkat(dir_fd, entry->d_name, 0);
    }
}

int session_dir_remove(const char *dir, struct rf_err *err)
{
    char remnant[PATH_MAX + 32];
    int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *stream = dir_fd >= 0 ? fdopendir(dir_fd) : NULL;
    if (stream == NULL) {
        int code = errno;
        if (dir_fd >= 0)
            (void)close(dir_fd);
        return rf_fail(err, RF_ERR_IO, "cannot remove '%s': %s", dir, strerror(code));
    }
    rename_to_remnant(dir, remnant, sizeof(remnant));
    remove_files(stream, dir_fd);
    (void)closedir(stream);
    if (rmdir(remnant) == 0)
        return RF_OK;
    int code = errno; /* something else is in it: it keeps its name */
    (void)rename(remnant, dir);
    return rf_fail(err, RF_ERR_IO, "cannot remove '%s': %s", dir, strerror(code));
}
