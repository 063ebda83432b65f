/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of programs that use CUDA: calls, GPU work, and what links them. */
#include "rf_cuda_writer.h"
#include "unit.h"

static const char *string(const rf_recording *rec, uint32_t id)
{
    const char *text = rf_string(rec, id, NULL);
    return text != NULL ? text : "(none)";
}

/* A range around a launch and a copy, two streams, a wait. */
static void test_basic(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *f = rfw_stream(w, p, 1, 105, 2);
    (void)state;
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_push(s, 1000, &(struct rfw_attr){.text = "step"});
    rfw_pop(s, 9000, 0);
    rfw_thread(f, 500, 105, 2, "rf-cuda");
    rfw_cuda_kernel(f, 20000, 30000, 12, 13, RFW_KERNEL_ADD);
    rfw_cuda_call(f, 100, 4000, 5000, 12, RFW_LAUNCH);
    rfw_cuda_call(f, 100, 2000, 3000, 11, RFW_MEMCPY);
    rfw_cuda_copy(f, 2500, 8000, 11, 7, 4096);
    rfw_cuda_kernel(f, 40000, 40100, 13, 13, RFW_KERNEL_PLAIN);
    rfw_cuda_call(f, 101, 6000, 7000, 13, RFW_CU_LAUNCH);
    rfw_exit(w, p, 50000);
    for (int as_directory = 0; as_directory < 2; as_directory++) {
        rf_recording *rec = rfw_reopen(w, as_directory, 0);
        size_t n;
        assert_int_equal(rf_n_threads(rec), 2); /* the recorder's own is none */
        const struct rf_call *call = rf_thread_calls(rec, 0, &n);
        assert_int_equal(n, 2);
        assert_string_equal(string(rec, call[0].name), "cudaMemcpyAsync_v3020");
        assert_int_equal(call[0].start_ns, 2000);
        assert_int_equal(call[0].end_ns, 3000);
        assert_int_equal(call[0].kind, RF_CALL_CUDA_RUNTIME);
        assert_int_equal(call[1].correlation, 12);
        const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
        assert_int_equal(n, 3);
        assert_int_equal(op[0].kind, RF_OP_MEMCPY);
        assert_int_equal(op[0].start_ns, 2500);
        assert_int_equal(op[0].thread, 0);
        assert_int_equal(op[0].call, 0);
        assert_int_equal(call[0].first_op, 0);
        assert_int_equal(rf_transfer_at(rec, op[0].detail)->bytes, 4096);
        assert_int_equal(rf_transfer_at(rec, op[0].detail)->source_memory, 1);
        assert_string_equal(string(rec, op[1].name), "add");
        const struct rf_kernel *kernel = rf_kernel_at(rec, op[1].detail);
        assert_string_equal(string(rec, kernel->demangled), "void ns::add<float>(float*, int)");
        assert_string_equal(string(rec, kernel->mangled), "_ZN2ns3addIfEEvPT_i");
        assert_int_equal(kernel->grid[0], 32);
        assert_int_equal(kernel->launch_type, 1);
        assert_string_equal(string(rec, op[2].name), "plain");
        assert_int_equal(op[2].thread, 1);
        assert_int_equal(rf_thread_at(rec, 1)->tid, 101);
        call = rf_thread_calls(rec, 1, &n);
        assert_int_equal(n, 1);
        assert_int_equal(call[0].kind, RF_CALL_CUDA_DRIVER);
        assert_int_equal(rf_n_gpu_tracks(rec), 2);
        assert_int_equal(rf_gpu_track_at(rec, 1)->stream, 13);
        assert_int_equal(rf_n_gpus(rec), 1);
        assert_null(rf_skipped_at(rec, 0));
        assert_int_equal(rf_get_info(rec)->n_bad_times, 0);
        rf_close(rec);
    }
    rfw_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_basic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
