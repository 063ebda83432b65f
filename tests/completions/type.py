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
    "rangefinder --vers": "rangefinder --version ",
    "rangefinder stats -r nvtx_kern_s": "rangefinder stats -r nvtx_kern_sum ",
    "rangefinder stats --report=nvtx_kern_s": "rangefinder stats --report=nvtx_kern_sum ",
    "rangefinder stats -r nvtx_sum,nvtx_kern_s": "rangefinder stats -r nvtx_sum,nvtx_kern_sum ",
    "rangefinder stats -f markd": "rangefinder stats -f markdown ",
    "rangefinder compare --fail-on=slower,co": "rangefinder compare --fail-on=slower,counts ",
    "rangefinder recipe nvtx_kern_s": "rangefinder recipe nvtx_kern_sum ",
    "rangefinder gpu-metrics rec": "rangefinder gpu-metrics record ",
    "rangefinder gpu-metrics --set gh": "rangefinder gpu-metrics --set gh100 ",
    "rangefinder profile --gpu-metrics-set=gh": "rangefinder profile --gpu-metrics-set=gh100 ",
    "rangefinder sessions li": "rangefinder sessions list ",
    "rangefinder profile --overf": "rangefinder profile --overflow=",
    "rangefinder profile --overflow=d": "rangefinder profile --overflow=drop ",
    "rangefinder profile --overflow d": "rangefinder profile --overflow drop ",
    "rangefinder profile --capture-range=cudaP": "rangefinder profile --capture-range=cudaProfilerApi ",
    "rangefinder export -t perf": "rangefinder export -t perfetto ",
    "rangefinder info rec": "rangefinder info recording.rf ",  # and not record.c
    "rangefinder export -o recordi": "rangefinder export -o recording.rf ",
    "rangefinder info prog": "rangefinder info program ",  # no recording begins so
    "rangefinder doctor rec": "rangefinder doctor rec",  # takes none
    "rangefinder stop fly": "rangefinder stop fly",
    "rangefinder profile -o x ./progr": "rangefinder profile -o x ./program ",
    "rangefinder profile ./program --fi": "rangefinder profile ./program --fi",
    "rangefinder top fly": "rangefinder top flying ",
    "rangefinder top --session=fly": "rangefinder top --session=flying ",
    "rangefinder stop --session fly": "rangefinder stop --session flying ",
    # words with a space
    "rangefinder info 'my r": "rangefinder info 'my run.rf' ",
    "rangefinder info my\\ r": "rangefinder info my\\ run.rf ",
    'rangefinder info "my r': 'rangefinder info "my run.rf" ',
    "rangefinder export -o 'my ru": "rangefinder export -o 'my run.rf' ",
    "rangefinder info 'a b/": "rangefinder info 'a b/inside.rf' ",
    "rangefinder profile --env-var 'A=b c' --overf": "rangefinder profile --env-var 'A=b c' --overflow=",
    '"./bin dir/rangefinder" summ': '"./bin dir/rangefinder" summarize ',
    "./bin\\ dir/rangefinder stats -f markd": "./bin\\ dir/rangefinder stats -f markdown ",
    "~/bin/rangefinder stats -r nvtx_kern_s": "~/bin/rangefinder stats -r nvtx_kern_sum ",
    "rangefinder info ~/rec": "rangefinder info ~/recording.rf ",
    "rangefinder info ~/my\\ r": "rangefinder info ~/my\\ run.rf ",
    "'./bin dir/rangefinder' summ": "'./bin dir/rangefinder' summarize ",
    "rangefinder stats --activity=nvtx,cuda-e": "rangefinder stats --activity=nvtx,cuda-event ",
    "rangefinder export --activity-type=kernel,cu": "rangefinder export --activity-type=kernel,cuda-api ",
    # the other name of the program, whose options may take several words
    "nsys2json --file": "nsys2json --filename=",
    "nsys2json -f rec": "nsys2json -f recording.rf ",
    "nsys2json --filename=rec": "nsys2json --filename=recording.rf ",
    "nsys2json --act": "nsys2json --activity-type ",
    "nsys2json -t nvtx-": "nsys2json -t nvtx-kernel ",
    "nsys2json -t kernel nvtx-": "nsys2json -t kernel nvtx-kernel ",
    "nsys2json -t kernel nvtx --imp": "nsys2json -t kernel nvtx --import=",
    "nsys2json --import=pa": "nsys2json --import=pages ",
    "nsys2json -f x --import lib": "nsys2json -f x --import library ",
    "nsys2json rec": "nsys2json rec",  # takes none
    "'./bin dir/nsys2json' --nvtx-c": "'./bin dir/nsys2json' --nvtx-color-scheme=",
}

START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], """
bind 'set bell-style none'
bind -x '"\\C-x":printf "LINE<%s>\\n" "$READLINE_LINE"; READLINE_LINE='
eval "$(rangefinder completions bash)"
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
    """fish says what it would put there, and quotes it as the word is quoted; one candidate is the word, with
    a space unless it is open."""
    result = {}
    for typed in TYPED:
        quoted = typed.replace("\\", "\\\\").replace("'", "\\'")
        script = f"source {COMPLETIONS}/rangefinder.fish; complete -C '{quoted}'"
        out = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, check=True, text=True).stdout
        words = sorted({line.split("\t")[0] for line in out.splitlines()})
        *_, last = re.finditer(r"""(?:[^\s'"\\]|\\.|'[^']*'?|"[^"]*"?)+""", typed)
        start = last.start()
        result[typed] = typed
        if len(words) == 1:
            quote = typed[start:start + 1].strip("abcdefghijklmnopqrstuvwxyz.~-")
            word = quote + words[0] + quote if quote else words[0].replace(" ", "\\ ")
            result[typed] = typed[:start] + word + ("" if word.endswith("=") else " ")
    return result


def main():
    if not shutil.which(SHELL):
        print(f"SKIP: {SHELL} is not installed")
        sys.exit(77)
    failures = []
    printed = subprocess.run([f"{BUILD}/bin/rangefinder", "completions", SHELL], capture_output=True, check=True).stdout
    with open(f"{COMPLETIONS}/{'_rangefinder' if SHELL == 'zsh' else 'rangefinder.' + SHELL}", "rb") as file:
        assert printed == file.read(), "rangefinder completions prints another file than that of completions/"
    with tempfile.TemporaryDirectory(prefix="rf-completions-") as folder:
        os.chdir(folder)
        for name in "bin", "bin dir", "a b":
            os.mkdir(name)
        for name in "recording.rf", "record.c", "my run.rf", "my report.c", "a b/inside.rf", "program":
            with open(name, "wb"):
                pass
        for name in "bin", "bin dir":
            os.symlink(f"{BUILD}/bin/rangefinder", f"{name}/rangefinder")
            os.symlink(f"{BUILD}/bin/rangefinder", f"{name}/nsys2json")
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
