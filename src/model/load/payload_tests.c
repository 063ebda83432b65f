/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/payload_tests.h"

#include <stdlib.h>
#include <string.h>

#include "model/filter/filter_event.h"
#include "model/load/decoding_set.h"
#include "model/load/payload_matters.h"
#include "model/load/payload_records.h"

/* view: the recording as the tests see it: other decoders add to its strings and domains. */
struct rf_payload_tests {
    rf_recording view;
    struct rf_decoding_set one; /* the payloads of the event that is looked at */
    struct rf_payload_test *test;
    size_t n;
    struct rf_payload_lookup group_by; /* its columns are NULL: ranges are not grouped */
    struct rf_strings *strings;        /* of values */
    uint32_t name_base;
    bool is_final, keeps_events;
};

struct rf_payload_tests *rf_payload_tests_new(struct rf_load *load, struct rf_strings *strings,
                                              uint32_t name_base, bool is_final)
{
    const struct rf_filter_options *options = load->selection.of->options;
    struct rf_payload_tests *tests = calloc(1, sizeof(*tests));
    struct rf_err err;
    int status = RF_OK;
    if (tests == NULL)
        return NULL;
    tests->is_final = is_final;
    tests->keeps_events = load->keeps_events;
    tests->strings = strings;
    tests->name_base = name_base;
    tests->view = *load->rec;
    if (!is_final) {
        tests->view.payloads = &tests->one.payloads;
        tests->view.domain = NULL;
        tests->view.n_domains = 0;
        memset(&tests->view.strings, 0, sizeof(tests->view.strings));
    }
    const rf_recording *rec = is_final ? load->rec : &tests->view; /* whose strings may move */
    tests->test = calloc(options->n_payloads + 1, sizeof(*tests->test));
    while (tests->test != NULL && tests->n < options->n_payloads && status == RF_OK) {
        const char *text = options->payloads[tests->n];
        status =
            rf_payload_test_init(&tests->test[tests->n++], rec, text != NULL ? text : "", &err);
    }
    if (load->group_by != NULL && status == RF_OK)
        status =
            rf_payload_lookup_init(&tests->group_by, rec, load->group_by, strlen(load->group_by));
    if (tests->test != NULL && status == RF_OK)
        return tests;
    rf_payload_tests_free(tests);
    return NULL;
}

void rf_payload_tests_free(struct rf_payload_tests *tests)
{
    if (tests == NULL)
        return;
    for (size_t i = 0; i < tests->n; i++)
        rf_payload_test_release(&tests->test[i]);
    free(tests->test);
    rf_payload_lookup_release(&tests->group_by);
    rf_decoding_set_release(&tests->one);
    free(tests);
}

/* All are asked: some event may have what the first one rules out. */
static bool fit(struct rf_payload_tests *tests, const struct rf_event *event)
{
    bool fits = true;
    for (size_t i = 0; i < tests->n; i++)
        fits &= rf_payload_fits(&tests->test[i], event);
    return fits;
}

static int find_value(struct rf_payload_tests *tests, const struct rf_event *event, uint32_t *value)
{
    uint32_t label;
    const int status = rf_payload_lookup_label(&tests->group_by, tests->strings, event, &label);
    *value = status == RF_OK && label != RF_NO_STRING ? 1 + tests->name_base + label : 0;
    return status;
}

/* What the event keeps instead of its payload. */
static void keep_value(struct rf_decoder *d, const struct rf_event *looked_at,
                       struct rf_event *event)
{
    uint32_t value = 0;
    if (find_value(d->selector.tests, looked_at, &value) != RF_OK)
        d->is_out_of_memory = true;
    event->payload_type = RF_TYPE_NONE;
    event->payload = value;
}

void rf_decode_tested_payloads(struct rf_decoder *d, struct rf_stream_cursor *cursor,
                               struct rf_event *event)
{
    struct rf_payload_tests *tests = d->selector.tests;
    const uint64_t group = rf_data_may_follow(cursor) ? rf_decode_data(d, cursor) : 0;
    struct rf_event looked_at = *event;
    looked_at.kind = RF_EVENT_MARK; /* of any kind that has payloads */
    if (group != 0 && rf_decode_group_matters(d, event->domain, group)) {
        rf_decode_payloads(event, group);
        return;
    }
    if (group != 0) {
        if (rf_decoding_set_make(&tests->one, d, group, event->domain, d->process) != RF_OK)
            d->is_out_of_memory = true;
        looked_at.payload_type =
            rf_decoding_set_is_shown(&tests->one) ? RF_TYPE_EXTENDED : RF_TYPE_NONE;
        looked_at.payload = 0;
        event->payload_type = RF_TYPE_NONE;
        event->payload = 0;
    }
    if (!d->is_out_of_memory && fit(tests, &looked_at))
        event->flags |= RF_EVENT_PAYLOADS_FIT;
    if (!d->is_out_of_memory && tests->group_by.columns != NULL)
        keep_value(d, &looked_at, event);
    if (group != 0)
        rf_decode_forget(d, group);
}

bool rf_payload_tests_fit(struct rf_payload_tests *tests, const struct rf_event *event)
{
    if (!rf_filter_is_annotation(event))
        return true;
    if (tests->keeps_events || (event->payload_type == RF_TYPE_EXTENDED && tests->is_final))
        return fit(tests, event);
    return event->payload_type != RF_TYPE_EXTENDED && (event->flags & RF_EVENT_PAYLOADS_FIT) != 0;
}

int rf_payload_tests_value(struct rf_payload_tests *tests, const struct rf_event *event,
                           uint32_t *value)
{
    if (tests->keeps_events || event->payload_type == RF_TYPE_EXTENDED)
        return find_value(tests, event, value);
    *value = (uint32_t)event->payload;
    return RF_OK;
}

int rf_payload_tests_join(const struct rf_payload_tests *tests, struct rf_filter *filter)
{
    int status = RF_OK;
    for (size_t i = 0; i < tests->n; i++) {
        filter->payload[i].lookup.has_found |= tests->test[i].lookup.has_found;
        if (tests->test[i].status != RF_OK)
            status = RF_ERR_NO_MEMORY;
    }
    return status;
}
