/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/forms/table_format.h"

#include <string.h>

#include "base/error.h"

static const struct {
    const char *name;
    unsigned option;
} flags[] = {
    {"nohdr", RF_FORM_NOHDR},
    {"nolimit", RF_FORM_NOLIMIT},
    {"nofmt", RF_FORM_NOFMT},
    {"esc", RF_FORM_ESC},
};

static const struct {
    const char *name;
    unsigned kinds; /* bits of enum rf_unit_kind */
} units[] = {
    {"time=", 1 << RF_UNIT_TIMESTAMP | 1 << RF_UNIT_DURATION},
    {"ts=", 1 << RF_UNIT_TIMESTAMP},
    {"dur=", 1 << RF_UNIT_DURATION},
    {"mem=", 1 << RF_UNIT_SIZE},
};

static bool starts_with(const char *word, size_t size, const char *start)
{
    return size >= strlen(start) && memcmp(word, start, strlen(start)) == 0;
}

/* RF_ERR_UNSUPPORTED: the word is no unit. */
static int parse_unit(struct rf_table_format *format, const char *word, size_t size,
                      struct rf_err *err)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        const size_t start = strlen(units[i].name);
        if (!starts_with(word, size, units[i].name))
            continue;
        const struct rf_unit *unit = units[i].kinds == 1 << RF_UNIT_SIZE
                                         ? rf_unit_of_size(word + start, size - start, err)
                                         : rf_unit_of_time(word + start, size - start, err);
        for (int kind = 0; kind < RF_N_UNIT_KINDS; kind++)
            if ((units[i].kinds >> kind & 1) != 0)
                format->unit[kind] = unit;
        return unit != NULL ? RF_OK : RF_ERR_USAGE;
    }
    return RF_ERR_UNSUPPORTED;
}

/* "12", or "." for as wide as the column needs. */
static bool parse_width(struct rf_table_format *format, const char *word, size_t size)
{
    uint32_t width = size == 1 && word[0] == '.' ? RF_WIDTH_AUTO : 0;
    if (size == 0 || size > 4 || format->n_widths == RF_TABLE_MAX_COLUMNS)
        return false;
    for (size_t i = 0; i < size && width != RF_WIDTH_AUTO; i++) {
        if (word[i] < '0' || word[i] > '9')
            return false;
        width = width * 10 + (uint32_t)(word[i] - '0');
    }
    format->width[format->n_widths++] = width;
    return true;
}

/* css= takes all that follows, since addresses have colons. Returns the size of the option; 0: it
 * is neither. */
static size_t parse_document(struct rf_table_format *format, const char *word, size_t size)
{
    if (starts_with(word, size, "css=")) {
        format->css = word + 4;
        return strlen(word);
    }
    if (!starts_with(word, size, "title="))
        return 0;
    format->title = word + 6;
    format->title_size = size - 6;
    return size;
}

static bool parse_flag(struct rf_table_format *format, const char *word, size_t size,
                       unsigned allowed)
{
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if ((flags[i].option & allowed) != 0 && strlen(flags[i].name) == size &&
            memcmp(flags[i].name, word, size) == 0) {
            format->options |= flags[i].option;
            return true;
        }
    return false;
}

/* Units of nsys that are not offered: what the columns have instead. */
static const struct {
    const char *name;
    const char *instead;
} fixed[] = {
    {"thru=", "throughputs are in 1,000,000 bytes per second"},
    {"gid=", "ids of threads and processes are numbers of the system"},
    {"addr=", "addresses are hexadecimal"},
    {"ratio=", "shares are percent"},
};

static const char *find_fixed(const char *word, size_t size)
{
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
        if (starts_with(word, size, fixed[i].name))
            return fixed[i].instead;
    return NULL;
}

static int fail_option(const struct rf_table_format *format, const char *word, size_t size,
                       unsigned allowed, struct rf_err *err)
{
    char list[128] = "";
    const char *instead = find_fixed(word, size);
    if (instead != NULL)
        return rf_fail(err, RF_ERR_USAGE, "the format %s has one unit for '%.*s': %s", format->name,
                       (int)(size < 100 ? size : 100), word, instead);
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if ((flags[i].option & allowed) != 0) {
            (void)strncat(list, flags[i].name, sizeof(list) - strlen(list) - 1);
            (void)strncat(list, ", ", sizeof(list) - strlen(list) - 1);
        }
    return rf_fail(err, RF_ERR_USAGE,
                   "the format %s has no option '%.*s': there is %stime=, ts=, dur= and mem=%s%s",
                   format->name, (int)(size < 100 ? size : 100), word, list,
                   (allowed & RF_FORM_WIDTHS) != 0 ? ", and widths of columns" : "",
                   (allowed & RF_FORM_DOCUMENT) != 0 ? ", title= and css=" : "");
}

int rf_table_format_parse(struct rf_table_format *format, const char *name, const char *options,
                          unsigned allowed, struct rf_err *err)
{
    *format = (struct rf_table_format){.name = name};
    while (*options == ':') {
        const char *word = options + 1;
        size_t size = strcspn(word, ":");
        size_t taken = (allowed & RF_FORM_DOCUMENT) != 0 ? parse_document(format, word, size) : 0;
        int status = taken > 0 ? RF_OK : parse_unit(format, word, size, err);
        if (status == RF_ERR_UNSUPPORTED && !parse_flag(format, word, size, allowed) &&
            !((allowed & RF_FORM_WIDTHS) != 0 && parse_width(format, word, size)))
            return fail_option(format, word, size, allowed, err);
        if (status == RF_ERR_USAGE)
            return status;
        options = word + (taken > 0 ? taken : size);
    }
    return RF_OK;
}
