/* SPDX-License-Identifier: Apache-2.0 */
/* For how many samples a decode has room. What there is no room for is lost; but each sample's room
 * costs memory, and time in every decode, used or not. */
#ifndef RF_CLI_GPU_METRICS_SAMPLE_ROOM_H
#define RF_CLI_GPU_METRICS_SAMPLE_ROOM_H

#include <stdint.h>

#define SAMPLE_ROOM_MOST 16384u

/* Powers of two: CUPTI takes long to prepare an image of another size. */
struct sample_room {
    uint32_t n; /* samples */
    uint32_t least;
    uint32_t hz;     /* samples in a second */
    unsigned n_easy; /* decodes in a row for which half of it was enough */
};

/* usual: samples that come between two decodes. */
void sample_room_init(struct sample_room *room, uint64_t usual, uint32_t hz);

/* Makes it fit for a decode when `came` samples can have come since the one before: those, a
 * quarter of them more, which come while it decodes, and those of 0.1 s, for which it may have no
 * processor. After many decodes that needed far less it gets smaller. */
void sample_room_fit(struct sample_room *room, double came);

#endif
