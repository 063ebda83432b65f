/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtxw/nvtxw_session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/output.h"
#include "log/file_header.h"
#include "log/pack.h"
#include "nvtxw/nvtxw_config.h"
#include "nvtxw/nvtxw_defs.h"
#include "nvtxw/nvtxw_error.h"
#include "nvtxw/nvtxw_extents.h"
#include "nvtxw/nvtxw_stream.h"
#include "record/nvtx/read_sized.h"

#define MOST_NAMES 10000

static struct nvtxw_session *all;

/* ---- Files ---- */

static int fail_file(const struct nvtxw_session *session, const char *name, int code)
{
    return nvtxw_fail(NVTXW_FAILED, "cannot write '%s/%s': %s", session->dir.dir, name,
                      rf_write_error(code));
}

/* Makes a file that begins with a header. */
static int make_file(const struct nvtxw_session *session, const char *name, int flags,
                     const void *header, size_t size, int *fd)
{
    char path[PATH_MAX + 16];
    (void)snprintf(path, sizeof(path), "%s/%s", session->dir.dir, name);
    *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | flags, 0600);
    if (*fd < 0)
        return fail_file(session, name, errno);
    const ssize_t n = write(*fd, header, size);
    return n == (ssize_t)size ? NVTXW_SUCCESS : fail_file(session, name, n < 0 ? errno : ENOSPC);
}

/* Field 22 of /proc/self/stat, behind the name in parentheses. */
static uint64_t read_start_time(void)
{
    char text[1024];
    unsigned long long value = 0;
    FILE *file = fopen("/proc/self/stat", "re");
    const size_t n = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;
    text[n] = '\0';
    const char *p = strrchr(text, ')');
    for (int field = 2; p != NULL && field < 22; field++)
        p = strchr(p + 1, ' ');
    if (p != NULL)
        value = strtoull(p + 1, NULL, 10);
    if (file != NULL)
        (void)fclose(file);
    return value;
}

static int make_pool(struct nvtxw_session *session)
{
    struct rf_pool_header header = {.version = RF_FORMAT_MAJOR, .pid = (uint32_t)getpid()};
    struct stat st;
    memcpy(header.magic, RF_POOL_MAGIC, sizeof(header.magic));
    memcpy(header.session_id, session->dir.control->session_id, sizeof(header.session_id));
    header.start_time = read_start_time();
    header.pid_ns = stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
    int result = make_file(session, "p000000.pool", 0, &header, sizeof(header), &session->pool_fd);
    if (result != NVTXW_SUCCESS)
        return result;
    const int code = posix_fallocate(session->pool_fd, 0, RF_POOL_SLOTS_END);
    void *pool = code == 0 ? mmap(NULL, RF_POOL_SLOTS_END, PROT_READ | PROT_WRITE, MAP_SHARED,
                                  session->pool_fd, 0)
                           : MAP_FAILED;
    if (pool == MAP_FAILED)
        return fail_file(session, "p000000.pool", code != 0 ? code : errno);
    session->pool = pool;
    return NVTXW_SUCCESS;
}

static int make_files(struct nvtxw_session *session)
{
    struct rf_defs_header defs = {.version = RF_FORMAT_MAJOR};
    memcpy(defs.magic, RF_DEFS_MAGIC, sizeof(defs.magic));
    memcpy(defs.session_id, session->dir.control->session_id, sizeof(defs.session_id));
    const struct rf_file_header log = rf_file_header_of(session->dir.control);
    int result = make_file(session, "p000000.defs", 0, &defs, sizeof(defs), &session->defs_fd);
    if (result == NVTXW_SUCCESS)
        result = make_file(session, "p000000.log", O_APPEND, &log, sizeof(log), &session->log_fd);
    if (result == NVTXW_SUCCESS)
        result = make_pool(session);
    session->defs_size = sizeof(defs);
    return result;
}

/* ---- What the session is ---- */

