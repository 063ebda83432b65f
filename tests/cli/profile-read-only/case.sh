# SPDX-License-Identifier: Apache-2.0
# An output folder that cannot be written to.
[ "$(id -u)" -ne 0 ] || {
    # a file system that even root cannot write to
    [ -d /proc/self ] || { echo "no read-only folder here"; exit 77; }
    run rangefinder profile -o /proc/self/x act touch:started
    list
    exit 0
}
mkdir -m 500 folder
run rangefinder profile -o folder/x act touch:started 2>/dev/null
list
