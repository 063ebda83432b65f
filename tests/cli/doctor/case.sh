# SPDX-License-Identifier: Apache-2.0
# What this installation is must be fine; what this machine is may differ.
rangefinder doctor | grep -E '^[a-zA-Z]+ +(recorder|self-test|injection)' |
    sed 's/costs it .* ns/costs it TIME/'
RANGEFINDER_SESSION=/no/such/directory NVTX_INJECTION64_PATH=/no/such/library.so \
    rangefinder doctor >found
echo "= $?"
grep -E -A 1 '^[a-zA-Z]+ +(injection|session)' found
mkdir gone
(cd gone && rmdir ../gone && rangefinder doctor 2>/dev/null) | grep -E -A 1 '^[a-zA-Z]+ +folder'
list
