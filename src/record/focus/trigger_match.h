/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_RECORD_FOCUS_TRIGGER_MATCH_H
#define RF_RECORD_FOCUS_TRIGGER_MATCH_H

#include "record/focus/trigger_names.h"
#include "record/stream/emit.h"

/* May this range be a trigger, so that rf_trigger_matches() is worth its time? */
RF_INLINE bool rf_trigger_may_match(const struct rf_attributes *a)
{
    const struct rf_recorder *r = &rf_recorder;
    if (a->message == RF_MESSAGE_REGISTERED)
        return a->string < __atomic_load_n(&r->watched_limit, __ATOMIC_RELAXED) &&
               rf_trigger_has_bit(r->watched, a->string);
    return a->message == RF_MESSAGE_TEXT &&
           (((uint8_t)a->text[0] ^ r->watched_first) & r->watched_mask) == 0;
}

/* Is this range, which may match, a trigger? A near miss is noted for the user. */
bool rf_trigger_matches(const struct rf_attributes *a);

#endif
