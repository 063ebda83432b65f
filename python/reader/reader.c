/* SPDX-License-Identifier: Apache-2.0 */
#include "reader_module.h"

#include <string.h>

static PyObject *format_error; /* rangefinder.FormatError */

void *object_new(PyTypeObject *type)
{
    return PyObject_New(PyObject, type);
}

/* ---- Errors ---- */

PyObject *raise_no_memory(void)
{
    return PyErr_NoMemory();
}

static PyObject *exception_of(int code)
{
    switch (code) {
    case RF_ERR_IO:
        return PyExc_OSError;
    case RF_ERR_NO_MEMORY:
        return PyExc_MemoryError;
    case RF_ERR_FORMAT:
    case RF_ERR_DAMAGED:
        return format_error;
    case RF_ERR_EXISTS:
        return PyExc_FileExistsError;
    case RF_ERR_USAGE:
        return PyExc_ValueError;
    default:
        return PyExc_RuntimeError;
    }
}

static int set_attribute(PyObject *object, const char *name, PyObject *value)
{
    int status = value != NULL ? PyObject_SetAttrString(object, name, value) : -1;
    Py_XDECREF(value);
    return status;
}

/* The text of an error, with Python's names for what the command line calls otherwise. */
static PyObject *text_of_error(const struct rf_err *err)
{
    static const char *const names[][2] = {
        {"use -f to overwrite it", "overwrite=True replaces it"},
        {"--filter-name or --filter-time", "Recording.filter(name=...) or filter(time=...)"}};
    PyObject *text = text_object(err->text, strlen(err->text));
    for (size_t i = 0; text != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
        PyObject *from = PyUnicode_FromString(names[i][0]), *to = PyUnicode_FromString(names[i][1]);
        Py_SETREF(text, from != NULL && to != NULL ? PyUnicode_Replace(text, from, to, 1) : NULL);
        Py_XDECREF(from);
        Py_XDECREF(to);
    }
    return text;
}

PyObject *raise_error(const struct rf_err *err)
{
    PyObject *type = exception_of(err->code);
    PyObject *text = text_of_error(err);
    PyObject *error = text != NULL ? PyObject_CallFunctionObjArgs(type, text, NULL) : NULL;
    Py_XDECREF(text);
    if (error == NULL)
        return NULL;
    if (type != format_error ||
        (set_attribute(error, "code", PyUnicode_FromString(rf_error_name(err->code))) == 0 &&
         set_attribute(error, "offset", PyLong_FromUnsignedLongLong(err->offset)) == 0))
        PyErr_SetObject(type, error);
    Py_DECREF(error);
    return NULL;
}

/* ---- Text ---- */

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

PyObject *frames_function(const char *name)
{
    PyObject *module = PyImport_ImportModule("rangefinder._frames");
    PyObject *function = module != NULL ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return function;
}

PyObject *frames_call(const char *name, PyObject *argument)
{
    PyObject *function = frames_function(name);
    PyObject *result =
        function != NULL ? PyObject_CallFunctionObjArgs(function, argument, NULL) : NULL;
    Py_XDECREF(function);
    return result;
}

PyObject *frames_raise_no_array(PyObject *self)
{
    const char *name = strrchr(Py_TYPE(self)->tp_name, '.') + 1;
    return PyErr_Format(PyExc_TypeError,
                        "%s has columns of several types: to_pandas() makes a DataFrame of them, "
                        "to_arrow() a pyarrow.Table, and columns()[\"name\"] is one column",
                        name);
}

/* ---- The module ---- */

static PyObject *formats(PyObject *module, PyObject *ignored)
{
    const char *name;
    PyObject *list = PyList_New(0);
    (void)module;
    (void)ignored;
    for (size_t i = 0; list != NULL && (name = rf_export_format_at(i, NULL)) != NULL; i++) {
        PyObject *text = PyUnicode_FromString(name);
        if (text == NULL || PyList_Append(list, text) != 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

static PyObject *format_of(PyObject *module, PyObject *path)
{
    PyObject *bytes = NULL;
    (void)module;
    if (!PyUnicode_FSConverter(path, &bytes))
        return NULL;
    PyObject *name = Py_BuildValue("z", rf_export_format_of(PyBytes_AS_STRING(bytes)));
    Py_DECREF(bytes);
    return name;
}

static PyMethodDef functions[] = {
    {"formats", formats, METH_NOARGS,
     PyDoc_STR("formats()\n--\n\nReturns the names of the formats of Recording.export().")},
    {"format_of", format_of, METH_O,
     PyDoc_STR(
         "format_of(path, /)\n--\n\nReturns the format that a file's name asks for, or None.")},
    {NULL, NULL, 0, NULL}};

static int add_object(PyObject *module, const char *name, void *object)
{
    Py_INCREF((PyObject *)object); /* of the module */
    return PyModule_AddObject(module, name, (PyObject *)object);
}

static int add_type(PyObject *module, PyTypeObject *type)
{
    return PyType_Ready(type) == 0 ? add_object(module, strrchr(type->tp_name, '.') + 1, type) : -1;
}

static int make_format_error(void)
{
    if (format_error == NULL)
        format_error = PyErr_NewExceptionWithDoc(
            "rangefinder.FormatError",
            "A file is no recording, or a damaged one.\n\n"
            "code: str, 'RF_ERR_FORMAT' or 'RF_ERR_DAMAGED'.\n"
            "offset: int, the byte in the file, where it is known; otherwise 0.",
            PyExc_ValueError, NULL);
    return format_error != NULL ? 0 : -1;
}

/* What is made here is made once, and belongs to the main interpreter. That a module is initialised
 * in phases has it run in the interpreter that imports it: Python 3.13 runs what has one phase in
 * the main one, for all. */
static int fill_module(PyObject *module)
{
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        PyErr_SetString(
            PyExc_ImportError,
            "recordings cannot be read in a sub-interpreter: open them in the main one, or use "
            "processes");
        return -1;
    }
    if (make_format_error() != 0 || add_object(module, "FormatError", format_error) != 0 ||
        add_type(module, &opened_type) != 0 || add_type(module, &rows_type) != 0 ||
        add_type(module, &column_type) != 0 || add_type(module, &table_type) != 0 ||
        PyModule_AddStringConstant(module, "__version__", rf_version()) != 0)
        return -1;
    return kinds_init(module);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill_module}, {0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "rangefinder._reader",
                                 .m_doc = "Recordings: see rangefinder.open().",
                                 .m_methods = functions, .m_slots = slots};

PyMODINIT_FUNC PyInit__reader(void);

PyMODINIT_FUNC PyInit__reader(void)
{
    return PyModuleDef_Init(&definition);
}
