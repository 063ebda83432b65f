/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of the stand-in: a few of those that the real one has, by their real names. */
#include <string.h>

#include "pm_double.h"

const char *const pm_double_chips[] = {"GV100", "TU102", "GA100", "GH100", "AD102", "GB100", NULL};

#define COUNTER    PM_DOUBLE_COUNTER
#define RATIO      PM_DOUBLE_RATIO
#define THROUGHPUT PM_DOUBLE_THROUGHPUT

static const struct pm_double_metric metrics[] = {
    {"dram__bytes", COUNTER, 1, "bytes of DRAM", "dram", "byte", ""},
    {"gpc__cycles_elapsed", COUNTER, 1, "cycles of GPCs", "gpc", "gpc_cycle", ""},
    {"gr__cycles_active", COUNTER, 1, "cycles with work", "gr", "sys_cycle", ""},
    {"nvlrx__bytes", COUNTER, 1, "bytes received", "nvlrx", "byte", "AD102"},
    {"nvlrx__bytes_data_user", COUNTER, 1, "data received", "nvlrx", "byte", "AD102"},
    {"nvlrx__bytes_packet_request_data_protocol", COUNTER, 1, "", "nvlrx", "byte", "AD102 GB100"},
    {"nvlrx__bytes_packet_request_data_user", COUNTER, 1, "", "nvlrx", "byte", "AD102 GB100"},
    {"nvlrx__bytes_packet_response_data_protocol", COUNTER, 1, "", "nvlrx", "byte", "AD102 GB100"},
    {"nvlrx__bytes_packet_response_data_user", COUNTER, 1, "", "nvlrx", "byte", "AD102 GB100"},
    {"nvltx__bytes", COUNTER, 1, "bytes sent", "nvltx", "byte", "AD102"},
    {"nvltx__bytes_data_user", COUNTER, 1, "data sent", "nvltx", "byte", "AD102"},
    {"nvltx__bytes_packet_request_data_protocol", COUNTER, 1, "", "nvltx", "byte", "AD102 GB100"},
    {"nvltx__bytes_packet_request_data_user", COUNTER, 1, "", "nvltx", "byte", "AD102 GB100"},
    {"nvltx__bytes_packet_response_data_protocol", COUNTER, 1, "", "nvltx", "byte", "AD102 GB100"},
    {"nvltx__bytes_packet_response_data_user", COUNTER, 1, "", "nvltx", "byte", "AD102 GB100"},
    {"pcie__read_bytes", COUNTER, 1, "bytes that PCIe read", "pcie", "byte", ""},
    {"pcie__write_bytes", COUNTER, 1, "bytes that PCIe wrote", "pcie", "byte", ""},
    {"sm__cycles_active", COUNTER, 1, "cycles with a warp", "sm", "gpc_cycle", ""},
    {"sm__cycles_elapsed", COUNTER, 1, "cycles", "sm", "gpc_cycle", ""},
    {"sm__inst_executed_realtime", COUNTER, 1, "instructions", "sm", "instruction", ""},
    {"sm__pipe_tensor_cycles_active_realtime", COUNTER, 1, "tensor", "sm", "gpc_cycle", ""},
    {"sm__warps_active_shader_cs_realtime", COUNTER, 1, "warps", "sm", "warp", ""},
    {"sys__cycles_elapsed", COUNTER, 1, "cycles of SYS", "sys", "sys_cycle", ""},
    {"tpc__warps_active_shader_cs_realtime", COUNTER, 1, "warps", "tpc", "warp", "GB100"},
    {"l1tex__hit_rate", RATIO, 2, "hits of L1", "l1tex", "", ""},
    {"lts__average_t_sector", RATIO, 2, "sectors per request", "lts", "l2_sector", ""},
    {"dram__read_throughput", THROUGHPUT, 2, "reads of DRAM", "dram", "percent", ""},
    {"dram__write_throughput", THROUGHPUT, 2, "writes of DRAM", "dram", "percent", ""},
    {"sm__throughput", THROUGHPUT, 200, "the busiest part of the SMs", "sm", "percent", ""},
};
#define N_METRICS (sizeof(metrics) / sizeof(metrics[0]))

#define ROLLUP(r)                                                                                  \
    r, r ".peak_sustained", r ".peak_sustained_active", r ".peak_sustained_active.per_second",     \
        r ".peak_sustained_elapsed", r ".peak_sustained_elapsed.per_second",                       \
        r ".per_cycle_active", r ".per_cycle_elapsed", r ".per_second",                            \
        r ".pct_of_peak_sustained_active", r ".pct_of_peak_sustained_elapsed"

static const char *const of_counters[] = {ROLLUP(".avg"), ROLLUP(".max"), ROLLUP(".min"),
                                          ROLLUP(".sum"), NULL};
static const char *const of_ratios[] = {".max_rate", ".pct", ".ratio", NULL};
#define SHARES(r) r ".pct_of_peak_sustained_active", r ".pct_of_peak_sustained_elapsed"
static const char *const of_throughputs[] = {SHARES(".avg"), SHARES(".max"), SHARES(".min"),
                                             SHARES(".sum"), NULL};

bool pm_double_has_chip(const char *chip)
{
    for (const char *const *c = pm_double_chips; *c != NULL; c++) {
        if (strcmp(*c, chip) == 0)
            return true;
    }
    return false;
}

const struct pm_double_metric *pm_double_metric_at(size_t i)
{
    return i < N_METRICS ? &metrics[i] : NULL;
}

bool pm_double_chip_has(const struct pm_double_metric *metric, const char *chip)
{
    return strstr(metric->not_on, chip) == NULL;
}

const char *const *pm_double_submetrics(int type)
{
    return type == COUNTER ? of_counters : type == RATIO ? of_ratios : of_throughputs;
}

bool pm_double_is_submetric(int type, const char *submetric)
{
    for (const char *const *s = pm_double_submetrics(type); *s != NULL; s++) {
        if (strcmp(*s, submetric) == 0)
            return true;
    }
    return false;
}

const struct pm_double_metric *pm_double_find(const char *chip, const char *name,
                                              const char **submetric)
{
    for (size_t i = 0; i < N_METRICS; i++) {
        size_t n = strlen(metrics[i].name);
        if (strncmp(metrics[i].name, name, n) == 0 && (name[n] == '\0' || name[n] == '.') &&
            pm_double_chip_has(&metrics[i], chip)) {
            *submetric = name + n;
            return &metrics[i];
        }
    }
    return NULL;
}
