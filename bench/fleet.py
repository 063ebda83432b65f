#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fleet.py FOLDER: sums up a job, on this machine and by a scheduler of Dask with two workers, and prints
lines of a name, a number and a target."""

import importlib.util
import os
import resource
import subprocess
import sys
import time

from rangefinder import fleet

TICKS = os.sysconf("SC_CLK_TCK")


def spent(pid):
    """Seconds of the processor that a process has taken."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        words = file.read().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / TICKS


def most_memory(pid):
    """MB that a process had at most."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) / 1024


def show(name, value, target="-"):
    print(name, f"{value:.4g}", target, flush=True)


def embedded(folder):
    began, own = time.monotonic(), time.process_time()
    with fleet.open(folder) as job:
        files = job.files
        read_s, own_s = time.monotonic() - began, time.process_time() - own
        began = time.monotonic()
        summary = job.summary()
        add_s = time.monotonic() - began
        began = time.monotonic()
        job.stats("nvtx_sum")
        report_s = time.monotonic() - began
    n = len(files)
    show("processor_per_rank", sum(file.cpu_ns for file in files) / 1e9 / n, 0.25)
    show("__of_this_process", own_s / n)
    show("memory_of_a_task_at_most", max(file.memory_bytes for file in files) / 1e6, 300)
    show("time_to_read_all_ranks", read_s)
    show("time_to_put_the_summaries_together", add_s)
    show("time_of_a_report_of_all_ranks", report_s)
    show("summary_of_a_rank,_kB", len(summary) / 1e3 / n)
    show("memory_of_this_process", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return summary


def by_dask(folder, expected):
    from distributed import Client

    def start(*words):
        return subprocess.Popen([sys.executable, "-m", "dask", *words, "--scheduler-file", "s.json", "--no-dashboard"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    processes = [start("scheduler", "--host", "127.0.0.1", "--port", "0")]
    try:
        while not os.path.exists("s.json"):
            time.sleep(0.05)
        processes += [start("worker", "--nthreads", "1", "--no-nanny") for _ in range(2)]
        with Client(scheduler_file="s.json") as client:
            client.wait_for_workers(2)
            scheduler, own, began = spent(processes[0].pid), time.process_time(), time.monotonic()
            with fleet.open(folder, client) as job:
                n = len(job.files)
                scheduler = spent(processes[0].pid) - scheduler
                own, read_s = time.process_time() - own, time.monotonic() - began
                if job.summary() != expected:
                    sys.exit("fleet.py: Dask's result differs")
        show("Dask:_scheduler's_processor_per_task,_ms", 1e3 * scheduler / n, 10)
        show("Dask:_client's_processor_per_task,_ms", 1e3 * own / n)
        show("Dask:_time_to_read_all_ranks", read_s)
        show("Dask:_memory_of_a_worker", max(most_memory(process.pid) for process in processes[1:]), 300)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def main():
    summary = embedded(sys.argv[1])
    if importlib.util.find_spec("distributed") is not None:
        by_dask(sys.argv[1], summary)


if __name__ == "__main__":
    main()
