/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/near_misses.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/amounts.h"
#include "cli/say.h"
#include "cli/drain/spares.h"
#include "cli/profile/why_empty.h"
#include "log/cuda.h"

/* "range 'MESSAGE' of the domain 'NAME'" */
static const char *name_wanted(char *text, size_t size, const struct rf_capture *capture)
{
    switch (capture->domain_kind) {
    case RF_CAPTURE_DOMAIN_NAMED:
        (void)snprintf(text, size, "a range '%s' in the domain '%s'", capture->message,
                       capture->domain);
        break;
    case RF_CAPTURE_DOMAIN_ANY:
        (void)snprintf(text, size, "a range '%s' in any domain", capture->message);
        break;
    default:
        (void)snprintf(text, size, "a range '%s' in the default domain", capture->message);
    }
    return text;
}

static void say_miss(const struct rf_near_miss *miss, uint32_t kind,
                     const struct rf_capture *capture)
{
    int size = (int)sizeof(miss->text);
    switch (kind) {
    case RF_NEAR_UNREGISTERED:
        cli_say("a range '%s' began no capture: its message is not a registered string; to count "
                "it: --nvtx-capture-unregistered",
                capture->message);
        break;
    case RF_NEAR_DOMAIN:
        if (miss->text[0] == '\0')
            cli_say("a range '%s' of the default domain began no capture; to count it: -p '%s'",
                    capture->message, capture->message);
        else
            cli_say("a range '%s' of the domain '%.*s' began no capture; to count it: -p '%s@%.*s'",
                    capture->message, size, miss->text, capture->message, size, miss->text);
        break;
    case RF_NEAR_CASE:
        cli_say("there is a message '%.*s': it differs from '%s' by upper and lower case, and does "
                "not count",
                size, miss->text, capture->message);
        break;
    default:
        break;
    }
}

void near_misses_say(struct near_misses *misses, const struct rf_control *control, bool is_quiet)
{
    const struct rf_capture *capture = &control->capture;
    while (misses->n_printed < RF_MAX_NEAR_MISSES) {
        const struct rf_near_miss *miss = &capture->near_miss[misses->n_printed];
        /* acquire: pairs with the release of kind, before which the text was written */
        uint32_t kind = __atomic_load_n(&miss->kind, __ATOMIC_ACQUIRE);
        if (kind == 0)
            return;
        if (!is_quiet)
            say_miss(miss, kind, capture);
        misses->n_printed++;
    }
}

void near_misses_say_losses(const struct rf_control *control)
{
    const struct rf_capture *capture = &control->capture;
    if (capture->n_missed > 0)
        cli_say("LOST %" PRIu32 " capture%s: more came than could be saved (%u wait at most)",
                capture->n_missed, capture->n_missed == 1 ? "" : "s", RF_MAX_WINDOWS);
    if (capture->n_lost_triggers > 0)
        cli_say("LOST %" PRIu32 " trigger%s: more ranges '%s' were open at once than are counted",
                capture->n_lost_triggers, capture->n_lost_triggers == 1 ? "" : "s",
                capture->message);
}

void near_misses_say_uncaptured(const struct rf_control *control)
{
    if (control->n_uncaptured > 0)
        cli_say("%" PRIu64 " call%s submitted deferred events or samples outside of captures: not "
                "recorded",
                control->n_uncaptured, control->n_uncaptured == 1 ? "" : "s");
}

void near_misses_say_steps(const struct rf_control *control)
{
    const struct rf_capture *capture = &control->capture;
    const uint64_t n_wanted = (uint64_t)capture->first_step + capture->n_steps;
    if (capture->most_steps > capture->first_step && capture->most_steps < n_wanted)
        cli_say("the last range '%s' that began was %" PRIu32 ": the capture has no %" PRIu32
                " to %" PRIu64,
                capture->message, capture->most_steps - 1, capture->most_steps, n_wanted - 1);
}

/* ---- The CUDA runtime linked into the program ---- */

/* nvcc links libcudart_static by default, whose calls use no symbol that could be replaced. It
 * looks up the driver's functions by name, so the program contains their names. Where CUDA is
 * recorded, CUPTI reports them. */
