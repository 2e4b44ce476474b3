# Joins SQL files into one C array: cmake -DFILES=a|b -DOUTPUT=c -P EmbedSql.cmake
string(REPLACE "|" ";" FILES "${FILES}")
set(bytes "")
foreach(file IN LISTS FILES)
  file(READ ${file} hex HEX)
  string(APPEND bytes "${hex}")
endforeach()
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT}
  "/* Made by EmbedSql.cmake. */\n#include \"schema_sql.h\"\n\nconst char schema_sql[] = {\n${bytes}0x00\n};\n")
