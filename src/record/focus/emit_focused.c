/* SPDX-License-Identifier: Apache-2.0 */
#include "record/focus/emit_focused.h"

uint64_t rf_emit_focused_slow(uint32_t type, const struct rf_attributes *a)
{
    if (type != RF_REC_MARK && rf_trigger_may_match(a) && rf_trigger_matches(a))
        return type == RF_REC_PUSH ? rf_trigger_push(a) : rf_trigger_start(a);
    if (type == RF_REC_PUSH && rf_tls_writer->n_triggers != 0)
        rf_trigger_count_push(a->domain);
    return rf_emit_nontrigger(type, a);
}
