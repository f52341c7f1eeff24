package show

// This file measures and cuts text in the cells of a terminal.

import (
	"github.com/rivo/uniseg"
)

// Width is how many terminal cells one line of text takes.
func Width(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 || s[i] < 0x20 {
			return uniseg.StringWidth(s)
		}
	}
	return len(s)
}

// ClipCells shortens s to at most width cells, ending in mark when something was cut. It never splits a character.
func ClipCells(s string, width int, mark string) string {
	if width <= 0 || Width(s) <= width {
		return s
	}
	room := width - Width(mark)
	if room < 0 {
		return ""
	}
	kept, used, state := 0, 0, -1
	rest := s
	for rest != "" {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > room {
			break
		}
		used += w
		kept += len(cluster)
	}
	return s[:kept] + mark
}

// tailCells is the end of s in at most width cells. It never splits a character.
func tailCells(s string, width int) string {
	over := Width(s) - width
	for state := -1; over > 0 && s != ""; {
		var w int
		_, s, w, state = uniseg.FirstGraphemeClusterInString(s, state)
		over -= w
	}
	return s
}
