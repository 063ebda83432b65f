/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gpu/demangle.h"

#include <setjmp.h>
#include <string.h>

/* ---- Demangling ---- */

#ifdef RF_HAS_DEMANGLER
/* libsupc++'s demangler, which gives its result piece by piece. It allocates nothing, so that it
 * can be left in the middle. No header declares it. */
extern int __gcclibcxx_demangle_callback(const char *mangled,
                                         void (*append)(const char *text, size_t size,
                                                        void *context),
                                         void *context);

struct output {
    char *text;
    size_t size, room;
    jmp_buf is_full;
};

static void append(const char *text, size_t size, void *context)
{
    struct output *out = context;
    if (size >= out->room - out->size)
        longjmp(out->is_full, 1);
    memcpy(out->text + out->size, text, size);
    out->size += size;
}

size_t rf_demangle(const char *mangled, char *buffer, size_t room)
{
    struct output out = {.text = buffer, .room = room};
    buffer[0] = '\0';
    if (mangled[0] != '_' || mangled[1] != 'Z')
        return 0;
    if (setjmp(out.is_full) != 0)
        return 0;
    if (__gcclibcxx_demangle_callback(mangled, append, &out) != 0)
        return 0;
    buffer[out.size] = '\0';
    return out.size;
}
#else
size_t rf_demangle(const char *mangled, char *buffer, size_t room)
{
    (void)mangled;
    (void)room;
    buffer[0] = '\0';
    return 0;
}
#endif

/* ---- Short names ---- */

/* The place of the bracket that opens what the one before `end` closes; NULL: there is none. What
 * stands in other brackets is passed over, but < and > can be operators there. */
static const char *opening(const char *name, const char *end)
{
    const char closing = end[-1], open = closing == ')' ? '(' : '<';
    size_t depth = 0, round = 0;
    for (const char *p = end; p > name; p--) {
        if (closing == '>' && (p[-1] == ')' || p[-1] == ']' || p[-1] == '}'))
            round++;
        else if (closing == '>' && (p[-1] == '(' || p[-1] == '[' || p[-1] == '{'))
            round -= round > 0;
        else if (p[-1] == closing && round == 0)
            depth++;
        else if (p[-1] == open && round == 0 && --depth == 0)
            return p - 1;
    }
    return NULL;
}

const char *rf_short_name(const char *name, size_t length, size_t *size)
{
    const char *end = name + length, *open;
    while (end > name && end[-1] == ']') { /* " [clone .kd]" */
        while (end > name && *--end != '[') {
        }
        while (end > name && end[-1] == ' ')
            end--;
    }
    if (end > name && end[-1] == ')' && (open = opening(name, end)) != NULL && open > name)
        end = open;
    if (end > name && end[-1] == '>' && (open = opening(name, end)) != NULL && open > name)
        end = open;
    const char *start = end;
    while (start > name && start[-1] != ':' && start[-1] != ' ' && start[-1] != '>')
        start--;
    *size = (size_t)(end - start);
    if (*size == 0) { /* not as expected */
        *size = length;
        return name;
    }
    return start;
}
