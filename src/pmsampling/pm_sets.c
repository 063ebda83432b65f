/* SPDX-License-Identifier: Apache-2.0 */
/* What is worth sampling, by family of chips: the general sets of Nsight Systems, by their names.
 * The metrics of one set fit in one pass on the chips of its family. A new family is a table and a
 * row in `sets`. */
#include <string.h>
#include <strings.h>

#include "rangefinder/pm_sampling.h"

#define PCT ".avg.pct_of_peak_sustained_elapsed"

/* ---- Rows ---- */

#define CLOCKS                                                                                     \
    {"gpc__cycles_elapsed.avg.per_second", "GPC Clock Frequency [MHz]",                            \
     "Frequency of the clock that the SMs run on.", NULL},                                         \
    {                                                                                              \
        "sys__cycles_elapsed.avg.per_second", "SYS Clock Frequency [MHz]",                         \
            "Frequency of the clock of the front end, the copy engines and the counters.", NULL    \
    }

#define GR_ACTIVE(metric)                                                                          \
    {                                                                                              \
        metric, "GR Active [Throughput %]",                                                        \
            "Share of time that the graphics and compute engine had any work.", NULL               \
    }

#define STARTED(prefix, prefix_hub)                                                                \
    {prefix "fe__draw_count.sum", "Draw Started [Draws]", "Draw calls that began.", NULL},         \
    {                                                                                              \
        prefix_hub "gr__dispatch_count.sum", "Dispatch Started [Dispatches]",                      \
            "Compute launches that began.", NULL                                                   \
    }

#define IN_FLIGHT(prefix)                                                                          \
    {prefix "_cycles_active_queue_sync" PCT, "Sync Compute in Flight [Throughput %]",              \
     "Share of time with a compute launch of the graphics queue under way.", NULL},                \
    {                                                                                              \
        prefix "_cycles_active_queue_async" PCT, "Async Compute in Flight [Throughput %]",         \
            "Share of time with a compute launch of another queue under way.", NULL                \
    }

#define SMS_ACTIVE                                                                                 \
    {                                                                                              \
        "sm__cycles_active" PCT, "SMs Active [Throughput %]",                                      \
            "Share of SM time with at least one warp resident: how much of the GPU is occupied "   \
            "at all.",                                                                             \
            NULL                                                                                   \
    }

#define SM_ISSUE(prefix)                                                                           \
    {                                                                                              \
        prefix "sm__inst_executed_realtime" PCT, "SM Issue [Throughput %]",                        \
            "Instructions that the SMs issued, of the four per cycle and SM that they can.", NULL  \
    }

#define TENSOR_ACTIVE                                                                              \
    {                                                                                              \
        "sm__pipe_tensor_cycles_active_realtime" PCT, "Tensor Active [Throughput %]",              \
            "Share of time that the tensor cores were computing.", NULL                            \
    }

#define TENSOR_OR_FP16_ACTIVE                                                                      \
    {                                                                                              \
        "SM.TriageA.sm__pipe_shared_cycles_active_realtime" PCT,                                   \
            "Tensor Active / FP16 Active [Throughput %]",                                          \
            "Share of time that the pipe of tensor cores and FP16 was computing.", NULL            \
    }

#define GRAPHICS_WARPS(prefix)                                                                     \
    {prefix "tpc__warps_active_shader_vtg_realtime" PCT,                                           \
     "Vertex/Tess/Geometry Warps in Flight [Throughput %]",                                        \
     "Warps of vertex, tessellation and geometry shaders, of those that fit.", NULL},              \
    {                                                                                              \
        prefix "tpc__warps_active_shader_ps_realtime" PCT, "Pixel Warps in Flight [Throughput %]", \
            "Warps of pixel shaders, of those that fit.", NULL                                     \
    }

