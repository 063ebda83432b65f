/* SPDX-License-Identifier: Apache-2.0 */
/* rf-control DIRECTORY COMMAND...: the control page of a focused run, for tests of the recorder
 * alone: no command line is there that would save captures or close the triggers of the dead.
 *
 *     make [NAME=VALUE]...   makes the session; the names are those of set()
 *     begin | end            begins or ends a capture by hand
 *     wait N                 waits until N captures have begun
 *     show                   prints the state as one line of JSON */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/capture.h"

static void fail(const char *what, const char *on)
{
    fprintf(stderr, "rf-control: %s '%s': %s\n", what, on, strerror(errno));
    exit(1);
}

static struct rf_control *map(const char *directory, int flags)
{
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/" RF_CONTROL_FILE, directory);
    int fd = open(path, O_RDWR | flags, 0600);
    if (fd < 0 || ((flags & O_CREAT) && ftruncate(fd, sizeof(struct rf_control)) != 0))
        fail("cannot open", path);
    void *mapping =
        mmap(NULL, sizeof(struct rf_control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapping == MAP_FAILED)
        fail("cannot map", path);
    (void)close(fd);
    return mapping;
}

static void set_text(char *to, size_t size, const char *text)
{
    (void)snprintf(to, size, "%s", text);
}

static void set(struct rf_control *control, const char *name, const char *value)
{
    struct rf_capture *capture = &control->capture;
    uint32_t number = (uint32_t)strtoul(value, NULL, 0);
    if (strcmp(name, "keeps_open") == 0)
        capture->keeps_open = number;
    else if (strcmp(name, "triggers") == 0)
        capture->triggers = number;
    else if (strcmp(name, "takes_unregistered") == 0)
        capture->takes_unregistered = number;
    else if (strcmp(name, "domain_kind") == 0)
        capture->domain_kind = number;
    else if (strcmp(name, "ends_with_trigger") == 0)
        capture->ends_with_trigger = number;
    else if (strcmp(name, "max_windows") == 0)
        capture->max_windows = number;
    else if (strcmp(name, "first_step") == 0)
        capture->first_step = number;
    else if (strcmp(name, "n_steps") == 0)
        capture->n_steps = number;
    else if (strcmp(name, "is_armed") == 0)
        capture->word = number ? RF_CAPTURE_ARMED : 0;
    else if (strcmp(name, "message") == 0)
        set_text(capture->message, sizeof(capture->message), value);
    else if (strcmp(name, "domain") == 0)
        set_text(capture->domain, sizeof(capture->domain), value);
    else if (strcmp(name, "cuda") == 0)
        control->cuda = number;
    else if (strcmp(name, "records_all") == 0)
        control->records_all = number;
    else if (strcmp(name, "clock") == 0)
        control->clock_kind = number;
    else if (strcmp(name, "exclude") == 0) {
        control->filter_mode = RF_FILTER_EXCLUDE;
        set_text(control->filter, sizeof(control->filter), *value ? value : "\1");
        control->filter_size = (uint32_t)strlen(control->filter) + 1;
    } else {
        errno = EINVAL;
        fail("no such setting", name);
    }
}

static void make(const char *directory, char **settings)
{
    struct stat st;
    if (mkdir(directory, 0700) != 0)
        fail("cannot make", directory);
    struct rf_control *control = map(directory, O_CREAT | O_EXCL);
    control->version = RF_FORMAT_MAJOR;
    control->size = sizeof(*control);
    control->clock_kind = RF_CLOCK_COUNTER;
    control->capture.keeps_open = 1;
    control->capture.ends_with_trigger = 1;
    control->capture.word = RF_CAPTURE_ARMED;
    int64_t id = rf_clock_ns(CLOCK_REALTIME) ^ (int64_t)getpid() << 40;
    memcpy(control->session_id, &id, sizeof(id));
    if (stat("/dev/shm", &st) == 0)
        control->shm_device = st.st_dev;
    for (; *settings != NULL; settings++) {
        char *value = strchr(*settings, '=');
        if (value == NULL) {
            errno = EINVAL;
            fail("not NAME=VALUE", *settings);
        }
        *value = '\0';
        set(control, *settings, value + 1);
    }
    control->clock[0] = rf_clock_pair_take(control->clock_kind);
    control->n_clocks = 1;
    memcpy(control->magic, RF_CONTROL_MAGIC, sizeof(control->magic));
}

static void print_text(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++)
        printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    putchar('"');
}

static void show(struct rf_control *control)
{
    struct rf_capture *capture = &control->capture;
    uint64_t word = rf_capture_word(control);
    printf("{\"n_open\": %u, \"phase\": %u, \"is_on\": %d, \"is_over\": %d",
           rf_capture_n_open(word), rf_capture_phase(word), rf_capture_is_on(word),
           (word & RF_CAPTURE_OVER) != 0);
    printf(", \"n_windows\": %u, \"n_hits\": %u, \"n_lost_triggers\": %u, \"most_steps\": %u",
           control->n_windows, capture->n_trigger_hits, capture->n_lost_triggers,
           capture->most_steps);
    printf(", \"n_profiler_loaded\": %u, \"n_processes\": %u, \"n_missed\": %u",
           capture->n_profiler_loaded, control->n_processes, capture->n_missed);
    printf(", \"windows\": [");
    for (uint32_t i = 0; i < control->n_windows && i < RF_MAX_WINDOWS; i++)
        printf("%s[%" PRIu64 ", %" PRIu64 "]", i > 0 ? ", " : "", control->window[i].begin_ticks,
               control->window[i].end_ticks);
    printf("], \"near\": [");
    for (uint32_t i = 0; i < RF_MAX_NEAR_MISSES && capture->near_miss[i].kind != 0; i++) {
        printf("%s[%u, ", i > 0 ? ", " : "", capture->near_miss[i].kind);
        print_text(capture->near_miss[i].text);
        putchar(']');
    }
    printf("]}\n");
}

static void wait_for(struct rf_control *control, uint32_t n)
{
    for (int i = 0; i < 20000 && control->n_windows < n; i++)
        (void)usleep(1000);
    if (control->n_windows < n) {
        fprintf(stderr, "rf-control: %u captures began, not %u\n", control->n_windows, n);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: rf-control DIRECTORY make|begin|end|wait|show\n");
        return 2;
    }
    if (strcmp(argv[2], "make") == 0) {
        make(argv[1], argv + 3);
        return 0;
    }
    struct rf_control *control = map(argv[1], 0);
    if (strcmp(argv[2], "begin") == 0)
        return rf_capture_begin(control, false, 0) == RF_CAPTURE_BEGAN ? 0 : 1;
    if (strcmp(argv[2], "end") == 0)
        return rf_capture_end(control, false, 0, 0) == RF_CAPTURE_ENDED ? 0 : 1;
    if (strcmp(argv[2], "wait") == 0 && argc > 3)
        wait_for(control, (uint32_t)atoi(argv[3]));
    show(control);
    return 0;
}
