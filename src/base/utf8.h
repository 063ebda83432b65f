/* SPDX-License-Identifier: Apache-2.0 */
/* Characters as UTF-8; header-only, since the recorder is linked with libc alone. */
#ifndef RF_BASE_UTF8_H
#define RF_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Writes one character, at most 4 bytes, and returns its size. What is no Unicode scalar value
 * becomes U+FFFD. */
static inline size_t rf_utf8_put(char *out, uint32_t c)
{
    if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        c = 0xfffd;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 63));
        out[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 63));
    out[2] = (char)(0x80 | (c >> 6 & 63));
    out[3] = (char)(0x80 | (c & 63));
    return 4;
}

#endif
