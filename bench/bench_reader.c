/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a recording is read: opened, decoded, paired and closed.
 *
 *     bench_reader FILE [ROUNDS]
 *
 * The processor's time is shown as well as the elapsed one: the first does not depend on what else
 * the machine does, the second also shows what several cores bring. */
#include <rangefinder/rangefinder.h>

#include <stdio.h>
#include <time.h>

#include "measure.h"

static double process_ms(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    int rounds = measure_rounds(argc > 2 ? argv[2] : NULL);
    double elapsed[MEASURE_MAX_ROUNDS], used[MEASURE_MAX_ROUNDS];
    double records = 0, bytes = 0;
    if (argc < 2)
        return 2;
    for (int i = 0; i < rounds; i++) {
        struct rf_err err;
        rf_recording *rec;
        double used_before = process_ms();
        int64_t before = measure_now_ns();
        if (rf_open(argv[1], 0, &rec, &err) != RF_OK) {
            (void)fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        elapsed[i] = (double)(measure_now_ns() - before) / 1e6;
        used[i] = process_ms() - used_before;
        const struct rf_info *info = rf_get_info(rec);
        records = 2 * (double)info->n_ranges + (double)info->n_marks;
        bytes = (double)info->size_bytes;
        rf_close(rec);
    }
    char title[128];
    (void)snprintf(title, sizeof(title), "opening %.0f MB with %.1f million records", bytes / 1e6,
                   records / 1e6);
    measure_title(title, "ms; million records/s");
    double least = measure_quantile(elapsed, rounds, 0),
           least_used = measure_quantile(used, rounds, 0);
    measure_row("elapsed, ms", least, measure_quantile(elapsed, rounds, 0.5), 0, 0);
    measure_row("processor, ms", least_used, measure_quantile(used, rounds, 0.5), 0, 0);
    measure_row("million records per second, elapsed", records / least / 1e3, 0, 0, 0);
    measure_row("million records per second of processor time", records / least_used / 1e3, 0, 0,
                0);
    return 0;
}
