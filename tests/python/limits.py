# SPDX-License-Identifier: Apache-2.0
"""How long programs may take."""

import os

SLOW = int(os.environ.get("RF_TEST_SLOW") or 1)  # how many times as long as usual
