#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spent.py ROUNDS COMMAND...: runs a command, without its output, and prints on one line the seconds that
it took, the least and the median; those of the processor, likewise; and the most memory in MB."""
import os
import statistics
import sys
import time

wall, processor, most = [], [], 0
for _ in range(int(sys.argv[1])):
    out = os.open("/dev/null", os.O_WRONLY)
    begin = time.monotonic()
    pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ,
                          file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)])
    os.close(out)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(1)
    wall.append(time.monotonic() - begin)
    processor.append(usage.ru_utime + usage.ru_stime)
    most = max(most, usage.ru_maxrss / 1024)
print(f"{min(wall):.3f} {statistics.median(wall):.3f} {min(processor):.3f} {statistics.median(processor):.3f} {most:.0f}")
