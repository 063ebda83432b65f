/* SPDX-License-Identifier: Apache-2.0 */
/* The callbacks of events, for one kind of run: RF_THIS_RUN (enum rf_run) says which, RF_RUN(name)
 * names the tables. Included once by each of nvtx_whole.c, nvtx_keeping.c and nvtx_dropping.c:
 * there the compiler leaves out what is for the others, so that a whole run pays nothing for what a
 * focused one does. */
#include "record/nvtx/nvtx_attributes.h"

/* payloads: NULL: it has none. */
RF_INLINE void emit_words(uint32_t type, size_t n_words, uint64_t word1,
                          const struct rf_payloads *payloads)
{
    if (payloads != NULL)
        rf_emit_words_with_payloads(type, n_words, word1, payloads);
    else
        rf_emit_words(type, n_words, word1, 0);
}

RF_INLINE void emit_pop(uint64_t domain, const struct rf_payloads *payloads)
{
    if (RF_THIS_RUN == RF_RUN_DROPPING && RF_LIKELY(rf_capture_is_idle()))
        return;
    if (RF_THIS_RUN != RF_RUN_WHOLE)
        rf_emit_focused_pop(domain, payloads);
    else if (!rf_domain_is_excluded(domain)) {
        if (domain == 0)
            emit_words(RF_REC_POP, 1, 0, payloads);
        else
            emit_words(RF_REC_POP_DOMAIN, 2, domain, payloads);
    }
}

/* A range of an excluded domain has the id 0: its end is not recorded. Without exclusion an end
 * of 0 is a mistake of the program, and is recorded as such. */
RF_INLINE void emit_end(uint64_t id, const struct rf_payloads *payloads)
{
    if (RF_THIS_RUN != RF_RUN_WHOLE)
        rf_emit_focused_end(id, payloads);
    else if (RF_LIKELY(id != 0) || rf_recorder.control->filter_mode == RF_FILTER_NONE)
        emit_words(RF_REC_END, 2, id, payloads);
}

/* In a whole run what is unusual is a call in the last place, so that the usual path begins without
 * saving registers for it. */
RF_INLINE void emit_mark(uint64_t domain, const nvtxEventAttributes_t *e)
{
    if (RF_THIS_RUN == RF_RUN_WHOLE && RF_UNLIKELY(rf_is_unusual(e)))
        rf_mark_unusual(domain, e);
    else
        (void)rf_emit_ex(RF_THIS_RUN, RF_REC_MARK, domain, e);
}

RF_INLINE int emit_push(uint64_t domain, const nvtxEventAttributes_t *e)
{
    if (RF_THIS_RUN == RF_RUN_WHOLE && RF_UNLIKELY(rf_is_unusual(e)))
        return rf_push_unusual(domain, e);
    (void)rf_emit_ex(RF_THIS_RUN, RF_REC_PUSH, domain, e);
    return RF_NO_LEVEL;
}

RF_INLINE uint64_t emit_start(uint64_t domain, const nvtxEventAttributes_t *e)
{
    if (RF_THIS_RUN == RF_RUN_WHOLE && RF_UNLIKELY(rf_is_unusual(e)))
        return rf_start_unusual(domain, e);
    return rf_emit_ex(RF_THIS_RUN, RF_REC_START, domain, e);
}

/* ---- NVTX_CB_MODULE_CORE: the default domain ---- */

static void mark_ex(const nvtxEventAttributes_t *e)
{
    emit_mark(0, e);
}

static void mark_a(const char *message)
{
    (void)rf_emit_text(RF_THIS_RUN, RF_REC_MARK, message);
}

static void mark_w(const wchar_t *message)
{
    (void)rf_emit_wide(RF_REC_MARK, 0, message, NULL);
}

static nvtxRangeId_t start_ex(const nvtxEventAttributes_t *e)
{
    return emit_start(0, e);
}

static nvtxRangeId_t start_a(const char *message)
{
    return rf_emit_text(RF_THIS_RUN, RF_REC_START, message);
}

static nvtxRangeId_t start_w(const wchar_t *message)
{
    return rf_emit_wide(RF_REC_START, 0, message, NULL);
}

static void range_end(nvtxRangeId_t id)
{
    emit_end(id, NULL);
}

static int push_ex(const nvtxEventAttributes_t *e)
{
    return emit_push(0, e);
}

static int push_a(const char *message)
{
    (void)rf_emit_text(RF_THIS_RUN, RF_REC_PUSH, message);
    return RF_NO_LEVEL;
}

static int push_w(const wchar_t *message)
{
    (void)rf_emit_wide(RF_REC_PUSH, 0, message, NULL);
    return RF_NO_LEVEL;
}

