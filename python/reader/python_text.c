/* SPDX-License-Identifier: Apache-2.0 */
#include "python_text.h"

#include "base/escape.h"
#include "rangefinder/rangefinder.h"

PyObject *text_object(const char *text, size_t size)
{
    if (text == NULL)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
}

PyObject *string_object(const struct held *held, uint32_t id)
{
    size_t size;
    const char *text = rf_string(held->rec, id, &size);
    return text_object(text, size);
}

size_t text_put_utf8(char *out, const char *text, size_t size)
{
    if (!rf_is_utf8(text, size))
        return rf_utf8_replace(out, text, size);
    memcpy(out, text, size);
    return size;
}
