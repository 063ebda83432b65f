# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's cupti.pm_sampling, where it is installed: the tests of rangefinder.pm_sampling hold for it."""

import os
import sys

from checks import Skipped, check
from sampling import last_line, run_tests

ALONE = True


@check("cupti.pm_sampling passes them, too", needs=["torch"])
def nvidia_tests(gpu):
    """With the CUPTI that it was made for where that is installed beside it, else with PyTorch's."""
    there = gpu.run([sys.executable, "-c", "import cupti.pm_sampling; print(cupti.__path__[0])"])
    if there.status != 0:
        raise Skipped("NVIDIA's module: %s" % last_line(there.err))
    beside = os.path.join(os.path.dirname(last_line(there.out)), "nvidia", "cu13", "lib", "libcupti.so.13")
    library = beside if os.path.exists(beside) else gpu.step_libraries()[0]
    env = {"LD_LIBRARY_PATH": os.path.dirname(library), "LD_PRELOAD": library}
    return "%s, with %s" % (run_tests(gpu, "cupti.pm_sampling", env), library)
