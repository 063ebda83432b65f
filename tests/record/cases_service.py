# SPDX-License-Identifier: Apache-2.0
"""A service that is recorded across its restarts, as the unit and the Dockerfile of examples/always_on start it."""

import glob
import json
import os
import shlex
import shutil
import signal
import subprocess
import time

from harness import Skip, expect_equal, fail_if, shell_status

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "always_on")


def make_server(test):
    """A server that marks how often it was started, and waits for its end; where `orphan` is, it leaves a process behind."""
    act = os.path.join(test.build, "tests", "cli", "apps", "act")
    path = test.path("server")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"""#!/bin/sh
echo x >>'{test.path("starts")}'
test ! -e '{test.path("orphan")}' || (setsid sh -c 'echo $$ >"{test.path("orphan")}"; exit 0' &)
exec {act} "mark:start $(wc -l <'{test.path("starts")}')" 'touch:{test.path("there")}' 'await:{test.path("stop")}' exit:3
""")
    os.chmod(path, 0o755)
    return path


class Service:
    """What starts and stops it, as systemd or a container would."""

    def __init__(self, test, prepare, command, under=()):
        self.test, self.prepare, self.command, self.under = test, prepare, command, list(under)
        self.process = self.pid = None

    def start(self):
        env = {"RANGEFINDER_RUNTIME_DIR": self.test.path("runtime"),
               "PATH": f"{os.path.dirname(self.test.rangefinder)}:{os.environ['PATH']}"}
        for words in self.prepare:
            done = self.test.run(words, env=env)
            expect_equal(done.status, 0, f"{words}: {done.stderr.decode()}")
        self.process = self.test.start([*self.under, *self.command], env=env)
        there = self.test.path("there")
        end = time.monotonic() + self.test.timeout_s
        while not os.path.exists(there):
            fail_if(time.monotonic() > end or self.process.poll() is not None, f"never started: {self.test.describe(self.process)}")
            time.sleep(0.01)
        os.unlink(there)
        self.pid = self.process.pid
        if self.under:  # the process that is 1 in there
            (self.pid,) = children_of(self.process.pid)

    def end(self, number):
        """A signal to the main process. Returns the status of the service."""
        os.kill(self.pid, number)
        return shell_status(self.process.wait(self.test.timeout_s))

    def kill_all(self):
        """SIGKILL to every process, as at the end of TimeoutStopSec or of memory."""
        pids = [self.pid, *descendants_of(self.pid)]
        os.kill(self.pid, signal.SIGSTOP)  # or it would still save something
        for pid in reversed(pids):
            os.kill(pid, signal.SIGKILL)
        self.process.wait(self.test.timeout_s)

    def crash(self):
        """The server, not who records it, ends by a signal. Returns the status of the service."""
        (server,) = [pid for pid in descendants_of(self.pid) if is_server(pid)]
        os.kill(server, signal.SIGABRT)
        return shell_status(self.process.wait(self.test.timeout_s))


