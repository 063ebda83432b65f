/* SPDX-License-Identifier: Apache-2.0 */
/* Annotates through the library form of NVTX that came before the headers: libnvToolsExt.so.1. It
 * loads the recorder by itself, by the same variable. */
#include "truth.h"

#include <dlfcn.h>

int main(void)
{
    void *library = dlopen("libnvToolsExt.so.1", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 77;
    }
    void (*mark)(const char *);
    int (*push)(const char *);
    int (*pop)(void);
    nvtxRangeId_t (*start)(const char *);
    void (*end)(nvtxRangeId_t);
    *(void **)&mark = dlsym(library, "nvtxMarkA");
    *(void **)&push = dlsym(library, "nvtxRangePushA");
    *(void **)&pop = dlsym(library, "nvtxRangePop");
    *(void **)&start = dlsym(library, "nvtxRangeStartA");
    *(void **)&end = dlsym(library, "nvtxRangeEnd");
    if (!mark || !push || !pop || !start || !end)
        return 1;
    truth_done(truth_begin_string("mark", NULL, "old mark"));
    mark("old mark");
    truth_done(truth_begin_string("push", NULL, "old push"));
    push("old push");
    truth_done(truth_begin_string("pop", NULL, NULL));
    pop();
    end(start("old start"));
    /* and through the headers in the same process */
    nvtxRangePushA("new push");
    nvtxRangePop();
    return 0;
}
