/* SPDX-License-Identifier: Apache-2.0 */
/* NULL for every pointer of every public function. checks.reader_library compares what stands here
 * with the functions that the library exports. */
#include "rangefinder/compare.h"
#include "rangefinder/pm_sampling.h"
#include "rangefinder/summary.h"
#include "rangefinder/why.h"
#include "rangefinder/advise.h"
#include "rangefinder/clocks.h"
#include "unit.h"

#define NONE(call)     assert_null(call)
#define ZERO(call)     assert_int_equal(call, 0)
#define NO_INDEX(call) assert_int_equal(call, RF_NO_INDEX)
#define USAGE(call)    assert_int_equal(call, RF_ERR_USAGE)
#define ARGUMENT(call) assert_int_equal(call, RF_PM_ERR_ARGUMENT)

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(rf_error_name(1), "unknown error");
    assert_string_equal(rf_cut_name(0), "");
    assert_non_null(rf_version());
    assert_int_equal(rf_is_compatible(rf_version_number()), 1);
    NONE(rf_counter_value_type_name(-1));
    NONE(rf_counter_interpolation_name(-1));
    NONE(rf_extra_kind_name(0));
    assert_string_equal(rf_gpu_op_kind_name(0), "unknown");
    assert_string_equal(rf_gpu_op_kind_name(-1), "unknown");
    assert_string_equal(rf_gpu_op_kind_name(RF_OP_KERNEL), "kernel");
    NONE(rf_extra_value_name(0, 0));
    NONE(rf_export_format_at(SIZE_MAX, NULL));
    assert_non_null(rf_export_format_at(0, NULL));
    NONE(rf_export_format_of(NULL));
    NONE(rf_export_extension(NULL));
    assert_int_equal(rf_export_is_trace(NULL), 0);
    NONE(rf_report_at(SIZE_MAX, NULL));
    assert_non_null(rf_report_at(0, NULL));
    NONE(rf_report_find(NULL));
    ZERO(rf_report_open_flags(NULL));
    assert_null(rf_report_column_at(NULL, 0, NULL));
    assert_null(rf_report_argument_at(NULL, 0, NULL));
    assert_null(rf_report_quantile_at(NULL, 0, NULL));
    assert_non_null(rf_report_quantile_at("nvtx_sum", 0, NULL));
    assert_null(rf_report_quantile_at("nvtx_sum", 1, NULL));
    assert_int_equal(rf_report_parse(NULL, NULL), RF_ERR_USAGE);
    assert_int_equal(rf_report_missing(NULL, "nvtx_sum", NULL, 0), 0);
    NONE(rf_report_for_people(NULL));
    assert_string_equal(rf_report_for_people("nvtx_sum"), "self_time");
    assert_string_equal(rf_report_for_people("steps"), "steps");
    assert_int_equal(rf_report_format_is_for_people(NULL), 1);
    ZERO(rf_report_format_is_for_people("csv:nohdr"));
    ZERO(rf_report_format_is_for_people("nothing"));
    assert_int_equal(rf_report_missing(NULL, NULL, NULL, 0), 0);
    assert_null(rf_report_format_at(SIZE_MAX, NULL, NULL));
    assert_string_equal(rf_report_format_at(0, NULL, NULL), "column");
    assert_string_equal(rf_report_extension(NULL, NULL), "txt");
    assert_int_equal(rf_report_is_default(NULL, 0), 1); /* without a recording, whether it can be */
    assert_string_equal(rf_pm_status_name(1), "unknown error");
    assert_non_null(rf_pm_cupti_error_name(-1));
    rf_remove_unfinished();
}

static void test_no_clocks(void **state)
{
    struct rf_clock clock = RF_CLOCK_INIT;
    struct rf_alignment alignment = RF_ALIGNMENT_INIT;
    (void)state;
    NONE(rf_align_method_name(-1));
    USAGE(rf_clock_of(NULL, &clock, NULL));
    ZERO(rf_n_clock_moments(NULL));
    USAGE(rf_clock_moment_at(NULL, 0, NULL));
    USAGE(rf_align_new(NULL, NULL));
    USAGE(rf_align_add(NULL, &clock, NULL, 0, NULL));
    USAGE(rf_align_add_recording(NULL, NULL, NULL, NULL));
    USAGE(rf_align_solve(NULL, NULL));
    USAGE(rf_align_at(NULL, 0, &alignment));
    USAGE(rf_open_aligned(NULL, 0, NULL, NULL, NULL));
    USAGE(rf_open_selected(NULL, 0, NULL, NULL, NULL, NULL));
    USAGE(rf_merged_export_align(NULL, NULL, NULL));
    assert_true(rf_opened_drift(NULL) == 0);
    assert_int_equal(rf_aligned_ns(NULL, 7), 7);
    rf_align_free(NULL);
}

