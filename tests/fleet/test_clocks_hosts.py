# SPDX-License-Identifier: Apache-2.0
"""Clocks of several hosts, simulated on one: time, UTS and mount namespaces, and libfaketime for the time
of day. All of them have the processor's counter, which tells the truth: recordings of two "hosts" do
not know that."""

import glob
import json
import os
import shutil
import sqlite3
import subprocess
import sys

import pytest

from conftest import RANGEFINDER, SLOW, run

import rangefinder

BOOT_ID = "11111111-2222-3333-4444-555555555555"
DATE_OFF_NS = 3_000_000  # what FAKED adds to the time of day
FAKED = f"+{DATE_OFF_NS / 1e9} x1.00005"

RANK = """
import mmap, os, random, signal, struct, sys, time
from rangefinder import nvtx

path, rank, size, steps = sys.argv[1], *map(int, sys.argv[2:5])
with open(path, "r+b") as file:
    here = mmap.mmap(file.fileno(), 8 * size)

signal.alarm(120) # if another rank is gone

def barrier(number):
    struct.pack_into("<q", here, 8 * rank, number)
    while min(struct.unpack_from(f"<{size}q", here)) < number:
        os.sched_yield()

random.seed(rank)
barrier(1)
for step in range(steps):
    time.sleep(0.004 * random.random())
    with nvtx.annotate("sync"):
        barrier(step + 2)
"""

MPI_RANK = """
#include <mpi.h>
#include <nvtx3/nvToolsExt.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    srand((unsigned)rank);
    for (int i = 0; i < 200; i++) {
        usleep((unsigned)(rand() % 4000));
        nvtxRangePushA("sync");
        MPI_Barrier(MPI_COMM_WORLD);
        nvtxRangePop();
    }
    MPI_Finalize();
    return 0;
}
"""

# usage: sh -c HOST_B RANGEFINDER BOOT_ID_FILE LIBFAKETIME PROFILE-ARGUMENTS...
HOST_B = """hostname node2 && mount --bind "$1" /proc/sys/kernel/random/boot_id || exit 99
library=$2; shift 2
exec env LD_PRELOAD="$library" FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME="%s" "$0" profile "$@"
""" % FAKED


def faketime_library():
    found = glob.glob("/usr/lib/*/faketime/libfaketime.so.1") + glob.glob("/usr/lib/faketime/libfaketime.so.1")
    if not found:
        pytest.skip("libfaketime is not installed (faketime)")
    return found[0]


def in_namespace(*arguments):
    """A command in a time namespace that is 1000 s ahead, and in UTS and mount namespaces of its own."""
    command = ["unshare", "-m", "-u", "-T", "--monotonic", "1000", "--boottime", "1000", "--fork"]
    if shutil.which("unshare") is None or run(*command, "true").returncode != 0:
        pytest.skip("unshare cannot make time namespaces here")
    return [*command, *arguments]


def info_of(path):
    return json.loads(run(RANGEFINDER, "info", "--json", path).stdout)


def ticks_between(first, second):
    """From time 0 of one recording to that of the other, in ns, by the counter."""
    a, b = info_of(first), info_of(second)
    if not a["clocks"]["is_counter"]:
        pytest.skip("this machine has no counter that can be trusted")
    return (b["clocks"]["epoch_ticks"] - a["clocks"]["epoch_ticks"]) / a["clock_hz"] * 1e9


def merged(folder, *arguments):
    """What export says, and the table of inputs as {file name: (offset, method, uncertainty)}."""
    path = folder / "merged.sqlite"
    done = run(RANGEFINDER, "export", "-f", "true", "-o", path, *arguments)
    assert done.returncode == 0, done.stderr
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT file, clockOffsetNs, clockMethod, clockUncertaintyNs FROM RANGEFINDER_INPUTS")
        return done.stderr, {os.path.basename(row[0]): row[1:] for row in rows}, path


def ends_before_a_start(path, n_ranks):
    """How many barriers of merged recordings end on one rank before they begin on another."""
    with sqlite3.connect(path) as database:
        rows = database.execute(
            """SELECT min(end) < max(start), count(*) FROM (
                   SELECT start, end, row_number() OVER (PARTITION BY globalTid ORDER BY start) AS number
                   FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId
                   WHERE coalesce(text, value) = 'sync') GROUP BY number"""
        ).fetchall()
    assert len(rows) > 100 and {row[1] for row in rows} == {n_ranks}
    return sum(row[0] for row in rows)


