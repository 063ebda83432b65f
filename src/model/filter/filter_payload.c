/* SPDX-License-Identifier: Apache-2.0 */
/* Values in payloads: NAME=VALUE, NAME=MIN..MAX. */
#include "model/filter/filter_payload.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

_Static_assert(LDBL_MANT_DIG >= 64, "integers of 64 bits are compared exactly");

/* ---- Parsing ---- */

/* A decimal number or a hexadecimal integer that is exactly size bytes; false: it is neither. */
static bool parse_number(const char *text, size_t size, long double *number)
{
    char copy[64], *end;
    size_t sign = size > 0 && (text[0] == '-' || text[0] == '+');
    if (size >= sizeof(copy))
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    const char *digits = copy + sign;
    bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    const char *known = is_hex ? "0123456789abcdefABCDEFxX" : "0123456789.eE+-";
    bool begins = (digits[0] >= '0' && digits[0] <= '9') || digits[0] == '.';
    if (!begins || digits[strspn(digits, known)] != '\0')
        return false;
    *number = strtold(copy, &end);
    return *end == '\0' && isfinite(*number);
}

static int fail_range(const char *text, const char *why, struct rf_err *err)
{
    return rf_fail(err, RF_ERR_USAGE,
                   "cannot use the payload filter '%.100s': %s; write NAME=MIN..MAX, where one of "
                   "them may be left out",
                   text, why);
}

/* MIN..MAX. What has no number on either side is a text with two dots. */
static int parse_range(struct rf_payload_test *test, const char *text, const char *value,
                       const char *dots, struct rf_err *err)
{
    const char *right = dots + 2;
    size_t left_size = (size_t)(dots - value), right_size = strlen(right);
    test->least = -HUGE_VALL;
    test->most = HUGE_VALL;
    bool has_least = parse_number(value, left_size, &test->least);
    bool has_most = parse_number(right, right_size, &test->most);
    if (left_size == 0 && right_size == 0)
        return fail_range(text, "it has neither MIN nor MAX", err);
    if (!has_least && !has_most)
        return RF_OK;
    if (!has_least && left_size > 0)
        return fail_range(text, "MIN is not a number", err);
    if (!has_most && right_size > 0)
        return fail_range(text, "MAX is not a number", err);
    if (test->least > test->most)
        return fail_range(text, "MIN is greater than MAX", err);
    test->is_number = true;
    return RF_OK;
}

static int parse_value(struct rf_payload_test *test, const char *text, const char *value,
                       struct rf_err *err)
{
    const char *dots = strstr(value, "..");
    test->text = value;
    if (dots != NULL)
        return parse_range(test, text, value, dots, err);
    if (parse_number(value, strlen(value), &test->least)) {
        test->most = test->least;
        test->is_number = true;
    }
    return RF_OK;
}

/* Splits the text at the first '='. Without one it is a number, a range of numbers, or a name. */
int rf_payload_test_init(struct rf_payload_test *test, const rf_recording *rec, const char *text,
                         struct rf_err *err)
{
    const char *equals = strchr(text, '='), *name = text;
    size_t size = equals != NULL ? (size_t)(equals - text) : strlen(text);
    int status = RF_OK;
    *test = (struct rf_payload_test){.text = NULL};
    if (size == 0)
        return rf_fail(err, RF_ERR_USAGE,
                       "the payload filter '%.100s' has no name: write NAME=VALUE, or "
                       "payload=VALUE for a payload that is one value",
                       text);
    status = parse_value(test, text, equals != NULL ? equals + 1 : text, err);
    if (status != RF_OK)
        return status;
    if (equals == NULL && test->is_number) {
        name = "payload";
        size = strlen(name);
    } else if (equals == NULL) {
        test->text = NULL;
    }
    status = rf_payload_lookup_init(&test->lookup, rec, name, size);
    return status == RF_OK ? status : rf_fail(err, status, "out of memory");
}

void rf_payload_test_release(struct rf_payload_test *test)
{
    rf_payload_lookup_release(&test->lookup);
}

/* ---- Values ---- */

static bool is_same_text(const struct rf_payload_test *test, const char *text, size_t size)
{
    return strlen(test->text) == size && memcmp(test->text, text, size) == 0;
}

static bool is_same_hex(const struct rf_payload_test *test, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    if (strlen(test->text) != 2 * size)
        return false;
    for (size_t i = 0; i < size; i++)
        if (test->text[2 * i] != digits[bytes[i] >> 4] ||
            test->text[2 * i + 1] != digits[bytes[i] & 15])
            return false;
    return true;
}

static bool is_between(const struct rf_payload_test *test, long double number)
{
    return test->is_number && number >= test->least && number <= test->most;
}

/* A float is compared with the floats nearest to the limits, so that 0.1 is what is shown as 0.1;
 * a double likewise. */
static bool has_real(const struct rf_payload_test *test, const struct rf_value *value)
{
    const double number = value->real;
    if (isnan(number))
        return strcmp(test->text, "nan") == 0;
    if (isinf(number) && strcmp(test->text, number > 0 ? "inf" : "-inf") == 0)
        return true;
    if ((value->flags & RF_VALUE_FLOAT) != 0)
        return test->is_number && (float)number >= (float)test->least &&
               (float)number <= (float)test->most;
    return test->is_number && number >= (double)test->least && number <= (double)test->most;
}

/* The number of an enum's value, which may be signed. */
static bool has_enum(const struct rf_payload_test *test, const struct rf_value *value)
{
    const uint32_t size = value->flags >> RF_VALUE_SIZE_SHIFT;
    const unsigned above = size > 0 && size < 8 ? 64 - 8 * size : 0;
    return is_between(test, (long double)value->number) ||
           is_between(test, (long double)((int64_t)(value->number << above) >> above));
}

static bool has_text(const struct rf_payload_test *test, const struct rf_value *value)
{
    if (is_same_text(test, value->text, value->count))
        return true;
    return (value->flags & RF_VALUE_ENUM) != 0 && has_enum(test, value);
}

static bool has_value(const struct rf_payload_test *test, const struct rf_value *value)
{
    switch (value->kind) {
    case RF_VALUE_UNSIGNED:
        if ((value->flags & RF_VALUE_ENUM) != 0)
            return has_enum(test, value);
        return is_between(test, (long double)value->number);
    case RF_VALUE_ADDRESS:
        return is_between(test, (long double)value->number);
    case RF_VALUE_SIGNED:
        return is_between(test, (long double)value->integer);
    case RF_VALUE_REAL:
        return has_real(test, value);
    case RF_VALUE_DIGITS:
        return is_same_text(test, value->text, value->count) ||
               (test->least < test->most && is_between(test, strtold(value->text, NULL)));
    case RF_VALUE_TEXT:
        return has_text(test, value);
    case RF_VALUE_BYTES:
        return is_same_hex(test, value->bytes, value->count);
    default:
        return false;
    }
}

bool rf_payload_fits(struct rf_payload_test *test, const struct rf_event *event)
{
    struct rf_value value;
    if (test->status != RF_OK)
        return false;
    test->status = rf_payload_lookup_value(&test->lookup, event, &value);
    if (test->status != RF_OK || value.kind == RF_VALUE_NULL)
        return false;
    return test->text == NULL || has_value(test, &value);
}

int rf_payload_test_check(const struct rf_payload_test *test, struct rf_err *err)
{
    if (test->status != RF_OK)
        return rf_fail(err, test->status, "out of memory");
    return rf_payload_lookup_check(&test->lookup, err);
}
