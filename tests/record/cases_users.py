# SPDX-License-Identifier: Apache-2.0
"""Programs that become another user, who cannot open what the command line made."""

import errno
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time

from harness import PUSH_POP, Comparison, Skip, expect_equal, fail_if, kill_group, read_truth

NOBODY = 65534


def need_root(test):
    """Makes what the program itself needs reachable for the other user, and nothing else."""
    if os.geteuid() != 0:
        raise Skip("only root can become another user")
    probe = f"import os; os.setuid({NOBODY}); open({test.inject!r}).close()"
    if subprocess.run(["python3", "-c", probe], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Skip(f"user {NOBODY} cannot reach '{test.inject}'")
    os.chmod(test.folder, 0o711)
    os.mkdir(test.path("private"), 0o700)


def record_dropped(test, *args, under=()):
    """Records into a folder that only root may enter; what was annotated is there, all of it."""
    need_root(test)
    old_mask = os.umask(0)
    truth = test.new_truth()
    os.umask(old_mask)
    command = [*under, test.program("drop"), *args]
    done = test.run(
        [test.rangefinder, "profile", "-o", "private/run.rf", *command], truth
    )
    expect_equal(done.status, 0, f"exit status ({done.stderr.decode()})")
    fail_if(b"nothing lost" not in done.stderr, f"said: {done.stderr.decode()}")
    recording = test.dump(test.path("private", "run.rf"))
    Comparison(recording, read_truth(truth)).check()
    expect_equal(os.listdir(test.path("private")), ["run.rf"], "files afterwards")
    return recording


def case_user_before_first_annotation(test):
    recording = record_dropped(test, "first")
    expect_equal(len(recording.processes), 1, "processes")
    process = recording.processes[0]
    expect_equal(process["name"], "drop", "name of the process")
    fail_if(process["args"][1:] != ["first"], f"arguments {process['args']}")


def case_user_after_first_annotation(test):
    record_dropped(test, "later")


def case_user_of_forked_workers(test):
    expect_equal(len(record_dropped(test, "workers", "0").processes), 7, "processes")


def case_user_of_forked_workers_of_a_known_master(test):
    expect_equal(len(record_dropped(test, "workers", "1").processes), 7, "processes")


def case_user_in_another_root(test):
    need = test.path("root")
    os.mkdir(need, 0o755)
    expect_equal(len(record_dropped(test, "chroot", need).processes), 2, "processes")


def case_user_keeps_its_pid_over_exec(test):
    expect_equal(len(record_dropped(test, "exec").processes), 2, "processes")


def case_user_of_setpriv(test):
    under = ("setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups")
    expect_equal(len(record_dropped(test, "plain", under=under).processes), 1, "processes")


def wait_until(test, process, what, is_true):
    while not is_true():
        fail_if(process.poll() is not None, f"no {what}: {test.describe(process)}")
        time.sleep(0.02)


def case_user_in_a_launched_session(test):
    need_root(test)
    name = f"dropped-{os.getpid()}"
    go = test.path("go")
    process = test.start(
        [test.rangefinder, "launch", f"--session-new={name}", test.program("drop"), "await", go]
    )
    try:
        # 'await' annotates first: until then there may be nothing to begin with
        wait_until(test, process, "session", lambda: test.command(
            "start", f"--session={name}", "-o", "private/run", expect_status=None
        ).status == 0)
        open(go, "wb").close()
        expect_equal(process.wait(), 0, test.describe(process))
    finally:
        kill_group(process)
    recording = test.dump(test.path("private", "run.rf"))
    recording.one("awaited", PUSH_POP)
    expect_equal(recording.info["n_failed_processes"], 0, "processes that could not be recorded")


def drop_late(test, treat):
    """A worker becomes another user when treat() was done to the command line. Returns the session
    directory, and what the command line said if it ended."""
    need_root(test)
    go, done = test.path("go"), test.path("done")
    process = test.start(
        [test.rangefinder, "profile", "-o", "private/run.rf", test.program("drop"), "fork-late",
         go, done]
    )
    try:
        directory = test.path("private", "run.rfdir")
        wait_until(test, process, "process 0", lambda: os.path.exists(directory) and any(
            e for e in dump_live(test, directory)))
        treat(process)
        open(go, "wb").close()
        while not os.path.exists(done):
            time.sleep(0.02)
        return process, directory
    except BaseException:
        kill_group(process)
        raise


def dump_live(test, directory):
    done = test.run([test.program("rf-dump"), directory])
    return [line for line in done.stdout.splitlines() if b"the master" in line]


def check_lost(recording, reason):
    expect_equal(recording.info["n_failed_processes"], 1, "processes that could not be recorded")
    fail_if(not any(reason in m for m in recording.messages), f"said: {recording.messages}")


def case_user_when_the_command_line_is_dead(test):
    process, directory = drop_late(test, lambda process: (process.kill(), process.wait()))
    kill_group(process)
    check_lost(test.dump(directory), "nor reach a command line")


def stop(process):
    """Stops it, and waits until all of its threads are."""
    os.kill(process.pid, signal.SIGSTOP)
    tasks = f"/proc/{process.pid}/task"
    states = {None}
    while states != {"T"}:
        time.sleep(0.01)
        states = set()
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/stat", encoding="utf-8", errors="replace") as file:
                states.add(file.read().rpartition(")")[2].split()[0])


def case_user_when_the_command_line_is_stopped(test):
    process, directory = drop_late(test, stop)
    try:
        os.kill(process.pid, signal.SIGCONT)
        expect_equal(process.wait(), 0, test.describe(process))
    finally:
        kill_group(process)
    check_lost(test.dump(directory.replace(".rfdir", ".rf")), "does not answer")


def case_user_by_hand(test):
    """Without a command line there is nobody to ask."""
    need_root(test)
    run = test.by_hand("drop", "workers", "1", cwd=test.path("private"))
    info = run.recording.info
    expect_equal(info["n_failed_processes"], 4, "processes that could not be recorded")
    fail_if(
        not any("another user's?" in m for m in run.recording.messages),
        f"said: {run.recording.messages}",
    )


ASK = struct.Struct("8sIIIIQQ96s")
CONTROL, FILES, ROOM, FAILED = 1, 2, 3, 4


def ask(name, kind, process=0, file=0, offset=0, size=0):
    """What a recorder does; returns the status and how many descriptors came."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(b"\0" + name)
        message = ASK.pack(b"RFASK1\r\n", kind, process, file, 0, offset, size, b"a reason")
        try:
            connection.send(message)
        except BrokenPipeError:
            pass  # it has refused us already
        try:
            data, fds, _, _ = socket.recv_fds(connection, 64, 8)
        except ConnectionResetError:  # it has not even read the question
            return -errno.EACCES, 0
        for fd in fds:
            os.close(fd)
        return int.from_bytes(data[8:12], "little", signed=True), len(fds)


def case_user_strangers_get_nothing(test):
    """Who does not descend from the program is refused; who does gets its own files only."""
    go = test.path("go")
    process = test.start(
        [test.rangefinder, "profile", "-o", "run.rf", sys.executable, __file__, "ask", go]
    )
    try:
        session = test.path("run.rfdir", "session")
        wait_until(test, process, "socket", lambda: os.path.exists(go))
        with open(session, "rb") as file:
            name = re.search(rb"rangefinder-[0-9a-f]{32}", file.read()).group()
        expect_equal(ask(name, CONTROL), (-errno.EACCES, 0), "answer to a stranger")
        os.unlink(go)
        expect_equal(process.wait(), 0, test.describe(process))
    finally:
        kill_group(process)


def ask_as_the_program(go):
    """The part of the case above that runs under the command line."""
    name = os.environ["RANGEFINDER_SOCKET"].encode()
    big = 1 << 40
    answers = [
        ask(name, CONTROL),
        ask(name, FILES, 5),  # no process has taken this number
        ask(name, ROOM, 0, 0, 0, big),
        ask(name, ROOM, 0, 7, 0, 4096),
        ask(name, ROOM, 0, 0, 2**64 - 4096, 4096),
        ask(name, 77),
    ]
    open(go, "wb").close()
    while os.path.exists(go):
        time.sleep(0.01)
    expected = [(0, 1)] + [(-errno.EINVAL, 0)] * 5
    if answers != expected:
        sys.exit(f"{answers}, expected {expected}")


if __name__ == "__main__":
    ask_as_the_program(sys.argv[2])