#define COMPUTE_WARPS_LABEL "Compute Warps in Flight [Throughput %]"
#define COMPUTE_WARPS_TEXT  "Warps of kernels that are resident, of those that fit: occupancy."
#define COMPUTE_WARPS(prefix)                                                                      \
    {                                                                                              \
        prefix "tpc__warps_active_shader_cs_realtime" PCT, COMPUTE_WARPS_LABEL,                    \
            COMPUTE_WARPS_TEXT, NULL                                                               \
    }

#define UNALLOCATED_WARPS(prefix)                                                                  \
    {                                                                                              \
        prefix "tpc__warps_inactive_sm_active_realtime" PCT,                                       \
            "Unallocated Warps in Active SMs [Throughput %]",                                      \
            "Room for warps that is not used on SMs that have some.", NULL                         \
    }

#define DRAM(unit)                                                                                 \
    {unit "__read_throughput" PCT, "DRAM Read Bandwidth [Throughput %]",                           \
     "What was read from the GPU's memory, of what its bus can carry.", NULL},                     \
    {                                                                                              \
        unit "__write_throughput" PCT, "DRAM Write Bandwidth [Throughput %]",                      \
            "What was written to the GPU's memory, of what its bus can carry.", NULL               \
    }

#define NVLINK_PACKETS(direction, unit, word)                                                      \
    {unit "__bytes_packet_request_data_protocol" PCT,                                              \
     "NVLink " direction " Requests Protocol Data [Throughput %]",                                 \
     "Headers of requests " word " over NVLink.", NULL},                                           \
        {unit "__bytes_packet_request_data_user" PCT,                                              \
         "NVLink " direction " Requests User Data [Throughput %]",                                 \
         "Data of requests (writes) " word " over NVLink.", NULL},                                 \
        {unit "__bytes_packet_response_data_protocol" PCT,                                         \
         "NVLink " direction " Responses Protocol Data [Throughput %]",                            \
         "Headers of responses " word " over NVLink.", NULL},                                      \
    {                                                                                              \
        unit "__bytes_packet_response_data_user" PCT,                                              \
            "NVLink " direction " Responses User Data [Throughput %]",                             \
            "Data of responses (to reads) " word " over NVLink.", NULL                             \
    }

#define NVLINK NVLINK_PACKETS("RX", "nvlrx", "received"), NVLINK_PACKETS("TX", "nvltx", "sent")

#define PCIE(prefix)                                                                               \
    {prefix "pcie__read_bytes" PCT, "PCIe RX Throughput [Throughput %]",                           \
     "What the GPU received over PCIe, of what the link can carry.", NULL},                        \
    {                                                                                              \
        prefix "pcie__write_bytes" PCT, "PCIe TX Throughput [Throughput %]",                       \
            "What the GPU sent over PCIe, of what the link can carry.", NULL                       \
    }

#define BAR1                                                                                       \
    {"pcie__rx_requests_aperture_bar1_op_read.sum", "PCIe Read Requests to BAR1 [Requests]",       \
     "Reads of the GPU's memory by the processor or another device.", NULL},                       \
    {                                                                                              \
        "pcie__rx_requests_aperture_bar1_op_write.sum", "PCIe Write Requests to BAR1 [Requests]",  \
            "Writes to the GPU's memory by the processor or another device.", NULL                 \
    }

/* What CUPTI of CUDA 12.8 to 13.0 has on Blackwell in place of what 13.5 has. */
#define EARLY_BLACKWELL                                                                            \
    {"sm__warps_active_shader_cs_realtime" PCT, COMPUTE_WARPS_LABEL, COMPUTE_WARPS_TEXT,           \
     "tpc__warps_active_shader_cs_realtime" PCT},                                                  \
        {"nvlrx__bytes_data_user" PCT, "NVLink RX User Data [Throughput %]",                       \
         "Data received over NVLink.", "nvlrx__bytes_packet_response_data_user" PCT},              \
        {"nvltx__bytes_data_user" PCT, "NVLink TX User Data [Throughput %]",                       \
         "Data sent over NVLink.", "nvltx__bytes_packet_response_data_user" PCT},                  \
    {                                                                                              \
        "pcie__throughput" PCT, "PCIe Throughput [Throughput %]",                                  \
            "What went over PCIe, of what the link can carry.", "pcie__read_bytes" PCT             \
    }

