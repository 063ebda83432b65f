/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/inputs.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "cli/recording_file.h"
#include "cli/say.h"
#include "cli/usage_error.h"
#include "log/layout.h"

static int no_memory(void)
{
    cli_say("out of memory");
    return CLI_FAILED;
}

static int add(struct cli_inputs *inputs, const char *path)
{
    struct stat st;
    struct cli_input input = {.path = NULL};
    if (stat(path, &st) == 0)
        input = (struct cli_input){NULL, st.st_dev, st.st_ino};
    uint32_t same = RF_MAP_NONE;
    if (input.inode != 0)
        same = rf_map_find(&inputs->of_file, input.device, input.inode);
    if (same != RF_MAP_NONE) {
        cli_say("'%s' is the same as '%s'%s", path, inputs->input[same].path,
                inputs->are_merged ? "" : ": it is read once");
        return inputs->are_merged ? CLI_USAGE : CLI_OK;
    }
    if (rf_grow_array(&inputs->input, inputs->n, &inputs->room, sizeof(input)) != RF_OK ||
        (input.inode != 0 &&
         rf_map_set(&inputs->of_file, input.device, input.inode, (uint32_t)inputs->n) != RF_OK) ||
        (input.path = strdup(path)) == NULL)
        return no_memory();
    inputs->input[inputs->n++] = input;
    return CLI_OK;
}

/* A directory that is no session. */
static bool is_folder(const char *path)
{
    char inside[PATH_MAX];
    struct stat st;
    int n = snprintf(inside, sizeof(inside), "%s/" RF_CONTROL_FILE, path);
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && n > 0 && (size_t)n < sizeof(inside) &&
           stat(inside, &st) != 0;
}

static bool is_recording(const char *name)
{
    /* of JSON only what torch.profiler names so itself: other JSON can be an export of ours */
    static const char *const endings[] = {
        ".rf",       ".rfdir", ".rfsum",         ".sqlite",
        ".nsys-rep", ".qdrep", ".pt.trace.json", ".pt.trace.json.gz"};
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
        if (cli_has_suffix(name, endings[i]))
            return true;
    return false;
}

/* Recordings, and what may be a folder with some; hidden ones are none. */
static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.' || is_recording(entry->d_name);
}

#define MAX_DEPTH 8 /* of folders in a folder */

/* Lists what a folder has, and the folders in it; links to folders are not followed, since they may
 * lead back. n: recordings that were found. */
static int add_folder(struct cli_inputs *inputs, const char *path, unsigned depth, size_t *n_found)
{
    struct dirent **entry = NULL;
    const char *between = path[strlen(path) - 1] == '/' ? "" : "/";
    int n = scandir(path, &entry, is_shown, versionsort);
    int status = n < 0 ? CLI_FAILED : CLI_OK;
    if (n < 0)
        cli_say("cannot read the folder '%s': %m", path);
    for (int i = 0; i < n; i++) {
        char inside[PATH_MAX];
        struct stat st;
        int length = snprintf(inside, sizeof(inside), "%s%s%s", path, between, entry[i]->d_name);
        const bool fits = length > 0 && (size_t)length < sizeof(inside) && status == CLI_OK;
        const bool is_wanted = !inputs->are_merged || !cli_has_suffix(inside, ".rfsum");
        if (fits && is_recording(entry[i]->d_name)) {
            ++*n_found;
            status = is_wanted ? add(inputs, inside) : CLI_OK;
        } else if (fits && lstat(inside, &st) == 0 && S_ISDIR(st.st_mode) && is_folder(inside)) {
            if (depth < MAX_DEPTH)
                status = add_folder(inputs, inside, depth + 1, n_found);
            else
                cli_say("'%s' is left out: it is more than %d folders deep", inside, MAX_DEPTH);
        }
        free(entry[i]);
    }
    free(entry);
    return status;
}

static int add_operand(struct cli_inputs *inputs, const char *path)
{
    size_t n = 0;
    if (!is_folder(path))
        return add(inputs, path);
    const int status = add_folder(inputs, path, 0, &n);
    if (status != CLI_OK || n > 0)
        return status;
    cli_say("the folder '%s' has no recordings (.rf, .rfdir, .rfsum, .sqlite, .nsys-rep, "
            ".pt.trace.json)",
            path);
    return CLI_FAILED;
}

int cli_inputs_list(struct cli_inputs *inputs, const struct cli_parser *parser)
{
    int status = CLI_OK;
    if (parser->n_operands == 0)
        return cli_usage_error(parser->command, "FILE is missing");
    inputs->are_many = parser->n_operands > 1;
    for (int i = 0; i < parser->n_operands && status == CLI_OK; i++) {
        const char *path = parser->argv[i];
        inputs->are_many |= is_folder(path);
        status = add_operand(inputs, path);
    }
    return status;
}

void cli_inputs_release(struct cli_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++)
        free(inputs->input[i].path);
    free(inputs->input);
    rf_map_release(&inputs->of_file);
    *inputs = (struct cli_inputs){.input = NULL};
}
