#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests of include/nvtx3. Each case compiles what it needs in a folder of its own, runs it
# under the counting tool (count_tool.c) and compares what the tool heard.
#
# usage: run.sh CASE       the cases are the functions case_... below; CC and CXX are honoured
# exit:  0 passed, 1 failed, 77 skipped (the reason is printed)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
include=$root/include
CC=${CC:-cc}
CXX=${CXX:-}
case $CXX in *NOTFOUND) CXX= ;; esac # as CMake says it
[ -n "$CXX" ] || CXX=$(command -v c++ || true)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
export NVTX_TEST_LOG="$log"
unset NVTX_INJECTION32_PATH NVTX_INJECTION64_PATH NVTX_TEST_MODE UNICODE || true
unset CFLAGS CXXFLAGS LD_PRELOAD || true

flags="-I$include -I$here/stub -I$here/stub/cuda -fvisibility=hidden -fPIC -pthread"
strict="-Wall -Wextra -pedantic -Werror -Wshadow -Wundef -Wcast-qual -Wconversion"
strict_c="$strict -Wstrict-prototypes -Wmissing-prototypes"
strict_cxx="$strict -Wold-style-cast"

fail() {
    echo "FAILED: $*" >&2
    [ ! -f "$log" ] || sed 's/^/  log: /' "$log" >&2
    exit 1
}

skip() {
    echo "skipped: $*"
    exit 77
}

need_cxx() { [ -n "$CXX" ] || skip "no C++ compiler"; }

# build OUTPUT ARGUMENTS...: as C; build_cxx: as C++. Everything links -ldl.
build() { out=$1 && shift && $CC -std=gnu11 -O2 $flags "$@" -o "$work/$out" -ldl; }
build_cxx() { out=$1 && shift && $CXX -std=c++17 -O2 $flags "$@" -o "$work/$out" -ldl; }

build_tool() { build tool.so -Wall -Wextra -Werror -shared "$here/count_tool.c"; }

# The tool with its side of the extensions.
build_ext_tool() {
    build tool.so -Wall -Wextra -Werror -shared "$here/count_tool.c" "$here/ext_tool.c"
}

# under_tool PROGRAM ARGUMENTS...: runs it with the tool attached and an empty log
under_tool() {
    : >"$log"
    program=$1 && shift
    NVTX_INJECTION64_PATH=$work/tool.so "$work/$program" "$@" || fail "$program $*: exit $?"
}

# heard N TEXT: the log has exactly N lines that begin with TEXT
heard() {
    n=$(grep -c "^$2" "$log" || true)
    [ "$n" = "$1" ] || fail "expected $1 lines '$2...', got $n"
    if grep -q BAD "$log"; then fail "the tool complains"; fi
}

