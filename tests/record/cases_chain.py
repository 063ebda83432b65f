# SPDX-License-Identifier: Apache-2.0
"""--chain: another tool of NVTX beside the recorder. It hears what it hears alone, and the recording is
that of the program alone."""

import contextlib
import glob
import os
import re
import shutil
import signal
import sqlite3
import subprocess

from cases_every_extension import lines_of
from harness import Run, Skip, expect_equal, fail_if, machine_of


def listener(test):
    return test.program("listener.so")


def heard(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def alone(test, program, *args, env=None):
    """What the tool hears without the recorder."""
    log = test.path("alone.log")
    test.run([test.program(program), *args],
             env={"NVTX_INJECTION64_PATH": listener(test), "NVTX_TEST_LOG": log, **(env or {})})
    return heard(log)


def chained(test, program, *args, options=None, env=None):
    """A recording, and what the tool heard."""
    log = test.path("chain.log")
    options = [f"--chain={listener(test)}"] if options is None else options
    run = test.record(program, *args, options=options, env={"NVTX_TEST_LOG": log, **(env or {})}, compare=False)
    return run, heard(log) if os.path.exists(log) else []


def case_chain_every_call(test):
    """With every kind of attribute, handle and id: each tool gets its own."""
    run, lines = chained(test, "basic", "all")
    run.check_truth()
    expect_equal(lines, alone(test, "basic", "all"), "what the tool hears")
    fail_if(len(lines) < 400, f"only {len(lines)} calls")


def case_chain_ids_of_zero(test):
    """A tool whose ids of ranges are 0, as CUPTI's are without a GPU, hears where ranges end."""
    env = {"NVTX_TEST_MODE": "zero"}
    run, lines = chained(test, "basic", "all", env=env)
    run.check_truth()
    expect_equal(lines, alone(test, "basic", "all", env=env), "what the tool hears")
    fail_if("RangeEnd 0" not in lines, "no end of a range")
    _, lines = chained(test, "every_extension", env=env)
    expect_equal(len([line for line in lines if line.startswith("RangeEndPayload")]), 1, "ends with a payload")


def case_chain_threads(test):
    """Many threads that make the same domains and strings, and ranges that end in other threads."""
    run, lines = chained(test, "threads", "domains")
    run.check_truth()
    expect_equal(sorted(lines), sorted(alone(test, "threads", "domains")), "what the tool hears")


def case_chain_extensions(test):
    """Ids that the program leaves to the tool are the same for both. The calls have times, and are compared by name."""
    run, lines = chained(test, "every_extension")
    expect_equal(lines_of(test, run), lines_of(test, test.record("every_extension", compare=False)), "JSON lines")
    calls = [line.split()[0] for line in lines]
    expect_equal(calls, [line.split()[0] for line in alone(test, "every_extension")], "what the tool hears")
    fail_if(len(set(calls)) < 24, f"only {set(calls)}")
    ids = set(re.findall(r"\bf0000\w{3}\b", " ".join(lines)))
    fail_if(len(ids) < 4, f"ids that were chosen: {ids}")
    memory = [line for line in lines if line.startswith("Mem")]
    for own in ("MemRegionsRegister .* heap=0x91 ", "MemRegionsName .* 2:0x1000 ", "MemRegionsUnregister .* 0x1000$",
                "MemPermissionsBind .* 0x92 ", "MemCudaSetPeerAccess .* 0x94 ", "MemCudaSetPeerAccess .* 0x93 ",
                "MemHeapReset .* 0x91$", "MemHeapUnregister .* 0x91$"):
        fail_if(not any(re.match(own, line) for line in memory), f"handles that are not the tool's own: no '{own}'")


def case_chain_refused(test):
    """A tool that does not attach is left out, which the recording says."""
    run, lines = chained(test, "basic", "all", env={"NVTX_TEST_MODE": "refuse"})
    run.check_truth()
    expect_equal(len([line for line in lines if line.startswith("Mark")]), 0, "marks that it heard")
    says = test.command("info", run.output).stdout.decode()
    fail_if("listener.so' is not in the chain: it refused" not in says, says)


def case_chain_auto(test):
    """The tool that NVTX_INJECTION64_PATH names is kept; without the option that is an error."""
    env = {"NVTX_INJECTION64_PATH": listener(test)}
    run, lines = chained(test, "basic", "all", options=["--chain=auto"], env=env)
    run.check_truth()
    fail_if(len(lines) < 400, f"only {len(lines)} calls")
    done = test.run([test.rangefinder, "profile", "-o", "no", test.program("basic"), "all"], env=env)
    fail_if(done.status == 0 or b"--chain=auto" not in done.stderr, done.stderr)


def case_chain_preloaded(test):
    """A preloaded library names the tool anew in every program, also in those that programs start."""
    # a sanitizer that this library is built with need not come before it
    env = {"NVTX_INJECTION64_PATH": listener(test), "NVTX_TEST_NAMED": listener(test),
           "LD_PRELOAD": test.program("names-itself.so"),
           "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
    run, lines = chained(test, "basic", "all", options=["--chain=auto"], env=env)
    run.check_truth()
    fail_if(len(lines) < 400, f"only {len(lines)} calls")
    env["NVTX_TEST_LOG"] = test.path("under.log")
    run = test.record("basic", "all", options=["--chain=auto"], env=env, compare=False, under=["env"])
    run.check_truth()


def nsys():
    """The program of NVIDIA's, where it can record and make reports."""
    found = os.environ.get("RF_NSYS") or shutil.which("nsys")
    if not found:
        raise Skip("no nsys: set RF_NSYS, or put it in PATH (Debian: nsight-systems)")
    return found


def nsys_rows(test, name, command):
    """What nsys has of a command: (kind, text, domain, color, category, payload) of each event, in order; and the
    truth."""
    report = test.path(name + ".nsys-rep")
    for _ in range(2):  # nsys 2022.4 loses a race with itself now and then
        truth = test.new_truth()
        done = test.run([nsys(), "profile", "--trace=nvtx", "--sample=none", "--cpuctxsw=none",
                         "--force-overwrite=true", "-o", name, *command], truth)
        if os.path.exists(report):
            break
    else:
        raise Skip(f"nsys makes no reports here: {(done.stdout + done.stderr).decode(errors='replace')[-300:]}")
    test.run([nsys(), "export", "--type=sqlite", "-o", test.path(name + ".sqlite"), report])
    with contextlib.closing(sqlite3.connect(test.path(name + ".sqlite"))) as database:
        rows = database.execute(
            "SELECT eventType, coalesce(text, value), domainId, color, category, uint64Value, int64Value,"
            " doubleValue, uint32Value, int32Value, floatValue, end IS NULL FROM NVTX_EVENTS"
            " LEFT JOIN StringIds ON textId = id ORDER BY NVTX_EVENTS.rowid").fetchall()
    return rows, truth


def case_chain_nsys(test):
    """nsys around us: its report is that of the program alone, and so is our recording."""
    program = [test.program("basic"), "all"]
    alone_rows, _ = nsys_rows(test, "alone", program)
    output = test.path("both.rf")
    both, truth = nsys_rows(test, "both",
                            [test.rangefinder, "profile", "--chain=auto", "-q", "-f", "-o", output, *program])
    expect_equal(sorted(map(repr, both)), sorted(map(repr, alone_rows)), "what nsys has")
    fail_if(len(both) < 400, f"only {len(both)} rows")
    run = Run(test, truth, output)
    run.check_truth()


def cuptis(test):
    """NVIDIA's libcuptis that are here: RF_CUPTI names them, or those of toolkits and of the build's wheels."""
    named = [path for path in os.environ.get("RF_CUPTI", "").split(":") if path]
    wheels = os.path.join(os.path.dirname(__file__), "..", "..", "build", "wheels", "lib", "python3*", "*", "nvidia")
    found = named or [path for pattern in ("/usr/local/cuda*/lib*/libcupti.so.1?",
                                           "/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.1?",
                                           os.path.join(wheels, "*", "lib", "libcupti.so.1?"))
                      for path in sorted(glob.glob(pattern))]
    if not found:
        raise Skip("no CUPTI: set RF_CUPTI to its library (PyPI: nvidia-cuda-cupti-cu12)")
    ours = [path for path in dict.fromkeys(map(os.path.realpath, found))
            if machine_of(path) == machine_of(test.rangefinder)]
    if not ours:
        raise Skip(f"no CUPTI for the processor of this build: {', '.join(found)}")
    return ours


def cupti_hears(test, library, *program):
    """What cupti-witness.so notes of a run without the recorder, and in the chain: lines of its log. None: CUPTI makes
    the program fail without the recorder."""
    witness, logs = test.program("cupti-witness.so"), [test.path("alone.log"), test.path("chained.log")]
    env = {"NVTX_TEST_CUPTI": library, "NVTX_TEST_LIBCUDA": os.path.join(os.environ.get("RF_LIBCUDA", ""), "libcuda.so.1")}
    for log in logs:
        with contextlib.suppress(FileNotFoundError):
            os.remove(log)
    command = [test.program(program[0]), *program[1:]]
    bare = test.run(command, test.new_truth())
    run = test.run(command, test.new_truth(), {**env, "NVTX_INJECTION64_PATH": witness, "NVTX_TEST_LOG": logs[0]})
    if run.status == 128 + signal.SIGSEGV:
        print(f"{library}: {program[0]}: without the recorder CUPTI ends the program by SIGSEGV")
        return None
    expect_equal(run.status, bare.status, "exit status with CUPTI")
    run = test.record(*program, options=[f"--chain={witness}"], env={**env, "NVTX_TEST_LOG": logs[1]}, compare=False,
                      output=f"cupti{test.n_runs}.rf")
    expect_equal(run.outcome.status, bare.status, "exit status with both")
    run.check_nothing_lost()
    return [heard(log) for log in logs]


def case_chain_cupti(test):
    """CUPTI is a tool of NVTX too (CUPTI_CB_DOMAIN_NVTX). Each function that it takes is called as often as without the
    recorder, and it tells its subscriber as much; without a GPU it takes no subscriber, which is said."""
    if not os.path.exists(test.program("cupti-witness.so")):
        raise Skip("cupti-witness.so counts calls in code of x86-64")
    n_hearing = 0
    for library in cuptis(test):
        for program in (("basic", "all"), ("every_extension",)):
            both = cupti_hears(test, library, *program)
            if both is None:
                continue
            alone_lines, lines = both
            expect_equal(lines, alone_lines, f"what {library} hears of {program}")
            results = dict(line.split() for line in lines if line.startswith("cu"))
            calls = [int(line.split()[-1]) for line in lines if line.startswith("module")]
            told = [int(line.split()[-1]) for line in lines if line.startswith("callback")]
            print(f"{library}: {program[0]}: {results}, {len(calls)} functions, {sum(calls)} calls, {sum(told)} told")
            fail_if(results["cuptiSubscribe"] == "0" and sum(told) == 0, "its subscriber is told nothing")
            if program[0] == "basic":
                fail_if(calls and sum(calls) < 400, f"only {sum(calls)} calls reach it")
                n_hearing += len(calls) > 30
    if n_hearing == 0:
        raise Skip("no CUPTI that is here attaches to NVTX without a GPU (PyPI: nvidia-cuda-cupti-cu12)")


def case_chain_cupti_itself(test):
    """The library of CUPTI as it is named by users; whether it attaches is for it to decide."""
    for i, library in enumerate(cuptis(test)):
        run = test.record("basic", "all", options=[f"--chain={library}"], output=f"itself{i}.rf")
        run.check_truth()
        says = test.command("info", run.output).stdout.decode()
        fail_if("is not in the chain" in says, says)


def case_chain_of_nothing(test):
    """What is no library is refused before the program starts; what has no entry point, or cannot be loaded, is left
    out."""
    done = test.run([test.rangefinder, "profile", "--chain=missing.so", "-o", "no", test.program("basic"), "all"])
    fail_if(done.status == 0 or b"cannot read 'missing.so'" not in done.stderr, done.stderr)
    run, _ = chained(test, "basic", "all", options=[f"--chain={test.program('basic')}"])
    run.check_truth()
    says = test.command("info", run.output).stdout.decode()
    fail_if("is not in the chain" not in says, says)
    path = test.path("text.so")
    with open(path, "w", encoding="ascii") as file:
        file.write("this is no library " * 100)
    run, _ = chained(test, "basic", "all", options=[f"--chain={path}"])
    run.check_truth()
    says = test.command("info", run.output).stdout.decode()
    fail_if(f"the tool '{path}' is not in the chain: {path}: invalid ELF header" not in says, says)


def case_chain_behind_a_sanitizer(test):
    """The runtime of AddressSanitizer insists on being the first of the preloaded libraries."""
    found = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=False)
    runtime = os.path.realpath(found.stdout.strip())
    needed = subprocess.run(["ldd", test.program("basic")], capture_output=True, text=True, check=False).stdout
    if not os.path.exists(runtime) or "libasan" in needed:
        raise Skip("gcc has no libasan.so, or this build has that sanitizer")
    env = {"LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0"}
    run, lines = chained(test, "basic", "all", env=env)
    run.check_truth()
    fail_if(len(lines) < 400, f"only {len(lines)} calls")
