/* SPDX-License-Identifier: Apache-2.0 */
/* A library that stands in front of libc, as allocators do: what it finds behind itself must not be
 * itself, though another library stands in front of dlsym. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

__attribute__((visibility("default"))) pid_t getppid(void);
__attribute__((visibility("default"))) int next_is_behind(void);

pid_t getppid(void)
{
    return -7;
}

int next_is_behind(void)
{
    pid_t (*behind)(void);
    *(void **)&behind = dlsym(RTLD_NEXT, "getppid");
    return behind != NULL && behind != getppid && behind() > 0;
}
