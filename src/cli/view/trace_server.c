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
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/random.h"
#include "cli/view/client_io.h"
#include "cli/view/http_request.h"

#define REQUEST_ROOM    8192
#define QUIET_MS        2000 /* without a request, after the page has what it needs */
#define FULL_MS         100  /* when there are too many connections */
#define MAX_CONNECTIONS 64
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
static int make_paths(struct trace_server *server, const char *file, struct rf_err *err)
{
    uint8_t token[16];
    const char *name = strrchr(file, '/');
    name = name != NULL ? name + 1 : file;
    if (!rf_random_bytes(token, sizeof(token), 0))
        return rf_fail(err, RF_ERR_IO, "cannot get random bytes for the link: %s", strerror(errno));
    size_t at = 0;
    server->token[at++] = '/';
    for (size_t i = 0; i < sizeof(token); i++)
        at += (size_t)snprintf(server->token + at, sizeof(server->token) - at, "%02x", token[i]);
    at = (size_t)snprintf(server->path, sizeof(server->path), "%s/", server->token);
    for (; *name != '\0' && at + 1 < sizeof(server->path); name++)
        server->path[at++] = strchr(ALLOWED_CHARS, *name) != NULL ? *name : '_';
    server->path[at] = '\0';
    return RF_OK;
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
    server->limits = (struct client_limits)CLIENT_LIMITS;
    (void)pthread_mutex_init(&server->lock, NULL);
    server->file_fd = open(file, O_RDONLY | O_CLOEXEC);
    if (server->file_fd < 0 || fstat(server->file_fd, &st) != 0)
        return rf_fail(err, RF_ERR_IO, "cannot open '%s': %s", file, strerror(errno));
    server->size = (uint64_t)st.st_size;
    int status = make_paths(server, file, err);
    if (status == RF_OK)
        status = listen_at(server, port, err);
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

static enum trace_sent refuse(struct client_answer *to, const char *status)
{
    char answer[160];
    int n = snprintf(answer, sizeof(answer),
                     "HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status);
    (void)client_send(to, answer, (size_t)n);
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
static bool send_answer(const struct trace_server *server, struct client_answer *to,
                        const char *method, const char *path, int file_fd, uint64_t size)
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
    return client_send(to, head, (size_t)n) && strcmp(method, "GET") == 0 &&
           client_send_file(to, file_fd, size);
}

/* path: below the token, with its '/'. */
static enum trace_sent answer_of_viewer(const struct trace_server *server, struct client_answer *to,
                                        const struct http_request *request, const char *path)
{
    uint64_t size;
    int file_fd = viewer_open_file(server->viewer, path + 1, &size);
    if (file_fd < 0)
        return refuse(to, "404 Not Found");
    bool is_sent = send_answer(server, to, request->method, path, file_fd, size);
    (void)close(file_fd);
    return is_sent && strstr(path, "/trace_processor") != NULL ? SENT_ENGINE : SENT_NOTHING;
}

static enum trace_sent answer(const struct trace_server *server, struct client_answer *to,
                              const struct http_request *request)
{
    const size_t n = strlen(server->token);
    if (!is_for_us(server, request))
        return refuse(to, "403 Forbidden");
    bool is_trace = strcmp(request->path, server->path) == 0;
    if (!is_trace && (server->viewer == NULL || strncmp(request->path, server->token, n) != 0 ||
                      request->path[n] != '/'))
        return refuse(to, "404 Not Found");
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0 &&
        (server->viewer != NULL || strcmp(request->method, "OPTIONS") != 0))
        return refuse(to, "405 Method Not Allowed");
    if (!is_trace)
        return answer_of_viewer(server, to, request, request->path + n);
    return send_answer(server, to, request->method, "", server->file_fd, server->size)
               ? SENT_TRACE
               : SENT_NOTHING;
}

/* ---- Connections ---- */

/* Answered by a thread of its own: a silent client does not delay others. */
struct connection {
    struct trace_server *server;
    struct connection *older;
    struct client_limits limits;
    int fd;
    bool is_answered; /* it has sent a request */
    bool is_closing;  /* to make room for another one */
};

static void lock(struct trace_server *server)
{
    (void)pthread_mutex_lock(&server->lock);
}

static void unlock(struct trace_server *server)
{
    (void)pthread_mutex_unlock(&server->lock);
}

static void add_connection(struct connection *connection)
{
    struct trace_server *server = connection->server;
    lock(server);
    connection->limits = server->limits;
    connection->older = server->newest;
    server->newest = connection;
    server->n_connections++;
    unlock(server);
}

/* Closes the socket under the lock: make_room() uses no number that is another file's by then. */
static void end_connection(struct connection *connection)
{
    struct trace_server *server = connection->server;
    lock(server);
    struct connection **at = &server->newest;
    while (*at != connection)
        at = &(*at)->older;
    *at = connection->older;
    server->n_connections--;
    server->n_answering -= connection->is_answered;
    (void)shutdown(connection->fd, SHUT_WR);
    (void)close(connection->fd);
    unlock(server);
    free(connection);
}

static void note_request(struct connection *connection)
{
    struct trace_server *server = connection->server;
    lock(server);
    connection->is_answered = true;
    server->n_answering++;
    unlock(server);
}

/* The oldest of those that have sent no request; NULL: there is none, or one is being closed. */
static struct connection *oldest_silent(const struct trace_server *server)
{
    struct connection *oldest = NULL;
    for (struct connection *at = server->newest; at != NULL; at = at->older) {
        if (at->is_closing)
            return NULL;
        if (!at->is_answered)
            oldest = at;
    }
    return oldest;
}

/* Closes the oldest silent connection. Its thread says when that has ended. */
static void make_room(struct trace_server *server)
{
    lock(server);
    struct connection *oldest = oldest_silent(server);
    if (oldest != NULL) {
        oldest->is_closing = true;
        (void)shutdown(oldest->fd, SHUT_RDWR);
    }
    unlock(server);
}

static void *serve_connection(void *context)
{
    struct connection *connection = context;
    struct trace_server *server = connection->server;
    const int event_fd = server->event_fd;
    char text[REQUEST_ROOM], sent = SENT_NOTHING;
    struct http_request request;
    struct client_answer to;
    bool is_read = client_read_head(connection->fd, &connection->limits, text, sizeof(text));
    client_answer_begin(&to, connection->fd, &connection->limits);
    if (is_read && http_request_parse(text, &request)) {
        note_request(connection);
        sent = (char)answer(server, &to, &request);
    } else if (text[0] != '\0') { /* browsers open connections before they need them */
        sent = (char)refuse(&to, "400 Bad Request");
    }
    end_connection(connection);
    (void)!write(event_fd, &sent, 1);
    return NULL;
}

static void begin_connection(struct trace_server *server, int fd)
{
    struct connection *connection = malloc(sizeof(*connection));
    pthread_t thread;
    if (connection == NULL) {
        (void)close(fd);
        return;
    }
    *connection = (struct connection){.server = server, .fd = fd};
    add_connection(connection);
    if (pthread_create(&thread, NULL, serve_connection, connection) == 0)
        (void)pthread_detach(thread);
    else
        end_connection(connection);
}

static int accept_one(struct trace_server *server, struct rf_err *err)
{
    int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
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

/* What there is to wait for. */
struct load {
    bool is_full;   /* a new connection needs another's place */
    bool is_closed; /* and there is none now: an end of a connection comes first */
    bool is_busy;
};

static struct load load_of(struct trace_server *server)
{
    lock(server);
    struct load load = {.is_full = server->n_connections >= MAX_CONNECTIONS,
                        .is_busy = server->n_answering > 0};
    load.is_closed = load.is_full && oldest_silent(server) == NULL;
    unlock(server);
    return load;
}

/* The pipe stays open: remaining connections may still write to it. */
int trace_server_run(struct trace_server *server, struct rf_err *err)
{
    const unsigned needed = server->viewer != NULL ? SENT_TRACE | SENT_ENGINE : SENT_TRACE;
    unsigned sent = 0;
    int events[2], status = RF_OK;
    if (pipe2(events, O_CLOEXEC) != 0)
        return rf_fail(err, RF_ERR_IO, "cannot serve: %s", strerror(errno));
    server->event_fd = events[1];
    while (status == RF_OK) {
        struct load load = load_of(server);
        bool is_loaded = (sent & needed) == needed;
        if (is_loaded && server->viewer == NULL)
            return RF_OK;
        struct pollfd wait[2] = {{load.is_closed ? -1 : server->listen_fd, POLLIN, 0},
                                 {events[0], POLLIN, 0}};
        int n_ready = poll(wait, 2, is_loaded && !load.is_busy ? QUIET_MS : -1);
        if (n_ready < 0 && errno != EINTR)
            return rf_fail(err, RF_ERR_IO, "cannot serve: %s", strerror(errno));
        if (n_ready == 0)
            return RF_OK;
        if (n_ready > 0 && wait[1].revents != 0)
            sent |= read_events(events[0]);
        else if (n_ready > 0 && load.is_full)
            make_room(server);
        else if (n_ready > 0)
            status = accept_one(server, err);
    }
    return status;
}
