/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs, and the devices, contexts and streams of processes, with their names. */
#include "model/load/properties.h"
#include "rf_cuda_writer.h"
#include "unit.h"

static const char *string(const rf_recording *rec, uint32_t id)
{
    const char *text = rf_string(rec, id, NULL);
    return text != NULL ? text : "(none)";
}

static int64_t fact(const rf_recording *rec, const struct rf_gpu *gpu, const char *name)
{
    for (uint32_t i = 0; i < gpu->n_facts; i++) {
        const struct rf_gpu_fact *found = rf_gpu_fact_at(rec, gpu->first_fact + i);
        if (strcmp(string(rec, found->name), name) == 0)
            return found->number;
    }
    return -1;
}

static const char *name_of(const rf_recording *rec, uint32_t process, uint32_t context,
                           uint32_t stream)
{
    const struct rf_gpu_track track = {.process = process, .context = context, .stream = stream};
    const struct rf_gpu_stream *found = rf_gpu_stream_of(rec, &track);
    return found != NULL ? string(rec, found->name) : "(no stream)";
}

static void test_gpu(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    (void)state;
    rfw_cuda_names(w, p);
    for (int as_directory = 0; as_directory < 2; as_directory++) {
        rf_recording *rec = rfw_reopen(w, as_directory, 0);
        assert_int_equal(rf_n_gpus(rec), 1);
        const struct rf_gpu *gpu = rf_gpu_at(rec, 0);
        assert_int_equal(gpu->id, 0);
        assert_string_equal(string(rec, gpu->name), "NVIDIA H200");
        assert_string_equal(string(rec, gpu->bus), "0000:3b:00.0");
        assert_string_equal(string(rec, gpu->uuid), "GPU-00112233-4455-6677-8899-aabbccddeeff");
        assert_int_equal(gpu->memory_bytes, 150000000000);
        assert_int_equal(gpu->n_multiprocessors, 132);
        assert_int_equal(gpu->capability_major, 9);
        assert_int_equal(gpu->capability_minor, 0);
        assert_int_equal(gpu->n_facts, 1);
        assert_int_equal(fact(rec, gpu, "clockRate"), 1980000000);
        assert_null(rf_gpu_fact_at(rec, 1));
        assert_int_equal(rf_n_gpu_contexts(rec), 1);
        assert_int_equal(rf_gpu_context_at(rec, 0)->null_stream, 7);
        assert_int_equal(rf_n_gpu_streams(rec), 2);
        const struct rf_gpu_stream *stream = rf_gpu_stream_at(rec, 1);
        assert_int_equal(stream->stream, 13);
        assert_int_equal(stream->device, 0);
        assert_int_equal(stream->priority, -1);
        assert_int_equal(stream->has_priority, 1);
        assert_int_equal(stream->flag, 2);
        assert_null(rf_gpu_stream_at(rec, 2));
        rf_close(rec);
    }
    rfw_free(w);
}

/* Each of two processes was shown one GPU as device 0; a third one was shown both, in turn. */
static void test_visible_devices(void **state)
{
    static const char a[] = "name=A\nuuid=GPU-a\ncapability=8.6\n";
    static const char b[] = "name=B\nuuid=GPU-b\nl2CacheSize=5\nluid=none\nmultiprocessors=7\n";
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "one"), q = rfw_process(w, 200, "two"),
             r = rfw_process(w, 300, "three");
    (void)state;
    rfw_cuda_def(w, p, 10, RF_CUDA_DEF_DEVICE, 0, 0, 0, a);
    rfw_cuda_def(w, q, 10, RF_CUDA_DEF_DEVICE, 0, 0, 0, "name=nothing yet\n");
    rfw_cuda_def(w, q, 20, RF_CUDA_DEF_DEVICE, 0, 0, 0, b);
    rfw_cuda_def(w, r, 10, RF_CUDA_DEF_DEVICE, 0, 0, 0, b);
    rfw_cuda_def(w, r, 10, RF_CUDA_DEF_DEVICE, 1, 0, 0, a);
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_gpus(rec), 2);
    assert_int_equal(rf_gpu_at(rec, 0)->id, 0);
    assert_int_equal(rf_gpu_at(rec, 1)->id, 1);
    assert_string_equal(string(rec, rf_gpu_at(rec, 1)->name), "B");
    assert_int_equal(fact(rec, rf_gpu_at(rec, 1), "l2CacheSize"), 5);
    assert_int_equal(rf_gpu_at(rec, 0)->capability_minor, 6);
    assert_int_equal(rf_n_gpu_devices(rec), 4);
    assert_ptr_equal(rf_gpu_of(rec, 0, 0), rf_gpu_at(rec, 0));
    assert_ptr_equal(rf_gpu_of(rec, 1, 0), rf_gpu_at(rec, 1));
    assert_ptr_equal(rf_gpu_of(rec, 2, 0), rf_gpu_at(rec, 1));
    assert_ptr_equal(rf_gpu_of(rec, 2, 1), rf_gpu_at(rec, 0));
    assert_null(rf_gpu_of(rec, 0, 9));
    assert_int_equal(rf_gpu_device_of(rec, 1, 0)->n_multiprocessors, 7);
    rf_close(rec);
    rfw_free(w);
}

