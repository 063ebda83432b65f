/* SPDX-License-Identifier: Apache-2.0 */
/* Finds NVIDIA's libcupti on the machine and loads it; the project never links it. Used inside the
 * profiled program, by `rangefinder doctor` and for sampling: libc alone, no output. */
#ifndef RF_BASE_CUPTI_LIBRARY_H
#define RF_BASE_CUPTI_LIBRARY_H

#include <limits.h>
#include <stdint.h>

/* What was found, or what was tried. */
struct rf_cupti_library {
    void *handle; /* for dlsym(); NULL: none could be loaded */
    char path[PATH_MAX];
    int major;        /* of CUDA: 11, 12, 13 */
    int minor;        /* 0 to 9 */
    uint32_t version; /* as cuptiGetVersion() says */
    char tried[1024]; /* for people: each file that was there and could not be taken, and why; cut
                       * to fit. "" : there was none */
};

/* Looks where a program that uses CUDA has it, and loads the first one that can be: one that is
 * mapped already, $RANGEFINDER_CUPTI, beside the mapped libcudart, in the folders of Python's
 * packages, by soname, in the toolkit's usual folders; the major version of the driver first.
 * driver: cuDriverGetVersion(), 12020 for 12.2, or 0: unknown. libnvperf_host and _target are
 * loaded from the same folder, where they are there. Returns 0, or -1 where there is none that
 * works. Not for signal handlers; any thread. */
int rf_cupti_library_load(struct rf_cupti_library *library, int driver);

/* CUDA's version from cuptiGetVersion(): 18 is 11.8, 130001 is 13.0. */
void rf_cupti_version(uint32_t version, int *major, int *minor);

#endif
