# SPDX-License-Identifier: Apache-2.0
"""Programs that pull the ground away, sessions without a command line, losses, privacy."""

import json
import os
import subprocess

from harness import (
    MARK,
    PUSH_POP,
    Run,
    SLOW,
    Skip,
    expect_equal,
    fail_if,
    kill_group,
    remove_live_folder,
    remove_shared_memory,
)
from cases_processes import values_so_far, wait_for

N_MANY = 20000


def numbers_of(rec, when):
    start = f"{when} ".encode()
    return [
        int(e["name"][len(start) :].split(b".")[0])
        for e in rec.events(MARK)
        if e["name"] and e["name"].startswith(start)
    ]


def check_much(rec, when, all_of_it=True):
    """The marks of annotate_much(when): in order and none twice; all_of_it: none missing."""
    numbers = numbers_of(rec, when)
    if all_of_it:
        expect_equal(len(numbers), N_MANY, f"marks '{when}'")
    fail_if(numbers != sorted(set(numbers)), f"marks '{when}' are doubled or out of order")
    return len(numbers)


def check_complete(test, mode, *args, phases=("before", "after", "thread"), **options):
    """Everything is recorded with the command line draining, and without one."""
    run = test.record("hostile", mode, *args, **options)
    if run.outcome.status == 77:
        raise Skip("this machine does not allow it")
    expect_equal(run.outcome.status, 0, "exit status")
    run.check_nothing_lost()
    for when in phases:
        check_much(run.recording, when)
    return run


def count_losses(rec):
    return rec.info["n_lost_records"]


def check_accounted(run, phases):
    """What is not in the recording was counted as lost; nothing is there twice."""
    n_got = sum(check_much(run.recording, when, all_of_it=False) for when in phases)
    n_made = N_MANY * len(phases)
    expect_equal(n_got + count_losses(run.recording), n_made, "recorded and lost marks together")
    return n_got


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def case_close_all_descriptors(test):
    check_complete(test, "close-all")


def case_close_all_by_hand(test):
    run = test.by_hand("hostile", "close-all")
    for when in ("before", "after", "thread"):
        check_much(run.recording, when)


def case_close_all_first(test):
    check_complete(test, "close-first", phases=("after",))


def case_reuse_descriptors(test):
    """A file of the program that got number 2 has not one byte from us."""
    check_complete(test, "reuse-descriptors", test.path("file"))
    run = test.by_hand("hostile", "reuse-descriptors", test.path("file2"))
    check_much(run.recording, "after")


def case_descriptors(test):
    check_complete(test, "descriptors", phases=("many",))


def case_user_namespace(test):
    check_complete(test, "user-namespace")


def case_chroot(test):
    """Behind chroot the session's path leads nowhere; what was mapped is still recorded."""
    need_root()
    root = test.path("root")
    os.mkdir(root)
    run = test.record("hostile", "chroot", root)
    expect_equal(run.outcome.status, 0, "exit status")
    check_much(run.recording, "before")
    check_accounted(run, ("before", "after", "thread"))
    expect_equal(os.listdir(root), [], "files that were left in the new root")


def case_chdir(test):
    """The output's path is relative, and so is the program's idea of where it is."""
    check_complete(test, "chdir", output="relative.rf")


def case_file_size_limit(test):
    """A limit of file sizes neither kills the program (SIGXFSZ) nor spoils the recording."""
    for size in ("4096", "100000", "10000000"):
        run = test.record("hostile", "file-size", size, compare=False)
        expect_equal(run.outcome.status, 0, "exit status")
        lost = run.recording.info["n_lost_records"]
        expect_equal(b"LOST" in run.outcome.stderr, lost > 0, "a loss is reported, quiet or not")
        check_much(run.recording, "before")
        check_accounted(run, ("before", "after", "thread"))
    run = test.record("hostile", "file-size", "4096", "first", compare=False)
    expect_equal(run.outcome.status, 0, "exit status with a limit before the first event")
    run = test.by_hand("hostile", "file-size", "4096")
    check_accounted(run, ("before", "after", "thread"))


def case_address_space_limit(test):
    run = test.record("hostile", "address-space")
    expect_equal(run.outcome.status, 0, "exit status")


