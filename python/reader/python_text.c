/* SPDX-License-Identifier: Apache-2.0 */
#include "python_text.h"

#include "rangefinder/rangefinder.h"

PyObject *text_object(const char *text, size_t size)
{
    if (text == NULL)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
}

PyObject *string_object(const struct recording *recording, uint32_t id)
{
    size_t size;
    const char *text = rf_string(recording->rec, id, &size);
    return text_object(text, size);
}
