# SPDX-License-Identifier: Apache-2.0
"""What was recorded of CUDA, in exports: the database that nsys reads, names of streams."""

import collections
import csv
import importlib.util
import io
import json
import os
import shutil
import sqlite3
import subprocess

from double import Skip, expect_equal, fail_if

PROJECTION = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "projection")

# Work of all kinds, under ranges; a graph node by node, which both take for the kernels of its
# launch.
STEPS = ("push=outer init launch=4 copy=100000 set=65536 stream=1 push=inner launch=2 pop"
         " peer=4096 alloc=1048576 event event-sync stream=2 wait-event driver=3 stream-sync"
         " push=graph graph=5 pop sync copy-back=4096 pop threads=2:push=side+launch=2+copy=64+pop")
OPTIONS = ("--cuda-graph-trace=node", "--cuda-memory-usage=true", "--cuda-event-trace=true")

# Where no kernel waited after its call had returned, one of us has None, and the other 0.
NO_QUEUE = ("QAvg (ns)", "QMed (ns)", "QMin (ns)", "QMax (ns)", "QStdDev (ns)")

NAMES = ("init name-device=0:trainer name-context=primary stream=1 name=temporary name=compute"
         " launch=2 stream=2 name=copies copy=64 event name-event=done wait-event event-sync"
         " stream=3 launch=1 sync")


def export(test, run, form, *options):
    path = run.path("export." + form)
    test.command("export", "-q", "-f", "-t", form, *options, "-o", path, run.output)
    return path


