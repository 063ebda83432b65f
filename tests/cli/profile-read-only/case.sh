# SPDX-License-Identifier: Apache-2.0
# An output folder that cannot be written to. Root can write everywhere: it becomes somebody else.
as=
if [ "$(id -u)" -eq 0 ]; then
    as='setpriv --reuid=65534 --regid=65534 --clear-groups'
    chmod 755 ..
    $as rangefinder --version >/dev/null 2>&1 || {
        echo 'this is root, and nobody else can run rangefinder here'
        exit 77
    }
fi
mkdir -m 555 folder
$as rangefinder profile -o folder/x act touch:started
echo "= $?"
list
