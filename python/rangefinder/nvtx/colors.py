# SPDX-License-Identifier: Apache-2.0
"""Colors as numbers, as the module of this name of the package nvtx gives them."""

from rangefinder.nvtx import _colors

__all__ = ["color_to_hex"]


def color_to_hex(color=None):
    """Returns the number of a color, an int 0xAARRGGBB.

    color: what rangefinder.nvtx.mark() takes; None is blue.

    Raises TypeError where it is none."""
    try:
        return _colors.color("blue" if color is None else color)
    except ValueError as error:
        raise TypeError(str(error)) from None
