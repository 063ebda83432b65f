#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spent.py [-o FILE] ROUNDS COMMAND...: runs a command, its output to FILE or nowhere, and prints on one line
the seconds that it took, the least and the median; those of the processor, likewise; and the most memory in MB."""
import os
import statistics
import sys
import time

arguments, output = sys.argv[1:], "/dev/null"
if arguments[0] == "-o":
    output, arguments = arguments[1], arguments[2:]
command = arguments[1:]
wall, processor, most = [], [], 0
for _ in range(int(arguments[0])):
    out = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    begin = time.monotonic()
    pid = os.posix_spawnp(command[0], command, os.environ,
                          file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)])
    os.close(out)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(1)
    wall.append(time.monotonic() - begin)
    processor.append(usage.ru_utime + usage.ru_stime)
    most = max(most, usage.ru_maxrss / 1024)
print(f"{min(wall):.3f} {statistics.median(wall):.3f} {min(processor):.3f} {statistics.median(processor):.3f} {most:.0f}")
