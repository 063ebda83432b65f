# SPDX-License-Identifier: Apache-2.0
# Part of run.sh: compares the interface of these headers with NVIDIA's, name by name. All
# names are taken from NVIDIA's headers at the time of the test, none is listed here but those
# that are private to NVIDIA's implementation.

# Macros of NVIDIA's loader, and of the insides of its extensions. No program uses them, and this
# loader has no such parts, or has them for NVIDIA's extensions.
private_macros='NVTX_(ATOMIC_(CAS|WRITE)_(32|PTR)|BUFSIZE|DLL[A-Z_]+|ERR|GETENV|INFO|INIT_STATE_[A-Z]+'
private_macros="$private_macros|MEMBAR|PATHCHAR|STR|YIELD|EXTENSION_[A-Z_]+|HAVE_CHAR[0-9A-Z_]+"
private_macros="$private_macros|EXT_(CONCAT|NUM_ARGS|SELECTA16|HELPER_[A-Z_]+|IMPL_H|FN_[A-Z_]+)"
private_macros="$private_macros|EXT_(PAYLOAD|COUNTERS|MEM)_(IMPL_FN|SLOT_COUNT|VERSIONED)[A-Z0-9_]*"
private_macros="$private_macros|PAYLOAD_(SCHEMA_ATTR|ENTRY_THROWAWAY))|__NVTX_LINKONCE_H__|_NVTX_[A-Z0-9_]+"

# Macros of the third version of the search, which is compared where NVIDIA's headers have it.
later_macros='NVTX_(SUPPORT_CUDA_DRIVER_INJECTION_LIBRARY|LOAD_SEQUENCE_VERSION)'

# The same in other words; compared below as values, and by what a tool hears.
reworded_macros='NVTX_(NO_PUSH_POP_TRACKING|PAYLOAD_EVTATTR_SET[A-Z_]*)|nvtxPayload(RangePush|Mark)'

# Functions and data of NVIDIA's loader.
private_names='nvtxEnvVarName|nvtxVer|nvtx[A-Za-z0-9]+_v3(_(bpl|cnt|mem)0x[0-9]+)?|nvtx(Ext)?Globals1?_t'
private_names="$private_names|nvtx[A-Za-z]+_impl_(init_v3|fnptr)|nvtx_payload_pointer_type"

# write_all_headers: $work/all.h
write_all_headers() {
    (cd "$include/nvtx3" && ls nvToolsExt*.h) | while read -r header; do
        case $header in *Counters* | *Payload* | *Semantics* | *Mem*) $is_3_7 || continue ;; esac
        echo "#include <nvtx3/$header>"
    done >"$work/all.h"
}

# macros INCLUDE FLAGS...: the macros as "name(parameters) text", without spaces in them
macros() {
    dir=$1 && shift
    $CC -E -dM -I"$dir" -I"$cuda" -I"$here/stub" "$@" "$work/all.h" |
        sed -n 's/^#define //p' | grep -E '^(_*NVTX|nvtx|Nvtx|NVTOOLSEXT)' |
        grep -Ev "^($private_macros)\b" | grep -Ev "^($left_out)\b" | grep -Ev "^($reworded_macros)\b" |
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
    $CXX -std=c++17 -w -I"$1" -I"$cuda" -I"$here/stub" -I"$work" "$work/probe.cc" -o "$work/probe" -ldl &&
        "$work/probe"
}

# Sets what is compared with this version of NVIDIA's headers: the extensions from NVTX 3.7 on.
choose_names() {
    is_3_7=false
    left_out=$later_macros
    grep -qs 'LOAD_SEQUENCE_VERSION 3' "$nvidia/nvtx3/nvtxDetail/nvtxInit.h" || return 0
    is_3_7=true
    left_out=none
}

compare_with_nvidia() {
    choose_names
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
    if $is_3_7; then
        grep -q 'member nvtxCounterBatch_t.timestamps:' "$work/ours" || fail "no extensions"
    fi
    [ "$(wc -l <"$work/theirs")" -gt 300 ] || fail "hardly any names found"
    diff "$work/theirs" "$work/ours" || fail "these names are different (NVIDIA's: <)"
    echo "compared: $(wc -l <"$work/ours") names"
}
