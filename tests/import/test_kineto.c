/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of torch.profiler: real ones, of which Python counted what there is, ones that are written
 * here, and hostile ones. */
#include <stdio.h>
#include <zlib.h>

#include "import/kineto_open.h"
#include "import_support.h"
#include "model/collectives/collectives.h"
#include "model/fields/gpu_names.h"
#include "same.h"

#define HEAD                                                                                       \
    "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"Example "                     \
    "GPU\",\"totalGlobalMem\":85899345920,\"computeMajor\":9,\"computeMinor\":0,\"numSms\":132}]," \
    "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":3,\"world_size\":8},"                      \
    "\"baseTimeNanoseconds\":1700000000000000000,\"traceEvents\":["
#define TAIL "],\"traceName\":\"x\"}"

#define OPERATOR                                                                                   \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":7,\"tid\":8,\"ts\":100.5,"     \
    "\"dur\":50,\"args\":{\"External id\":1,\"Input Dims\":[[2,3],[]],\"Ev Idx\":1}}"
#define STEP                                                                                       \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#4\",\"pid\":7,\"tid\":8,"   \
    "\"ts\":100,\"dur\":100}"
#define LAUNCH                                                                                     \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":7,\"tid\":8,"    \
    "\"ts\":110,\"dur\":5.25,\"args\":{\"correlation\":12}}"
#define KERNEL                                                                                     \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"void ns::gemm<float>(float*)\",\"pid\":0,"        \
    "\"tid\":7,\"ts\":130,\"dur\":20,\"args\":{\"device\":0,\"context\":1,\"stream\":7,"           \
    "\"correlation\":12,\"grid\":[1,2,3],\"block\":[32,4,1],\"registers per "                      \
    "thread\":9,\"shared memory\":1024}}"
#define COPY                                                                                       \
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pinned -> Device)\",\"pid\":0,"  \
    "\"tid\":7,\"ts\":160,\"dur\":2,\"args\":{\"device\":0,\"context\":1,\"stream\":7,"            \
    "\"correlation\":13,\"bytes\":4096}}"
#define SYNC                                                                                       \
    "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Sync\",\"pid\":0,\"tid\":7,\"ts\":166," \
    "\"dur\":2,\"args\":{\"stream\":7,\"device\":0,\"context\":1,\"correlation\":15}}"
#define NAMES                                                                                      \
    "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":7,\"tid\":0,\"args\":{\"name\":\"python\"}}," \
    "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":7,\"tid\":8,\"args\":{\"name\":\"thread 8 "    \
    "(trainer)\"}}"
#define WHOLE HEAD STEP "," OPERATOR "," LAUNCH "," KERNEL "," COPY "," SYNC "," NAMES TAIL

static rf_recording *open_text(const char *text)
{
    return open_file(bytes_file(text, strlen(text)));
}

static void check_text(const rf_recording *rec, uint32_t string, const char *expected)
{
    assert_string_equal(rf_string(rec, string, NULL), expected);
}

/* ---- Real ones ---- */

static const struct expected {
    const char *name;
    uint64_t n_ranges, n_marks;
    uint32_t n_threads, n_counters, n_operators;
    int rank, world_size;
} files[] = {
    {"plain", 232, 0, 1, 0, 224, -1, -1},
    {"stacks", 699, 50, 1, 2, 224, -1, -1},
    {"gloo-rank0", 459, 0, 3, 0, 432, 0, 2},
    {"gloo-rank1", 459, 0, 3, 0, 432, 1, 2},
};

static uint32_t count_domain(const rf_recording *rec, const char *name)
{
    uint32_t n_found = 0;
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n;
        const struct rf_event *event = rf_thread_events(rec, t, &n);
        for (size_t i = 0; i < n; i++) {
            const char *domain = rf_string(rec, rf_domain_at(rec, event[i].domain)->name, NULL);
            n_found += domain != NULL && strcmp(domain, name) == 0;
        }
    }
    return n_found;
}

