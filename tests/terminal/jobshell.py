# SPDX-License-Identifier: Apache-2.0
"""A shell with job control and one job: jobshell.py [--background] COMMAND. When the job stops or
is in the background, reads lines fg, bg and echo; says what becomes of the job."""

import os
import signal
import sys
import termios

ATTRIBUTES = termios.tcgetattr(0)


def say(text):
    os.write(1, f"[{text}]\n".encode())


def give_terminal(group):
    os.tcsetpgrp(0, group)


def wait(pid):
    _, status = os.waitpid(pid, os.WUNTRACED)
    give_terminal(os.getpgrp())
    mode = "cooked" if termios.tcgetattr(0)[3] & termios.ICANON else "raw"
    if os.WIFSTOPPED(status):
        termios.tcsetattr(0, termios.TCSADRAIN, ATTRIBUTES)
        say(f"stopped {mode}")
        return False
    code = os.waitstatus_to_exitcode(status)
    say(f"ended {code}")
    return True


def main(command, in_background):
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        if not in_background:
            give_terminal(os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.execvp(command[0], command)
    try:
        os.setpgid(pid, pid)
    except OSError:
        pass  # it has become the command
    say(f"job {pid}")
    if not in_background and wait(pid):
        return
    is_stopped = not in_background
    for line in sys.stdin:
        word = line.strip()
        if word == "fg":
            give_terminal(pid)
        if word in ("fg", "bg"):
            if is_stopped:  # a job that runs is not told
                os.killpg(pid, signal.SIGCONT)
            is_stopped = False
            say(word)
        if word == "fg":
            if wait(pid):
                return
            is_stopped = True
        if word == "echo":
            say("echo")


if __name__ == "__main__":
    background = sys.argv[1] == "--background"
    main(sys.argv[1 + background:], background)
