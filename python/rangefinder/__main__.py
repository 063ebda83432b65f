# SPDX-License-Identifier: Apache-2.0
"""python -m rangefinder VERB ...: the command line, which a wheel carries beside these files."""

import os
import sys

COMMAND = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "rangefinder")


def main():
    """Never returns: this process goes on as the command line."""
    try:
        # os.environ is without what importing this package tells libraries
        os.execve(COMMAND, ["rangefinder", *sys.argv[1:]], os.environ)
    except OSError as error:
        is_file = os.path.exists(COMMAND) and not os.access(COMMAND, os.X_OK)
        hint = "chmod +x it" if is_file else "install the package anew"
        sys.exit(f"rangefinder: cannot run '{COMMAND}': {error.strerror.lower()}; {hint}")


if __name__ == "__main__":
    main()
