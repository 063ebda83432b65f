/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads of ranges and marks at random. */
#ifndef TESTS_UNIT_RANDOM_PAYLOADS_H
#define TESTS_UNIT_RANDOM_PAYLOADS_H

#include "rf_payload_writer.h"
#include "unit.h"

enum { OF_PLAIN = 1 << 25, OF_NAMES, OF_STRINGS }; /* schemas */

/* In the default domain and in that of a handle. */
static void define_random_schemas(struct rfw *w, uint32_t p, uint32_t domain)
{
    const struct rfw_entry plain[] = {{0, 17, "size", 0, 0}, {0, 17, "peer", 0, 8}};
    const struct rfw_entry named[] = {{1 << 10 | 2 << 4 | 1 << 2, 76, "text", 0, 0}};
    const struct rfw_entry strings[] = {{0, 80, "string", 0, 0}, {0, 17, "size", 0, 8}};
    const uint32_t domains[] = {0, domain};
    for (int i = 0; i < 2; i++) {
        const uint32_t d = domains[i];
        rfw_define_schema(w, p, &(struct rfw_schema){.id = OF_PLAIN, .domain = d, .size = 16},
                          plain, 2);
        rfw_define_schema(w, p,
                          &(struct rfw_schema){.id = OF_NAMES, .domain = d, .size = 8, .type = 2},
                          named, 1);
        rfw_define_schema(w, p, &(struct rfw_schema){.id = OF_STRINGS, .domain = d, .size = 16},
                          strings, 2);
    }
}

/* A number that an attribute has itself. */
static void set_random_payload(struct rfw_attr *attr, uint64_t (*dice)(uint64_t))
{
    if (dice(2) != 0)
        return;
    attr->payload_kind = dice(2) == 0 ? RF_PAYLOAD_INT64 : RF_PAYLOAD_UINT32;
    attr->payload = dice(8);
}

/* Payloads of what was recorded last, or none. has_named: some say its name, or have strings. */
static void add_random_payload(struct rfw_stream *s, bool has_named, uint64_t (*dice)(uint64_t))
{
    const uint64_t bytes[2] = {dice(6), dice(1000)};
    const uint64_t text = 0x61 + dice(3);
    if (dice(4) == 0)
        return;
    if (has_named && dice(30) == 0)
        rfw_payload(s, OF_NAMES, &text, sizeof(text), sizeof(text), 0);
    else if (has_named && dice(30) == 0)
        rfw_payload(s, dice(2) == 0 ? OF_STRINGS : 80, bytes, sizeof(bytes), sizeof(bytes), 0);
    else
        rfw_payload(s,
                    dice(3) > 0    ? OF_PLAIN
                    : dice(2) == 0 ? 17
                                   : 9999999999,
                    bytes, sizeof(bytes), sizeof(bytes), 0);
}

/* One or two of what payloads are to have, in memory of the next call. has_named: as above. */
static inline void set_random_filter(struct rf_filter_options *options, bool has_named,
                                     uint64_t (*dice)(uint64_t))
{
    static const char *const values[] = {"3",          "payload=..4", "size=2..", "size=4",
                                         "peer=500..", "size",        "payload"},
                             *const wrong[] = {"nothing=1", "size=5..2"},
                             *const named[] = {"text", "string", "string=0x3"},
                             *const more[] = {"size=1..", "peer", "payload"};
    static const char *payloads[2];
    payloads[0] = values[dice(7)];
    if (dice(12) == 0)
        payloads[0] = wrong[dice(2)];
    else if (has_named && dice(3) == 0)
        payloads[0] = named[dice(3)];
    payloads[1] = more[dice(3)];
    options->payloads = payloads;
    options->n_payloads = 1 + (dice(3) == 0);
}

#endif
