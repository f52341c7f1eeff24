#compdef almanac
# Completion of almanac for zsh. Load it with: source <(almanac completion zsh)
_almanac() {
	local -a items parts
	local value text
	while IFS=$'\t' read -r value text; do
		if [[ $value == *[.:] ]]; then
			parts+=("${value//:/\\:}:$text") # an id or a source goes on
		else
			items+=("${value//:/\\:}${text:+:$text}")
		fi
	done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
	if (( ${#items} + ${#parts} == 0 )); then
		_files
		return
	fi
	(( ${#parts} )) && _describe -V almanac parts -S ''
	(( ${#items} )) && _describe -V almanac items
}
compdef _almanac almanac
