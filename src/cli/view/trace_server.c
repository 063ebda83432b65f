/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view/trace_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/random.h"
#include "cli/view/http_request.h"
#include "log/ticks.h"

#define REQUEST_ROOM    8192
#define PATIENCE_S      30   /* for a request, and for a client that stops reading */
#define QUIET_MS        2000 /* without a request, after the page has what it needs */
#define FULL_MS         100  /* when there are too many connections */
#define MAX_CONNECTIONS 64
#define PIECE           (4u << 20)
#define ALLOWED_CHARS   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

/* What the page of a viewer may do: nothing leaves the machine but to Perfetto's own
 * trace_processor, which it looks for. */
#define PAGE_POLICY                                                                                \
    "Content-Security-Policy: default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; "      \
    "connect-src 'self' data: blob: http://127.0.0.1:9001 ws://127.0.0.1:9001; "                   \
    "form-action 'none'; frame-ancestors 'none'\r\n"                                               \
    "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n"                \
    "X-Content-Type-Options: nosniff\r\n"

enum trace_sent { SENT_NOTHING = 1, SENT_TRACE = 2, SENT_ENGINE = 4 };

/* ---- Opening ---- */

/* The trace's name needs no escapes in a URL. */
static void make_paths(struct trace_server *server, const char *file)
{
    uint8_t token[16];
    const char *name = strrchr(file, '/');
    name = name != NULL ? name + 1 : file;
    if (!rf_random_bytes(token, sizeof(token), 0))
        memset(token, 0, sizeof(token));
    size_t at = 0;
    server->token[at++] = '/';
    for (size_t i = 0; i < sizeof(token); i++)
        at += (size_t)snprintf(server->token + at, sizeof(server->token) - at, "%02x", token[i]);
    at = (size_t)snprintf(server->path, sizeof(server->path), "%s/", server->token);
    for (; *name != '\0' && at + 1 < sizeof(server->path); name++)
        server->path[at++] = strchr(ALLOWED_CHARS, *name) != NULL ? *name : '_';
    server->path[at] = '\0';
}

