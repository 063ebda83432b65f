/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_open.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "import/kineto_counters.h"
#include "import/kineto_finish.h"
#include "import/kineto_head.h"
#include "import/kineto_walk.h"

/* ---- What it is ---- */

#define N_FIRST_BYTES 4096

bool kineto_is_json(const char *path)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
    struct kineto_input input;
    char first[N_FIRST_BYTES];
    size_t n = 0;
    if (kineto_input_open(&input, path, NULL) == RF_OK)
        (void)kineto_input_read(&input, first, sizeof(first), &n, NULL);
    kineto_input_close(&input);
    struct kineto_scan scan = {.at = first, .end = first + n};
    if (n > strlen(mark) && memcmp(first, mark, strlen(mark)) == 0)
        scan.at += strlen(mark);
    const char c = kineto_peek(&scan);
    return c == '{' || c == '[';
}

/* ---- Opening ---- */

static int init(struct kineto_load *load, const char *path, unsigned flags, struct rf_err *err)
{
    load->model.db = (struct nsys_db){.path = path, .err = err, .flags = flags};
    load->first_ns = load->last_ns = RF_NO_TIME;
    load->last_pid_index = load->last_tid_index = RF_NO_INDEX;
    kineto_head_init(&load->about);
    return nsys_memory_status(&load->model, nsys_load_init(&load->model, path) == RF_OK);
}

static void release(struct kineto_load *load)
{
    for (uint32_t i = 0; i < load->n_tids; i++)
        free(load->tid[i].open);
    free(load->pid);
    free(load->tid);
    free(load->place);
    free(load->short_name);
    free(load->open);
    rf_map_release(&load->pid_of);
    rf_map_release(&load->tid_of);
    rf_map_release(&load->domain_of);
    rf_map_release(&load->pid_of_space);
    rf_map_release(&load->open_of);
    kineto_counters_free(load->counters);
    nsys_load_release(&load->model);
}

static int read_all(struct kineto_load *load, struct kineto_input *input,
                    const struct kineto_way *way)
{
    const struct kineto_way suitable = kineto_way_of(input);
    struct kineto_pieces *pieces =
        kineto_pieces_new(input, &load->model.rec->strings, way != NULL ? way : &suitable);
    int status = nsys_memory_status(&load->model, pieces != NULL);
    load->model.db.size_bytes = input->size_bytes;
    if (status == RF_OK)
        status = kineto_walk(load, pieces);
    kineto_pieces_free(pieces);
    return status;
}

int kineto_open_by(const char *path, unsigned flags, const struct kineto_way *way,
                   rf_recording **out, struct rf_err *err)
{
    struct kineto_load load = {.model.rec = NULL};
    struct kineto_input input;
    *out = NULL;
    if (flags & ~(unsigned)RF_OPEN_KNOWN)
        return rf_fail(err, RF_ERR_USAGE, "rf_open: unknown flags 0x%x", flags);
    if ((flags & RF_OPEN_PAGES) != 0)
        return rf_fail(err, RF_ERR_UNSUPPORTED,
                       "'%s' cannot be read by its pages: it is no database; leave out "
                       "--import=pages",
                       path);
    int status = kineto_input_open(&input, path, err);
    if (status == RF_OK)
        status = init(&load, path, flags, err);
    if (status == RF_OK)
        status = read_all(&load, &input, way);
    kineto_input_close(&input);
    if (status == RF_OK)
        status = kineto_finish(&load);
    if (status == RF_OK) {
        load.model.rec->info.import_reader = "json";
        *out = load.model.rec;
    } else {
        rf_close(load.model.rec);
    }
    release(&load);
    return status;
}

int rf_kineto_open(const char *path, unsigned flags, rf_recording **out, struct rf_err *err)
{
    return kineto_open_by(path, flags, NULL, out, err);
}
