/* SPDX-License-Identifier: Apache-2.0 */
#include "import/scrub_rules.h"

#include <string.h>

#include "import/nsys_db.h"

/* A name as it is, or with the ending _V2 and the like. Prefixes end with *. */
static bool is_table(const char *name, const char *known)
{
    size_t n = strlen(known);
    return known[n - 1] == '*' ? sqlite3_strnicmp(name, known, (int)n - 1) == 0
                               : nsys_table_version(name, known) >= 0;
}

enum scrub_table scrub_table_rule(const char *table)
{
    static const struct {
        const char *name;
        enum scrub_table rule;
    } rules[] = {
        {"StringIds", SCRUB_STRINGS},
        {"NVTX_EVENTS", SCRUB_WHOLE},
        {"NVTX_PAYLOAD_*", SCRUB_WHOLE},
        {"ENUM_*", SCRUB_WHOLE},
        {"PROCESSES", SCRUB_PROCESSES},
        {"ProcessStreams", SCRUB_NOTHING}, /* what programs printed */
        {"ANALYSIS_FILE", SCRUB_NOTHING},  /* whole files: /proc/meminfo, logs */
        {"META_DATA_*", SCRUB_SETTINGS},
        {"EXPORT_META_DATA", SCRUB_SETTINGS},
        {"TARGET_INFO_SYSTEM_ENV", SCRUB_SETTINGS},
        {"TARGET_INFO_SESSION_START_TIME", SCRUB_WHOLE},
        {"TARGET_INFO_GPU_METRICS", SCRUB_WHOLE},
        {"TARGET_INFO_GPU", SCRUB_WHOLE},
        {"TARGET_INFO_CUDA_DEVICE", SCRUB_WHOLE},
        {"TARGET_INFO_NVTX_CUDA_*", SCRUB_WHOLE},
        {"RANGEFINDER_INFO", SCRUB_SETTINGS},
        {"RANGEFINDER_PROCESSES", SCRUB_PROCESSES},
        {"RANGEFINDER_ARGUMENTS", SCRUB_NOTHING},
        {"RANGEFINDER_ENVIRONMENT", SCRUB_NOTHING},
        {"RANGEFINDER_MESSAGES", SCRUB_NOTHING}, /* they name files */
        {"RANGEFINDER_INPUTS", SCRUB_NOTHING},   /* likewise, and machines */
        {"RANGEFINDER_*", SCRUB_WHOLE},
    };
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (is_table(table, rules[i].name))
            return rules[i].rule;
    return SCRUB_NUMBERS;
}

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (sqlite3_stricmp(name, list[i]) == 0)
            return true;
    return false;
}

enum scrub_column scrub_column_rule(const char *table, const char *column)
{
    static const char *const names[] = {
        "nameId",       "endNameId", "textId",     "jsonTextId",   "demangledName", "shortName",
        "mangledName",  "name",      "funcName",   "kernelName",   "varName",       "symbol",
        "objectNameId", "taskName",  "categoryId", "providerName", "CpuInstruction"};
    static const char *const paths[] = {"module", "srcFile"};
    if (scrub_table_rule(table) == SCRUB_NOTHING)
        return SCRUB_PLAIN;
    /* the system's name of a thread may begin as its program's path */
    if (is_one_of(column, paths, 2) || is_table(table, "ThreadNames"))
        return SCRUB_PATH;
    return is_one_of(column, names, sizeof(names) / sizeof(names[0])) ? SCRUB_NAME : SCRUB_PLAIN;
}

bool scrub_keeps_setting(const char *table, const char *name, bool is_number)
{
    static const char *const always[] = {"EXPORT_PRODUCT_NAME",
                                         "EXPORT_PRODUCT_VERSION",
                                         "EXPORT_PRODUCT_DATE",
                                         "EXPORT_SCHEMA_VERSION",
                                         "EXPORT_SCHEMA_VERSION_CKSUM",
                                         "EXPORT_PLATFORM",
                                         "EXPORT_ARCH",
                                         "EXPORT_TIME_UTC",
                                         "EXPORT_PARAM_EXPORT_TYPE",
                                         "CAPTURE_EVENT_TYPE",
                                         "CUDA_GRAPH_TRACE_OPTIONS:MODE",
                                         "CpuArchitecture",
                                         "CpuDescription",
                                         "HardwarePlatform",
                                         "SoftwarePlatform",
                                         "CudaDriverVersion",
                                         "NvDriverVersion",
                                         "product",
                                         "clock"};
    static const char *const numbers[] = {"EXPORT_SCHEMA_VERSION_*",
                                          "EXPORT_TIME",
                                          "EXPORT_LAZY",
                                          "EXPORT_OVERWRITE",
                                          "EXPORT_CONFIG_*",
                                          "EXPORT_PARAM_TIME_*",
                                          "EXPORT_PARAM_INCLUDE_*",
                                          "EXPORT_PARAM_LAZY",
                                          "CUDA_*",
                                          "COLLECT_*",
                                          "TRACE_*",
                                          "RATE_HZ",
                                          "RUN_DURATION_*",
                                          "Cpu*",
                                          "Has*",
                                          "Supports*",
                                          "Is*"};
    if (is_one_of(name, always, sizeof(always) / sizeof(always[0])))
        return true;
    if (is_number && is_table(table, "RANGEFINDER_INFO"))
        return true;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && is_number; i++)
        if (is_table(name, numbers[i]))
            return true;
    return false;
}

bool scrub_is_number(const char *text, size_t size)
{
    if ((size == 4 && memcmp(text, "true", 4) == 0) || (size == 5 && memcmp(text, "false", 5) == 0))
        return true;
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\0' || strchr("0123456789.-[], ", text[i]) == NULL)
            return false;
    return true;
}

static const char *last_part(const char *text, size_t *size)
{
    size_t at = *size;
    while (at > 0 && text[at - 1] != '/' && text[at - 1] != '\\')
        at--;
    *size -= at;
    return text + at;
}

static size_t first_word(const char *text, size_t size)
{
    const char *end = size > 0 ? memchr(text, ' ', size) : NULL;
    return end != NULL ? (size_t)(end - text) : size;
}

/* "/home/a b/prog" and "/usr/bin/prog /home/a": where the blank belongs is not to be seen, unless
 * it makes no difference. */
const char *scrub_executable(const char *text, size_t *size)
{
    size_t n = *size, n_first = first_word(text, *size);
    const char *of_all = last_part(text, &n);
    const char *of_first = last_part(text, &n_first);
    n = first_word(of_all, n);
    *size = n == n_first && memcmp(of_all, of_first, n) == 0 ? n : 0;
    return of_first;
}

const char *scrub_file_name(const char *text, size_t *size)
{
    bool is_path =
        *size > 0 && (memchr("/.~\\", text[0], 4) != NULL || (*size > 2 && text[1] == ':'));
    return is_path ? last_part(text, size) : text;
}