static int define_process(struct nvtxw_session *session, const char *name)
{
    const struct {
        enum rf_proc_key key;
        uint64_t value;
        const char *text;
    } facts[] = {{RF_PROC_PID, (uint64_t)getpid(), NULL},
                 {RF_PROC_START_TIME, session->pool->start_time, NULL},
                 {RF_PROC_PID_NS, session->pool->pid_ns, NULL},
                 {RF_PROC_NAME, 0, name},
                 {RF_PROC_ARG, 0, name}};
    int result = NVTXW_SUCCESS;
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]) && result == NVTXW_SUCCESS; i++)
        result = nvtxw_define_name(
            session, RF_REC_PROCESS,
            (struct rf_def){.index = (uint32_t)facts[i].key, .value = facts[i].value},
            facts[i].text);
    return result;
}

/* Times are the data's: nothing of this machine's clocks is added when the recording is read. */
static void init_control(struct rf_control *control)
{
    control->clock_kind = RF_CLOCK_MONO;
    control->clock[0].ticks = NVTXW_TICKS;
    memset(control->quality, 0, sizeof(control->quality));
    memset(control->boot_id, 0, sizeof(control->boot_id));
    control->is_written = 1;
    control->n_processes = control->newest = 1;
}

static int make_directory(struct nvtxw_session *session)
{
    const struct session_dir_config config = {.overflow = 0};
    struct rf_err err;
    char base[PATH_MAX];
    const size_t size = strlen(session->output);
    const bool has_ending = size > 3 && strcmp(session->output + size - 3, ".rf") == 0;
    (void)snprintf(base, sizeof(base), "%.*s", (int)(size - (has_ending ? 3 : 0)), session->output);
    if (session_dir_create(&session->dir, base, &config, &err) != RF_OK)
        return nvtxw_fail(NVTXW_FAILED, "%s", err.text);
    init_control(session->dir.control);
    return NVTXW_SUCCESS;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static void close_files(struct nvtxw_session *session)
{
    if (session->pool != NULL)
        (void)munmap(session->pool, RF_POOL_SLOTS_END);
    session->pool = NULL;
    close_fd(&session->defs_fd);
    close_fd(&session->log_fd);
    close_fd(&session->pool_fd);
}

/* Frees what handles do not need to be refused. It has ended, or never began. */
static void release(struct nvtxw_session *session)
{
    for (size_t i = 0; i < session->n_streams; i++)
        nvtxw_stream_release(session->stream[i]);
    (void)pthread_mutex_lock(&session->lock);
    for (size_t i = 0; i < session->n_domains; i++)
        nvtxw_domain_release(session->domain[i]);
    free(session->slot);
    free(session->slot_seq);
    session->slot = NULL;
    session->slot_seq = NULL;
    nvtxw_extents_release(&session->extents);
    rf_map_release(&session->domain_of);
    rf_time_relations_release(&session->relations);
    (void)pthread_mutex_unlock(&session->lock);
}

/* Of one that nobody has a handle of. */
static void session_free(struct nvtxw_session *session)
{
    close_files(session);
    session_dir_release(&session->dir);
    release(session);
    for (size_t i = 0; i < session->n_domains; i++)
        free(session->domain[i]);
    free(session->domain);
    free(session->stream); /* none was opened */
    (void)pthread_mutex_destroy(&session->lock);
    free(session);
}

static struct nvtxw_session *session_new(void)
{
    struct nvtxw_session *session = calloc(1, sizeof(*session));
    if (session == NULL)
        return NULL;
    session->defs_fd = session->log_fd = session->pool_fd = session->dir.control_fd = -1;
    if (pthread_mutex_init(&session->lock, NULL) != 0) {
        free(session);
        return NULL;
    }
    session->slot = calloc(RF_MAX_SLOTS, sizeof(struct nvtxw_stream *));
    session->slot_seq = calloc(RF_MAX_SLOTS, sizeof(*session->slot_seq));
    if (session->slot != NULL && session->slot_seq != NULL)
        return session;
    session_free(session);
    return NULL;
}

static int open_files(struct nvtxw_session *session, const char *name)
{
    nvtxDomainHandle_t unnamed;
    int result = make_directory(session);
    if (result != NVTXW_SUCCESS)
        return result;
    result = make_files(session);
    if (result == NVTXW_SUCCESS)
        result = define_process(session, name);
    if (result == NVTXW_SUCCESS)
        result = nvtxw_domain_register(session, NULL, &unnamed);
    if (result != NVTXW_SUCCESS)
        (void)session_dir_remove(session->dir.dir, NULL);
    return result;
}

int nvtxw_session_begin(const struct nvtxw_session_attributes *given, struct nvtxw_session **out)
{
    struct nvtxw_session_attributes a;
    struct nvtxw_session *session = session_new();
    if (session == NULL)
        return nvtxw_fail(NVTXW_FAILED, "out of memory");
    rf_read_sized(&a, sizeof(a), given, given->struct_size);
    const char *name = a.name != NULL && a.name[0] != '\0' ? a.name : "session";
    int result = nvtxw_config_read(session, name, a.config);
    if (result == NVTXW_SUCCESS)
        result = open_files(session, name);
    if (result != NVTXW_SUCCESS) {
        session_free(session);
        return result;
    }
    session->fork_number = nvtxw_fork_number();
    __atomic_store_n(&session->is_open, true, __ATOMIC_RELEASE);
    nvtxw_lock_all();
    session->next = all;
    all = session;
    nvtxw_unlock_all();
    *out = session;
    return NVTXW_SUCCESS;
}

/* ---- Its end ---- */

/* A name that nobody asked for makes way for a file that appeared meanwhile. */
static int pack(struct nvtxw_session *session)
{
    struct rf_err err = {.text = ""};
    int status = rf_pack(session->dir.dir, session->output, session->can_overwrite, NULL, &err);
    for (int i = 2; status == RF_ERR_EXISTS && !session->has_own_name && i < MOST_NAMES; i++) {
        if (nvtxw_config_next_name(session) != NVTXW_SUCCESS)
            break;
        status = rf_pack(session->dir.dir, session->output, false, NULL, &err);
    }
    if (status != RF_OK)
        return nvtxw_fail(NVTXW_FAILED, "%s; what was written is in '%s'", err.text,
                          session->dir.dir);
    if (session_dir_remove(session->dir.dir, &err) != RF_OK)
        return nvtxw_fail(NVTXW_FAILED, "%s", err.text);
    return NVTXW_SUCCESS;
}

static int finish(struct nvtxw_session *session)
{
    int result = NVTXW_SUCCESS;
    for (size_t i = 0; i < session->n_streams; i++) {
        const int closed = nvtxw_stream_finish(session->stream[i]);
        result = result == NVTXW_SUCCESS ? closed : result;
    }
    int clock = nvtxw_extents_set_clock(session);
    const int exit =
        nvtxw_define(session, RF_REC_PROCESS, (struct rf_def){.index = RF_PROC_EXIT}, NULL, 0);
    session->dir.control->is_finished = 1;
    close_files(session);
    clock = clock == NVTXW_SUCCESS ? exit : clock;
    result = result == NVTXW_SUCCESS ? clock : result;
    return result == NVTXW_SUCCESS ? pack(session) : result;
}

int nvtxw_session_end(struct nvtxw_session *session)
{
    bool is_ours = nvtxw_is_ours(session);
    if (is_ours) {
        (void)pthread_mutex_lock(&session->lock);
        is_ours = nvtxw_is_ours(session);
        /* nothing more is registered or opened */
        __atomic_store_n(&session->is_open, false, __ATOMIC_RELEASE);
        session->has_ended = true;
        (void)pthread_mutex_unlock(&session->lock);
    }
    if (!is_ours)
        return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "the session has ended");
    const int result = finish(session);
    session_dir_release(&session->dir);
    nvtxw_lock_all();
    session->is_finished = true;
    nvtxw_wake_all();
    nvtxw_unlock_all();
    return result;
}

void nvtxw_sessions_release(void)
{
    nvtxw_lock_all();
    for (struct nvtxw_session *session = all; session != NULL; session = session->next) {
        if (session->fork_number != nvtxw_fork_number())
            continue; /* a thread that is not there may have locked it */
        while (!__atomic_load_n(&session->is_open, __ATOMIC_ACQUIRE) && !session->is_finished)
            nvtxw_wait_all();
        if (session->is_finished && !session->is_released)
            release(session);
        session->is_released = session->is_finished;
    }
    nvtxw_unlock_all();
}
