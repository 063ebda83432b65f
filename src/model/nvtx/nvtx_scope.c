/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nvtx/nvtx_scope.h"

#include <string.h>

#include "model/load/load.h"
#include "model/payload/nvtx_definitions.h"
#include "model/strings.h"

enum { SCOPE_THREAD = 22, SCOPE_INNERMOST = 31 };

#define MAX_DEPTH 32u
#define PATH_ROOM 4096u

/* NVTX_SCOPE_ */
static const char *const words[] = {
    [1] = "root",    [2] = "machine",    [3] = "socket",      [4] = "physical_core",
    [5] = "core",    [15] = "hardware",  [16] = "hypervisor", [17] = "vm",
    [18] = "kernel", [19] = "container", [20] = "os",         [21] = "process",
    [22] = "thread", [31] = "software",
};

#define N_WORDS (sizeof(words) / sizeof(words[0]))

/* Puts text before the path, with a slash between; *begin moves. */
static void prepend(char *path, size_t *begin, const char *text, size_t size)
{
    bool has_more = *begin < PATH_ROOM;
    if (size == 0 || size + has_more > *begin)
        return;
    if (has_more)
        path[--*begin] = '/';
    *begin -= size;
    memcpy(path + *begin, text, size);
}

static uint32_t add_string(struct rf_load *load, const char *text, size_t size, int *status)
{
    uint32_t string = rf_strings_add(&load->rec->strings, text, size);
    if (string == RF_NO_STRING)
        *status = RF_ERR_NO_MEMORY;
    return string;
}

bool rf_nvtx_is_thread_scope(uint64_t scope)
{
    return scope == SCOPE_THREAD || scope == SCOPE_INNERMOST;
}

uint32_t rf_nvtx_scope(struct rf_load *load, uint32_t domain, uint64_t scope, int *status)
{
    const rf_recording *rec = load->rec;
    char path[PATH_ROOM];
    size_t begin = sizeof(path);
    if (scope < N_WORDS)
        return words[scope] != NULL ? add_string(load, words[scope], strlen(words[scope]), status)
                                    : RF_NO_STRING;
    for (unsigned i = 0; i < MAX_DEPTH; i++) {
        struct rf_scope_def head;
        const struct rf_nvtx_definition *definition =
            rf_nvtx_definition_at(rec, rf_nvtx_find(rec, RF_NVTX_DEF_SCOPE, domain, scope));
        if (definition == NULL || !rf_nvtx_read(definition, 0, &head, sizeof(head)))
            break;
        const char *text = rf_nvtx_text(definition, head.path);
        while (text != NULL && text[0] == '/')
            text++;
        if (text != NULL)
            prepend(path, &begin, text, strlen(text));
        scope = head.parent;
    }
    return begin < sizeof(path) ? add_string(load, path + begin, sizeof(path) - begin, status)
                                : RF_NO_STRING;
}
