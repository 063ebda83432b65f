/* SPDX-License-Identifier: Apache-2.0 */
/* What follows the # are parameters of Perfetto's page: url, startupCommands (a JSON list of
 * commands), ts and dur (the slice to select), visStart and visEnd (the time to show). Those that a
 * version does not know it ignores. */
#include "cli/view/trace_link.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EXPAND "dev.perfetto.ExpandTracksByRegex"
#define PIN    "dev.perfetto.PinTracksByRegex"

/* Room for the commands, and for them when each byte is escaped. */
#define MAX_COMMANDS 800

/* Characters that need no escape in a URL's fragment. */
#define PLAIN_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~*"

static void add_escaped(char link[TRACE_LINK_ROOM], const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t used = strlen(link);
    for (; *text != '\0' && used + 4 < TRACE_LINK_ROOM; text++) {
        unsigned char c = (unsigned char)*text;
        if (strchr(PLAIN_CHARS, c) != NULL) {
            link[used++] = (char)c;
        } else {
            link[used++] = '%';
            link[used++] = digits[c >> 4];
            link[used++] = digits[c & 15];
        }
    }
    link[used] = '\0';
}

/* All tracks are expanded, and the one of the view is pinned. A pattern has no character that JSON
 * escapes: see rf_trace_view. */
static void add_commands(char link[TRACE_LINK_ROOM], const struct rf_trace_view *view)
{
    char commands[MAX_COMMANDS];
    bool pins = view != NULL && view->track[0] != '\0';
    (void)snprintf(commands, sizeof(commands), "[{\"id\":\"%s\",\"args\":[\".*\"]}%s%s%s]", EXPAND,
                   pins ? ",{\"id\":\"" PIN "\",\"args\":[\"" : "", pins ? view->track : "",
                   pins ? "\"]}" : "");
    size_t used = strlen(link);
    (void)snprintf(link + used, TRACE_LINK_ROOM - used, "&startupCommands=");
    add_escaped(link, commands);
}

static void add_times(char link[TRACE_LINK_ROOM], const struct rf_trace_view *view)
{
    size_t used = strlen(link);
    (void)snprintf(link + used, TRACE_LINK_ROOM - used,
                   "&ts=%" PRId64 "&dur=%" PRIu64 "&visStart=%" PRId64 "&visEnd=%" PRId64,
                   view->start_ns, (uint64_t)view->end_ns - (uint64_t)view->start_ns,
                   view->shown_begin_ns, view->shown_end_ns);
}

void trace_link_make(char link[TRACE_LINK_ROOM], const struct trace_server *server,
                     const struct rf_trace_view *view)
{
    bool is_own = server->viewer != NULL;
    (void)snprintf(link, TRACE_LINK_ROOM, "%s%s/#!/?url=%s%s", server->origin,
                   is_own ? server->token : "", server->own_origin, server->path);
    if (is_own || view != NULL)
        add_commands(link, view);
    if (view != NULL)
        add_times(link, view);
}
