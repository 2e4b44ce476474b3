
# Bash has = as a word of its own.
_carrierscope() {
	local program=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local command='' option='' choices='' i help commands
	help=$("$program" --help 2>/dev/null)
	commands=$(_carrierscope_commands <<<"$help" | cut -f 1)
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ " ${commands//$'\n'/ } " == *" ${COMP_WORDS[i]} "* ]]; then
			command=${COMP_WORDS[i]}
			help=$("$program" "$command" --help 2>/dev/null)
			break
		fi
	done

	if [[ $word == = ]]; then
		option=$before word=''
	elif [[ $before == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $before == -* && $word != -* ]] && _carrierscope_options <<<"$help" | cut -f 1 | grep -qxF -e "$before="; then
		option=$before
	fi
	if [[ $option ]]; then
		choices=$(_carrierscope_values "$option" <<<"$help")
	elif [[ $word == -* ]]; then
		choices=$(_carrierscope_options <<<"$help" | cut -f 1)
	elif [[ -z $command ]]; then
		choices=$commands
	elif [[ $command == help ]]; then
		choices=$commands
	elif [[ $command == report && $before != -o && $before != -n ]]; then
		choices="$_carrierscope_reports $(compgen -f -X '!*.db' -- "$word")"
	fi
	mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
	if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
		compopt -o nospace 2>/dev/null
	fi
}
complete -o default -F _carrierscope carrierscope carrierscope-twin
