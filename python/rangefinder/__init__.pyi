# SPDX-License-Identifier: Apache-2.0
from rangefinder._profile import profile as profile
from rangefinder.recording import FormatError as FormatError
from rangefinder.recording import Recording as Recording
from rangefinder.recording import open as open

__all__ = ["FormatError", "Recording", "open", "profile"]
