# Completion of almanac for bash. Load it with: source <(almanac completion bash)
_almanac() {
	local value
	COMPREPLY=()
	while IFS=$'\t' read -r value _; do
		COMPREPLY+=("$value")
	done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[.:] ]]; then
		compopt -o nospace 2>/dev/null # an id or a source goes on
	fi
}
complete -o default -o nosort -F _almanac almanac