static void test_names(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    const struct rf_cuda_event event = {
        .head = {.kind = RF_CUDA_EVENT, .correlation = 3}, .event = 44, .context = 1, .stream = 13};
    rfw_cuda(s, 900, &event, sizeof(event));
    /* the same handle is another stream later */
    rfw_cuda_def(w, p, 10, RF_CUDA_DEF_STREAM, 14, 1, 0, NULL);
    rfw_cuda_def(w, p, 10, RF_CUDA_DEF_STREAM, 15, 1, 0, "flag=1\n");
    rfw_cuda_def(w, p, 100, RF_CUDA_DEF_OBJECT, 13, 0xabc, RF_OBJECT_CU_STREAM, "context=1\n");
    rfw_object_name(w, p, 110, 101, RF_OBJECT_CUDA_STREAM, 0xabc, "first");
    rfw_object_name(w, p, 105, 102, RF_OBJECT_CUDA_STREAM, 0xabc, "overruled");
    rfw_object_name(w, p, 190, 101, RF_OBJECT_CU_STREAM, 0xdef, "named before it is known");
    rfw_cuda_def(w, p, 200, RF_CUDA_DEF_OBJECT, 14, 0xabc, RF_OBJECT_CUDA_STREAM, "context=1\n");
    rfw_cuda_def(w, p, 200, RF_CUDA_DEF_OBJECT, 15, 0xdef, RF_OBJECT_CU_STREAM, NULL);
    rfw_object_name(w, p, 210, 101, RF_OBJECT_CUDA_STREAM, 0xabc, "second");
    rfw_object_name(w, p, 220, 101, RF_OBJECT_CUDA_STREAM, 0x999, "nobody's");
    rfw_object_name(w, p, 230, 101, RF_OBJECT_CUDA_STREAM, 0, "default");
    rfw_object_name(w, p, 240, 101, RF_OBJECT_CUDA_DEVICE, 0, "trainer");
    rfw_object_name(w, p, 240, 101, RF_OBJECT_CUDA_DEVICE, 5, "no such device");
    rfw_cuda_def(w, p, 240, RF_CUDA_DEF_DEVICE, 1, 0, 0, "uuid=GPU-1\n");
    rfw_cuda_def(w, p, 240, RF_CUDA_DEF_OBJECT, 1, 1, RF_OBJECT_CU_DEVICE, NULL);
    rfw_object_name(w, p, 240, 101, RF_OBJECT_CU_DEVICE, 1, "by its object");
    rfw_cuda_def(w, p, 250, RF_CUDA_DEF_OBJECT, 1, 0xc0, RF_OBJECT_CU_CONTEXT, NULL);
    rfw_object_name(w, p, 260, 101, RF_OBJECT_CU_CONTEXT, 0xc0, "primary");
    rfw_cuda_def(w, p, 270, RF_CUDA_DEF_OBJECT, 44, 0xe0, RF_OBJECT_CUDA_EVENT, NULL);
    rfw_object_name(w, p, 280, 101, RF_OBJECT_CU_EVENT, 0xe0, "done");
    for (int as_directory = 0; as_directory < 2; as_directory++) {
        rf_recording *rec = rfw_reopen(w, as_directory, 0);
        size_t n;
        assert_string_equal(name_of(rec, 0, 1, 13), "first");
        assert_string_equal(name_of(rec, 0, 1, 14), "second");
        assert_string_equal(name_of(rec, 0, 1, 15), "named before it is known");
        assert_string_equal(name_of(rec, 0, 1, 7), "default");
        assert_string_equal(name_of(rec, 0, 2, 7), "(no stream)");
        assert_string_equal(string(rec, rf_gpu_device_of(rec, 0, 0)->name), "trainer");
        assert_string_equal(string(rec, rf_gpu_device_of(rec, 0, 1)->name), "by its object");
        assert_string_equal(string(rec, rf_gpu_context_at(rec, 0)->name), "primary");
        const struct rf_extra *extra = rf_extras(rec, &n);
        assert_int_equal(n, 1);
        assert_string_equal(string(rec, extra->name), "done");
        rf_close(rec);
    }
    rfw_free(w);
}