# with_nvidia COMMAND [wrappers]: runs it for every folder of NVIDIA's headers that is found, with the
# folder in $nvidia and that of the CUDA toolkit's, or of stand-ins, in $cuda.
with_nvidia() {
    found=$("$here/nvidia_headers.sh" ${2:+"$2"}) || skip "$found"
    for nvidia in $found; do
        cuda=$here/stub/cuda
        [ ! -f "$nvidia/cuda.h" ] || cuda=$nvidia
        rm -rf "${work:?}"/*
        echo "NVIDIA's headers: $nvidia/nvtx3"
        "$1"
    done
}

# ---- what arrives at the tool ----

# Every function, with its arguments and results, as C and as C++.
case_all() {
    build_tool
    build app "$here/app_all.c"
    under_tool app
    diff "$here/app_all.expected" "$log" || fail "the tool heard something else"
    [ -n "$CXX" ] || return 0
    build_cxx app_cxx -x c++ "$here/app_all.c"
    under_tool app_cxx
    diff "$here/app_all.expected" "$log" || fail "C++: the tool heard something else"
}

# The names without A and W.
case_unicode() {
    cat >"$work/app.c" <<'END'
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#ifdef UNICODE
#define T(text) L##text
#else
#define T(text) text
#endif
int main(void)
{
    nvtxMark(T("t"));
    nvtxRangeEnd(nvtxRangeStart(T("t")));
    nvtxRangePush(T("t"));
    nvtxNameCategory(1, T("t"));
    nvtxNameOsThread(1, T("t"));
    nvtxDomainRegisterString(nvtxDomainCreate(T("t")), T("t"));
    nvtxDomainNameCategory(NULL, 1, T("t"));
    nvtxNameCuDevice(0, T("t"));
    return 0;
}
END
    build_tool
    build narrow "$work/app.c"
    build wide -DUNICODE "$work/app.c"
    under_tool narrow
    heard 9 "[A-Za-z]*A .*t$"
    under_tool wide
    heard 9 "[A-Za-z]*W .*t$"
}

# ---- attaching ----

case_no_tool() {
    build app "$here/app_init.c"
    build all "$here/app_all.c"
    "$work/app" failing || fail "without a tool"
    NVTX_INJECTION64_PATH='' "$work/app" failing || fail "with an empty path"
    "$work/all" silent || fail "results without a tool"
}

case_missing_library() {
    build app "$here/app_init.c"
    NVTX_INJECTION64_PATH=$work/missing.so "$work/app" failing || fail "missing library"
}

case_missing_entry() {
    build no_entry.so -shared "$here/no_entry.c"
    build app "$here/app_init.c"
    NVTX_INJECTION64_PATH=$work/no_entry.so "$work/app" failing || fail "missing entry point"
}

case_refusing_tool() {
    build_tool
    build app "$here/app_init.c"
    export NVTX_TEST_MODE=refuse
    under_tool app failing
    heard 1 attach
    heard 1 ""
}

case_debug_print() {
    build app -DNVTX_DEBUG_PRINT "$here/app_init.c"
    NVTX_INJECTION64_PATH=$work/missing.so "$work/app" failing 2>"$log" || fail "missing library"
    heard 1 "nvtx: .*missing.so"
    NVTX_INJECTION64_PATH=./. "$work/app" failing 2>"$log" || fail "no tool wanted"
    heard 0 ""
}

case_working() {
    build_tool
    build app "$here/app_init.c"
    under_tool app working
    heard 1 attach
    heard 1 "RangePushA first"
}

case_initialize() {
    build_tool
    build app "$here/app_init.c"
    under_tool app initialize
    heard 1 attach
    heard 1 "Initialize (nil)"
}

case_reentrant() {
    build_tool
    build app -rdynamic "$here/app_init.c"
    export NVTX_TEST_MODE=annotate
    under_tool app reentrant
    heard 1 attach
    heard 1 "RangePushA first"
    heard 0 "[A-Za-z]* from tool"
}

case_threads() {
    build_tool
    build app "$here/app_init.c"
    for mode in slow ""; do
        export NVTX_TEST_MODE=$mode
        under_tool app threads
        heard 1 attach
        heard 16 "RangePushA thread"
    done
}

case_fork() {
    build_tool
    build app -rdynamic "$here/app_init.c"
    export NVTX_TEST_MODE=fork
    under_tool app fork
    heard 1 attach
    heard 2 "RangePushA parent"
    heard 0 "RangePushA child"
}

case_cancel() {
    build_tool
    build app -rdynamic "$here/app_init.c"
    export NVTX_TEST_MODE=fork
    under_tool app cancel
    heard 1 "RangePushA main"
}

case_leaving_tool() {
    build_tool
    build app "$here/app_init.c"
    under_tool app leave
    heard 1 "RangePushA heard"
    heard 1 "DomainRangePop"
    heard 0 "[A-Za-z]* not heard"
}

case_secure() {
    build_tool
    build app "$here/app_init.c"
    chown 65534 "$work/app" 2>/dev/null && chmod 4755 "$work/app" "$work" || skip "not root"
    : >"$log"
    chmod 666 "$log"
    result=0
    NVTX_INJECTION64_PATH=$work/tool.so "$work/app" secure || result=$?
    [ "$result" != 77 ] || skip "set-user-id programs do not work here"
    [ "$result" = 0 ] || fail "exit $result"
    heard 0 ""
}

# ---- the extensions ----

# Every function of them, as C and as C++.
case_ext_all() {
    build_ext_tool
    build app $strict_c "$here/app_ext.c"
    under_tool app heard
    diff "$here/app_ext.expected" "$log" || fail "the tool heard something else"
    "$work/app" silent || fail "results without a tool"
    build app -DNVTX_DISABLE "$here/app_ext.c"
    under_tool app silent
    heard 0 ""
    nm "$work/app" >"$log"
    heard 0 ".*rf_nvtx"
    heard 0 ".*dlopen"
    [ -n "$CXX" ] || return 0
    build_cxx app_cxx $strict_cxx -x c++ "$here/app_ext.c"
    under_tool app_cxx heard
    diff "$here/app_ext.expected" "$log" || fail "C++: the tool heard something else"
}

# Every function of the memory extension.
case_ext_memory() {
    build_ext_tool
    build app $strict_c "$here/app_mem.c"
    under_tool app heard
    diff "$here/app_mem.expected" "$log" || fail "the tool heard something else"
    "$work/app" silent || fail "results without a tool"
    build app -DNVTX_DISABLE "$here/app_mem.c"
    under_tool app silent
    heard 0 ""
    [ -n "$CXX" ] || return 0
    build_cxx app_cxx $strict_cxx -x c++ "$here/app_mem.c"
    under_tool app_cxx heard
    diff "$here/app_mem.expected" "$log" || fail "C++: the tool heard something else"
}

case_ext_no_tool() {
    build app "$here/app_ext_init.c"
    "$work/app" failing || fail "without a tool"
    NVTX_INJECTION64_PATH='' "$work/app" failing || fail "with an empty path"
    NVTX_INJECTION64_PATH=$work/missing.so "$work/app" failing || fail "missing library"
    NVTX_INJECTION64_PATH=./. "$work/app" failing || fail "no tool wanted"
}

# Tools that know nothing of extensions, take none, or one.
case_ext_partly() {
    build_tool
    build app "$here/app_ext_init.c"
    under_tool app enabled
    heard 1 attach
    heard 1 "Initialize"
    build_ext_tool
    export NVTX_TEST_MODE=take-nothing
    under_tool app enabled
    heard 1 "extension 2"
    heard 1 "extension 4"
    export NVTX_TEST_MODE=refuse-payload
    under_tool app refused
    heard 1 "CounterSampleInt64"
    heard 0 "RangePush"
    export NVTX_TEST_MODE=refuse
    under_tool app extensions
    heard 1 attach
    heard 1 "CounterSampleInt64"
}

case_ext_reentrant() {
    build_ext_tool
    build app -rdynamic "$here/app_ext_init.c"
    for mode in annotate annotate-ext; do
        export NVTX_TEST_MODE=$mode
        under_tool app reentrant
        heard 1 attach
        heard 1 "extension 2"
        heard 1 "DomainIsEnabled"
        heard 0 "RangePush"
    done
    export NVTX_TEST_MODE=annotate
    under_tool app reentrant-core
    heard 1 "extension 2"
    heard 1 "DomainIsEnabled"
}

# The tool is not called with the handles of silent domains, and is with their neighbours.
case_silent_domains() {
    build_ext_tool
    build app "$here/app_ext_init.c"
    under_tool app silent-domains
    for name in DomainMarkEx DomainRangePushEx DomainRangePop DomainRangeStartEx DomainIsEnabled \
        MarkPayload RangePushPayload RangePopPayload RangeStartPayload EventSubmit \
        CounterSampleInt64 CounterSampleFloat64 CounterSample CounterSampleNoValue \
        CounterBatchSubmit; do
        heard 3 "$name "
    done
    for name in DomainRangeEnd RangeEndPayload; do
        heard 5 "$name "
    done
}

case_ext_threads() {
    build_ext_tool
    build app "$here/app_ext_init.c"
    for mode in slow slow-ext ""; do
        export NVTX_TEST_MODE=$mode
        under_tool app threads
        heard 1 attach
        heard 1 "Initialize"
        heard 1 "extension 2"
        heard 1 "extension 4"
        heard 16 "DomainIsEnabled"
        heard 16 "CounterSampleInt64"
    done
}

# Signals and forks while an extension attaches.
case_ext_interrupted() {
    build_ext_tool
    build app -rdynamic "$here/app_ext_init.c"
    export NVTX_TEST_MODE=fork-ext
    under_tool app signal
    heard 1 "extension 2"
    heard 2 "DomainIsEnabled"
    under_tool app fork
    heard 1 "extension 2"
    heard 2 "DomainIsEnabled"
    heard 0 "RangePush"
}

# A tool that is linked into the program, for both kinds of entry points.
case_ext_static_tool() {
    build app "$here/app_ext_init.c" -DCOUNT_TOOL_STATIC "$here/count_tool.c" "$here/ext_tool.c"
    : >"$log"
    "$work/app" threads || fail "linked tool: exit $?"
    heard 3 static
    heard 16 "DomainIsEnabled"
    : >"$log"
    NVTX_INJECTION64_PATH=./. "$work/app" failing || fail "no tool wanted"
    heard 0 ""
}

# A tool that is in the process before, where that is looked for.
case_ext_preinjected() {
    build pre.so -shared "$here/preinject.c" "$here/count_tool.c" "$here/ext_tool.c"
    build app -DNVTX_SUPPORT_ALREADY_INJECTED_LIBRARY=1 "$here/app_ext_init.c"
    : >"$log"
    LD_PRELOAD=$work/pre.so "$work/app" working || fail "exit $?"
    heard 1 attach
    heard 1 "CounterSampleInt64"
    build app "$here/app_ext_init.c"
    LD_PRELOAD=$work/pre.so "$work/app" failing || fail "looked for without being asked: $?"
}

# ---- a tool that the CUDA driver knows ----

# The driver's stand-in, and a program that looks for the system's files in $work/run.
build_driver() {
    mkdir -p "$work/lib" "$work/xdg"
    build lib/libcuda.so.1 -shared "$here/driver.c" "$here/count_tool.c" "$here/ext_tool.c"
    build app "-DRF_NVTX_RUN_DIR=\"$work/run\"" "$@" "$here/app_ext_init.c"
}

# with_driver CASE: runs the program with that driver and an empty log
with_driver() {
    : >"$log"
    chmod a+rw "$log"
    LD_LIBRARY_PATH=$work/lib XDG_RUNTIME_DIR=$work/xdg $as_user "$work/app" "$1" ||
        fail "$1: exit $?"
}

# yaml FOLDER: the file that asks for the driver lies there, and nowhere else
yaml() {
    rm -rf "$work/run" "$work/xdg"
    mkdir -p "$1" "$work/xdg"
    : >"$1/nvtx-cuda.yaml"
    chmod -R a+rX "$work"
}

case_driver() {
    as_user=
    export NVTX_TEST_DRIVER=12
    build_driver
    with_driver failing
    heard 0 ""
    yaml "$work/run/nvidia/nvtx"
    with_driver working
    for line in "driver loaded" "driver asked for 1" "driver asked for 2" "RangePushA core"; do
        heard 1 "$line"
    done
    heard 1 "DomainIsEnabled"
    # nothing of it where the environment says something
    for path in ./. '' "$work/missing.so"; do
        export NVTX_INJECTION64_PATH="$path"
        with_driver failing
        heard 0 ""
    done
    unset NVTX_INJECTION64_PATH
    NVTX_TEST_DRIVER=1
    with_driver core
    heard 1 "driver asked for 2"
    NVTX_TEST_DRIVER=2
    with_driver extensions
    heard 1 "driver loaded"
    # a program that does not look for it; a driver that knows nothing of tools; no driver
    build_driver -DNVTX_SUPPORT_CUDA_DRIVER_INJECTION_LIBRARY=0
    with_driver failing
    heard 0 ""
    build_driver
    build lib/libcuda.so.1 -shared -DKNOWS_NO_TOOLS "$here/driver.c" "$here/count_tool.c" \
        "$here/ext_tool.c"
    with_driver failing
    heard 1 "driver loaded"
    heard 1 ""
    printf 'no library\n' >"$work/lib/libcuda.so.1"
    with_driver failing
}

# The file of root, and of another user.
case_driver_users() {
    as_user=
    export NVTX_TEST_DRIVER=12
    build_driver
    [ "$(id -u)" = 0 ] || skip "not root"
    yaml "$work/run/nvidia/nvtx/user.0"
    with_driver working
    heard 1 "driver loaded"
    yaml "$work/xdg/nvidia/nvtx"
    with_driver failing
    heard 0 ""
    command -v setpriv >/dev/null || skip "root alone was tried: no setpriv"
    chmod a+rx "$work"
    as_user="setpriv --reuid 65534 --clear-groups"
    with_driver working
    heard 1 "driver loaded"
    yaml "$work/run/nvidia/nvtx/user.0"
    with_driver failing
    heard 0 ""
}

# ---- several files and libraries ----

# Files of one program share one set of slots.
case_units() {
    build_tool
    $CC -O2 $flags -DUNIT=a -c "$here/unit.c" -o "$work/a.o"
    $CC -O0 $flags -DUNIT=b -c "$here/unit.c" -o "$work/b.o"
    build app "$here/app_units.c" "$work/a.o" "$work/b.o"
    under_tool app
    heard 1 attach
    heard 2 "RangePushA unit [ab]"
    heard 1 "RangePushA main"
}

# So do C and C++ files, optimised or not, and with link-time optimisation.
case_units_cxx() {
    need_cxx
    build_tool
    for extra in "" -flto; do
        $CXX -std=c++11 -O0 $flags $extra -DUNIT=a -x c++ -c "$here/unit.c" -o "$work/a.o"
        $CC -std=gnu99 -O2 $flags $extra -DUNIT=b -c "$here/unit.c" -o "$work/b.o"
        $CC -O3 $flags $extra -c "$here/app_units.c" -o "$work/main.o"
        build_cxx app $extra "$work/main.o" "$work/a.o" "$work/b.o"
        under_tool app
        heard 1 attach
        heard 2 "RangePushA unit [ab]"
        heard 1 "RangePushA main"
    done
}

# The same for the extensions, which each attach once.
case_units_ext() {
    build_ext_tool
    for extra in "" -flto; do
        $CC -std=gnu99 -O0 $flags $extra -DUNIT=ours -DNUMBER=1 -c "$here/ext_unit.c" -o "$work/a.o"
        if [ -n "$CXX" ]; then
            $CXX -x c++ -std=c++11 -O2 $flags $extra -DUNIT=theirs -DNUMBER=2 -c "$here/ext_unit.c" \
                -o "$work/b.o"
        else
            $CC -O2 $flags $extra -DUNIT=theirs -DNUMBER=2 -c "$here/ext_unit.c" -o "$work/b.o"
        fi
        $CC -O3 $flags $extra -DMAIN -c "$here/ext_unit.c" -o "$work/main.o"
        "${CXX:-$CC}" -O2 $extra "$work/main.o" "$work/a.o" "$work/b.o" -o "$work/app" -ldl
        under_tool app
        heard 1 attach
        heard 1 "extension 2"
        heard 1 "extension 4"
        heard 1 "CounterSampleInt64 (nil) id=1 1"
        heard 1 "CounterSampleInt64 (nil) id=2 2"
    done
}

# Shared libraries each have their own and attach by themselves.
case_libraries() {
    build_tool
    build liba.so -shared -DUNIT=a "$here/unit.c"
    build libb.so -shared -DUNIT=b "$here/unit.c"
    build app "$here/app_units.c" "$work/liba.so" "$work/libb.so" -Wl,-rpath,"$work"
    under_tool app
    heard 3 attach
    heard 2 "RangePushA unit [ab]"
    heard 1 "RangePushA main"
}

# A tool that is linked into the program; one that the environment names goes first.
case_static_tool() {
    build_tool
    build app "$here/app_init.c" -DCOUNT_TOOL_STATIC "$here/count_tool.c"
    : >"$log"
    "$work/app" threads || fail "linked tool: exit $?"
    heard 1 static
    heard 16 "RangePushA thread"
    : >"$log"
    NVTX_INJECTION64_PATH='' "$work/app" threads || fail "linked tool, empty path: exit $?"
    heard 1 static
    under_tool app working
    heard 0 static
    heard 1 attach
    # defined in the same file as the annotations
    cat >"$work/one.c" <<'END'
#define NVTX_STATIC_INJECTION_IMPL
#include <nvtx3/nvToolsExt.h>
static int attach(NvtxGetExportTableFunc_t get_table)
{
    exit(get_table(NVTX_ETID_CALLBACKS) ? 7 : 8);
}
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = attach;
int main(void)
{
    nvtxMarkA("x");
    return 0;
}
END
    build one "$work/one.c"
    result=0
    "$work/one" || result=$?
    [ "$result" = 7 ] || fail "tool in the same file: exit $result"
}

# A library exports the functions, when it is asked to, and nothing else of the header.
case_exports() {
    build exports.so -shared "$here/exports.c"
    build hidden.so -shared -DUNIT=a "$here/unit.c"
    nm -D --defined-only "$work/exports.so" >"$log"
    for name in nvtxMarkA nvtxInitialize nvtxDomainCreateW nvtxDomainSyncUserReleasing \
        nvtxEventBatchSubmit nvtxDomainIsEnabled nvtxCounterRegister; do
        heard 1 "[0-9a-f]* T $name$"
    done
    heard 0 "[0-9a-f]* . rf_"
    heard 0 "[0-9a-f]* . InitializeInjection"
    nm -D --defined-only "$work/hidden.so" >"$log"
    heard 1 "[0-9a-f]* T annotate_unit_a$"
    heard 1 ""
    # the slots are ready before any code runs
    for compiler in $CC $CXX; do
        $compiler -O0 $flags -DUNIT=a -c "$here/unit.c" -o "$work/unit.o"
        nm "$work/unit.o" >"$log"
        heard 0 ".*_GLOBAL__"
    done
    for part in init_array ctors; do
        ! readelf -S "$work/unit.o" | grep -q "$part" || fail "slots are set up at run time"
    done
}

# ---- compilers, standards, modes ----

# compile_all COMPILER OPTIONS...: app_all.c and app_ext.c, which use all headers; as C89, which has no
# macros of a variable number of arguments, the second is the headers of the extensions alone
compile_all() {
    for app in all ext; do
        "$@" $flags -c "$work/$app.$suffix" -o "$work/$app.o" || fail "$app: $*"
    done
}

# copy_apps SUFFIX: for compile_all
copy_apps() {
    suffix=$1
    cp "$here/check.h" "$work"
    cp "$here/app_all.c" "$work/all.$suffix"
    {
        echo '#if defined(__cplusplus) ? __cplusplus >= 201103L : defined(__STDC_VERSION__)'
        cat "$here/app_ext.c"
        printf '#else\n#include <nvtx3/nvToolsExtCounters.h>\n'
        (cd "$include/nvtx3" && ls nvToolsExtSemantics*.h) | sed 's/.*/#include <nvtx3\/&>/'
        printf '#include <nvtx3/nvToolsExtMem.h>\n#include <nvtx3/nvToolsExtMemCudaRt.h>\n'
        printf 'int main(void) { nvtxCounterSampleInt64(NVTX_NULLPTR, 1, 2); return 0; }\n#endif\n'
    } >"$work/ext.$suffix"
}

