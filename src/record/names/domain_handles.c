/* SPDX-License-Identifier: Apache-2.0 */
#include "record/names/domain_handles.h"

#include <string.h>

#include "record/focus/trigger_names.h"
#include "record/names/defs.h"
#include "record/names/interned.h"

/* Marks of this domain ask the command line for something. */
static bool asks_for_snapshots(const char *name)
{
    return name != NULL && strcmp(name, RF_SNAPSHOT_DOMAIN) == 0;
}

/* Does the user's --nvtx-domain-include or -exclude leave this domain out? name NULL: default. */
static bool is_excluded(const char *name)
{
    const struct rf_control *control = rf_recorder.control;
    if (control->filter_mode == RF_FILTER_NONE || asks_for_snapshots(name))
        return false;
    bool is_listed = false;
    uint32_t size = control->filter_size < RF_FILTER_SIZE ? control->filter_size : RF_FILTER_SIZE;
    for (uint32_t at = 0; at < size; at += (uint32_t)strnlen(control->filter + at, size - at) + 1)
        if (strcmp(control->filter + at, name == NULL ? "\1" : name) == 0)
            is_listed = true;
    return is_listed == (control->filter_mode == RF_FILTER_EXCLUDE);
}

/* With the default domain's events those of all handles up to 0 are dropped. */
void rf_domain_handles_begin(void)
{
    rf_recorder.n_excluded_handles =
        is_excluded(NULL) ? 1 - RF_EXCLUDED_DOMAIN
                          : RF_SILENT_DOMAIN + RF_N_EXCLUDED_DOMAINS - RF_EXCLUDED_DOMAIN;
}

static uint64_t excluded_handle(const char *name)
{
    uint64_t number = rf_interned_hash(0, 0, name, strlen(name)) & (RF_N_EXCLUDED_DOMAINS - 1);
    if (!rf_recorder.is_focused)
        return RF_SILENT_DOMAIN + number;
    return rf_trigger_is_in_domain(name) ? RF_EXCLUDED_TRIGGER_DOMAIN : RF_EXCLUDED_DOMAIN + number;
}

RF_COLD uint64_t rf_domain_handle(const char *name)
{
    if (name != NULL && is_excluded(name))
        return excluded_handle(name);
    uint32_t handle = rf_intern(RF_REC_DOMAIN, 0, 0, name, &rf_recorder.n_domains);
    if (asks_for_snapshots(name)) /* the definition is there before it is looked for */
        __atomic_store_n(&rf_recorder.control->ring.asks, 1, __ATOMIC_RELEASE);
    return handle < RF_MAX_DOMAIN ? handle : RF_MAX_DOMAIN - 1;
}

RF_COLD uint32_t rf_string_handle(uint64_t domain, const char *text)
{
    uint32_t field = domain > UINT32_MAX ? UINT32_MAX : (uint32_t)domain;
    return rf_intern(RF_REC_STRING, field, domain, text, &rf_recorder.n_strings);
}

RF_COLD void rf_domain_destroy(uint64_t domain)
{
    if (domain != 0 && rf_domain_is_excluded(domain))
        return;
    (void)rf_defs_add(RF_REC_DOMAIN_DESTROY, domain > UINT32_MAX ? UINT32_MAX : (uint32_t)domain, 0,
                      domain, 0, NULL, 0);
    rf_interned_forget(RF_REC_DOMAIN, domain);
}
