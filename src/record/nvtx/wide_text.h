/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 of a wide string. */
#ifndef RF_RECORD_NVTX_WIDE_TEXT_H
#define RF_RECORD_NVTX_WIDE_TEXT_H

#include <stddef.h>
#include <wchar.h>

/* The text is in small[] where it fits, else in a mapping of its own. */
struct rf_utf8_text {
    const char *text; /* NULL where the wide string was NULL */
    size_t mapped;    /* bytes to unmap; 0: none */
    char small[1024];
};
void rf_utf8_text_init(struct rf_utf8_text *utf8, const wchar_t *wide);
void rf_utf8_text_release(struct rf_utf8_text *utf8);

#endif