case_compile_c() {
    copy_apps c
    for standard in c89 c99 c11 gnu17; do
        for mode in -O0 -O2 -DNVTX_DISABLE -DNVTX_NO_IMPL -DNVTX_AS_SYSTEM_HEADER \
            -DNVTX_EXPORT_API -DNVTX_DEBUG_PRINT -DNVTX_SUPPORT_ALREADY_INJECTED_LIBRARY=1 \
            -DNVTX_SUPPORT_STATIC_INJECTION_LIBRARY=0 -DNVTX_SUPPORT_ENV_VARS=0 \
            -DNVTX_SUPPORT_DYNAMIC_INJECTION_LIBRARY=0 \
            -DNVTX_SUPPORT_CUDA_DRIVER_INJECTION_LIBRARY=0; do
            compile_all "$CC" -std=$standard $strict_c $mode
        done
    done
}

case_compile_cxx() {
    need_cxx
    copy_apps cc
    for standard in c++98 c++11 c++14 c++17 c++20; do
        # before C++11 there is neither nullptr nor long long
        null=-Wzero-as-null-pointer-constant
        [ $standard != c++98 ] || null=-Wno-long-long
        for mode in -O0 -O2 -DNVTX_DISABLE -DNVTX_NO_IMPL -DNVTX_EXPORT_API; do
            compile_all "$CXX" -std=$standard $strict_cxx $null $mode
        done
    done
}

