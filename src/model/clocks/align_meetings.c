/* SPDX-License-Identifier: Apache-2.0 */
/* Where machines met: the anchors that two or more of them have. */
#include <stdlib.h>

#include "base/error.h"
#include "model/clocks/align_data.h"

/* An anchor in the time of its machine. */
struct seen {
    uint64_t key;
    uint32_t machine;
    int64_t start_ns, end_ns;
};

static int compare_seen(const void *left, const void *right)
{
    const struct seen *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->machine != b->machine)
        return a->machine < b->machine ? -1 : 1;
    return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

static bool is_sane(const struct rf_anchor *anchor)
{
    return anchor->start_ns > -RF_ALIGN_MAX_NS && anchor->end_ns < RF_ALIGN_MAX_NS &&
           anchor->start_ns <= anchor->end_ns;
}

static struct seen *new_list(const struct rf_align *align, size_t *n)
{
    size_t room = 0;
    for (size_t i = 0; i < align->n; i++)
        room += align->input[i].n_anchors;
    struct seen *seen = calloc(room + 1, sizeof(*seen));
    *n = 0;
    for (size_t i = 0; i < align->n && seen != NULL; i++) {
        const struct rf_align_input *input = &align->input[i];
        for (size_t a = 0; a < input->n_anchors; a++)
            if (is_sane(&input->anchor[a]))
                seen[(*n)++] = (struct seen){input->anchor[a].key, input->machine,
                                             input->anchor[a].start_ns + input->offset_ns,
                                             input->anchor[a].end_ns + input->offset_ns};
    }
    return seen;
}

/* Of those from i on that have one key and machine; returns how many they are. */
static size_t meet(struct rf_align_meeting *meeting, const struct seen *seen, size_t n)
{
    size_t count = 0;
    *meeting = (struct rf_align_meeting){seen->key, seen->machine, seen->start_ns, seen->end_ns, 0};
    for (; count < n && seen[count].key == seen->key && seen[count].machine == seen->machine;
         count++)
        if (seen[count].start_ns > meeting->last_start_ns)
            meeting->last_start_ns = seen[count].start_ns;
    meeting->end_ns =
        seen[(count - 1) / 2].end_ns + (seen[count / 2].end_ns - seen[(count - 1) / 2].end_ns) / 2;
    return count;
}

/* Whether one of them left before the other had come, on one clock: it synchronises nothing. */
static bool has_waited(const struct rf_align_meeting *meeting)
{
    return meeting->first_end_ns >= meeting->last_start_ns;
}

size_t rf_align_next_key(const struct rf_align *align, size_t i)
{
    const uint64_t key = align->meeting[i].key;
    while (i < align->n_meetings && align->meeting[i].key == key)
        i++;
    return i;
}

/* Leaves out keys of one machine alone. */
static void drop_lone(struct rf_align *align)
{
    size_t n = 0;
    for (size_t i = 0, next; i < align->n_meetings; i = next) {
        next = rf_align_next_key(align, i);
        for (size_t k = i; k < next && next - i > 1; k++)
            align->meeting[n++] = align->meeting[k];
    }
    align->n_meetings = n;
}

int rf_align_find_meetings(struct rf_align *align)
{
    size_t n = 0;
    struct seen *seen = new_list(align, &n);
    align->meeting = calloc(n + 1, sizeof(*align->meeting));
    if (seen == NULL || align->meeting == NULL) {
        free(seen);
        return RF_ERR_NO_MEMORY;
    }
    qsort(seen, n, sizeof(*seen), compare_seen);
    for (size_t i = 0; i < n;) {
        i += meet(&align->meeting[align->n_meetings], &seen[i], n - i);
        align->n_meetings += has_waited(&align->meeting[align->n_meetings]);
    }
    free(seen);
    drop_lone(align);
    return RF_OK;
}
