# SPDX-License-Identifier: Apache-2.0
"""Clocks."""

from rangefinder.nvtx import TimestampType
