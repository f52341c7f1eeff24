package ui

import "strings"

// This file guesses what the terminal can do, from what it says of itself.

// repeats tells whether the terminal repeats a letter when it is asked to. Those that do not show it once. A program
// between it and us has a TERM of its own, but what else it was started with says nothing of it: tmux 3.3 repeats
// letters of ASCII alone, GNU screen none.
func repeats(getenv func(string) string) bool {
	for _, between := range []string{"TMUX", "STY", "ZELLIJ"} {
		if getenv(between) != "" {
			return false
		}
	}
	name, isXterm := strings.CutPrefix(getenv("TERM"), "xterm")
	name = strings.TrimPrefix(name, "-")
	for _, known := range []string{"alacritty", "contour", "foot", "ghostty", "kitty", "wezterm"} {
		if strings.HasPrefix(name, known) {
			return true
		}
	}
	return isXterm && getenv("XTERM_VERSION") != ""
}

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