def check_hosts(folder):
    """r0 and r1 of one host, r2 and r3 of the other one."""
    files = [folder / f"r{rank}.rf" for rank in range(4)]
    true_ns = ticks_between(files[0], files[2])
    assert info_of(files[2])["host"] == "node2" and info_of(files[2])["clocks"]["is_utc_faked"]

    _, inputs, _ = merged(folder, *files)
    assert inputs["r1.rf"][1] == "monotonic"
    offset_ns, method, uncertainty_ns = inputs["r2.rf"]
    assert (method, uncertainty_ns) == ("realtime", None)
    assert abs(offset_ns - true_ns - DATE_OFF_NS) < 500_000

    said, inputs, path = merged(folder, "--anchor", "sync", *files)
    offset_ns, method, uncertainty_ns = inputs["r2.rf"]
    assert method == "anchors" and inputs["r3.rf"][1] == "counter"  # a namespace of its own
    assert " by 200 anchors, which scatter by " in said and "; the time of day is off by " in said
    assert ends_before_a_start(path, 4) == 0
    places = rangefinder.align([files[0], rangefinder.open(files[1]), *files[2:]], anchor="sync")
    assert [(one["offset_ns"], one["method"], one["uncertainty_ns"]) for one in places] == list(inputs.values())
    assert [one["machine"] for one in places] == [0, 0, 2, 2] and places[2]["n_anchors"] == 200
    # MPI's last ranks leave 5 us later than the first ones, whatever the scatter
    with rangefinder.open(files[2]) as recording:
        ends = [one.end_ns for one in recording.ranges if one.name == "sync"]
    for at in min(ends), max(ends):
        assert abs(offset_ns + places[2]["drift"] * at - true_ns) <= uncertainty_ns
    assert abs(abs(places[2]["utc_disagrees_ns"]) - DATE_OFF_NS) < 500_000
    with pytest.raises(ValueError, match="no recording has the range 'nosuch'"):
        rangefinder.align(files, anchor="nosuch")
    with pytest.raises(TypeError, match="must be a list"):
        rangefinder.align(files[0])
    done = run(RANGEFINDER, "export", "-f", "true", "-o", folder / "merged.sqlite", "--anchor", "nosuch", *files)
    assert done.returncode == 1 and "--anchor: none of the inputs has it" in done.stderr


