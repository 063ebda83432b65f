/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a SQLite database, with the magic put in front where it is not: as an export of
 * nsys, whole and salvaged. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char magic[16] = "SQLite format 3";
    uint8_t *bytes = malloc(size + sizeof(magic));
    size_t n = size > sizeof(magic) ? size : sizeof(magic);
    if (bytes == NULL)
        return 0;
    memcpy(bytes, data, size);
    memcpy(bytes, magic, sizeof(magic));
    fuzz_write(fuzz_path(), bytes, n);
    free(bytes);
    fuzz_open(fuzz_path());
    return 0;
}
