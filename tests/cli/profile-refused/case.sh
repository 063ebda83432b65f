# SPDX-License-Identifier: Apache-2.0
# What cannot work is refused before the program is started: 'started' never appears.
echo old >taken.rf
run rangefinder profile -o taken act touch:started
run rangefinder profile -o missing/x act touch:started
echo file >file
run rangefinder profile -o file/x act touch:started
run rangefinder profile ./nothere
run rangefinder profile nothere
run rangefinder profile ''
mkdir folder
run rangefinder profile ./folder
echo 'echo script' >script
run rangefinder profile ./script
chmod +x script
run rangefinder profile -q -o script ./script
printf '#!/no/such/interpreter\n' >lost
chmod +x lost
run rangefinder profile -o lost ./lost
echo old >db.sqlite
run rangefinder profile -o db --export=sqlite act touch:started
NVTX_INJECTION64_PATH=/opt/other/tool.so
export NVTX_INJECTION64_PATH
run rangefinder profile -o other act touch:started
run rangefinder profile -o none -t none act print:runs
run rangefinder profile -q -o own -n false act mark:a
unset NVTX_INJECTION64_PATH
run rangefinder profile -o other -e NVTX_INJECTION64_PATH=/opt/other/tool.so act touch:started
cat taken.rf db.sqlite
list
