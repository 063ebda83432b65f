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


def case_chain_sized(test):
    """Structures of an older and of a newer program end where they say; a tool is not told of more than it gets."""
    for mode in ("short", "long"):
        run, lines = chained(test, "sized", mode)
        expect_equal(run.outcome.status, 0, f"exit status of {mode}")
        sizes = {line.split()[0]: re.search(r" size=(\d+) ", line).group(1) for line in lines
                 if line.startswith(("ScopeRegister", "CounterRegister", "MemHeapRegister"))}
        whole = {"ScopeRegister": "32", "CounterRegister": "56"}
        expect_equal(sizes, {**whole, "MemHeapRegister": "48"} if mode == "long" else whole, f"sizes, {mode}")
        for what in ("ScopeRegister", "CounterRegister", "PayloadSchemaRegister"):
            fail_if(not any(re.match(what + r" .* id=f0000\w{3}\b", line) for line in lines), f"{what}: {lines}")
        fail_if(not any(line.startswith("PayloadEnumRegister") and "'one'" in line for line in lines), lines)
        fail_if(not any("CounterSampleInt64" in line for line in lines), lines)


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


def info_of(test, run):
    return test.command("info", run.output).stdout.decode()


def case_chain_of_nothing(test):
    """What is no library is refused before the program starts; what has no entry point, or cannot be loaded, is left
    out, with the reason."""
    text, folder = test.path("text.so"), test.path("folder")
    with open(text, "w", encoding="ascii") as file:
        file.write("this is no library " * 100)
    os.mkdir(folder)
    for path, says in (("missing.so", "cannot read 'missing.so'"), (text, "is no library"), (folder, "is no library")):
        done = test.run([test.rangefinder, "profile", f"--chain={path}", "-o", "no", test.program("basic"), "all"])
        fail_if(done.status == 0 or says not in done.stderr.decode(), done.stderr)
    damaged = test.path("damaged.so")
    with open(damaged, "wb") as file:
        file.write(b"\x7fELF" + b"x" * 2000)
    lacking = test.program("tool-lacking.so")
    for path, says in ((test.program("basic"), ""), (damaged, f"{damaged}: "),
                       (lacking, "lacked.so: cannot open shared object file")):
        run, _ = chained(test, "basic", "all", options=[f"--chain={path}"])
        run.check_truth()
        said = f"the tool '{path}' is not in the chain: {says}"[:127]
        fail_if(said not in info_of(test, run), f"{said}: {info_of(test, run)}")


def case_chain_of_ours(test):
    """Our own libraries and the same one twice are refused, by what they are and not by their names; copies of ours are
    left out."""
    lib = os.path.join(os.path.dirname(os.path.dirname(test.rangefinder)), "lib")
    again = test.path("again.so")
    os.symlink(listener(test), again)
    for tools, says in ((["librangefinder-chain.so"], "own library"), (["librangefinder-inject.so"], "own library"),
                        ([listener(test), again], "is named twice")):
        options = [f"--chain={os.path.join(lib, tool)}" for tool in tools]
        done = test.run([test.rangefinder, "profile", *options, "-o", "no", test.program("basic"), "all"])
        fail_if(done.status == 0 or says not in done.stderr.decode(), done.stderr)
    for name in ("librangefinder-chain.so", "librangefinder-inject.so"):
        copy = test.path("x-" + name)
        shutil.copy(os.path.join(lib, name), copy)
        run, _ = chained(test, "basic", "all", options=[f"--chain={copy}"])
        run.check_truth()
        said = f"the tool '{copy}' is not in the chain: it is a library of Rangefinder"[:127]
        fail_if(said not in info_of(test, run), f"{said}: {info_of(test, run)}")
    env = {"NVTX_INJECTION64_PATH": again}
    run, lines = chained(test, "basic", "all", options=[f"--chain={listener(test)}", "--chain=auto"], env=env)
    run.check_truth()
    expect_equal(len([line for line in lines if line.startswith("attach ")]), 1, "times that it attaches")


def case_chain_annotates(test):
    """A tool that annotates while it begins, by a copy of NVTX that would load the chain again, does not wait for
    itself."""
    run, _ = chained(test, "basic", "all", options=[f"--chain={test.program('tool.so')}"],
                     env={"NVTX_TEST_TOOL": "annotate"})
    run.check_truth()


def case_chain_crash(test):
    """A tool that ends the program is named: while it begins, and beside the signal later."""
    tool = f"--chain={test.program('tool.so')}"
    traps = 128 + signal.SIGILL, 128 + signal.SIGTRAP  # what the compiler's trap is, by the processor
    for what, statuses in (("crash", traps), ("exit", (3,))):
        output = test.path(what + ".rf")
        done = test.run([test.rangefinder, "profile", tool, "-o", output, test.program("churn"), "mark"],
                        env={"NVTX_TEST_TOOL": what})
        fail_if(done.status not in statuses, f"{what}: status {done.status}")
        fail_if("no annotation was executed" in done.stderr.decode(), done.stderr)
        fail_if("a tool of --chain was beginning" not in done.stderr.decode(), done.stderr)
        says = test.command("info", output).stdout.decode()
        fail_if(not re.search(r"process \d+ ended while the tool 'tool.so' was beginning", says), says)
        expect_equal(glob.glob(test.path("*.rfdir*")), [], "what is left of the session")
    run, _ = chained(test, "churn", "mark", options=[tool], env={"NVTX_TEST_TOOL": "later"})
    fail_if(run.outcome.status not in traps, f"later: status {run.outcome.status}")
    fail_if("in the chain when the program crashed: 'tool.so'" not in info_of(test, run), info_of(test, run))
    run, _ = chained(test, "churn", "mark", options=[tool])
    fail_if("tool.so" in info_of(test, run).replace(tool, ""), info_of(test, run))


def case_chain_many_handles(test):
    """What is destroyed gives its place back; where all places are taken that is said, and counted."""
    tool = [f"--chain={test.program('tool.so')}"]
    run, lines = chained(test, "churn", "destroy", 1100000, options=tool)
    expect_equal(lines, ["acquires"], "what the tool hears")
    fail_if("the chain is full" in info_of(test, run), info_of(test, run))
    os.remove(test.path("chain.log"))
    run, lines = chained(test, "churn", "keep", 1100000, options=tool)
    expect_equal(lines, [], "what the tool hears")
    says = info_of(test, run)
    fail_if("the chain is full" not in says, says)
    n = re.search(r"tools in the chain did not hear of (\d+) handles", says)
    fail_if(n is None or int(n.group(1)) < 1100001 - (1 << 20), says)


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
