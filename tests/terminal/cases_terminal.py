# SPDX-License-Identifier: Apache-2.0
"""A program under the pseudo-terminal behaves as it does on the real one."""

import os
import shutil
import signal
import subprocess
import sys
import termios
import time

from screen import (HERE, Screen, Skip, app, children_of, cpu_seconds, expect_equal, fail_if, find_descendants,
                    kill, name_of, state_of, type_key, wait_until)

F12 = b"\x1b[24~"


def jobshell(*options):
    return [sys.executable, os.path.join(HERE, "jobshell.py"), *options]


# ---- Descriptors, sizes, modes ----


def case_exit_status(test):
    for command, status in ((["true"], 0), (["sh", "-c", "exit 7"], 7),
                            (["sh", "-c", "kill -9 $$"], 137), (["sh", "-c", "kill -TERM $$"], 143)):
        screen = test.run(*command)
        expect_equal(screen.wait(), status, f"status of {command}")
        screen.expect_restored()


def case_cannot_execute(test):
    path = test.path("broken")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/no/such/interpreter\n")
    os.chmod(path, 0o755)
    screen = test.run(path)
    screen.expect(rb"cannot execute")
    expect_equal(screen.wait(), 125, "status")
    screen.expect_restored()


def case_given_up_before_the_start(test):
    os.environ["DRIVER_CANCELS"] = "1"
    try:
        screen = test.run("sh", "-c", "echo never")
        expect_equal(screen.wait(), 0, "status")
    finally:
        del os.environ["DRIVER_CANCELS"]
    fail_if(b"never" in screen.output, "the program ran")
    screen.expect_restored()


def case_no_terminal(test):
    result = subprocess.run([*test.driver(), "echo", "ran"], stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, check=False)
    expect_equal((result.returncode, result.stdout), (2, ""), "status and output")
    for word in ("-c nvtx", "cudaProfilerApi", "-y", "-d", "rangefinder start"):
        fail_if(word not in result.stderr, f"'{word}' is not named: {result.stderr}")


def case_only_terminals_become_one(test):
    for redirected in ((), (1,), (2,), (1, 2)):
        names = {fd: test.path(f"{len(redirected)}.{fd}") for fd in redirected}
        screen = test.run(*app("ttys", test.path("ttys")), redirect=names.items())
        expect_equal(screen.wait(), 0, f"status with {redirected} redirected")
        with open(test.path("ttys"), encoding="utf-8") as file:
            expected = [0 if fd in redirected else 1 for fd in range(3)] + [1, 1]
            expect_equal(list(map(int, file.read().split())), expected, "terminals")
        for fd, text in ((1, b"to one"), (2, b"to two")):
            if fd in redirected:
                with open(names[fd], "rb") as file:
                    content = file.read()
                fail_if(text + b"\n" not in content, f"'{content}' in the file")
                fail_if(text in screen.output, "it was shown as well")
            else:
                # with a pipeline about, line ends are left to the real terminal as well
                end = b"\r\r\n" if 1 in redirected else b"\r\n"
                fail_if(text + end not in screen.output, f"shown: {screen.output}")
        screen.expect_restored()


def case_another_terminal(test):
    """Standard error on a second terminal stays there."""
    other = Screen(["sleep", "100"])
    test.screens.append(other)
    screen = test.run("sh", "-c", "tty <&2 >&2; tty", redirect=[(2, os.ttyname(other.slave))])
    expect_equal(screen.wait(), 0, "status")
    other.expect(os.ttyname(other.slave).encode())
    fail_if(os.ttyname(other.slave).encode() in screen.output, "the terminals are mixed up")


def case_window_size(test):
    screen = test.run(*app("size"), size=(31, 97))
    screen.expect(rb"SIZE 31 97\..*READY")
    screen.resize(50, 120)
    screen.expect(rb"SIZE 50 120\.")
    screen.resize(10, 20)
    screen.expect(rb"SIZE 10 20\.")


