/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/chain_option.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/install.h"
#include "cli/option_parser.h"
#include "cli/say.h"
#include "cli/usage_error.h"
#include "log/layout.h"
#include "session/session_dir.h"

#define VARIABLE "RANGEFINDER_CHAIN"

int chain_option(struct chain_options *options, const struct cli_parser *parser)
{
    if (strcmp(parser->value, "auto") == 0) {
        options->is_auto = true;
        return CLI_OK;
    }
    if (options->n == CHAIN_MOST)
        return cli_usage_error(parser->command,
                               "'--chain=%s': there are %u already, the most that can be",
                               parser->value, CHAIN_MOST);
    options->tool[options->n++] = parser->value;
    return CLI_OK;
}

/* What a path leads to. */
struct tool {
    const char *given;
    char path[PATH_MAX];
    struct stat st;
};

static bool is_file(const struct tool *tool, const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_dev == tool->st.st_dev && st.st_ino == tool->st.st_ino;
}

static bool is_ours(const struct tool *tool)
{
    static const char *const names[] = {CLI_CHAIN_NAME, CLI_INJECT_NAME};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (cli_install_library(names[i], path, sizeof(path), NULL) == RF_OK && is_file(tool, path))
            return true;
    return false;
}

static bool is_elf(const struct tool *tool)
{
    char head[SELFMAG] = "";
    const int fd = S_ISREG(tool->st.st_mode) ? open(tool->path, O_RDONLY | O_CLOEXEC) : -1;
    const ssize_t n = fd >= 0 ? read(fd, head, sizeof(head)) : 0;
    if (fd >= 0)
        (void)close(fd);
    return n == SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0;
}

static bool is_listed(const char *list, const struct tool *tool)
{
    char path[PATH_MAX];
    for (const char *at = list; *at != '\0';) {
        const size_t n = strcspn(at, ":");
        (void)snprintf(path, sizeof(path), "%.*s", (int)n, at);
        if (is_file(tool, path))
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

/* Whether a path leads to a library that can be chained; if not, after a message. */
static bool find_tool(struct tool *tool)
{
    if (realpath(tool->given, tool->path) == NULL || access(tool->path, R_OK) != 0 ||
        stat(tool->path, &tool->st) != 0)
        cli_say("--chain: cannot read '%s': it is to be a library with the entry points of NVTX",
                tool->given);
    else if (!is_elf(tool))
        cli_say("--chain: '%s' is no library: it is to have the entry points of NVTX", tool->given);
    else if (is_ours(tool))
        cli_say("--chain: '%s' is Rangefinder's own library, which is in the chain without it",
                tool->given);
    else
        return true;
    return false;
}

static int add(char *list, size_t size, const char *given, bool may_repeat)
{
    struct tool tool = {.given = given};
    const size_t n = strlen(list);
    if (!find_tool(&tool))
        return CLI_PROFILE_FAILED;
    const bool is_twice = is_listed(list, &tool);
    if (is_twice && may_repeat)
        return CLI_OK;
    if (is_twice) {
        cli_say("--chain: '%s' is named twice", given);
        return CLI_PROFILE_FAILED;
    }
    if (strchr(tool.path, ':') != NULL ||
        snprintf(list + n, size - n, "%s%s", n > 0 ? ":" : "", tool.path) >= (int)(size - n)) {
        cli_say("--chain: the path '%s' is too long or has a ':'", tool.path);
        return CLI_PROFILE_FAILED;
    }
    return CLI_OK;
}

/* Where another library is preloaded, the chain is too, before it: see name_again() there. */
static int preload(struct program_env *env, const char *path)
{
    const char *before = program_env_get(env, "LD_PRELOAD");
    if (before == NULL || before[0] == '\0')
        return CLI_OK;
    if (strpbrk(path, ": ") != NULL) {
        cli_say("--chain: cannot preload '%s', whose path has a ':' or a space", path);
        return CLI_PROFILE_FAILED;
    }
    return program_env_preload(env, path) == RF_OK ? CLI_OK : CLI_PROFILE_FAILED;
}

int chain_set(const struct chain_options *options, struct program_env *env, const char *another,
              char *path, size_t size)
{
    char assignment[sizeof(VARIABLE) + (CHAIN_MOST + 1) * PATH_MAX] = "";
    char list[sizeof(assignment) - sizeof(VARIABLE)] = "";
    struct rf_err err;
    int status = CLI_OK;
    path[0] = '\0';
    for (unsigned i = 0; i < options->n && status == CLI_OK; i++)
        status = add(list, sizeof(list), options->tool[i], false);
    if (options->is_auto && another != NULL && status == CLI_OK)
        status = add(list, sizeof(list), another, true);
    if (status != CLI_OK || list[0] == '\0')
        return status;
    (void)snprintf(assignment, sizeof(assignment), VARIABLE "=%s", list);
    if (cli_install_library(CLI_CHAIN_NAME, path, size, &err) != RF_OK) {
        cli_say("%s", err.text);
        return CLI_PROFILE_FAILED;
    }
    if (program_env_set(env, assignment) != RF_OK)
        return CLI_PROFILE_FAILED;
    return preload(env, path);
}

static bool is_crash(int number)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
        if (number == crashes[i])
            return true;
    return false;
}

void chain_note_crash(const struct program_env *env, struct rf_control *control)
{
    const char *list = program_env_get(env, VARIABLE);
    char text[RF_MESSAGE_SIZE];
    if (list == NULL || control->root_end != RF_ROOT_SIGNALED || !is_crash(control->root_status))
        return;
    size_t n = (size_t)snprintf(text, sizeof(text), "in the chain when the program crashed:");
    for (const char *at = list; *at != '\0' && n < sizeof(text);) {
        const size_t size = strcspn(at, ":");
        const char *slash = memrchr(at, '/', size), *name = slash != NULL ? slash + 1 : at;
        n += (size_t)snprintf(text + n, sizeof(text) - n, " '%.*s'", (int)(at + size - name), name);
        at += size + (at[size] == ':');
    }
    session_post_message(control, text);
}
