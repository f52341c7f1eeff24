#compdef almanac
# Completion of almanac for zsh. Load it with: source <(almanac completion zsh)
_almanac() {
	local -a items
	local value text
	while IFS=$'\t' read -r value text; do
		items+=("${value//:/\\:}:$text")
	done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
	if (( ${#items} )); then
		_describe -V almanac items
	else
		_files
	fi
}
compdef _almanac almanac
