# SPDX-License-Identifier: Apache-2.0
"""Automatic annotation."""

from rangefinder.nvtx import Profile
