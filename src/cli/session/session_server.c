/* SPDX-License-Identifier: Apache-2.0 */
/* A thread accepts connections, and each one is served by a short-lived thread of its own: a client
 * that is slow, or asks for something that takes time, keeps nobody else waiting. One request per
 * connection, at most MAX_CLIENTS at once; the others wait in the socket's queue. */
#include "cli/session/session_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/drain/bus_guard.h"
#include "cli/output_name.h"
#include "cli/profile/profile_options.h"
#include "cli/say.h"
#include "cli/session/runtime_folder.h"
#include "cli/session/session_message.h"
#include "cli/session/session_requests.h"
#include "log/ticks.h"

#define MAX_CLIENTS  16
#define REQUEST_MS   5000       /* within which a client must send its request */
#define THREAD_STACK (1u << 20) /* two messages and some paths, and what TLS takes */

enum client_state {
    CLIENT_FREE = 0,
    CLIENT_RUNNING,
    CLIENT_DONE, /* its thread must be joined and its descriptor closed */
};

struct client {
    struct session_server *server;
    pthread_t thread;
    int state; /* enum client_state; atomic, stored last by the client's thread */
    int fd;
    bool stays_open; /* it is closed when this process ends, which tells the client */
};

struct session_server {
    struct session_requests requests;
    struct runtime_folder folder;
    char file[SESSION_FILE_SIZE];
    struct stat st; /* of the file */
    int listen_fd;
    int wake_fd; /* eventfd: must_stop was set, or a client is done */
    bool must_stop;
    bool is_running;
    pthread_t thread;
    struct client client[MAX_CLIENTS];
};

/* ---- One client ---- */

static bool is_owner(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

static void say_busy(void *context)
{
    struct client *client = context;
    struct session_message busy;
    session_message_begin(&busy, SESSION_BUSY);
    (void)session_message_send(client->fd, &busy);
}

static void wake(struct session_server *server)
{
    const uint64_t one = 1;
    (void)!write(server->wake_fd, &one, sizeof(one));
}

static void *serve(void *context)
{
    struct client *client = context;
    struct session_server *server = client->server;
    struct session_message request, answer;
    bool is_known = true;
    client->stays_open = false;
    if (!is_owner(client->fd)) {
        session_message_begin(&answer, SESSION_ERROR);
        session_message_add(&answer, "text", "this session belongs to another user");
    } else if (session_message_receive(client->fd, &request, REQUEST_MS) == SESSION_RECEIVED) {
        client->stays_open =
            session_requests_answer(&server->requests, &request, &answer, say_busy, client);
    } else {
        is_known = false;
    }
    if (is_known)
        (void)session_message_send(client->fd, &answer);
    __atomic_store_n(&client->state, CLIENT_DONE, __ATOMIC_RELEASE);
    wake(server);
    return NULL;
}

/* ---- All clients ---- */

/* Starts a thread of ours: signals are the main thread's. Returns 0 or an errno. */
static int start_thread(pthread_t *thread, void *(*function)(void *), void *context)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    bus_guard_thread_mask(&all);
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, THREAD_STACK);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(thread, &attributes, function, context);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return code;
}

/* Waits for a client's thread and frees its place. */
static void end_client(struct client *client)
{
    (void)pthread_join(client->thread, NULL);
    if (!client->stays_open)
        (void)close(client->fd);
    client->state = CLIENT_FREE;
}

/* Frees the places of clients that are done; returns a free one, or NULL. */
static struct client *find_place(struct session_server *server)
{
    struct client *found = NULL;
    for (int i = 0; i < MAX_CLIENTS; i++) {
        struct client *client = &server->client[i];
        int state = __atomic_load_n(&client->state, __ATOMIC_ACQUIRE);
        if (state == CLIENT_DONE)
            end_client(client);
        if (state != CLIENT_RUNNING)
            found = client;
    }
    return found;
}

static void accept_client(struct session_server *server, struct client *client)
{
    client->fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client->fd < 0)
        return;
    client->server = server;
    client->state = CLIENT_RUNNING;
    if (start_thread(&client->thread, serve, client) != 0) {
        (void)close(client->fd);
        client->state = CLIENT_FREE;
    }
}

static void *run(void *context)
{
    struct session_server *server = context;
    const struct timespec pause = {0, 50000000};
    for (;;) {
        struct client *place = find_place(server);
        struct pollfd wanted[2] = {{.fd = server->wake_fd, .events = POLLIN},
                                   {.fd = server->listen_fd, .events = POLLIN}};
        uint64_t n_wakes;
        (void)poll(wanted, place != NULL ? 2 : 1, -1);
        if (wanted[0].revents != 0)
            (void)!read(server->wake_fd, &n_wakes, sizeof(n_wakes));
        if (__atomic_load_n(&server->must_stop, __ATOMIC_ACQUIRE))
            return NULL;
        if (place == NULL || wanted[1].revents == 0)
            continue;
        accept_client(server, place);
        if (place->fd < 0) /* no descriptor is free: the connection still waits */
            (void)nanosleep(&pause, NULL);
    }
}

/* ---- Beginning and end ---- */

