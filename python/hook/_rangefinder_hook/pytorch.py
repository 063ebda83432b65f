# SPDX-License-Identifier: Apache-2.0
"""What --pytorch switches on when torch has been imported."""
from . import say


def start(torch, modes):
    """modes: the words of --pytorch."""
    if not hasattr(torch, "nn"):
        say("--pytorch: '%s' is not PyTorch" % getattr(torch, "__file__", torch.__name__))
        return
    functions = [mode for mode in modes if mode.startswith("functions-trace")]
    autograd = [mode for mode in modes if mode.startswith("autograd")]
    if functions:
        from . import pytorch_functions

        pytorch_functions.start(torch, has_sizes=functions[-1].endswith("-shapes"))
    if autograd:
        from . import pytorch_autograd

        pytorch_autograd.start(torch, has_sizes="autograd-shapes-nvtx" in autograd)


def compiling_test(torch):
    """A function that is true in code which torch.compile or torch.export traces. They know it and
    leave out of their graphs what it excludes."""
    test = getattr(getattr(torch, "compiler", None), "is_compiling", None)
    return test or (lambda: False)
