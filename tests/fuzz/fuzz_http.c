/* SPDX-License-Identifier: Apache-2.0 */
/* The input is what a client sends to the server of `open`. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "cli/view/http_request.h"

/* Every text ends within its room, and has no end of a line. */
static void check(const char *text, size_t room)
{
    if (memchr(text, '\0', room) == NULL || strpbrk(text, "\r\n") != NULL)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_request request;
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    memset(&request, 'x', sizeof(request));
    if (http_request_parse(text, &request)) {
        check(request.method, sizeof(request.method));
        check(request.path, sizeof(request.path));
        check(request.host, sizeof(request.host));
        check(request.origin, sizeof(request.origin));
        check(request.fetch_site, sizeof(request.fetch_site));
        if (request.path[0] != '/' || strpbrk(request.path, "? ") != NULL)
            abort();
    }
    free(text);
    return 0;
}
