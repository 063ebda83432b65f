/* SPDX-License-Identifier: Apache-2.0 */
#include "clocks_dict.h"

#include "rangefinder/clocks.h"

/* -1: it is not known. */
static PyObject *known(int64_t value)
{
    if (value >= 0)
        return PyLong_FromLongLong(value);
    Py_RETURN_NONE;
}

static PyObject *truth(int value)
{
    if (value >= 0)
        return PyBool_FromLong(value);
    Py_RETURN_NONE;
}

/* As info --json writes it. */
static PyObject *boot_id(const uint8_t id[16])
{
    char text[2 * 16];
    unsigned any = 0;
    for (int i = 0; i < 16; i++) {
        text[2 * i] = "0123456789abcdef"[id[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[id[i] & 15];
        any |= id[i];
    }
    if (any != 0)
        return PyUnicode_FromStringAndSize(text, sizeof(text));
    Py_RETURN_NONE;
}

static PyObject *moment_dict(const struct rf_clock_moment *moment)
{
    PyObject *dict = PyDict_New();
    if (dict != NULL)
        dict_add(&dict, "ticks", PyLong_FromUnsignedLongLong(moment->ticks));
    if (dict != NULL)
        dict_add(&dict, "mono_ns", PyLong_FromLongLong(moment->mono_ns));
    if (dict != NULL)
        dict_add(&dict, "boot_ns", PyLong_FromLongLong(moment->boot_ns));
    if (dict != NULL)
        dict_add(&dict, "utc_ns", PyLong_FromLongLong(moment->utc_ns));
    if (dict != NULL)
        dict_add(&dict, "max_error_ns", known(moment->max_error_ns));
    if (dict != NULL)
        dict_add(&dict, "est_error_ns", known(moment->est_error_ns));
    if (dict != NULL)
        dict_add(&dict, "is_synchronised", truth(moment->is_synchronised));
    return dict;
}

static PyObject *moments_list(const rf_recording *rec)
{
    struct rf_clock_moment moment = RF_CLOCK_MOMENT_INIT;
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list != NULL && rf_clock_moment_at(rec, i, &moment) == RF_OK; i++)
        list_add(&list, moment_dict(&moment));
    return list;
}

PyObject *alignment_dict(const struct rf_alignment *alignment)
{
    const int is_known = alignment->utc_disagrees_ns != RF_NO_TIME;
    return Py_BuildValue(
        "{s:s,s:I,s:L,s:d,s:N,s:K,s:N,s:K,s:K,s:L,s:L,s:N,s:N}", "method",
        rf_align_method_name(alignment->method), "machine", (unsigned)alignment->machine,
        "offset_ns", (long long)alignment->offset_ns, "drift", alignment->drift, "uncertainty_ns",
        known(alignment->uncertainty_ns), "n_anchors", (unsigned long long)alignment->n_anchors,
        "residual_ns", known(alignment->residual_ns), "n_violations",
        (unsigned long long)alignment->n_violations, "n_left",
        (unsigned long long)alignment->n_left, "violation_ns", (long long)alignment->violation_ns,
        "moved_ns", (long long)alignment->moved_ns, "is_bent", truth(alignment->is_bent),
        "utc_disagrees_ns",
        is_known ? PyLong_FromLongLong(alignment->utc_disagrees_ns) : new_reference(Py_None));
}

PyObject *clocks_dict(const rf_recording *rec)
{
    struct rf_clock clock = RF_CLOCK_INIT;
    PyObject *dict = PyDict_New();
    (void)rf_clock_of(rec, &clock, NULL);
    if (dict != NULL)
        dict_add(&dict, "boot_id", boot_id(clock.boot_id));
    if (dict != NULL)
        dict_add(&dict, "time_namespace", PyLong_FromUnsignedLongLong(clock.time_namespace));
    if (dict != NULL)
        dict_add(&dict, "is_counter", truth(clock.is_counter));
    if (dict != NULL)
        dict_add(&dict, "epoch_ticks", PyLong_FromUnsignedLongLong(clock.ticks));
    if (dict != NULL)
        dict_add(&dict, "utc_error_ns", known(clock.utc_error_ns));
    if (dict != NULL)
        dict_add(&dict, "is_mono_faked", truth(clock.is_mono_faked));
    if (dict != NULL)
        dict_add(&dict, "is_utc_faked", truth(clock.is_utc_faked));
    if (dict != NULL)
        dict_add(&dict, "n_steps", PyLong_FromUnsignedLong(clock.n_steps));
    if (dict != NULL)
        dict_add(&dict, "step_ns", PyLong_FromLongLong(clock.step_ns));
    if (dict != NULL)
        dict_add(&dict, "pairs", moments_list(rec));
    return dict;
}
