# SPDX-License-Identifier: Apache-2.0
# Programs that use the C library musl: they run on as without us, and it is said why nothing of them is
# recorded.
command -v musl-gcc >/dev/null || { echo "musl-gcc is not installed (musl-tools)"; exit 77; }
cat >annotated.c <<'END'
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
int main(void)
{
    for (int i = 0; i < 10; i++) {
        nvtxRangePushA("step");
        nvtxRangePop();
    }
    puts(getenv("LD_PRELOAD") == NULL ? "done" : "done, preloaded");
    return 7;
}
END
musl-gcc -I"$SOURCE/include" -o dynamic annotated.c
musl-gcc -static -I"$SOURCE/include" -o static annotated.c
recorder=$BUILD/lib/librangefinder-inject.so

run rangefinder profile -o d --summary-json=facts.json ./dynamic
grep -o '"empty_because":"[^,]*' facts.json
run rangefinder profile -o s ./static
# by hand, without a session
run env NVTX_INJECTION64_PATH="$recorder" ./dynamic
run env LD_PRELOAD="$recorder" NVTX_INJECTION64_PATH="$recorder" ./dynamic
# the library that sees cudaProfilerStart is preloaded
run rangefinder profile -o c -t nvtx -c cudaProfilerApi ./dynamic
# a program of glibc's that runs one of musl's is recorded
run rangefinder profile -o both sh -c 'act push:a pop; ./dynamic; act push:b pop'
# nor is it built for musl
CC=musl-gcc cmake -S "$SOURCE" -B configured -DRF_TESTS=OFF 2>&1 | grep -o 'the C library is not glibc'
