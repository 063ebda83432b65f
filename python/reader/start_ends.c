/* SPDX-License-Identifier: Apache-2.0 */
#include "start_ends.h"

#include <stdlib.h>

#include "rangefinder/rangefinder.h"

void start_ends_free(struct start_ends *all)
{
    if (all == NULL)
        return;
    free(all->at);
    free(all);
}

int start_ends_put(struct start_ends *all, uint32_t link, uint32_t run, uint32_t index)
{
    if (link >= all->room) {
        size_t room = 2 * (size_t)link + 64;
        struct place *grown = realloc(all->at, room * sizeof(*grown));
        if (grown == NULL)
            return -1;
        all->at = grown;
        all->room = room;
    }
    while (all->n <= link)
        all->at[all->n++] = (struct place){RF_NO_INDEX, RF_NO_INDEX};
    all->at[link] = (struct place){run, index};
    return 0;
}
