# SPDX-License-Identifier: Apache-2.0
from rangefinder.nvtx import _Color

__all__ = ["color_to_hex"]

def color_to_hex(color: _Color = None) -> int: ...
