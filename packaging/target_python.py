#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: target_python.py FOLDER ARCH COMPILER

Makes in FOLDER what a build of extension modules for the processor ARCH, this machine's or another, asks of
the interpreter that runs this: the module _sysconfigdata_target, which is its sysconfig as it is there
(_PYTHON_SYSCONFIGDATA_NAME names it, PYTHONPATH finds it), and its headers, in include, with one pyconfig.h.
Debian has one for each processor, beside the others, where portable compilers do not look. Where there is
one alone, it is taken, and COMPILER asserts what it says of the sizes of types."""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

SIZES = {
    "SIZEOF_INT": "int", "SIZEOF_LONG": "long", "SIZEOF_LONG_LONG": "long long", "SIZEOF_VOID_P": "void *",
    "SIZEOF_SHORT": "short", "SIZEOF_FLOAT": "float", "SIZEOF_DOUBLE": "double", "SIZEOF_LONG_DOUBLE": "long double",
    "SIZEOF_SIZE_T": "size_t", "SIZEOF_TIME_T": "time_t", "SIZEOF_OFF_T": "off_t", "SIZEOF_PID_T": "pid_t",
    "SIZEOF_WCHAR_T": "wchar_t", "SIZEOF_UINTPTR_T": "uintptr_t", "SIZEOF_PTHREAD_T": "pthread_t",
    "SIZEOF_FPOS_T": "fpos_t", "SIZEOF__BOOL": "_Bool",
}  # fmt: skip


def write_sysconfig(folder: pathlib.Path, arch: str) -> None:
    """The names of processors in it, of platforms (x86_64-linux-gnu) and of machines, become arch."""
    original = sysconfig._get_sysconfigdata_name()
    (folder / "_sysconfigdata_target.py").write_text(
        f"import importlib\n\nhere = importlib.import_module({original!r}).build_time_vars\n"
        "build_time_vars = {\n"
        f"    name: value.replace({os.uname().machine!r}, {arch!r}) if isinstance(value, str) else value\n"
        "    for name, value in here.items()\n"
        "}\n"
    )


def copy_headers(folder: pathlib.Path, arch: str) -> None:
    headers = pathlib.Path(sysconfig.get_path("include"))
    shutil.copytree(headers, folder / "include", dirs_exist_ok=True)
    of_arch = headers.parent / f"{arch}-linux-gnu" / headers.name / "pyconfig.h"
    if of_arch.exists():
        shutil.copy2(of_arch, folder / "include")
    elif f"{os.uname().machine}-linux-gnu/" in (headers / "pyconfig.h").read_text():
        sys.exit(f"'{of_arch}' is missing: it is in Debian's lib{headers.name}-dev of that processor")


def check_sizes(folder: pathlib.Path, compiler: str) -> None:
    program = "#include <Python.h>\n#include <pthread.h>\n#include <stdint.h>\n#include <stdio.h>\n"
    for name, kind in SIZES.items():
        program += f'#ifdef {name}\n_Static_assert({name} == sizeof({kind}), "{name}");\n#endif\n'
    source = folder / "sizes.c"
    source.write_text(program)
    command = [compiler, f"-I{folder}/include", "-c", str(source), "-o", str(folder / "sizes.o")]
    if subprocess.run(command).returncode != 0:
        sys.exit(f"pyconfig.h of '{sys.executable}' is another for this processor")


def main() -> None:
    folder, arch, compiler = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_sysconfig(folder, arch)
    copy_headers(folder, arch)
    check_sizes(folder, compiler)


main()