def case_settings_of_the_terminal(test):
    """The program finds the settings of the real terminal, and ours are not changed by its."""
    screen = Screen(["sh", "-c", "stty -echo erase ^H; stty -a | cksum; exec \"$@\"", "sh",
                     *test.driver(), "sh", "-c", "stty -a | cksum; stty raw"])
    test.screens.append(screen)
    first = screen.expect(rb"(\d+ \d+)\r\n").group(1)
    expect_equal(screen.expect(rb"(\d+ \d+)\r\n").group(1), first, "settings")
    expect_equal(screen.wait(), 0, "status")
    screen.attributes[3] &= ~termios.ECHO
    screen.attributes[6][termios.VERASE] = b"\x08"
    screen.expect_restored()


def case_password(test):
    screen = test.run(*app("password"))
    screen.expect(rb"Password: ")
    screen.type(b"secret\r")
    screen.expect(rb"PASSWORD secret\.")
    fail_if(screen.output.count(b"secret") != 1, "it was echoed")
    screen.type(b"open\r")
    screen.expect(rb"open\r\n.*LINE open\.")
    expect_equal(screen.wait(), 0, "status")


def case_curses(test):
    try:
        import curses
        curses.setupterm("xterm", 1)
    except Exception as error:
        raise Skip(f"curses: {error}") from error
    screen = test.run(*app("curses"), size=(33, 88), term="xterm")
    screen.expect(rb"SCREEN 33 88")
    screen.type(b"a" + F12)
    screen.expect(rb"key 1\r\n")
    screen.type(b"\x1bOAq")
    expect_equal(screen.expect(rb"KEYS ([0-9 ]+)\.").group(1), b"97 259 113", "keys")
    expect_equal(screen.wait(), 0, "status")
    screen.expect_restored()


# ---- Volume ----


def expected_output(size):
    result = subprocess.run(app("write", size), capture_output=True, check=True)
    return result.stdout


def case_much_output(test):
    """Ten megabytes, the last byte right before the end."""
    size = 10_000_000
    screen = test.run(*app("write", size))
    expect_equal(screen.wait(), 0, "status")
    end = screen.output.index(b"rangefinder: ended")
    shown = screen.output[:end]
    if shown.endswith(b"\r\n"):
        shown = shown[:-2]
    fail_if(shown != expected_output(size), f"{len(shown)} bytes differ from {size}")


def case_output_right_before_the_end(test):
    for i in range(20):
        screen = test.run(*app("write", 3000 + i))
        expect_equal(screen.wait(), 0, "status")
        fail_if(not screen.output.startswith(expected_output(3000 + i)), "the end is missing")


def case_slow_reader(test):
    """The terminal stands still for a while: nothing is lost, the program waits."""
    screen = test.run(*app("write", 500_000))
    time.sleep(1)
    expect_equal(screen.wait(), 0, "status")
    fail_if(not screen.output.startswith(expected_output(500_000)), "output is missing")


def case_slow_reader_at_the_end(test):
    """The terminal stands still until the program has ended: all that it wrote is shown."""
    for size in range(4096, 40960, 4096):
        screen = test.run(*app("write", size))
        time.sleep(0.25)
        expect_equal(screen.wait(), 0, "status")
        fail_if(not screen.output.startswith(expected_output(size)), f"not all of {size} bytes")


def check_is_idle(screen):
    time.sleep(0.3)
    before = cpu_seconds(screen.pid)
    time.sleep(1)
    used = cpu_seconds(screen.pid) - before
    fail_if(used > 0.3, f"{used} s of a second were used while nothing happens")


def case_no_busy_loop(test):
    screen = test.run(*app("wait"))
    screen.expect(rb"READY")
    check_is_idle(screen)


def case_no_busy_loop_without_descriptors(test):
    screen = test.run(*app("silent", 3))
    screen.expect(rb"READY")
    check_is_idle(screen)
    expect_equal(screen.wait(), 0, "status")


def case_no_busy_loop_with_a_full_line(test):
    screen = test.run(*app("deaf"))
    screen.expect(rb"READY")
    screen.type(b"y" * 60000)
    check_is_idle(screen)


# ---- Signals and job control ----


def case_signals_of_keys(test):
    for key, status in ((b"\x03", 130), (b"\x1c", 131)):
        screen = test.run("sh", "-c", "ulimit -c 0; echo READY; exec sleep 100")
        screen.expect(rb"READY")
        screen.type(key)
        expect_equal(screen.wait(), status, f"status after {key!r}")
        screen.expect_restored()


