# SPDX-License-Identifier: MIT
#
# What `--target package` makes in build/…/packages: carrierscope and, where Erlang is there, carrierscope-erlang
# as .deb, and a tar of both.  Component `program` is the first, `erlang` the second.
set(CSC_MAINTAINER "Carrierscope developers <carrierscope@carrierscope.invalid>" CACHE STRING
  "Who packages: a name and an address (this one is nobody's)")
set(CSC_SECTION devel CACHE STRING "Section of the Debian packages")
set(CSC_PRIORITY optional CACHE STRING "Priority of the Debian packages")

set(made ${CMAKE_BINARY_DIR}/packaging)
set(here ${CMAKE_CURRENT_LIST_DIR})
set(components program)
if(TARGET carrierscope_beam)
  list(APPEND components erlang)
endif()

# documents(COMPONENT PACKAGE [FILE...]): its changelog, and its licence with those of what is linked into it, files
# that are there or made by the build.
string(TIMESTAMP CSC_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
function(documents component package)
  add_custom_command(OUTPUT ${made}/${package}/copyright
    COMMAND ${CMAKE_COMMAND} -E cat ${CMAKE_SOURCE_DIR}/LICENSE ${ARGN} >${made}/${package}/copyright
    DEPENDS ${CMAKE_SOURCE_DIR}/LICENSE ${ARGN})
  add_custom_target(${package}-copyright ALL DEPENDS ${made}/${package}/copyright)
  file(CONFIGURE OUTPUT ${made}/${package}/changelog @ONLY CONTENT
"@package@ (@PROJECT_VERSION@) unstable; urgency=medium

  * Version @PROJECT_VERSION@: its news are in NEWS.md of the sources.

 -- @CSC_MAINTAINER@  @CSC_DATE@
")
  install(FILES ${made}/${package}/copyright ${made}/${package}/changelog COMPONENT ${component}
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package})
endfunction()

documents(program carrierscope ${CSC_PAGE_LICENCES})
add_dependencies(carrierscope-copyright csc_page)
install(DIRECTORY examples/workloads examples/boards COMPONENT program
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/carrierscope/examples)
install(FILES examples/monitoring/carrierscope.rules.yml examples/monitoring/dashboard.json COMPONENT program
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/carrierscope/examples/monitoring)
install(FILES examples/fleet/dashboard.json COMPONENT program
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/carrierscope/examples/fleet)
install(FILES examples/systemd/carrierscope-keep@.service COMPONENT program DESTINATION lib/systemd/system)
install(FILES examples/queries.sql COMPONENT program
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/carrierscope/examples)
include(${here}/Completion.cmake)

set(CPACK_GENERATOR TGZ)
find_program(CSC_DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(CSC_FILE file)
if(CSC_DPKG_SHLIBDEPS AND CSC_FILE)
  list(PREPEND CPACK_GENERATOR DEB)
else()
  message(STATUS "target package makes no .deb: dpkg-shlibdeps or file is not installed (Debian: dpkg-dev, file)")
endif()
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGE_NAME carrierscope)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_PACKAGE_CONTACT "${CSC_MAINTAINER}")
set(CPACK_PACKAGE_FILE_NAME "carrierscope-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${here}/compress.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CSC_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SECTION "${CSC_SECTION}")
set(CPACK_DEBIAN_PACKAGE_PRIORITY "${CSC_PRIORITY}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME carrierscope)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "finds out who holds the memory of an Erlang node
Loads LTTng traces of the memory allocators of an Erlang runtime, crash dumps
and snapshots into one SQLite database, and answers from it: whether a node
leaks, whether its memory is fragmented, and which +M flag would help.
.
Holds the programs carrierscope and carrierscope-twin, and a sink plugin for
Babeltrace 2.  Nodes are recorded by the package carrierscope-erlang.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "babeltrace2, carrierscope-erlang, lttng-tools")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS sqlite3)

# A library is loaded by every runtime whose NIF version has the same major number and no lower minor number;
# modules by every release from the one that compiled them.
if(TARGET carrierscope_beam)
  set(capstone)
  if(CSC_CAPSTONE AND EXISTS /usr/share/doc/libcapstone-dev/copyright)
    set(capstone /usr/share/doc/libcapstone-dev/copyright)
  endif()
  documents(erlang carrierscope-erlang ${capstone})
  file(STRINGS "${CSC_ERL_NIF_DIR}/erl_nif.h" numbers REGEX "define ERL_NIF_(MAJOR|MINOR)_VERSION")
  string(REGEX REPLACE "[^;0-9]+" "" numbers "${numbers}")
  string(REPLACE ";" "." CSC_NIF_VERSION "${numbers}")
endif()
set(CPACK_DEBIAN_ERLANG_PACKAGE_NAME carrierscope-erlang)
set(CPACK_DEBIAN_ERLANG_DESCRIPTION "records the memory allocators of a running Erlang node
The Erlang application carrierscope: hooks the allocators of a node while it
runs, emits LTTng events, and can be removed.  The node needs no other flags
and no other build.
.
Its libraries need a runtime with NIF version ${CSC_NIF_VERSION} or a later one.")
set(CPACK_DEBIAN_ERLANG_PACKAGE_PROVIDES "carrierscope-erlang-nif (= ${CSC_NIF_VERSION})")
set(CPACK_DEBIAN_ERLANG_PACKAGE_DEPENDS "erlang-base (>= 1:${CSC_OTP_RELEASE}~) | esl-erlang (>= 1:${CSC_OTP_RELEASE}~)")
# Found at run time.
set(CPACK_DEBIAN_ERLANG_PACKAGE_RECOMMENDS "liblttng-ust1, lttng-tools")
set(CPACK_DEBIAN_ERLANG_PACKAGE_SUGGESTS "carrierscope")
include(CPack)
