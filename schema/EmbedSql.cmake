# Makes one C array of SQL files: cmake -DSQLITE3=... -DFILES=a|b -DOUTPUT=c -P EmbedSql.cmake
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

file(READ ${OUTPUT}.dump bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT}
  "/* Made by EmbedSql.cmake. */\n#include \"schema_sql.h\"\n\nconst char schema_sql[] = {\n${bytes}0x00\n};\n")
