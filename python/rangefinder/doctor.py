# SPDX-License-Identifier: Apache-2.0
"""python -m rangefinder.doctor: what works on this machine, and for this interpreter.

Where this says that there is no such module, the package that is imported as rangefinder is another
project's: PyPI has one of that name. This project's distribution is rangefinder-profiler."""

import importlib.metadata
import os
import sys

from rangefinder import __main__ as command_line


def _say_package():
    """Prints where the package is, and a distribution that writes into the same folder."""
    folder = os.path.dirname(os.path.abspath(__file__))
    if not os.path.exists(os.path.join(folder, "__init__.py")):
        print(
            f"warn  package        '{folder}' has no __init__.py any more: it went with another project's "
            f"distribution rangefinder when that was uninstalled\n"
            f"{'':20} -> {sys.executable} -m pip install --force-reinstall this project's wheel"
        )
        return
    print(f"ok    package        {folder}")
    try:
        other = importlib.metadata.distribution("rangefinder")
    except importlib.metadata.PackageNotFoundError:
        return
    print(
        f"warn  package        '{other.locate_file('rangefinder')}' belongs to another project, the "
        f"distribution rangefinder {other.version}, too\n"
        f"{'':20} -> {sys.executable} -m pip uninstall rangefinder; then "
        f"pip install --force-reinstall this project's wheel"
    )


if __name__ == "__main__":
    _say_package()
    sys.stdout.flush()
    sys.argv[1:1] = ["doctor"]
    command_line.main()
