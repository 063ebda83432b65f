# SPDX-License-Identifier: Apache-2.0
from rangefinder import fleet as fleet
from rangefinder import nvtx as nvtx
from rangefinder import pm_sampling as pm_sampling
from rangefinder import recording as recording
from rangefinder._include import get_include as get_include
from rangefinder._install import install as install
from rangefinder._nvtxw import nvtxw_backend as nvtxw_backend
from rangefinder._profile import profile as profile
from rangefinder._snapshot import snapshot as snapshot
from rangefinder.recording import FormatError as FormatError
from rangefinder.recording import Recording as Recording
from rangefinder.recording import align as align
from rangefinder.recording import export as export
from rangefinder.recording import open as open

__version__: str
__all__ = ["FormatError", "Recording", "align", "export", "get_include", "install", "nvtxw_backend", "open", "profile", "snapshot"]
