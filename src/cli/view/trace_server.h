/* SPDX-License-Identifier: Apache-2.0 */
/* A web server on 127.0.0.1 that hands a trace to a page, and ends. The page is that of another
 * site, or a viewer's, which is served too. All paths begin with a token that cannot be guessed. */
#ifndef RF_CLI_VIEW_TRACE_SERVER_H
#define RF_CLI_VIEW_TRACE_SERVER_H

#include <limits.h>
#include <pthread.h>
#include <stdint.h>

#include "cli/view/client_io.h"
#include "cli/view/viewer.h"

struct connection;

struct trace_server {
    int listen_fd;
    int file_fd;
    uint64_t size;
    uint16_t port;
    char token[34];              /* "/" and 32 digits */
    char path[NAME_MAX + 64];    /* "/TOKEN/NAME" of the trace */
    const char *origin;          /* of the page */
    char own_origin[32];         /* "http://127.0.0.1:PORT" */
    const struct viewer *viewer; /* NULL: the page comes from elsewhere */
    pthread_mutex_t lock;        /* of what follows */
    struct client_limits limits; /* CLIENT_LIMITS; of connections that begin from then on */
    struct connection *newest;
    unsigned n_connections, n_answering; /* answering: those that sent a request */
    int event_fd; /* stays; a connection writes to it what it has sent: enum trace_sent */
};

/* Opens the trace and listens at a port (0: any). origin: of the site whose page may read the
 * trace, where viewer is NULL. Both stay the caller's. RF_ERR_EXISTS: the port is taken. */
int trace_server_open(struct trace_server *server, const char *file, uint16_t port,
                      const char *origin, const struct viewer *viewer, struct rf_err *err);

/* Serves until the page has the whole trace; with a viewer, until that is loaded as well and asks
 * for nothing more. SIGPIPE is to be ignored. Returns 0 or RF_ERR_IO. */
int trace_server_run(struct trace_server *server, struct rf_err *err);

void trace_server_close(struct trace_server *server);

#endif
