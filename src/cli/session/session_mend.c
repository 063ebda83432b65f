/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session/session_mend.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shared_copy.h"
#include "cli/drain/bus_guard.h"
#include "log/clock_reading.h"

bool session_mend_begin(struct session_dir *session)
{
    session->first = malloc(sizeof(*session->first));
    if (session->first == NULL)
        return false;
    rf_copy_shared(session->first, session->control, sizeof(*session->first));
    bus_guard_keep(session->control, sizeof(*session->control));
    return true;
}

void session_mend_end(void)
{
    bus_guard_keep(NULL, 0);
}

/* Whether the fields that stay constant during a run are unchanged. */
static bool is_as_made(const struct rf_control *now, const struct rf_control *first)
{
    const size_t counters = offsetof(struct rf_control, n_processes);
    return memcmp(now, first, counters) == 0 && now->records_all == first->records_all &&
           now->filter_mode == first->filter_mode && now->filter_size == first->filter_size &&
           memcmp(now->host, first->host, sizeof(now->host)) == 0 &&
           memcmp(now->product, first->product, sizeof(now->product)) == 0 &&
           memcmp(now->filter, first->filter, sizeof(now->filter)) == 0 &&
           memcmp(&now->clock[0], &first->clock[0], sizeof(now->clock[0])) == 0 &&
           (first->records_all == 0 ||
            memcmp(&now->capture, &first->capture, offsetof(struct rf_capture, n_saved)) == 0);
}

bool session_is_spoiled(const struct session_dir *session)
{
    return session->first != NULL && !is_as_made(session->control, session->first);
}

/* Counts are kept, even doubtful ones. Clock pairs are not: a wrong one would shift every time. */
static void restore(struct rf_control *now, const struct rf_control *first)
{
    memcpy(now, first, offsetof(struct rf_control, n_processes));
    now->records_all = first->records_all;
    now->filter_mode = first->filter_mode;
    now->filter_size = first->filter_size;
    memcpy(now->host, first->host, sizeof(now->host));
    memcpy(now->product, first->product, sizeof(now->product));
    memcpy(now->filter, first->filter, sizeof(now->filter));
    memset(now->clock, 0, sizeof(now->clock));
    now->clock[0] = first->clock[0];
    memset(now->quality, 0, sizeof(now->quality));
    now->quality[0] = first->quality[0];
    rf_control_read_clocks(now, 1);
    now->time_namespace = first->time_namespace;
    now->n_clocks = 2;
    if (first->records_all == 0)
        return;
    memset(now->window, 0, sizeof(now->window));
    now->n_windows = 0;
    now->capture = first->capture;
}

const char *session_mend(const struct session_dir *session)
{
    struct rf_control *control = session->control;
    struct stat st;
    bool is_cut = fstat(session->control_fd, &st) == 0 && st.st_size < (off_t)sizeof(*control);
    if (is_cut)
        (void)*(volatile uint8_t *)control; /* the kept copy has replaced the page */
    bool is_spoiled = session_is_spoiled(session);
    bool is_lost = is_cut || bus_guard_has_replaced();
    if (is_spoiled)
        restore(control, session->first);
    if (is_spoiled || is_lost)
        control->n_damaged_bytes = sizeof(*control);
    if (is_lost) {
        (void)ftruncate(session->control_fd, sizeof(*control));
        (void)!pwrite(session->control_fd, control, sizeof(*control), 0);
        return "the program's session file was cut short while it ran (by the program?): counts of "
               "what was lost may be missing";
    }
    return is_spoiled
               ? "the session's shared page was written over (by the program?): what it says "
                 "of losses cannot be trusted"
               : NULL;
}