static void test_real(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char path[512];
        const struct expected *e = &files[i];
        (void)snprintf(path, sizeof(path), "%s/%s.json.gz", KINETO_FOLDER, e->name);
        print_message("%s\n", e->name);
        rf_recording *rec = open_file(path);
        const struct rf_info *info = rf_get_info(rec);
        check_promises(rec);
        assert_int_equal(info->n_ranges, e->n_ranges);
        assert_int_equal(info->n_marks, e->n_marks);
        assert_int_equal(rf_n_processes(rec), 1);
        assert_int_equal(rf_n_threads(rec), e->n_threads);
        assert_int_equal(rf_n_counters(rec), e->n_counters);
        assert_int_equal(count_domain(rec, "cpu_op"), e->n_operators);
        assert_int_equal(info->rank, e->rank);
        assert_int_equal(info->world_size, e->world_size);
        assert_true(info->is_import);
        assert_string_equal(info->import_reader, "json");
        assert_null(rf_skipped_at(rec, 0));
        rf_close(rec);
    }
}

/* ---- What is read ---- */

static void check_work(const rf_recording *rec)
{
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    assert_int_equal(n, 3);
    assert_int_equal(op[0].kind, RF_OP_KERNEL);
    assert_int_equal(op[0].start_ns, 30000);
    assert_int_equal(op[0].end_ns, 50000);
    check_text(rec, op[0].name, "gemm");
    const struct rf_kernel *kernel = rf_op_kernel(rec, &op[0]);
    check_text(rec, kernel->demangled, "void ns::gemm<float>(float*)");
    assert_int_equal(kernel->grid[2], 3);
    assert_int_equal(kernel->block[1], 4);
    assert_int_equal(kernel->registers, 9);
    assert_int_equal(kernel->dynamic_shared_bytes, 1024);
    assert_int_equal(op[0].thread, 0);
    assert_int_equal(op[0].call, 0);
    const struct rf_transfer *transfer = rf_op_transfer(rec, &op[1]);
    assert_int_equal(op[1].kind, RF_OP_MEMCPY);
    assert_int_equal(transfer->bytes, 4096);
    assert_int_equal(transfer->copy_kind, 1);
    assert_int_equal(op[1].thread, RF_NO_INDEX);
    assert_int_equal(op[2].kind, RF_OP_SYNC);
    assert_int_equal(op[2].sync_type, 3);
}

static void test_fields(void **state)
{
    size_t n;
    char json[64];
    (void)state;
    rf_recording *rec = open_text(WHOLE);
    const struct rf_info *info = rf_get_info(rec);
    check_promises(rec);
    assert_int_equal(info->epoch_utc_ns, 1700000000000100000);
    assert_int_equal(info->end_ns, 100000);
    assert_int_equal(info->rank, 3);
    assert_int_equal(info->world_size, 8);
    check_text(rec, rf_process_at(rec, 0)->name, "python");
    check_text(rec, rf_thread_at(rec, 0)->name, "trainer");
    const struct rf_event *event = rf_thread_events(rec, 0, &n);
    assert_int_equal(n, 2);
    check_text(rec, event[0].name, "ProfilerStep#4");
    assert_int_equal(rf_domain_at(rec, event[0].domain)->name, RF_NO_STRING);
    check_text(rec, event[1].name, "aten::mm");
    check_text(rec, rf_domain_at(rec, event[1].domain)->name, "cpu_op");
    assert_int_equal(event[1].start_ns, 500);
    assert_int_equal(event[1].end_ns, 50500);
    (void)rf_payload_json(rec, &event[1], 0, json, sizeof(json));
    assert_string_equal(json, "{\"Input Dims\":[[2,3],[]]}");
    const struct rf_call *call = rf_thread_calls(rec, 0, &n);
    assert_int_equal(n, 1);
    assert_int_equal(call->end_ns - call->start_ns, 5250);
    assert_int_equal(call->kind, RF_CALL_CUDA_RUNTIME);
    check_work(rec);
    assert_int_equal(rf_n_gpus(rec), 1);
    assert_int_equal(rf_gpu_of(rec, 0, 0)->n_multiprocessors, 132);
    rf_close(rec);
}

