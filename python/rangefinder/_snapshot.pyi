# SPDX-License-Identifier: Apache-2.0
from typing import Optional

def snapshot(reason: Optional[str] = None) -> None: ...
