/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inline functions of the extensions: load the slot, and call what is there. Private to
 * include/nvtx3. Lists of functions are as in rf_nvtx_functions.h; `module` is here the name of the
 * extension's struct rf_nvtx_ext_module.
 *
 * Events of silent domains are as in rf_nvtx_calls.h.
 *
 * A slot holds RF_NVTX_FRESH up to the first call, then the tool's function or RF_NVTX_SILENT.
 * These numbers are NVIDIA's: a tool sees what it sees in a program with NVIDIA's headers.
 */
#ifndef RF_NVTX_EXT_CALLS_H
#define RF_NVTX_EXT_CALLS_H

#include "rf_nvtx_silent.h"

#define RF_NVTX_FRESH  0
#define RF_NVTX_SILENT 1

#ifdef NVTX_DISABLE
#define RF_NVTX_EXT_SLOT(module, name)           RF_NVTX_SILENT
#define RF_NVTX_EXT_IS_HEARD(module, name, slot) ((slot) != RF_NVTX_SILENT)
#else
/* The load acquires what the tool made ready before it stored the slot. */
#define RF_NVTX_EXT_SLOT(module, name)                                                             \
    __atomic_load_n(&module.slot[NVTX3EXT_CBID_##name], __ATOMIC_ACQUIRE)
#define RF_NVTX_EXT_IS_HEARD(module, name, slot)                                                   \
    (__builtin_expect((slot) != RF_NVTX_SILENT, 0) &&                                              \
     ((slot) != RF_NVTX_FRESH ||                                                                   \
      ((slot) = rf_nvtx_v1_ext_first(&module, NVTX3EXT_CBID_##name)) != RF_NVTX_SILENT))
#endif

#define RF_NVTX_EXT_CALL_V(module, name, params, args)                                             \
    NVTX_DECLSPEC void NVTX_API name params                                                        \
    {                                                                                              \
        NVTX_SET_NAME_MANGLING_OPTIONS                                                             \
        intptr_t slot = RF_NVTX_EXT_SLOT(module, name);                                            \
        if (RF_NVTX_EXT_IS_HEARD(module, name, slot))                                              \
            (*NVTX_REINTERPRET_CAST(name##_impl_fntype, slot)) args;                               \
    }

#define RF_NVTX_EXT_CALL_R(module, name, type, none, params, args)                                 \
    NVTX_DECLSPEC type NVTX_API name params                                                        \
    {                                                                                              \
        NVTX_SET_NAME_MANGLING_OPTIONS                                                             \
        intptr_t slot = RF_NVTX_EXT_SLOT(module, name);                                            \
        return RF_NVTX_EXT_IS_HEARD(module, name, slot)                                            \
                   ? (*NVTX_REINTERPRET_CAST(name##_impl_fntype, slot))args                        \
                   : none;                                                                         \
    }

/* As the two above, for an event of `domain`. */
#define RF_NVTX_EXT_EVENT_V(module, name, params, args)                                            \
    NVTX_DECLSPEC void NVTX_API name params                                                        \
    {                                                                                              \
        NVTX_SET_NAME_MANGLING_OPTIONS                                                             \
        intptr_t slot = RF_NVTX_EXT_SLOT(module, name);                                            \
        if (RF_NVTX_EXT_IS_HEARD(module, name, slot) && !RF_NVTX_IS_SILENT(domain))                \
            (*NVTX_REINTERPRET_CAST(name##_impl_fntype, slot)) args;                               \
    }

#define RF_NVTX_EXT_EVENT_R(module, name, type, none, params, args)                                \
    NVTX_DECLSPEC type NVTX_API name params                                                        \
    {                                                                                              \
        NVTX_SET_NAME_MANGLING_OPTIONS                                                             \
        intptr_t slot = RF_NVTX_EXT_SLOT(module, name);                                            \
        return RF_NVTX_EXT_IS_HEARD(module, name, slot) && !RF_NVTX_IS_SILENT(domain)              \
                   ? (*NVTX_REINTERPRET_CAST(name##_impl_fntype, slot))args                        \
                   : none;                                                                         \
    }

/* The function's type, for tools. */
#define RF_NVTX_EXT_TYPE_V(module, name, params, args)                                             \
    typedef void(NVTX_API * name##_impl_fntype) params;
#define RF_NVTX_EXT_TYPE_R(module, name, type, none, params, args)                                 \
    typedef type(NVTX_API *name##_impl_fntype) params;

#endif /* RF_NVTX_EXT_CALLS_H */
