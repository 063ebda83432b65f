# SPDX-License-Identifier: Apache-2.0
"""The backend of NVTX's writer interface that the package carries."""

import os


def nvtxw_backend():
    """The library for nvtx.writer.load_backend(): what is written to it becomes a recording.

    Returns:
        str: an absolute path.

    Raises:
        FileNotFoundError: the package was built without it.
    """
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "librangefinder-nvtxw.so")
    if not os.path.exists(path):
        raise FileNotFoundError(f"cannot find '{path}': install the whole of Rangefinder")
    return path