# Each header can be the first and only one, and included twice.
case_headers_alone() {
    for header in $(cd "$include/nvtx3" && ls nvToolsExt*.h nvtxDetail/*.h); do
        for mode in -DNVTX_NO_IMPL -DNVTX_DISABLE -O2; do
            printf '#include <nvtx3/%s>\n#include <nvtx3/%s>\nint main(void)\n{\n    %s\n}\n' \
                $header $header 'return NVTX_CB_MODULE_SYNC - 6;' >"$work/one.c"
            build one $mode $strict_c "$work/one.c" || fail "$header $mode"
        done
    done
    printf '#define NVTX_VERSION 2\n#include <nvtx3/nvToolsExt.h>\n' >"$work/old.c"
    if $CC $flags -c "$work/old.c" -o "$work/old.o" 2>"$log"; then fail "old NVTX accepted"; fi
    grep -q "older NVTX" "$log" || fail "no word about the old NVTX"
}

# Disabled: no tool is loaded, nothing of the loader is in the program, the results are right.
case_disabled() {
    build_tool
    build app -DNVTX_DISABLE "$here/app_all.c"
    under_tool app silent
    heard 0 ""
    nm "$work/app" >"$log"
    heard 0 ".*rf_nvtx"
    heard 0 ".*InitializeInjection"
    heard 0 ".*dlopen"
}

case_clang() {
    command -v clang >/dev/null || skip "no clang"
    case $CC in *clang*) skip "the compiler is clang" ;; esac
    CC=clang
    CXX=$(command -v clang++ || true)
    case_all
    case_compile_c
    [ -z "$CXX" ] || case_compile_cxx
}

case_aarch64() {
    compiler=$(command -v aarch64-linux-gnu-gcc) || skip "no aarch64-linux-gnu-gcc"
    copy_apps c
    compile_all "$compiler" -std=c99 $strict_c -O2
}

# ---- beside NVIDIA's headers ----

case_nvidia_same() {
    need_cxx
    . "$here/compare.sh"
    compare_with_nvidia
}

# One program, some files with NVIDIA's headers, some with these.
case_nvidia_mixed() {
    build_tool
    $CC -O2 $flags -DUNIT=a -c "$here/unit.c" -o "$work/ours.o"
    sed 's/.*include.*unit.h.*/#include <nvtx3\/nvToolsExt.h>\nint annotate_unit_b(void);/' \
        "$here/unit.c" >"$work/theirs.c"
    $CC -O2 -I"$nvidia" -fPIC -DUNIT=b -c "$work/theirs.c" -o "$work/theirs.o"
    if nm "$work/ours.o" | grep -q nvtxGlobals; then fail "not our headers"; fi
    nm "$work/theirs.o" | grep -q nvtxGlobals || fail "not NVIDIA's headers"
    build app "$here/app_units.c" "$work/ours.o" "$work/theirs.o"
    under_tool app
    heard 2 attach
    heard 1 "RangePushA unit a"
    heard 1 "RangePushA unit b"
    heard 1 "RangePushA main"
    [ "$(grep attach "$log" | sort -u | wc -l)" = 1 ] || fail "the tables differ"
    # a tool linked into the program serves both
    build app "$here/app_units.c" "$work/ours.o" "$work/theirs.o" -DCOUNT_TOOL_STATIC \
        "$here/count_tool.c"
    : >"$log"
    "$work/app" || fail "linked tool: exit $?"
    heard 2 static
}

# NVIDIA's headers without those that are here, in $work/wrappers
copy_wrappers() {
    mkdir "$work/wrappers"
    cp -r "$nvidia/nvtx3" "$work/wrappers"
    (cd "$include/nvtx3" && find . -name '*.h') | (cd "$work/wrappers/nvtx3" && xargs rm -f)
}

# NVIDIA's C++ wrappers, of any version, on top of these headers: both give the same events.
case_nvidia_wrappers() {
    need_cxx
    build_tool
    copy_wrappers
    for standard in c++11 c++14 c++17 c++20; do
        $CXX -std=$standard -O2 -I"$work/wrappers" -I"$include" -I"$include/nvtx3" \
            -I"$here/stub" "$here/wrappers.cc" -o "$work/ours" -ldl
        nm "$work/ours" | grep -q rf_nvtx_v1 || fail "not our headers"
        $CXX -std=$standard -O2 -I"$nvidia" "$here/wrappers.cc" -o "$work/theirs" -ldl
        under_tool theirs
        cp "$log" "$work/expected"
        under_tool ours
        diff "$work/expected" "$log" || fail "$standard: the tool heard something else"
        heard 3 "DomainRangePushEx"
    done
}

# NVIDIA's extension headers and wrappers in one file with these headers, whichever comes first, and
# whichever folder does. Where both have a header, the first folder's is taken.
case_nvidia_beside() {
    (cd "$nvidia/nvtx3" && ls) >"$work/all"
    (cd "$include/nvtx3" && ls *.h) | sed 's/.*/#include <nvtx3\/&>/' >"$work/ours.h"
    n=0
    for header in $(grep -E '\.h(pp)?$' "$work/all"); do
        [ ! -f "$include/nvtx3/$header" ] || continue
        case $header in *Cuda*) grep -q CUarray "$cuda/cuda.h" || continue ;; esac # not in the stub
        n=$((n + 1))
        theirs="#include <nvtx3/$header>"
        use='int main(void) { nvtxMarkA("x"); return 0; }'
        { cat "$work/ours.h" && printf '%s\n%s\n' "$theirs" "$use"; } >"$work/behind.c"
        { echo "$theirs" && cat "$work/ours.h" && echo "$use"; } >"$work/before.c"
        compilers="$CC $CXX"
        case $header in *.hpp) compilers=$CXX ;; esac
        for compiler in $compilers; do
            language=c
            [ "$compiler" != "$CXX" ] || language=c++
            for file in behind before; do
                for folders in "-I$include -I$nvidia" "-I$nvidia -I$include"; do
                    $compiler -x $language -fsyntax-only -Wall -Werror $folders -I"$here/stub" \
                        -I"$cuda" "$work/$file.c" || fail "$header: $file these headers: $folders"
                done
            done
        done
    done
    echo "compiled beside these: $n headers"
}