static int listen_at(struct trace_server *server, uint16_t port, struct rf_err *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t size = sizeof(address);
    const int on = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server->listen_fd >= 0)
        (void)setsockopt(server->listen_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (server->listen_fd >= 0 &&
        bind(server->listen_fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
        listen(server->listen_fd, 64) == 0 &&
        getsockname(server->listen_fd, (struct sockaddr *)&address, &size) == 0) {
        server->port = ntohs(address.sin_port);
        return RF_OK;
    }
    int code = errno;
    return rf_fail(err, code == EADDRINUSE ? RF_ERR_EXISTS : RF_ERR_IO,
                   "cannot listen on 127.0.0.1:%u: %s", port, strerror(code));
}

int trace_server_open(struct trace_server *server, const char *file, uint16_t port,
                      const char *origin, const struct viewer *viewer, struct rf_err *err)
{
    struct stat st;
    memset(server, 0, sizeof(*server));
    server->listen_fd = server->event_fd = -1;
    server->viewer = viewer;
    server->file_fd = open(file, O_RDONLY | O_CLOEXEC);
    if (server->file_fd < 0 || fstat(server->file_fd, &st) != 0)
        return rf_fail(err, RF_ERR_IO, "cannot open '%s': %s", file, strerror(errno));
    server->size = (uint64_t)st.st_size;
    make_paths(server, file);
    int status = listen_at(server, port, err);
    (void)snprintf(server->own_origin, sizeof(server->own_origin), "http://127.0.0.1:%u",
                   server->port);
    server->origin = viewer != NULL ? server->own_origin : origin;
    return status;
}

void trace_server_close(struct trace_server *server)
{
    if (server->listen_fd >= 0)
        (void)close(server->listen_fd);
    if (server->file_fd >= 0)
        (void)close(server->file_fd);
    server->listen_fd = server->file_fd = -1;
}

/* ---- One request ---- */

/* Reads up to the empty line. Returns whether it arrived in time, and no NUL before it. */
static bool read_request(int fd, char *text, size_t size)
{
    const int64_t until = rf_clock_ns(CLOCK_MONOTONIC) + PATIENCE_S * (int64_t)1000000000;
    size_t n = 0;
    while (n + 1 < size && rf_clock_ns(CLOCK_MONOTONIC) < until) {
        ssize_t got = recv(fd, text + n, size - 1 - n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        n += (size_t)got;
        text[n] = '\0';
        if (strlen(text) < n)
            return false;
        if (strstr(text, "\r\n\r\n") != NULL)
            return true;
    }
    return false;
}

static bool send_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t n = send(fd, data, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

static bool send_file(int fd, int file_fd, uint64_t size)
{
    off_t at = 0;
    while ((uint64_t)at < size) {
        ssize_t n = sendfile(fd, file_fd, &at, PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
    }
    return true;
}

static enum trace_sent refuse(int fd, const char *status)
{
    char answer[160];
    int n = snprintf(answer, sizeof(answer),
                     "HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status);
    (void)send_all(fd, answer, (size_t)n);
    return SENT_NOTHING;
}

/* Rejects pages of other sites: a cross-site request has another origin, and DNS rebinding another
 * host. The viewer's own page names no origin where it reads from its own. */
static bool is_for_us(const struct trace_server *server, const struct http_request *request)
{
    char host[32];
    const char *site = request->fetch_site;
    bool is_ours = strcmp(request->origin, server->origin) == 0;
    if (server->viewer != NULL && request->origin[0] == '\0')
        is_ours = site[0] == '\0' || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
    (void)snprintf(host, sizeof(host), "localhost:%u", server->port);
    return is_ours && (strcmp(request->host, server->own_origin + strlen("http://")) == 0 ||
                       strcmp(request->host, host) == 0);
}

/* Returns whether the whole file was to be sent, and was. */
static bool send_answer(const struct trace_server *server, int fd, const char *method,
                        const char *path, int file_fd, uint64_t size)
{
    char head[4096], allow[640] = PAGE_POLICY, fonts[2048] = "";
    bool is_options = strcmp(method, "OPTIONS") == 0;
    if (server->viewer == NULL)
        (void)snprintf(allow, sizeof(allow),
                       "Access-Control-Allow-Origin: %s\r\n"
                       "Access-Control-Allow-Private-Network: true\r\n"
                       "Access-Control-Allow-Methods: GET, HEAD\r\nVary: Origin\r\n",
                       server->origin);
    const char *type = viewer_content_type(path);
    bool is_font = strncmp(type, "font/", 5) == 0; /* it is used later than it is loaded */
    if (server->viewer != NULL && (strcmp(path, "/") == 0 || strcmp(path, "/index.html") == 0))
        viewer_font_lines(server->viewer, fonts, sizeof(fonts));
    int n = snprintf(head, sizeof(head),
                     "HTTP/1.1 %s\r\n%s%sCache-Control: %s\r\nContent-Type: %s\r\n"
                     "Content-Length: %llu\r\nConnection: close\r\n\r\n",
                     is_options ? "204 No Content" : "200 OK", allow, fonts,
                     is_font ? "private, max-age=600" : "no-store", type,
                     is_options ? 0ULL : (unsigned long long)size);
    return send_all(fd, head, (size_t)n) && strcmp(method, "GET") == 0 &&
           send_file(fd, file_fd, size);
}

/* path: below the token, with its '/'. */
static enum trace_sent answer_of_viewer(const struct trace_server *server, int fd,
                                        const struct http_request *request, const char *path)
{
    uint64_t size;
    int file_fd = viewer_open_file(server->viewer, path + 1, &size);
    if (file_fd < 0)
        return refuse(fd, "404 Not Found");
    bool is_sent = send_answer(server, fd, request->method, path, file_fd, size);
    (void)close(file_fd);
    return is_sent && strstr(path, "/trace_processor") != NULL ? SENT_ENGINE : SENT_NOTHING;
}

static enum trace_sent answer(const struct trace_server *server, int fd,
                              const struct http_request *request)
{
    const size_t n = strlen(server->token);
    if (!is_for_us(server, request))
        return refuse(fd, "403 Forbidden");
    bool is_trace = strcmp(request->path, server->path) == 0;
    if (!is_trace && (server->viewer == NULL || strncmp(request->path, server->token, n) != 0 ||
                      request->path[n] != '/'))
        return refuse(fd, "404 Not Found");
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0 &&
        (server->viewer != NULL || strcmp(request->method, "OPTIONS") != 0))
        return refuse(fd, "405 Method Not Allowed");
    if (!is_trace)
        return answer_of_viewer(server, fd, request, request->path + n);
    return send_answer(server, fd, request->method, "", server->file_fd, server->size)
               ? SENT_TRACE
               : SENT_NOTHING;
}

/* ---- Connections ---- */

/* Answered by a thread of its own: a silent client does not delay others. */
struct connection {
    struct trace_server *server;
    int fd;
};

static void *serve_connection(void *context)
{
    struct connection *connection = context;
    struct trace_server *server = connection->server;
    char text[REQUEST_ROOM], sent;
    struct http_request request;
    if (read_request(connection->fd, text, sizeof(text)) && http_request_parse(text, &request)) {
        (void)__atomic_add_fetch(&server->n_answering, 1, __ATOMIC_RELAXED);
        sent = (char)answer(server, connection->fd, &request);
        (void)__atomic_sub_fetch(&server->n_answering, 1, __ATOMIC_RELAXED);
    } else {
        sent = (char)refuse(connection->fd, "400 Bad Request");
    }
    (void)shutdown(connection->fd, SHUT_WR);
    (void)close(connection->fd);
    free(connection);
    (void)__atomic_sub_fetch(&server->n_connections, 1, __ATOMIC_RELAXED);
    (void)!write(server->event_fd, &sent, 1);
    return NULL;
}

static void begin_connection(struct trace_server *server, int fd)
{
    const struct timeval patience = {PATIENCE_S, 0};
    struct connection *connection = malloc(sizeof(*connection));
    pthread_t thread;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (connection != NULL) {
        *connection = (struct connection){server, fd};
        (void)__atomic_add_fetch(&server->n_connections, 1, __ATOMIC_RELAXED);
        if (pthread_create(&thread, NULL, serve_connection, connection) == 0) {
            (void)pthread_detach(thread);
            return;
        }
        (void)__atomic_sub_fetch(&server->n_connections, 1, __ATOMIC_RELAXED);
    }
    free(connection);
    (void)close(fd);
}

static int accept_one(struct trace_server *server, struct rf_err *err)
{
    int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0)
        begin_connection(server, fd);
    else if (errno == EMFILE)
        (void)poll(NULL, 0, FULL_MS);
    else if (errno != EINTR && errno != ECONNABORTED)
        return rf_fail(err, RF_ERR_IO, "cannot accept a connection: %s", strerror(errno));
    return RF_OK;
}

/* Collects what connections have sent since. */
static unsigned read_events(int fd)
{
    char events[64];
    unsigned sent = 0;
    ssize_t n = read(fd, events, sizeof(events));
    for (ssize_t i = 0; i < n; i++)
        sent |= (unsigned char)events[i];
    return sent;
}

/* The pipe stays open: remaining connections may still write to it. */
int trace_server_run(struct trace_server *server, struct rf_err *err)
{
    const unsigned needed = server->viewer != NULL ? SENT_TRACE | SENT_ENGINE : SENT_TRACE;
    unsigned sent = 0;
    int events[2];
    if (pipe2(events, O_CLOEXEC) != 0)
        return rf_fail(err, RF_ERR_IO, "cannot serve: %s", strerror(errno));
    server->event_fd = events[1];
    for (;;) {
        bool is_full = __atomic_load_n(&server->n_connections, __ATOMIC_RELAXED) >= MAX_CONNECTIONS;
        bool is_busy = __atomic_load_n(&server->n_answering, __ATOMIC_RELAXED) > 0;
        bool is_loaded = (sent & needed) == needed;
        if (is_loaded && server->viewer == NULL)
            return RF_OK;
        struct pollfd wait[2] = {{is_full ? -1 : server->listen_fd, POLLIN, 0},
                                 {events[0], POLLIN, 0}};
        int n_ready = poll(wait, 2, is_loaded && !is_busy ? QUIET_MS : -1);
        if (n_ready < 0 && errno != EINTR)
            return rf_fail(err, RF_ERR_IO, "cannot serve: %s", strerror(errno));
        if (n_ready == 0)
            return RF_OK;
        if (n_ready > 0 && wait[1].revents != 0)
            sent |= read_events(events[0]);
        if (n_ready > 0 && wait[0].revents != 0 && accept_one(server, err) != RF_OK)
            return RF_ERR_IO;
    }
}
