/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder gpu-metrics: shows which metrics a GPU has, and samples them without a program. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cli/command.h"
#include "cli/gpu_metrics/gpu_metrics_check.h"
#include "cli/gpu_metrics/gpu_metrics_chip.h"
#include "cli/gpu_metrics/gpu_metrics_list.h"
#include "cli/gpu_metrics/gpu_metrics_record.h"
#include "cli/gpu_metrics/gpu_metrics_sets.h"
#include "cli/json_out.h"
#include "cli/option_parser.h"
#include "cli/usage_error.h"

enum { OPT_LIST = 1, OPT_SETS, OPT_SET, OPT_CHECK, OPT_CHIP, OPT_JSON };

static const struct cli_option options[] = {
    {OPT_LIST, '\0', "list", CLI_ARG_NONE, NULL,
     "Print the names of all metrics of the chip; with PATTERN, which may be a part of a name or "
     "have * and ?, what is known of those that match.",
     NULL},
    {OPT_SETS, '\0', "sets", CLI_ARG_NONE, NULL,
     "Print the sets of metrics, one for each family of chips.", NULL},
    {OPT_SET, '\0', "set", CLI_ARG_VALUE, "SET",
     "Print the metrics of a set, and which of them the chip has. Also CUPTI's own single-pass "
     "sets (CUDA 13.2 and later).",
     NULL},
    {OPT_CHECK, '\0', "check", CLI_ARG_NONE, NULL,
     "Print which of the metrics exist on the chip, and whether they fit in one pass, which is "
     "what can be sampled.",
     NULL},
    {OPT_CHIP, '\0', "chip", CLI_ARG_VALUE, "CHIP",
     "The chip, such as GH100 (H100, H200). Default: that of the machine's first GPU.", NULL},
    JSON_OPTION(OPT_JSON),
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

struct request {
    int action; /* OPT_LIST, OPT_SETS, OPT_SET or OPT_CHECK; 0: none yet */
    const char *set, *chip;
    bool is_json;
    const char *const *operand;
    size_t n_operands;
    int status;
};

static int fail_usage(struct request *request, int status)
{
    request->status = status;
    return -1;
}

static int apply_option(struct request *request, const struct cli_parser *parser, int id)
{
    switch (id) {
    case OPT_JSON:
        request->is_json = parser->is_true;
        return 0;
    case OPT_CHIP:
        request->chip = parser->value;
        return 0;
    case OPT_SET:
        request->set = parser->value;
        break;
    default:
        break;
    }
    if (request->action != 0 && request->action != id)
        return fail_usage(request,
                          cli_usage_error(parser->command, "one of '--list', '--sets', '--set' and "
                                                           "'--check' can be given"));
    request->action = id;
    return 0;
}

/* 0, or -1 when the verb is to return request->status. */
static int parse(struct request *request, const struct cli_command *command, int argc, char **argv)
{
    struct cli_parser parser;
    int id;
    cli_parser_init(&parser, command, argc, argv);
    while ((id = cli_parser_next(&parser)) > 0)
        if (apply_option(request, &parser, id) < 0)
            return -1;
    if (id < 0)
        return fail_usage(request, parser.status);
    request->operand = (const char *const *)argv;
    request->n_operands = (size_t)parser.n_operands;
    return 0;
}

static int check_operands(struct request *request, const struct cli_command *command)
{
    static const size_t most[] = {
        [OPT_LIST] = 1, [OPT_SETS] = 0, [OPT_SET] = 0, [OPT_CHECK] = SIZE_MAX};
    if (request->action == 0)
        return fail_usage(
            request,
            cli_usage_error(command, "one of '--list', '--sets', '--set' or '--check' is needed"));
    if (request->action == OPT_CHECK && request->n_operands == 0)
        return fail_usage(request,
                          cli_usage_error(command, "the metrics to check are missing: --check "
                                                   "METRIC..."));
    if (request->n_operands > most[request->action])
        return fail_usage(request, cli_usage_error(command, "'%s' is one word too many",
                                                   request->operand[most[request->action]]));
    return 0;
}

static int run_on_chip(const struct request *request)
{
    const struct rf_pm_set *set = NULL;
    rf_pm_chip *chip = NULL;
    int status = request->set != NULL ? gpu_metrics_find_set(request->set, &set) : CLI_OK;
    if (status == CLI_OK)
        status = gpu_metrics_open_chip(request->chip, set, &chip);
    if (status != CLI_OK)
        return status;
    if (request->action == OPT_LIST)
        status = gpu_metrics_print_list(chip, request->n_operands > 0 ? request->operand[0] : NULL,
                                        request->is_json);
    else if (request->action == OPT_SET)
        status = gpu_metrics_print_set(chip, set, request->set, request->is_json);
    else
        status =
            gpu_metrics_print_check(chip, request->operand, request->n_operands, request->is_json);
    rf_pm_chip_close(chip);
    return status;
}

static int gpu_metrics_run(const struct cli_command *command, int argc, char **argv)
{
    struct request request = {.action = 0};
    if (argc > 0 && strcmp(argv[0], "record") == 0)
        return gpu_metrics_record(argc - 1, argv + 1);
    if (parse(&request, command, argc, argv) < 0 || check_operands(&request, command) < 0)
        return request.status;
    return request.action == OPT_SETS ? gpu_metrics_print_sets(request.is_json)
                                      : run_on_chip(&request);
}

const struct cli_command cli_cmd_gpu_metrics = {
    .name = "gpu-metrics",
    .summary = "sample hardware counters of GPUs, or show what can be sampled",
    .synopsis = "record [options]\n"
                "--list [PATTERN] [options]\n"
                "--sets [options]\n"
                "--set SET [options]\n"
                "--check METRIC... [options]",
    .operands = "record",
    .subcommand = &gpu_metrics_record_command,
    .description =
        "Shows which metrics a GPU's hardware counters provide, and which of them can be sampled "
        "together.\nIt needs NVIDIA's libcupti, of CUDA 12.6 or later, and no GPU. 'record' "
        "samples: 'rangefinder gpu-metrics\nrecord -h' explains its options.",
    .epilog = "  rangefinder gpu-metrics --list --chip=GH100 'dram__*'\n"
              "  rangefinder gpu-metrics --set gh100\n"
              "  rangefinder gpu-metrics --chip=GH100 --check "
              "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
    .options = options,
    .run = gpu_metrics_run,
};
