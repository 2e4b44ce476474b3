# Verdicts on recorded cases, on the twin's workloads and on dumps of dead nodes: what was expected
# stands in verdict/expected.tsv.
if(NOT CSC_SANITIZE)
  foreach(kind IN ITEMS case dump twin)
    if(kind STREQUAL "case")
      set(folder ${CSC_CASES_DIR})
    elseif(kind STREQUAL "dump")
      set(folder ${CMAKE_SOURCE_DIR}/../shared/dumps)
    else()
      set(folder ${CMAKE_SOURCE_DIR}/examples/workloads)
    endif()
    add_test(NAME verdict.${kind} COMMAND ${BASH} ${CMAKE_CURRENT_SOURCE_DIR}/verdict_test.sh
      ${kind} $<TARGET_FILE_DIR:csc_plugin> ${CMAKE_CURRENT_SOURCE_DIR}/verdict/expected.tsv
      ${folder} $<TARGET_FILE:carrierscope-twin>)
    set_tests_properties(verdict.${kind} PROPERTIES LABELS end-to-end TIMEOUT 600
      SKIP_RETURN_CODE ${CSC_SKIPPED})
  endforeach()
endif()