def case_few_descriptors(test):
    """No descriptor to be had: the pool is mapped already, and the command line drains it."""
    run = test.record("hostile", "few-descriptors")
    expect_equal(run.outcome.status, 0, "exit status")
    check_much(run.recording, "before")
    check_accounted(run, ("before", "after"))
    run = test.record("hostile", "few-descriptors", "first")
    expect_equal(run.outcome.status, 0, "exit status with no descriptor before the first event")


def case_undisturbed(test):
    """errno, signal mask, cancel state."""
    run = test.record("hostile", "undisturbed")
    expect_equal(run.outcome.status, 0, "exit status")
    expect_equal(run.outcome.stdout, b"", "complaints")
    run = test.by_hand("hostile", "undisturbed")
    expect_equal(run.outcome.stdout, b"", "complaints by hand")


def case_environment(test):
    """Children inherit the injection variables and nothing else that is new or changed."""
    truth = test.new_truth()
    program = test.program("hostile")
    bare = test.run([program, "environment"], truth).stdout.splitlines()
    recorded = test.run(
        [test.rangefinder, "profile", "--quiet", "-o", test.path("e.rf"), program, "environment"],
        truth,
    ).stdout.splitlines()
    fail_if(not set(bare) <= set(recorded), f"gone or changed: {set(bare) - set(recorded)}")
    new = sorted(line.split(b"=")[0].decode() for line in set(recorded) - set(bare))
    allowed = [n for n in new if "INJECTION" in n or n.startswith("RANGEFINDER_")]
    expect_equal(new, allowed, "new variables")


def small_file_system(test, size):
    need_root()
    folder = test.path("small")
    os.mkdir(folder)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise Skip("cannot mount a small tmpfs here")
    return folder


def release_file_system(folder):
    remove_shared_memory(folder)
    subprocess.run(["umount", "-l", folder], check=False)
    os.rmdir(folder)


def case_full_disk(test):
    """The program runs on, the loss is counted, the recording opens."""
    for size in ("3m", "200k"):
        folder = small_file_system(test, size)
        try:
            run = test.record(
                "hostile", "steady", 3, output=os.path.join(folder, "full.rf"), compare=False
            )
            expect_equal(values_so_far(run.truth).get("step 2"), N_MANY, "the program's last step")
            fail_if(run.outcome.status not in (0, 125), f"exit status {run.outcome.status}")
            left = os.listdir(folder)
            readable = [n for n in left if n.endswith((".rf", ".rfdir"))]
            fail_if(not readable, f"nothing that could be opened is left: {left}")
            run.output = os.path.join(folder, sorted(readable)[0])
            rec = run.recording
            n_marks = sum(check_much(rec, f"step {i}", all_of_it=False) for i in range(3))
            n_pushes = len(rec.events(PUSH_POP))
            n_pops = n_pushes - rec.info["n_cut"] + rec.info["n_unmatched_ends"]
            expect_equal(
                n_marks + n_pushes + n_pops + rec.info["n_lost_records"],
                3 * N_MANY + 6,
                "recorded and lost records together",
            )
            fail_if(rec.info["n_lost_records"] == 0, "nothing was lost: the disk was not full")
        finally:
            release_file_system(folder)


FULL_SHARED_MEMORY = """
mount -t tmpfs -o size=300m tmpfs /dev/shm || exit 77
"$1" profile --quiet -o "$2" "$3" wait ready go &
while [ ! -e ready ]; do sleep 0.01; done
dd if=/dev/zero of=/dev/shm/filling bs=4k 2>/dev/null
touch go
wait $!
"""


def case_full_shared_memory(test):
    """Shared memory fills up while the program runs: no SIGBUS, and every loss is counted."""
    need_root()
    run = Run(test, test.new_truth(), test.path("shm.rf"))
    run.outcome = test.run(
        ["unshare", "-m", "sh", "-c", FULL_SHARED_MEMORY, "sh", test.rangefinder, run.output,
         test.program("hostile")],
        run.truth,
    )
    if run.outcome.status == 77 or b"unshare" in run.outcome.stderr:
        raise Skip("cannot mount another /dev/shm here")
    expect_equal(run.outcome.status, 0, "exit status")
    expect_equal(run.values.get("thread"), N_MANY, "what the program did last")
    check_much(run.recording, "before")
    check_accounted(run, ("before", "after", "thread"))


