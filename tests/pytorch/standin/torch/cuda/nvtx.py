# SPDX-License-Identifier: Apache-2.0
from torch import _C


def range_push(message):
    _C._shim.shim_push(message.encode())


def range_pop():
    _C._shim.shim_pop()
