/* SPDX-License-Identifier: Apache-2.0 */
#include "log/follow_defs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD ((uint64_t)sizeof(struct rf_defs_header))

struct reading {
    const uint8_t *bytes; /* of the definitions stream */
    uint64_t size;
    void (*on_def)(void *context, const struct rf_def *def, const char *text, uint32_t n_text);
    void *context;
};

/* Whether a definition is there whole; then it is handed on. */
static bool hand_on(const struct reading *r, uint64_t at)
{
    struct rf_def def;
    const uint64_t *head = (const uint64_t *)(const void *)(r->bytes + at);
    /* acquire: pairs with the release by which the recorder publishes it */
    if (__atomic_load_n(head, __ATOMIC_ACQUIRE) == 0)
        return false;
    memcpy(&def, r->bytes + at, sizeof(def));
    if (def.n_words < sizeof(def) / 8 || def.n_words > (r->size - at) / 8)
        return true; /* overwritten by the program */
    const uint32_t room = def.n_words * 8 - (uint32_t)sizeof(def);
    const bool has_text = def.text_size != RF_NO_TEXT;
    r->on_def(r->context, &def, has_text ? (const char *)r->bytes + at + sizeof(def) : NULL,
              !has_text              ? 0
              : def.text_size < room ? def.text_size
                                     : room);
    return true;
}

static void read_unfinished(struct rf_follow_defs *defs, const struct reading *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < defs->n_unfinished; i++)
        if (!hand_on(r, defs->unfinished[i]))
            defs->unfinished[n++] = defs->unfinished[i];
    defs->n_unfinished = n;
}

static void read_new(struct rf_follow_defs *defs, const struct reading *r)
{
    while (r->size - defs->at >= sizeof(struct rf_def)) {
        const uint8_t *at = r->bytes + defs->at + offsetof(struct rf_def, n_words);
        const uint32_t n_words =
            __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
        if (n_words < sizeof(struct rf_def) / 8 || n_words > (r->size - defs->at) / 8)
            return; /* the end */
        if (!hand_on(r, defs->at)) {
            if (defs->n_unfinished == RF_FOLLOW_UNFINISHED)
                return;
            defs->unfinished[defs->n_unfinished++] = defs->at;
        }
        defs->at += (uint64_t)n_words * 8;
    }
}

void rf_follow_defs(struct rf_follow_defs *defs, const char *session_dir, uint32_t process,
                    void (*on_def)(void *context, const struct rf_def *def, const char *text,
                                   uint32_t n_text),
                    void *context)
{
    char path[PATH_MAX + 32];
    struct stat st;
    uint8_t *map = MAP_FAILED;
    (void)snprintf(path, sizeof(path), "%s/p%06" PRIu32 ".defs", session_dir, process);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size > HEAD)
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (fd >= 0)
        (void)close(fd);
    if (map == MAP_FAILED)
        return;
    const struct reading r = {map + HEAD, (uint64_t)st.st_size - HEAD, on_def, context};
    if (memcmp(map, RF_DEFS_MAGIC, 8) == 0 && defs->at <= r.size) {
        read_unfinished(defs, &r);
        read_new(defs, &r);
    }
    (void)munmap(map, (size_t)st.st_size);
}
