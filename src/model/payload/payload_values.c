/* SPDX-License-Identifier: Apache-2.0 */
/* Single values: numbers of every size, text in every encoding, enums, registered strings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "log/chunks.h"
#include "model/payload/payload_reader.h"
#include "model/recording.h"

void rf_payload_give(struct rf_payload_reader *r, const struct rf_payload_label *label,
                     struct rf_value *value)
{
    if (r->has_ended)
        return;
    if (value->kind != RF_VALUE_END) {
        if (r->n_left == 0) {
            r->has_ended = r->is_bad = true;
            return;
        }
        bool is_long = value->kind == RF_VALUE_TEXT || value->kind == RF_VALUE_BYTES;
        rf_payload_charge(r, 1 + (is_long ? value->count / 8 : 0));
    }
    value->name = label->name;
    if (label->entry != NULL) {
        value->description = label->entry->description;
        value->type = label->entry->type;
        value->entry_flags = label->flags;
        if (label->flags & RF_ENTRY_HIDE)
            value->flags |= RF_VALUE_HIDDEN;
    }
    if (r->entry != NULL)
        *r->entry = label->entry;
    if (r->visitor != NULL && r->n_muted == 0)
        r->status = r->visitor(r->context, value);
    r->has_ended = r->status != 0;
}

void rf_payload_give_bytes(struct rf_payload_reader *r, const struct rf_payload_label *label,
                           const uint8_t *bytes, size_t size, bool is_bad)
{
    struct rf_value value = {.kind = RF_VALUE_BYTES, .bytes = bytes, .count = size};
    r->is_bad |= is_bad;
    if (is_bad)
        value.flags = RF_VALUE_BAD;
    rf_payload_give(r, label, &value);
}

/* ---- Numbers ---- */

uint64_t rf_payload_integer(const uint8_t *bytes, uint32_t size, bool is_signed)
{
    uint64_t value = 0;
    uint32_t u32;
    uint16_t u16;
    switch (size) {
    case 1:
        return is_signed ? (uint64_t)(int64_t)(int8_t)bytes[0] : bytes[0];
    case 2:
        memcpy(&u16, bytes, sizeof(u16));
        return is_signed ? (uint64_t)(int64_t)(int16_t)u16 : u16;
    case 4:
        memcpy(&u32, bytes, sizeof(u32));
        return is_signed ? (uint64_t)(int64_t)(int32_t)u32 : u32;
    default:
        memcpy(&value, bytes, sizeof(value));
        return value;
    }
}

/* An integer of 128 bits that 64 do not hold, as decimal digits. */
static void give_long_integer(struct rf_payload_reader *r, const struct rf_payload_label *label,
                              uint64_t low, uint64_t high, bool is_signed)
{
    unsigned __int128 number = (unsigned __int128)high << 64 | low;
    bool is_negative = is_signed && high >> 63 != 0;
    char *digit = r->small + sizeof(r->small);
    if (is_negative)
        number = 0 - number;
    do {
        *--digit = (char)('0' + (unsigned)(number % 10));
        number /= 10;
    } while (number != 0);
    if (is_negative)
        *--digit = '-';
    struct rf_value value = {.kind = RF_VALUE_DIGITS, .text = digit};
    value.count = (size_t)(r->small + sizeof(r->small) - digit);
    rf_payload_give(r, label, &value);
}

static void give_integer(struct rf_payload_reader *r, const struct rf_payload_label *label,
                         const struct rf_payload_entry *entry, const uint8_t *bytes)
{
    bool is_signed = entry->form == RF_ENTRY_SIGNED;
    struct rf_value value = {.kind = is_signed ? RF_VALUE_SIGNED : RF_VALUE_UNSIGNED};
    value.number = rf_payload_integer(bytes, entry->size, is_signed);
    if (entry->size == 16) {
        uint64_t high = rf_load64(bytes + 8);
        bool fits = is_signed ? high == 0 - (value.number >> 63) : high == 0;
        if (!fits) {
            give_long_integer(r, label, value.number, high, is_signed);
            return;
        }
    }
    rf_payload_give(r, label, &value);
}

/* mantissa * 2^exponent, rounded once. */
static double scaled(uint64_t mantissa, int exponent, bool is_negative)
{
    double value = ldexp((double)mantissa, exponent);
    return is_negative ? -value : value;
}

static double special(uint64_t fraction, bool is_negative)
{
    double value = fraction != 0 ? (double)NAN : (double)INFINITY;
    return is_negative ? -value : value;
}

static double half_value(uint64_t bits)
{
    uint64_t fraction = bits & 0x3ff;
    int exponent = (int)(bits >> 10 & 31);
    bool is_negative = bits >> 15 != 0;
    if (exponent == 31)
        return special(fraction, is_negative);
    if (exponent == 0)
        return scaled(fraction, -24, is_negative);
    return scaled(fraction | 0x400, exponent - 25, is_negative);
}

