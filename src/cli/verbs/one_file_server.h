/* SPDX-License-Identifier: Apache-2.0 */
/* A web server on 127.0.0.1 that serves one file to pages of one origin, and ends. */
#ifndef RF_CLI_VERBS_ONE_FILE_SERVER_H
#define RF_CLI_VERBS_ONE_FILE_SERVER_H

#include <limits.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

struct one_file_server {
    int listen_fd;
    int file_fd;
    uint64_t size;
    uint16_t port;
    char path[NAME_MAX + 64]; /* "/TOKEN/NAME": the requested path, which cannot be guessed */
    const char *origin;       /* "https://ui.perfetto.dev" */
};

/* Opens the file and listens. RF_ERR_EXISTS: the port is taken. */
int one_file_server_open(struct one_file_server *server, const char *file, uint16_t port,
                         const char *origin, struct rf_err *err);

/* Serves until the whole file was sent. Returns 0 or RF_ERR_IO. */
int one_file_server_run(struct one_file_server *server, struct rf_err *err);

void one_file_server_close(struct one_file_server *server);

#endif