const char *near_misses_why_no_profiler(const char *app_path)
{
    static const char driver_call[] = "cuProfilerStart", shared[] = "libcudart.so";
    const char *reason = NULL;
    struct stat st;
    void *data = MAP_FAILED;
    int fd = open(app_path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > EI_NIDENT)
        data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        (void)close(fd);
    if (data == MAP_FAILED)
        return NULL;
    size_t size = (size_t)st.st_size;
    if (memcmp(data, ELFMAG, SELFMAG) == 0 &&
        memmem(data, size, driver_call, sizeof(driver_call)) != NULL &&
        memmem(data, size, shared, sizeof(shared) - 1) == NULL)
        reason = "the CUDA runtime is linked into the program (nvcc's default), so that its "
                 "cudaProfilerStart cannot be seen without -t cuda; add that, or link with 'nvcc "
                 "-cudart shared', or mark the part with an NVTX range and use -c nvtx";
    (void)munmap(data, size);
    return reason;
}

/* ---- Nothing was captured ---- */

/* When what begins a capture was seen, if none began. */
static const char *before(const struct focus_options *focus)
{
    return focus->starts_by_hand ? "only before 'rangefinder start'"
                                 : "only before the delay was over";
}

static void explain_nvtx(const struct focus_options *focus, const struct rf_control *control,
                         const char *app_path)
{
    const struct rf_capture *capture = &control->capture;
    char wanted[1200];
    cli_say("no capture started; it would have begun with %s",
            name_wanted(wanted, sizeof(wanted), capture));
    if (cli_spares_n_started(control) == 0)
        cli_say("no annotation was seen at all: %s", cli_why_empty(app_path, 0));
    else if (capture->n_steps > 0 && capture->most_steps > 0)
        cli_say("the range was there %" PRIu32 " time%s, numbers 0 to %" PRIu32
                "; --capture-steps waits for number %" PRIu32,
                capture->most_steps, capture->most_steps == 1 ? "" : "s", capture->most_steps - 1,
                capture->first_step);
    else if (capture->n_trigger_hits > 0)
        cli_say("the range was there, but %s", before(focus));
    else if (capture->near_miss[0].kind == 0)
        cli_say("no range with a message like that was seen");
}

/* Where CUDA is recorded, the driver reports the calls; where it cannot, a message says so. */
static const char *why_not_by_driver(const struct rf_control *control)
{
    return control->n_messages == 0 ? "it was not called, or CUDA could not be initialised" : NULL;
}

static void explain_profiler(const struct focus_options *focus, const struct rf_control *control,
                             const char *app_path)
{
    char text[64];
    bool is_recorded = (control->cuda & RF_CUDA_IS_WANTED) != 0;
    const char *reason =
        is_recorded ? why_not_by_driver(control) : near_misses_why_no_profiler(app_path);
    cli_say("no capture started: no call of cudaProfilerStart was seen");
    (void)snprintf(text, sizeof(text), "it was called, but %s", before(focus));
    if (control->capture.n_trigger_hits > 0)
        reason = text;
    else if (reason == NULL && control->capture.n_profiler_loaded == 0)
        reason = "no process loaded the library that sees it: the program is statically linked, or "
                 "changes LD_PRELOAD";
    if (reason != NULL)
        cli_say("%s", reason);
    else
        cli_say("it was not called, or by a CUDA runtime that is linked into a library (-t cuda "
                "sees that)");
}

void near_misses_explain(const struct profile_options *options, const struct rf_control *control,
                         const char *app_path)
{
    char text[32];
    if (options->focus.triggers == RF_TRIGGER_NVTX)
        explain_nvtx(&options->focus, control, app_path);
    else if (options->focus.triggers == RF_TRIGGER_PROFILER)
        explain_profiler(&options->focus, control, app_path);
    else if (options->focus.has_key)
        cli_say("no capture started: the key was not pressed");
    else if (options->focus.delay_ns > 0)
        cli_say("no capture started: the program ended before the delay of %s was over",
                rf_format_duration(text, sizeof(text), options->focus.delay_ns));
    else
        cli_say("no capture started: 'rangefinder start' was not run");
}
