/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the tables of model/fields/fields.h, a line per field and kind, with tabs: set, kind,
 * table, name, column, argument in Perfetto, member in Chrome JSON, type, size; then "word" lines:
 * column, number, word. every_field.py reads it. */
#include <stdio.h>

#include "model/fields/fields.h"
#include "model/fields/gpu_names.h"

static const char *const types[] = {
    [RF_FIELD_NUMBER] = "number", [RF_FIELD_SIGNED] = "signed",   [RF_FIELD_STRING] = "string",
    [RF_FIELD_WORD] = "word",     [RF_FIELD_TRIPLE] = "triple",   [RF_FIELD_NODE] = "node",
    [RF_FIELD_EMPTY] = "empty",   [RF_FIELD_PROCESS] = "process",
};

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
                        const struct rf_field *field, const char *kind, unsigned number)
{
    printf("%s\t%s\t%s\t%s\t%s\t%s", set, kind, fields->table[number], field->name,
           field->column != NULL ? field->column : "",
           field->perfetto != NULL ? field->perfetto : field->name);
    print_chrome(field);
    printf("\t%s\t%u\n", types[field->type], field->size);
    for (int i = 0; field->word != NULL && i < 5; i++)
        printf("word\t%s\t%d\t%s\n", field->name, i, field->word(i));
}

static void print_fields(const char *set, const struct rf_fields *fields,
                         const char *(*kind_name)(int kind), unsigned last)
{
    for (unsigned kind = 1; kind <= last; kind++)
        for (size_t i = 0; i < fields->n; i++)
            if (rf_field_is_of(&fields->field[i], kind))
                print_field(set, fields, &fields->field[i], kind_name((int)kind), kind);
}

int main(void)
{
    print_fields("call", &rf_call_fields, rf_call_kind_name, RF_CALL_OS);
    print_fields("op", &rf_op_fields, rf_gpu_op_kind_name, RF_OP_SYNC);
    return 0;
}
