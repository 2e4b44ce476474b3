# Bundles the page into one C array:
#   cmake -DSOURCE=… -DWORK=… -DNODE=… -DNPM=… -DOUTPUT=… -P Bundle.cmake
# Without node, or when its packages cannot be had, the array is empty and says why: all but the
# page is built.
cmake_policy(VERSION 3.25)

set(missing "")
set(page "")
file(MAKE_DIRECTORY ${WORK})
# Of what is in the page: nothing, until it is bundled.
file(WRITE ${WORK}/licences "")
if(NOT NODE OR NOT NPM)
  set(missing "this program was built without node and npm")
else()
  file(COPY_FILE ${SOURCE}/package.json ${WORK}/package.json)
  file(COPY_FILE ${SOURCE}/package-lock.json ${WORK}/package-lock.json)
  # What was fetched before is used again; then no network is needed.
  set(arguments ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  execute_process(COMMAND ${NPM} ${arguments} --offline WORKING_DIRECTORY ${WORK}
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(NOT result EQUAL 0)
    execute_process(COMMAND ${NPM} ${arguments} WORKING_DIRECTORY ${WORK}
      RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text TIMEOUT 120)
  endif()
  if(result EQUAL 0)
    execute_process(COMMAND ${NODE} ${SOURCE}/bundle.mjs ${SOURCE} ${WORK}/node_modules
        ${WORK}/page.html ${WORK}/licences
      RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "the page cannot be bundled: ${text}")
    endif()
    file(READ ${WORK}/page.html page HEX)
  else()
    # Its reason in a few words, of characters that may stand in a string of C.
    set(reason "it ended with ${result}")
    if(text MATCHES "reason: ([^\n]+)")
      set(reason "${CMAKE_MATCH_1}")
    elseif(text MATCHES "npm [a-zA-Z!]+ code ([^\n]+)")
      set(reason "${CMAKE_MATCH_1}")
    endif()
    string(REGEX REPLACE "[^a-zA-Z0-9 .:,_/-]" " " reason "${reason}")
    set(missing "npm could not install what the page needs when this program was built: ${reason}")
    message("${text}")
  endif()
endif()

if(missing)
  message(WARNING "no HTML reports: ${missing}")
endif()
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," page "${page}")
string(REGEX REPLACE "(('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',))" "\\1\n"
  page "${page}")
file(WRITE ${OUTPUT}
  "/* Made by Bundle.cmake. */\n#include \"asset.h\"\n\nconst char page_asset[] = {\n${page}'\\0'\n};\nconst char page_missing[] = \"${missing}\";\n")