/* With two contexts nobody knows whose default stream is meant, or whose stream of one id. */
static void test_ambiguous_names(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    (void)state;
    rfw_cuda_names(w, p);
    rfw_cuda_def(w, p, 10, RF_CUDA_DEF_CONTEXT, 2, 0, 7, NULL);
    rfw_cuda_def(w, p, 10, RF_CUDA_DEF_STREAM, 7, 2, 0, NULL);
    rfw_object_name(w, p, 20, 100, RF_OBJECT_CUDA_STREAM, 0, "default");
    rfw_cuda_def(w, p, 30, RF_CUDA_DEF_OBJECT, 7, 0xabc, RF_OBJECT_CUDA_STREAM, NULL);
    rfw_object_name(w, p, 40, 100, RF_OBJECT_CUDA_STREAM, 0xabc, "which");
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_string_equal(name_of(rec, 0, 1, 7), "(none)");
    assert_string_equal(name_of(rec, 0, 2, 7), "(none)");
    assert_int_equal(rf_n_gpu_contexts(rec), 2);
    rf_close(rec);
    rfw_free(w);
}

/* Facts that are cut, doubled, empty or no numbers; thousands of devices. */
static void test_hostile(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    (void)state;
    rfw_cuda_def(w, p, 10, RF_CUDA_DEF_DEVICE, 0, 0, 0,
                 "\n\nname\n=\nname=\nmemory=-5\nmemory=99999999999999999999\ncapability=.\n"
                 "multiprocessors=12x\nmaxIPC=-\nclockRate=9223372036854775807\nx=a=b");
    rfw_cuda_def(w, p, 10, RF_CUDA_DEF_STREAM, UINT32_MAX, UINT64_MAX, 0,
                 "priority=99999999999\nflag=300\n");
    for (uint32_t i = 1; i < 5000; i++) {
        char uuid[32];
        (void)snprintf(uuid, sizeof(uuid), "uuid=GPU-%u\n", i);
        rfw_cuda_def(w, p, 20, RF_CUDA_DEF_DEVICE, i, 0, 0, uuid);
    }
    rf_recording *rec = rfw_reopen(w, 0, 0);
    const struct rf_gpu *gpu = rf_gpu_at(rec, 0);
    assert_int_equal(gpu->memory_bytes, 0);
    assert_int_equal(gpu->n_multiprocessors, 0);
    assert_int_equal(gpu->capability_major, 0);
    assert_int_equal(fact(rec, gpu, "clockRate"), INT64_MAX);
    assert_string_equal(string(rec, rf_gpu_fact_at(rec, gpu->first_fact + 3)->text), "a=b");
    assert_int_equal(rf_gpu_stream_at(rec, 0)->has_priority, 0);
    assert_int_equal(rf_gpu_stream_at(rec, 0)->flag, 0);
    assert_int_equal(rf_gpu_stream_at(rec, 0)->device, RF_NO_INDEX);
    assert_int_equal(rf_n_gpus(rec), 256);
    assert_int_equal(rf_n_gpu_devices(rec), 5000);
    assert_int_equal(rf_gpu_device_of(rec, 0, 4999)->gpu, RF_NO_INDEX);
    rf_close(rec);
    rfw_free(w);
}

/* What lies behind the last capture is of its GPUs, too. */
static void test_focused(void **state)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    (void)state;
    rfw_focus(w, 0);
    rfw_window(w, 1000, 2000);
    rfw_cuda_clocks(w, p);
    rfw_cuda_names(w, p);
    rfw_mark(s, 1500, &(struct rfw_attr){.text = "inside"});
    rfw_cuda_def(w, p, 3000, RF_CUDA_DEF_STREAM, 21, 1, 0, "flag=1\n");
    rf_recording *rec = rfw_reopen(w, 0, 0);
    assert_int_equal(rf_n_gpus(rec), 1);
    assert_string_equal(name_of(rec, 0, 1, 21), "(none)");
    rf_close(rec);
    rfw_free(w);
}

static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        int is_number;
        int64_t number;
    } cases[] = {{"0", 1, 0},
                 {"-1", 1, -1},
                 {"9223372036854775807", 1, INT64_MAX},
                 {"9223372036854775808", 0, 0},
                 {"92233720368547758070", 0, 0},
                 {"", 0, 0},
                 {"-", 0, 0},
                 {"1.5", 0, 0},
                 {" 1", 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rf_property fact = {.value = cases[i].text, .value_size = strlen(cases[i].text)};
        int64_t number = 0;
        assert_int_equal(rf_property_number(&fact, &number), cases[i].is_number);
        assert_int_equal(number, cases[i].number);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gpu),     cmocka_unit_test(test_visible_devices),
        cmocka_unit_test(test_names),   cmocka_unit_test(test_ambiguous_names),
        cmocka_unit_test(test_hostile), cmocka_unit_test(test_focused),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
