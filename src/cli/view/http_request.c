/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view/http_request.h"

#include <string.h>
#include <strings.h>

#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

static bool copy(char *to, size_t size, const char *from, size_t length)
{
    if (length >= size)
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

/* Copies the value of a header; "" where there is none. Returns false for one that stands there
 * twice: another program may go by the other one. Headers end at the empty line. */
static bool copy_header(char *to, size_t size, const char *text, const char *name)
{
    size_t length = strlen(name);
    bool is_found = false;
    to[0] = '\0';
    for (const char *line = strstr(text, "\r\n"); line != NULL; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncmp(line, "\r\n", 2) == 0)
            break;
        if (strncasecmp(line, name, length) != 0 || line[length] != ':')
            continue;
        const char *from = line + length + 1;
        from += strspn(from, " \t");
        if (is_found || !copy(to, size, from, strcspn(from, "\r\n")))
            return false;
        is_found = true;
    }
    return true;
}

bool http_request_parse(const char *text, struct http_request *request)
{
    size_t method = strspn(text, UPPER);
    const char *path = text + method + 1;
    if (method == 0 || text[method] != ' ' || path[0] != '/')
        return false;
    size_t length = strcspn(path, " \r\n");
    return strncmp(path + length, " HTTP/1.", 8) == 0 &&
           copy(request->method, sizeof(request->method), text, method) &&
           copy(request->path, sizeof(request->path), path, strcspn(path, "? \r\n")) &&
           copy_header(request->host, sizeof(request->host), text, "Host") &&
           copy_header(request->origin, sizeof(request->origin), text, "Origin") &&
           copy_header(request->fetch_site, sizeof(request->fetch_site), text, "Sec-Fetch-Site");
}
