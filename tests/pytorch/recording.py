# SPDX-License-Identifier: Apache-2.0
"""Records a Python script with the annotations asked for."""

import json
import os
import sys

from harness import PUSH_POP, Skip, expect_equal

HERE = os.path.dirname(os.path.abspath(__file__))
STANDIN = os.path.join(HERE, "standin")
VERSIONS = ("1.13.1", "2.0.1", "2.9.0")


def environment(test, **variables):
    """A program's environment with the stand-in of PyTorch."""
    shim = os.path.join(test.build, "lib", "libnvtx-shim.so")
    if not os.path.exists(shim):
        raise Skip("libnvtx-shim.so was not built")
    env = {"PYTHONPATH": STANDIN, "STANDIN_SHIM": shim, "PYTHONDONTWRITEBYTECODE": "1"}
    return {**env, **variables}


def record(test, script, *options, env=None, status=0, stderr=b"", python=(), arguments=()):
    """Returns the recording of a script that is run with these options of `profile`, after checking
    that the program cannot tell the difference."""
    test.n_runs += 1
    path = test.path(f"script{test.n_runs}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)
    command = [sys.executable, *python, path, *arguments]
    env = env if env is not None else environment(test)
    bare = test.run(command, env=env)
    expect_equal(bare.status, status, f"exit status without us ({bare.stderr.decode()})")
    output = test.path(f"python{test.n_runs}.rf")
    profile = [test.rangefinder, "profile", "--quiet", "-o", output, *options]
    done = test.run([*profile, *command], env=env)
    expect_equal(done.stdout, bare.stdout, f"standard output ({done.stderr.decode()})")
    expect_equal(done.stderr, bare.stderr + stderr, "standard error")
    expect_equal(done.status, status, "exit status")
    return test.dump(output)


def counts(recording, domain=b"PyTorch"):
    """name: how many complete ranges of the domain."""
    found = {}
    for event in recording.events(PUSH_POP):
        if event["domain_name"] == domain and not event["cut"]:
            name = event["name"].decode()
            found[name] = found.get(name, 0) + 1
    return found


def functions_file(test, groups):
    path = test.path("functions.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(groups, file)
    return path
