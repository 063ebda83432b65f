// SPDX-License-Identifier: Apache-2.0
// Prints facts about names of the NVTX headers; compare.sh generates a program around it.
#include "all.h" // the NVTX headers

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

#ifdef NVTX_EXT_COUNTERS_MODULEID
inline void show_members_of_extensions()
{
    SHOW_MEMBER(nvtxExtModuleSegment_t, segmentId);
    SHOW_MEMBER(nvtxExtModuleSegment_t, slotCount);
    SHOW_MEMBER(nvtxExtModuleSegment_t, functionSlots);
    SHOW_MEMBER(nvtxExtModuleInfo_t, nvtxVer);
    SHOW_MEMBER(nvtxExtModuleInfo_t, structSize);
    SHOW_MEMBER(nvtxExtModuleInfo_t, moduleId);
    SHOW_MEMBER(nvtxExtModuleInfo_t, compatId);
    SHOW_MEMBER(nvtxExtModuleInfo_t, segmentsCount);
    SHOW_MEMBER(nvtxExtModuleInfo_t, segments);
    SHOW_MEMBER(nvtxExtModuleInfo_t, getExportFunction);
    SHOW_MEMBER(nvtxExtModuleInfo_t, extInfo);
    SHOW_MEMBER(nvtxPayloadEntryTypeInfo_t, size);
    SHOW_MEMBER(nvtxPayloadEntryTypeInfo_t, align);
    SHOW_MEMBER(nvtxPayloadData_t, schemaId);
    SHOW_MEMBER(nvtxPayloadData_t, size);
    SHOW_MEMBER(nvtxPayloadData_t, payload);
    SHOW_MEMBER(nvtxSemanticsHeader_t, structSize);
    SHOW_MEMBER(nvtxSemanticsHeader_t, semanticId);
    SHOW_MEMBER(nvtxSemanticsHeader_t, version);
    SHOW_MEMBER(nvtxSemanticsHeader_t, next);
    SHOW_MEMBER(nvtxPayloadSchemaEntry_t, flags);
    SHOW_MEMBER(nvtxPayloadSchemaEntry_t, type);
    SHOW_MEMBER(nvtxPayloadSchemaEntry_t, name);
    SHOW_MEMBER(nvtxPayloadSchemaEntry_t, description);
    SHOW_MEMBER(nvtxPayloadSchemaEntry_t, arrayOrUnionDetail);
    SHOW_MEMBER(nvtxPayloadSchemaEntry_t, offset);
    SHOW_MEMBER(nvtxPayloadSchemaEntry_t, semantics);
    SHOW_MEMBER(nvtxPayloadSchemaEntry_t, reserved);
    SHOW_MEMBER(nvtxPayloadSchemaAttr_t, fieldMask);
    SHOW_MEMBER(nvtxPayloadSchemaAttr_t, name);
    SHOW_MEMBER(nvtxPayloadSchemaAttr_t, type);
    SHOW_MEMBER(nvtxPayloadSchemaAttr_t, flags);
    SHOW_MEMBER(nvtxPayloadSchemaAttr_t, entries);
    SHOW_MEMBER(nvtxPayloadSchemaAttr_t, numEntries);
    SHOW_MEMBER(nvtxPayloadSchemaAttr_t, payloadStaticSize);
    SHOW_MEMBER(nvtxPayloadSchemaAttr_t, packAlign);
    SHOW_MEMBER(nvtxPayloadSchemaAttr_t, schemaId);
    SHOW_MEMBER(nvtxPayloadSchemaAttr_t, extension);
    SHOW_MEMBER(nvtxPayloadEnum_t, name);
    SHOW_MEMBER(nvtxPayloadEnum_t, value);
    SHOW_MEMBER(nvtxPayloadEnum_t, isFlag);
    SHOW_MEMBER(nvtxPayloadEnumAttr_t, fieldMask);
    SHOW_MEMBER(nvtxPayloadEnumAttr_t, name);
    SHOW_MEMBER(nvtxPayloadEnumAttr_t, entries);
    SHOW_MEMBER(nvtxPayloadEnumAttr_t, numEntries);
    SHOW_MEMBER(nvtxPayloadEnumAttr_t, sizeOfEnum);
    SHOW_MEMBER(nvtxPayloadEnumAttr_t, schemaId);
    SHOW_MEMBER(nvtxPayloadEnumAttr_t, extension);
    SHOW_MEMBER(nvtxScopeAttr_t, structSize);
    SHOW_MEMBER(nvtxScopeAttr_t, path);
    SHOW_MEMBER(nvtxScopeAttr_t, parentScope);
    SHOW_MEMBER(nvtxScopeAttr_t, scopeId);
    SHOW_MEMBER(nvtxTimeDomainAttr_t, scopeId);
    SHOW_MEMBER(nvtxTimeDomainAttr_t, timestampTypeId);
    SHOW_MEMBER(nvtxTimeDomainAttr_t, timeDomainId);
    SHOW_MEMBER(nvtxTimeDomainAttr_t, timerFlags);
    SHOW_MEMBER(nvtxTimeDomainAttr_t, timerResolution);
    SHOW_MEMBER(nvtxTimeDomainAttr_t, timerStart);
    SHOW_MEMBER(nvtxSyncPoint_t, src);
    SHOW_MEMBER(nvtxSyncPoint_t, dst);
    SHOW_MEMBER(nvtxEventBatch_t, eventSchemaId);
    SHOW_MEMBER(nvtxEventBatch_t, size);
    SHOW_MEMBER(nvtxEventBatch_t, events);
    SHOW_MEMBER(nvtxEventBatch_t, scope);
    SHOW_MEMBER(nvtxEventBatch_t, flags);
    SHOW_MEMBER(nvtxEventBatch_t, flexData);
    SHOW_MEMBER(nvtxEventBatch_t, flexDataSize);
    SHOW_MEMBER(nvtxEventBatch_t, flexDataOffset);
    SHOW_MEMBER(nvtxCounterAttr_t, structSize);
    SHOW_MEMBER(nvtxCounterAttr_t, schemaId);
    SHOW_MEMBER(nvtxCounterAttr_t, name);
    SHOW_MEMBER(nvtxCounterAttr_t, description);
    SHOW_MEMBER(nvtxCounterAttr_t, scopeId);
    SHOW_MEMBER(nvtxCounterAttr_t, semantics);
    SHOW_MEMBER(nvtxCounterAttr_t, counterId);
    SHOW_MEMBER(nvtxCounterBatch_t, counterId);
    SHOW_MEMBER(nvtxCounterBatch_t, counters);
    SHOW_MEMBER(nvtxCounterBatch_t, countersSize);
    SHOW_MEMBER(nvtxCounterBatch_t, flags);
    SHOW_MEMBER(nvtxCounterBatch_t, timestamps);
    SHOW_MEMBER(nvtxCounterBatch_t, timestampsSize);
    SHOW_MEMBER(nvtxSemanticsScope_t, header);
    SHOW_MEMBER(nvtxSemanticsScope_t, scopeId);
    SHOW_MEMBER(nvtxSemanticsTime_t, header);
    SHOW_MEMBER(nvtxSemanticsTime_t, timeDomainId);
    SHOW_MEMBER(nvtxSemanticsCorrelation_t, header);
    SHOW_MEMBER(nvtxSemanticsCorrelation_t, correlationDomainUuid);
    SHOW_MEMBER(nvtxSemanticsCorrelation_t, displayName);
    SHOW_MEMBER(nvtxSemanticsCorrelation_t, role);
    SHOW_MEMBER(nvtxCounterLimit_t, i64);
    SHOW_MEMBER(nvtxCounterLimit_t, u64);
    SHOW_MEMBER(nvtxCounterLimit_t, f64);
    SHOW_MEMBER(nvtxSemanticsCounter_t, header);
    SHOW_MEMBER(nvtxSemanticsCounter_t, flags);
    SHOW_MEMBER(nvtxSemanticsCounter_t, unit);
    SHOW_MEMBER(nvtxSemanticsCounter_t, unitScaleNumerator);
    SHOW_MEMBER(nvtxSemanticsCounter_t, unitScaleDenominator);
    SHOW_MEMBER(nvtxSemanticsCounter_t, limitType);
    SHOW_MEMBER(nvtxSemanticsCounter_t, min);
    SHOW_MEMBER(nvtxSemanticsCounter_t, max);
}