/* A NULL recording is an empty one. */
static void test_no_recording(void **state)
{
    size_t n = 7, size = 7;
    (void)state;
    NONE(rf_get_info(NULL));
    NONE(rf_get_piece(NULL));
    NONE(rf_get_ring(NULL));
    ZERO(rf_n_captures(NULL));
    NONE(rf_capture_at(NULL, 0));
    NONE(rf_message_at(NULL, 0));
    NONE(rf_string(NULL, 0, &size));
    ZERO(size);
    NONE(rf_string(NULL, 0, NULL));
    ZERO(rf_n_strings(NULL));
    ZERO(rf_n_processes(NULL));
    NONE(rf_process_at(NULL, 0));
    ZERO(rf_n_threads(NULL));
    NONE(rf_thread_at(NULL, 0));
    ZERO(rf_n_domains(NULL));
    NONE(rf_domain_at(NULL, 0));
    assert_int_equal(rf_category_name(NULL, 0, 0), RF_NO_STRING);
    USAGE(rf_find_view(NULL, NULL, 0, NULL, NULL));
    NONE(rf_thread_events(NULL, 0, &n));
    ZERO(n);
    NONE(rf_thread_events(NULL, 0, NULL));
    NONE(rf_thread_event_at(NULL, 0, 0));
    assert_int_equal(rf_visit_payloads(NULL, NULL, 0, NULL, NULL), 0);
    ZERO(rf_payload_at(NULL, NULL, 0, NULL));
    USAGE(rf_payload_columns_new(NULL, 0, NULL, NULL));
    NONE(rf_payload_column_at(NULL, 0));
    NONE(rf_payload_path_left_out(NULL, 0, NULL));
    USAGE(rf_payload_cells_new(NULL, NULL, NULL));
    USAGE(rf_payload_cell(NULL, NULL, 0, NULL));
    rf_payload_cells_free(NULL);
    rf_payload_columns_free(NULL);
    ZERO(rf_payload_json(NULL, NULL, 0, NULL, 0));
    NONE(rf_start_end_at(NULL, 0));
    rf_close(NULL);
}

static void test_no_gpu_work(void **state)
{
    const struct rf_gpu_track track = {.process = 0};
    const struct rf_extra extra = {.kind = RF_EXTRA_MEMORY, .has = 1};
    int64_t value = 7;
    size_t n = 7;
    (void)state;
    NONE(rf_thread_calls(NULL, 0, &n));
    ZERO(n);
    NONE(rf_thread_call_at(NULL, 0, 0));
    ZERO(rf_n_gpus(NULL));
    NONE(rf_gpu_at(NULL, 0));
    NONE(rf_gpu_fact_at(NULL, 0));
    ZERO(rf_n_gpu_devices(NULL));
    NONE(rf_gpu_device_at(NULL, 0));
    ZERO(rf_n_gpu_contexts(NULL));
    NONE(rf_gpu_context_at(NULL, 0));
    ZERO(rf_n_gpu_streams(NULL));
    NONE(rf_gpu_stream_at(NULL, 0));
    ZERO(rf_n_gpu_tracks(NULL));
    NONE(rf_gpu_track_at(NULL, 0));
    NONE(rf_gpu_device_of(NULL, 0, 0));
    NONE(rf_gpu_of(NULL, 0, 0));
    NONE(rf_gpu_context_of(NULL, &track));
    NONE(rf_gpu_stream_of(NULL, &track));
    NONE(rf_gpu_ops(NULL, &n));
    NONE(rf_gpu_op_at(NULL, 0));
    NONE(rf_gpu_op_detail(NULL, NULL));
    NONE(rf_kernel_at(NULL, 0));
    NONE(rf_transfer_at(NULL, 0));
    NONE(rf_wait_at(NULL, 0));
    NONE(rf_graph_end_at(NULL, 0));
    NONE(rf_extras(NULL, &n));
    NONE(rf_extra_at(NULL, 0));
    assert_int_equal(rf_extra_value(NULL, &extra, 0, &value), RF_VALUE_NONE);
    ZERO(value);
    ZERO(rf_n_counters(NULL));
    NONE(rf_counter_at(NULL, 0));
    NONE(rf_counter_value_type_name(-1));
    NONE(rf_counter_interpolation_name(99));
    NONE(rf_skipped_at(NULL, 0));
}