def case_signals_of_keys_arrive_once(test):
    screen = test.run(*app("report", int(signal.SIGINT), int(signal.SIGQUIT)))
    screen.expect(rb"READY")
    for _ in range(3):
        screen.type(b"\x03")
        screen.expect(rb"SIGNAL 2\.")
    screen.type(b"\x1c")
    screen.expect(rb"SIGNAL 3\.")
    screen.settle()
    expect_equal(screen.output.count(b"SIGNAL"), 4, "signals")


def case_signals_sent_to_us(test):
    """Signals for us alone go to the program, as without a terminal of its own."""
    for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP, signal.SIGINT):
        screen = test.run(*app("wait"))
        screen.expect(rb"READY")
        kill(screen.pid, number)
        wait_until(lambda s=screen: s.read(0) or b"ended with" in s.output, "its end")
        fail_if(screen.wait() not in (128 + number, 1), f"status {screen.status}")
        screen.expect_restored()


def case_killed(test):
    """When we are killed, the terminal is put right all the same, and nobody stays behind."""
    screen = test.run(*app("wait"))
    screen.expect(rb"READY")
    fail_if(not screen.is_raw(), "the terminal is not raw")
    children = find_descendants(screen.pid)
    fail_if(len(children) < 3, "it has no children")
    kill(screen.pid)
    expect_equal(screen.wait(), 137, "status")
    screen.expect_restored("after SIGKILL")
    wait_until(lambda: all(state_of(pid) in (None, "Z") for pid in children), "the children's end")


def case_session_killed(test):
    """Whatever becomes of the process that holds the program's terminal, ours is given back."""
    screen = test.run(*app("wait"))
    screen.expect(rb"READY")
    keeper = [pid for pid in children_of(screen.pid) if "tty" in name_of(pid)]
    expect_equal(len(keeper), 1, "keepers")
    kill(keeper[0])
    expect_equal(screen.wait(), 128 + signal.SIGHUP, "status")
    screen.expect_restored()


def case_program_killed_with_its_group(test):
    screen = test.run("sh", "-c", "echo READY; sleep 0.2; kill -9 -$$")
    expect_equal(screen.wait(), 137, "status")
    screen.expect_restored()


def suspend_and_go_on(screen):
    fail_if(not screen.is_raw(), "the terminal is not raw")
    screen.type(b"\x1a")
    expect_equal(screen.expect(rb"\[stopped (\w+)\]").group(1), b"cooked", "the terminal")
    screen.type(b"echo\r")
    screen.expect(rb"\[echo\]")
    screen.type(b"fg\r")
    screen.expect(rb"\[fg\]")


def case_stop_and_foreground(test):
    screen = test.run(*app("stop"), shell=jobshell())
    job = int(screen.expect(rb"\[job (\d+)\]").group(1))
    screen.expect(rb"READY")
    for count in (1, 2):
        suspend_and_go_on(screen)
        screen.expect(rb"GOING ON %d\." % count)
        wait_until(screen.is_raw, "raw again")
        type_key(screen, F12, count)
    screen.type(b"\x03")
    screen.expect(rb"\[ended -?\d+\]")
    screen.wait()
    expect_equal(state_of(job), None, "the job")
    screen.expect_restored()


def case_stop_without_a_handler(test):
    """A plain program, and the size changes while it is stopped."""
    screen = test.run("sh", "-c", "echo READY; sleep 2; read x; stty size; exit 3",
                      shell=jobshell())
    job = int(screen.expect(rb"\[job (\d+)\]").group(1))
    screen.expect(rb"READY")
    # a shell that has not yet got its child to exec cannot stop, with or without us
    wait_until(lambda: "sleep" in [name_of(pid) for pid in find_descendants(job)], "sleep")
    screen.type(b"\x1a")
    expect_equal(screen.expect(rb"\[stopped (\w+)\]").group(1), b"cooked", "the terminal")
    expect_equal(state_of(job), "T", "our state")
    # we stop when the shell of the program has; its sleep may get its signal a moment later
    programs = [pid for pid in find_descendants(job) if "tty" not in name_of(pid)]
    wait_until(lambda: all(state_of(pid) == "T" for pid in programs), "the program to stop")
    screen.resize(40, 41)
    screen.type(b"fg\r")
    screen.expect(rb"\[fg\]")
    wait_until(screen.is_raw, "raw again")
    screen.type(b"\r")
    screen.expect(rb"40 41\r\n")
    screen.expect(rb"\[ended 3\]")