/* ---- Sets ---- */

static const struct rf_pm_set_metric tu10x[] = {
    CLOCKS,
    STARTED("FE_A.TriageA.", "HUB.TriageA."),
    GR_ACTIVE("gr__cycles_active" PCT),
    IN_FLIGHT("HUB.TriageA.gr__dispatch"),
    SMS_ACTIVE,
    SM_ISSUE("SM.TriageA."),
    TENSOR_OR_FP16_ACTIVE,
    GRAPHICS_WARPS("TPC.TriageA."),
    COMPUTE_WARPS("TPC.TriageA."),
    UNALLOCATED_WARPS("TPC.TriageA."),
    DRAM("dramc"),
    NVLINK,
    PCIE("PCI.TriageA."),
    BAR1,
};

static const struct rf_pm_set_metric tu11x[] = {
    CLOCKS,
    STARTED("FE_A.TriageA.", "HUB.TriageA."),
    GR_ACTIVE("gr__cycles_active" PCT),
    IN_FLIGHT("HUB.TriageA.gr__dispatch"),
    SMS_ACTIVE,
    SM_ISSUE("SM.TriageA."),
    TENSOR_OR_FP16_ACTIVE,
    GRAPHICS_WARPS("TPC.TriageA."),
    COMPUTE_WARPS("TPC.TriageA."),
    UNALLOCATED_WARPS("TPC.TriageA."),
    DRAM("dramc"),
    PCIE("PCI.TriageA."),
    BAR1,
};

static const struct rf_pm_set_metric ga100[] = {
    CLOCKS,
    GR_ACTIVE("gr__cycles_active.sum.pct_of_peak_sustained_elapsed"),
    SMS_ACTIVE,
    SM_ISSUE(""),
    TENSOR_ACTIVE,
    GRAPHICS_WARPS(""),
    COMPUTE_WARPS(""),
    UNALLOCATED_WARPS(""),
    DRAM("dram"),
    NVLINK,
    PCIE(""),
};

static const struct rf_pm_set_metric ga10x[] = {
    CLOCKS,
    GR_ACTIVE("FE_A.TriageSCG.gr__cycles_active" PCT),
    IN_FLIGHT("FE_A.TriageSCG.gr__compute"),
    SMS_ACTIVE,
    SM_ISSUE(""),
    TENSOR_ACTIVE,
    GRAPHICS_WARPS(""),
    COMPUTE_WARPS(""),
    UNALLOCATED_WARPS(""),
    DRAM("dram"),
    NVLINK,
    PCIE(""),
    BAR1,
};

static const struct rf_pm_set_metric ga10b[] = {
    CLOCKS,
    GR_ACTIVE("FE_A.TriageSCG.gr__cycles_active" PCT),
    IN_FLIGHT("FE_A.TriageSCG.gr__compute"),
    SMS_ACTIVE,
    SM_ISSUE(""),
    TENSOR_ACTIVE,
    GRAPHICS_WARPS(""),
    COMPUTE_WARPS(""),
    UNALLOCATED_WARPS(""),
};

static const struct rf_pm_set_metric gh100[] = {
    CLOCKS,        GR_ACTIVE("gr__cycles_active.sum.pct_of_peak_sustained_elapsed"),
    SMS_ACTIVE,    SM_ISSUE(""),
    TENSOR_ACTIVE, COMPUTE_WARPS(""),
    DRAM("dram"),  NVLINK,
    PCIE(""),
};

