/* SPDX-License-Identifier: Apache-2.0 */
#include "model/same_recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "model/private_access.h"

struct rf_recording_key rf_recording_key_of(const rf_recording *rec, const char *path)
{
    const struct rf_info *info = rf_get_info(rec);
    const bool has_host = info->host != NULL && strcmp(info->host, RF_UNKNOWN_HOST) != 0;
    const struct rf_piece_info *piece = rf_get_piece(rec);
    const struct rf_ring_info *ring = rf_get_ring(rec);
    struct rf_recording_origin origin;
    struct rf_recording_key key = {
        .capture = rf_n_captures(rec) > 0 ? rf_capture_at(rec, 0)->number : 0,
        .piece = piece != NULL ? piece->number : 0,
        .snapshot = ring != NULL ? ring->snapshot : 0,
        .epoch_utc_ns = info->epoch_utc_ns,
        .epoch_mono_ns = info->epoch_mono_ns,
        .n_events = info->n_events,
        .host = has_host ? info->host : "",
        .path = path,
    };
    rf_recording_origin(rec, &origin);
    memcpy(key.session_id, origin.session_id, sizeof(key.session_id));
    return key;
}

static bool is_set(const uint8_t id[16])
{
    static const uint8_t none[16];
    return memcmp(id, none, sizeof(none)) != 0;
}

bool rf_is_same_recording(const struct rf_recording_key *a, const struct rf_recording_key *b)
{
    if (is_set(a->session_id) && is_set(b->session_id))
        return memcmp(a->session_id, b->session_id, sizeof(a->session_id)) == 0 &&
               a->capture == b->capture && a->piece == b->piece && a->snapshot == b->snapshot;
    return a->epoch_utc_ns == b->epoch_utc_ns && a->epoch_mono_ns == b->epoch_mono_ns &&
           a->n_events == b->n_events && strcmp(a->host, b->host) == 0 &&
           (a->epoch_utc_ns != 0 || strcmp(a->path, b->path) == 0);
}

/* ---- Those that were added ---- */

static void release_texts(const struct rf_recording_key *key)
{
    free((char *)(uintptr_t)key->host);
    free((char *)(uintptr_t)key->path);
}

int rf_seen_recordings_add(struct rf_seen_recordings *seen, const rf_recording *rec,
                           const char *path, struct rf_err *err)
{
    struct rf_recording_key key = rf_recording_key_of(rec, path);
    if (!is_set(key.session_id) && key.epoch_utc_ns == 0)
        return RF_OK;
    for (size_t i = 0; i < seen->n; i++)
        if (seen->key[i].n_events == key.n_events && rf_is_same_recording(&seen->key[i], &key))
            return rf_fail(err, RF_ERR_EXISTS, "'%s' is the recording '%s': it is counted once",
                           path, seen->key[i].path);
    key.host = strdup(key.host);
    key.path = strdup(path);
    if (key.host == NULL || key.path == NULL ||
        rf_grow_array(&seen->key, seen->n, &seen->room, sizeof(*seen->key)) != RF_OK) {
        release_texts(&key);
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    seen->key[seen->n++] = key;
    return RF_OK;
}

void rf_seen_recordings_release(struct rf_seen_recordings *seen)
{
    for (size_t i = 0; i < seen->n; i++)
        release_texts(&seen->key[i]);
    free(seen->key);
}
