/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs whose true times are known: hosts whose clocks are off by up to 1 s and drift by up to 100
 * ppm, which meet in barriers. Prints, for each jitter of the ends: the largest error of any time
 * of any host over the jitter, ends that stand before the last start, and the processor's time.
 *
 * usage: bench_clocks HOSTS BARRIERS JOBS */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "rangefinder/clocks.h"

struct host {
    double offset_ns, drift;
};

static uint64_t seed = 1;

static double dice(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static int64_t local_ns(const struct host *host, double true_ns)
{
    return llrint((true_ns - host->offset_ns) / (1 + host->drift));
}

struct job {
    size_t n_hosts, n_barriers;
    double jitter_ns;
    struct host *host;
    double *release_ns;
    struct rf_anchor *anchor;
};

/* Every 20th end is late by a hundred times the jitter. */
static int add_host(struct job *job, rf_align *align, size_t h)
{
    struct rf_clock clock = RF_CLOCK_INIT;
    for (size_t k = 0; k < job->n_barriers; k++) {
        double late_ns = job->jitter_ns * (2 * dice() + (dice() < 0.05 ? 100 : 0));
        double wait_ns = h == k % job->n_hosts ? 1000 : 1000 + 1e6 * dice();
        job->anchor[k] =
            (struct rf_anchor){k, local_ns(&job->host[h], job->release_ns[k] - wait_ns),
                               local_ns(&job->host[h], job->release_ns[k] + late_ns)};
    }
    return rf_align_add(align, &clock, job->anchor, job->n_barriers, NULL);
}

static double error_ns(const struct job *job, const struct rf_alignment *found, size_t h)
{
    double worst_ns = 0;
    for (size_t k = 0; k < job->n_barriers; k++) {
        const double true_ns = job->release_ns[k];
        const double is_ns = (double)rf_aligned_ns(found, local_ns(&job->host[h], true_ns));
        worst_ns = fmax(worst_ns, fabs(is_ns - (double)local_ns(&job->host[0], true_ns)));
    }
    return worst_ns;
}

/* Returns the largest error; adds to the false orders. -1: it failed. */
static double run(struct job *job, uint64_t *n_false)
{
    struct rf_alignment found = RF_ALIGNMENT_INIT;
    rf_align *align;
    double worst_ns = 0;
    for (size_t h = 1; h < job->n_hosts; h++)
        job->host[h] = (struct host){2e9 * dice() - 1e9, 2e-4 * dice() - 1e-4};
    for (size_t k = 0; k < job->n_barriers; k++)
        job->release_ns[k] = 1e9 + 1e7 * ((double)k + dice() / 2);
    int status = rf_align_new(&align, NULL);
    for (size_t h = 0; h < job->n_hosts && status == 0; h++)
        status = add_host(job, align, h);
    if (status == 0)
        status = rf_align_solve(align, NULL);
    for (size_t h = 0; h < job->n_hosts && status == 0; h++) {
        status = rf_align_at(align, (uint32_t)h, &found);
        worst_ns = fmax(worst_ns, error_ns(job, &found, h));
        *n_false += found.n_left;
    }
    rf_align_free(align);
    return status == 0 ? worst_ns : -1;
}

int main(int argc, char **argv)
{
    struct job job = {.n_hosts = argc > 1 ? strtoul(argv[1], NULL, 10) : 8,
                      .n_barriers = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000};
    const unsigned long n_jobs = argc > 3 ? strtoul(argv[3], NULL, 10) : 20;
    job.host = calloc(job.n_hosts, sizeof(*job.host));
    job.release_ns = calloc(job.n_barriers, sizeof(*job.release_ns));
    job.anchor = calloc(job.n_barriers, sizeof(*job.anchor));
    if (job.host == NULL || job.release_ns == NULL || job.anchor == NULL)
        return 1;
    for (job.jitter_ns = 1000; job.jitter_ns < 2e6; job.jitter_ns *= 10) {
        double worst_ns = 0;
        uint64_t n_false = 0;
        const clock_t begin = clock();
        for (unsigned long j = 0; j < n_jobs; j++) {
            const double error = run(&job, &n_false);
            if (error < 0)
                return 1;
            worst_ns = fmax(worst_ns, error);
        }
        (void)printf("%g %.3f %llu %.4f\n", job.jitter_ns / 1000, worst_ns / job.jitter_ns,
                     (unsigned long long)n_false,
                     (double)(clock() - begin) / CLOCKS_PER_SEC / (double)n_jobs);
    }
    free(job.host);
    free(job.release_ns);
    free(job.anchor);
    return 0;
}