static void test_no_projections(void **state)
{
    struct rf_coverage coverage = RF_COVERAGE_INIT;
    struct rf_work_counts counts = RF_WORK_COUNTS_INIT;
    size_t n = 7;
    (void)state;
    NONE(rf_projections_all(NULL, &n));
    ZERO(n);
    NONE(rf_projection_at(NULL, 0));
    NONE(rf_projection_of(NULL, 0, 0));
    NO_INDEX(rf_projection_owner(NULL, 0));
    NO_INDEX(rf_call_owner(NULL, 0, 0));
    NO_INDEX(rf_range_parent(NULL, 0, 0));
    NO_INDEX(rf_range_next_child(NULL, 0, 0, RF_NO_INDEX));
    ZERO(rf_range_depth(NULL, 0, 0));
    assert_int_equal(rf_range_self_ns(NULL, 0, 0), RF_NO_TIME);
    assert_int_equal(rf_projection_coverage(NULL, &coverage), RF_OK);
    ZERO(coverage.n_ops);
    USAGE(rf_projection_coverage(NULL, NULL));
    USAGE(rf_work_counts_of(NULL, &counts));
    USAGE(rf_work_counts_of(NULL, NULL));
    rf_projections_free(NULL);
}

/* Functions with a status say what they miss, and set what they would hand out to NULL. */
static void test_statuses(void **state)
{
    struct rf_err err = {.code = 0};
    rf_recording *rec = (rf_recording *)&err;
    rf_cursor *cursor = (rf_cursor *)&err;
    rf_projections *projections = (rf_projections *)&err;
    rf_joined_report *joined;
    rf_merged_export *merged;
    struct rf_event_at at;
    (void)state;
    USAGE(rf_open(NULL, 0, &rec, &err));
    assert_string_equal(err.text, "rf_open: path or out is NULL");
    NONE(rec);
    USAGE(rf_open("/dev/null", 0, NULL, NULL));
    USAGE(rf_cursor_new(NULL, &cursor, &err));
    NONE(cursor);
    USAGE(rf_cursor_new(NULL, NULL, NULL));
    ZERO(rf_cursor_next(NULL, &at));
    rf_cursor_free(NULL);
    USAGE(rf_filter(NULL, NULL, &rec, &err));
    USAGE(rf_filter(NULL, NULL, NULL, NULL));
    USAGE(rf_project(NULL, NULL, &projections, &err));
    NONE(projections);
    USAGE(rf_project(NULL, NULL, NULL, NULL));
    USAGE(rf_export(NULL, NULL, &err));
    USAGE(rf_merged_export_new(NULL, &merged, &err));
    NONE(merged);
    USAGE(rf_merged_export_new(NULL, NULL, NULL));
    USAGE(rf_merged_export_add(NULL, NULL, NULL, -1, &err));
    USAGE(rf_merged_export_find_view(NULL, NULL, NULL, NULL, &err));
    USAGE(rf_merged_export_finish(NULL, &err));
    USAGE(rf_merged_export_input_at(NULL, 0, NULL));
    ZERO(rf_merged_export_n_inputs(NULL));
    rf_merged_export_free(NULL);
    USAGE(rf_report(NULL, NULL, &err));
    USAGE(rf_joined_report_new(NULL, &joined, &err));
    NONE(joined);
    USAGE(rf_joined_report_new(NULL, NULL, NULL));
    USAGE(rf_joined_report_add(NULL, NULL, NULL, -1, &err));
    USAGE(rf_joined_report_add_missing(NULL, NULL, NULL, &err));
    USAGE(rf_joined_report_append(NULL, NULL, &err));
    USAGE(rf_joined_report_write(NULL, &err));
    ZERO(rf_joined_report_n_rows(NULL));
    ZERO(rf_joined_report_is_approximate(NULL));
    ZERO(rf_report_missing_in_summary(NULL, 0, "nvtx_sum", NULL, 0));
    NONE(rf_summary_program_at(NULL, 0, 0));
    ZERO(rf_summary_rank_by_path(NULL));
    USAGE(rf_joined_report_add_summary(NULL, NULL, 0, &err));
    USAGE(rf_joined_report_add_job(NULL, NULL, &err));
    ZERO(rf_report_compares_inputs(NULL));
    rf_joined_report_free(NULL);
    USAGE(rf_summary_new(NULL, &err));
    USAGE(rf_summary_add(NULL, NULL, NULL, &err));
    USAGE(rf_summary_read(NULL, NULL, &err));
    USAGE(rf_summary_append(NULL, NULL, &err));
    USAGE(rf_summary_append_ranks(NULL, NULL, NULL, &err));
    USAGE(rf_summary_set_rank(NULL, 0, 1, &err));
    NONE(rf_summary_setting(NULL, 0, "RANK"));
    assert_int_equal(rf_report_reads_summaries(NULL), 0);
    USAGE(rf_summary_read_ranks(NULL, NULL, NULL, &err));
    USAGE(rf_summary_merge(NULL, &err));
    USAGE(rf_summary_write(NULL, NULL, 0, &err));
    ZERO(rf_is_summary(NULL));
    ZERO(rf_summary_n_inputs(NULL));
    NONE(rf_summary_input_at(NULL, 0));
    rf_summary_free(NULL);
    USAGE(rf_why_new(NULL, NULL, &err));
    USAGE(rf_why_add(NULL, NULL, NULL, &err));
    USAGE(rf_why_find(NULL, NULL, &err));
    USAGE(rf_why_cause_at(NULL, 0, NULL));
    USAGE(rf_why_instance_at(NULL, 0, NULL));
    USAGE(rf_why_cause_text(NULL, 0, NULL, 0));
    rf_why_free(NULL);
    USAGE(rf_advice_new(NULL, &err));
    USAGE(rf_advice_add(NULL, NULL, NULL, &err));
    USAGE(rf_advice_find(NULL, NULL, &err));
    USAGE(rf_advice_finding_at(NULL, 0, NULL));
    NONE(rf_advice_rule_at(1000, NULL));
    rf_advice_free(NULL);
    USAGE(rf_compare_new(NULL, NULL, &err));
    USAGE(rf_compare_add(NULL, RF_COMPARE_A, NULL, &err));
    USAGE(rf_compare_find(NULL, NULL, &err));
    USAGE(rf_compare_time_at(NULL, 0, NULL));
    USAGE(rf_compare_count_at(NULL, 0, NULL));
    USAGE(rf_compare_setting_at(NULL, 0, NULL));
    USAGE(rf_compare_write(NULL, RF_COMPARE_TIMES, 0, NULL, &err));
    rf_compare_free(NULL);
    assert_string_equal(rf_compare_verdict_name(-1), "");
    assert_string_equal(rf_compare_kind_name(-1), "");
    assert_string_equal(rf_compare_reason_name(-1), "");
    USAGE(rf_scrub_export(NULL, NULL, 0, &err));
}

