/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session/session_client.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "cli/option_parser.h"
#include "cli/output_name.h"
#include "cli/say.h"
#include "cli/session/runtime_folder.h"
#include "cli/session/session_message.h"
#include "cli/usage_error.h"
#include "log/ticks.h"

#define STATUS_MS 3000  /* for a session's answer to `status` */
#define ANSWER_MS 10000 /* for an answer, or for word that it takes longer */

/* ---- One exchange ---- */

static pid_t peer_of(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid())
        return 0;
    return peer.pid;
}

/* Sends a request and waits for its answer. */
static enum session_reception exchange(int fd, const struct session_message *request,
                                       struct session_message *answer, int timeout_ms)
{
    enum session_reception result;
    if (!session_message_send(fd, request))
        return SESSION_GONE;
    result = session_message_receive(fd, answer, timeout_ms);
    while (result == SESSION_RECEIVED && session_message_is(answer, SESSION_BUSY))
        result = session_message_receive(fd, answer, -1);
    return result;
}

static void begin_request(struct session_message *request, const char *word)
{
    session_message_begin(request, word);
    session_message_add_number(request, "protocol", SESSION_PROTOCOL);
}

/* ---- All sessions ---- */

static void read_status(struct session_info *info, const struct session_message *answer)
{
    info->program_pid = (pid_t)session_message_number(answer, "pid", 0);
    info->owner_pid = (pid_t)session_message_number(answer, "owner", info->owner_pid);
    info->age_ms = session_message_number(answer, "age_ms", 0);
    info->begun_ms =
        (int64_t)((uint64_t)rf_clock_ns(CLOCK_MONOTONIC) / 1000000 - (uint64_t)info->age_ms);
    (void)session_message_get(answer, "state", info->state, sizeof(info->state));
    (void)session_message_get(answer, "verb", info->verb, sizeof(info->verb));
    (void)session_message_get(answer, "program", info->program, sizeof(info->program));
    (void)session_message_get(answer, "dir", info->dir, sizeof(info->dir));
    /* an error has its reason in the same field */
    (void)session_message_get(answer, "text", info->text, sizeof(info->text));
}

/* Asks one session for its status. Returns false where it is dead, or not ours. */
static bool read_info(struct session_info *info, const struct runtime_folder *folder,
                      const char *file)
{
    struct session_message request, answer;
    memset(info, 0, sizeof(*info));
    if (strlen(file) >= sizeof(info->file) ||
        !session_name_of_socket(info->name, sizeof(info->name), file))
        return false;
    (void)snprintf(info->folder, sizeof(info->folder), "%s", folder->path);
    memcpy(info->file, file, strlen(file) + 1);
    int fd = session_connect(folder, file);
    if (fd < 0 && errno != EAGAIN)
        return false;
    (void)snprintf(info->state, sizeof(info->state), "NoAnswer");
    (void)snprintf(info->text, sizeof(info->text), "it does not answer; is it stopped?");
    info->is_silent = true;
    info->begun_ms = INT64_MAX;
    if (fd < 0)
        return true;
    info->owner_pid = peer_of(fd);
    begin_request(&request, "status");
    enum session_reception result = SESSION_GONE;
    if (info->owner_pid != 0)
        result = exchange(fd, &request, &answer, STATUS_MS);
    if (result == SESSION_RECEIVED)
        read_status(info, &answer);
    info->is_silent = result == SESSION_TIMED_OUT;
    (void)close(fd);
    return result != SESSION_GONE; /* the session has ended meanwhile */
}