static void test_counters(void **state)
{
    (void)state;
    rf_recording *rec = open_text(
        HEAD OPERATOR
        ",{\"ph\":\"C\",\"name\":\"queue\",\"pid\":7,\"ts\":3,\"args\":{\"value\":2.5}}"
        ",{\"ph\":\"C\",\"name\":\"queue\",\"pid\":7,\"ts\":1,\"args\":{\"value\":\"4\"}}"
        ",{\"ph\":\"C\",\"name\":\"SM\",\"pid\":0,\"ts\":2,\"args\":{\"a\":1,\"b\":\"NaN\"}}" TAIL);
    const struct rf_counter *counter = rf_counter_at(rec, 0);
    assert_int_equal(rf_n_counters(rec), 2);
    check_text(rec, counter->name, "SM.a");
    assert_int_equal(counter->device, 0);
    counter = rf_counter_at(rec, 1);
    check_text(rec, counter->name, "queue");
    assert_int_equal(counter->process, 0);
    assert_int_equal(counter->n_samples, 2);
    assert_int_equal(counter->ns[0], 0);
    assert_true(counter->value[0] == 4 && counter->value[1] == 2.5);
    assert_int_equal(count_skipped(rec, "no number"), 1);
    rf_close(rec);
}

/* What PyTorch says of a collective is said of the kernel that it launches, too. */
static void test_collective(void **state)
{
    struct rf_collectives found;
    struct rf_err err;
    (void)state;
    rf_recording *rec = open_text(
        HEAD
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"record_param_comms\",\"pid\":7,\"tid\":8,"
        "\"ts\":105,\"dur\":20,\"args\":{\"Collective name\":\"allreduce\",\"dtype\":"
        "\"BFloat16\",\"In msg nelems\":1024,\"Out msg nelems\":1024,\"Process Group "
        "Name\":\"5\"}},{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"record_param_comms\","
        "\"pid\":7,\"tid\":8,\"ts\":205,\"dur\":2,\"args\":{\"Collective name\":\"wait\"}}," LAUNCH
        ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_bf16_RING_LL("
        "ncclDevKernelArgsStorage<4096ul>)\",\"pid\":0,\"tid\":20,\"ts\":130,\"dur\":20,"
        "\"args\":{\"device\":0,\"stream\":20,\"correlation\":12}}" TAIL);
    assert_int_equal(rf_collectives_find(rec, NULL, &found, &err), RF_OK);
    assert_int_equal(found.n, 2);
    assert_int_equal(found.item[0].kind, RF_COLLECTIVE_TORCH);
    assert_memory_equal(found.item[0].operation, "allreduce", found.item[0].operation_size);
    assert_int_equal(found.item[1].kind, RF_COLLECTIVE_NCCL_KERNEL);
    assert_memory_equal(found.item[1].operation, "AllReduce", found.item[1].operation_size);
    for (int i = 0; i < 2; i++) {
        assert_true(found.item[i].has_communicator && found.item[i].has_bytes);
        assert_int_equal(found.item[i].communicator, 5);
        assert_int_equal(found.item[i].bytes, 2048);
        assert_int_equal(found.item[i].rank, 3);
    }
    rf_collectives_release(&found);
    rf_close(rec);
}

/* ---- Odd ones ---- */

/* What opens, with what is said of it; reason NULL: nothing. */
static const struct odd {
    const char *text;
    uint64_t n_ranges, n_marks, n_skipped;
    const char *reason;
} odd[] = {
    {"[]", 0, 0, 0, NULL},
    {"\xef\xbb\xbf {\"traceEvents\":[]}", 0, 0, 0, NULL},
    {"{\"traceEvents\":[" OPERATOR "]}  \n", 1, 0, 0, NULL},
    {"{\"traceEvents\":[" OPERATOR "]} {", 1, 0, 1, "behind the end"},
    {"[" OPERATOR, 1, 0, 1, "no closing bracket"},
    {"[" OPERATOR ",\n", 1, 0, 1, "no closing bracket"},
    {"[" OPERATOR ",]", 1, 0, 0, NULL},
    {"{\"traceEvents\":[" OPERATOR "],\"traceEvents\":[" OPERATOR "]}", 2, 0, 1, "second list"},
    {"[{\"ph\":\"i\",\"ph\":\"X\",\"pid\":\"7\",\"tid\":\"5\",\"ts\":\"2e1\",\"dur\":\"1.5\"}]", 1,
     0, 0, NULL},
    {"[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":-3}]", 1, 0, 1, "negative duration"},
    {"[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":10}]", 1, 0, 1, "no duration"},
    {"[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":1e300}]", 1, 0, 1, "no possible time"},
    {"[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":99999999999999999999999}]", 0, 0, 1,
     "no possible time"},
    {"[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":\"soon\"}]", 0, 0, 1, "no ts"},
    {"[{\"ph\":\"X\",\"ts\":1,\"dur\":1}]", 1, 0, 1, "no pid"},
    {"[{\"pid\":1,\"ts\":1}]", 0, 0, 1, "no ph"},
    {"[{\"ph\":\"D\",\"pid\":1,\"ts\":1}]", 0, 0, 1, "not read"},
    {"[{\"ph\":\"s\",\"id\":99,\"pid\":1,\"tid\":1,\"ts\":1},{\"ph\":\"f\",\"id\":98}]", 0, 0, 0,
     NULL},
    {"[{},{}]", 0, 0, 2, "no ts"},
    {"[{\"ph\":\"C\",\"name\":\"n\",\"pid\":1,\"ts\":1,\"args\":{\"a\":\"x\",\"b\":[1]}}]", 0, 0, 2,
     "no number"},
    {"[{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"args\":{\"Total Allocated\":5}}]", 0, 0, 1,
     "no ts"},
    {"[{\"ph\":\"i\",\"name\":\"\xff\xfe\\u0000\",\"pid\":1,\"tid\":1,\"ts\":1}]", 0, 1, 0, NULL},
    {"[{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":1,\"args\":{\"a\":NaN,\"b\":[-Infinity]}}]", 0, 1,
     0, NULL},
    {"[{\"ph\":\"i\",\"s\":\"g\",\"pid\":\"Traces\",\"tid\":\"Trace x\",\"ts\":1}]", 0, 0, 0, NULL},
    {"[" KERNEL "," KERNEL "]", 0, 0, 0, NULL},
    {"[" LAUNCH "," LAUNCH "," KERNEL "]", 0, 0, 1, "linked to the first"},
};

