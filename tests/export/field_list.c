/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the tables of model/fields/fields.h, a line per field and kind, with tabs: set, kind,
 * table, name, column, argument in Perfetto, member in Chrome JSON, type, size, table of our own,
 * its column, 1 where the form for people has it elsewhere; then "word" lines: column, number,
 * word; then "attribute" lines of ranges and marks: kind, name, column of CSV, type, what the form
 * for people has before it, 1 where it has it elsewhere, 1 where Python has no column,
 * table of our own, its column. every_field.py reads it. */
#include <stdio.h>

#include "model/fields/fields.h"
#include "model/fields/gpu_names.h"

static const char *const types[] = {
    [RF_FIELD_NUMBER] = "number", [RF_FIELD_SIGNED] = "signed",   [RF_FIELD_STRING] = "string",
    [RF_FIELD_WORD] = "word",     [RF_FIELD_TRIPLE] = "triple",   [RF_FIELD_NODE] = "node",
    [RF_FIELD_EMPTY] = "empty",   [RF_FIELD_PROCESS] = "process", [RF_FIELD_HEX] = "hex",
    [RF_FIELD_TRUE] = "true",     [RF_FIELD_COLOR] = "color",     [RF_FIELD_PAYLOAD] = "payload",
};

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static void print_chrome(const struct rf_field *field)
{
    if (field->chrome != NULL) {
        printf("\t%s", field->chrome);
        return;
    }
    putchar('\t');
    for (const char *c = field->name; *c != '\0'; c++)
        putchar(*c == '_' ? ' ' : *c);
}

static void print_field(const char *set, const struct rf_fields *fields,
                        const struct rf_field *field, unsigned kind)
{
    printf("%s\t%s\t%s\t%s\t%s\t%s", set, fields->kind[kind].name, fields->kind[kind].table,
           field->name, text_or_empty(field->column),
           field->perfetto != NULL ? field->perfetto : field->name);
    print_chrome(field);
    printf("\t%s\t%u\t%s\t%s\t%u\n", types[field->type], field->size,
           text_or_empty(fields->kind[kind].own_table), text_or_empty(field->own_column),
           field->is_beside);
    for (int i = 0; field->word != NULL && i < 5; i++)
        printf("word\t%s\t%d\t%s\n", field->name, i, field->word(i));
}

static void print_fields(const char *set, const struct rf_fields *fields)
{
    for (unsigned kind = 1; kind < fields->n_kinds; kind++)
        for (size_t i = 0; i < fields->n; i++)
            if (rf_field_is_of(&fields->field[i], kind))
                print_field(set, fields, &fields->field[i], kind);
}

static void print_attributes(const struct rf_fields *fields)
{
    for (unsigned kind = RF_EVENT_PUSH_POP; kind <= RF_EVENT_MARK; kind++)
        for (size_t i = 0; i < fields->n; i++) {
            const struct rf_field *field = &fields->field[i];
            if (rf_field_is_of(field, kind))
                printf("attribute\t%s\t%s\t%s\t%s\t%s\t%u\t%u\t%s\t%s\n", fields->kind[kind].name,
                       field->name, field->csv != NULL ? field->csv : field->name,
                       types[field->type], field->text != NULL ? field->text : field->name,
                       field->is_beside, field->is_not_in_python,
                       text_or_empty(fields->kind[kind].own_table),
                       text_or_empty(field->own_column));
        }
}

int main(void)
{
    print_fields("call", &rf_call_fields);
    print_fields("op", &rf_op_fields);
    print_attributes(&rf_event_fields);
    print_attributes(&rf_range_fields);
    return 0;
}
