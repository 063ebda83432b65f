/* SPDX-License-Identifier: Apache-2.0 */
/* What tells a recording from others, whatever its path is. */
#ifndef RF_MODEL_SAME_RECORDING_H
#define RF_MODEL_SAME_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* Texts belong to the caller. */
struct rf_recording_key {
    uint8_t session_id[16]; /* zeros: an import, which has none */
    uint32_t capture;       /* number of the first one; 0: the whole run was recorded */
    uint32_t piece;         /* its number in a run that was split; 0: it is whole */
    uint32_t snapshot;      /* its number of a flight recorder; 0: it is none */
    int64_t epoch_utc_ns;   /* 0: not known */
    int64_t epoch_mono_ns;
    uint64_t n_events;
    const char *host, *path; /* host "": not known */
};

/* Of a recording as it was opened, without a filter. host is that of rf_get_info(). */
struct rf_recording_key rf_recording_key_of(const rf_recording *rec, const char *path);

/* A session directory and the file that was packed of it are the same; captures,
 * pieces and snapshots of one session are not. What has neither a session nor a date is told apart
 * by its path alone. */
bool rf_is_same_recording(const struct rf_recording_key *a, const struct rf_recording_key *b);

/* Recordings that were added to something. All zero: none. */
struct rf_seen_recordings {
    struct rf_recording_key *key; /* with texts of its own */
    size_t n, room;
};

/* Notes a recording, or a part of one. RF_ERR_EXISTS: it is there already, as a copy or under the
 * same path. What has neither a session nor a date is taken for new. */
int rf_seen_recordings_add(struct rf_seen_recordings *seen, const rf_recording *rec,
                           const char *path, struct rf_err *err);
void rf_seen_recordings_release(struct rf_seen_recordings *seen);

#endif