static int pop(void)
{
    emit_pop(0, NULL);
    return RF_NO_LEVEL;
}

struct rf_callbacks RF_RUN(core)(void)
{
    static const NvtxFunctionPointer entries[] = {
        [NVTX_CBID_CORE_MarkEx] = RF_CALLBACK(mark_ex),
        [NVTX_CBID_CORE_MarkA] = RF_CALLBACK(mark_a),
        [NVTX_CBID_CORE_MarkW] = RF_CALLBACK(mark_w),
        [NVTX_CBID_CORE_RangeStartEx] = RF_CALLBACK(start_ex),
        [NVTX_CBID_CORE_RangeStartA] = RF_CALLBACK(start_a),
        [NVTX_CBID_CORE_RangeStartW] = RF_CALLBACK(start_w),
        [NVTX_CBID_CORE_RangeEnd] = RF_CALLBACK(range_end),
        [NVTX_CBID_CORE_RangePushEx] = RF_CALLBACK(push_ex),
        [NVTX_CBID_CORE_RangePushA] = RF_CALLBACK(push_a),
        [NVTX_CBID_CORE_RangePushW] = RF_CALLBACK(push_w),
        [NVTX_CBID_CORE_RangePop] = RF_CALLBACK(pop),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}

/* ---- NVTX_CB_MODULE_CORE2: with a domain ----
 *
 * Handles are small numbers cast to pointers; a handle that the program passes is recorded and
 * never dereferenced. */

static void domain_mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *e)
{
    emit_mark((uint64_t)(uintptr_t)domain, e);
}

static nvtxRangeId_t domain_range_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *e)
{
    return emit_start((uint64_t)(uintptr_t)domain, e);
}

/* Range ids are unique in the process: which domain is named does not matter. */
static void domain_range_end(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
    (void)domain;
    emit_end(id, NULL);
}

static int domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *e)
{
    return emit_push((uint64_t)(uintptr_t)domain, e);
}

static int domain_pop(nvtxDomainHandle_t domain)
{
    emit_pop((uint64_t)(uintptr_t)domain, NULL);
    return RF_NO_LEVEL;
}

struct rf_callbacks RF_RUN(domain)(void)
{
    static const NvtxFunctionPointer entries[] = {
        [NVTX_CBID_CORE2_DomainMarkEx] = RF_CALLBACK(domain_mark),
        [NVTX_CBID_CORE2_DomainRangeStartEx] = RF_CALLBACK(domain_range_start),
        [NVTX_CBID_CORE2_DomainRangeEnd] = RF_CALLBACK(domain_range_end),
        [NVTX_CBID_CORE2_DomainRangePushEx] = RF_CALLBACK(domain_push),
        [NVTX_CBID_CORE2_DomainRangePop] = RF_CALLBACK(domain_pop),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}

/* ---- NVTX_CB_MODULE_SYNC ---- */

static void sync_event(nvtxSyncUser_t sync, enum rf_sync_op op)
{
    if (sync == NULL)
        return;
    if (RF_THIS_RUN != RF_RUN_WHOLE)
        rf_emit_focused_words(RF_REC_SYNC, 3, (uint64_t)(uintptr_t)sync, op);
    else
        rf_emit_words(RF_REC_SYNC, 3, (uint64_t)(uintptr_t)sync, op);
}

static void sync_acquire_start(nvtxSyncUser_t sync)
{
    sync_event(sync, RF_SYNC_ACQUIRE_START);
}

static void sync_acquire_failed(nvtxSyncUser_t sync)
{
    sync_event(sync, RF_SYNC_ACQUIRE_FAILED);
}

static void sync_acquire_success(nvtxSyncUser_t sync)
{
    sync_event(sync, RF_SYNC_ACQUIRE_SUCCESS);
}

static void sync_releasing(nvtxSyncUser_t sync)
{
    sync_event(sync, RF_SYNC_RELEASING);
}

struct rf_callbacks RF_RUN(sync)(void)
{
    static const NvtxFunctionPointer entries[] = {
        [NVTX_CBID_SYNC_DomainSyncUserAcquireStart] = RF_CALLBACK(sync_acquire_start),
        [NVTX_CBID_SYNC_DomainSyncUserAcquireFailed] = RF_CALLBACK(sync_acquire_failed),
        [NVTX_CBID_SYNC_DomainSyncUserAcquireSuccess] = RF_CALLBACK(sync_acquire_success),
        [NVTX_CBID_SYNC_DomainSyncUserReleasing] = RF_CALLBACK(sync_releasing),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}
