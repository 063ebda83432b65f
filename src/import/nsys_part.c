/* SPDX-License-Identifier: Apache-2.0 */
#include "import/nsys_part.h"

#include <stdlib.h>

#include "base/helper_threads.h"

#define WORTH_A_THREAD ((uint64_t)16 << 20) /* bytes of a file */

uint32_t nsys_n_threads(const struct nsys_db *db)
{
    return db->size_bytes < WORTH_A_THREAD ? 1 : rf_n_processors();
}

static int init_part(struct nsys_part *part, struct nsys_parts *all, uint32_t number)
{
    const struct nsys_db *of = &all->load->db;
    part->all = all;
    part->number = number;
    part->load.db = (struct nsys_db){.path = of->path,
                                     .err = &part->err,
                                     .flags = of->flags,
                                     .size_bytes = of->size_bytes,
                                     .pages = of->pages};
    int status = nsys_load_init(&part->load, of->path);
    part->load.names = all->load;
    return nsys_memory_status(all->load, status == RF_OK);
}

int nsys_parts_init(struct nsys_load *load, uint32_t n)
{
    struct nsys_parts *all = calloc(1, sizeof(*all));
    load->parts = all;
    if (all == NULL)
        return nsys_no_memory(load);
    all->load = load;
    all->part = calloc(n, sizeof(*all->part));
    int status = nsys_memory_status(load, all->part != NULL);
    for (uint32_t i = 0; i < n && status == RF_OK; i++) {
        all->n_parts++;
        status = init_part(&all->part[i], all, i);
    }
    return status;
}

static void release_part(struct nsys_part *part)
{
    free(part->string_place);
    free(part->track_place);
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++)
        free(part->detail_place[kind]);
    rf_close(part->load.rec);
    nsys_load_release(&part->load);
}

void nsys_parts_free(struct nsys_parts *parts)
{
    if (parts == NULL)
        return;
    for (uint32_t i = 0; i < parts->n_parts; i++)
        release_part(&parts->part[i]);
    for (size_t i = 0; parts->walk != NULL && i < parts->n_walks; i++)
        nsys_walk_release(&parts->walk[i]);
    free(parts->part);
    free(parts->walk);
    free(parts->job);
    free(parts);
}

struct nsys_marks nsys_part_marks(const struct nsys_part *part)
{
    const struct nsys_load *load = &part->load;
    struct nsys_marks marks = {.n_ops = load->rec->n_ops,
                               .n_tracks = load->rec->n_tracks,
                               .n_strings = load->rec->strings.n,
                               .n_skips = load->db.n_skips};
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++)
        marks.n_details[kind] = load->details.pool[kind].n;
    return marks;
}