/* 80 bits of x87: the first digit of the mantissa is stored. */
static double extended_value(const uint8_t *bytes)
{
    uint64_t mantissa = rf_load64(bytes);
    uint64_t head = rf_payload_integer(bytes + 8, 2, false);
    bool is_negative = head >> 15 != 0;
    int exponent = (int)(head & 0x7fff);
    if (exponent == 0x7fff)
        return special(mantissa << 1, is_negative);
    return scaled(mantissa, (exponent == 0 ? 1 : exponent) - 16383 - 63, is_negative);
}

/* 128 bits of IEEE 754; what a double does not hold is rounded to odd first. */
static double quad_value(const uint8_t *bytes)
{
    uint64_t low = rf_load64(bytes), high = rf_load64(bytes + 8);
    uint64_t fraction = high & 0xffffffffffffULL;
    bool is_negative = high >> 63 != 0;
    int exponent = (int)(high >> 48 & 0x7fff);
    if (exponent == 0x7fff)
        return special(fraction | low, is_negative);
    uint64_t mantissa = fraction << 15 | low >> 49 | ((low & 0x1ffffffffffffULL) != 0);
    if (exponent != 0)
        mantissa |= 1ULL << 63;
    return scaled(mantissa, (exponent == 0 ? 1 : exponent) - 16383 - 63, is_negative);
}

static double real_value(const struct rf_payload_entry *entry, const uint8_t *bytes)
{
    double wide;
    float narrow;
    uint32_t u32;
    if (entry->form == RF_ENTRY_EXTENDED)
        return extended_value(bytes);
    switch (entry->size) {
    case 2:
        u32 = (uint32_t)rf_payload_integer(bytes, 2, false);
        if (entry->form != RF_ENTRY_BFLOAT)
            return half_value(u32);
        u32 <<= 16;
        memcpy(&narrow, &u32, sizeof(narrow));
        return (double)narrow;
    case 4:
        memcpy(&narrow, bytes, sizeof(narrow));
        return (double)narrow;
    case 8:
        memcpy(&wide, bytes, sizeof(wide));
        return wide;
    default:
        return quad_value(bytes);
    }
}

/* ---- Text ---- */

/* Room for text; NULL: out of memory, which the status says. */
static char *text_room(struct rf_payload_reader *r, size_t size)
{
    if (size <= sizeof(r->small))
        return r->small;
    if (size <= r->large_size)
        return r->large;
    free(r->large);
    r->large = malloc(size);
    r->large_size = r->large != NULL ? size : 0;
    if (r->large == NULL) {
        r->status = RF_ERR_NO_MEMORY;
        r->has_ended = true;
    }
    return r->large;
}

static uint32_t code_unit(const uint8_t *bytes, uint64_t i, uint32_t unit)
{
    return (uint32_t)rf_payload_integer(bytes + i * unit, unit, false);
}

/* Joins the two halves of a surrogate pair; *i is that of the first one. */
static uint32_t next_scalar(const uint8_t *bytes, uint64_t *i, uint64_t n, uint32_t unit)
{
    uint32_t c = code_unit(bytes, *i, unit);
    if (unit != 2 || c < 0xd800 || c >= 0xdc00 || *i + 1 >= n)
        return c;
    uint32_t low = code_unit(bytes, *i + 1, unit);
    if (low < 0xdc00 || low >= 0xe000)
        return c;
    (*i)++;
    return 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
}

void rf_payload_give_text(struct rf_payload_reader *r, const struct rf_payload_label *label,
                          const uint8_t *bytes, uint64_t n, uint32_t unit)
{
    struct rf_value value = {.kind = RF_VALUE_TEXT, .text = (const char *)bytes};
    uint64_t n_used = 0;
    while (n_used < n && code_unit(bytes, n_used, unit) != 0)
        n_used++;
    value.count = (size_t)n_used;
    if (unit != 1) {
        char *out = text_room(r, 4 * (size_t)n_used);
        if (out == NULL)
            return;
        value.text = out;
        value.count = 0;
        for (uint64_t i = 0; i < n_used; i++)
            value.count += rf_utf8_put(out + value.count, next_scalar(bytes, &i, n_used, unit));
    }
    rf_payload_give(r, label, &value);
}

static void give_registered(struct rf_payload_reader *r, const struct rf_payload_label *label,
                            uint64_t handle)
{
    const rf_recording *rec = r->rec;
    struct rf_value value = {.kind = RF_VALUE_NULL};
    uint32_t string = RF_MAP_NONE, process = r->process;
    for (int i = 0; i < 256 && string == RF_MAP_NONE && process != RF_NO_INDEX; i++) {
        const rf_recording *whole = rec->source != NULL ? rec->source : rec;
        string = rec->payloads != NULL ? rf_map_find(&rec->payloads->string_of, process, handle)
                                       : RF_MAP_NONE;
        process = process < whole->n_processes ? whole->process[process].parent : RF_NO_INDEX;
    }
    if (string != RF_MAP_NONE) {
        size_t size;
        value.kind = RF_VALUE_TEXT;
        value.text = rf_string(rec, string, &size);
        value.count = size;
    } else if (handle != 0) {
        value.kind = RF_VALUE_ADDRESS;
        value.number = handle;
    }
    rf_payload_give(r, label, &value);
}

