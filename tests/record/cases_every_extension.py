# SPDX-License-Identifier: Apache-2.0
"""Every function of NVTX's extensions: recordings of a program that was built with NVIDIA's headers are
those of the program that was built with ours."""

import json
import os
import re

from data_records import Rows
from harness import Skip, expect_equal, fail_if

HERE = os.path.dirname(os.path.abspath(__file__))
OURS = os.path.join(HERE, "..", "..", "include")
VARIES = {"start_ns", "end_ns", "duration_ns", "pid", "tid", "range_id", "handle"}
TIMES = {"begin", "end"}  # entries of payloads


def read(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


def without(value, names):
    """value; where it is an object: what it has but those names."""
    if not isinstance(value, dict):
        return value
    return {name: item for name, item in value.items() if name not in names}


def lines_of(test, run):
    """What the recording has as JSON lines, without what says when and where it was made."""
    run.check_nothing_lost()
    done = test.command("export", "-t", "jsonl", "-o", "-", run.output)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    lines = [line for line in lines if line["type"] not in ("recording", "process", "thread")]
    return [{name: without(value, TIMES) for name, value in without(line, VARIES).items()}
            for line in lines]


def counted(test, run):
    """What `info` says of NVTX's extensions."""
    text = test.command("info", run.output).stdout.decode()
    return [re.sub(r"\d+ bytes", "", line) for line in text.splitlines() if "NVTX" in line or "nvtx" in line]


def check_all_called(include):
    """every_extension.c calls all functions of the headers in a folder."""
    functions = {name for header in ("Payload", "Counters", "Mem", "MemCudaRt")
                 for name in re.findall(r"\bNVTX_API\s+(nvtx\w+)\s*\(",
                                        read(os.path.join(include, "nvtx3", f"nvToolsExt{header}.h")))}
    called = set(re.findall(r"\bnvtx\w+(?=\()", read(os.path.join(HERE, "every_extension.c"))))
    expect_equal(sorted(functions - called), [], f"functions of {include} that are not called")
    fail_if(len(functions) < 41, f"{len(functions)} functions found in {include}")


def case_every_extension_is_called(test):
    """All functions of our headers are called."""
    check_all_called(OURS)


def compare(test, ours, theirs):
    expect_equal(theirs.outcome.stdout, ours.outcome.stdout, "what the functions return")
    lines = lines_of(test, ours)
    expect_equal(lines_of(test, theirs), lines, "JSON lines")
    types = {line["type"] for line in lines}
    fail_if(not {"mark", "push_pop", "start_end", "counter", "sample", "nvtx_heap", "nvtx_region"} <= types,
            f"only {types}")
    marks = [line["payload"] for line in lines if line["type"] == "mark"]
    expect_equal(marks[0][0]["path"], "/tmp/file", "text beside a text whose size is left to the tool")
    kinds = {"SCHEMA", "ENUM", "SCOPE", "COUNTER", "TYPE_SIZES", "TIME_DOMAIN", "TIME_RELATION", "HEAP"}
    definitions = [[row[1:] for row in Rows(run.output).definitions] for run in (ours, theirs)]
    expect_equal({row[0] for row in definitions[0]}, kinds, "kinds of definitions")
    definitions = [[row if row[0] != "TIME_RELATION" else row[:-1] + (len(row[-1]),) for row in rows]  # it has times
                   for rows in definitions]
    expect_equal(definitions[1], definitions[0], "definitions")
    expect_equal(counted(test, theirs), counted(test, ours), "what is counted")


def case_every_extension_with_nvidia_headers(test):
    """Those of NVTX 3.7, which have all of it."""
    folders = [folder for folder in test.nvidia_headers()
               if os.path.exists(os.path.join(folder, "nvtx3", "nvToolsExtSemanticsCorrelation.h"))]
    if not folders:
        raise Skip("no headers of NVIDIA's of NVTX 3.7 (set NVTX_NVIDIA_INCLUDE)")
    ours = test.record("every_extension", compare=False)
    for folder in folders:
        check_all_called(folder)
        compare(test, ours, test.record(test.build_with_headers("every_extension", folder), compare=False))
