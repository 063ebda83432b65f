/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nvtx/nvtx_number.h"

#include <math.h>
#include <string.h>

/* Characters and bytes are small numbers. */
struct rf_number_type rf_number_type_of(const struct rf_payload_entry *entry)
{
    uint8_t form = entry->form;
    if (form == RF_ENTRY_BYTE)
        form = RF_ENTRY_UNSIGNED;
    else if (form == RF_ENTRY_CHAR)
        form = entry->size == 1 ? RF_ENTRY_SIGNED : RF_ENTRY_UNSIGNED;
    else if (form == RF_ENTRY_ENUM)
        form = RF_ENTRY_SIGNED;
    else if (form != RF_ENTRY_UNSIGNED && form != RF_ENTRY_SIGNED && form != RF_ENTRY_FLOAT &&
             form != RF_ENTRY_EXTENDED && form != RF_ENTRY_BFLOAT)
        form = RF_ENTRY_INVALID;
    return (struct rf_number_type){form, (uint8_t)entry->size};
}

/* ---- Floating point ---- */

/* A number of n_exponent and n_mantissa bits, from the raw bits. */
static double read_float(uint64_t raw, int n_exponent, int n_mantissa)
{
    const uint64_t most = (1ULL << n_exponent) - 1;
    uint64_t exponent = raw >> n_mantissa & most, mantissa = raw & ((1ULL << n_mantissa) - 1);
    const int bias = (int)(most >> 1);
    double value;
    if (exponent == most)
        value = mantissa != 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp((double)mantissa, 1 - bias - n_mantissa);
    else
        value = ldexp((double)(mantissa | 1ULL << n_mantissa), (int)exponent - bias - n_mantissa);
    return raw >> (n_exponent + n_mantissa) & 1 ? -value : value;
}

static uint64_t load_bits(const uint8_t *bytes, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, bytes, size < sizeof(bits) ? size : sizeof(bits));
    return bits;
}

/* Long numbers are rounded to a double. */
static double read_wide(const uint8_t *bytes, bool is_x87)
{
    uint64_t low = load_bits(bytes, 8), high = load_bits(bytes + 8, is_x87 ? 2 : 8);
    uint64_t head = is_x87 ? high & 0xffff : high >> 48;
    int exponent = (int)(head & 0x7fff);
    double value;
    if (is_x87)
        value = ldexp((double)low, exponent - 16383 - 63);
    else
        value = ldexp((double)((exponent > 0 ? 1ULL << 48 : 0) | (high & 0xffffffffffff)),
                      (exponent > 0 ? exponent : 1) - 16383 - 48) +
                ldexp((double)low, (exponent > 0 ? exponent : 1) - 16383 - 112);
    if (exponent == 0x7fff) {
        bool is_nan = is_x87 ? low << 1 != 0 : low != 0 || high << 16 != 0;
        value = is_nan ? (double)NAN : (double)INFINITY;
    }
    return head >> 15 ? -value : value;
}

static double read_real(const struct rf_number_type *type, const uint8_t *bytes)
{
    double value;
    uint64_t raw = load_bits(bytes, type->size);
    if (type->form == RF_ENTRY_BFLOAT)
        return read_float(raw, 8, 7);
    if (type->size == 2)
        return read_float(raw, 5, 10);
    if (type->size == 4)
        return read_float(raw, 8, 23);
    if (type->form == RF_ENTRY_EXTENDED || type->size == 16)
        return read_wide(bytes, type->form == RF_ENTRY_EXTENDED);
    memcpy(&value, bytes, sizeof(value));
    return value;
}

/* ---- Whole numbers ---- */

static uint64_t extend(uint64_t bits, size_t size)
{
    const unsigned shift = 64 - 8 * (unsigned)size;
    return (uint64_t)((int64_t)(bits << shift) >> shift);
}

/* 128 bits: an integer where 64 hold it, else the nearest double. */
static bool read_long(bool is_signed, const uint8_t *bytes, uint64_t *integer, double *real)
{
    const uint64_t low = load_bits(bytes, 8), high = load_bits(bytes + 8, 8);
    *integer = low;
    if (high == (is_signed && low >> 63 ? UINT64_MAX : 0))
        return true;
    *real = ldexp(is_signed ? (double)(int64_t)high : (double)high, 64) + (double)low;
    return false;
}

bool rf_number_read(const struct rf_number_type *type, const uint8_t *bytes, uint64_t *integer,
                    double *real)
{
    const bool is_signed = type->form == RF_ENTRY_SIGNED;
    if (!rf_is_whole_number(type)) {
        *real = read_real(type, bytes);
        return false;
    }
    if (type->size == 16)
        return read_long(is_signed, bytes, integer, real);
    *integer = load_bits(bytes, type->size);
    if (is_signed)
        *integer = extend(*integer, type->size);
    return true;
}
