package ui

import "strings"

// reflows guesses whether the terminal breaks rows anew when its window becomes narrower. The few that do not cut them.
func reflows(getenv func(string) string) bool {
	if getenv("TMUX") != "" {
		return true
	}
	if getenv("XTERM_VERSION") != "" {
		return false
	}
	for _, name := range []string{"linux", "rxvt", "screen", "vt", "cygwin"} {
		if strings.HasPrefix(getenv("TERM"), name) {
			return false
		}
	}
	return true
}