static void test_odd(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        print_message("%s\n", odd[i].text);
        rf_recording *rec = open_text(odd[i].text);
        check_promises(rec);
        assert_int_equal(rf_get_info(rec)->n_ranges, odd[i].n_ranges);
        assert_int_equal(rf_get_info(rec)->n_marks, odd[i].n_marks);
        assert_int_equal(count_skipped(rec, ""), odd[i].n_skipped);
        if (odd[i].reason != NULL)
            assert_true(count_skipped(rec, odd[i].reason) > 0);
        rf_close(rec);
    }
}

/* Begins and ends, also of ranges with ids and of two threads; ends without begin are counted. */
static void test_begins(void **state)
{
    size_t n;
    (void)state;
    rf_recording *rec = open_text(
        "[{\"ph\":\"B\",\"name\":\"outer\",\"pid\":1,\"tid\":1,\"ts\":1},"
        "{\"ph\":\"B\",\"name\":\"inner\",\"pid\":1,\"tid\":1,\"ts\":2},"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":3},{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":5},"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":6},"
        "{\"ph\":\"b\",\"cat\":\"c\",\"id\":\"0x1\",\"name\":\"async\",\"pid\":1,\"tid\":1,\"ts\":"
        "4},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id\":\"0x1\",\"pid\":1,\"tid\":2,\"ts\":9},"
        "{\"ph\":\"B\",\"name\":\"open\",\"pid\":1,\"tid\":2,\"ts\":8}]");
    check_promises(rec);
    const struct rf_event *event = rf_thread_events(rec, 0, &n);
    assert_int_equal(n, 3);
    assert_int_equal(event[0].end_ns - event[0].start_ns, 4000);
    assert_int_equal(event[1].end_ns - event[1].start_ns, 1000);
    assert_int_equal(event[2].kind, RF_EVENT_START_END);
    assert_int_equal(event[2].end_ns, 8000);
    assert_int_equal(rf_start_end_at(rec, event[2].link)->end_thread, 1);
    event = rf_thread_events(rec, 1, &n);
    assert_int_equal(event[0].cut, RF_CUT_CAPTURE_ENDED);
    assert_int_equal(rf_get_info(rec)->n_unmatched_ends, 1);
    rf_close(rec);
}