def case_full_disk_by_hand(test):
    folder = small_file_system(test, "3m")
    try:
        run = test.by_hand("hostile", "steady", 3, cwd=folder)
        rec = run.recording
        n_got = sum(check_much(rec, f"step {i}", all_of_it=False) for i in range(3))
        fail_if(n_got == 3 * N_MANY, "nothing was lost: the disk was not full")
        fail_if(rec.info["n_lost_records"] == 0, "the loss was not counted")
    finally:
        release_file_system(folder)


def case_session_removed(test):
    """The session directory vanishes: the program runs on and ends as it would."""
    truth, ready, go = test.new_truth(), test.path("ready"), test.path("go")
    process = test.start(
        [test.rangefinder, "profile", "--quiet", "-o", test.path("gone.rf"),
         test.program("hostile"), "wait", ready, go],
        truth,
    )
    try:
        wait_for(lambda: os.path.exists(ready), "the program")
        for directory in test.session_directories():
            remove_shared_memory(directory)
            remove_live_folder(directory)
        with open(go, "w", encoding="ascii"):
            pass
        process.wait(60 * SLOW)
    finally:
        kill_group(process)
    expect_equal(values_so_far(truth).get("thread"), N_MANY, "what the program did last")
    fail_if(process.returncode not in (0, 125), f"exit status {process.returncode}")


def case_by_hand(test):
    """With NVTX's variable alone the session directory is a recording that every verb opens."""
    run = test.by_hand("basic", "all", expect_status=7).check_truth()
    name = os.path.basename(run.output)
    fail_if(
        name != f"rangefinder-{run.notes[0].pid}.rfdir", f"the session directory is named {name}"
    )
    test.command("info", run.output)
    test.command("stats", "-r", "nvtx_sum", run.output)
    test.command("export", "-t", "sqlite", "-o", test.path("hand.sqlite"), run.output)
    test.command("recover", run.output)
    packed = Run(test, run.truth, run.output[: -len("dir")])
    fail_if(not os.path.exists(packed.output), f"recover made no {packed.output}")
    packed.check_truth()


def case_by_hand_family(test):
    """Forked processes record into the session that the first one made; what is exec'd makes its
    own, since the environment of children is left alone."""
    run = test.by_hand("forks", "fork").check_truth()
    expect_equal(len(run.recording.processes), 7, "processes")
    folder = test.path("exec")
    os.mkdir(folder)
    env = {"NVTX_INJECTION64_PATH": test.inject}
    truth = test.new_truth()
    done = test.run([test.program("forks"), "exec-self", "2"], truth, env, cwd=folder)
    expect_equal(done.status, 5, "exit status")
    recordings = [test.dump(os.path.join(folder, name)) for name in os.listdir(folder)]
    expect_equal(len(recordings), 3, "sessions of a process that replaced itself twice")
    outer = sorted(e["name"] for rec in recordings for e in rec.named("image 0"))
    expect_equal(outer, [b"image 0"], "ranges of the last image")


def case_by_hand_killed(test):
    run = test.by_hand("exits", "signal", 9, expect_status=137).check_truth()
    expect_equal(len(run.recording.named("closed")), 100, "closed ranges")


def case_by_hand_in_read_only_folder(test):
    """Nowhere to record: the program runs as if we were not there."""
    need_root()
    folder = test.path("readonly")
    os.mkdir(folder)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", folder], check=False).returncode:
        raise Skip("cannot mount a read-only tmpfs here")
    try:
        env = {"NVTX_INJECTION64_PATH": test.inject}
        command = [test.program("basic"), "all"]
        bare = test.run(command, test.new_truth(), cwd=folder)
        done = test.run(command, test.new_truth(), env, cwd=folder)
    finally:
        subprocess.run(["umount", "-l", folder], check=False)
    expect_equal(done.status, bare.status, "exit status")
    expect_equal(done.stdout, bare.stdout, "standard output")
    lines = done.stderr.replace(bare.stderr, b"").splitlines()
    fail_if(len(lines) > 1, f"more than one line on standard error: {lines}")


