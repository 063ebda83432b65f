/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed outputs of every size around that of a block, by several threads and by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "export/gzip.h"

#define BLOCK ((size_t)256 << 10)

/* Text that repeats far back, so that blocks refer to each other, and noise that does not, even and
 * uneven. */
static unsigned char *make_data(size_t size)
{
    unsigned char *data = malloc(size + 1);
    uint32_t state = 1;
    assert_non_null(data);
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525 + 1013904223;
        const unsigned char noise = (unsigned char)(state >> 24);
        const unsigned char kinds[] = {(unsigned char)(i % 251), noise,
                                       noise & (unsigned char)(state >> 16)};
        data[i] = kinds[i / 30000 % 3];
    }
    return data;
}

static void write_pieces(const unsigned char *data, size_t size, size_t piece, const char *path)
{
    struct rf_err err = {0};
    struct rf_output output = {0};
    struct rf_gzip *gzip = NULL;
    assert_int_equal(rf_output_open(&output, path, 1, &err), RF_OK);
    assert_int_equal(rf_gzip_new(&gzip, &output, &err), RF_OK);
    for (size_t at = 0; at < size; at += piece) {
        size_t n = size - at < piece ? size - at : piece;
        assert_int_equal(rf_gzip_write(gzip, data + at, n, &err), RF_OK);
    }
    assert_int_equal(rf_gzip_finish(gzip, &err), RF_OK);
    rf_gzip_free(gzip);
    assert_int_equal(rf_output_commit(&output, &err), RF_OK);
}

static unsigned char *read_file(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t end = lseek(fd, 0, SEEK_END);
    unsigned char *data = malloc((size_t)end + 1);
    assert_true(fd >= 0 && data != NULL && lseek(fd, 0, SEEK_SET) == 0);
    assert_int_equal(read(fd, data, (size_t)end), end);
    (void)close(fd);
    *size = (size_t)end;
    return data;
}

/* One member, with nothing behind it: not every reader goes on to a second one. */
static void check_file(const char *path, const unsigned char *data, size_t size)
{
    size_t packed_size;
    unsigned char *packed = read_file(path, &packed_size);
    unsigned char *plain = malloc(size + 1);
    z_stream stream = {0};
    assert_non_null(plain);
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    stream.next_in = packed;
    stream.avail_in = (uInt)packed_size;
    stream.next_out = plain;
    stream.avail_out = (uInt)size + 1;
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.avail_in, 0);
    assert_int_equal(stream.total_out, size);
    assert_memory_equal(plain, data, size);
    (void)inflateEnd(&stream);
    free(plain);
    free(packed);
}

static void test_sizes(void **state)
{
    static const size_t sizes[] = {0,         1,         1000,           BLOCK - 1,     BLOCK,
                                   BLOCK + 1, 2 * BLOCK, 5 * BLOCK + 77, 41 * BLOCK + 3};
    char path[] = "/tmp/rf-gzip-XXXXXX";
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        unsigned char *data = make_data(sizes[i]);
        write_pieces(data, sizes[i], 100000, path);
        check_file(path, data, sizes[i]);
        write_pieces(data, sizes[i], 3 * BLOCK, path); /* what a sink hands over may be larger */
        check_file(path, data, sizes[i]);
        free(data);
    }
    (void)unlink(path);
}

/* A block's bytes do not depend on who compressed it. */
static void test_one_processor(void **state)
{
    char one[] = "/tmp/rf-gzip-XXXXXX", many[] = "/tmp/rf-gzip-XXXXXX";
    size_t size = 9 * BLOCK + 5;
    cpu_set_t before, first;
    (void)state;
    assert_int_equal(close(mkstemp(one)), 0);
    assert_int_equal(close(mkstemp(many)), 0);
    unsigned char *data = make_data(size);
    write_pieces(data, size, 65536, many);
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    CPU_ZERO(&first);
    CPU_SET(sched_getcpu(), &first);
    assert_int_equal(sched_setaffinity(0, sizeof(first), &first), 0);
    write_pieces(data, size, 65536, one);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
    size_t one_size, many_size;
    unsigned char *a = read_file(one, &one_size), *b = read_file(many, &many_size);
    assert_int_equal(one_size, many_size);
    assert_memory_equal(a, b, one_size);
    free(a);
    free(b);
    free(data);
    (void)unlink(one);
    (void)unlink(many);
}

/* What other threads compressed stands between what was written, wherever a block has ended. */
static void test_pieces(void **state)
{
    static const size_t sizes[] = {1, 100, 2 * BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 1, 7 * BLOCK};
    enum { N = sizeof(sizes) / sizeof(sizes[0]) };
    const size_t size = 60 * BLOCK;
    char path[] = "/tmp/rf-gzip-XXXXXX";
    struct rf_err err = {0};
    struct rf_output output = {0};
    struct rf_gzip *gzip = NULL;
    struct rf_sink sink = {0};
    struct rf_gzip_piece *piece = rf_gzip_piece_new();
    unsigned char *data = make_data(size);
    (void)state;
    assert_non_null(piece);
    assert_int_equal(close(mkstemp(path)), 0);
    assert_int_equal(rf_output_open(&output, path, 1, &err), RF_OK);
    assert_int_equal(rf_gzip_new(&gzip, &output, &err), RF_OK);
    assert_int_equal(rf_sink_init(&sink, rf_gzip_write, gzip, &err), RF_OK);
    assert_ptr_equal(rf_gzip_of(&sink), gzip);
    rf_sink_release(&sink);
    size_t at = 0;
    for (size_t i = 0; i < 3 * N * N && at < size; i++) {
        const size_t want = sizes[(i + i / N) % N], n = want < size - at ? want : size - at;
        if (i % 3 == 0)
            assert_int_equal(rf_gzip_write(gzip, data + at, n, &err), RF_OK);
        for (size_t done = 0; i % 3 != 0 && done < n;) {
            done += rf_gzip_pack(piece, (const char *)data + at + done, n - done);
            assert_int_equal(rf_gzip_put(gzip, piece, &err), RF_OK);
        }
        at += n;
    }
    assert_int_equal(rf_gzip_finish(gzip, &err), RF_OK);
    rf_gzip_free(gzip);
    rf_gzip_piece_free(piece);
    assert_int_equal(rf_output_commit(&output, &err), RF_OK);
    check_file(path, data, at);
    free(data);
    (void)unlink(path);
}

/* The disk is full: an error, and no thread is left behind. */
static void test_full(void **state)
{
    struct rf_err err = {0};
    struct rf_output output = {0};
    struct rf_gzip *gzip = NULL;
    size_t size = 40 * BLOCK;
    unsigned char *data = make_data(size);
    (void)state;
    assert_int_equal(rf_output_open(&output, "/dev/full", 1, &err), RF_OK);
    int status = rf_gzip_new(&gzip, &output, &err);
    if (status == RF_OK)
        status = rf_gzip_write(gzip, data, size, &err);
    assert_int_equal(status, RF_ERR_IO);
    rf_gzip_free(gzip);
    rf_output_abandon(&output);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_one_processor),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
