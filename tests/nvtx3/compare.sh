# SPDX-License-Identifier: Apache-2.0
# Part of run.sh: compares the interface of these headers with NVIDIA's, name by name. All
# names are taken from NVIDIA's headers at the time of the test, none is listed here but those
# that are private to NVIDIA's implementation.

# Macros of NVIDIA's loader. No program uses them, and this loader has no such parts, or has them for
# NVIDIA's extensions. The driver's tool, and with it the search's third version, is not asked for.
private_macros='NVTX_(ATOMIC_(CAS|WRITE)_32|BUFSIZE|DLL[A-Z_]+|ERR|GETENV|INFO|INIT_STATE_[A-Z]+'
private_macros="$private_macros|MEMBAR|PATHCHAR|STR|YIELD|SUPPORT_CUDA_DRIVER_INJECTION_LIBRARY"
private_macros="$private_macros|LOAD_SEQUENCE_VERSION)|__NVTX_LINKONCE_H__"

# The same value in other words; compared below as values.
reworded_macros='NVTX_NO_PUSH_POP_TRACKING'

# Functions and data of NVIDIA's loader.
private_names='Nvtx(GetInjectionInitializer|InjectionGeneric)Func_t|NvtxInjectionInitializerKind'
private_names="$private_names|NVTX_INJECTION_INITIALIZER_[A-Z0-9_]+"
private_names="$private_names|"'nvtxEnvVarName|nvtx[A-Za-z]+_v3|nvtxGlobals_t|nvtx[A-Za-z]+_impl_(init_v3|fnptr)'

# write_all_headers: $work/all.h
write_all_headers() {
    for header in nvToolsExt nvToolsExtSync nvToolsExtCuda nvToolsExtCudaRt nvToolsExtOpenCL; do
        echo "#include <nvtx3/$header.h>"
    done >"$work/all.h"
}

# macros INCLUDE FLAGS...: the macros as "name(parameters) text", without spaces in them
macros() {
    dir=$1 && shift
    $CC -E -dM -I"$dir" -I"$cuda" -I"$here/stub" "$@" "$work/all.h" |
        sed -n 's/^#define //p' | grep -E '^(_*NVTX|nvtx|Nvtx|NVTOOLSEXT)' |
        grep -Ev "^($private_macros)\b" | grep -Ev "^($reworded_macros)\b" |
        sed -E 's/^([A-Za-z0-9_]+(\([^)]*\))?) ?/\1 = /; s/ //g' | sort
}

# names INCLUDE: what is left for the compiler of the headers themselves, in one line
names() {
    $CC -E -I"$1" -I"$cuda" -I"$here/stub" "$work/all.h" |
        awk '/^# /{keep = ($3 ~ /nvtx3/)} keep && !/^#/' | sed 's/"[^"]*"//g' | tr '\n' ' '
}

# write_probe: a program that prints the kind, type, size and value of every name
write_probe() {
    names "$nvidia" | grep -oE '\b[nN][vV][tT][xX][A-Za-z0-9_]*' | grep -vxE "$private_names" |
        sort -u >"$work/names"
    names "$nvidia" | grep -oE '\bnvtx[A-Za-z0-9]+ ?\(' | tr -d ' (' | sort -u >"$work/functions"
    {
        cat "$here/probe.h"
        echo 'int main() {'
        while read -r name; do
            case $name in
            NVTX_*) echo "show_constant(\"$name\", $name);" ;;
            *)
                if grep -qx "$name" "$work/functions"; then
                    echo "show_function(\"$name\", &$name);"
                else
                    echo "show_type<$name *>(\"$name\");"
                fi
                ;;
            esac
        done <"$work/names"
        macros "$nvidia" | grep -oE '^NVTX_[A-Z0-9_]+=[^=]' | cut -d= -f1 |
            grep -E '_SIZE$|_CLASS_|^NVTX_(VERSION|SUCCESS|FAIL|LOAD_SEQ.*|SUPPORT_.*)$|_INIT_' |
            sed 's/.*/show_constant("&", &);/'
        echo 'show_constant("NVTX_NO_PUSH_POP_TRACKING", NVTX_NO_PUSH_POP_TRACKING);'
        echo 'show_members(); }'
    } >"$work/probe.cc"
}

# probe INCLUDE: runs it with the headers of that folder
probe() {
    $CXX -std=c++17 -w -I"$1" -I"$cuda" -I"$here/stub" "$work/probe.cc" -o "$work/probe" -ldl &&
        "$work/probe"
}

compare_with_nvidia() {
    write_all_headers
    for mode in -DPLAIN -DUNICODE -DNVTX_NO_IMPL -DNVTX_EXPORT_API; do
        macros "$nvidia" $mode >"$work/theirs"
        macros "$include" $mode >"$work/ours"
        [ "$(wc -l <"$work/theirs")" -gt 60 ] || fail "$mode: hardly any macros found"
        comm -23 "$work/theirs" "$work/ours" >"$work/missing"
        [ ! -s "$work/missing" ] || {
            cat "$work/missing"
            fail "$mode: these macros of NVIDIA's are missing or different"
        }
    done
    write_probe
    probe "$nvidia" >"$work/theirs" || fail "the probe does not compile with NVIDIA's headers"
    probe "$include" >"$work/ours" || fail "the probe does not compile with these headers"
    [ "$(wc -l <"$work/theirs")" -gt 300 ] || fail "hardly any names found"
    diff "$work/theirs" "$work/ours" || fail "these names are different (NVIDIA's: <)"
    echo "compared: $(wc -l <"$work/ours") names"
}
