# Verdicts on recorded cases, on the twin's workloads and on dumps of dead nodes: what was expected
# stands in verdict/expected.tsv.
if(NOT CSC_SANITIZE)
  add_library(tick_clock MODULE tick_clock.c)
  target_link_libraries(tick_clock PRIVATE csc_options LTTng::UST)
  foreach(kind IN ITEMS board case dump planted twin)
    if(kind STREQUAL "case")
      set(folder ${CSC_CASES_DIR})
    elseif(kind STREQUAL "board")
      set(folder ${CMAKE_SOURCE_DIR}/../shared/seeds)
    elseif(kind STREQUAL "dump")
      set(folder ${CMAKE_SOURCE_DIR}/../shared/dumps)
    elseif(kind STREQUAL "planted")
      set(folder ${CMAKE_CURRENT_SOURCE_DIR}/verdict/workloads)
    else()
      set(folder ${CMAKE_SOURCE_DIR}/examples/workloads)
    endif()
    add_test(NAME verdict.${kind} COMMAND ${BASH} ${CMAKE_CURRENT_SOURCE_DIR}/verdict_test.sh
      ${kind} $<TARGET_FILE_DIR:csc_plugin> ${CMAKE_CURRENT_SOURCE_DIR}/verdict/expected.tsv
      ${folder} $<TARGET_FILE:carrierscope-twin> $<TARGET_FILE:tick_clock>)
    set_tests_properties(verdict.${kind} PROPERTIES LABELS end-to-end TIMEOUT 1500
      SKIP_RETURN_CODE ${CSC_SKIPPED})
    # Whoever starts a session daemon ends it: not while another test records.
    if(kind STREQUAL "twin" OR kind STREQUAL "planted")
      set_tests_properties(verdict.${kind} PROPERTIES RESOURCE_LOCK lttng)
    endif()
  endforeach()
endif()

# Each finding of the worked examples shows its figures.
add_test(NAME evidence COMMAND ${BASH} ${CMAKE_CURRENT_SOURCE_DIR}/evidence_test.sh
  ${CMAKE_BINARY_DIR}/schema/schema_sql.c.dump ${CMAKE_CURRENT_SOURCE_DIR}/views)
set_tests_properties(evidence PROPERTIES LABELS unit TIMEOUT 900)

# What is advised is no more than what was measured: runs of the twin, without a session.
if(NOT CSC_SANITIZE)
  find_program(CSC_ERL NAMES erl)
  add_test(NAME advice COMMAND ${BASH} ${CMAKE_CURRENT_SOURCE_DIR}/advice_test.sh
    $<TARGET_FILE:carrierscope-twin> $<TARGET_FILE:carrierscope> ${CMAKE_CURRENT_SOURCE_DIR}/advice
    ${CMAKE_SOURCE_DIR}/examples/workloads ${CSC_ERL})
  set_tests_properties(advice PROPERTIES LABELS end-to-end TIMEOUT 900)
endif()

# The page in a real browser; names that a database says are never markup.
find_program(CSC_NODE node)
find_program(CSC_BROWSER NAMES chromium chromium-browser google-chrome)
if(NOT CSC_SANITIZE)
  if(CSC_NODE AND CSC_NPM AND CSC_BROWSER)
    add_test(NAME page COMMAND ${BASH} ${CMAKE_CURRENT_SOURCE_DIR}/page/page_test.sh
      ${CSC_NODE} ${CSC_BROWSER} $<TARGET_FILE:carrierscope> ${data_dir}
      ${CMAKE_SOURCE_DIR}/examples/traces/binary-fragmentation-pool.tar.gz)
    set_tests_properties(page PROPERTIES LABELS end-to-end TIMEOUT 1500
      SKIP_RETURN_CODE ${CSC_SKIPPED})
  else()
    add_test(NAME page COMMAND ${CMAKE_COMMAND} -E echo
      "SKIPPED: node, npm or chromium is missing: the page is not looked at")
    set_tests_properties(page PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED:")
  endif()
  add_test(NAME budgets COMMAND ${BASH} ${CMAKE_CURRENT_SOURCE_DIR}/budget_test.sh
    $<TARGET_FILE:carrierscope> ${data_dir}
    ${CMAKE_SOURCE_DIR}/examples/traces/binary-fragmentation-pool.tar.gz)
  set_tests_properties(budgets PROPERTIES LABELS end-to-end TIMEOUT 900
    SKIP_RETURN_CODE ${CSC_SKIPPED})
endif()