def case_overflow_drop(test):
    """--overflow=drop: what was recorded and what was lost is what was emitted."""
    run = test.record("volume", 4, 2000, "marks", options=["--overflow=drop"], compare=False)
    n = int(run.outcome.stdout)
    info = run.recording.info
    expect_equal(info["n_marks"] + info["n_lost_records"], n, "recorded and lost marks")
    by_thread = {}
    for event in run.recording.events(MARK):
        by_thread.setdefault(event["payload"] >> 40, []).append(event["payload"] & (1 << 40) - 1)
    for thread, numbers in by_thread.items():
        fail_if(numbers != sorted(set(numbers)), f"thread {thread}: doubled or out of order")


def case_volume(test):
    """Two million events through eight threads, every one checked."""
    run = test.record("volume", 8, 2000, compare=False)
    done = test.run(
        [test.program("rf-verify"), run.output, "8", run.outcome.stdout.decode().strip()]
    )
    fail_if(done.status != 0, done.stderr.decode())


def case_volume_by_hand(test):
    run = test.by_hand("volume", 4, 1000)
    done = test.run(
        [test.program("rf-verify"), run.output, "4", run.outcome.stdout.decode().strip()]
    )
    fail_if(done.status != 0, done.stderr.decode())


def case_clock_fallback(test):
    """Without a processor clock that can be trusted, CLOCK_MONOTONIC."""
    run = test.record("basic", "all", env={"RANGEFINDER_CLOCK": "monotonic"}).check_truth()
    expect_equal(run.recording.info["clock"], "monotonic", "clock")
    expect_equal(run.recording.info["clock_hz"], 1e9, "its frequency")
    hand = test.by_hand(
        "basic", "random", env={"RANGEFINDER_CLOCK": "monotonic"}
    ).check_truth()
    expect_equal(hand.recording.info["clock"], "monotonic", "clock by hand")


def case_privacy(test):
    """No secret of the environment and nothing of other processes is in the recording."""
    secret, stranger = "hunter2-secret-value", "987654.5"
    sleeper = subprocess.Popen(["sleep", stranger])
    try:
        run = test.record(
            "forks", "fork", env={"MY_API_TOKEN": secret, "PATH_TO_SECRET": secret}, compare=False
        )
        hand = test.by_hand("forks", "fork", env={"MY_API_TOKEN": secret})
    finally:
        sleeper.kill()
        sleeper.wait()
    files = [run.output] + [os.path.join(hand.output, n) for n in os.listdir(hand.output)]
    for path in files:
        with open(path, "rb") as file:
            data = file.read(1 << 24)  # a pool is sparse, and longer than what is in it
        for text in (secret, "MY_API_TOKEN", stranger):
            fail_if(text.encode() in data, f"'{text}' is in {os.path.basename(path)}")


# What launchers give to a process, and the rank, local rank and world size that it has by that.
LAUNCHERS = [
    ("RANK=3 LOCAL_RANK=1 WORLD_SIZE=8", (3, 1, 8)),
    ("RANK=3 WORLD_SIZE=8 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=2", (3, 0, 8)),
    ("OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_SIZE=4", (2, 0, 4)),
    ("MV2_COMM_WORLD_RANK=1 MV2_COMM_WORLD_LOCAL_RANK=1 MV2_COMM_WORLD_SIZE=2", (1, 1, 2)),
    ("PMI_RANK=5 PMI_SIZE=6 MPI_LOCALRANKID=2 SLURM_PROCID=1 SLURM_NTASKS=3", (5, 2, 6)),
    ("PMIX_RANK=7", (7, None, None)),
    ("SLURM_PROCID=4 SLURM_LOCALID=1 SLURM_NTASKS=9", (4, 1, 9)),
    ("RANK=high LOCAL_RANK=-1 WORLD_SIZE= PMIX_RANK=99999999999", (None, None, None)),
    ("RANK=0x1 PMI_RANK=2147483648 SLURM_PROCID=2147483647", (2147483647, None, None)),
    ("", (None, None, None)),
]


def leave_job():
    """The tests may run under a launcher themselves."""
    for variables, _ in LAUNCHERS:
        for variable in variables.split():
            os.environ.pop(variable.split("=")[0], None)


