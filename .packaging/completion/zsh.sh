
_carrierscope() {
	local program=$words[1] command='' option help line i
	local -a commands plain valued choices
	help=$($program --help 2>/dev/null)
	commands=(${(f)"$(_carrierscope_commands <<<$help)"})
	for ((i = 2; i < CURRENT; i++)); do
		if [[ -n ${(M)commands:#$words[i]$'\t'*} ]]; then
			command=$words[i]
			help=$($program $command --help 2>/dev/null)
			break
		fi
	done

	if [[ $PREFIX == --*=* ]]; then
		option=${PREFIX%%=*}
		choices=(${(f)"$(_carrierscope_values $option <<<$help)"})
		compset -P '*='
		if (( $#choices )); then
			compadd -a choices
		else
			_files
		fi
	elif [[ $words[CURRENT-1] == --* && $PREFIX != -* ]] && _carrierscope_options <<<$help | cut -f 1 | grep -qxF -e "$words[CURRENT-1]="; then
		choices=(${(f)"$(_carrierscope_values $words[CURRENT-1] <<<$help)"})
		if (( $#choices )); then
			compadd -a choices
		else
			_files
		fi
	elif [[ $PREFIX == -* ]]; then
		for line in ${(f)"$(_carrierscope_options <<<$help)"}; do
			if [[ ${line%%$'\t'*} == *= ]]; then
				valued+=(${line/$'\t'/:})
			else
				plain+=(${line/$'\t'/:})
			fi
		done
		_describe -o option plain -- valued -S ''
	elif [[ -z $command || $command == help ]] && (( $#commands )); then
		commands=(${commands/$'\t'/:})
		_describe command commands
	else
		if [[ $command == report ]]; then
			choices=(${=_carrierscope_reports})
			compadd -a choices
		fi
		_files
	fi
}
_carrierscope "$@"
