/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/one_file_server.h"

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
#include <strings.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/error.h"

#define REQUEST_ROOM  8192
#define PATIENCE_S    30  /* for a client that stops reading or writing */
#define FULL_MS       100 /* when there are too many connections */
#define PIECE         (4u << 20)
#define ALLOWED_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

/* A name that needs no escapes in a URL. */
static void make_path(struct one_file_server *server, const char *file)
{
    uint8_t token[16];
    const char *name = strrchr(file, '/');
    name = name != NULL ? name + 1 : file;
    if (getrandom(token, sizeof(token), 0) != (ssize_t)sizeof(token))
        memset(token, 0, sizeof(token));
    size_t at = 0;
    server->path[at++] = '/';
    for (size_t i = 0; i < sizeof(token); i++)
        at += (size_t)snprintf(server->path + at, sizeof(server->path) - at, "%02x", token[i]);
    server->path[at++] = '/';
    for (; *name != '\0' && at + 1 < sizeof(server->path); name++)
        server->path[at++] = strchr(ALLOWED_CHARS, *name) != NULL ? *name : '_';
    server->path[at] = '\0';
}

static int listen_at(struct one_file_server *server, uint16_t port, struct rf_err *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    const int on = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server->listen_fd >= 0)
        (void)setsockopt(server->listen_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (server->listen_fd >= 0 &&
        bind(server->listen_fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
        listen(server->listen_fd, 8) == 0)
        return RF_OK;
    int code = errno;
    return rf_fail(err, code == EADDRINUSE ? RF_ERR_EXISTS : RF_ERR_IO,
                   "cannot listen on 127.0.0.1:%u: %s", port, strerror(code));
}

int one_file_server_open(struct one_file_server *server, const char *file, uint16_t port,
                         const char *origin, struct rf_err *err)
{
    struct stat st;
    memset(server, 0, sizeof(*server));
    server->listen_fd = -1;
    server->port = port;
    server->origin = origin;
    server->file_fd = open(file, O_RDONLY | O_CLOEXEC);
    if (server->file_fd < 0 || fstat(server->file_fd, &st) != 0)
        return rf_fail(err, RF_ERR_IO, "cannot open '%s': %s", file, strerror(errno));
    server->size = (uint64_t)st.st_size;
    make_path(server, file);
    return listen_at(server, port, err);
}

void one_file_server_close(struct one_file_server *server)
{
    if (server->listen_fd >= 0)
        (void)close(server->listen_fd);
    if (server->file_fd >= 0)
        (void)close(server->file_fd);
    server->listen_fd = server->file_fd = -1;
}

/* ---- One request ---- */

/* Reads up to the empty line. Returns whether it arrived. */
static bool read_request(int fd, char *text, size_t size)
{
    size_t n = 0;
    while (n + 1 < size) {
        ssize_t got = recv(fd, text + n, size - 1 - n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        n += (size_t)got;
        text[n] = '\0';
        if (strstr(text, "\r\n\r\n") != NULL)
            return strlen(text) == n; /* no NUL among it */
    }
    return false;
}

/* Copies the value of a header; "" where there is none. */
static void find_header(const char *request, const char *name, char *value, size_t size)
{
    size_t length = strlen(name);
    value[0] = '\0';
    for (const char *line = strstr(request, "\r\n"); line != NULL; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, length) != 0 || line[length] != ':')
            continue;
        const char *from = line + length + 1;
        from += strspn(from, " \t");
        (void)snprintf(value, size, "%.*s", (int)strcspn(from, "\r\n"), from);
        return;
    }
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

static bool send_file(const struct one_file_server *server, int fd)
{
    off_t at = 0;
    while ((uint64_t)at < server->size) {
        ssize_t n = sendfile(fd, server->file_fd, &at, PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
    }
    return true;
}

static void refuse(int fd, const char *status)
{
    char answer[160];
    int n = snprintf(answer, sizeof(answer),
                     "HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status);
    (void)send_all(fd, answer, (size_t)n);
}

/* Rejects pages of other sites: a cross-site request has another origin, and DNS rebinding another
 * host. */
static bool is_for_us(const struct one_file_server *server, const char *request)
{
    char origin[128], host[128], ours[2][32];
    find_header(request, "Origin", origin, sizeof(origin));
    find_header(request, "Host", host, sizeof(host));
    (void)snprintf(ours[0], sizeof(ours[0]), "127.0.0.1:%u", server->port);
    (void)snprintf(ours[1], sizeof(ours[1]), "localhost:%u", server->port);
    return strcmp(origin, server->origin) == 0 &&
           (strcmp(host, ours[0]) == 0 || strcmp(host, ours[1]) == 0);
}

/* Returns whether the whole file was sent. */
static bool answer(const struct one_file_server *server, int fd)
{
    char request[REQUEST_ROOM], head[512], method[16] = "", path[sizeof(server->path) + 1] = "";
    if (!read_request(fd, request, sizeof(request)) ||
        sscanf(request, "%15[A-Z] %319s HTTP/1.", method, path) != 2) {
        refuse(fd, "400 Bad Request");
        return false;
    }
    if (!is_for_us(server, request)) {
        refuse(fd, "403 Forbidden");
        return false;
    }
    bool is_options = strcmp(method, "OPTIONS") == 0, is_get = strcmp(method, "GET") == 0;
    if (strcmp(path, server->path) != 0) {
        refuse(fd, "404 Not Found");
        return false;
    }
    if (!is_options && !is_get && strcmp(method, "HEAD") != 0) {
        refuse(fd, "405 Method Not Allowed");
        return false;
    }
    int n = snprintf(head, sizeof(head),
                     "HTTP/1.1 %s\r\nAccess-Control-Allow-Origin: %s\r\n"
                     "Access-Control-Allow-Private-Network: true\r\n"
                     "Access-Control-Allow-Methods: GET, HEAD\r\nVary: Origin\r\n"
                     "Cache-Control: no-store\r\nContent-Type: application/octet-stream\r\n"
                     "Content-Length: %llu\r\nConnection: close\r\n\r\n",
                     is_options ? "204 No Content" : "200 OK", server->origin,
                     is_options ? 0ULL : (unsigned long long)server->size);
    return send_all(fd, head, (size_t)n) && is_get && send_file(server, fd);
}

/* A connection, answered by its own thread: a silent client does not delay others. */
struct connection {
    const struct one_file_server *server;
    int fd;
    int done_fd; /* written to when the file was sent */
};

static void *serve_connection(void *context)
{
    struct connection *connection = context;
    bool is_done = answer(connection->server, connection->fd);
    (void)shutdown(connection->fd, SHUT_WR);
    (void)close(connection->fd);
    if (is_done)
        (void)!write(connection->done_fd, "", 1);
    free(connection);
    return NULL;
}

static void begin_connection(const struct one_file_server *server, int fd, int done_fd)
{
    const struct timeval patience = {PATIENCE_S, 0};
    struct connection *connection = malloc(sizeof(*connection));
    pthread_t thread;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (connection != NULL) {
        *connection = (struct connection){server, fd, done_fd};
        if (pthread_create(&thread, NULL, serve_connection, connection) == 0) {
            (void)pthread_detach(thread);
            return;
        }
    }
    free(connection);
    (void)close(fd);
}

/* The pipe stays open: remaining connections may still write to it. */
int one_file_server_run(struct one_file_server *server, struct rf_err *err)
{
    int done[2];
    if (pipe2(done, O_CLOEXEC) != 0)
        return rf_fail(err, RF_ERR_IO, "cannot serve: %s", strerror(errno));
    for (;;) {
        struct pollfd wait[2] = {{server->listen_fd, POLLIN, 0}, {done[0], POLLIN, 0}};
        if (poll(wait, 2, -1) < 0 && errno != EINTR)
            return rf_fail(err, RF_ERR_IO, "cannot serve: %s", strerror(errno));
        if (wait[1].revents != 0)
            return RF_OK;
        if (wait[0].revents == 0)
            continue;
        int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            begin_connection(server, fd, done[1]);
        else if (errno == EMFILE)
            (void)poll(NULL, 0, FULL_MS);
        else if (errno != EINTR && errno != ECONNABORTED)
            return rf_fail(err, RF_ERR_IO, "cannot accept a connection: %s", strerror(errno));
    }
}
