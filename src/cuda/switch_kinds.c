/* SPDX-License-Identifier: Apache-2.0 */
/* Which kinds of records CUPTI makes. Between the captures of a focused run it makes none that
 * cost.
 *
 * One thread at a time switches; the others wait for it, for a while. CUPTI's callbacks for buffers
 * never come here. */
#include "cuda/cuda_library.h"
#include "cuda/cuda_state.h"

static const uint8_t fact_kinds[] = {RF_CUPTI_KIND_DEVICE, RF_CUPTI_KIND_CONTEXT,
                                     RF_CUPTI_KIND_STREAM};

/* With the bit of rf_control.cuda that must be set (or, negative, must not be), 0: none. */
static const struct {
    uint8_t kind;
    int8_t condition;
} work_kinds[] = {
    {RF_CUPTI_KIND_RUNTIME, 0},
    {RF_CUPTI_KIND_DRIVER, 0},
    {RF_CUPTI_KIND_CONCURRENT_KERNEL, 0},
    {RF_CUPTI_KIND_MEMCPY, 0},
    {RF_CUPTI_KIND_MEMCPY2, 0},
    {RF_CUPTI_KIND_MEMSET, 0},
    {RF_CUPTI_KIND_SYNCHRONIZATION, 0},
    {RF_CUPTI_KIND_OVERHEAD, 0},
    {RF_CUPTI_KIND_GRAPH_TRACE, -(int8_t)RF_CUDA_GRAPH_NODES},
    {RF_CUPTI_KIND_MEMORY2, RF_CUDA_MEMORY_USAGE},
    {RF_CUPTI_KIND_CUDA_EVENT, RF_CUDA_EVENT_TRACE},
};
#define N_WORK_KINDS (sizeof(work_kinds) / sizeof(work_kinds[0]))

enum kinds_state { KINDS_OFF, KINDS_ON, KINDS_CHANGING };

/* Atomic, sequentially consistent as the word of the captures is: who begins a capture and then
 * still sees KINDS_ON here may rely on it, for who is about to change that sees the capture. */
static uint32_t state;
static uint32_t switcher; /* the thread that switches; 0: none; atomic */

static bool is_asked_for(int condition)
{
    return condition < 0 ? (rf_cuda.asks & (uint32_t)-condition) == 0
                         : (rf_cuda.asks & (uint32_t)condition) == (uint32_t)condition;
}

/* CUPTI cannot record what matters most: said once, in standby in each session. */
static void say_failure(int kind, int result)
{
    char text[RF_MESSAGE_SIZE];
    static bool is_said; /* one thread at a time is here */
    if (result == RF_CUPTI_SUCCESS || is_said || kind != RF_CUPTI_KIND_CONCURRENT_KERNEL)
        return;
    is_said = !rf_recorder.is_standby;
    size_t at = rf_put_text(text, sizeof(text), 0, "CUDA kernels are not recorded: CUPTI says ");
    (void)rf_put_number(text, sizeof(text), at, (uint64_t)result, 1);
    rf_session_say(text);
}

void rf_cuda_enable_facts(bool is_late)
{
    int (*enable)(int) = is_late && rf_cuda.cupti.enable_and_dump != NULL
                             ? rf_cuda.cupti.enable_and_dump
                             : rf_cuda.cupti.enable;
    for (size_t i = 0; i < sizeof(fact_kinds); i++)
        (void)enable(fact_kinds[i]);
}

/* Calls are on before the work is, and off after it: of work whose call is not recorded nobody
 * knows whether it belongs to the capture in which it runs. */
static void switch_kinds(bool is_on)
{
    for (size_t n = 0; n < N_WORK_KINDS; n++) {
        size_t i = is_on ? n : N_WORK_KINDS - 1 - n;
        if (!is_asked_for(work_kinds[i].condition))
            continue;
        int kind = work_kinds[i].kind;
        if (is_on)
            say_failure(kind, rf_cuda.cupti.enable(kind));
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

static uint32_t wanted_state(void)
{
    const uint64_t *word = &rf_recorder.control->capture.word;
    return !rf_recorder.is_focused || rf_capture_is_on(__atomic_load_n(word, __ATOMIC_SEQ_CST))
               ? KINDS_ON
               : KINDS_OFF;
}

/* Takes the right to switch. False: nothing is left to do, or it is not to be had. */
static bool begin_to_switch(void)
{
    enum { PATIENCE_US = 1000000, STEP_US = 50 };
    uint32_t tid = rf_sys_gettid();
    for (int i = 0; i < PATIENCE_US / STEP_US; i++) {
        if (__atomic_load_n(&state, __ATOMIC_SEQ_CST) == wanted_state())
            return false;
        uint32_t seen = 0;
        if (__atomic_compare_exchange_n(&switcher, &seen, tid, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return true;
        if (seen == tid)
            return false; /* a signal handler that came in while this thread switches */
        rf_sys_sleep_us(STEP_US);
    }
    return false;
}

void rf_cuda_follow_capture(void)
{
    while (begin_to_switch()) {
        uint32_t former = __atomic_exchange_n(&state, KINDS_CHANGING, __ATOMIC_SEQ_CST);
        uint32_t wanted = wanted_state();
        if (wanted != former)
            switch_kinds(wanted == KINDS_ON);
        __atomic_store_n(&state, wanted, __ATOMIC_SEQ_CST);
        __atomic_store_n(&switcher, 0, __ATOMIC_RELEASE);
    }
}

void rf_cuda_disable_all(void)
{
    if (rf_cuda_is_recording())
        switch_kinds(false);
    __atomic_store_n(&state, KINDS_OFF, __ATOMIC_SEQ_CST);
    for (size_t i = 0; i < sizeof(fact_kinds); i++)
        (void)rf_cuda.cupti.disable(fact_kinds[i]);
}
