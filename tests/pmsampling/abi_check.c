/* SPDX-License-Identifier: Apache-2.0 */
/* Our declarations against NVIDIA's headers: compiled where these are found, for each version of
 * them; never linked. */
#include <stddef.h>

#include <cupti_profiler_host.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_target.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include "pmsampling/pm_abi.h"

#define SAME(ours, our_field, theirs, their_field)                                                 \
    _Static_assert(offsetof(struct ours, our_field) == offsetof(theirs, their_field) &&            \
                       sizeof(((struct ours *)0)->our_field) ==                                    \
                           sizeof(((theirs *)0)->their_field),                                     \
                   #ours "." #our_field)
#define SIZE(ours, theirs) _Static_assert((ours) == theirs##_STRUCT_SIZE, #theirs)
#define CODE(ours, theirs) _Static_assert((int)(ours) == (int)CUPTI_ERROR_##theirs, #ours)

SIZE(PM_PARAMS_SIZE, CUpti_Profiler_Initialize_Params);
SIZE(PM_PARAMS_SIZE, CUpti_Profiler_DeInitialize_Params);
SAME(pm_params, priv, CUpti_Profiler_Initialize_Params, pPriv);

SIZE(PM_GET_CHIP_NAME_SIZE, CUpti_Device_GetChipName_Params);
SAME(pm_get_chip_name, device, CUpti_Device_GetChipName_Params, deviceIndex);
SAME(pm_get_chip_name, chip, CUpti_Device_GetChipName_Params, pChipName);

#define SUPPORTED(ours, theirs)                                                                    \
    SAME(pm_device_supported, ours, CUpti_Profiler_DeviceSupported_Params, theirs)
SUPPORTED(cu_device, cuDevice);
SUPPORTED(is_supported, isSupported);
SUPPORTED(architecture, architecture);
SUPPORTED(sli, sli);
SUPPORTED(vgpu, vGpu);
SUPPORTED(confidential, confidentialCompute);
SUPPORTED(cmp, cmp);
SUPPORTED(wsl, wsl);
SUPPORTED(api, api);
_Static_assert(PM_API_PM_SAMPLING == CUPTI_PROFILER_PM_SAMPLING, "api");
_Static_assert((int)PM_UNSUPPORTED == (int)CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED, "level");
_Static_assert((int)PM_DISABLED == (int)CUPTI_PROFILER_CONFIGURATION_DISABLED, "level");
_Static_assert((int)PM_SUPPORTED == (int)CUPTI_PROFILER_CONFIGURATION_SUPPORTED, "level");

#define HOST(ours, theirs)                                                                         \
    SAME(pm_host_initialize, ours, CUpti_Profiler_Host_Initialize_Params, theirs)
HOST(profiler_type, profilerType);
HOST(chip, pChipName);
HOST(availability, pCounterAvailabilityImage);
HOST(host, pHostObject);
_Static_assert(PM_PROFILER_TYPE_PM_SAMPLING == CUPTI_PROFILER_TYPE_PM_SAMPLING, "type");
#if CUPTI_API_VERSION >= 130200
HOST(single_pass_set, pSinglePassMetricSetName);
SIZE(PM_HOST_INITIALIZE_SET_SIZE, CUpti_Profiler_Host_Initialize_Params);
SIZE(PM_GET_SINGLE_PASS_SETS_SIZE, CUpti_Profiler_Host_GetSinglePassSets_Params);
SAME(pm_get_single_pass_sets, n, CUpti_Profiler_Host_GetSinglePassSets_Params, numOfSinglePassSets);
SIZE(PM_GET_METRICS_IN_SET_SIZE, CUpti_Profiler_Host_GetMetricsInSinglePassSet_Params);
SAME(pm_get_metrics_in_set, size, CUpti_Profiler_Host_GetMetricsInSinglePassSet_Params,
     metricsBufferSize);
SAME(pm_get_metrics_in_set, indices, CUpti_Profiler_Host_GetMetricsInSinglePassSet_Params,
     pMetricsIndicesBuffer);
#elif CUPTI_API_VERSION < 130100
SIZE(PM_HOST_INITIALIZE_SIZE, CUpti_Profiler_Host_Initialize_Params);
SIZE(PM_DEVICE_SUPPORTED_SIZE, CUpti_Profiler_DeviceSupported_Params);
SIZE(PM_GET_METRIC_PROPERTIES_SIZE, CUpti_Profiler_Host_GetMetricProperties_Params);
#endif

SIZE(PM_HOST_DEINITIALIZE_SIZE, CUpti_Profiler_Host_Deinitialize_Params);
SIZE(PM_GET_SUPPORTED_CHIPS_SIZE, CUpti_Profiler_Host_GetSupportedChips_Params);
SAME(pm_get_supported_chips, n, CUpti_Profiler_Host_GetSupportedChips_Params, numChips);
SIZE(PM_GET_BASE_METRICS_SIZE, CUpti_Profiler_Host_GetBaseMetrics_Params);
SAME(pm_get_base_metrics, type, CUpti_Profiler_Host_GetBaseMetrics_Params, metricType);
SAME(pm_get_base_metrics, names, CUpti_Profiler_Host_GetBaseMetrics_Params, ppMetricNames);
SIZE(PM_GET_SUB_METRICS_SIZE, CUpti_Profiler_Host_GetSubMetrics_Params);
SAME(pm_get_sub_metrics, metric, CUpti_Profiler_Host_GetSubMetrics_Params, pMetricName);
SAME(pm_get_sub_metrics, n, CUpti_Profiler_Host_GetSubMetrics_Params, numOfSubmetrics);
#define PROPERTIES(ours, theirs)                                                                   \
    SAME(pm_get_metric_properties, ours, CUpti_Profiler_Host_GetMetricProperties_Params, theirs)
PROPERTIES(metric, pMetricName);
PROPERTIES(description, pDescription);
PROPERTIES(hw_unit, pHwUnit);
PROPERTIES(dim_unit, pDimUnit);
PROPERTIES(type, metricType);
_Static_assert((int)CUPTI_METRIC_TYPE_RATIO == 1 && (int)CUPTI_METRIC_TYPE_THROUGHPUT == 2, "type");
SIZE(PM_ADD_METRICS_SIZE, CUpti_Profiler_Host_ConfigAddMetrics_Params);
SIZE(PM_GET_CONFIG_IMAGE_SIZE_SIZE, CUpti_Profiler_Host_GetConfigImageSize_Params);
SIZE(PM_GET_CONFIG_IMAGE_SIZE, CUpti_Profiler_Host_GetConfigImage_Params);
SIZE(PM_GET_NUM_OF_PASSES_SIZE, CUpti_Profiler_Host_GetNumOfPasses_Params);
SAME(pm_get_num_of_passes, n, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
SIZE(PM_GET_MAX_PER_PASS_SIZE, CUpti_Profiler_Host_GetMaxNumHardwareMetricsPerPass_Params);
SIZE(PM_EVALUATE_SIZE, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
SAME(pm_evaluate, index, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
SAME(pm_evaluate, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);

SIZE(PM_GET_COUNTER_AVAILABILITY_SIZE, CUpti_PmSampling_GetCounterAvailability_Params);
#define AVAILABILITY(ours, theirs)                                                                 \
    SAME(pm_get_counter_availability, ours, CUpti_PmSampling_GetCounterAvailability_Params, theirs)
AVAILABILITY(device, deviceIndex);
AVAILABILITY(size, counterAvailabilityImageSize);
AVAILABILITY(image, pCounterAvailabilityImage);

SIZE(PM_ENABLE_SIZE, CUpti_PmSampling_Enable_Params);
SAME(pm_enable, device, CUpti_PmSampling_Enable_Params, deviceIndex);
SIZE(PM_OBJECT_SIZE, CUpti_PmSampling_Disable_Params);
SIZE(PM_OBJECT_SIZE, CUpti_PmSampling_Start_Params);
SIZE(PM_OBJECT_SIZE, CUpti_PmSampling_Stop_Params);
#define CONFIG(ours, theirs) SAME(pm_set_config, ours, CUpti_PmSampling_SetConfig_Params, theirs)
CONFIG(object, pPmSamplingObject);
CONFIG(config_size, configSize);
CONFIG(config, pConfig);
CONFIG(hardware_buffer_size, hardwareBufferSize);
CONFIG(interval, samplingInterval);
CONFIG(trigger, triggerMode);
#if CUPTI_API_VERSION >= 26
CONFIG(append, hwBufferAppendMode);
SIZE(PM_SET_CONFIG_SIZE, CUpti_PmSampling_SetConfig_Params);
#else
SIZE(PM_SET_CONFIG_OLD_SIZE, CUpti_PmSampling_SetConfig_Params);
#endif
SIZE(PM_GET_COUNTER_DATA_SIZE_SIZE, CUpti_PmSampling_GetCounterDataSize_Params);
SAME(pm_get_counter_data_size, max_samples, CUpti_PmSampling_GetCounterDataSize_Params, maxSamples);
SAME(pm_get_counter_data_size, size, CUpti_PmSampling_GetCounterDataSize_Params, counterDataSize);
SIZE(PM_IMAGE_INITIALIZE_SIZE, CUpti_PmSampling_CounterDataImage_Initialize_Params);
SIZE(PM_DECODE_SIZE, CUpti_PmSampling_DecodeData_Params);
SAME(pm_decode, stop_reason, CUpti_PmSampling_DecodeData_Params, decodeStopReason);
SAME(pm_decode, overflow, CUpti_PmSampling_DecodeData_Params, overflow);
SIZE(PM_GET_COUNTER_DATA_INFO_SIZE, CUpti_PmSampling_GetCounterDataInfo_Params);
SAME(pm_get_counter_data_info, n_populated, CUpti_PmSampling_GetCounterDataInfo_Params,
     numPopulatedSamples);
SIZE(PM_GET_SAMPLE_INFO_SIZE, CUpti_PmSampling_CounterData_GetSampleInfo_Params);
SAME(pm_get_sample_info, index, CUpti_PmSampling_CounterData_GetSampleInfo_Params, sampleIndex);
SAME(pm_get_sample_info, start, CUpti_PmSampling_CounterData_GetSampleInfo_Params, startTimestamp);

CODE(PM_INVALID_PARAMETER, INVALID_PARAMETER);
CODE(PM_INVALID_CONTEXT, INVALID_CONTEXT);
CODE(PM_INVALID_OPERATION, INVALID_OPERATION);
CODE(PM_OUT_OF_MEMORY, OUT_OF_MEMORY);
CODE(PM_NOT_INITIALIZED, NOT_INITIALIZED);
CODE(PM_INVALID_METRIC_NAME, INVALID_METRIC_NAME);
CODE(PM_HARDWARE_BUSY, HARDWARE_BUSY);
CODE(PM_NOT_SUPPORTED, NOT_SUPPORTED);
CODE(PM_VIRTUALIZED_DEVICE, VIRTUALIZED_DEVICE_NOT_SUPPORTED);
CODE(PM_INSUFFICIENT_PRIVILEGES, INSUFFICIENT_PRIVILEGES);
CODE(PM_MULTIPLE_SUBSCRIBERS, MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
CODE(PM_VIRTUALIZED_INSUFFICIENT_PRIVILEGES, VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
CODE(PM_CONFIDENTIAL_COMPUTING, CONFIDENTIAL_COMPUTING_NOT_SUPPORTED);
CODE(PM_CMP_DEVICE, CMP_DEVICE_NOT_SUPPORTED);
#if CUPTI_API_VERSION >= 26
CODE(PM_MIG_DEVICE, MIG_DEVICE_NOT_SUPPORTED);
CODE(PM_SLI_DEVICE, SLI_DEVICE_NOT_SUPPORTED);
CODE(PM_WSL_DEVICE, WSL_DEVICE_NOT_SUPPORTED);
#endif
#if CUPTI_API_VERSION >= 130000
CODE(PM_INVALID_CHIP_NAME, INVALID_CHIP_NAME);
#endif
CODE(PM_UNKNOWN, UNKNOWN);
