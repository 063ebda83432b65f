/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads and names, with a long pause between them.
 *
 *     months MADE GO
 *
 * Makes the file MADE before the pause, and goes on when the file GO is there. */
#include <nvtx3/nvToolsExt.h>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static const char *go;
static pthread_barrier_t begun;

static void await_go(void)
{
    while (access(go, F_OK) != 0)
        (void)usleep(10000);
}

static void *other(void *unused)
{
    (void)pthread_barrier_wait(&begun); /* its first event comes after the pause */
    await_go();
    nvtxMarkA("first of another");
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 3)
        return 2;
    go = argv[2];
    if (pthread_barrier_init(&begun, NULL, 2) != 0 ||
        pthread_create(&thread, NULL, other, NULL) != 0)
        return 1;
    nvtxRangePushA("over months");
    nvtxMarkA("early");
    nvtxNameCategoryA(1, "early name");
    (void)pthread_barrier_wait(&begun);
    (void)close(open(argv[1], O_WRONLY | O_CREAT, 0600));
    await_go();
    nvtxMarkA("late");
    nvtxNameCategoryA(2, "late name");
    nvtxRangePop();
    (void)pthread_join(thread, NULL);
    return 0;
}
