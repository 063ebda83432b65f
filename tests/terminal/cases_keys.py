# SPDX-License-Identifier: Apache-2.0
"""The hotkey, typed at a program in raw mode that tells every byte it gets."""

import hashlib
import random
import time

from screen import app, expect_equal, fail_if, type_key

F12, CTRL_F11 = b"\x1b[24~", b"\x1b[23;5~"


def got(screen):
    return bytes.fromhex(screen.expect(rb"GOT ([0-9a-f]*)\.").group(1).decode())


def case_default_keys(test):
    screen = test.run(*app("raw", 4))
    screen.expect(rb"READY")
    screen.type(b"a")
    type_key(screen, F12, 1)
    screen.type(b"b")
    type_key(screen, CTRL_F11, 2)
    screen.type(b"c\x1b")
    expect_equal(got(screen), b"abc\x1b", "what the program got")
    expect_equal(screen.wait(), 0, "status")
    screen.expect(rb"done after 2 presses")
    screen.expect_restored()


def case_other_keys_pass(test):
    keys = [b"\x1b[23~", b"\x1b[24;5~", b"\x1b[24;2~", b"\x1b\x1b[24~", b"\x1b[A", b"\x1bOP",
            b"\x1b[200~x\x1b[201~", b"\x1b[<0;10;20M", b"\x1b[M !!", b"\x1b[1;5R",
            "\u00e4\u65e5".encode()]
    data = b"".join(keys)
    screen = test.run(*app("raw", len(data)))
    screen.expect(rb"READY")
    screen.type(data)
    expect_equal(got(screen), data, "what the program got")
    expect_equal(screen.wait(), 0, "status")
    screen.expect(rb"done after 0 presses")


def case_chosen_keys(test):
    encodings = [b"\x1bOP", b"\x1b[11~", b"\x1b[[A", b"\x1b[P", b"\x1b[1;1P",  # F1
                 b"\x1b[1;6P", b"\x1bO6P", b"\x1b[11@", b"\x1b[11;6~",  # Ctrl+Shift+F1
                 b"\x1b\x1b[18~", b"\x1b[18;3~"]  # Alt+F7
    screen = test.run(*app("raw", 6), options=["--keys", "f1,ctrl+shift+F1,Alt+F7"])
    screen.expect(rb"READY")
    for number, key in enumerate(encodings, 1):
        type_key(screen, key, number)
    screen.type(F12 + b"x")
    expect_equal(got(screen), F12 + b"x", "what the program got")
    expect_equal(screen.wait(), 0, "status")


def case_rxvt_keys(test):
    screen = test.run(*app("raw", 1), options=["--keys", "Shift+F3,Ctrl+F12"], term="rxvt-unicode")
    screen.expect(rb"READY")
    type_key(screen, b"\x1b[25~", 1)
    type_key(screen, b"\x1b[24^", 2)
    screen.type(b"x")
    expect_equal(got(screen), b"x", "what the program got")


def case_split_key(test):
    """Bytes one by one. Where the machine takes too long, a key passes, as a whole."""
    rounds = 15
    screen = test.run(*app("until_zero"))
    screen.expect(rb"READY")
    for _ in range(rounds):
        for byte in F12:
            screen.type(bytes([byte]))
        time.sleep(0.15)
    screen.type(b"\0")
    data = got(screen)
    n_passed = data.count(F12)
    expect_equal(data, F12 * n_passed + b"\0", "what the program got")
    expect_equal(screen.wait(), 0, "status")
    presses = int(screen.expect(rb"done after (\d+) presses").group(1))
    fail_if(not 1 <= presses <= rounds - n_passed, f"{presses} presses, {n_passed} passed")


def case_lone_escape(test):
    """It reaches the program although nothing follows."""
    screen = test.run(*app("raw", 1))
    screen.expect(rb"READY")
    screen.type(b"\x1b")
    expect_equal(got(screen), b"\x1b", "what the program got")


def case_every_byte(test):
    data = bytes(range(256)) * 4
    screen = test.run(*app("raw", len(data)))
    screen.expect(rb"READY")
    screen.type(data)
    expect_equal(got(screen), data, "what the program got")


def case_key_in_a_paste(test):
    """A megabyte with keys in it: it arrives without them."""
    generator = random.Random(1)
    plain = generator.randbytes(1 << 20).replace(b"\x1b", b"x")
    pieces = [plain[i:i + 65536] for i in range(0, len(plain), 65536)]
    screen = test.run(*app("raw", len(plain)))
    screen.expect(rb"READY")
    for piece in pieces:
        screen.type(piece)
        screen.type(F12)
    total = screen.expect(rb"SUM (\d+) ([0-9a-f]+)\.")
    expect_equal(int(total.group(1)), len(plain), "bytes")
    expect_equal(total.group(2).decode(), hashlib.sha256(plain).hexdigest(), "sum")
    expect_equal(screen.wait(), 0, "status")
    presses = int(screen.expect(rb"done after (\d+) presses").group(1))
    fail_if(not 1 <= presses <= len(pieces), f"{presses} presses")


def case_key_at_a_shell_line(test):
    """In line mode: neither the line nor its echo show the key."""
    screen = test.run(*app("lines"))
    screen.expect(rb"READY\r+\n")
    screen.type(b"he")
    type_key(screen, F12, 1)
    screen.type(b"llo\r")
    line = screen.expect(rb"LINE ([0-9a-f]*)\.").group(1).decode()
    expect_equal(bytes.fromhex(line), b"hello\n", "the line")
    screen.type(b"\x04")
    screen.expect(rb"END OF FILE")
    expect_equal(screen.wait(), 0, "status")
    fail_if(b"24~" in screen.output, "the key was echoed")


def case_messages_begin_lines(test):
    """A message begins a line, and ends one, in the middle of what the program writes."""
    screen = test.run("sh", "-c", "printf READY; read x; printf 'a\\nb\\n'")
    screen.expect(rb"READY")
    screen.type(F12)
    screen.expect(rb"\r\nrangefinder: key 1\r\n")
    screen.type(b"\r")
    screen.expect(rb"a\r\nb\r\n")
    expect_equal(screen.wait(), 0, "status")


def case_key_while_nothing_is_read(test):
    """A program that never reads, and much that was typed: the key is seen all the same."""
    screen = test.run(*app("deaf"))
    screen.expect(rb"READY")
    screen.type(b"x" * 20000)
    type_key(screen, F12, 1)