def text_of(path):
    """"" where the process is gone."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def children_of(pid):
    return [int(word) for word in text_of(f"/proc/{pid}/task/{pid}/children").split()]


def descendants_of(pid):
    found = children_of(pid)
    for child in list(found):
        found += descendants_of(child)
    return found


def is_server(pid):
    return text_of(f"/proc/{pid}/comm").strip() == "act"


def zombies_of(pid):
    return [one for one in descendants_of(pid) if ") Z" in text_of(f"/proc/{one}/stat")]


def marks_of(test, pattern):
    """name of a file -> its marks"""
    found = {}
    for path in glob.glob(test.path(pattern)):
        lines = test.command("export", "-q", "-t", "jsonl", "-o", "-", path).stdout.splitlines()
        found[os.path.basename(path)] = [e["name"] for e in map(json.loads, lines) if e["type"] == "mark"]
    return found


def check_restarts(test, service, pattern):
    """Stopped, crashed, killed with all that belongs to it, ended by itself: each start has files of its own, and nothing is lost."""
    service.start()
    expect_equal(service.end(signal.SIGTERM), 143, "status after a stop")
    service.start()
    expect_equal(service.crash(), 134, "status after a crash")
    service.start()
    service.kill_all()
    fail_if(not glob.glob(test.path(f"{pattern}3.rfdir")), "what a kill leaves is not there")
    service.start()
    fail_if(glob.glob(test.path(f"{pattern}3.rfdir")), "what a kill left was not recovered")
    with open(test.path("stop"), "w", encoding="utf-8"):
        pass
    expect_equal(shell_status(service.process.wait(test.timeout_s)), 3, "the server's own status")
    expect_equal(marks_of(test, f"{pattern}*.rf"), {f"server{n}.1.rf": [f"start {n}"] for n in (1, 2, 3, 4)}, "marks of the files")
    fail_if(glob.glob(test.path(f"{pattern}*.rfdir")), "a session is left")


# ---- The unit ----


def unit_of(test):
    """The example, with the paths of this build."""
    with open(os.path.join(EXAMPLES, "server.service"), encoding="utf-8") as file:
        text = file.read()
    for name, path in (("/usr/bin/rangefinder", test.rangefinder), ("/usr/local/bin/server", make_server(test))):
        fail_if(name not in text, f"the unit does not name {name}")
        text = text.replace(name, path)
    return text


def commands_of(unit, key):
    """The words of each line KEY=, as systemd reads them."""
    lines = [line.partition("=")[2].lstrip("-") for line in unit.splitlines() if line.startswith(f"{key}=")]
    return [[word.replace("%%", "%").replace("$$", "$") for word in shlex.split(line)] for line in lines]


def case_service_unit_is_valid(test):
    """systemd accepts it."""
    if shutil.which("systemd-analyze") is None:
        raise Skip("there is no systemd-analyze")
    path = test.path("server.service")
    with open(path, "w", encoding="utf-8") as file:
        file.write(unit_of(test))
    done = test.run(["systemd-analyze", "verify", "--man=no", path])
    said = (done.stdout + done.stderr).decode()
    expect_equal((done.status, [line for line in said.splitlines() if "server" in line]), (0, []), f"systemd-analyze: {said}")


def case_service_across_restarts(test):
    unit = unit_of(test)
    (command,) = commands_of(unit, "ExecStart")
    service = Service(test, commands_of(unit, "ExecStartPre"), command)
    check_restarts(test, service, "server")
    for path in glob.glob(test.path("server[12].*.rf")):
        os.utime(path, (0, 0))
    os.unlink(test.path("stop"))
    service.start()
    service.end(signal.SIGTERM)
    expect_equal(marks_of(test, "server*.rf"), {"server1.1.rf": ["start 5"], "server3.1.rf": ["start 3"], "server4.1.rf": ["start 4"]},
                 "files where old ones went")


# ---- The container ----


def words_of(dockerfile, key):
    (line,) = [line for line in dockerfile.splitlines() if line.startswith(key + " [")]
    return json.loads(line.partition(" ")[2])


def case_service_in_a_container(test):
    """As process 1 of a pid namespace, with what the Dockerfile says; processes that are left behind are waited for."""
    small = "mount -t tmpfs -o size=64m tmpfs /dev/shm && exec \"$@\""  # as Docker does
    under = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", small, "sh"]
    if subprocess.run([*under, "true"], capture_output=True, check=False).returncode != 0:
        raise Skip("unshare cannot make pid namespaces here")
    with open(os.path.join(EXAMPLES, "Dockerfile"), encoding="utf-8") as file:
        dockerfile = file.read()
    for name, path in (("/recordings", test.folder), ("/usr/local/bin/server", make_server(test))):
        fail_if(name not in dockerfile, f"the Dockerfile does not name {name}")
        dockerfile = dockerfile.replace(name, path)
    service = Service(test, [], words_of(dockerfile, "ENTRYPOINT") + words_of(dockerfile, "CMD"), under)
    with open(test.path("orphan"), "w", encoding="utf-8"):
        pass
    check_restarts(test, service, "server")
    os.unlink(test.path("stop"))
    service.start()
    end = time.monotonic() + test.timeout_s
    while os.path.getsize(test.path("orphan")) == 0 or zombies_of(service.pid):
        fail_if(time.monotonic() > end, f"not waited for: {test.describe(service.process)}")
        time.sleep(0.01)
    expect_equal(service.end(signal.SIGTERM), 143, "status after a stop")
