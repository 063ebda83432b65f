/* SPDX-License-Identifier: Apache-2.0 */
/* A program that spoils the files of the session that it is recorded into. A child of its own,
 * which ends before, has sound ones. */
#include <nvtx3/nvToolsExt.h>

#include "modes.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_SOUND     5000
#define MAX_REGIONS 32

struct region {
    unsigned char *at;
    size_t size;
    char path[512];
};

static struct region regions[MAX_REGIONS];
static size_t n_regions;

/* What this process maps of the session: shared, and writable. */
static void find_regions(void)
{
    char line[1024];
    FILE *maps = fopen("/proc/self/maps", "r");
    n_regions = 0;
    while (maps && n_regions < MAX_REGIONS && fgets(line, sizeof(line), maps)) {
        unsigned long from, to;
        int at = 0;
        struct region *region = &regions[n_regions];
        if (sscanf(line, "%lx-%lx rw-s %*s %*s %*s %n", &from, &to, &at) != 2 || at == 0 ||
            (!strstr(line + at, "/dev/shm/rangefinder-") && !strstr(line + at, ".rfdir/")))
            continue;
        line[strcspn(line, "\n")] = 0;
        region->at = (unsigned char *)(uintptr_t)from;
        region->size = to - from;
        snprintf(region->path, sizeof(region->path), "%s", line + at);
        n_regions++;
    }
    if (maps)
        fclose(maps);
    if (n_regions < 3)
        abort();
}

static void make_sound_child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; i < N_SOUND; i++) {
            nvtxRangePushA("sound");
            nvtxRangePop();
        }
        exit(0);
    }
    if (waitpid(pid, NULL, 0) != pid)
        abort();
}

/* cut ENDING FILE: cuts short the session's files with this ending, its own among them; ends when
 * FILE is there. */
static int run_cut(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    nvtxMarkA("first");
    make_sound_child();
    for (int i = 0; i < 6000; i++)
        nvtxMarkA("own");
    find_regions();
    char path[sizeof(regions[0].path) + 8] = "";
    for (size_t i = 0; i < n_regions; i++) {
        size_t n = strlen(regions[i].path), m = strlen(argv[0]);
        if (n >= m && strcmp(regions[i].path + n - m, argv[0]) == 0)
            strcpy(path, regions[i].path);
        if (strcmp(argv[0], ".log") == 0 && n > 5 && !strcmp(regions[i].path + n - 5, ".defs"))
            snprintf(path, sizeof(path), "%.*s.log", (int)n - 5, regions[i].path);
    }
    if (truncate(path, 0) != 0)
        abort();
    (void)snprintf(path, sizeof(path), "%s.cut", argv[1]);
    FILE *mark = fopen(path, "w");
    if (!mark)
        abort();
    (void)fclose(mark);
    while (access(argv[1], F_OK) != 0)
        usleep(1000);
    _exit(0); /* what the recorder does at exit would be this process's own SIGBUS */
}

static void *annotate(void *unused)
{
    for (int i = 0; i < 20000; i++) {
        nvtxRangePushA("in the ruins");
        nvtxMarkA("in the ruins, too");
        nvtxRangePop();
        if (i % 1000 == 0)
            (void)nvtxDomainRegisterStringA(NULL, i % 2000 ? "one name" : "another name");
    }
    return unused;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* scribble SEED: writes over what it shares, while threads go on. */
static int run_scribble(int argc, char **argv)
{
    pthread_t threads[3];
    uint64_t state = argc > 0 ? strtoull(argv[0], NULL, 10) * 0x9e3779b97f4a7c15ULL + 1 : 1;
    nvtxMarkA("first");
    make_sound_child();
    find_regions();
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, annotate, NULL) != 0)
            abort();
    for (int i = 0; i < 3000; i++) {
        struct region *region = &regions[next_random(&state) % n_regions];
        /* the headers most of all: records are looked at by nobody before the end */
        size_t size = region->size < 32768 || i % 2 ? region->size : 32768;
        uint64_t *word = (uint64_t *)(void *)region->at + next_random(&state) % (size / 8);
        static const uint64_t values[] = {0, 1, 77, UINT32_MAX, UINT64_MAX, 1ULL << 32};
        *(volatile uint64_t *)word = i % 3 ? values[next_random(&state) % 6] : next_random(&state);
        if (i % 50 == 0)
            usleep(500);
    }
    for (int i = 0; i < 3; i++)
        (void)pthread_join(threads[i], NULL);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct mode modes[] = {{"cut", run_cut}, {"scribble", run_scribble}, {NULL, NULL}};
    return modes_run(modes, argc, argv);
}
