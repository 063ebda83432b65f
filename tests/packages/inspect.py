#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""inspect.py DIST ARCH SOURCE [GLIBC]: what the packages for a processor hold, wheel, tarball and Debian packages of the
folder DIST, without installing them: the files that users and other packages look for, machine code for that
processor alone, and symbols that glibc GLIBC (2.17) has, the recorder's also where the rest asks for more.
Exits with 77 where there is no package."""

import glob
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

MACHINES = {"x86_64": 62, "aarch64": 183}
NAMES = {"x86_64": "X86-64", "aarch64": "AArch64"}  # as readelf has them
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}
RECORDER_GLIBC = (2, 17)
MOST_BYTES = 12 << 20  # of a wheel
LIBRARIES = [f"librangefinder-{name}.so" for name in ("inject", "profiler", "chain", "nvtxw")]
COMPLETIONS = ["share/bash-completion/completions/rangefinder", "share/bash-completion/completions/nsys2json",
               "share/zsh/site-functions/_rangefinder", "share/fish/vendor_completions.d/rangefinder.fish",
               "share/fish/vendor_completions.d/nsys2json.fish"]


def problem(package, text):
    sys.exit(f"{os.path.basename(package)}: {text}")


def glibc_of(path):
    """The latest version of glibc that a file asks for."""
    text = subprocess.run(["readelf", "-V", "--wide", path], capture_output=True, text=True, check=True).stdout
    needed = text.partition("Version needs section")[2]
    return max((tuple(map(int, version.split("."))) for version in re.findall(r"\bGLIBC_([\d.]+)", needed)), default=(0,))


def check_archive(package, path, name, arch):
    """Returns how many objects are in it."""
    text = subprocess.run(["readelf", "-h", path], capture_output=True, text=True, check=True).stdout
    machines = re.findall(r"Machine: +(.*)", text)
    for machine in machines:
        if NAMES[arch] not in machine:
            problem(package, f"{name} is for {machine}, not {arch}")
    return len(machines)


def check_code(package, folder, arch, glibc):
    """Of every file of machine code; glibc: None: whatever the release has. Returns the latest version."""
    latest, n = (0,), 0
    for path in sorted(glob.glob(f"{folder}/**", recursive=True)):
        if os.path.islink(path) or not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            head = file.read(20)
        name, machine = os.path.relpath(path, folder), int.from_bytes(head[18:20], "little")
        if head[:8] == b"!<arch>\n":
            n += check_archive(package, path, name, arch)
        if head[:4] != b"\x7fELF":
            continue
        n += 1
        if machine != MACHINES[arch]:
            problem(package, f"{name} is for the machine {machine}, {arch} is {MACHINES[arch]}")
        asked = glibc_of(path)
        latest = max(latest, asked)
        limit = RECORDER_GLIBC if os.path.basename(path) in LIBRARIES[:3] else glibc
        if limit and asked > limit:
            problem(package, f"{name} asks for glibc {'.'.join(map(str, asked))}, at most {'.'.join(map(str, limit))} is there")
    if n == 0:
        problem(package, "it has no machine code")
    return latest, n


def check_files(package, folder, wanted):
    for name in wanted:
        if not glob.glob(os.path.join(folder, name)):
            problem(package, f"it has no '{name}'")


def pages(source):
    return [f"share/man/man1/{os.path.basename(page)}" for page in glob.glob(f"{source}/docs/man/*.1")]


def debian_files(source, name):
    lib = "usr/lib/*"
    return {
        "rangefinder": ["usr/bin/rangefinder", "usr/bin/nsys2json", *[f"{lib}/rangefinder/{one}" for one in LIBRARIES],
                        *[f"usr/{one}" for one in COMPLETIONS], *[f"usr/{page}.gz" for page in pages(source)]],
        "librangefinder0": [f"{lib}/librangefinder.so.0"],
        "librangefinder-dev": [f"{lib}/librangefinder.so", f"{lib}/librangefinder-inject.a",
                               f"{lib}/pkgconfig/rangefinder.pc", "usr/include/rangefinder/rangefinder.h",
                               "usr/share/man/man3/rangefinder.3.gz"],
        "python3-rangefinder": ["usr/lib/python3/dist-packages/rangefinder/_reader.*.so"],
    }[name]


def inspect(package, arch, source, glibc):
    with tempfile.TemporaryDirectory() as folder:
        if package.endswith(".whl"):
            zipfile.ZipFile(package).extractall(folder)
            check_files(package, folder, ["rangefinder/bin/rangefinder", "rangefinder/_reader.*.so", "rangefinder/include/nvtx3",
                                          *[f"rangefinder/lib/{name}" for name in LIBRARIES]])
            if os.path.getsize(package) > MOST_BYTES:
                problem(package, f"it has {os.path.getsize(package)} bytes, at most {MOST_BYTES} are allowed")
        elif package.endswith(".deb"):
            subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
            check_files(package, folder, debian_files(source, os.path.basename(package).split("_")[0]))
            glibc = None
        else:
            with tarfile.open(package) as tar:
                tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
            check_files(package, folder, [f"*/{name}" for name in ["bin/rangefinder", "bin/nsys2json", "share/man/man3/rangefinder.3",
                                          *[f"lib/{one}" for one in LIBRARIES], *COMPLETIONS, *pages(source)]])
        latest, n = check_code(package, folder, arch, glibc)
    print(f"{os.path.basename(package)}: {os.path.getsize(package) / 1e6:.1f} MB, {n} files of code for {arch}, "
          f"glibc from {'.'.join(map(str, latest))} on")


def main():
    dist, arch, source = sys.argv[1:4]
    glibc = tuple(map(int, (sys.argv[4] if len(sys.argv) > 4 else "2.17").split(".")))
    packages = [path for pattern in (f"*_{arch}.whl", f"rangefinder-*-linux-{arch}.tar.gz", f"*_{DEBIAN[arch]}.deb")
                for path in sorted(glob.glob(os.path.join(dist, pattern)))]
    if not packages:
        print(f"SKIP: no package for {arch} in {dist}: ./dev packages builds them")
        sys.exit(77)
    for package in packages:
        inspect(package, arch, source, glibc)


main()
