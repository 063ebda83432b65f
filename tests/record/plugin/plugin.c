/* SPDX-License-Identifier: Apache-2.0 */
/* An annotated plug-in; built several times with another PLUGIN_NAME, each with its own copy of
 * the NVTX headers' state. */
#include "../truth.h"

#include "../plugin.h"

static struct truth_domain shared; /* the same name in every plug-in: one domain */

__attribute__((constructor)) static void load(void)
{
    shared = truth_domain_make("plugins");
    truth_mark(PLUGIN_NAME " loaded");
}

__attribute__((destructor)) static void unload(void)
{
    truth_mark(PLUGIN_NAME " unloaded");
}

void plugin_annotate(void)
{
    nvtxEventAttributes_t a = truth_attributes(PLUGIN_NAME " in the domain");
    truth_push(PLUGIN_NAME);
    truth_mark_ex(&shared, &a, NULL);
    truth_pop();
}