/* ---- Enums ---- */

/* Adds a name to those of the flags before it. */
static size_t join(char *out, size_t used, size_t room, const char *name)
{
    int n = snprintf(out + used, room - used, "%s%s", used > 0 ? "|" : "", name);
    return n > 0 && (size_t)n < room - used ? used + (size_t)n : room;
}

/* The names of the flags in a value, with the rest as a number. Names that do not fit are left to
 * the rest. */
static size_t join_flags(const struct rf_nvtx_definition *definition, uint32_t n_entries,
                         uint64_t number, char *out, size_t room)
{
    size_t used = 0;
    struct rf_enum_entry entry;
    for (uint32_t i = 0; i < n_entries; i++) {
        const char *name = NULL;
        if (rf_nvtx_read(definition, sizeof(struct rf_enum_def) + i * sizeof(entry), &entry,
                         sizeof(entry)))
            name = rf_nvtx_text(definition, entry.name);
        if (name == NULL || !entry.is_flag || entry.value == 0 ||
            (number & entry.value) != entry.value)
            continue;
        size_t then = join(out, used, room - 20, name);
        if (then >= room - 20)
            continue;
        used = then;
        number &= ~entry.value;
    }
    if (used == 0 || number == 0)
        return used;
    char rest[20];
    (void)snprintf(rest, sizeof(rest), "0x%llx", (unsigned long long)number);
    return join(out, used, room, rest);
}

static const char *enum_name(const struct rf_nvtx_definition *definition, uint32_t n_entries,
                             uint64_t number)
{
    struct rf_enum_entry entry;
    for (uint32_t i = 0; i < n_entries; i++)
        if (rf_nvtx_read(definition, sizeof(struct rf_enum_def) + i * sizeof(entry), &entry,
                         sizeof(entry)) &&
            entry.value == number)
            return rf_nvtx_text(definition, entry.name);
    return NULL;
}

static void give_enum(struct rf_payload_reader *r, const struct rf_payload_label *label,
                      const struct rf_payload_entry *entry, const uint8_t *bytes)
{
    const struct rf_nvtx_definition *definition = rf_nvtx_definition_at(r->rec, entry->target);
    struct rf_value value = {.kind = RF_VALUE_UNSIGNED,
                             .flags = RF_VALUE_ENUM | entry->size << RF_VALUE_SIZE_SHIFT};
    const uint64_t mask = entry->size < 8 ? (1ULL << 8 * entry->size) - 1 : UINT64_MAX;
    struct rf_enum_def head;
    value.number = rf_payload_integer(bytes, entry->size, false) & mask;
    if (definition != NULL && rf_nvtx_read(definition, 0, &head, sizeof(head))) {
        uint32_t most = (definition->size - (uint32_t)sizeof(head)) / sizeof(struct rf_enum_entry);
        uint32_t n = head.n_entries < most ? head.n_entries : most;
        rf_payload_charge(r, n / 32);
        value.text = enum_name(definition, n, value.number);
        if (value.text == NULL) /* of signed enums the program gives the value with 64 bits */
            value.text = enum_name(definition, n, rf_payload_integer(bytes, entry->size, true));
        value.count = value.text != NULL ? strlen(value.text) : 0;
        if (value.text == NULL) {
            value.count = join_flags(definition, n, value.number, r->small, sizeof(r->small));
            value.text = value.count > 0 ? r->small : NULL;
        }
    }
    if (value.text != NULL)
        value.kind = RF_VALUE_TEXT;
    rf_payload_give(r, label, &value);
}

/* ---- All ---- */

void rf_payload_give_element(struct rf_payload_reader *r, const struct rf_payload_label *label,
                             const struct rf_payload_entry *entry, const uint8_t *bytes)
{
    struct rf_value value = {.kind = RF_VALUE_ADDRESS};
    switch (entry->form) {
    case RF_ENTRY_FLOAT:
    case RF_ENTRY_EXTENDED:
    case RF_ENTRY_BFLOAT:
        value.kind = RF_VALUE_REAL;
        value.real = real_value(entry, bytes);
        if (entry->size <= 4 && entry->form != RF_ENTRY_EXTENDED)
            value.flags = RF_VALUE_FLOAT;
        rf_payload_give(r, label, &value);
        break;
    case RF_ENTRY_CHAR:
        rf_payload_give_text(r, label, bytes, 1, entry->size);
        break;
    case RF_ENTRY_BYTE:
        rf_payload_give_bytes(r, label, bytes, 1, false);
        break;
    case RF_ENTRY_ADDRESS:
        value.number = rf_payload_integer(bytes, entry->size, false);
        rf_payload_give(r, label, &value);
        break;
    case RF_ENTRY_REGISTERED:
        give_registered(r, label, rf_load64(bytes));
        break;
    case RF_ENTRY_ENUM:
        give_enum(r, label, entry, bytes);
        break;
    default:
        give_integer(r, label, entry, bytes);
        break;
    }
}