static const struct rf_pm_set_metric ad10x[] = {
    CLOCKS,
    GR_ACTIVE("FE_B.TriageSCG.gr__cycles_active" PCT),
    IN_FLIGHT("FE_A.TriageSCG.gr__compute"),
    SMS_ACTIVE,
    SM_ISSUE(""),
    TENSOR_ACTIVE,
    GRAPHICS_WARPS(""),
    COMPUTE_WARPS(""),
    UNALLOCATED_WARPS(""),
    DRAM("dram"),
    PCIE(""),
    BAR1,
};

static const struct rf_pm_set_metric gb10x[] = {
    CLOCKS,        GR_ACTIVE("gr__cycles_active.sum.pct_of_peak_sustained_elapsed"),
    SMS_ACTIVE,    SM_ISSUE(""),
    TENSOR_ACTIVE, COMPUTE_WARPS(""),
    DRAM("dram"),  NVLINK,
    PCIE(""),      EARLY_BLACKWELL,
};

static const struct rf_pm_set_metric gb20x[] = {
    CLOCKS,
    GR_ACTIVE("gr__cycles_active.sum.pct_of_peak_sustained_elapsed"),
    SMS_ACTIVE,
    SM_ISSUE(""),
    TENSOR_ACTIVE,
    GRAPHICS_WARPS(""),
    COMPUTE_WARPS(""),
    DRAM("dram"),
    PCIE(""),
    BAR1,
    EARLY_BLACKWELL,
};

#define GENERAL(name, family, table)                                                               \
    {                                                                                              \
        name, "General Metrics for NVIDIA " family " (any frequency)", table##_chips, table,       \
            sizeof(table) / sizeof((table)[0])                                                     \
    }
static const char *const tu10x_chips[] = {"TU102", "TU104", "TU106", NULL};
static const char *const tu11x_chips[] = {"TU116", "TU117", NULL};
static const char *const ga100_chips[] = {"GA100", NULL};
static const char *const ga10x_chips[] = {"GA102", "GA103", "GA104", "GA106", "GA107", NULL};
static const char *const ga10b_chips[] = {"GA10B", NULL};
static const char *const gh100_chips[] = {"GH100", NULL};
static const char *const ad10x_chips[] = {"AD102", "AD103", "AD104", "AD106", "AD107", NULL};
static const char *const gb10x_chips[] = {"GB100", "GB102", "GB110", "GB112",
                                          "GB10B", "GB10C", "GR100", NULL};
static const char *const gb20x_chips[] = {"GB202", "GB203", "GB205", "GB206",
                                          "GB207", "GB20B", "GB20C", NULL};

static const struct rf_pm_set sets[] = {
    GENERAL("tu10x", "TU10x", tu10x), GENERAL("tu11x", "TU11x", tu11x),
    GENERAL("ga100", "GA100", ga100), GENERAL("ga10x", "GA10x", ga10x),
    GENERAL("ga10b", "GA10B", ga10b), GENERAL("gh100", "GH100", gh100),
    GENERAL("ad10x", "AD10x", ad10x), GENERAL("gb20x", "GB20x", gb20x),
    GENERAL("gb10x", "GB10x", gb10x), /* the last one is that of chips yet to come */
};
#define N_SETS (sizeof(sets) / sizeof(sets[0]))

const struct rf_pm_set *rf_pm_set_at(size_t i)
{
    return i < N_SETS ? &sets[i] : NULL;
}

const struct rf_pm_set *rf_pm_set_named(const char *name)
{
    for (size_t i = 0; name != NULL && i < N_SETS; i++) {
        if (strcasecmp(sets[i].name, name) == 0)
            return &sets[i];
    }
    return NULL;
}

const struct rf_pm_set *rf_pm_set_of_chip(const char *chip)
{
    for (size_t i = 0; chip != NULL && i < N_SETS; i++) {
        for (const char *const *c = sets[i].chips; *c != NULL; c++) {
            if (strcasecmp(*c, chip) == 0)
                return &sets[i];
        }
    }
    return &sets[N_SETS - 1];
}
