/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"

#include <string.h>

uint64_t fuzz_take(struct fuzz_input *in, size_t n)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n && in->left > 0; i++, in->left--)
        value = value << 8 | *in->at++;
    return value;
}

void fuzz_bind(sqlite3_stmt *insert, int column, struct fuzz_input *in)
{
    static const int64_t edges[] = {INT64_MIN,  INT64_MAX, INT64_MIN + 1,    INT32_MAX,
                                    UINT32_MAX, -1,        (int64_t)1 << 48, 1 << 24};
    unsigned kind = (unsigned)fuzz_take(in, 1);
    double real;
    uint64_t bits;
    if (kind < 128) {
        (void)sqlite3_bind_int64(insert, column, kind);
    } else if (kind < 160) {
        (void)sqlite3_bind_int64(insert, column,
                                 (int64_t)((uint64_t)edges[kind & 7] + (kind >> 3 & 3) * 17));
    } else if (kind < 176) { /* a globalTid */
        (void)sqlite3_bind_int64(insert, column,
                                 (int64_t)1 << 48 | (int64_t)(kind & 3) << 24 | (kind >> 2 & 3));
    } else if (kind < 200) {
        (void)sqlite3_bind_int64(insert, column, (int64_t)fuzz_take(in, kind & 7));
    } else if (kind < 208) {
        bits = fuzz_take(in, 8);
        memcpy(&real, &bits, sizeof(real));
        (void)sqlite3_bind_double(insert, column, real);
    } else if (kind < 240) {
        size_t n = (size_t)(kind & 15) < in->left ? (size_t)(kind & 15) : in->left;
        (void)(kind < 232 ? sqlite3_bind_text(insert, column, (const char *)in->at, (int)n,
                                              SQLITE_TRANSIENT)
                          : sqlite3_bind_blob(insert, column, in->at, (int)n, SQLITE_TRANSIENT));
        (void)fuzz_take(in, n);
    } else {
        (void)sqlite3_bind_null(insert, column);
    }
}
