/* SPDX-License-Identifier: Apache-2.0 */
/* Finds NVIDIA's libcupti on the machine and loads it; the project never links it. Used inside the
 * profiled program, by `rangefinder doctor` and for sampling: libc alone, no output, errno kept. */
#ifndef RF_BASE_CUPTI_LIBRARY_H
#define RF_BASE_CUPTI_LIBRARY_H

#include <limits.h>
#include <stdint.h>

/* What was found, or what was tried. */
struct rf_cupti_library {
    void *handle; /* for dlsym(); NULL: none could be loaded */
    char path[PATH_MAX];
    int major;        /* of CUDA: 11, 12, 13 */
    int minor;        /* 0 to 9; 12.0 and 12.1 cannot be told apart: 0 */
    uint32_t version; /* as cuptiGetVersion() says */
    char tried[1024]; /* for people: "PATH REASON; PATH REASON": each file that was there and was
                       * not taken; cut to fit. "" : there was none */
};

/* Looks where a program that uses CUDA has it, and loads the first one that can be, and has the
 * function `needs` (NULL: it needs no more than recording does):
 *
 *  1. one that is mapped already, and no other: two copies in one program disturb each other;
 *  2. $RANGEFINDER_CUPTI, a file or a folder, and no other where that is set;
 *  3. what this program would load itself: beside the mapped libcudart, in the Python packages of
 *     this process, $PYTHONPATH;
 *  4. by soname, in the folders of $LD_LIBRARY_PATH, other Python packages, toolkits: the major
 *     version of the driver first, then the next older one; of the driver's major version the
 *     newest of 3 and 4, as the file itself says (cupti_version.h): updates mend faults;
 *  5. those that NVIDIA's own tools have in their folders;
 *  6. one that is newer than the driver, though it will likely refuse to work.
 *
 * driver: cuDriverGetVersion(), 12020 for 12.2, or 0: unknown. Returns 0, or -1 where there is none
 * that works. Not for signal handlers; any thread. What it loads stays loaded. */
int rf_cupti_library_load(struct rf_cupti_library *library, int driver, const char *needs);

/* Loads libnvperf_target.so and libnvperf_host.so from the folder of the library, where they are
 * there: CUPTI looks for them by bare name, and nothing of pip's is on that path. Counters and
 * sampling need them, recording does not, and they take some 100 ms each. */
void rf_cupti_library_load_perfworks(const struct rf_cupti_library *library);

/* What is known to be wrong with a version, for people; NULL: nothing that keeps it from being
 * used. */
const char *rf_cupti_known_fault(uint32_t version);

/* CUDA's version from cuptiGetVersion(): 26 is 12.8, 130001 is 13.0; 18 is 11.8, 12.0 and 12.1. */
void rf_cupti_version(uint32_t version, int *major, int *minor);

#endif
