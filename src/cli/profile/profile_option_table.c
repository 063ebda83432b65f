/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `profile`: ours, and all that `nsys profile` has, so that a command line written
 * for it works with the first word changed. Where nsys collects what we do not, `detail` says what
 * is not recorded. */
#include "cli/profile/profile_option_table.h"

#include <stddef.h>

#include "cli/command.h"
#include "cli/gpu_metrics/gpu_metrics_options.h"
#include "cli/progress_option.h"

/* accepted: asks for something that is not recorded */

#define ACCEPTED(letter, name, what)                                                               \
    {                                                                                              \
        PROFILE_ACCEPTED, letter, name, CLI_ARG_VALUE, NULL, NULL, what                            \
    }
/* accepted: sets up what is not recorded; a line says that it has no effect */
#define IGNORED(name)                                                                              \
    {                                                                                              \
        PROFILE_IGNORED, '\0', name, CLI_ARG_VALUE, NULL, NULL, NULL                               \
    }
/* refused: without it something else would be recorded than what was asked for */
#define REFUSED(letter, name, why)                                                                 \
    {                                                                                              \
        PROFILE_REFUSED, letter, name, CLI_ARG_VALUE, NULL, NULL, why                              \
    }
#define FRAMES "it counts graphics frames; -y and -d count seconds"

