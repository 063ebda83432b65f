/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a packed file. It is read as it is, with checksums, and salvaged, without, in every
 * form.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "log/pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    char path[64];
    if (fd < 0)
        fd = memfd_create("fuzz_rf", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    fuzz_open(path);
    for (enum rf_pack_form form = RF_PACK_AS_IS; form <= RF_PACK_EXPANDED; form++)
        (void)rf_salvage(path, "/dev/null", 1, form, NULL, NULL);
    return 0;
}
