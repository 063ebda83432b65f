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
    """A function that is true in code which torch.compile traces. It knows it, and leaves out of
    its graphs what it excludes."""
    compiler = getattr(torch, "compiler", None)
    for name in ("is_dynamo_compiling", "is_compiling"):  # the first costs less
        if hasattr(compiler, name):
            return getattr(compiler, name)
    return lambda: False
