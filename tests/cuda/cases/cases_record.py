# SPDX-License-Identifier: Apache-2.0
"""What happened is what is recorded: everything once, at its time, with its call."""

import json
import os
import re
import sqlite3

from double import SHORT_NAMES, expect_equal, fail_if

EVERYTHING = ("init launch=4 copy=100000 set=65536 stream=1 launch=2 peer=4096 alloc=1048576 event "
              "event-sync stream=2 wait-event driver=3 stream-sync graph=5 sync copy-back=4096 "
              "start stop noise=3")

# One each in which a record's layout changed, as cuptiGetVersion() gives them.
VERSIONS = (18, 19, 20, 21, 22, 24, 26, 28, 130000, 130001, 130100, 130300, 130400, 140000)


def case_everything(test):
    run = test.cuda(EVERYTHING)
    run.check()
    expect_equal(run.count("kernel"), 9, "kernels")
    expect_equal(run.count("graph"), 1, "graphs")
    fail_if("nothing lost" not in run.says, f"the summary: {run.says}")


def case_options(test):
    """Each node of a graph, memory, events, all calls."""
    options = ("--cuda-graph-trace=node", "--cuda-memory-usage=true", "--cuda-event-trace=true",
               "--cuda-trace-all-apis=true")
    run = test.cuda(EVERYTHING, options)
    run.check(nodes=True, memory=True, event=True, noise=True)
    expect_equal(run.count("kernel"), 14, "kernels")
    expect_equal(run.count("memory"), 2, "allocations and releases")


def version_case(version):
    def case(test):
        run = test.cuda(EVERYTHING, ("--cuda-memory-usage=true", "--cuda-event-trace=true"),
                        cupti_version=version)
        run.check(memory=True, event=True)

    case.__doc__ = f"Records as CUPTI {version} lays them out."
    return case


for number in VERSIONS:
    globals()[f"case_version_{number}"] = version_case(number)


def case_threads(test):
    """Many threads at once; since 12.3 each has a buffer of its own."""
    for version in (20, 22, 130000, 130001):
        run = test.cuda("init threads=8:launch=100+copy=64+driver=10 sync", cupti_version=version)
        run.check()
        expect_equal(run.count("kernel"), 880, "kernels")
        expect_equal(len({c["tid"] for c in run.of_type("cuda_runtime")}), 9, "threads")


def case_attributes(test):
    """CUPTI zeroes no buffer, which it would do where the program launches, and gives each thread
    one of its own, where it can."""
    zeroed, per_thread = ["5", "1", "0"], ["9", "1", "0"]
    for version in (18, 20, 21, 130001):
        run = test.cuda("init duration=100 threads=4:launch=3000 sync launch=100 sync",
                        cupti_version=version)
        expect_equal(run.count("kernel"), 12100, "kernels")
        expect_equal(run.calls("zeroed"), [], f"buffers that CUPTI {version} zeroed")
        expect_equal(run.calls("attribute"), [per_thread, zeroed] if version > 20 else [zeroed],
                     f"attributes of CUPTI {version}")


def case_streams(test):
    """Work of one stream is in order, and beside that of others."""
    run = test.cuda("init duration=2000000 stream=1 launch=3 stream=2 launch=3 sync")
    run.check()
    kernels = sorted(run.of_type("kernel"), key=lambda k: k["start_ns"])
    for stream in {k["stream"] for k in kernels}:
        mine = [k for k in kernels if k["stream"] == stream]
        expect_equal(len(mine), 3, f"kernels of stream {stream}")
        fail_if(any(a["end_ns"] > b["start_ns"] for a, b in zip(mine, mine[1:])), "order")
    fail_if(kernels[-1]["stream"] == kernels[0]["stream"], "streams do not overlap")


def case_after_launch(test):
    """No kernel begins before its launch, none ends behind the wait for it."""
    run = test.cuda("init launch=50 sync")
    run.check()
    calls = {c["correlation"]: c for c in run.of_type("cuda_runtime")}
    wait = [s for s in run.of_type("sync") if s["sync_type"] == "Context sync"][0]
    for kernel in run.of_type("kernel"):
        fail_if(kernel["start_ns"] < calls[kernel["correlation"]]["start_ns"] - 1000, kernel)
        fail_if(kernel["end_ns"] > wait["end_ns"] + 1000, kernel)


def case_correlation_wraps(test):
    """Ids are numbered around the end of 32 bits."""
    run = test.cuda("init launch=100 sync", correlation=0xFFFFFFC0)
    run.check()
    expect_equal(run.count("kernel"), 100, "kernels")


def case_projection(test):
    """Ranges on the GPU reach from the first to the last of the work launched in them."""
    run = test.cuda("push=outer launch=3 push=inner copy=4096 launch=2 pop pop push=idle pop sync")
    run.check()
    done = test.command("stats", "-r", "nvtx_gpu_proj_trace", "-f", "json", run.output)
    rows = {re.sub("^:", "", row["Name"]): row for row in json.loads(done.stdout)}
    work = sorted(run.truth("kernel", "memcpy"), key=lambda n: n["start"])
    for name, mine in (("outer", work), ("inner", work[3:])):
        row = rows[name]
        start, end = mine[0]["start"], max(n["end"] for n in mine)
        off = row["Projected Start (ns)"] + run.info()["epoch_utc_ns"] - start
        fail_if(abs(off) > 100_000, f"{name} begins {off} ns off")
        fail_if(abs(row["Projected Duration (ns)"] - (end - start)) > 10_000, f"{name}: {row}")
    fail_if("idle" in rows, "a range that launched nothing")


