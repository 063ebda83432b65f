/* SPDX-License-Identifier: Apache-2.0 */
/* What the annotated plug-ins export. */
#ifndef RF_TESTS_PLUGIN_H
#define RF_TESTS_PLUGIN_H

__attribute__((visibility("default"))) void plugin_annotate(void);

#endif
