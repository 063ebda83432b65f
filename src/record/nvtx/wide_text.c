/* SPDX-License-Identifier: Apache-2.0 */
#include "record/nvtx/wide_text.h"

#include "record/platform.h"
#include "record/process/session_page.h"

/* Writes one wide character as UTF-8 and returns its size. A value that is no Unicode scalar
 * value becomes U+FFFD. */
static size_t utf8_put(char *out, uint32_t c)
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

void rf_utf8_text_init(struct rf_utf8_text *utf8, const wchar_t *wide)
{
    utf8->text = NULL;
    utf8->mapped = 0;
    if (wide == NULL)
        return;
    char *out = utf8->small;
    size_t room = sizeof(utf8->small);
    size_t length = wcslen(wide);
    if (length * 4 + 1 > room) {
        size_t size = (length * 4 + 4096) & ~(size_t)4095;
        char *mapping = rf_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
        if (mapping != NULL) {
            out = mapping;
            utf8->mapped = size;
        } else {
            length = (room - 1) / 4; /* a long text cut short is better than none */
            rf_count_lost(0, 1);
        }
    }
    size_t n = 0;
    for (size_t i = 0; i < length; i++)
        n += utf8_put(out + n, (uint32_t)wide[i]);
    out[n] = '\0';
    utf8->text = out;
}

void rf_utf8_text_release(struct rf_utf8_text *utf8)
{
    if (utf8->mapped > 0)
        (void)rf_sys_munmap((void *)utf8->text, utf8->mapped);
}
