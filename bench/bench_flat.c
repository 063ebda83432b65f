/* SPDX-License-Identifier: Apache-2.0 */
/* Recording without pause to disk, on one core, against writing the same bytes.
 *
 *     bench_flat DIRECTORY [ROUNDS] [MEGABYTES of a round]
 *
 * DIRECTORY: where the recording goes, for the files of the two baselines: the same file system.
 * Each round measures in turn
 *     write(2)          pieces of one buffer, nothing else;
 *     floor + write(2)  two clock reads and the bytes of a range stored to that buffer, per range,
 *                       and a write of each piece;
 *     annotated         push/pop with a 24-byte text until the recorder's log has as many bytes.
 * Every file is new and is removed (the log: cut back) before the next one, outside the measured
 * time, so that no round pays for writing back another one's pages. To have no spare core, run the
 * whole command, recorder's reader included, under taskset -c CORE. */
#include <nvtx3/nvToolsExt.h>

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure.h"

#define FILE_START 64 /* bytes of a log's own header */

/* What a full part of such ranges has. Pieces that are whole pages would be another kind of write:
 * the page cache then allocates other sizes, up to twice as fast or three times as slow. */
#define PIECE      65040
#define PAIR_WORDS 6 /* 48 bytes, as a range with a 24-byte text takes */

static const char text24[] = "a message of 24 bytes ab";
static char log_path[PATH_MAX];
static char file_path[PATH_MAX];

static void annotate(long n_pairs)
{
    for (long i = 0; i < n_pairs; i++) {
        nvtxRangePushA(text24);
        nvtxRangePop();
    }
}

static long log_size(void)
{
    struct stat st;
    return stat(log_path, &st) == 0 ? (long)st.st_size : -1;
}

/* The log of the first process of the session that the recorder writes to. */
static int find_log(void)
{
    const char *session = getenv("RANGEFINDER_SESSION");
    if (session != NULL)
        (void)snprintf(log_path, sizeof(log_path), "%s/p000000.log", session);
    else
        (void)snprintf(log_path, sizeof(log_path), "rangefinder-%d.rfdir/p000000.log",
                       (int)getpid());
    if (log_size() >= 0)
        return 1;
    (void)fprintf(stderr, "bench_flat: no log '%s': run it under the recorder\n", log_path);
    return 0;
}

/* Waits until nothing is appended any more, and empties the log. */
static void cut_log(void)
{
    long size = -1;
    while (size != log_size()) {
        size = log_size();
        (void)usleep(20000);
    }
    if (truncate(log_path, FILE_START) != 0)
        perror("bench_flat: truncate");
}

static int open_file(void)
{
    static const uint8_t start[FILE_START];
    int fd = open(file_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (fd < 0 || write(fd, start, sizeof(start)) != sizeof(start)) {
        perror(file_path);
        exit(1);
    }
    return fd;
}

static void close_file(int fd)
{
    (void)close(fd);
    (void)unlink(file_path);
}

static void write_piece(int fd, const void *data)
{
    if (write(fd, data, PIECE) != PIECE) {
        perror("bench_flat: write");
        exit(1);
    }
}

static double ms_writing(long bytes)
{
    static uint8_t buffer[PIECE];
    int fd = open_file();
    int64_t before = measure_now_ns();
    for (long done = 0; done < bytes; done += PIECE)
        write_piece(fd, buffer);
    double ms = (double)(measure_now_ns() - before) / 1e6;
    close_file(fd);
    return ms;
}

static double ms_floor_writing(long bytes)
{
    static uint64_t buffer[PIECE / 8];
    int fd = open_file();
    int64_t before = measure_now_ns();
    for (long done = 0; done < bytes; done += PIECE) {
        for (size_t at = 0; at + PAIR_WORDS <= PIECE / 8; at += PAIR_WORDS) {
            volatile uint64_t *slot = &buffer[at];
            slot[0] = measure_ticks();
            slot[1] = at;
            slot[2] = 2;
            slot[3] = 3;
            slot[4] = 4;
            slot[5] = measure_ticks();
        }
        write_piece(fd, buffer);
    }
    double ms = (double)(measure_now_ns() - before) / 1e6;
    close_file(fd);
    return ms;
}

static double ms_annotating(long n_pairs)
{
    int64_t before = measure_now_ns();
    annotate(n_pairs);
    return (double)(measure_now_ns() - before) / 1e6;
}

int main(int argc, char **argv)
{
    static double writing[MEASURE_MAX_ROUNDS];
    static double floor_writing[MEASURE_MAX_ROUNDS];
    static double annotating[MEASURE_MAX_ROUNDS];
    if (argc < 2) {
        (void)fprintf(stderr, "usage: bench_flat DIRECTORY [ROUNDS] [MEGABYTES of a round]\n");
        return 2;
    }
    int rounds = measure_rounds(argc > 2 ? argv[2] : "10");
    long bytes = (argc > 3 ? atol(argv[3]) : 200) * 1000000;
    (void)snprintf(file_path, sizeof(file_path), "%s/bench_flat.%d", argv[1], (int)getpid());
    annotate(1);
    if (!find_log())
        return 1;
    cut_log();
    annotate(1000000);
    double bytes_per_pair = (double)log_size() / 1000000;
    long n_pairs = (long)((double)bytes / bytes_per_pair);
    for (int i = 0; i < rounds; i++) {
        cut_log();
        writing[i] = ms_writing(bytes);
        floor_writing[i] = ms_floor_writing(bytes);
        annotating[i] = ms_annotating(n_pairs);
    }
    cut_log();
    char title[80];
    (void)snprintf(title, sizeof(title), "flat out, %d rounds of %ld MB, %.1f bytes per range",
                   rounds, bytes / 1000000, bytes_per_pair);
    measure_title(title, "ms");
    double base = measure_quantile(writing, rounds, 0);
    double floor_base = measure_quantile(floor_writing, rounds, 0);
    double ours = measure_quantile(annotating, rounds, 0);
    measure_row("write(2) of the same bytes, nothing else", base,
                measure_quantile(writing, rounds, 0.5), 0, 0);
    measure_row("floor + write(2) of the same bytes", floor_base,
                measure_quantile(floor_writing, rounds, 0.5), 0, 0);
    measure_row("annotated; ratio to write(2)", ours, measure_quantile(annotating, rounds, 0.5),
                ours / base, 0);
    measure_row("annotated; ratio to floor + write(2)", ours,
                measure_quantile(annotating, rounds, 0.5), ours / floor_base, 1.3);
    return 0;
}
