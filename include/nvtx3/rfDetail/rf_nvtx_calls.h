/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inline functions that programs call: load the slot, and call what is there. Private to
 * include/nvtx3; the functions of the other headers are made there with the same macros, since
 * their types are known only there.
 *
 * The load is atomic because the slot may be filled at the same time by the thread that attaches
 * the tool, and acquires what the tool made ready before. On x86-64 that is a load like any other.
 */
#ifndef RF_NVTX_CALLS_H
#define RF_NVTX_CALLS_H

#include "rf_nvtx_silent.h"

#ifdef NVTX_DISABLE
#define RF_NVTX_CALLBACK(module, id, name) NVTX_NULLPTR
#else
#define RF_NVTX_CALLBACK(module, id, name)                                                         \
    NVTX_REINTERPRET_CAST(name##_impl_fntype,                                                      \
                          __atomic_load_n(&rf_nvtx_v1.slot[module][id], __ATOMIC_ACQUIRE))
#endif

#define RF_NVTX_IS_HEARD(callback) (__builtin_expect((callback) != NVTX_NULLPTR, 0))

#define RF_NVTX_CALL_V(module, id, name, params, args)                                             \
    NVTX_DECLSPEC void NVTX_API name params                                                        \
    {                                                                                              \
        NVTX_SET_NAME_MANGLING_OPTIONS                                                             \
        const name##_impl_fntype callback = RF_NVTX_CALLBACK(module, id, name);                    \
        if (RF_NVTX_IS_HEARD(callback))                                                            \
            (*callback) args;                                                                      \
    }

#define RF_NVTX_CALL_R(module, id, name, type, none, params, args)                                 \
    NVTX_DECLSPEC type NVTX_API name params                                                        \
    {                                                                                              \
        NVTX_SET_NAME_MANGLING_OPTIONS                                                             \
        const name##_impl_fntype callback = RF_NVTX_CALLBACK(module, id, name);                    \
        return RF_NVTX_IS_HEARD(callback) ? (*callback)args : none;                                \
    }

/* As the two above, for an event of `domain`. */
#define RF_NVTX_EVENT_V(module, id, name, params, args)                                            \
    NVTX_DECLSPEC void NVTX_API name params                                                        \
    {                                                                                              \
        NVTX_SET_NAME_MANGLING_OPTIONS                                                             \
        const name##_impl_fntype callback = RF_NVTX_CALLBACK(module, id, name);                    \
        if (RF_NVTX_IS_HEARD(callback) && !RF_NVTX_IS_SILENT(domain))                              \
            (*callback) args;                                                                      \
    }

#define RF_NVTX_EVENT_R(module, id, name, type, none, params, args)                                \
    NVTX_DECLSPEC type NVTX_API name params                                                        \
    {                                                                                              \
        NVTX_SET_NAME_MANGLING_OPTIONS                                                             \
        const name##_impl_fntype callback = RF_NVTX_CALLBACK(module, id, name);                    \
        return RF_NVTX_IS_HEARD(callback) && !RF_NVTX_IS_SILENT(domain) ? (*callback)args : none;  \
    }

#ifdef __cplusplus
extern "C" {
#endif

RF_NVTX_CORE(RF_NVTX_CALL_V, RF_NVTX_CALL_R)
RF_NVTX_CORE2(RF_NVTX_CALL_V, RF_NVTX_CALL_R, RF_NVTX_EVENT_V, RF_NVTX_EVENT_R)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* RF_NVTX_CALLS_H */
