# SPDX-License-Identifier: MIT
#
# Completion for bash, zsh and fish: of what the programs' --help has when a word is completed, and of the reports
# that the schema has.
file(GLOB files CONFIGURE_DEPENDS schema/*/*.sql)
set(reports)
foreach(file IN LISTS files)
  file(STRINGS ${file} views REGEX "^CREATE VIEW report_")
  list(TRANSFORM views REPLACE "^CREATE VIEW report_([a-z_0-9]+).*" "\\1")
  list(APPEND reports ${views})
endforeach()
list(JOIN reports " " CSC_REPORTS)

set(completion ${CMAKE_CURRENT_LIST_DIR}/completion)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${files} ${completion}/help.sh ${completion}/bash.sh ${completion}/zsh.sh)
file(READ ${completion}/help.sh head)
foreach(shell IN ITEMS bash zsh)
  file(READ ${completion}/${shell}.sh tail)
  set(first)
  if(shell STREQUAL "zsh")
    set(first "#compdef carrierscope carrierscope-twin\n")
  endif()
  file(CONFIGURE OUTPUT ${made}/completion.${shell} CONTENT "${first}${head}${tail}" @ONLY)
endforeach()

set(CSC_BASH_COMPLETION ${CMAKE_INSTALL_FULL_DATAROOTDIR}/bash-completion/completions/carrierscope)
configure_file(${completion}/fish.fish ${made}/completion.fish @ONLY)

set(zsh_functions zsh/site-functions)
if(EXISTS /etc/debian_version)
  set(zsh_functions zsh/vendor-completions)
endif()
foreach(name IN ITEMS carrierscope carrierscope-twin)
  install(FILES ${made}/completion.bash RENAME ${name}
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
endforeach()
install(FILES ${made}/completion.fish RENAME carrierscope.fish
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d)
install(FILES ${made}/completion.zsh RENAME _carrierscope DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/${zsh_functions})