def case_tables(test):
    """The tables that nsys's export has."""
    run = test.cuda(EVERYTHING, ("--cuda-memory-usage=true",))
    path = run.path("run.sqlite")
    test.command("export", "-t", "sqlite", "-o", path, run.output)
    with sqlite3.connect(path) as db:
        tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
        for table, n in (("CUPTI_ACTIVITY_KIND_KERNEL", 9), ("CUPTI_ACTIVITY_KIND_MEMCPY", 3),
                         ("CUPTI_ACTIVITY_KIND_MEMSET", 1), ("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", 1),
                         ("CUDA_GPU_MEMORY_USAGE_EVENTS", 2), ("TARGET_INFO_GPU", 2)):
            fail_if(table not in tables, f"no table {table}")
            expect_equal(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0], n, table)
        rows = db.execute("SELECT s.value, count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
                          "StringIds s ON s.id = k.shortName JOIN CUPTI_ACTIVITY_KIND_RUNTIME r "
                          "ON r.correlationId = k.correlationId GROUP BY 1").fetchall()
        expect_equal({name for name, _ in rows}, set(SHORT_NAMES.values()), "kernels by name")
        expect_equal(sum(n for _, n in rows), 9, "kernels with their call")


def case_devices(test):
    run = test.cuda("init launch sync")
    gpus = run.of_type("gpu")
    expect_equal([(g["device"], g["name"]) for g in gpus], [(0, "Double 0"), (1, "Double 1")],
                 "devices")
    expect_equal(gpus[0]["compute_capability"], [9, 0], "compute capability")
    expect_equal(gpus[0]["multiprocessors"], 132, "multiprocessors")


def case_many(test):
    """Buffers come and go; nothing is lost. (200,000 launches; CUDA_LAUNCHES=N: N.)"""
    n = int(os.environ.get("CUDA_LAUNCHES", "200000"))
    test.timeout_s = 600
    run = test.cuda(f"init duration=100 launch={n} sync", env={"RF_DOUBLE_TRUTH": None,
                                                                "RF_DOUBLE_CALLS": None})
    done = test.command("stats", "-r", "cuda_gpu_kern_sum", "-f", "json", run.output)
    rows = json.loads(done.stdout)
    expect_equal(sum(row["Instances"] for row in rows), n, "kernels")
    done = test.command("stats", "-r", "cuda_api_sum", "-f", "json", run.output)
    calls = {row["Name"]: row for row in json.loads(done.stdout)}
    expect_equal(calls["cudaLaunchKernel"]["Num Calls"], n, "calls")
    fail_if("nothing lost" not in run.says, run.says)


def case_many_outstanding(test):
    """CUPTI keeps its buffers for long, and asks for ever more of them."""
    run = test.cuda("init duration=100 launch=100000 sync", ("--cuda-flush-interval=3000",),
                    hold=1, env={"RF_DOUBLE_TRUTH": None})
    expect_equal([run.count("kernel"), run.count("cuda_runtime")], [100000, 100002], "records")


def case_no_memory(test):
    """The program has no memory for another buffer: it goes on, and that something was lost is
    said. (How much went into the buffer of last resort nobody knows.)"""
    run = test.cuda("init duration=100 launch=1000 limit=24 launch=150000 sync",
                    ("--cuda-flush-interval=3000",), hold=1, env={"RF_DOUBLE_TRUTH": None})
    n = run.count("kernel", "cuda_runtime", "sync")
    lost = re.search(r"LOST ([0-9,]+) records? of CUDA", run.says)
    fail_if(not lost or not 2000 < n < 2 * 151000, f"{n} records: {run.says}")


def case_busy_calls_are_filtered(test):
    """Calls that say nothing are turned off at the source."""
    run = test.cuda("init noise=1000 launch sync")
    run.check()
    names = {c["name"] for c in run.of_type("cuda_runtime", "cuda_driver")}
    fail_if("cudaGetDevice_v3020" in names or "cudaGetDevice" in names, names)


def case_launches_of_nvcc_13(test):
    """Its launches have a function of their own, and calls around it that say nothing."""
    run = test.cuda("init nvcc=10 sync")
    run.check()
    names = [c["name"] for c in run.of_type("cuda_runtime")]
    expect_equal(names.count("__cudaLaunchKernel_v13000"), 10, "launches")


def case_nobody_asks(test):
    """Without -t cuda nothing of CUDA is touched."""
    run = test.cuda("push=a launch=3 pop sync", trace=("-t", "nvtx"))
    expect_equal(run.text("calls"), "", "calls of CUPTI")
    expect_equal([run.count("kernel"), run.count("push_pop")], [0, 1], "kernels, ranges")
    run = test.cuda("print=ready", trace=("-t", "nvtx"))
    expect_equal(run.outcome.stdout, b"ready\n", "output")


def case_default_is_on(test):
    """Without -t, CUDA is recorded; a program without CUDA does not notice."""
    run = test.cuda("push=a launch=3 pop sync", trace=())
    run.check()
    expect_equal(run.count("kernel"), 3, "kernels")
    run = test.cuda("push=a pop", trace=())
    expect_equal([run.text("calls"), run.count("push_pop")], ["", 1], "calls of CUPTI, ranges")


def case_only_cuda(test):
    """-t cuda alone."""
    run = test.cuda("push=a launch=3 pop sync", trace=("-t", "cuda"))
    run.check()
    expect_equal([run.count("kernel"), run.count("push_pop")], [3, 0], "kernels, ranges")