def case_ranks(test):
    """The rank in the job is one field, whichever launcher gave it."""
    path, names = test.path("ranks.rf"), ("rank", "local_rank", "world_size")
    leave_job()
    for variables, expected in LAUNCHERS:
        test.record("exits", "normal", env=dict(v.split("=") for v in variables.split()),
                    compare=False, output="ranks.rf").check_truth()
        info = json.loads(test.command("info", "--json", path).stdout)
        for found in (info, info["processes"][0]):
            expect_equal(tuple(found[name] for name in names), expected, f"ranks by '{variables}'")
        test.command("export", "-t", "jsonl", "-o", test.path("ranks.jsonl"), path)
        with open(test.path("ranks.jsonl"), encoding="utf-8") as file:
            process = next(line for line in map(json.loads, file) if line["type"] == "process")
        expect_equal(tuple(map(process.get, names)), expected, "ranks in JSON lines")
        for name in ("ranks.rf", "ranks.jsonl"):
            os.remove(test.path(name))


def case_several_ranks(test):
    """A recording of several ranks is of none; their number is that of the job."""
    leave_job()
    start = 'for i in 0 1; do RANK=$i WORLD_SIZE=2 "$0" normal; done'
    run = test.record("exits", "normal", compare=False, under=("sh", "-c", start))
    info = json.loads(test.command("info", "--json", run.output).stdout)
    expect_equal((info["rank"], info["world_size"]), (None, 2), "rank and size of the recording")
    expect_equal([p["rank"] for p in info["processes"]], [0, 1], "ranks of the processes")
    part = test.path("part.jsonl")
    test.command("export", "-t", "jsonl", "-o", part,
                 f"--filter-process={info['processes'][1]['pid']}", run.output)
    with open(part, encoding="utf-8") as file:
        ranks = [line.get("rank") for line in map(json.loads, file) if line["type"] == "process"]
    expect_equal(ranks, [1], "the rank that a filter left")


def case_open_live(test):
    """Every verb opens a session that is being written; what it shows was recorded by then."""
    truth, ready, go = test.new_truth(), test.path("ready"), test.path("go")
    process = test.start(
        [test.rangefinder, "profile", "--quiet", "-o", test.path("live.rf"),
         test.program("hostile"), "wait", ready, go],
        truth,
    )
    try:
        wait_for(lambda: os.path.exists(ready), "the program")
        (directory,) = test.session_directories()
        rec = test.dump(directory)
        check_much(rec, "before")
        expect_equal(rec.info["is_live"], 1, "is_live")
        test.command("info", directory)
        test.command("stats", directory)
        test.command("export", "-t", "json", "-o", test.path("live.json"), directory)
        test.command("export", "-t", "sqlite", "-o", test.path("live.sqlite"), directory)
        with open(go, "w", encoding="ascii"):
            pass
        process.wait(60 * SLOW)
    finally:
        kill_group(process)
    rec = test.dump(test.path("live.rf"))
    for when in ("before", "after", "thread"):
        check_much(rec, when)
    expect_equal(rec.info["is_live"], 0, "is_live at the end")


def case_pid_namespaces(test):
    """Two processes of the same number, in namespaces of their own, stay apart."""
    need_root()
    unshare = ["unshare", "--pid", "--fork"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        raise Skip("cannot make a pid namespace here")
    program = test.program("forks")
    output = test.path("ns.rf")
    script = f"unshare --pid --fork {program} plain one; unshare --pid --fork {program} plain two"
    done = test.run(
        [test.rangefinder, "profile", "--quiet", "-o", output, "sh", "-c", script], test.new_truth()
    )
    expect_equal(done.status, 0, "exit status")
    rec = test.dump(output)
    expect_equal([p["pid"] for p in rec.processes], [1, 1], "pids in their namespaces")
    one, two = rec.one("one", PUSH_POP), rec.one("two", PUSH_POP)
    fail_if(
        rec.threads[one["thread"]]["process"] == rec.threads[two["thread"]]["process"],
        "two processes are one",
    )
    database = test.path("ns.sqlite")
    test.command("export", "-t", "sqlite", "-o", database, output)
    import sqlite3

    connection = sqlite3.connect(database)
    (n,) = connection.execute(
        "select count(distinct globalTid) from NVTX_EVENTS where eventType = 59"
    ).fetchone()
    connection.close()
    expect_equal(n, 2, "threads in the SQLite export")
