/* SPDX-License-Identifier: Apache-2.0 */
/* The address at which a browser shows a trace: that of the page, and behind its # what the page is
 * to read and to show. */
#ifndef RF_CLI_VIEW_TRACE_LINK_H
#define RF_CLI_VIEW_TRACE_LINK_H

#include "cli/view/trace_server.h"

/* Room for any link. */
#define TRACE_LINK_ROOM 4096

/* view: where to begin; NULL: the whole trace. */
void trace_link_make(char link[TRACE_LINK_ROOM], const struct trace_server *server,
                     const struct rf_trace_view *view);

#endif