def case_stop_and_background(test):
    """bg: it runs and is shown while the shell has the terminal; fg gives it back."""
    screen = test.run(*app("ticks", 40), shell=jobshell())
    screen.expect(rb"TICK 2\.")
    screen.type(b"\x1a")
    screen.expect(rb"\[stopped cooked\]")
    screen.type(b"bg\r")
    screen.expect(rb"\[bg\]")
    screen.expect(rb"TICK \d+\..*TICK \d+\.")
    fail_if(screen.is_raw(), "a job of the background made the terminal raw")
    screen.type(b"echo\r")
    screen.expect(rb"\[echo\]")
    screen.type(b"fg\r")
    screen.expect(rb"\[fg\]")
    wait_until(screen.is_raw, "raw again")
    screen.type(F12)
    screen.expect(rb"key 1\r\n")
    screen.expect(rb"\[ended 0\]")
    screen.expect(rb"$")
    screen.expect_restored()


def case_start_in_background(test):
    """Without a word from anybody it finds that it has come to the foreground."""
    screen = test.run(*app("wait"), shell=jobshell("--background"))
    screen.expect(rb"READY")
    time.sleep(0.5)
    fail_if(screen.is_raw(), "a job of the background made the terminal raw")
    screen.type(b"fg\r")
    screen.expect(rb"\[fg\]")
    wait_until(screen.is_raw, "raw")
    screen.type(F12)
    screen.expect(rb"key 1\r\n")
    screen.type(b"\x03")
    screen.expect(rb"\[ended")


def case_stopped_from_outside(test):
    """SIGTSTP to us alone stops the program too; SIGSTOP cannot be seen, SIGCONT can."""
    screen = test.run(*app("stop"), shell=jobshell())
    job = int(screen.expect(rb"\[job (\d+)\]").group(1))
    screen.expect(rb"READY")
    kill(job, signal.SIGTSTP)
    screen.expect(rb"\[stopped cooked\]")
    screen.type(b"fg\r")
    screen.expect(rb"GOING ON 1\.")
    wait_until(screen.is_raw, "raw again")
    kill(job, signal.SIGSTOP)
    screen.expect(rb"\[stopped raw\]")
    screen.type(b"fg\n")
    screen.expect(rb"\[fg\]")
    screen.type(F12)
    screen.expect(rb"key 1\r\n")
    screen.type(b"\x03")
    screen.expect(rb"\[ended -?\d+\]")
    screen.expect_restored()


def case_stop_where_no_shell_is(test):
    """Nobody could let us go on: as without us, the program is not stopped for good."""
    screen = test.run(*app("stop"))
    screen.expect(rb"READY")
    screen.type(b"\x1a")
    screen.expect(rb"GOING ON 1\.")
    screen.type(b"\x03")
    screen.wait()
    screen.expect_restored()


def case_bash(test):
    """Ctrl-Z, jobs and fg in a real shell."""
    bash = shutil.which("bash")
    if bash is None:
        raise Skip("bash is not installed")
    os.environ["PS1"] = "prompt> "
    screen = test.start([bash, "--norc", "--noprofile", "-i"])
    screen.expect(rb"prompt> ")
    command = " ".join(test.driver() + ["sh", "-c", "'echo REA''DY; read x; echo got $x; exit 4'"])
    screen.type(command.encode() + b"\r")
    screen.expect(rb"READY")
    screen.type(b"\x1a")
    screen.expect(rb"Stopped.*prompt> ")
    screen.type(b"fg\r")
    screen.expect(rb"fg\r\n")
    wait_until(screen.is_raw, "raw again")
    screen.type(b"it" + F12)
    screen.expect(rb"key 1")
    screen.type(b"\r")
    screen.expect(rb"got it")
    screen.expect(rb"prompt> ")
    screen.type(b"echo status $?\r")
    screen.expect(rb"status 4\r\n")
    screen.type(b"exit\r")
    screen.wait()


