/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpu_metrics/sample_room.h"

#define LEAST  256u
#define N_EASY 200u

static void grow(struct sample_room *room, double n)
{
    while (room->n < n && room->n < SAMPLE_ROOM_MOST)
        room->n *= 2;
}

void sample_room_init(struct sample_room *room, uint64_t usual)
{
    *room = (struct sample_room){.n = LEAST};
    grow(room, 2 * (double)usual);
    room->least = room->n;
}

void sample_room_fit(struct sample_room *room, double came)
{
    const double wanted = 1.5 * came;
    room->n_easy = 2 * wanted <= room->n ? room->n_easy + 1 : 0;
    if (room->n_easy >= N_EASY && room->n > room->least) {
        room->n /= 2;
        room->n_easy = 0;
    }
    grow(room, wanted);
}
