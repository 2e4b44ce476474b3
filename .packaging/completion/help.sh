# SPDX-License-Identifier: MIT
# What bash and zsh read from a program's --help (standard input): lines of a word, a tab and what it means.
_carrierscope_commands() {
	sed -nE '/^Commands:/,/^$/s/^  ([a-z-]+) +(.*)$/\1\t\2/p'
}

# An option that takes a value ends in =.
_carrierscope_options() {
	sed -nE 's/^ +(-[^ ], )?(--[a-z-]+)(=?)[A-Z]* *(.*)$/\2\3\t\4/p'
}

# The values that an option may have, where its text lists them.
_carrierscope_values() {
	awk -v option="$1" '
		/^ +(-[^ ], )?--/ {
			name = $0
			sub(/^ +(-[^ ], )?/, "", name)
			is_named = sub(/=(FORMAT|WHEN|RELEASE|WHAT|TARGET|KEY) .*/, "", name) && name == option
			sub(/^.*=[A-Z]+/, "")
		}
		/^$/ { is_named = 0 }
		is_named { text = text " " $0 }
		END {
			sub(/^.*:/, "", text)
			gsub(/[(][^)]*[)]|,| or /, " ", text)
			count = split(text, values, " ")
			for (i = 1; i <= count; i++) { print values[i] }
		}'
}

_carrierscope_reports='@CSC_REPORTS@'