def test_two_hosts(tmp_path):
    """Four ranks of one host each two, which meet in shared memory."""
    library = faketime_library()
    (tmp_path / "boot_id").write_text(BOOT_ID + "\n")
    (tmp_path / "here").write_bytes(bytes(8 * 4))
    (tmp_path / "rank.py").write_text(RANK)
    started = []
    for rank in range(4):
        program = ["env", "-u", "LD_PRELOAD", sys.executable, tmp_path / "rank.py", tmp_path / "here", str(rank), "4", "200"]
        arguments = ["-q", "-o", tmp_path / f"r{rank}", *program]
        command = [RANGEFINDER, "profile", *arguments]
        if rank >= 2:
            command = in_namespace("sh", "-c", HOST_B, RANGEFINDER, tmp_path / "boot_id", library, *arguments)
        started.append(command)
    ranks = [subprocess.Popen([str(part) for part in command]) for command in started]
    try:
        statuses = [rank.wait(timeout=60 * SLOW) for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
    if statuses[2] == 99:
        pytest.skip("a file cannot be mounted over the boot id here")
    assert statuses == [0, 0, 0, 0]
    check_hosts(tmp_path)


def test_two_hosts_of_mpi(tmp_path):
    """The same with MPI_Barrier."""
    library = faketime_library()
    if shutil.which("mpicc") is None or shutil.which("mpirun") is None:
        pytest.skip("mpicc and mpirun are not installed (libopenmpi-dev, openmpi-bin)")
    (tmp_path / "boot_id").write_text(BOOT_ID + "\n")
    (tmp_path / "rank.c").write_text(MPI_RANK)
    include = os.path.join(os.path.dirname(__file__), "../../include")
    made = run("mpicc", "-I", include, "-o", tmp_path / "rank", tmp_path / "rank.c", "-ldl")
    assert made.returncode == 0, made.stderr
    other = " ".join(f"'{part}'" for part in in_namespace())
    (tmp_path / "host_b.sh").write_text(HOST_B)
    (tmp_path / "host.sh").write_text(
        f"""set -- '{RANGEFINDER}' -q -o '{tmp_path}'/r$OMPI_COMM_WORLD_RANK '{tmp_path}/rank'
program=$1; shift
[ "$OMPI_COMM_WORLD_RANK" -ge 2 ] || exec "$program" profile "$@"
exec {other} sh -c "$(cat '{tmp_path}/host_b.sh')" "$program" '{tmp_path}/boot_id' '{library}' "$@"
"""
    )
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    done = run("mpirun", "-n", "4", "sh", tmp_path / "host.sh", env=environment)
    if "cannot" in done.stderr and done.returncode == 99:
        pytest.skip("a file cannot be mounted over the boot id here")
    assert done.returncode == 0, done.stderr
    check_hosts(tmp_path)


def sleep_program(tmp_path):
    path = tmp_path / "sleep.py"
    path.write_text("import time\nfrom rangefinder import nvtx\n"
                    "for _ in range(5):\n    with nvtx.annotate('sleep'):\n        time.sleep(0.05)\n")
    return [sys.executable, path]


def duration_of(path):
    info = info_of(path)
    assert info["n_ranges"] == 5
    return info["end_ns"]


def test_time_namespaces(tmp_path):
    """One boot id, and CLOCK_MONOTONIC 1000 s apart: the counter tells."""
    program = sleep_program(tmp_path)
    inside = in_namespace(RANGEFINDER, "profile", "-q", "-o", tmp_path / "inside", *program)
    assert run(RANGEFINDER, "profile", "-q", "-o", tmp_path / "outside", *program).returncode == 0
    assert run(*inside).returncode == 0
    true_ns = ticks_between(tmp_path / "outside.rf", tmp_path / "inside.rf")
    _, inputs, _ = merged(tmp_path, tmp_path / "outside.rf", tmp_path / "inside.rf")
    offset_ns, method, uncertainty_ns = inputs["inside.rf"]
    assert method == "counter"
    assert abs(offset_ns - true_ns) <= max(uncertainty_ns, 1000)
    namespaces = {info_of(tmp_path / f"{name}.rf")["clocks"]["time_namespace"] for name in ("inside", "outside")}
    assert len(namespaces) == 2

    # a program in another namespace than `profile`
    path = tmp_path / "program.rf"
    assert run(RANGEFINDER, "profile", "-q", "-o", path, "--", *in_namespace(*program)).returncode == 0
    assert 250e6 < duration_of(path) < 100e9


def test_faked_time(tmp_path):
    """Times are the kernel's, and it is said."""
    library = faketime_library()
    for speed, name in ("+5d", "later"), ("+5d x3", "faster"):
        environment = {**os.environ, "LD_PRELOAD": library, "FAKETIME": speed}
        path = tmp_path / f"{name}.rf"
        program = [sys.executable, "-c", "from rangefinder import nvtx\nfor _ in range(5):\n"
                   "    with nvtx.annotate('work'):\n        sum(range(3000000))\n"]
        done = run(RANGEFINDER, "profile", "-o", path, *program, env=environment)
        assert done.returncode == 0, done.stderr
        clocks = info_of(path)["clocks"]
        if not clocks["is_counter"]:
            pytest.skip("this machine has no counter that can be trusted")
        assert "told another time than the kernel's" in done.stderr
        assert clocks["is_mono_faked"] and clocks["is_utc_faked"] and clocks["utc_error_ns"] is None
        assert "times here are the kernel's" in run(RANGEFINDER, "info", path).stdout
        pairs = [pair for pair in clocks["pairs"] if pair["mono_ns"] < 1 << 60]
        hz = (pairs[-1]["ticks"] - pairs[0]["ticks"]) * 1e9 / (pairs[-1]["mono_ns"] - pairs[0]["mono_ns"])
        assert abs(info_of(path)["clock_hz"] / hz - 1) < 1e-3


def test_clocks_in_python(tmp_path):
    path = tmp_path / "run.rf"
    assert run(RANGEFINDER, "profile", "-q", "-o", path, *sleep_program(tmp_path)).returncode == 0
    with rangefinder.open(path) as recording:
        assert recording.clocks == info_of(path)["clocks"]
        assert len(recording.clocks["pairs"]) >= 2
