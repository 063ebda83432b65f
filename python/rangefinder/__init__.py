# SPDX-License-Identifier: Apache-2.0
"""Rangefinder: an open profiler for annotated programs."""
