# SPDX-License-Identifier: Apache-2.0
# Makes OUT, a C file in which each of FILES (page.css) is an array of bytes (rf_page_css) with its
# size, as HEADER declares them: cmake -DOUT=... -DHEADER=... -DFILES="..." -P embed.cmake
set(text "/* Made by embed.cmake. */\n#include \"${HEADER}\"\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  string(REPLACE "." "_" name ${name})
  string(REGEX REPLACE "^_" "" name ${name})
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "const char rf_${name}[] = {${bytes}};\nconst size_t rf_${name}_size = ${size};\n")
endforeach()
file(WRITE ${OUT} "${text}")