/* With a recording, and NULL for the rest. */
static void test_no_options(void **state)
{
    struct rfw *w = rfw_new();
    const struct rf_export_options no_export = RF_EXPORT_OPTIONS_INIT;
    const struct rf_report_options no_report = RF_REPORT_OPTIONS_INIT;
    rf_recording *part;
    rf_projections *projections;
    (void)state;
    (void)rfw_process(w, 100, "app");
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_filter(rec, NULL, &part, NULL), RF_OK);
    assert_int_equal(rf_n_processes(part), 1);
    rf_close(part);
    USAGE(rf_filter(rec, NULL, NULL, NULL));
    assert_int_equal(rf_project(rec, NULL, &projections, NULL), RF_OK);
    rf_projections_free(projections);
    USAGE(rf_project(rec, NULL, NULL, NULL));
    USAGE(rf_export(rec, NULL, NULL));
    USAGE(rf_export(rec, &no_export, NULL));
    USAGE(rf_report(rec, NULL, NULL));
    USAGE(rf_report(rec, &no_report, NULL));
    NONE(rf_gpu_context_of(rec, NULL));
    NONE(rf_gpu_stream_of(rec, NULL));
    assert_int_equal(rf_extra_value(rec, NULL, 0, NULL), RF_VALUE_NONE);
    rf_close(rec);
    rfw_free(w);
}

/* ---- pm_sampling.h: none of these needs libcupti ---- */

