/* SPDX-License-Identifier: Apache-2.0 */
/* Which kinds of records CUPTI makes. Between the captures of a focused run it makes none that cost
 * time; but kinds stay enabled until all work of a capture has come. When a kind is disabled, CUPTI
 * keeps the records of its running work, and gives them when the kind is enabled again, with that
 * time as their end. What the program launched after the capture may run then; the reader leaves it
 * out, since its calls are recorded.
 *
 * Nothing is disabled at the end of the program: it would gain nothing, and in CUDA 13.0 without
 * update cuptiActivityDisable() of kernels may deadlock. In that version nothing is ever disabled.
 *
 * One thread at a time switches; others wait for it, for a while. CUPTI's callbacks for buffers
 * never switch. */
#include "cuda/cupti/switch_kinds.h"

#include "cuda/cuda_state.h"
#include "cuda/cupti/cupti_names.h"
#include "cuda/records/convert.h"
#include "cuda/records/pending_work.h"
#include "log/capture.h"
#include "log/cuda.h"
#include "record/process/session_page.h"
#include "record/text.h"

static const uint8_t object_kinds[] = {RF_CUPTI_KIND_DEVICE, RF_CUPTI_KIND_CONTEXT,
                                       RF_CUPTI_KIND_STREAM};

enum kinds_state { KINDS_OFF, KINDS_ON, KINDS_CHANGING };

/* Atomic, sequentially consistent like the word of the captures: a thread that begins a capture
 * and then still sees KINDS_ON here may rely on it, because our thread, which is about to change
 * the state, sees the capture. */
static uint32_t state;
static uint32_t switcher; /* the thread that switches; 0: none; atomic */

static bool is_asked_for(int condition)
{
    return condition < 0 ? (rf_cuda.options & (uint32_t)-condition) == 0
                         : (rf_cuda.options & (uint32_t)condition) == (uint32_t)condition;
}

/* CUPTI cannot record kernels: reported once, in standby once in each session. */
static void report_failure(int kind, int result)
{
    char text[RF_MESSAGE_SIZE];
    static bool is_said; /* one thread at a time is here */
    if (result == RF_CUPTI_SUCCESS || is_said || kind != RF_CUPTI_KIND_CONCURRENT_KERNEL)
        return;
    is_said = !rf_recorder.is_standby;
    size_t at = rf_put_text(text, sizeof(text), 0, "CUDA kernels are not recorded: CUPTI says ");
    (void)rf_put_number(text, sizeof(text), at, (uint64_t)result, 1);
    rf_session_add_message(text);
}

void rf_cuda_enable_objects(bool is_late)
{
    int (*enable)(int) = is_late && rf_cuda.cupti.enable_and_dump != NULL
                             ? rf_cuda.cupti.enable_and_dump
                             : rf_cuda.cupti.enable;
    for (size_t i = 0; i < sizeof(object_kinds); i++)
        (void)enable(object_kinds[i]);
}

/* Calls are enabled before work, and disabled after it: without the record of its call nobody
 * knows to which capture a piece of work belongs. */
static void switch_kinds(bool is_on)
{
    for (size_t n = 0; n < rf_n_cuda_kinds; n++) {
        size_t i = is_on ? n : rf_n_cuda_kinds - 1 - n;
        if (!is_asked_for(rf_cuda_kinds[i].condition))
            continue;
        int kind = rf_cuda_kinds[i].kind;
        if (is_on)
            report_failure(kind, rf_cuda.cupti.enable(kind));
        else
            (void)rf_cuda.cupti.disable(kind);
    }
    if (is_on)
        rf_cuda_mute_functions();
}

bool rf_cuda_is_recording(void)
{
    return __atomic_load_n(&state, __ATOMIC_ACQUIRE) != KINDS_OFF;
}

static bool is_capturing(void)
{
    const uint64_t *word = &rf_recorder.control->capture.word;
    return !rf_recorder.is_focused || rf_capture_is_on(__atomic_load_n(word, __ATOMIC_SEQ_CST));
}

/* Becomes the thread that switches. False: there is nothing to do, or another thread does not
 * finish. */
static bool begin_to_switch(uint32_t wanted)
{
    enum { PATIENCE_US = 1000000, STEP_US = 50 };
    uint32_t tid = rf_sys_gettid();
    for (int i = 0; i < PATIENCE_US / STEP_US; i++) {
        if (__atomic_load_n(&state, __ATOMIC_SEQ_CST) == wanted)
            return false;
        uint32_t seen = 0;
        if (__atomic_compare_exchange_n(&switcher, &seen, tid, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
            __atomic_store_n(&state, KINDS_CHANGING, __ATOMIC_SEQ_CST);
            return true;
        }
        if (seen == tid)
            return false; /* a signal handler that came in while this thread switches */
        rf_sys_sleep_us(STEP_US);
    }
    return false;
}

static void end_to_switch(enum kinds_state now)
{
    __atomic_store_n(&state, (uint32_t)now, __ATOMIC_SEQ_CST);
    __atomic_store_n(&switcher, 0, __ATOMIC_RELEASE);
}

void rf_cuda_follow_capture(void)
{
    if (!is_capturing() || !begin_to_switch(KINDS_ON))
        return;
    /* even if the capture has ended meanwhile: our thread will see that there was one */
    switch_kinds(true);
    end_to_switch(KINDS_ON);
}

void rf_cuda_end_captures(uint32_t phase, bool is_forced)
{
    if (!rf_recorder.is_focused || !begin_to_switch(KINDS_OFF))
        return;
    uint64_t word = __atomic_load_n(&rf_recorder.control->capture.word, __ATOMIC_SEQ_CST);
    bool is_over = !rf_capture_is_on(word) && rf_capture_phase(word) == phase;
    bool is_off = is_over && !rf_cuda_keeps_kinds();
    if (is_off)
        switch_kinds(false);
    if (is_off && is_forced) /* no work is launched meanwhile, which would lose its end: a capture
                                that begins waits for us */
        (void)rf_cuda.cupti.flush_all(RF_CUPTI_FLUSH_FORCED);
    if (is_over)
        rf_cuda_forget_launches();
    end_to_switch(is_off ? KINDS_OFF : KINDS_ON);
}

void rf_cuda_disable_all(void)
{
    if (rf_cuda_is_recording() && !rf_cuda_keeps_kinds())
        switch_kinds(false);
    __atomic_store_n(&state, KINDS_OFF, __ATOMIC_SEQ_CST);
    for (size_t i = 0; i < sizeof(object_kinds); i++)
        (void)rf_cuda.cupti.disable(object_kinds[i]);
}
