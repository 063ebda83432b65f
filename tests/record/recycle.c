/* SPDX-License-Identifier: Apache-2.0 */
/* rf-recycle DIRECTORY BYTES: recycles the oldest parts of a session until its logs hold at most so
 * many bytes; prints how many parts, records and bytes went. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "log/recycle.h"

int main(int argc, char **argv)
{
    struct rf_recycled recycled;
    struct rf_err err;
    if (argc != 3)
        return 2;
    if (rf_recycle(argv[1], strtoull(argv[2], NULL, 0), 0, true, &recycled, &err) != RF_OK) {
        fprintf(stderr, "rf-recycle: %s\n", err.text);
        return 1;
    }
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", recycled.n_parts, recycled.n_records,
           recycled.n_bytes);
    return 0;
}
