# SPDX-License-Identifier: Apache-2.0
"""What the package nvtx has under this name."""

from rangefinder.nvtx.writer import *  # noqa: F403