/* ---- Wrong ones ---- */

static const struct {
    const char *text;
    int status;
    uint64_t offset;
    const char *what;
} wrong[] = {
    {"{\"traceEvents\":[{\"ph\" \"X\"}]}", RF_ERR_DAMAGED, 22, "no colon"},
    {"{\"traceEvents\":[{ph:1}]}", RF_ERR_DAMAGED, 17, "no key"},
    {"{\"traceEvents\":[1,2]}", RF_ERR_DAMAGED, 16, "no event"},
    {"{\"traceEvents\":[{\"ph\":X}]}", RF_ERR_DAMAGED, 22, "no value"},
    {"{\"traceEvents\":[{\"ph\":\"X\" \"ts\":1}]}", RF_ERR_DAMAGED, 26, "neither a comma"},
    {"{\"a\":1 2}", RF_ERR_DAMAGED, 7, "neither a comma"},
    {"{\"traceEvents\":{}}", RF_ERR_FORMAT, 0, "no list"},
    {"{\"nodes\":[]}", RF_ERR_FORMAT, 0, "no \"traceEvents\""},
    {"{}", RF_ERR_FORMAT, 0, "no \"traceEvents\""},
    {"{", RF_ERR_DAMAGED, 1, "it ends at byte 1"},
    {"[{\"ph\":\"X\"", RF_ERR_DAMAGED, 10, "it ends at byte 10"},
};

static void test_wrong(void **state)
{
    struct rf_err err;
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        print_message("%s\n", wrong[i].text);
        assert_int_equal(open_error(bytes_file(wrong[i].text, strlen(wrong[i].text)), &err),
                         wrong[i].status);
        print_message("  %s\n", err.text);
        assert_int_equal(err.offset, wrong[i].offset);
        assert_non_null(strstr(err.text, wrong[i].what));
    }
}

static void test_deep(void **state)
{
    struct rf_err err;
    (void)state;
    const size_t n = 100000, head = strlen("[{\"args\":{\"a\":");
    char *text = malloc(head + 2 * n);
    assert_non_null(text);
    memcpy(text, "[{\"args\":{\"a\":", head);
    memset(text + head, '[', 2 * n);
    assert_int_equal(open_error(bytes_file(text, head + 2 * n), &err), RF_ERR_DAMAGED);
    assert_non_null(strstr(err.text, "nested too deep"));
    assert_int_equal(err.offset, head + 512);
    free(text);
}

/* Cut anywhere it is an error with its place; salvaged, what was complete is there. */
static void test_cut(void **state)
{
    const size_t size = strlen(WHOLE), begin = strlen(HEAD);
    struct rf_err err;
    (void)state;
    for (size_t n = 1; n < size; n++) {
        rf_recording *rec = NULL;
        const char *path = bytes_file(WHOLE, n);
        assert_int_equal(open_error(path, &err), RF_ERR_DAMAGED);
        assert_int_equal(err.offset, n);
        const int status = rf_open(path, RF_OPEN_SALVAGE, &rec, &err);
        assert_int_equal(status, n >= begin ? RF_OK : RF_ERR_DAMAGED);
        if (status == RF_OK) {
            check_promises(rec);
            assert_true(rf_get_info(rec)->n_damaged_bytes > 0);
            assert_int_equal(rf_get_info(rec)->n_ranges,
                             (n >= begin + strlen(STEP)) +
                                 (n >= begin + strlen(STEP "," OPERATOR)));
        }
        rf_close(rec);
    }
}

/* ---- gzip ---- */