def case_shell_inside(test):
    """A shell as the program does job control of its own."""
    bash = shutil.which("bash")
    if bash is None:
        raise Skip("bash is not installed")
    os.environ["PS1"] = "inner> "
    screen = test.run(bash, "--norc", "--noprofile", "-i")
    screen.expect(rb"inner> ")
    fail_if(b"job control" in screen.output, "the shell has no job control")
    screen.type(b"sleep 100\r")
    wait_until(lambda: "sleep" in map(name_of, find_descendants(screen.pid)), "sleep")
    screen.type(b"\x1a")
    screen.expect(rb"Stopped.*inner> ")
    screen.type(b"kill -KILL %1\r")
    screen.expect(rb"inner> ")
    screen.type(b"exit 6\rexit 6\r")  # the first may only say that a job is stopped
    expect_equal(screen.wait(), 6, "status")


def case_hang_up(test):
    """The real terminal goes away: the program is told, and its terminal is gone."""
    path = test.path("signals")
    screen = test.run(*app("note", path, int(signal.SIGHUP)))
    screen.expect(rb"READY")
    program = [pid for pid in find_descendants(screen.pid) if "tty" not in name_of(pid)]
    screen.hang_up()
    wait_until(lambda: os.path.exists(path + ".end"), "the program's end")
    with open(path + ".end", encoding="utf-8") as file:
        expect_equal(file.read(), "Input/output error", "a write after it")
    screen.wait()
    wait_until(lambda: all(state_of(pid) is None for pid in program), "its end")


# ---- What is left behind ----


def case_left_behind(test):
    """With --wait: what writes after the program's end is shown, on a terminal as it was."""
    path = test.path("go")
    screen = test.run(*app("leave", path), options=["--wait"])
    screen.expect(rb"LEAVING.*ended with status 0")
    screen.expect_restored("while somebody is left")
    screen.expect(rb"left behind")
    with open(path, "w", encoding="utf-8"):
        pass
    screen.expect(rb"FROM BEHIND")
    expect_equal(screen.wait(), 0, "status")


def case_left_behind_and_interrupted(test):
    screen = test.run(*app("leave", test.path("never")), options=["--wait"])
    screen.expect(rb"left behind")
    left = [pid for pid in find_descendants(screen.pid) if "tty" not in name_of(pid)]
    fail_if(len(left) != 1, f"left behind: {left}")
    screen.type(b"\x03")
    expect_equal(screen.wait(), 0, "status")
    screen.expect_restored()
    wait_until(lambda: state_of(left[0]) in (None, "Z"), "the signal that Ctrl-C sends")


def case_pipeline(test):
    """Standard output is a pipe: what the others of the pipeline write looks as ever."""
    screen = test.start(["sh", "-c", '"$@" | sed "s/^/> /"', "sh", *test.driver(), "sh", "-c",
                         "echo one; echo two >&2; sleep 0.3; read x; echo $x"])
    wait_until(lambda: screen.read(0.01) or b"> one\r\n" in screen.output, "the line of sed")
    screen.type(b"three\r")
    screen.expect(rb"> three\r\n")
    screen.wait()
    screen.expect_restored()


# ---- Other terminals ----


def case_tmux(test):
    tmux = shutil.which("tmux")
    if tmux is None:
        raise Skip("tmux is not installed")
    socket = test.path("tmux")
    def control(*words):
        return subprocess.run([tmux, "-S", socket, "-f", "/dev/null", *words], capture_output=True,
                              text=True, check=False, env={**os.environ, "TERM": "xterm"})
    command = " ".join(test.driver() + ["sh", "-c", "'echo READY; cat >/dev/null'"])
    result = control("new-session", "-d", "-x", "90", "-y", "30", command + "; sleep 100")
    if result.returncode != 0:
        raise Skip(f"tmux does not work here: {result.stderr}")
    try:
        def shows(text):
            return lambda: text in control("capture-pane", "-p").stdout
        wait_until(shows("READY"), "READY in tmux")
        for number, key in enumerate(("F12", "C-F11", "F12"), 1):
            control("send-keys", key)
            wait_until(shows(f"key {number}"), f"{key} in tmux")
            time.sleep(0.15)
        control("send-keys", "C-d")
        wait_until(shows("done after 3 presses"), "the end in tmux")
    finally:
        control("kill-server")
