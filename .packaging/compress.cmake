# SPDX-License-Identifier: MIT
#
# CPack runs this in the folder that becomes the package: Debian has manual pages and changelogs compressed.
cmake_policy(VERSION 3.25)
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
file(GLOB_RECURSE files "${CPACK_TEMPORARY_DIRECTORY}/*")
list(FILTER files INCLUDE REGEX "/man/man[0-9]/[^/]+[0-9]$|/doc/[^/]+/changelog$")
foreach(file IN LISTS files)
  execute_process(COMMAND gzip -9n "${file}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