# The same program, compiled with either set of headers, is heard alike.
case_nvidia_all() {
    build_tool
    $CC -O2 -I"$nvidia" -I"$here/stub" -I"$cuda" "$here/app_all.c" -o "$work/theirs" -ldl
    under_tool theirs
    diff "$here/app_all.expected" "$log" || fail "NVIDIA's headers do something else"
    "$work/theirs" silent || fail "NVIDIA's results without a tool differ"
    $CC -O2 -DNVTX_DISABLE -I"$nvidia" -I"$here/stub" -I"$cuda" "$here/app_all.c" \
        -o "$work/theirs" -ldl
    "$work/theirs" silent || fail "NVIDIA's results when disabled differ"
}

# The extensions: the same program with either set of headers is heard alike, in each language.
# Before NVTX 3.7 a macro of NVIDIA's lacks a parenthesis, and some names are missing.
case_nvidia_ext_all() {
    is_version_3_7 || return 0
    build_ext_tool
    for standard in c99 c11 gnu17; do
        same_in "$CC" -std=$standard
    done
    [ -z "$CXX" ] || for standard in c++11 c++14 c++17 c++20; do
        same_in "$CXX" -x c++ -std=$standard
    done
}

# The same for the memory extension.
case_nvidia_mem_all() {
    is_version_3_7 || return 0
    build_ext_tool
    for compiler in "$CC -std=c99" "$CC -std=gnu17" ${CXX:+"$CXX -x c++ -std=c++11"} \
        ${CXX:+"$CXX -x c++ -std=c++20"}; do
        $compiler -O2 -I"$nvidia" -I"$here/stub" -I"$cuda" "$here/app_mem.c" -o "$work/theirs" -ldl ||
            fail "$compiler: NVIDIA's headers"
        if nm "$work/theirs" | grep -q rf_nvtx_v1; then fail "not NVIDIA's headers"; fi
        under_tool theirs heard
        diff "$here/app_mem.expected" "$log" || fail "$compiler: NVIDIA's headers do something else"
        "$work/theirs" silent || fail "$compiler: NVIDIA's results without a tool differ"
    done
}

