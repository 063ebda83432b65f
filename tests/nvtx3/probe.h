// SPDX-License-Identifier: Apache-2.0
// Prints facts about names of the NVTX headers; compare.sh generates a program around it.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtSync.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExtOpenCL.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <type_traits>

// The compiler's spelling of T.
template <class T> std::string spelled()
{
    const std::string text = __PRETTY_FUNCTION__;
    const auto from = text.find("T = ") + 4;

    return text.substr(from, text.find_first_of(";]", from) - from);
}

template <class T> void show_constant(const char *name, T value)
{
    std::printf("constant %s: %s %lld\n", name, spelled<T>().c_str(),
                static_cast<long long>(value));
}

template <class F> void show_function(const char *name, F)
{
    std::printf("function %s: %s\n", name, spelled<F>().c_str());
}

template <class T, class = void> struct size_of {
    static constexpr std::size_t size = 0, alignment = 0;
};
template <class T> struct size_of<T, std::void_t<decltype(sizeof(T))>> {
    static constexpr std::size_t size = sizeof(T), alignment = alignof(T);
};

// P is a pointer to the type, because some are incomplete.
template <class P> void show_type(const char *name)
{
    using type = std::remove_pointer_t<P>;

    std::printf("type %s: %s size %zu alignment %zu enum %d union %d\n", name, spelled<P>().c_str(),
                size_of<type>::size, size_of<type>::alignment, std::is_enum_v<type>,
                std::is_union_v<type>);
}

#define SHOW_MEMBER(type, member)                                                                  \
    std::printf("member %s.%s: %s offset %zu\n", #type, #member,                                   \
                spelled<decltype(type::member)>().c_str(), offsetof(type, member))

inline void show_members()
{
    SHOW_MEMBER(nvtxEventAttributes_v2, version);
    SHOW_MEMBER(nvtxEventAttributes_v2, size);
    SHOW_MEMBER(nvtxEventAttributes_v2, category);
    SHOW_MEMBER(nvtxEventAttributes_v2, colorType);
    SHOW_MEMBER(nvtxEventAttributes_v2, color);
    SHOW_MEMBER(nvtxEventAttributes_v2, payloadType);
    SHOW_MEMBER(nvtxEventAttributes_v2, reserved0);
    SHOW_MEMBER(nvtxEventAttributes_v2, payload);
    SHOW_MEMBER(nvtxEventAttributes_v2, messageType);
    SHOW_MEMBER(nvtxEventAttributes_v2, message);
    SHOW_MEMBER(nvtxEventAttributes_v2::payload_t, ullValue);
    SHOW_MEMBER(nvtxEventAttributes_v2::payload_t, llValue);
    SHOW_MEMBER(nvtxEventAttributes_v2::payload_t, dValue);
    SHOW_MEMBER(nvtxEventAttributes_v2::payload_t, uiValue);
    SHOW_MEMBER(nvtxEventAttributes_v2::payload_t, iValue);
    SHOW_MEMBER(nvtxEventAttributes_v2::payload_t, fValue);
    SHOW_MEMBER(nvtxMessageValue_t, ascii);
    SHOW_MEMBER(nvtxMessageValue_t, unicode);
    SHOW_MEMBER(nvtxMessageValue_t, registered);
    SHOW_MEMBER(nvtxResourceAttributes_v0, version);
    SHOW_MEMBER(nvtxResourceAttributes_v0, size);
    SHOW_MEMBER(nvtxResourceAttributes_v0, identifierType);
    SHOW_MEMBER(nvtxResourceAttributes_v0, identifier);
    SHOW_MEMBER(nvtxResourceAttributes_v0::identifier_t, pValue);
    SHOW_MEMBER(nvtxResourceAttributes_v0::identifier_t, ullValue);
    SHOW_MEMBER(nvtxResourceAttributes_v0, messageType);
    SHOW_MEMBER(nvtxResourceAttributes_v0, message);
    SHOW_MEMBER(nvtxSyncUserAttributes_v0, version);
    SHOW_MEMBER(nvtxSyncUserAttributes_v0, size);
    SHOW_MEMBER(nvtxSyncUserAttributes_v0, messageType);
    SHOW_MEMBER(nvtxSyncUserAttributes_v0, message);
    SHOW_MEMBER(NvtxExportTableCallbacks, struct_size);
    SHOW_MEMBER(NvtxExportTableCallbacks, GetModuleFunctionTable);
    SHOW_MEMBER(NvtxExportTableVersionInfo, struct_size);
    SHOW_MEMBER(NvtxExportTableVersionInfo, version);
    SHOW_MEMBER(NvtxExportTableVersionInfo, reserved0);
    SHOW_MEMBER(NvtxExportTableVersionInfo, SetInjectionNvtxVersion);
}
