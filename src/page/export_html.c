/* SPDX-License-Identifier: Apache-2.0 */
/* A page that says what was recorded, and where the time went. */
#include "base/error.h"
#include "export/export.h"
#include "page/page.h"

static void free_page(void *page)
{
    rf_page_free(page);
}

static int write_one(struct rf_export_job *job, struct rf_page *page, struct rf_sink *sink)
{
    int status = rf_page_add(page, job->rec, rf_get_info(job->rec)->path, -1, true, job->err);
    return status == RF_OK ? rf_page_write(page, job->rec, sink, job->err) : status;
}

static int write_html(struct rf_export_job *job, struct rf_sink *sink)
{
    struct rf_merging *merging = job->merging;
    struct rf_page *page = merging != NULL && merging->kept != NULL ? merging->kept : rf_page_new();
    int status;
    if (page == NULL)
        return rf_fail(job->err, RF_ERR_NO_MEMORY, "out of memory");
    if (merging != NULL) {
        const struct rf_merged_input *input = rf_merging_last(merging);
        merging->kept = page;
        merging->free_kept = free_page;
        status = rf_page_add(page, job->rec, input->path, input->rank, false, job->err);
    } else {
        status = write_one(job, page, sink);
        rf_page_free(page);
    }
    return status == RF_OK ? rf_sink_status(sink) : status;
}

static int end_html(struct rf_merging *merging, struct rf_sink *sink, struct rf_err *err)
{
    return rf_page_write(merging->kept, NULL, sink, err);
}

const struct rf_export_format rf_export_html = {
    .name = "html",
    .description = "one page that says where the time went, for a browser; it loads nothing",
    .extensions = {"html", "htm"},
    .write_text = write_html,
    .can_merge = true,
    .has_no_times = true,
    .end_text = end_html,
};