static int add_info(struct session_list *list, const struct session_info *info)
{
    if (rf_grow_array(&list->item, list->n, &list->room, sizeof(*list->item)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    list->item[list->n++] = *info;
    return RF_OK;
}

static int read_folder(struct session_list *list, const struct runtime_folder *folder)
{
    int status = RF_OK, copy = fcntl(folder->fd, F_DUPFD_CLOEXEC, 0);
    DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
    struct session_info *info = malloc(sizeof(*info));
    const struct dirent *entry;
    if (dir == NULL && copy >= 0)
        (void)close(copy);
    if (info == NULL)
        status = RF_ERR_NO_MEMORY;
    while (dir != NULL && status == RF_OK && (entry = readdir(dir)) != NULL) {
        char name[SESSION_NAME_SIZE];
        if (!session_name_of_socket(name, sizeof(name), entry->d_name))
            continue;
        if (read_info(info, folder, entry->d_name)) {
            status = add_info(list, info);
        } else if (runtime_folder_lock(folder)) {
            session_remove_if_dead(folder, entry->d_name);
            runtime_folder_unlock(folder);
        }
    }
    free(info);
    if (dir != NULL)
        (void)closedir(dir);
    return status;
}

/* Two variables may name one folder. */
static bool was_read(const struct runtime_folder *folder, struct stat *seen, size_t *n_seen)
{
    struct stat st;
    if (fstat(folder->fd, &st) != 0)
        return true;
    for (size_t i = 0; i < *n_seen; i++)
        if (seen[i].st_dev == st.st_dev && seen[i].st_ino == st.st_ino)
            return true;
    seen[(*n_seen)++] = st;
    return false;
}

/* The sessions were asked one after another, so ages cannot be compared. */
static int compare_begin(const void *a, const void *b)
{
    const struct session_info *x = a, *y = b;
    if (x->begun_ms != y->begun_ms)
        return x->begun_ms < y->begun_ms ? -1 : 1;
    return strcmp(x->name, y->name);
}

int session_list_read(struct session_list *list)
{
    struct stat seen[8];
    char path[PATH_MAX];
    size_t n_seen = 0;
    int status = RF_OK;
    memset(list, 0, sizeof(*list));
    for (size_t i = 0; status == RF_OK && runtime_folder_path(i, path, sizeof(path)); i++) {
        struct runtime_folder folder;
        struct rf_err err;
        if (path[0] == '\0')
            continue;
        if (runtime_folder_open(&folder, path, 0, &err) != RF_OK) {
            if (list->err.code == RF_OK && access(path, F_OK) == 0)
                list->err = err;
            continue;
        }
        if (!was_read(&folder, seen, &n_seen))
            status = read_folder(list, &folder);
        runtime_folder_close(&folder);
    }
    if (list->n > 0)
        qsort(list->item, list->n, sizeof(*list->item), compare_begin);
    return status;
}

void session_list_say_none(const struct session_list *list)
{
    cli_say("no session runs; one is started with 'rangefinder launch PROGRAM' or 'rangefinder "
            "profile PROGRAM'");
    if (list->err.code != RF_OK)
        cli_say("%s", list->err.text);
}

void session_list_release(struct session_list *list)
{
    free(list->item);
    memset(list, 0, sizeof(*list));
}

/* ---- Selecting a session ---- */

/* 0: no such process. */
static pid_t parent_of(pid_t pid)
{
    char path[64], line[256];
    int parent = 0;
    (void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (sscanf(line, "PPid: %d", &parent) == 1)
            break;
    if (file != NULL)
        (void)fclose(file);
    return parent;
}

/* Whether the process's environment names this session directory: its parents may have ended. */
static bool has_variable(pid_t pid, const char *dir)
{
    static const char name[] = "RANGEFINDER_SESSION=";
    char path[64], *entry = NULL;
    size_t size = 0;
    bool is_found = false;
    (void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && dir[0] != '\0' && !is_found && getdelim(&entry, &size, '\0', file) > 0)
        is_found = strncmp(entry, name, sizeof(name) - 1) == 0 &&
                   strcmp(entry + sizeof(name) - 1, dir) == 0;
    free(entry);
    if (file != NULL)
        (void)fclose(file);
    return is_found;
}

/* The innermost session that a process belongs to, or whose command line it is. */
static struct session_info *find_pid(const struct session_list *list, pid_t pid)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->item[i].owner_pid == pid)
            return &list->item[i];
    for (pid_t p = pid; p > 1; p = parent_of(p))
        for (size_t i = 0; i < list->n; i++)
            if (list->item[i].program_pid == p || list->item[i].owner_pid == p)
                return &list->item[i];
    for (size_t i = 0; i < list->n; i++)
        if (has_variable(pid, list->item[i].dir))
            return &list->item[i];
    return NULL;
}

/* "a, b and 3 more" */
static void name_all(const struct session_list *list, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < list->n; i++) {
        size_t left = size - at;
        int n = snprintf(text + at, left, "%s'%s' (pid %d)", i > 0 ? ", " : "", list->item[i].name,
                         (int)list->item[i].program_pid);
        if (n < 0 || (size_t)n >= left || left - (size_t)n < 32) {
            (void)snprintf(text + at, left, " and %zu more", list->n - i);
            return;
        }
        at += (size_t)n;
    }
}

static struct session_info *find_name(const struct session_list *list, const char *name, size_t *n)
{
    struct session_info *found = NULL;
    *n = 0;
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->item[i].name, name) != 0)
            continue;
        found = &list->item[i];
        ++*n;
    }
    return found;
}

static void say_not_found(const struct session_list *list, const char *name)
{
    const char *names[64], *near;
    char all[1024];
    size_t n = 0;
    for (; n < list->n && n < sizeof(names) / sizeof(names[0]); n++)
        names[n] = list->item[n].name;
    near = rf_nearest_name(name, names, n);
    name_all(list, all, sizeof(all));
    if (isdigit((unsigned char)name[0]))
        cli_say("process %s belongs to no session; there are: %s", name, all);
    else if (near != NULL)
        cli_say("no session is called '%s'; did you mean '%s'?", name, near);
    else
        cli_say("no session is called '%s'; there are: %s", name, all);
}