const struct cli_option profile_option_table[] = {
    {PROFILE_OUTPUT, 'o', "output", CLI_ARG_VALUE, "NAME",
     "Write NAME.rf. In NAME, %p is the pid of the program, %h the host, %r the rank in a job, "
     "%q{VAR} an "
     "environment variable, %n the smallest number that gives a free name, %% a percent sign. "
     "Default: "
     "report%n.",
     NULL},
    {PROFILE_RANKS, '\0', "ranks", CLI_ARG_VALUE, "0,8-15|every:N",
     "Record these ranks of a job; in the others just execute the program. Default: all.", NULL},
    CLI_PROGRESS_OPTION,
    {PROFILE_SUMMARY_JSON, '\0', "summary-json", CLI_ARG_VALUE, "FILE",
     "At the end write to FILE, as JSON, how the program ended, which files were written, what is "
     "in them and what was lost. %p, %h, %r, %q{VAR} as in --output.",
     NULL},
    {PROFILE_FORCE, 'f', "force-overwrite", CLI_ARG_BOOL, NULL, "Overwrite existing files.", NULL},
    {PROFILE_TRACE, 't', "trace", CLI_ARG_VALUE, "API,...",
     "What to record: cuda, nvtx; or none. nsys's other names are accepted; a message lists what "
     "is not recorded. Default: cuda,nvtx.",
     NULL},
    {PROFILE_CHAIN, '\0', "chain", CLI_ARG_VALUE, "LIB|auto",
     "Another tool of NVTX, a library that sees all calls beside the recorder. May be repeated; "
     "auto: the one that NVTX_INJECTION64_PATH names.",
     NULL},
    {PROFILE_CUDA_GRAPHS, '\0', "cuda-graph-trace", CLI_ARG_VALUE, "graph|node",
     "Record a launch of a CUDA graph as one piece of work, or each of its nodes. Default: graph; "
     "in captures always node.",
     NULL},
    {PROFILE_CUDA_MEMORY, '\0', "cuda-memory-usage", CLI_ARG_BOOL, NULL,
     "Record CUDA memory allocations and frees. Default: false.", NULL},
    {PROFILE_CUDA_EVENTS, '\0', "cuda-event-trace", CLI_ARG_VALUE, "true|false",
     "Record CUDA events. Default: false.", NULL},
    {PROFILE_CUDA_FLUSH, '\0', "cuda-flush-interval", CLI_ARG_VALUE, "MILLISECONDS",
     "How often to ask CUDA for recorded work; a killed program loses the work of the last "
     "interval. 0: the default, 200.",
     NULL},
    {PROFILE_CUDA_ALL_APIS, '\0', "cuda-trace-all-apis", CLI_ARG_BOOL, NULL,
     "Also record the CUDA calls that programs make all the time and that start no work "
     "(cudaGetDevice, cudaGetLastError, ...). Default: false.",
     NULL},
    GPU_METRICS_OPTIONS("all|none|ID,...",
                        "Sample hardware counters of these GPUs, as CUDA numbers them, while the "
                        "program runs. Default: none."),
    {PROFILE_ENV, 'e', "env-var", CLI_ARG_VALUE, "A=B,...",
     "Set variables in the program's environment.", NULL},
    {PROFILE_INHERIT, 'n', "inherit-environment", CLI_ARG_BOOL, NULL,
     "Pass this environment on to the program. Default: true.", NULL},
    {PROFILE_INCLUDE, '\0', "nvtx-domain-include", CLI_ARG_VALUE, "DOMAIN,...",
     "Record these NVTX domains only. 'default' is the default domain; a comma in a name is "
     "written '\\,', a domain of the name default '\\default'.",
     NULL},
    {PROFILE_EXCLUDE, '\0', "nvtx-domain-exclude", CLI_ARG_VALUE, "DOMAIN,...",
     "Record all NVTX domains but these.", NULL},
    {PROFILE_WAIT, '\0', "wait", CLI_ARG_VALUE, "primary|all",
     "When recording ends. primary: with the program; all: when no process that it started is "
     "left. "
     "Default: all.",
     NULL},
    {PROFILE_OVERFLOW, '\0', "overflow", CLI_ARG_VALUE, "block|drop",
     "When a thread is faster than the disk: let it wait, or drop events. Both are counted. "
     "Default: block.",
     NULL},
    {PROFILE_RING, '\0', "ring", CLI_ARG_VALUE, "SIZE[,TIME]",
     "A flight recorder: hold only the newest events, in this much memory (64M, 1G) and for this "
     "time at most (30s, 5min). 'rangefinder snapshot' saves what it holds while the program runs, "
     "and NAME.rf has it at the end.",
     NULL},
    {PROFILE_SNAPSHOT_ON, '\0', "snapshot-on", CLI_ARG_VALUE, "RULE",
     "With --ring: take a snapshot by itself. mark:MESSAGE[@DOMAIN]: at such a mark; "
     "slow:RANGE[@DOMAIN]:TIME: a range took longer; slow:RANGE[@DOMAIN]:Kx: K times longer than "
     "its running median; open:RANGE[@DOMAIN]:TIME: one is open for longer, as in a hang; exit: a "
     "process ended; crash: by a signal. In names * stands for anything, without a domain any "
     "counts, @ alone is the default one. May be repeated.",
     NULL},
    {PROFILE_AFTER, '\0', "after", CLI_ARG_VALUE, "TIME",
     "With --snapshot-on: take the snapshot this long after what it is about, so that it has what "
     "followed. Default: 0s.",
     NULL},
    {PROFILE_COOL_DOWN, '\0', "cool-down", CLI_ARG_VALUE, "TIME",
     "With --snapshot-on: take no other snapshot this long. Default: 10s.", NULL},
    {PROFILE_SNAPSHOTS, '\0', "snapshots", CLI_ARG_VALUE, "N",
     "With --ring: take no more than N snapshots, the first ones. Default: any number.", NULL},
    {PROFILE_SNAPSHOT_QUOTA, '\0', "snapshot-quota", CLI_ARG_VALUE, "SIZE",
     "With --ring: where its snapshots are more than this, remove the oldest ones. Default: keep "
     "all.",
     NULL},
    {PROFILE_SPLIT, '\0', "split", CLI_ARG_VALUE, "SIZE|TIME",
     "For a long run: write a file whenever this much was recorded (256M, 1G) or this much time "
     "has "
     "passed (10min, 1h), NAME.1.rf, NAME.2.rf, ...; SIZE,TIME: whichever comes first.",
     NULL},
    {PROFILE_KEEP, '\0', "keep", CLI_ARG_VALUE, "N",
     "With --split: keep the newest N files, and remove those before them. Default: all.", NULL},
    {PROFILE_QUOTA, '\0', "quota", CLI_ARG_VALUE, "SIZE",
     "Take no more of the disk than this (10G): split the recording, and remove its oldest files "
     "where there is no room. Default: no limit.",
     NULL},
    {PROFILE_COMPRESS, '\0', "compress", CLI_ARG_BOOL, NULL,
     "Compress events and names as they are written: the file is a tenth as large. What comes "
     "faster than it can be compressed stays as it is. Needs libzstd. Default: false.",
     NULL},
    {PROFILE_STATS, '\0', "stats", CLI_ARG_BOOL, NULL, "Print statistics at the end.", NULL},
    {PROFILE_EXPORT, '\0', "export", CLI_ARG_VALUE, "FORMAT,...",
     "Also write the recording in these formats; 'rangefinder export -h' lists them.", NULL},
    {PROFILE_QUIET, 'q', "quiet", CLI_ARG_BOOL, NULL, "Print only warnings and errors.", NULL},
    {PROFILE_STOP_ON_EXIT, 'x', "stop-on-exit", CLI_ARG_BOOL, NULL,
     "Accepted: true, recording ends when the program does.", "recording ends with the program"},
    {PROFILE_IGNORED, '\0', "trace-fork-before-exec", CLI_ARG_BOOL, NULL,
     "Accepted: forked processes are always recorded.", NULL},
    {PROFILE_SHOW_OUTPUT, 'w', "show-output", CLI_ARG_VALUE, "true|false",
     "Accepted: the program's output is never redirected. (-w primary and -w all set --wait.)",
     NULL},
    {PROFILE_CAPTURE_RANGE, 'c', "capture-range", CLI_ARG_VALUE, "none|nvtx|cudaProfilerApi|hotkey",
     "Record only while an NVTX range is open (-p says which), between cudaProfilerStart and "
     "cudaProfilerStop, or from one press of a key to the next; with --ring hotkey takes a "
     "snapshot. "
     "Default: none, the whole run.",
     NULL},
    {PROFILE_NVTX_CAPTURE, 'p', "nvtx-capture", CLI_ARG_VALUE, "MESSAGE[@DOMAIN]",
     "With -c nvtx: the range. Without @DOMAIN it is in the default domain, with @* in any domain; "
     "\\@ is a literal @. Its message must be a registered string.",
     NULL},
    {PROFILE_UNREGISTERED, '\0', "nvtx-capture-unregistered", CLI_ARG_BOOL, NULL,
     "With -c nvtx: any message counts, not only a registered string. (-e "
     "NSYS_NVTX_PROFILER_REGISTER_ONLY=0 says the same.)",
     NULL},
    {PROFILE_CAPTURE_STEPS, '\0', "capture-steps", CLI_ARG_VALUE, "FIRST[-LAST]",
     "With -c nvtx: from the begin of range FIRST of the name to the end of range LAST, counted "
     "from 0 "
     "in each process.",
     NULL},
    {PROFILE_DELAY, 'y', "delay", CLI_ARG_VALUE, "SECONDS",
     "Start recording (with -c: start looking for captures) this long after the start of the "
     "program. Fractions are exact to a millisecond.",
     NULL},
    {PROFILE_DURATION, 'd', "duration", CLI_ARG_VALUE, "SECONDS", "End a capture after this time.",
     NULL},
    {PROFILE_CAPTURE_END, '\0', "capture-range-end", CLI_ARG_VALUE, "END",
     "What happens at the end of a capture. none: it lasts until the program ends; stop: the "
     "program runs on, unrecorded; stop-shutdown: the program is ended; repeat: waits for the next "
     "capture, each in its own file, NAME.1.rf, NAME.2.rf, ...; repeat:N: the same, for N "
     "captures; "
     "repeat-shutdown:N: the program is ended after N captures. Default: stop.",
     NULL},
    {PROFILE_KILL, '\0', "kill", CLI_ARG_VALUE, "none|sigterm|sigkill|NUMBER",
     "End the program with this signal when the last capture has ended. Default: none, or sigterm "
     "where --capture-range-end says shutdown.",
     NULL},
    {PROFILE_HOTKEY, '\0', "hotkey-capture", CLI_ARG_VALUE, "KEY",
     "With -c hotkey: F1 to F12, with Ctrl+, Alt+ or Shift+ before it. Default: F12 and Ctrl+F11.",
     NULL},
    {PROFILE_START_LATER, '\0', "start-later", CLI_ARG_BOOL, NULL,
     "Record nothing until 'rangefinder start'.", NULL},
    {PROFILE_SESSION_NEW, '\0', "session-new", CLI_ARG_VALUE, "NAME",
     "The name by which 'rangefinder start', stop, status, ... find this run. Default: "
     "profile-PID.",
     NULL},
    {PROFILE_KEEP_OPEN, '\0', "keep-open-ranges", CLI_ARG_BOOL, NULL,
     "Outside captures, keep the starts of open ranges, so that ranges that reach into a capture "
     "are whole. Default: true.",
     NULL},
    {PROFILE_PYTORCH, '\0', "pytorch", CLI_ARG_VALUE, "WHAT,...",
     "Annotate PyTorch: the operators of autograd (autograd-nvtx, autograd-shapes-nvtx), and "
     "Module.forward, backward and Optimizer.step (functions-trace, functions-trace-shapes).",
     NULL},
    {PROFILE_PYTHON_FUNCTIONS, '\0', "python-functions-trace", CLI_ARG_VALUE, "FILE.json",
     "Annotate the Python functions that the file lists.", NULL},

    {PROFILE_COMMAND_FILE, '\0', "command-file", CLI_ARG_VALUE, "FILE",
     "Also read options from a file, separated by spaces or line ends, quoted as in a shell. "
     "Options on the command line take precedence.",
     NULL},

    REFUSED('\0', "session", "every run is a session of its own; --session-new names it"),
    REFUSED('\0', "run-as", "start rangefinder itself as that user"),
    REFUSED('\0', "duration-frames", FRAMES),
    REFUSED('\0', "start-frame-index", FRAMES),
    REFUSED('\0', "stop-on-range-end", "write --capture-range-end=stop"),

    ACCEPTED('s', "sample", "CPU samples"),
    ACCEPTED('b', "backtrace", "backtraces"),
    ACCEPTED('\0', "cpuctxsw", "CPU context switches"),
    ACCEPTED('\0', "cudabacktrace", "backtraces of CUDA calls"),
    ACCEPTED('\0', "cuda-um-cpu-page-faults", "unified memory page faults"),
    ACCEPTED('\0', "cuda-um-gpu-page-faults", "unified memory page faults"),
    ACCEPTED('\0', "cpu-core-events", "CPU counters"),
    ACCEPTED('\0', "cpu-core-metrics", "CPU counters"),
    ACCEPTED('\0', "cpu-socket-events", "CPU counters"),
    ACCEPTED('\0', "cpu-socket-metrics", "CPU counters"),
    ACCEPTED('\0', "event-sample", "CPU counters"),
    ACCEPTED('\0', "os-events", "operating system events"),
    ACCEPTED('\0', "dask", "Dask annotations"),
    ACCEPTED('\0', "enable", "plugins"),
    ACCEPTED('\0', "etw-provider", "ETW events"),
    ACCEPTED('\0', "ftrace", "ftrace events"),
    ACCEPTED('\0', "gpuctxsw", "GPU context switches"),
    ACCEPTED('\0', "gpu-video-device", "GPU video engines"),
    ACCEPTED('\0', "ib-switch-metrics-device", "network metrics"),
    ACCEPTED('\0', "ib-switch-metrics-devices", "network metrics"),
    ACCEPTED('\0', "isr", "interrupts"),
    ACCEPTED('\0', "nic-metrics", "network metrics"),
    ACCEPTED('\0', "osrt-file-access", "file accesses"),
    ACCEPTED('\0', "python-backtrace", "Python backtraces"),
    ACCEPTED('\0', "python-sampling", "Python samples"),
    ACCEPTED('\0', "soc-metrics", "SoC metrics"),
    ACCEPTED('\0', "storage-metrics", "storage metrics"),
    ACCEPTED('\0', "syscall-trace", "system calls"),
    ACCEPTED('\0', "vsync", "vsync events"),
    ACCEPTED('\0', "xhv-trace", "hypervisor events"),

    IGNORED("auto-report-name"),
    IGNORED("clock-frequency-changes"),
    IGNORED("cuda-trace-scope"),
    IGNORED("debug-symbols"),
    IGNORED("dx-force-declare-adapter-removal-support"),
    IGNORED("dx12-gpu-workload"),
    IGNORED("dx12-wait-calls"),
    IGNORED("el1-sampling"),
    IGNORED("el1-sampling-config"),
    IGNORED("event-sampling-frequency"),
    IGNORED("event-sampling-interval"),
    IGNORED("flush-on-cudaprofilerstop"),
    IGNORED("ftrace-keep-user-config"),
    IGNORED("ib-net-info-devices"),
    IGNORED("ib-net-info-files"),
    IGNORED("ib-net-info-output"),
    IGNORED("injection-use-detours"),
    IGNORED("log-level"),
    IGNORED("mpi-impl"),
    IGNORED("opengl-gpu-workload"),
    IGNORED("osrt-backtrace-depth"),
    IGNORED("osrt-backtrace-stack-size"),
    IGNORED("osrt-backtrace-threshold"),
    IGNORED("osrt-threshold"),
    IGNORED("process-scope"),
    IGNORED("python-sampling-frequency"),
    IGNORED("resolve-symbols"),
    IGNORED("retain-etw-files"),
    IGNORED("sampling-frequency"),
    IGNORED("sampling-period"),
    IGNORED("sampling-trigger"),
    IGNORED("samples-per-backtrace"),
    IGNORED("soc-metrics-frequency"),
    IGNORED("soc-metrics-set"),
    IGNORED("storage-devices"),
    IGNORED("symbol-resolve"),
    IGNORED("vulkan-gpu-workload"),
    IGNORED("wddm-additional-events"),
    IGNORED("wddm-backtraces"),
    IGNORED("xhv-trace-events"),
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};
