# SPDX-License-Identifier: Apache-2.0
"""Times and texts of the nsys2json form, compared with Python's own: numbers.py PROGRAM"""
import json
import random
import subprocess
import sys

random.seed(1)
numbers = [0, 1, 10, 100, 1000, 999, 1001, 1761870000000004003, 2**63 - 1, -(2**63), -1, -1500]
for bits in range(1, 63):
    edge = 2**bits
    numbers += [edge - 1, edge, edge + 1, edge * 1000 % 2**63, random.randrange(edge, 2 * edge)]
for bits in range(40, 54):  # where doubles are as far apart as nanoseconds, and further
    numbers += [int(random.randrange(2**bits, 2 ** (bits + 1)) * 1000) % 2**63 + random.randrange(1000)
                for _ in range(4000)]
    numbers += [min(2**bits * 1000 + d, 2**63 - 1) for d in range(-1500, 1500)]
numbers += [random.randrange(-(2**63), 2**63) for _ in range(20000)]
numbers += [random.randrange(10**d) for d in range(1, 19) for _ in range(2000)]

texts = ["", "plain", "a\"b\\c/d", "tab\tbell\x07 del\x7f", "\u00e9\u20ac\U0001f600\U0010ffff",
         "eight plain bytes, then \u2028", "<b>&'"]
texts += ["".join(chr(c) for c in random.choices(
    [*range(1, 10), *range(11, 0x180), *range(0xd000, 0xd800), *range(0xe000, 0x11000),
     0x10ffff], k=random.randrange(40))) for _ in range(3000)]
# what is not UTF-8 becomes U+FFFD, one for each part that could have begun a character
raw = [b"\xffa", b"\xe2\x82", b"\xe2\x28\xa1", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf0\x9f\x98x",
       b"\xf4\x90\x80\x80"]
raw += [bytes(random.choice([0x20, 0x41, 0x80, 0xbf, 0xc3, 0xe2, 0xed, 0xf0, 0xf4, 0xff])
              for _ in range(random.randrange(1, 12))) for _ in range(3000)]

lines = [str(n).encode() for n in numbers]
lines += [b"t" + t.encode() for t in texts] + [b"t" + r for r in raw]
answer = subprocess.run([sys.argv[1]], input=b"\n".join(lines) + b"\n", stdout=subprocess.PIPE,
                        check=True).stdout.decode("ascii").split("\n")
wrong = 0
for line, got in zip(lines, answer[:len(lines)]):
    if line.startswith(b"t"):
        want = json.dumps(line.decode("utf-8", "replace"))
    else:
        want = json.dumps(int(line) / 1000.)
    if got != want:
        wrong += 1
        if wrong < 20:
            print(f"{line!r}: expected {want}, got {got}")
print(f"{len(lines)} lines, {wrong} wrong")
sys.exit(wrong > 0 or len(answer) != len(lines) + 1)
