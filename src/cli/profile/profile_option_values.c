/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/profile_option_values.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/command_help.h"
#include "cli/gpu_metrics/gpu_metrics_options.h"
#include "cli/gpu_metrics/gpu_metrics_sets.h"
#include "cli/profile/profile_option_table.h"
#include "cli/profile/trace_options.h"

static void say_exports(void)
{
    const char *name, *help;
    for (size_t i = 0; (name = rf_export_format_at(i, &help)) != NULL; i++)
        printf("%-11s %s\n", name, help);
}

bool profile_say_values(const struct cli_option *option)
{
    switch (option->id) {
    case PROFILE_TRACE:
        trace_say_values();
        return true;
    case PROFILE_EXPORT:
        say_exports();
        return true;
    case GPU_METRICS_SET:
        (void)gpu_metrics_print_sets(0);
        return true;
    case PROFILE_ACCEPTED:
        printf("--%s: accepted with any value; %s: not recorded by this version\n", option->name,
               option->detail);
        return true;
    case PROFILE_IGNORED:
        printf("--%s: accepted with any value, without effect in this version\n", option->name);
        return true;
    case GPU_METRICS_DEVICES:
    case PROFILE_CAPTURE_END:
    case PROFILE_HOTKEY:
    case GPU_METRICS_FREQUENCY:
        break;
    default: /* a choice of words, and not a name that may be "help" */
        if (option->value == NULL || strchr(option->value, '|') == NULL)
            return false;
    }
    cli_option_help(option);
    return true;
}