static int make_name(struct session_server *server, struct rf_err *err)
{
    const struct session_server_config *config = &server->requests.config;
    const char *pattern = config->options->session_name;
    char *name = server->requests.name, default_pattern[64];
    if (pattern == NULL) {
        (void)snprintf(default_pattern, sizeof(default_pattern), "%s-%%p", config->verb);
        pattern = default_pattern;
    }
    int status =
        cli_expand(name, SESSION_NAME_SIZE, pattern, config->root_pid, "session name", err);
    if (status != RF_OK)
        return status;
    if (!session_name_is_valid(name) ||
        !session_socket_file(server->file, sizeof(server->file), name))
        return rf_fail(err, RF_ERR_USAGE,
                       "'--session-new=%s': a session's name is a letter and then up to %d "
                       "printable characters",
                       name, SESSION_NAME_SIZE - 2);
    return RF_OK;
}

/* Listens in the first folder that will do; err: why there is none. */
static int listen_anywhere(struct session_server *server, struct rf_err *err)
{
    char path[PATH_MAX];
    int status = rf_fail(err, RF_ERR_IO, "no folder for sockets can be used");
    for (size_t i = 0; runtime_folder_path(i, path, sizeof(path)); i++) {
        if (path[0] == '\0')
            continue;
        status = runtime_folder_open(&server->folder, path, 1, err);
        if (status != RF_OK)
            continue;
        if (!runtime_folder_lock(&server->folder))
            status = rf_fail(err, RF_ERR_IO, "'%s' is locked by another process", path);
        else
            status = server->listen_fd =
                session_listen(&server->folder, server->file, &server->st, err);
        runtime_folder_unlock(&server->folder);
        if (status >= 0)
            return RF_OK;
        runtime_folder_close(&server->folder);
        if (status == RF_ERR_EXISTS)
            return status;
    }
    return status;
}

/* A run that waits for `start` is useless where that cannot reach it; other runs go on. */
static int say_failure(const struct session_server *server, int status, const struct rf_err *err)
{
    const struct profile_options *options = server->requests.config.options;
    if (status == RF_ERR_EXISTS) {
        cli_say("a session with the name '%s' runs already; 'rangefinder sessions list' shows it",
                server->requests.name);
        return CLI_PROFILE_FAILED;
    }
    if (status == RF_ERR_USAGE) {
        cli_say("%s", err->text);
        return CLI_USAGE;
    }
    cli_say("this run cannot be controlled from another terminal: %s", err->text);
    return options->focus.starts_by_hand ? CLI_PROFILE_FAILED : CLI_OK;
}

int session_server_open(struct session_server **result, const struct session_server_config *config)
{
    struct rf_err err;
    struct session_server *server = calloc(1, sizeof(*server));
    *result = NULL;
    if (server == NULL) {
        cli_say("out of memory");
        return CLI_PROFILE_FAILED;
    }
    server->requests.config = *config;
    server->requests.begin_ns = rf_clock_ns(CLOCK_MONOTONIC);
    server->listen_fd = server->folder.fd = -1;
    server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int status = make_name(server, &err);
    if (status == RF_OK)
        status = listen_anywhere(server, &err);
    if (status == RF_OK) {
        *result = server;
        return CLI_OK;
    }
    int code = say_failure(server, status, &err);
    (void)session_server_close(server);
    return code;
}

void session_server_run(struct session_server *server, struct cli_captures *captures,
                        struct cli_ring *ring)
{
    if (server == NULL)
        return;
    server->requests.captures = captures;
    server->requests.ring = ring;
    int code = start_thread(&server->thread, run, server);
    server->is_running = code == 0;
    if (code != 0)
        cli_say("this run cannot be controlled from another terminal: no thread could be started: "
                "%s",
                strerror(code));
}

/* Removes the socket, unless something else stands there by now. */
static void remove_socket(struct session_server *server)
{
    struct stat st;
    if (server->listen_fd < 0)
        return;
    if (fstatat(server->folder.fd, server->file, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        st.st_ino == server->st.st_ino && st.st_dev == server->st.st_dev)
        (void)unlinkat(server->folder.fd, server->file, 0);
}

int session_server_close(struct session_server *server)
{
    if (server == NULL)
        return 0;
    remove_socket(server);
    if (server->is_running) {
        __atomic_store_n(&server->must_stop, 1, __ATOMIC_RELEASE);
        wake(server);
        (void)pthread_join(server->thread, NULL);
    }
    for (int i = 0; i < MAX_CLIENTS; i++) {
        struct client *client = &server->client[i];
        int state = __atomic_load_n(&client->state, __ATOMIC_ACQUIRE);
        /* a client that has not sent its request yet sees the connection end */
        if (state == CLIENT_RUNNING)
            (void)shutdown(client->fd, SHUT_RD);
        if (state != CLIENT_FREE)
            end_client(client);
    }
    if (server->listen_fd >= 0)
        (void)close(server->listen_fd);
    if (server->wake_fd >= 0)
        (void)close(server->wake_fd);
    runtime_folder_close(&server->folder);
    int ended_program = server->requests.ended_program;
    free(server);
    return ended_program;
}