def load_tables():
    """The comparison of tests/projection."""
    path = os.path.join(PROJECTION, "tables_against_nsys.py")
    spec = importlib.util.spec_from_file_location("tables_against_nsys", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def nsys_table(report, path):
    done = subprocess.run(["nsys", "stats", "-q", "-r", report, "-f", "csv", "-o", "-", path],
                          capture_output=True, text=True, check=False)
    fail_if(done.returncode != 0, f"nsys stats -r {report}: {done.stderr}")
    lines = [line for line in done.stdout.splitlines() if line.count(",") > 2]
    return list(csv.DictReader(io.StringIO("\n".join(lines))))


def case_nsys_stats(test):
    """nsys's own reports of our database are ours of the recording."""
    if shutil.which("nsys") is None:
        raise Skip("nsys is not installed")
    run = test.cuda(STEPS, OPTIONS)
    run.check(nodes=True, memory=True, event=True)
    path = export(test, run, "sqlite")
    tables = load_tables()
    wanted = dict(tables.NEWER, nvtxgpuproj="nvtx_gpu_proj_trace")
    for older in ("cudaapisum", "gputrace", "gpumemsizesum", "gpumemtimesum", "gpusum",
                  "kernexecsum", "kernexectrace", "apigpusum", "cudaapitrace", "nvtxkernsum",
                  "nvtxgpuproj"):
        theirs = nsys_table(older, path)
        fail_if(not theirs, f"nsys has nothing for {older}")
        for source in (run.output, path):
            ours = tables.report(test.rangefinder, wanted[older], source)
            tables.compare((older, source), list(csv.DictReader(io.StringIO(ours))), theirs,
                           {"T-Pri", "GreenCtx", *NO_QUEUE})
    check_kernels(tables, run, path)
    # the sum over ranges is reckoned from the trace: its rows are those of nsys
    trace = nsys_table("nvtxgpuproj", path)
    text = tables.report(test.rangefinder, "nvtx_gpu_proj_sum", run.output)
    rows = {row["Range"].removeprefix(":"): row for row in csv.DictReader(io.StringIO(text))}
    expect_equal(set(rows), {"outer", "inner", "graph", "side"}, "ranges with GPU work")
    for name, row in rows.items():
        mine = [r for r in trace if r["Name"] == name]
        expect_equal([int(row["Range Instances"]), int(row["Total GPU Ops"]),
                      int(row["Total Proj Time (ns)"])],
                     [len(mine), sum(int(r["NumGPUOps"]) for r in mine),
                      sum(int(r["Projected Duration (ns)"]) for r in mine)], f"projection of {name}")


def check_kernels(tables, run, path):
    """This version of nsys tells launches of different sizes apart: gpukernsum."""
    sums = collections.Counter()
    for row in nsys_table("gpukernsum", path):
        sums[row["Name"], "Instances"] += int(row["Instances"])
        sums[row["Name"], "Total Time (ns)"] += int(row["Total Time (ns)"])
    text = tables.report(run.test.rangefinder, "cuda_gpu_kern_sum", run.output)
    ours = {(row["Name"], column): int(row[column])
            for row in csv.DictReader(io.StringIO(text)) for column in ("Instances", "Total Time (ns)")}
    expect_equal(ours, dict(sums), "kernels")


def columns_of(path, table):
    with sqlite3.connect(path) as database:
        return [row[1] for row in database.execute(f"PRAGMA table_info({table})")]


def rows_of(path, sql):
    with sqlite3.connect(path) as database:
        return database.execute(sql).fetchall()


def case_places(test):
    """GPUs, devices, contexts, streams, memory, events and waits in nsys's tables."""
    run = test.cuda(STEPS, OPTIONS)
    path = export(test, run, "sqlite")
    pid = run.of_type("process")[0]["pid"]
    expect_equal(rows_of(path, "SELECT id, name, busLocation, smCount, computeMajor, computeMinor,"
                               " smMajor, cuDevice, clockRate > 1000000 FROM TARGET_INFO_GPU"),
                 [(0, "Double 0", "0000:10:00.0", 132, 9, 0, 9, 0, 1),
                  (1, "Double 1", "0000:11:00.0", 132, 9, 0, 9, 1, 1)], "GPUs")
    expect_equal(rows_of(path, "SELECT d.gpuId, cudaId, pid, d.uuid = g.uuid, numMultiprocessors"
                               " FROM TARGET_INFO_CUDA_DEVICE d JOIN TARGET_INFO_GPU g"
                               " ON g.id = d.gpuId"),
                 [(0, 0, pid, 1, 132), (1, 1, pid, 1, 132)], "devices")
    contexts = rows_of(path, "SELECT processId, deviceId, contextId, nullStreamId, isGreenContext"
                             " FROM TARGET_INFO_CUDA_CONTEXT_INFO")
    expect_equal([row[:3] for row in contexts], [(pid, 0, 1), (pid, 1, 2)], "contexts")
    streams = rows_of(path, "SELECT contextId, streamId, priority, flag FROM TARGET_INFO_CUDA_STREAM")
    null_streams = [(row[2], row[3]) for row in contexts]
    expect_equal([row[:2] for row in streams if row[3] == 3], null_streams, "default streams")
    used = rows_of(path, "SELECT DISTINCT contextId, streamId FROM CUPTI_ACTIVITY_KIND_KERNEL")
    expect_equal(set(used) - {row[:2] for row in streams}, set(), "streams that are not listed")
    memory = rows_of(path, "SELECT m.bytes, m.memoryOperationType, m.memKind, s.value"
                           " FROM CUDA_GPU_MEMORY_USAGE_EVENTS m"
                           " JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)"
                           " JOIN StringIds s ON s.id = r.nameId WHERE r.eventClass = 0"
                           " ORDER BY m.start")
    expect_equal([row[1:3] for row in memory], [(0, 2), (1, 2)], "memory")
    expect_equal(memory[0][0], 1048576, "bytes that were allocated")
    fail_if(not memory[0][3].startswith("cudaMalloc"), f"what allocated it: {memory}")
    waits = rows_of(path, "SELECT count(*), count(eventId) FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION")
    fail_if(waits[0][0] < 4 or waits[0][1] < 2, f"waits: {waits}")
    expect_equal(rows_of(path, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT"), [(1,)],
                 "events")


def case_references(test):
    """What refers to a row of another table finds it; columns are those of nsys."""
    run = test.cuda(STEPS, OPTIONS[1:])
    path = export(test, run, "sqlite")
    expect_equal(columns_of(path, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"),
                 ["start", "end", "deviceId", "contextId", "greenContextId", "streamId",
                  "correlationId", "globalPid", "graphId", "graphExecId"], "columns of graphs")
    enums = {"CUPTI_ACTIVITY_KIND_KERNEL": {"launchType": "ENUM_CUDA_KERNEL_LAUNCH_TYPE",
                                            "cacheConfig": "ENUM_CUDA_FUNC_CACHE_CONFIG"},
             "CUPTI_ACTIVITY_KIND_MEMCPY": {"copyKind": "ENUM_CUDA_MEMCPY_OPER",
                                            "srcKind": "ENUM_CUDA_MEM_KIND",
                                            "dstKind": "ENUM_CUDA_MEM_KIND"},
             "CUPTI_ACTIVITY_KIND_MEMSET": {"memKind": "ENUM_CUDA_MEM_KIND"},
             "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": {"syncType": "ENUM_CUPTI_SYNC_TYPE"},
             "CUPTI_ACTIVITY_KIND_RUNTIME": {"eventClass": "ENUM_NSYS_EVENT_CLASS",
                                             "nameId": "StringIds"},
             "CUDA_GPU_MEMORY_USAGE_EVENTS": {"memoryOperationType": "ENUM_CUDA_DEV_MEM_EVENT_OPER",
                                              "memKind": "ENUM_CUDA_MEM_KIND"},
             "TARGET_INFO_CUDA_STREAM": {"flag": "ENUM_CUPTI_STREAM_TYPE"}}
    for table, columns in enums.items():
        for column, enum in columns.items():
            bad = rows_of(path, f"SELECT {column} FROM {table} WHERE {column} NOT IN"
                                f" (SELECT id FROM {enum})")
            fail_if(bad or not rows_of(path, f"SELECT 1 FROM {table} LIMIT 1"),
                    f"{table}.{column}: {bad}")
    for table in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE"):
        bad = rows_of(path, f"SELECT count(*) FROM CUPTI_ACTIVITY_KIND_{table} w WHERE NOT EXISTS"
                            " (SELECT 1 FROM CUPTI_ACTIVITY_KIND_RUNTIME r"
                            " WHERE r.correlationId = w.correlationId"
                            " AND r.globalTid / 0x1000000 * 0x1000000 = w.globalPid)")
        expect_equal(bad, [(0,)], f"{table} without its call")


def case_names(test):
    """Names given with NVTX: tracks, tables."""
    run = test.cuda(NAMES, ("--cuda-event-trace=true",))
    run.check(event=True)
    stream = {op["name"]: op["stream"] for op in run.of_type("kernel")}
    with open(export(test, run, "json"), encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    tracks = {e["args"]["name"] for e in events if e.get("name") == "thread_name"}
    compute = next(t for t in tracks if t.endswith("(compute)"))
    fail_if(not compute.startswith("GPU 0 (trainer) context 1 (primary) stream "), f"{tracks}")
    fail_if(str(stream["forward"]) not in compute, f"{compute}: {stream}")
    fail_if(not any(t.endswith("(copies)") for t in tracks), f"{tracks}")
    for options, words in ((("--gpu-events",), (b"(compute)", b"(copies)")),
                           ((), (b": compute", b": copies"))):
        with open(export(test, run, "perfetto", *options), "rb") as file:
            trace = file.read()
        for word in words:
            fail_if(word not in trace, f"{word} is not in the trace of Perfetto {options}")
    path = export(test, run, "sqlite")
    expect_equal(rows_of(path, "SELECT name, deviceId FROM TARGET_INFO_NVTX_CUDA_DEVICE"),
                 [("trainer", 0)], "names of devices")
    expect_equal(rows_of(path, "SELECT name, deviceId, contextId FROM TARGET_INFO_NVTX_CUDA_CONTEXT"),
                 [("primary", 0, 1)], "names of contexts")
    names = dict(rows_of(path, "SELECT name, streamId FROM TARGET_INFO_NVTX_CUDA_STREAM"))
    expect_equal(set(names), {"compute", "copies"}, "names of streams")
    expect_equal(names["compute"], stream["forward"], "which stream is named")
    expect_equal(run.of_type("cuda_event")[0]["name"], "done", "name of the event")
    again = run.path("again.jsonl")  # an import of the database has the names, too
    test.command("export", "-q", "-t", "json", "-o", again, path)
    with open(again, encoding="utf-8") as file:
        found = {e["args"]["name"] for e in json.load(file)["traceEvents"]
                 if e.get("name") == "thread_name"}
    expect_equal({t for t in found if t.startswith("GPU")},
                 {t for t in tracks if t.startswith("GPU")}, "tracks of the import")


def case_bad_times(test):
    """Work whose times cannot be true is in the tables, and a table of our own says so."""
    run = test.cuda("init launch=6 sync", zero_times=2)
    path = export(test, run, "sqlite")
    flagged = [op for op in run.of_type("kernel") if op.get("flags")]
    fail_if(not flagged, "no kernel without times: the stand-in gives some")
    notes = rows_of(path, "SELECT tableName, count(DISTINCT k.rowid), min(note) FROM"
                          " RANGEFINDER_TIME_NOTES n JOIN CUPTI_ACTIVITY_KIND_KERNEL k"
                          " ON k.rowid = n.eventId GROUP BY tableName")
    expect_equal(notes, [("CUPTI_ACTIVITY_KIND_KERNEL", len(flagged), "no_end")], "notes")


def case_scrub(test):
    """What is given away does not say where libcupti lies; what it is remains."""
    run = test.cuda(STEPS, OPTIONS)
    test.command("scrub", "-o", run.path("given.rf"), run.output)
    with open(run.output, "rb") as file:
        fail_if(b"path=" not in file.read(), "the library was not recorded")
    with open(run.path("given.rf"), "rb") as file:
        given = file.read()
    fail_if(b"libcupti" in given or b"path=" in given, "a path of libcupti")
    fail_if(b"version=" not in given, "its version is missing")
    for what in ("kernel", "memcpy", "cuda_runtime"):
        expect_equal(run.count(what, path=run.path("given.rf")), run.count(what), what)
