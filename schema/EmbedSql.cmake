# Makes C arrays of SQL files, a script and a database:
# cmake -DSQLITE3=... -DFILES=a|b -DVERSION=schema_version.h -DOUTPUT=c -DIMAGE=d -P EmbedSql.cmake
#
# What is embedded is the dump of a database made of them.  Some files say what all views with a
# column have in common; to find these, SQLite must resolve every view, which takes a second: here
# once, not at each load.
string(REPLACE "|" ";" FILES "${FILES}")
set(script "")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  if(text MATCHES "[^\t\n -~]")
    message(FATAL_ERROR "${file}: '${CMAKE_MATCH_0}' is not ASCII")
  endif()
  string(APPEND script "${text}")
endforeach()
file(WRITE ${OUTPUT}.sql ".bail on\nBEGIN;\n${script}\nCOMMIT;\n.output ${OUTPUT}.dump\n.dump\n")
execute_process(COMMAND ${SQLITE3} -batch -init /dev/null :memory:
  INPUT_FILE ${OUTPUT}.sql COMMAND_ERROR_IS_FATAL ANY)
file(READ ${OUTPUT}.dump dump)
# The loader has a transaction of its own.
string(REGEX REPLACE "^PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n" "" dump "${dump}")
string(REGEX REPLACE "COMMIT;\n$" "" dump "${dump}")
file(WRITE ${OUTPUT}.dump "${dump}")

# The database itself: a load that copies it need not have SQLite make all of it again.  Its first
# page says what it is, so that the next load may remove what is left of one that was killed.
file(READ ${VERSION} version)
if(NOT version MATCHES "SCHEMA_APPLICATION_ID (0x[0-9a-f]+)")
  message(FATAL_ERROR "${VERSION}: no SCHEMA_APPLICATION_ID")
endif()
set(application ${CMAKE_MATCH_1})
if(NOT version MATCHES "SCHEMA_VERSION ([0-9]+)")
  message(FATAL_ERROR "${VERSION}: no SCHEMA_VERSION")
endif()
file(REMOVE ${OUTPUT}.db)
file(WRITE ${OUTPUT}.sql ".bail on\nPRAGMA page_size = 4096;\nPRAGMA application_id = ${application};
PRAGMA user_version = ${CMAKE_MATCH_1};\nBEGIN;\n${dump}\nCOMMIT;\n")
execute_process(COMMAND ${SQLITE3} -batch -init /dev/null ${OUTPUT}.db
  INPUT_FILE ${OUTPUT}.sql COMMAND_ERROR_IS_FATAL ANY)

# Writes a C file with the bytes of another, and `end` behind them.
function(embed file header begin end output)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
  file(WRITE ${output} "/* Made by EmbedSql.cmake. */\n#include \"${header}\"\n\n${begin}[] = {\n${bytes}${end}")
endfunction()
embed(${OUTPUT}.dump schema_sql.h "const char schema_sql" "0x00\n};\n" ${OUTPUT})
embed(${OUTPUT}.db schema_image.h "const unsigned char schema_image"
  "\n};\n\nconst size_t schema_image_bytes = sizeof(schema_image);\n" ${IMAGE})
