/* SPDX-License-Identifier: Apache-2.0 */
#include "record/names/domain_handles.h"

#include <string.h>

#include "record/focus/trigger_names.h"
#include "record/names/defs.h"
#include "record/names/interned.h"

/* Does the user's --nvtx-domain-include or -exclude leave this domain out? name NULL: default. */
static bool is_excluded(const char *name)
{
    const struct rf_control *control = rf_recorder.control;
    if (control->filter_mode == RF_FILTER_NONE)
        return false;
    bool is_listed = false;
    uint32_t size = control->filter_size < RF_FILTER_SIZE ? control->filter_size : RF_FILTER_SIZE;
    for (uint32_t at = 0; at < size; at += (uint32_t)strnlen(control->filter + at, size - at) + 1)
        if (strcmp(control->filter + at, name == NULL ? "\1" : name) == 0)
            is_listed = true;
    return is_listed == (control->filter_mode == RF_FILTER_EXCLUDE);
}

bool rf_domain_is_default_excluded(void)
{
    return is_excluded(NULL);
}

RF_COLD uint32_t rf_domain_handle(const char *name)
{
    if (name != NULL && is_excluded(name))
        return rf_trigger_is_in_domain(name)
                   ? RF_EXCLUDED_TRIGGER_DOMAIN
                   : RF_EXCLUDED_DOMAIN +
                         (uint32_t)(rf_interned_hash(0, 0, name, strlen(name)) & 0xfffff);
    uint32_t handle = rf_intern(RF_REC_DOMAIN, 0, 0, name, &rf_recorder.n_domains);
    return handle < RF_EXCLUDED_DOMAIN ? handle : RF_EXCLUDED_DOMAIN - 1;
}

RF_COLD uint32_t rf_string_handle(uint64_t domain, const char *text)
{
    uint32_t field = domain > UINT32_MAX ? UINT32_MAX : (uint32_t)domain;
    return rf_intern(RF_REC_STRING, field, domain, text, &rf_recorder.n_strings);
}

RF_COLD void rf_domain_destroy(uint64_t domain)
{
    if (domain >= RF_EXCLUDED_DOMAIN && domain < RF_ATTR_DOMAIN_ESCAPE)
        return;
    (void)rf_defs_add(RF_REC_DOMAIN_DESTROY, domain > UINT32_MAX ? UINT32_MAX : (uint32_t)domain, 0,
                      domain, 0, NULL, 0);
    rf_interned_forget(RF_REC_DOMAIN, domain);
}
