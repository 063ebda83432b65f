#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The CUDA programs of the checks. sources.py NVCC FOLDER compiles all of them into FOLDER."""
import concurrent.futures
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def shared_runtime(nvcc):
    """Options for a program that links CUDA's runtime as a library."""
    toolkit = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    return ["--cudart", "shared", "-Xlinker", "-rpath=%s/lib64:%s/lib" % (toolkit, toolkit)]


def sources(nvcc):
    """{program: (source, options of nvcc)}; nvcc None: those that need no options."""
    programs = os.path.join(HERE, "programs")
    found = {os.path.basename(source)[:-3]: (source, [])
             for source in glob.glob(os.path.join(programs, "*.cu"))}
    if nvcc is not None:
        found["windows-shared"] = (os.path.join(programs, "windows.cu"), shared_runtime(nvcc))
        for source in glob.glob(os.path.join(ROOT, "examples", "cuda", "*.cu")):
            found["example-" + os.path.basename(source)[:-3]] = (source, [])
    return found


def command(nvcc, arch, source, options, target):
    """Of nvcc, that compiles a program."""
    return [nvcc, "-O2", "-arch=" + arch, *options, "-I" + os.path.join(ROOT, "include"), "-o",
            target, source]


def main(nvcc, folder):
    jobs = [command(nvcc, "all-major", source, options, os.path.join(folder, name))
            for name, (source, options) in sources(nvcc).items()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for job, done in zip(jobs, pool.map(subprocess.run, jobs)):
            if done.returncode != 0:
                sys.exit("sources.py: it does not compile: " + " ".join(job))


if __name__ == "__main__":
    main(*sys.argv[1:])