is_version_3_7() {
    grep -qs 'LOAD_SEQUENCE_VERSION 3' "$nvidia/nvtx3/nvtxDetail/nvtxInit.h" ||
        { echo "older than NVTX 3.7" && return 1; }
}

has_extensions() {
    [ -f "$nvidia/nvtx3/nvToolsExtCounters.h" ] || { echo "no extensions there" && return 1; }
}

# same_in COMPILER OPTIONS...: what the tool hears of both programs is the same
same_in() {
    "$@" -O2 -I"$include" "$here/app_ext.c" -o "$work/ours" -ldl || fail "$*: these headers"
    "$@" -O2 -I"$nvidia" "$here/app_ext.c" -o "$work/theirs" -ldl || fail "$*: NVIDIA's headers"
    if nm "$work/theirs" | grep -q rf_nvtx_v1; then fail "not NVIDIA's headers"; fi
    under_tool theirs heard
    "$work/theirs" silent || fail "$*: NVIDIA's results without a tool differ"
    cp "$log" "$work/expected"
    under_tool ours heard
    diff "$work/expected" "$log" || fail "$*: the tool heard something else (NVIDIA's: <)"
    heard 1 "CounterSampleNoValue"
}

# One program, some files with NVIDIA's headers of the extensions, some with these, in either order;
# with a tool that the environment names, and with one that is linked.
case_nvidia_ext_mixed() {
    has_extensions || return 0
    build_ext_tool
    for language in c c++; do
        compiler=$CC
        [ $language = c ] || compiler=$CXX
        [ -n "$compiler" ] || continue
        $compiler -x $language -O2 $flags -DUNIT=ours -DNUMBER=1 -c "$here/ext_unit.c" -o "$work/ours.o"
        $compiler -x $language -O2 -fPIC -I"$nvidia" -DUNIT=theirs -DNUMBER=2 -c "$here/ext_unit.c" \
            -o "$work/theirs.o"
        $compiler -x $language -O2 $flags -DMAIN -c "$here/ext_unit.c" -o "$work/main.o"
        if nm "$work/ours.o" | grep -q nvtxGlobals; then fail "not our headers"; fi
        nm "$work/theirs.o" | grep -q nvtxExtGlobals || fail "not NVIDIA's headers"
        for order in "ours theirs" "theirs ours"; do
            set -- $order
            $compiler "$work/main.o" "$work/$1.o" "$work/$2.o" -o "$work/app" -ldl || fail "$order"
            under_tool app
            heard 2 attach
            heard 2 "extension 2"
            heard 1 "CounterSampleInt64 (nil) id=1 1"
            heard 1 "CounterSampleInt64 (nil) id=2 2"
        done
    done
    build app -DCOUNT_TOOL_STATIC "$here/count_tool.c" "$here/ext_tool.c" "$work/main.o" \
        "$work/ours.o" "$work/theirs.o" -lstdc++
    : >"$log"
    "$work/app" || fail "linked tool: exit $?"
    heard 6 static
    heard 2 "DomainIsEnabled"
}

