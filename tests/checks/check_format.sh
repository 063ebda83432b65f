#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tree is as clang-format leaves it, and every source has its SPDX line.
set -eu
cd "$1"
command -v git >/dev/null && git rev-parse --git-dir >/dev/null 2>&1 || {
    echo "SKIP: not a git work tree"
    exit 77
}
failed=0
for file in $(git ls-files '*.c' '*.h' '*.py' '*.sh' 'CMakeLists.txt' dev .ci/run); do
    [ -f "$file" ] || continue
    head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || {
        echo "$file: no SPDX line"
        failed=1
    }
done
for name in clang-format-14 clang-format; do
    if "$name" --version 2>/dev/null | grep -q 'version 14\.'; then
        found=$(git ls-files '*.c' '*.h' | grep -v '^tests/data/' | while read -r file; do
            if [ -f "$file" ]; then echo "$file"; fi
        done | xargs "$name" --dry-run -Werror 2>&1 | grep 'error:' | head -n 20) || true
        if [ -n "$found" ]; then
            echo "$found"
            echo "run ./dev format"
            failed=1
        fi
        exit $failed
    fi
done
[ $failed -eq 0 ] || exit 1
echo "SKIP: clang-format 14 is not installed"
exit 77
