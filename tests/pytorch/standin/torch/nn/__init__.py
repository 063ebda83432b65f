# SPDX-License-Identifier: Apache-2.0
from .modules import Linear, Module, Sequential  # noqa: F401
