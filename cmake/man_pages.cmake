# SPDX-License-Identifier: Apache-2.0
# Makes man/rangefinder.1 in the build folder: its section VERBS lists the verbs in the order of
# src/cli/command_table.c, each with the line that its own page has under NAME.
set(man_source ${PROJECT_SOURCE_DIR}/docs/man)
set(man_table ${PROJECT_SOURCE_DIR}/src/cli/command_table.c)
set(RF_MAN_VERBS "")
file(READ ${man_table} table)
string(REGEX MATCHALL " X\\([a-z0-9_]+\\)" rows "${table}")
foreach(row IN LISTS rows)
  string(REGEX REPLACE " X\\((.*)\\)" "\\1" verb ${row})
  string(REPLACE "_" "-" verb ${verb})
  string(REPLACE "-" "\\-" escaped ${verb})
  set(page ${man_source}/rangefinder-${verb}.1)
  if(NOT EXISTS ${page}) # a verb that help does not list
    continue()
  endif()
  file(STRINGS ${page} summary REGEX "^rangefinder.* \\\\- " LIMIT_COUNT 1)
  string(REGEX REPLACE "^rangefinder.* \\\\- " "" summary "${summary}")
  string(APPEND RF_MAN_VERBS
         ".TP\n\\fB${escaped}\\fR\n${summary};\n\\fBrangefinder\\-${escaped}\\fR(1)\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${man_table})
configure_file(${man_source}/rangefinder.1.in ${CMAKE_CURRENT_BINARY_DIR}/man/rangefinder.1 @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/man/rangefinder.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY ${man_source}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
