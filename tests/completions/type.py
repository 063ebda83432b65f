#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""type.py BUILD COMPLETIONS SHELL: types into an interactive shell at a terminal, presses Tab, and
compares what then stands on the command line. Exits with 77 where the shell is not installed."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

BUILD, COMPLETIONS, SHELL = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
SLOW = int(os.environ.get("RF_TEST_SLOW") or 1)

# What is typed before Tab, and what it becomes.
TYPED = {
    "rangefinder summ": "rangefinder summarize ",
    "rangefinder help sta": "rangefinder help sta",  # start, stats, status: more is to be typed
    "rangefinder stats -r nvtx_kern_s": "rangefinder stats -r nvtx_kern_sum ",
    "rangefinder stats --report=nvtx_kern_s": "rangefinder stats --report=nvtx_kern_sum ",
    "rangefinder stats -r nvtx_sum,nvtx_kern_s": "rangefinder stats -r nvtx_sum,nvtx_kern_sum ",
    "rangefinder stats -f markd": "rangefinder stats -f markdown ",
    "rangefinder profile --overf": "rangefinder profile --overflow=",
    "rangefinder profile --overflow=d": "rangefinder profile --overflow=drop ",
    "rangefinder profile --overflow d": "rangefinder profile --overflow drop ",
    "rangefinder profile --capture-range=cudaP": "rangefinder profile --capture-range=cudaProfilerApi ",
    "rangefinder export -t perf": "rangefinder export -t perfetto ",
    "rangefinder info rec": "rangefinder info recording.rf ",
    "rangefinder export -o rec": "rangefinder export -o recording.rf ",
    "rangefinder profile -o x ./progr": "rangefinder profile -o x ./program ",
    "rangefinder profile ./program --fi": "rangefinder profile ./program --fi",
    "rangefinder top fly": "rangefinder top flying ",
    "rangefinder top --session=fly": "rangefinder top --session=flying ",
}

START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], """
bind 'set bell-style none'
bind -x '"\\C-x":printf "LINE<%s>\\n" "$READLINE_LINE"; READLINE_LINE='
. COMPLETIONS/rangefinder.bash
PS1='READY$ '
"""),
    "zsh": (["zsh", "-f", "-i"], """
unsetopt BEEP PROMPT_CR PROMPT_SP; unset zle_bracketed_paste
fpath=(COMPLETIONS $fpath); autoload -Uz compinit; compinit -u -D
show() { print -r -- "LINE<$BUFFER>"; BUFFER=; zle redisplay }
zle -N show; bindkey '^X' show
PS1='READY$ '
"""),
}


class Terminal:
    """A shell at a terminal of its own."""

    def __init__(self, words):
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvp(words[0], words)

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait_for(self, pattern):
        """Reads until the pattern matches; returns the match, and forgets what was before its end."""
        end = time.monotonic() + 60 * SLOW
        while True:
            match = re.search(pattern, self.text)
            if match:
                self.text = self.text[match.end():]
                return match
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            if not ready:
                sys.exit(f"{SHELL} does not print {pattern!r} but {self.text!r}")
            self.text += os.read(self.fd, 65536).decode(errors="replace")


def complete_at_terminal():
    """{typed: what it becomes}"""
    words, setup = START[SHELL]
    terminal = Terminal(words)
    for line in setup.replace("COMPLETIONS", COMPLETIONS).strip().splitlines():
        terminal.type(line + "\n")
    terminal.wait_for(r"READY\$ $")
    result = {}
    for typed in TYPED:
        terminal.type(typed + "\t\x18")
        result[typed] = terminal.wait_for(r"LINE<([^>\r\n]*)>").group(1)
    terminal.type("\nexit\n")
    os.waitpid(terminal.pid, 0)
    return result


def complete_by_fish():
    """fish says what it would put there; one candidate is the word, with a space unless it is open."""
    result = {}
    for typed in TYPED:
        script = f"source {COMPLETIONS}/rangefinder.fish; complete -C '{typed}'"
        out = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, check=True, text=True).stdout
        words = sorted({line.split("\t")[0] for line in out.splitlines()})
        before = typed[:typed.rindex(" ") + 1]
        result[typed] = typed
        if len(words) == 1:
            result[typed] = before + words[0] + ("" if words[0].endswith("=") else " ")
    return result


def main():
    if not shutil.which(SHELL):
        print(f"SKIP: {SHELL} is not installed")
        sys.exit(77)
    failures = []
    with tempfile.TemporaryDirectory(prefix="rf-completions-") as folder:
        os.chdir(folder)
        for name in "recording.rf", "program":
            with open(name, "wb"):
                pass
        os.chmod("program", 0o755)
        os.environ |= {"PATH": f"{BUILD}/bin:{os.environ['PATH']}", "HOME": folder, "TERM": "dumb",
                       "XDG_RUNTIME_DIR": folder, "COLUMNS": "200"}
        session = subprocess.Popen(["rangefinder", "profile", "-q", "-o", "flown", "--session-new=flying", "cat"],
                                   stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        while b"flying" not in subprocess.run(["rangefinder", "sessions", "list"], capture_output=True,
                                              check=False).stdout:
            assert session.poll() is None, "the session has ended"
            time.sleep(0.02)
        try:
            result = complete_by_fish() if SHELL == "fish" else complete_at_terminal()
        finally:
            session.stdin.close()
            session.wait()
    for typed, expected in TYPED.items():
        if result[typed] != expected:
            failures.append(f"{typed!r} becomes {result[typed]!r}, expected {expected!r}")
    sys.exit("\n".join(failures) or 0)


main()
