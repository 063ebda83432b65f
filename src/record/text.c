/* SPDX-License-Identifier: Apache-2.0 */
/* Small text work without stdio, locale or memory of the program's. */
#include "record/recorder.h"

#include <wchar.h>

size_t rf_put_text(char *buffer, size_t size, size_t at, const char *text)
{
    while (*text != '\0' && at + 1 < size)
        buffer[at++] = *text++;
    buffer[at] = '\0';
    return at;
}

size_t rf_put_number(char *buffer, size_t size, size_t at, uint64_t number, int min_digits)
{
    char digits[24];
    int n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0 || n < min_digits);
    while (n > 0 && at + 1 < size)
        buffer[at++] = digits[--n];
    buffer[at] = '\0';
    return at;
}

/* Bytes of one wide character in UTF-8; what is no Unicode scalar value becomes U+FFFD. */
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

void rf_narrow_init(struct rf_narrow *narrow, const wchar_t *wide)
{
    narrow->text = NULL;
    narrow->mapped = 0;
    if (wide == NULL)
        return;
    char *out = narrow->small;
    size_t room = sizeof(narrow->small);
    size_t length = wcslen(wide);
    if (length * 4 + 1 > room) {
        size_t size = (length * 4 + 4096) & ~(size_t)4095;
        char *mapping = rf_sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
        if (mapping != NULL) {
            out = mapping;
            narrow->mapped = size;
        } else {
            length = (room - 1) / 4; /* a long text cut short is better than none */
            rf_count_lost(0, 1);
        }
    }
    size_t n = 0;
    for (size_t i = 0; i < length; i++)
        n += utf8_put(out + n, (uint32_t)wide[i]);
    out[n] = '\0';
    narrow->text = out;
}

void rf_narrow_release(struct rf_narrow *narrow)
{
    if (narrow->mapped > 0)
        (void)rf_sys_munmap((void *)narrow->text, narrow->mapped);
}
