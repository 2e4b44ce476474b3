# Every C file as clang-format leaves it: cmake -DROOT=… -P format.cmake
cmake_policy(VERSION 3.25)
find_program(CLANG_FORMAT NAMES clang-format-14 clang-format REQUIRED)
file(GLOB_RECURSE files
  ${ROOT}/analyzer/*.[ch] ${ROOT}/provider/*.[ch] ${ROOT}/schema/*.[ch] ${ROOT}/tests/*.[ch]
  ${ROOT}/examples/*.[ch])
execute_process(COMMAND ${CLANG_FORMAT} --style=file --dry-run --Werror ${files}
  WORKING_DIRECTORY ${ROOT} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "some files are not formatted; run clang-format -i on them")
endif()
