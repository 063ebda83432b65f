/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command_table.h"

#include <string.h>

#include "base/nearest.h"
#include "cli/say.h"

/* One line per verb, in the order of `rangefinder help`: the descriptor's name without cli_cmd_. */
/* clang-format off */
#define VERBS(X)     \
    X(profile)       \
    X(launch)        \
    X(start)         \
    X(stop)          \
    X(cancel)        \
    X(status)        \
    X(shutdown)      \
    X(snapshot)      \
    X(top)           \
    X(sessions)      \
    X(open)          \
    X(export)        \
    X(stats)         \
    X(why)           \
    X(advise)        \
    X(compare)       \
    X(summarize)     \
    X(recipe)        \
    X(info)          \
    X(recover)       \
    X(scrub)         \
    X(gpu_metrics)   \
    X(doctor)        \
    X(help)          \
    X(version)       \
    X(completions)   \
    X(complete)      \
    X(selftest)
/* clang-format on */

#define DECLARE(name) extern const struct cli_command cli_cmd_##name;
VERBS(DECLARE)
#undef DECLARE

static const struct cli_command *const verbs[] = {
#define ROW(name) &cli_cmd_##name,
    VERBS(ROW)
#undef ROW
};

const struct cli_command *cli_command_at(size_t i)
{
    return i < sizeof(verbs) / sizeof(verbs[0]) ? verbs[i] : NULL;
}

const struct cli_command *cli_command_find(const char *name)
{
    const struct cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        if (strcmp(command->name, name) == 0 ||
            (command->alias != NULL && strcmp(command->alias, name) == 0))
            return command;
    return NULL;
}

void cli_command_unknown(const char *name)
{
    const char *names[sizeof(verbs) / sizeof(verbs[0])];
    size_t n = 0;
    const struct cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        if (command->summary != NULL)
            names[n++] = command->name;
    const char *near = rf_nearest_name(name, names, n);
    if (near != NULL)
        cli_say("unknown verb '%s'; did you mean '%s'?", name, near);
    else
        cli_say("unknown verb '%s'; 'rangefinder help' lists them", name);
}
