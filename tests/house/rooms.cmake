# Which words may stand in which room: cmake -DROOT=… -P rooms.cmake
# ARCHITECTURE.md says why.  Comment lines do not count.
cmake_policy(VERSION 3.25)

# What no include shows; walls_test.sh sees the others, and which files print.
file(STRINGS ${ROOT}/ARCHITECTURE.md sql REGEX "^May contain SQL:")
string(REGEX MATCHALL "`[^`]*`" sql "${sql}")
string(REPLACE "`" "" sql "^${sql}")
string(REPLACE "." "[.]" sql "${sql}")
string(REPLACE ";" "|^" sql "${sql}")
set(table "(TABLE|VIEW|INDEX|TRIGGER)")
set(rules
  # pattern               where it may stand
  "LTTNG_UST_"            "^tp/|^provider/|^analyzer/model/event_model[.][ch]$|^schema/event_tables[.]c$|^analyzer/ctf/own_events[.]c$|^analyzer/salvage/tsdl_guess[.]c$|^tests/"
  "bt_[a-z]+_"            "^analyzer/sink/|^analyzer/salvage/salvage_probe[.]c$|^analyzer/cli/load/|^tests/"
  "SELECT |DELETE FROM|(INSERT|REPLACE)( OR [A-Z]+)? INTO|UPDATE [^ ]+ SET|(CREATE|DROP|ALTER) (TEMP |UNIQUE |VIRTUAL )?${table}|PRAGMA |ATTACH |VACUUM" "${sql}"
)

file(GLOB_RECURSE files RELATIVE ${ROOT}
  ${ROOT}/tp/*.[chi]* ${ROOT}/provider/*.[ch] ${ROOT}/analyzer/*.[ch] ${ROOT}/schema/*.[ch])
set(failures 0)
while(rules)
  list(POP_FRONT rules pattern place)
  foreach(file IN LISTS files)
    if(file MATCHES "${place}")
      continue()
    endif()
    file(STRINGS ${ROOT}/${file} lines REGEX "${pattern}")
    foreach(line IN LISTS lines)
      if(line MATCHES "^[ \t]*(/?[*]|//)")
        continue()
      endif()
      message("${file}: not its room ('${pattern}'): ${line}")
      math(EXPR failures "${failures} + 1")
    endforeach()
  endforeach()
endwhile()

# The top level is exactly this, besides dot files and what users of the README leave there:
# databases, pages and dumps, which .gitignore knows.
set(top tp provider analyzer schema examples tests CMakeLists.txt CMakePresets.json README.md
  ARCHITECTURE.md CONTRIBUTING.md LICENSE NEWS.md build)
file(GLOB entries RELATIVE ${ROOT} ${ROOT}/*)
foreach(entry IN LISTS entries)
  if(NOT entry MATCHES "^[.]|[.](db|db-wal|db-shm|html|dump)$" AND NOT entry IN_LIST top)
    message("'${entry}' has no place at the top level")
    math(EXPR failures "${failures} + 1")
  endif()
endforeach()

if(failures GREATER 0)
  message(FATAL_ERROR "${failures} line(s) or file(s) in the wrong room")
endif()
