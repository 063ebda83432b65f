# SPDX-License-Identifier: Apache-2.0
# Makes section 3 of the manual from the public headers. Without python3 it is left out.
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND)
  message(STATUS "python3 was not found: section 3 of the manual is left out")
  return()
endif()
set(man3 ${CMAKE_CURRENT_BINARY_DIR}/man/man3)
set(man3_script ${CMAKE_CURRENT_LIST_DIR}/man_section3.py)
set(man3_headers ${PROJECT_SOURCE_DIR}/include/rangefinder/rangefinder.h
    ${PROJECT_SOURCE_DIR}/include/rangefinder/gpu_work.h
    ${PROJECT_SOURCE_DIR}/include/rangefinder/summary.h
    ${PROJECT_SOURCE_DIR}/include/rangefinder/why.h
    ${PROJECT_SOURCE_DIR}/include/rangefinder/advise.h
    ${PROJECT_SOURCE_DIR}/include/rangefinder/clocks.h
    ${PROJECT_SOURCE_DIR}/include/rangefinder/compare.h
    ${PROJECT_SOURCE_DIR}/include/rangefinder/pm_sampling.h)
add_custom_command(OUTPUT ${man3}/rangefinder.3
                   COMMAND ${Python3_EXECUTABLE} ${man3_script} ${PROJECT_VERSION} ${man3}
                           ${man3_headers}
                   DEPENDS ${man3_script} ${man3_headers} VERBATIM)
add_custom_target(man_section3 ALL DEPENDS ${man3}/rangefinder.3)
file(MAKE_DIRECTORY ${man3})
install(DIRECTORY ${man3} DESTINATION ${CMAKE_INSTALL_MANDIR} FILES_MATCHING PATTERN "*.3")
