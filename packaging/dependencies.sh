#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The C compiler and the libraries that portable packages are built with, in a folder that is kept:
#   cc            compiles for any glibc from $RF_GLIBC on (PyPI's ziglang), and for $RF_ARCH (this machine's)
#   lib, include  SQLite, PCRE2 and zlib as static libraries, and libzstd.so.1, from Debian's sources
#   licenses/     the licences of these, which binaries must carry
#
# usage: dependencies.sh FOLDER
set -eu
: "${RF_GLIBC:=2.17}" "${RF_DEBIAN:=http://deb.debian.org/debian}" "${RF_DEBIAN_SUITE:=forky}"
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
JOBS=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
: "${RF_ARCH:=$(uname -m)}"
mkdir -p "$1"
to=$(cd "$1" && pwd)
prefix= # of the tools for another processor
[ "$RF_ARCH" = "$(uname -m)" ] || prefix=$RF_ARCH-linux-gnu-

die()
{
    printf 'dependencies.sh: %s\n' "$*" >&2
    exit 1
}

# step NAME COMMAND...: done once; what it prints is shown if it fails
step()
{
    name=$1
    shift
    [ ! -e "$to/done/$name" ] || return 0
    mkdir -p "$to/done"
    printf '==> %s\n' "$name" >&2
    "$@" >"$to/done/log" 2>&1 || { tail -n 30 "$to/done/log" >&2; die "$name failed"; }
    mv "$to/done/log" "$to/done/$name"
}

make_compiler()
{
    python3 -m venv "$to/zig" && "$to/zig/bin/pip" install -q ziglang || return 1
    zig=$("$to/zig/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__) + "/zig")')
    write_compiler "$to/cc"
}

# The recorder is compiled by gcc, as in every build: zig's linker refuses the weak symbols that it
# asks for by version, and no symbol of it is newer than glibc 2.17 (checks.inject_library).
write_compiler()
{
    cat >"$1" <<END
#!/bin/sh
case "\$*" in
*/rangefinder-inject.dir/* | */rangefinder-profiler.dir/* | */rangefinder-chain.dir/* | */rf_linked.dir/*) exec ${prefix}gcc "\$@" ;;
esac
exec "$zig" cc -target $RF_ARCH-linux-gnu.$RF_GLIBC "\$@"
END
    chmod +x "$1"
}

# apt_of_debian COMMAND...: apt-get with Debian's list of sources instead of the machine's
apt_of_debian()
{
    apt=$to/apt
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    echo "deb-src [signed-by=$KEYRING] $RF_DEBIAN $RF_DEBIAN_SUITE main" >"$apt/sources.list"
    apt-get -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root "$@"
}

# Upstream's archives: apt compares them with the hashes that Debian has signed.
fetch_sources()
{
    [ -e $KEYRING ] || die "'$KEYRING' is missing: install debian-archive-keyring"
    mkdir -p "$to/src"
    apt_of_debian update &&
        (cd "$to/src" && apt_of_debian source --download-only --tar-only sqlite3 pcre2 zlib libzstd)
}

# unpack NAME: its archive of the sources, in the current folder
unpack()
{
    rm -rf "$to/src/$1"
    mkdir "$to/src/$1"
    tar xf "$(ls "$to/src/$1"_*.orig.tar.*)" -C "$to/src/$1" --strip-components=1
    cd "$to/src/$1"
    mkdir -p "$to/lib" "$to/include" "$to/licenses"
}

build_sqlite3()
{
    unpack sqlite3
    ./configure && make sqlite3.c || return 1
    "$to/cc" -O2 -fPIC -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_FTS5 \
        -DSQLITE_DEFAULT_MEMSTATUS=0 -c sqlite3.c -o sqlite3.o &&
        ${prefix}ar rcs "$to/lib/libsqlite3.a" sqlite3.o && cp sqlite3.h "$to/include" &&
        cp LICENSE.md "$to/licenses/SQLite.md"
}

build_pcre2()
{
    unpack pcre2
    cmake -S . -B out ${prefix:+-DCMAKE_SYSTEM_NAME=Linux "-DCMAKE_SYSTEM_PROCESSOR=$RF_ARCH"} \
        -DCMAKE_C_COMPILER="$to/cc" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$to" \
        -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DPCRE2_SUPPORT_JIT=ON \
        -DPCRE2_BUILD_PCRE2GREP=OFF -DPCRE2_BUILD_TESTS=OFF &&
        cmake --build out -j "$JOBS" && cmake --install out && cp LICENCE.md "$to/licenses/PCRE2.md"
}

build_zlib()
{
    unpack zlib
    CC=$to/cc CFLAGS="-O3 -fPIC" ./configure --static --prefix="$to" && make -j "$JOBS" libz.a &&
        cp libz.a "$to/lib" && cp zlib.h zconf.h "$to/include" && cp LICENSE "$to/licenses/zlib.txt"
}

build_zstd()
{
    unpack libzstd
    make -C lib -j "$JOBS" CC="$to/cc" libzstd &&
        ${prefix}strip -o "$to/lib/libzstd.so.1" "$(readlink -f lib/libzstd.so.1)" && cp LICENSE "$to/licenses/zstd.txt"
}

step compiler make_compiler
step sources fetch_sources
step SQLite build_sqlite3
step PCRE2 build_pcre2
step zlib build_zlib
step zstd build_zstd
