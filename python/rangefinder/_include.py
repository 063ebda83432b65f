# SPDX-License-Identifier: Apache-2.0
"""Where the NVTX headers are that the package carries."""

import os


def get_include():
    """The folder for -I of a compiler, so that C and C++ programs find <nvtx3/nvToolsExt.h>.

    Returns:
        str: an absolute path.
    """
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")
