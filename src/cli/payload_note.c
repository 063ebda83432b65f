/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/payload_note.h"

#include <stdio.h>

#include "cli/say.h"

#define MOST_NAMED 50u

static uint32_t count(const rf_payload_columns *columns)
{
    uint32_t n = 0;
    while (rf_payload_path_left_out(columns, n, NULL) != NULL)
        n++;
    return n;
}

/* "payload.a, payload.b" */
static void list(const rf_payload_columns *columns, char *text, size_t room)
{
    const char *path;
    size_t used = 0;
    for (uint32_t i = 0; i < MOST_NAMED; i++) {
        path = rf_payload_path_left_out(columns, i, NULL);
        int n = path != NULL
                    ? snprintf(text + used, room - used, "%spayload.%s", i > 0 ? ", " : "", path)
                    : -1;
        if (n < 0 || (size_t)n >= room - used)
            break;
        used += (size_t)n;
    }
    text[used] = '\0';
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == '\x7f')
            *c = '?'; /* terminals obey them */
}

void cli_say_payloads_left_out(const rf_recording *rec)
{
    rf_payload_columns *columns;
    char names[2048];
    int has_more;
    if (rf_payload_columns_new(rec, 0, &columns, NULL) != RF_OK)
        return;
    (void)rf_payload_path_left_out(columns, 0, &has_more);
    uint32_t n = count(columns);
    list(columns, names, sizeof(names));
    if (n > 0 || has_more)
        cli_say("%s%u values of payloads have no column of their own, they are in 'payload' only"
                "%s%s%s",
                has_more ? "more than " : "", n, n > 0 ? ": " : "", names,
                n > MOST_NAMED ? ", ..." : "");
    rf_payload_columns_free(columns);
}
