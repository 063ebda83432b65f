/* SPDX-License-Identifier: Apache-2.0 */
/* From times of the file to times after the first event, and everything in its final order. */
#include "import/kineto_finish.h"

#include "import/kineto_counters.h"
#include "import/kineto_head.h"
#include "import/kineto_places.h"
#include "import/kineto_work.h"
#include "import/nsys_finish.h"
#include "import/nsys_nvtx.h"

/* ---- Times ---- */

static void shift(int64_t *ns, int64_t by)
{
    if (*ns != RF_NO_TIME)
        *ns -= by;
}

static void shift_thread(struct nsys_thread *thread, int64_t by)
{
    for (size_t i = 0; i < thread->n_events; i++) {
        shift(&thread->event[i].start_ns, by);
        shift(&thread->event[i].end_ns, by);
    }
    for (size_t i = 0; i < thread->n_calls; i++) {
        shift(&thread->call[i].start_ns, by);
        shift(&thread->call[i].end_ns, by);
    }
}

static void shift_all(struct kineto_load *load)
{
    rf_recording *rec = load->model.rec;
    const int64_t by = load->first_ns;
    for (uint32_t i = 0; i < load->model.n_threads; i++)
        shift_thread(&load->model.thread[i], by);
    for (size_t i = 0; i < rec->n_ops; i++) {
        shift(&rec->op[i].start_ns, by);
        shift(&rec->op[i].end_ns, by);
    }
    for (size_t i = 0; i < rec->n_extras; i++) {
        shift(&rec->extra[i].start_ns, by);
        shift(&rec->extra[i].end_ns, by);
    }
    load->model.last_ns = load->last_ns - by;
}

/* ---- All of it ---- */

static int list_skipped(struct kineto_load *load)
{
    const struct nsys_db *db = &load->model.db;
    size_t room = 0;
    int status = RF_OK;
    for (uint32_t i = 0; i < db->n_skips && status == RF_OK; i++)
        status = nsys_add_skipped(&load->model, &room, &db->skip[i]);
    return status;
}

int kineto_finish(struct kineto_load *load)
{
    if (load->first_ns == RF_NO_TIME)
        load->first_ns = load->last_ns = 0;
    shift_all(load);
    kineto_set_session(load);
    int status = kineto_link_work(load); /* adds processes that have nothing but work */
    if (status == RF_OK)
        status = kineto_name_places(load);
    if (status == RF_OK)
        status = nsys_add_default_domains(&load->model);
    if (status == RF_OK)
        status = kineto_finish_counters(load);
    if (status == RF_OK)
        status = nsys_finish(&load->model);
    if (status != RF_OK)
        return status;
    kineto_place_counters(load);
    status = kineto_set_processes(load);
    if (status == RF_OK)
        status = list_skipped(load);
    if (status == RF_OK)
        nsys_set_info(&load->model);
    return status;
}
