# SPDX-License-Identifier: Apache-2.0
"""Ticks to nanoseconds, and CUPTI's times and CLOCK_REALTIME to ticks (docs/format.md, 7.1, 9.2)."""

import bisect
import time

ONE = 1 << 40
MS = 1_000_000


def this_boot():
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return bytes.fromhex(file.read().replace("-", ""))


def rate(a, b, limit):
    """Of (x, y) pairs, y per x; 0: it is not good."""
    if b[0] <= a[0] or b[1] <= a[1]:
        return 0
    value = ((b[1] - a[1]) << 40) // (b[0] - a[0])
    return value if value < limit else 0


class Lines:
    """[(x, y, rate)] sorted by x."""

    def __init__(self, lines):
        self.lines, self.x = lines, [line[0] for line in lines]

    def at(self, x):
        line = self.lines[max(bisect.bisect_right(self.x, x) - 1, 0)]
        return line[1], signed(x - line[0]) * line[2] >> 40


def signed(value):
    """As 64 bits have it."""
    return (value + (1 << 63) & (1 << 64) - 1) - (1 << 63)


def good(a, b):
    return rate(a, b, 1 << 56)


def is_like(own, usual):
    return abs(own - usual) <= usual // 64


class Clock:
    """first: the pair at time 0; end_ns: the end of the session; hz."""

    def __init__(self, container):
        control = container.control
        valid = [
            (pair["ticks"], pair["mono_ns"], pair)
            for pair in control["clock"]
            if self.is_usable(pair)
        ]
        valid = self.of_command_line(valid, control)
        kept = self.thin(sorted(valid, key=lambda pair: pair[0]))
        self.end_ns = kept[-1][1] - kept[0][1] if kept else 0
        self.is_this_boot = bool(kept) and any(control["boot_id"])
        self.is_this_boot = self.is_this_boot and control["boot_id"] == this_boot()
        is_done = container.is_packed or control["is_finished"]
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        if self.is_this_boot and not is_done and control["clock_kind"] == 3:
            self.add_now(kept, (now, now, None))
        else:
            self.add_parts(kept, container.parts)
        kept = kept or [(0, 0, None)]
        self.first, last = kept[0], kept[-1]
        self.now_ns = now - self.first[1]
        lines, length_ns = self.lines_of(kept)
        self.end_ns -= last[1] - self.first[1] - length_ns
        self.lines = Lines(lines or [(self.first[0], 0, ONE)])
        self.hz = 1e9
        if length_ns > 0:
            self.hz = float(last[0] - self.first[0]) * 1e9 / float(length_ns)

    @staticmethod
    def is_usable(pair):
        return pair["real_ns"] != 0 and -(1 << 61) < pair["mono_ns"] < 1 << 61

    def of_command_line(self, valid, control):
        """Without the pairs of programs that have another CLOCK_MONOTONIC."""
        numbers = {
            id(pair)
            for pair, quality in zip(control["clock"], control["quality"])
            if quality["status"] & 0x8000 and self.is_usable(pair)
        }
        taken = [pair for pair in valid if id(pair[2]) in numbers]
        if not taken:
            return valid

        def distance(pair):
            return pair[2]["real_ns"] - pair[1]

        first = distance(min(taken, key=lambda pair: pair[0]))
        return [
            pair
            for pair in valid
            if id(pair[2]) in numbers or abs(distance(pair) - first) <= 1 * MS
        ]

    @staticmethod
    def lines_of(kept):
        """The lines, and where the last pair is."""
        rates = sorted(good(a, b) for a, b in zip(kept, kept[1:]))
        usual = rates[(len(rates) - 1) // 2] if len(rates) >= 3 else 0
        lines, ns = [], 0
        for a, b in zip(kept, kept[1:]):
            own, passed, counted = good(a, b), b[1] - a[1], (b[0] - a[0]) * usual >> 40
            is_step = usual and not is_like(own, usual) and abs(passed - counted) > 1 * MS
            if is_step and counted < 1 << 61:
                own, passed = usual, counted
            lines.append((a[0], ns, own))
            ns = min(ns + passed, 1 << 61)
        return lines, ns

    @staticmethod
    def thin(pairs):
        kept = pairs[:1]
        for pair in pairs[1:]:
            is_far = pair[1] - kept[-1][1] >= 10 * MS or pair is pairs[-1]
            if is_far and good(kept[-1], pair):
                kept.append(pair)
        if len(kept) > 2 and kept[-1][1] - kept[-2][1] < 10 * MS:
            del kept[-2]
        return kept

    @staticmethod
    def add_now(kept, now):
        if len(kept) > 1 and now[1] - kept[-1][1] < 10 * MS:
            kept.pop()
        elif len(kept) > 1 and kept[-1][1] - kept[0][1] < 10 * MS:
            del kept[1:]
        if good(kept[-1], now):
            kept.append(now)

    @staticmethod
    def add_parts(kept, parts):
        headers = [part.header for part in parts if 0 < part.header["mono_ns"] < 1 << 61]
        pairs = sorted((header["ticks"], header["mono_ns"], None) for header in headers)
        if pairs and not kept:
            kept.append(pairs[0])
        least = 1 if len(kept) == 1 else 1000 * MS
        own = good(kept[-1], pairs[-1]) if pairs else 0
        if own and pairs[-1][1] - kept[-1][1] >= least:
            if len(kept) == 1 or is_like(own, good(kept[0], kept[-1])):
                kept.append(pairs[-1])

    def ns(self, ticks):
        start, more = self.lines.at(ticks)
        return max(-(1 << 61), min(start + more, 1 << 61))


class ForeignClock:
    """CUPTI's clock, or CLOCK_REALTIME: times in ns become ticks. pairs: [(ns, ticks, error)]."""

    def __init__(self, clock, control, pairs=()):
        pairs = list(pairs) or [
            (pair["real_ns"], pair["ticks"], 0) for pair in control["clock"] if pair["real_ns"] > 0
        ]
        kept = self.thin(sorted(pairs, key=lambda pair: (pair[1], pair[0])))
        usual = int(clock.hz / 1e9 * ONE)
        lines = []
        for a, b in zip(kept, kept[1:]):
            own = rate(a, b, 1 << 60)
            if abs(own - usual) <= usual // 64:
                lines.append((a[0], a[1], own))
            else:
                half = (b[0] - a[0]) // 2
                lines.append((a[0], a[1], usual))
                lines.append((b[0] - half, b[1] - (half * usual >> 40), usual))
        if len(kept) == 1:
            lines.append((kept[0][0], kept[0][1], usual))
        self.lines = Lines(lines or [(0, 0, ONE)])

    @staticmethod
    def thin(pairs):
        kept = pairs[:1]
        for pair in pairs[1:]:
            last = kept[-1]
            if pair[0] - last[0] >= 100 * MS:
                if rate(last, pair, 1 << 60):
                    kept.append(pair)
            elif pair[0] >= last[0] and pair[2] < last[2]:
                if len(kept) == 1 or rate(kept[-2], pair, 1 << 60):
                    kept[-1] = pair
        return kept

    def ticks(self, ns):
        start, more = self.lines.at(ns)
        return start + max(-(1 << 62), min(more, 1 << 62))
