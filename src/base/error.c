/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static int fail(struct rf_err *err, int code, uint64_t offset, const char *format, va_list args)
{
    if (err != NULL) {
        err->code = code;
        err->offset = offset;
        (void)vsnprintf(err->text, sizeof(err->text), format, args);
    }
    return code;
}

int rf_fail(struct rf_err *err, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fail(err, code, 0, format, args);
    va_end(args);
    return code;
}

int rf_fail_at(struct rf_err *err, int code, uint64_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fail(err, code, offset, format, args);
    va_end(args);
    return code;
}

#define RF_ERROR_NAMES(X)                                                                          \
    X(RF_OK)                                                                                       \
    X(RF_ERR_IO)                                                                                   \
    X(RF_ERR_NO_MEMORY)                                                                            \
    X(RF_ERR_FORMAT)                                                                               \
    X(RF_ERR_DAMAGED) X(RF_ERR_EXISTS) X(RF_ERR_USAGE) X(RF_ERR_UNSUPPORTED) X(RF_ERR_NOT_FOUND)

const char *rf_error_name(int code)
{
    switch (code) {
#define RF_CASE(name)                                                                              \
    case name:                                                                                     \
        return #name;
        RF_ERROR_NAMES(RF_CASE)
#undef RF_CASE
    default:
        return "unknown error";
    }
}

const char *rf_version(void)
{
    return RF_PRODUCT_VERSION;
}

int rf_version_number(void)
{
    return RF_VERSION_NUMBER;
}

int rf_is_compatible(int number)
{
    return number >= 0 && number / 10000 == RF_VERSION_MAJOR && number <= RF_VERSION_NUMBER;
}
