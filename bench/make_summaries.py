#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the summaries of a job of many ranks from that of one recording: copies that differ in
path, rank and start.

usage: make_summaries.py SUMMARY FOLDER N"""
import os
import shutil
import sqlite3
import sys


def main():
    source, folder, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
    os.makedirs(folder, exist_ok=True)
    for rank in range(n):
        path = os.path.join(folder, f"rank{rank}.rfsum")
        shutil.copyfile(source, path)
        db = sqlite3.connect(path)
        db.execute("PRAGMA journal_mode=OFF")
        db.execute("PRAGMA synchronous=OFF")
        db.execute("UPDATE inputs SET path = ?, rank = ?, start_utc_ns = start_utc_ns + ?",
                   (f"rank{rank}.rf", rank, rank + 1))
        db.execute("UPDATE identities SET path = NULL, rank = ?, start_utc_ns = start_utc_ns + ?", (rank, rank + 1))
        db.commit()
        db.close()


if __name__ == "__main__":
    main()
