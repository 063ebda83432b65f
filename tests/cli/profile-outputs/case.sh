# SPDX-License-Identifier: Apache-2.0
# Exports and statistics at the end.
run rangefinder profile -o run --export=sqlite,json,text --stats=true act ranges:3 |
    grep -e 'twenty-four bytes, text.' -e '\*\*' | grep -o -e 'twenty.*' -e '\*\*.*'
head -c 15 run.sqlite
echo
python3 -m json.tool run.json >/dev/null && echo json
run rangefinder profile -o run --export=sqlite act ranges:3
run rangefinder profile -o run -f --export=sqlite act ranges:3
list
