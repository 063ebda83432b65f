/* SPDX-License-Identifier: Apache-2.0 */
/* libzstd, loaded where it is needed: a program that meets no compressed recording does without it.
 */
#ifndef RF_BASE_ZSTD_LIBRARY_H
#define RF_BASE_ZSTD_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#define RF_ZSTD_FILE "libzstd.so.1"
/* What to do without it, after "... and "; ends a sentence. */
#define RF_ZSTD_MISSING                                                                            \
    RF_ZSTD_FILE " cannot be loaded; install libzstd (Debian and Ubuntu: libzstd1, Fedora: "       \
                 "libzstd)"

/* Begin with zeros. */
struct rf_zstd {
    void *handle; /* NULL: not loaded */
    void *(*new_compressor)(void);
    size_t (*free_compressor)(void *compressor);
    size_t (*compress)(void *compressor, void *to, size_t room, const void *from, size_t size,
                       int level);
    void *(*new_expander)(void);
    size_t (*free_expander)(void *expander);
    size_t (*expand)(void *expander, void *to, size_t room, const void *from, size_t size);
    unsigned (*is_error)(size_t result);
    const char *(*version)(void);
};

/* Loads it, unless it is loaded. Returns false if it is not there. */
bool rf_zstd_load(struct rf_zstd *zstd);

/* Harmless on one that is not loaded. */
void rf_zstd_unload(struct rf_zstd *zstd);

#endif
