/* SPDX-License-Identifier: Apache-2.0 */
#include "record/nvtx/wide_text.h"

#include "base/utf8.h"
#include "record/platform.h"
#include "record/process/session_page.h"

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
        n += rf_utf8_put(out + n, (uint32_t)wide[i]);
    out[n] = '\0';
    utf8->text = out;
}

void rf_utf8_text_release(struct rf_utf8_text *utf8)
{
    if (utf8->mapped > 0)
        (void)rf_sys_munmap((void *)utf8->text, utf8->mapped);
}
