/* SPDX-License-Identifier: Apache-2.0 */
#include "model/collectives/collective_payload.h"

#include <string.h>

static const char *const names[RF_COLLECTIVE_N_FIELDS][RF_COLLECTIVE_N_NAMES] = {
    [RF_COLLECTIVE_COMMUNICATOR] = {"NCCL communicator ID", "communicator", "comm"},
    [RF_COLLECTIVE_BYTES] = {"Message size [bytes]", "bytes", "size"},
    [RF_COLLECTIVE_RANK] = {"NCCL rank", "Rank", "rank"},
};

static int begin(struct rf_collective_payload *payload, const rf_recording *rec)
{
    int status = RF_OK;
    payload->is_ready = true;
    for (int f = 0; f < RF_COLLECTIVE_N_FIELDS; f++)
        for (int k = 0; k < RF_COLLECTIVE_N_NAMES && status == RF_OK; k++)
            status = rf_payload_lookup_init(&payload->lookup[f][k], rec, names[f][k],
                                            strlen(names[f][k]));
    return status;
}

static bool take_number(const struct rf_value *value, uint64_t *number)
{
    if (value->kind == RF_VALUE_SIGNED && value->integer >= 0)
        *number = (uint64_t)value->integer;
    else if (value->kind == RF_VALUE_UNSIGNED)
        *number = value->number;
    else
        return false;
    return true;
}

int rf_collective_payload_of(struct rf_collective_payload *payload, const rf_recording *rec,
                             const struct rf_event *event, bool has[RF_COLLECTIVE_N_FIELDS],
                             uint64_t value[RF_COLLECTIVE_N_FIELDS])
{
    memset(has, 0, RF_COLLECTIVE_N_FIELDS * sizeof(*has));
    if (event->payload_type == RF_TYPE_NONE)
        return RF_OK;
    int status = payload->is_ready ? RF_OK : begin(payload, rec);
    for (int f = 0; f < RF_COLLECTIVE_N_FIELDS; f++)
        for (int k = 0; k < RF_COLLECTIVE_N_NAMES && !has[f] && status == RF_OK; k++) {
            struct rf_value found;
            status = rf_payload_lookup_value(&payload->lookup[f][k], event, &found);
            has[f] = status == RF_OK && take_number(&found, &value[f]);
        }
    return status;
}

void rf_collective_payload_release(struct rf_collective_payload *payload)
{
    for (int f = 0; f < RF_COLLECTIVE_N_FIELDS; f++)
        for (int k = 0; k < RF_COLLECTIVE_N_NAMES; k++)
            rf_payload_lookup_release(&payload->lookup[f][k]);
}
