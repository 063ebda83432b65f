# SPDX-License-Identifier: Apache-2.0
"""The CUPTI clients (*_client.c), which take the recorder's place, and what they write."""

import os
import struct

from checks import expect

MAGIC = b"RFCUPTI1"


def client_env(gpu, client, libraries=None, **others):
    """The environment of a program that has a client, with the libcupti that the recorder took in a
    program like it: of the test programs where none is named."""
    if libraries is None:
        libraries = gpu.recorded("calls", 2, 50 if gpu.is_dry else 400).done.libraries()
    env = {"CUDA_INJECTION64_PATH": gpu.client(client)}
    if libraries:
        env["RF_CLIENT_CUPTI"] = libraries[0]
    env.update(others)
    return env


def read_raw(path):
    """Version, number of buffers and names of a file of raw buffers (tests/cuda/raw_buffers.h)."""
    with open(path, "rb") as file:
        data = file.read()
    expect(data[:8] == MAGIC, "no raw buffers: %r" % data[:8])
    version = struct.unpack_from("<I", data, 8)[0]
    at, n_buffers, names = 12, 0, []
    while at < len(data):
        size, n_names = struct.unpack_from("<II", data, at)
        at += 8 + size
        n_buffers += 1
        for _ in range(n_names):
            length = struct.unpack_from("<II", data, at)[1]
            names.append(data[at + 8:at + 8 + length].decode(errors="replace"))
            at += 8 + length
    expect(at == len(data), "the file is cut")
    return version, n_buffers, names


def dump(gpu, name, command, libraries=None, **env):
    """Runs a program, and leaves its raw buffers in --out. What it was, and the names in them."""
    out = os.path.join(gpu.work, "raw-%s.cupti" % name)
    env = client_env(gpu, "dump_client", libraries, RF_CLIENT_OUT=out, **env)
    done = gpu.run(command, env=env, timeout=120)
    expect(done.status == 0 and os.path.exists(out), done.err.strip()[-200:])
    version, n_buffers, names = read_raw(out)
    gpu.keep(out, os.path.basename(out))
    return "%s: CUPTI %d, %d buffers, %d names" % (name, version, n_buffers, len(names)), names
