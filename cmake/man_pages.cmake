# SPDX-License-Identifier: Apache-2.0
# Makes the man pages in the folder man of the build: src/manual puts into those of docs/man what the
# tables of verbs and options hold. rangefinder-stats(1) lists the reports in the order of
# src/stats/report_list.c, each with its description.
set(man_source ${PROJECT_SOURCE_DIR}/docs/man)
set(RF_MAN_REPORTS "")
set(reports_list ${PROJECT_SOURCE_DIR}/src/stats/report_list.c)
file(GLOB report_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/stats/reports/*.c)
set(descriptors "")
foreach(source IN LISTS report_sources)
  file(READ ${source} text)
  string(APPEND descriptors "${text}")
endforeach()
file(READ ${reports_list} table)
string(REGEX MATCHALL " X\\([a-z0-9_]+\\)" rows "${table}")
foreach(row IN LISTS rows)
  string(REGEX REPLACE " X\\((.*)\\)" "\\1" report ${row})
  if(NOT "${descriptors}" MATCHES "\\.name = \"${report}\",([^}]*)}")
    message(FATAL_ERROR "no file of src/stats/reports describes the report ${report}")
  endif()
  set(fields "${CMAKE_MATCH_1}")
  string(REGEX REPLACE ".*\\.description = \"([^\"]*)\".*" "\\1" description "${fields}")
  set(mark "")
  if("${fields}" MATCHES "is_default = true")
    set(mark " *")
  endif()
  string(APPEND RF_MAN_REPORTS ".TP\n\\fB${report}\\fR${mark}\n${description}\n")
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${reports_list} ${report_sources})

# The program that writes them runs here. Where another processor is built for, this machine's
# compiler makes it of the files with tables alone: what these call is not there, and is not called.
file(GLOB man_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/manual/*.c)
if(CMAKE_CROSSCOMPILING)
  find_program(RF_HOST_CC NAMES cc gcc clang # of PATH alone: other folders may hold cross compilers
               NO_CMAKE_PATH NO_CMAKE_ENVIRONMENT_PATH NO_PACKAGE_ROOT_PATH NO_CMAKE_FIND_ROOT_PATH
               DOC "The C compiler of programs that run on this machine")
  if(NOT RF_HOST_CC)
    message(FATAL_ERROR "no C compiler for this machine was found: man pages are made by a program "
                        "of it (RF_HOST_CC names one)")
  endif()
  file(GLOB_RECURSE man_tables CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/cmd_*.c)
  list(APPEND man_tables ${PROJECT_SOURCE_DIR}/src/cli/command_table.c
       ${PROJECT_SOURCE_DIR}/src/cli/gpu_metrics/gpu_metrics_record.c
       ${PROJECT_SOURCE_DIR}/src/cli/profile/profile_option_table.c
       ${PROJECT_SOURCE_DIR}/src/cli/verbs/nsys2json.c)
  set(man_program ${CMAKE_CURRENT_BINARY_DIR}/man_pages)
  add_custom_command(OUTPUT ${man_program}
                     COMMAND ${RF_HOST_CC} -w -D_GNU_SOURCE -DRF_PRODUCT_VERSION="${PROJECT_VERSION}"
                             -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include
                             -static -Wl,--unresolved-symbols=ignore-all -o ${man_program}
                             ${man_sources} ${man_tables}
                     DEPENDS ${man_sources} ${man_tables} VERBATIM)
else()
  add_executable(man_pages ${man_sources})
  rf_link_cli(man_pages)
  set_target_properties(man_pages PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  set(man_program man_pages)
endif()

file(GLOB pages CONFIGURE_DEPENDS ${man_source}/*.1)
set(man_in "")
set(man_out "")
foreach(page IN LISTS pages)
  get_filename_component(name ${page} NAME)
  configure_file(${page} ${CMAKE_CURRENT_BINARY_DIR}/man/in/${name} @ONLY)
  list(APPEND man_in ${CMAKE_CURRENT_BINARY_DIR}/man/in/${name})
  list(APPEND man_out ${CMAKE_CURRENT_BINARY_DIR}/man/${name})
endforeach()
add_custom_command(OUTPUT ${man_out}
                   COMMAND ${man_program} ${CMAKE_CURRENT_BINARY_DIR}/man
                           ${man_source}/common.1.options ${man_in}
                   DEPENDS ${man_program} ${man_in} ${man_source}/common.1.options VERBATIM)
add_custom_target(man_section1 ALL DEPENDS ${man_out})
install(FILES ${man_out} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
