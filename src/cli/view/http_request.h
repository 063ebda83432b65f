/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a request of HTTP/1.x. */
#ifndef RF_CLI_VIEW_HTTP_REQUEST_H
#define RF_CLI_VIEW_HTTP_REQUEST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct http_request {
    char method[16];
    char path[NAME_MAX + 128];                   /* without what follows a '?' */
    char host[128], origin[128], fetch_site[32]; /* headers; "": not there */
};

/* text: up to the empty line or further, with a zero byte behind it. false: it is no request, what
 * is needed of it is too long, or a header of these stands there twice. */
bool http_request_parse(const char *text, struct http_request *request);

#endif