static size_t pack(const char *text, size_t size, uint8_t *to, size_t room)
{
    z_stream packer = {.next_in = (Bytef *)(uintptr_t)text, .avail_in = (uInt)size};
    assert_int_equal(deflateInit2(&packer, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    packer.next_out = to;
    packer.avail_out = (uInt)room;
    assert_int_equal(deflate(&packer, Z_FINISH), Z_STREAM_END);
    const size_t n = room - packer.avail_out;
    assert_int_equal(deflateEnd(&packer), Z_OK);
    return n;
}

static void test_packed(void **state)
{
    static uint8_t packed[1 << 16];
    struct rf_err err;
    (void)state;
    const size_t half = strlen(WHOLE) / 2;
    size_t n = pack(WHOLE, strlen(WHOLE), packed, sizeof(packed));
    rf_recording *rec = open_file(bytes_file(packed, n));
    assert_int_equal(rf_get_info(rec)->n_ranges, 2);
    rf_close(rec);
    for (size_t i = 20; i < n; i++) { /* what is shorter says nothing of what it is */
        assert_true(open_error(bytes_file(packed, i), &err) < 0);
        assert_true(err.code == RF_ERR_FORMAT || err.offset > 0);
    }
    n = pack(WHOLE, half, packed, sizeof(packed)); /* two members */
    n += pack(&WHOLE[half], strlen(WHOLE) - half, packed + n, sizeof(packed) - n);
    rec = open_file(bytes_file(packed, n));
    assert_int_equal(rf_get_info(rec)->n_ranges, 2);
    rf_close(rec);
    n = pack("SQLite", 6, packed, sizeof(packed));
    assert_int_equal(open_error(bytes_file(packed, n), &err), RF_ERR_FORMAT);
    assert_non_null(strstr(err.text, "gunzip"));
}

static void test_bomb(void **state)
{
    const size_t size = (size_t)100 << 20, room = (size_t)1 << 20;
    struct rf_err err;
    (void)state;
    char *text = malloc(size);
    uint8_t *packed = malloc(room);
    assert_true(text != NULL && packed != NULL);
    memset(text, ' ', size);
    text[0] = '[';
    const size_t n = pack(text, size, packed, room);
    assert_int_equal(open_error(bytes_file(packed, n), &err), RF_ERR_DAMAGED);
    assert_true(err.offset > 0 && err.offset <= n);
    assert_non_null(strstr(err.text, "times its size"));
    free(text);
    free(packed);
}

/* ---- Pieces ---- */

/* However a file is taken apart, it says the same. */
static void test_pieces(void **state)
{
    struct rf_err err;
    char path[512];
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/stacks.json.gz", KINETO_FOLDER);
    rf_recording *whole = open_file(path);
    for (size_t size = 17; size < 100000; size = size * 3 + 1)
        for (unsigned n_workers = 0; n_workers < 4; n_workers++) {
            const struct kineto_way way = {size, n_workers};
            rf_recording *pieces = NULL;
            assert_int_equal(kineto_open_by(path, 0, &way, &pieces, &err), RF_OK);
            const char *what = rf_test_difference(whole, pieces);
            if (what != NULL)
                fail_msg("pieces of %zu bytes, %u workers: %s", size, n_workers, what);
            rf_close(pieces);
        }
    rf_close(whole);
}

/* ---- What is no trace ---- */

static void test_foreign(void **state)
{
    static const uint8_t perfetto[] = {0x0a, 0x06, 0x08, 0x01, 0x10, 0x02, 0x18, 0x03};
    struct rf_err err;
    (void)state;
    assert_int_equal(open_error(bytes_file(perfetto, sizeof(perfetto)), &err), RF_ERR_FORMAT);
    assert_non_null(strstr(err.text, "a Perfetto trace, which can be written and not read"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real),       cmocka_unit_test(test_fields),
        cmocka_unit_test(test_counters),   cmocka_unit_test(test_odd),
        cmocka_unit_test(test_collective), cmocka_unit_test(test_begins),
        cmocka_unit_test(test_wrong),      cmocka_unit_test(test_deep),
        cmocka_unit_test(test_cut),        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_bomb),       cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_foreign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