static void test_no_chip(void **state)
{
    struct rf_pm_metric metric;
    const char *nearest[RF_PM_NEAREST];
    const char *const *names;
    rf_pm_chip *chip = (rf_pm_chip *)&metric;
    struct rf_pm_check *check;
    struct rf_pm_choice *choice;
    size_t n;
    (void)state;
    ARGUMENT(rf_pm_library(NULL, NULL));
    ARGUMENT(rf_pm_chips(NULL, NULL, NULL));
    ARGUMENT(rf_pm_chip_open(NULL, &chip, NULL));
    NONE(chip);
    ARGUMENT(rf_pm_chip_open("GH100", NULL, NULL));
    rf_pm_chip_close(NULL);
    NONE(rf_pm_chip_name(NULL));
    ARGUMENT(rf_pm_chip_metrics(NULL, NULL, &n, NULL));
    ARGUMENT(rf_pm_chip_submetrics(NULL, "x", &names, &n, NULL));
    ARGUMENT(rf_pm_chip_describe(NULL, "x", &metric, NULL));
    ARGUMENT(rf_pm_chip_nearest(NULL, "x", nearest, NULL));
    ARGUMENT(rf_pm_chip_counters_per_pass(NULL, &n, NULL));
    ARGUMENT(rf_pm_chip_single_pass_sets(NULL, &names, &n, NULL));
    ARGUMENT(rf_pm_chip_single_pass_metrics(NULL, "x", &names, &n, NULL));
    ARGUMENT(rf_pm_check_new(NULL, NULL, 0, NULL, &check, NULL));
    NONE(check);
    rf_pm_check_free(NULL);
    NONE(rf_pm_set_at(SIZE_MAX));
    NONE(rf_pm_set_named(NULL));
    assert_non_null(rf_pm_set_of_chip(NULL));
    ARGUMENT(rf_pm_choose(NULL, NULL, &choice, NULL));
    NONE(choice);
    rf_pm_choice_free(NULL);
    ZERO(rf_pm_chip_has_trigger(NULL, RF_PM_TRIGGER_TIME));
    ZERO(rf_pm_chip_has_append(NULL, RF_PM_KEEP_OLDEST));
}

static void test_no_collector(void **state)
{
    struct rf_pm_collector_state now = RF_PM_COLLECTOR_STATE_INIT;
    rf_pm_collector *collector;
    rf_pm_chip *chip;
    rf_pm_data *data;
    (void)state;
    ARGUMENT(rf_pm_device_count(NULL, NULL));
    ARGUMENT(rf_pm_device_describe(0, NULL, NULL));
    ARGUMENT(rf_pm_collector_new(0, NULL, NULL));
    rf_pm_collector_free(NULL);
    ARGUMENT(rf_pm_collector_enable(NULL, NULL));
    ARGUMENT(rf_pm_collector_configure(NULL, NULL, NULL));
    ARGUMENT(rf_pm_collector_start(NULL, NULL));
    ARGUMENT(rf_pm_collector_stop(NULL, NULL));
    ARGUMENT(rf_pm_collector_disable(NULL, NULL));
    ARGUMENT(rf_pm_collector_restart(NULL, NULL));
    ARGUMENT(rf_pm_collector_get_state(NULL, &now));
    ARGUMENT(rf_pm_collector_open_chip(NULL, &chip, NULL));
    NONE(chip);
    ARGUMENT(rf_pm_collector_decode(NULL, 1, &data, NULL));
    NONE(data);
    assert_int_equal(rf_pm_collector_new(0, &collector, NULL), RF_PM_OK);
    ARGUMENT(rf_pm_collector_configure(collector, NULL, NULL));
    ARGUMENT(rf_pm_collector_get_state(collector, NULL));
    ARGUMENT(rf_pm_collector_open_chip(collector, NULL, NULL));
    ARGUMENT(rf_pm_collector_decode(collector, 1, NULL, NULL));
    rf_pm_collector_free(collector);
}

static void test_no_data(void **state)
{
    rf_pm_data *data;
    void *bytes;
    double value;
    size_t size;
    (void)state;
    NONE(rf_pm_data_get_info(NULL));
    ARGUMENT(rf_pm_data_evaluate(NULL, 0, 1, &value, NULL));
    rf_pm_data_free(NULL);
    ARGUMENT(rf_pm_data_serialise(NULL, &bytes, &size, NULL));
    NONE(bytes);
    ARGUMENT(rf_pm_data_deserialise("x", 1, NULL, NULL));
    assert_int_equal(rf_pm_data_deserialise(NULL, 0, &data, NULL), RF_PM_ERR_DATA);
    NONE(rf_pm_data_image(NULL, &size));
    ZERO(size);
    ARGUMENT(rf_pm_data_new(NULL, NULL, 0, &data, NULL));
    ARGUMENT(rf_pm_data_new_trusted(NULL, NULL, 0, &data, NULL));
    NONE(data);
    rf_pm_clock_read(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),       cmocka_unit_test(test_no_recording),
        cmocka_unit_test(test_no_gpu_work), cmocka_unit_test(test_no_projections),
        cmocka_unit_test(test_statuses),    cmocka_unit_test(test_no_options),
        cmocka_unit_test(test_no_chip),     cmocka_unit_test(test_no_collector),
        cmocka_unit_test(test_no_data),     cmocka_unit_test(test_no_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
