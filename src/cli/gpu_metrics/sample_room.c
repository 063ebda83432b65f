/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpu_metrics/sample_room.h"

#define LEAST   256u
#define N_EASY  200u
#define STALL_S 0.1

static void grow(struct sample_room *room, double n)
{
    while (room->n < n && room->n < SAMPLE_ROOM_MOST)
        room->n *= 2;
}

static double wanted(const struct sample_room *room, double came)
{
    return 1.25 * came + STALL_S * room->hz;
}

void sample_room_init(struct sample_room *room, uint64_t usual, uint32_t hz)
{
    *room = (struct sample_room){.n = LEAST, .hz = hz};
    grow(room, wanted(room, (double)usual));
    room->least = room->n;
}

void sample_room_fit(struct sample_room *room, double came)
{
    const double n = wanted(room, came);
    room->n_easy = 2 * n <= room->n ? room->n_easy + 1 : 0;
    if (room->n_easy >= N_EASY && room->n > room->least) {
        room->n /= 2;
        room->n_easy = 0;
    }
    grow(room, n);
}