# The memory extension in a file with another one, in either order: both attach, also to a linked tool.
case_nvidia_ext_memory() {
    is_version_3_7 || return 0
    build_ext_tool
    for language in c c++; do
        compiler=$CC
        [ $language = c ] || compiler=$CXX
        [ -n "$compiler" ] || continue
        for order in "Counters Mem" "Mem Counters"; do
            {
                echo '#include <nvtx3/nvToolsExt.h>'
                for name in $order; do echo "#include <nvtx3/nvToolsExt$name.h>"; done
                echo 'int main(void) { nvtxMemHeapReset(NVTX_NULLPTR, NVTX_NULLPTR);'
                echo 'nvtxCounterSampleInt64(NVTX_NULLPTR, 1, 2); return 0; }'
            } >"$work/app.c"
            $compiler -x $language -O2 $flags -I"$nvidia" "$work/app.c" -o "$work/app" -ldl ||
                fail "$order"
            nm "$work/app" | grep -q rf_nvtx_v1_counters || fail "not our headers"
            under_tool app
            heard 1 attach
            heard 1 "extension 1 "
            heard 1 "extension 4 "
            heard 1 "CounterSampleInt64"
            build tool.o -c "$here/ext_tool.c" -DCOUNT_TOOL_STATIC
            build core.o -c "$here/count_tool.c" -DCOUNT_TOOL_STATIC
            $compiler -O2 $flags -I"$nvidia" -x $language "$work/app.c" -x none "$work/tool.o" \
                "$work/core.o" -o "$work/app" -ldl || fail "linked tool: $order"
            : >"$log"
            "$work/app" || fail "linked tool: exit $?"
            heard 3 static
        done
    done
}

