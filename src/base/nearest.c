/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include <stdbool.h>
#include <string.h>

#define MAX_NAME 63

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

unsigned rf_name_distance(const char *a, const char *b)
{
    unsigned rows[3][MAX_NAME + 1]; /* the last three rows of the edit table, used in turn */
    size_t n = strlen(a);
    size_t m = strlen(b);
    if (n >= MAX_NAME || m >= MAX_NAME)
        return 1000;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i - 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                rows[(i - 2) % 3][j - 2] + 1 < row[j])
                row[j] = rows[(i - 2) % 3][j - 2] + 1;
        }
    }
    return rows[n % 3][m];
}

const char *rf_nearest_name(const char *typed, const char *const *names, size_t n)
{
    const char *best = NULL;
    size_t length = strlen(typed);
    unsigned best_distance = 1 + (unsigned)(length < 8 ? length / 4 : length / 3);
    for (size_t i = 0; i < n; i++) {
        unsigned distance = rf_name_distance(typed, names[i]);
        /* What was begun and not finished, "sql" for "sqlite", is meant before what is near. */
        if (strlen(typed) > 1 && strncmp(typed, names[i], strlen(typed)) == 0)
            distance = 0;
        bool is_nearer = best == NULL || distance < best_distance ||
                         (distance == 0 && strlen(names[i]) < strlen(best));
        if (distance <= best_distance && is_nearer) {
            best = names[i];
            best_distance = distance;
        }
    }
    return best;
}