inline void show_members_of_memory()
{
    SHOW_MEMBER(nvtxMemRegionRef_t, pointer);
    SHOW_MEMBER(nvtxMemRegionRef_t, handle);
    SHOW_MEMBER(nvtxMemVirtualRangeDesc_v1, size);
    SHOW_MEMBER(nvtxMemVirtualRangeDesc_v1, ptr);
    SHOW_MEMBER(nvtxMemHeapDesc_v1, extCompatID);
    SHOW_MEMBER(nvtxMemHeapDesc_v1, structSize);
    SHOW_MEMBER(nvtxMemHeapDesc_v1, reserved0);
    SHOW_MEMBER(nvtxMemHeapDesc_v1, usage);
    SHOW_MEMBER(nvtxMemHeapDesc_v1, type);
    SHOW_MEMBER(nvtxMemHeapDesc_v1, typeSpecificDescSize);
    SHOW_MEMBER(nvtxMemHeapDesc_v1, typeSpecificDesc);
    SHOW_MEMBER(nvtxMemHeapDesc_v1, category);
    SHOW_MEMBER(nvtxMemHeapDesc_v1, messageType);
    SHOW_MEMBER(nvtxMemHeapDesc_v1, message);
    SHOW_MEMBER(nvtxMemRegionsRegisterBatch_v1, extCompatID);
    SHOW_MEMBER(nvtxMemRegionsRegisterBatch_v1, structSize);
    SHOW_MEMBER(nvtxMemRegionsRegisterBatch_v1, regionType);
    SHOW_MEMBER(nvtxMemRegionsRegisterBatch_v1, heap);
    SHOW_MEMBER(nvtxMemRegionsRegisterBatch_v1, regionCount);
    SHOW_MEMBER(nvtxMemRegionsRegisterBatch_v1, regionDescElementSize);
    SHOW_MEMBER(nvtxMemRegionsRegisterBatch_v1, regionDescElements);
    SHOW_MEMBER(nvtxMemRegionsRegisterBatch_v1, regionHandleElementsOut);
    SHOW_MEMBER(nvtxMemRegionsResizeBatch_v1, extCompatID);
    SHOW_MEMBER(nvtxMemRegionsResizeBatch_v1, structSize);
    SHOW_MEMBER(nvtxMemRegionsResizeBatch_v1, regionType);
    SHOW_MEMBER(nvtxMemRegionsResizeBatch_v1, regionDescCount);
    SHOW_MEMBER(nvtxMemRegionsResizeBatch_v1, regionDescElementSize);
    SHOW_MEMBER(nvtxMemRegionsResizeBatch_v1, regionDescElements);
    SHOW_MEMBER(nvtxMemRegionsUnregisterBatch_v1, extCompatID);
    SHOW_MEMBER(nvtxMemRegionsUnregisterBatch_v1, structSize);
    SHOW_MEMBER(nvtxMemRegionsUnregisterBatch_v1, refType);
    SHOW_MEMBER(nvtxMemRegionsUnregisterBatch_v1, refCount);
    SHOW_MEMBER(nvtxMemRegionsUnregisterBatch_v1, refElementSize);
    SHOW_MEMBER(nvtxMemRegionsUnregisterBatch_v1, refElements);
    SHOW_MEMBER(nvtxMemRegionNameDesc_v1, regionRefType);
    SHOW_MEMBER(nvtxMemRegionNameDesc_v1, nameType);
    SHOW_MEMBER(nvtxMemRegionNameDesc_v1, region);
    SHOW_MEMBER(nvtxMemRegionNameDesc_v1, name);
    SHOW_MEMBER(nvtxMemRegionNameDesc_v1, category);
    SHOW_MEMBER(nvtxMemRegionNameDesc_v1, reserved0);
    SHOW_MEMBER(nvtxMemRegionsNameBatch_v1, extCompatID);
    SHOW_MEMBER(nvtxMemRegionsNameBatch_v1, structSize);
    SHOW_MEMBER(nvtxMemRegionsNameBatch_v1, reserved0);
    SHOW_MEMBER(nvtxMemRegionsNameBatch_v1, regionCount);
    SHOW_MEMBER(nvtxMemRegionsNameBatch_v1, regionElementSize);
    SHOW_MEMBER(nvtxMemRegionsNameBatch_v1, regionElements);
    SHOW_MEMBER(nvtxMemRegionsNameBatch_v1, reserved1);
    SHOW_MEMBER(nvtxMemPermissionsAssignRegionDesc_v1, flags);
    SHOW_MEMBER(nvtxMemPermissionsAssignRegionDesc_v1, regionRefType);
    SHOW_MEMBER(nvtxMemPermissionsAssignRegionDesc_v1, region);
    SHOW_MEMBER(nvtxMemPermissionsAssignBatch_v1, extCompatID);
    SHOW_MEMBER(nvtxMemPermissionsAssignBatch_v1, structSize);
    SHOW_MEMBER(nvtxMemPermissionsAssignBatch_v1, reserved0);
    SHOW_MEMBER(nvtxMemPermissionsAssignBatch_v1, permissions);
    SHOW_MEMBER(nvtxMemPermissionsAssignBatch_v1, regionCount);
    SHOW_MEMBER(nvtxMemPermissionsAssignBatch_v1, regionElementSize);
    SHOW_MEMBER(nvtxMemPermissionsAssignBatch_v1, regionElements);
    SHOW_MEMBER(nvtxMemPermissionsAssignBatch_v1, reserved1);
    SHOW_MEMBER(nvtxMemCudaArrayRangeDesc_v1, extCompatID);
    SHOW_MEMBER(nvtxMemCudaArrayRangeDesc_v1, structSize);
    SHOW_MEMBER(nvtxMemCudaArrayRangeDesc_v1, reserved0);
    SHOW_MEMBER(nvtxMemCudaArrayRangeDesc_v1, src);
    SHOW_MEMBER(nvtxMemCudaArrayRangeDesc_v1, offset);
    SHOW_MEMBER(nvtxMemCudaArrayRangeDesc_v1, extent);
    SHOW_MEMBER(nvtxMemCuArrayRangeDesc_v1, extCompatID);
    SHOW_MEMBER(nvtxMemCuArrayRangeDesc_v1, structSize);
    SHOW_MEMBER(nvtxMemCuArrayRangeDesc_v1, reserved0);
    SHOW_MEMBER(nvtxMemCuArrayRangeDesc_v1, src);
    SHOW_MEMBER(nvtxMemCuArrayRangeDesc_v1, offset);
    SHOW_MEMBER(nvtxMemCuArrayRangeDesc_v1, extent);
    SHOW_MEMBER(nvtxMemMarkInitializedBatch_v1, extCompatID);
    SHOW_MEMBER(nvtxMemMarkInitializedBatch_v1, structSize);
    SHOW_MEMBER(nvtxMemMarkInitializedBatch_v1, regionType);
    SHOW_MEMBER(nvtxMemMarkInitializedBatch_v1, regionDescCount);
    SHOW_MEMBER(nvtxMemMarkInitializedBatch_v1, regionDescElementSize);
    SHOW_MEMBER(nvtxMemMarkInitializedBatch_v1, regionDescElements);
}
#endif

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
#ifdef NVTX_EXT_COUNTERS_MODULEID
    show_members_of_extensions();
    show_members_of_memory();
#endif
}