# NVIDIA's C++ wrappers of the extensions on top of these headers.
case_nvidia_ext_wrappers() {
    need_cxx
    grep -qs NVTX3_V1_DEFINE_SCHEMA_GET "$nvidia/nvtx3/nvtx3.hpp" ||
        { echo "no wrappers of extensions there" && return 0; }
    build_ext_tool
    copy_wrappers
    for standard in c++11 c++14 c++17 c++20; do
        $CXX -std=$standard -O2 -I"$work/wrappers" -I"$include" -I"$include/nvtx3" \
            "$here/wrappers_ext.cc" -o "$work/ours" -ldl || fail "$standard: these headers"
        if nm "$work/ours" | grep -q nvtxExtGlobals; then fail "not our headers"; fi
        $CXX -std=$standard -O2 -I"$nvidia" "$here/wrappers_ext.cc" -o "$work/theirs" -ldl ||
            fail "$standard: NVIDIA's headers"
        under_tool theirs
        cp "$log" "$work/expected"
        under_tool ours
        diff "$work/expected" "$log" || fail "$standard: the tool heard something else"
        heard 1 "CounterSampleFloat64"
        heard 1 "PayloadSchemaRegister"
    done
}

[ $# = 1 ] || { echo "usage: run.sh CASE" >&2; exit 2; }
case $1 in
nvidia_wrappers) with_nvidia "case_$1" wrappers ;;
nvidia_*) with_nvidia "case_$1" ;;
*) "case_$1" ;;
esac
echo "passed: $1"
