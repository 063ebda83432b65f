#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""definitions.py RANGEFINDER: what the columns of nsys's reports mean, where a simpler reading would do as
well for most recordings: ranges of one name in each other, launches that never waited, calls of which
only the start or the end was seen, priorities of threads, sizes of grids. The rows are those of the
reports of Nsight Systems 2022.4.2."""
import csv
import io
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

SQL = """
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES(1,'cudaLaunchKernel_v7000'),(2,'add'),(3,'void add<float>(int)'),(4,'read'),(5,'poll'),(6,'main thread'),(7,'worker');
CREATE TABLE ThreadNames(nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
INSERT INTO ThreadNames VALUES(6,20,281474976776193),(7,-5,281474976776194);
CREATE TABLE NVTX_EVENTS(start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
INSERT INTO NVTX_EVENTS VALUES(1,1000,59,'step',281474976776193,NULL,NULL,0),(10,500,59,'step',281474976776193,NULL,NULL,0),(20,90,59,'step',281474976776193,NULL,NULL,0),(600,700,59,'step',281474976776193,NULL,NULL,0),(2,800,60,'step',281474976776193,NULL,NULL,0),(15,300,59,'other',281474976776193,NULL,NULL,0),(5,50,59,'step',281474976776194,NULL,NULL,0);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(25,30,0,281474976776193,1,1,0,NULL),(100,120,0,281474976776193,2,1,0,NULL),(490,510,0,281474976776193,3,1,0,NULL),(650,660,0,281474976776193,4,1,0,NULL),(30,95,0,281474976776193,5,1,0,NULL),(10,12,0,281474976776194,6,1,0,NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(28,60,0,1,7,1,281474976710656,3,2,NULL,4,1,1,128,1,1),(110,160,0,1,7,2,281474976710656,3,2,NULL,4,1,1,128,1,1),(500,620,0,1,7,3,281474976710656,3,2,NULL,65536,2,1,128,1,1),(655,660,0,1,7,4,281474976710656,2,2,NULL,4,1,1,1024,1,1),(90,97,0,1,7,5,281474976710656,3,2,NULL,4,1,1,128,1,1),(20,33,0,1,7,6,281474976710656,3,2,NULL,4,1,1,128,1,1);
CREATE TABLE OSRT_API(start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, nestingLevel INTEGER, callchainId INTEGER);
INSERT INTO OSRT_API VALUES(1,5,27,281474976776193,4,0,NULL,NULL),(6,9,27,281474976776193,5,0,NULL,NULL),(10,19,31,281474976776193,4,0,NULL,NULL),(0,70,32,281474976776193,5,0,NULL,NULL);
"""

ROWS = {
    # kernels are counted once, and their time for every range
    "nvtx_kern_sum": """
:other,PushPop,0,65537,1,3,89,29.7,32.0,7,50,21.6,void add<float>(int)
:step,PushPop,0,65537,2,1,10,5.0,5.0,5,5,0.0,add
:step,PushPop,0,65537,3,4,330,41.3,32.0,7,120,35.8,void add<float>(int)
:step,PushPop,0,65538,1,1,13,13.0,13.0,13,13,0.0,void add<float>(int)
:step,StartEnd,0,65537,1,1,5,5.0,5.0,5,5,0.0,add
:step,StartEnd,0,65537,1,4,209,52.3,41.0,7,120,48.5,void add<float>(int)""",
    # events of class 27 alone
    "osrt_sum": """
42.9,3,1,3.0,3.0,3,3,0.0,poll
57.1,4,1,4.0,4.0,4,4,0.0,read""",
    "cuda_kern_exec_sum": """
0,65537,0,1,0,10.0,10.0,10,10,0.0,10.0,10.0,10,10,0.0,None,None,None,None,None,5.0,5.0,5,5,0.0,cudaLaunchKernel,add
0,65537,0,4,0,73.0,63.5,35,130,40.4,27.5,20.0,5,65,26.0,None,None,None,None,None,52.3,41.0,7,120,48.5,cudaLaunchKernel,void add<float>(int)
0,65538,0,1,1,23.0,23.0,23,23,0.0,2.0,2.0,2,2,0.0,8.0,8.0,8,8,0.0,13.0,13.0,13,13,0.0,cudaLaunchKernel,void add<float>(int)""",
    "gpukernsum": """
2.2,5,1,5.0,5.0,5,5,0.0,   4    1    1,1024    1    1,add
44.9,102,4,25.5,22.5,7,50,19.5,   4    1    1, 128    1    1,void add<float>(int)
52.9,120,1,120.0,120.0,120,120,0.0,65536    2    1, 128    1    1,void add<float>(int)""",
    "cuda_api_trace": """
10,2,cudaLaunchKernel,0,6,0,65538,-5,worker
100,20,cudaLaunchKernel,0,2,0,65537,20,main thread
25,5,cudaLaunchKernel,0,1,0,65537,20,main thread
30,65,cudaLaunchKernel,0,5,0,65537,20,main thread
490,20,cudaLaunchKernel,0,3,0,65537,20,main thread
650,10,cudaLaunchKernel,0,4,0,65537,20,main thread""",
}


def rows(text):
    return sorted(csv.reader(io.StringIO(text.strip())))


def main():
    rangefinder = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path, copy = pathlib.Path(folder) / "a.sqlite", pathlib.Path(folder) / "copy.sqlite"
        with sqlite3.connect(path) as database:
            database.executescript(SQL)
        subprocess.run([rangefinder, "export", "-q", "-o", copy, path], check=True)
        for file in (path, copy):
            for report, want in ROWS.items():
                text = subprocess.run([rangefinder, "stats", "-q", "--allow-empty", "-r", report, "-f", "csv", file],
                                      check=True, capture_output=True, text=True).stdout
                got = rows(text.split("\n", 1)[1])
                assert got == rows(want), (file.name, report, got)


main()