/* The selected session, or NULL after a message. */
static struct session_info *choose(const struct session_list *list, const char *wanted)
{
    char all[1024], *end;
    size_t n = list->n;
    struct session_info *found = list->item;
    if (list->n == 0) {
        session_list_say_none(list);
        return NULL;
    }
    if (wanted != NULL && isdigit((unsigned char)wanted[0])) {
        long pid = strtol(wanted, &end, 10);
        found = *end == '\0' && pid > 0 && pid <= 0x7fffffff ? find_pid(list, (pid_t)pid) : NULL;
        n = found != NULL;
    } else if (wanted != NULL) {
        found = find_name(list, wanted, &n);
    }
    if (n == 1)
        return found;
    name_all(list, all, sizeof(all));
    if (n == 0)
        say_not_found(list, wanted);
    else
        cli_say("%zu sessions run; select one with --session=NAME or --session=PID: %s", n, all);
    return NULL;
}

/* ---- Asking it ---- */

static int connect_to(const struct session_info *session)
{
    struct runtime_folder folder;
    if (runtime_folder_open(&folder, session->folder, 0, NULL) != RF_OK)
        return -1;
    int fd = session_connect(&folder, session->file);
    runtime_folder_close(&folder);
    return fd;
}

static int say_failure(enum session_reception result, const struct session_info *session)
{
    if (result == SESSION_TIMED_OUT)
        cli_say("session '%s' does not answer; is it stopped? Its process is %d", session->name,
                (int)session->owner_pid);
    else if (result == SESSION_GARBLED)
        cli_say("session '%s' gives an invalid answer", session->name);
    else
        cli_say("session '%s' has ended meanwhile", session->name);
    return CLI_FAILED;
}

static int ask(const struct session_info *session, const struct session_message *request,
               struct session_message *answer, int *kept_fd)
{
    char text[2048];
    int fd = connect_to(session);
    enum session_reception result = fd < 0 && errno == EAGAIN ? SESSION_TIMED_OUT : SESSION_GONE;
    if (fd >= 0)
        result = exchange(fd, request, answer, ANSWER_MS);
    if (fd >= 0 && kept_fd == NULL)
        (void)close(fd);
    else if (kept_fd != NULL)
        *kept_fd = fd;
    if (result != SESSION_RECEIVED)
        return say_failure(result, session);
    if (session_message_is(answer, SESSION_OK))
        return CLI_OK;
    (void)session_message_get(answer, "text", text, sizeof(text));
    cli_say("%s", text);
    return CLI_FAILED;
}

int session_ask(const char *wanted, struct session_message *request, struct session_message *answer,
                struct session_info *session, int *fd)
{
    char name[PATH_MAX];
    struct session_list list;
    struct rf_err err;
    if (fd != NULL)
        *fd = -1;
    if (wanted != NULL &&
        cli_expand(name, sizeof(name), wanted, 0, "session name", &err) != RF_OK) {
        cli_say("%s", err.text);
        return CLI_USAGE;
    }
    if (session_list_read(&list) != RF_OK) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    int status = CLI_FAILED;
    const struct session_info *found = choose(&list, wanted != NULL ? name : NULL);
    if (found != NULL) {
        *session = *found;
        session_message_add_number(request, "protocol", SESSION_PROTOCOL);
        status = found->is_silent ? say_failure(SESSION_TIMED_OUT, found)
                                  : ask(found, request, answer, fd);
    }
    session_list_release(&list);
    return status;
}

int session_ask_plainly(const struct cli_command *command, int argc, char **argv, const char *word,
                        struct session_message *answer, struct session_info *session, int *status,
                        bool *is_json)
{
    struct session_message request;
    struct cli_parser parser;
    const char *wanted = NULL;
    int id;
    cli_parser_init(&parser, command, argc, argv);
    while ((id = cli_parser_next(&parser)) > 0)
        if (id == SESSION_OPT_JSON)
            *is_json = parser.is_true;
        else
            wanted = parser.value;
    *status = parser.status;
    if (id < 0)
        return -1;
    if (parser.n_operands > 0) {
        *status = cli_usage_error(command,
                                  "'%s': '%s' takes options only; to name a session: "
                                  "--session=%s",
                                  argv[0], command->name, argv[0]);
        return -1;
    }
    session_message_begin(&request, word);
    *status = session_ask(wanted, &request, answer, session, NULL);
    return *status == CLI_OK ? 0 : -1;
}
