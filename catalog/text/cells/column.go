package cells

// This file cuts the texts of a column, so that those which differ look different.

import "strings"

// Column is Clip for all texts of a column. Texts that would be cut to the same are cut in the middle of what they have
// in common instead, as far as the width allows: anna.s…t@x.example and anna.s…r@x.example.
func Column(texts []string, width int, mark string) []string {
	out := make([]string, len(texts))
	alike := map[string][]int{}
	for i, s := range texts {
		out[i] = Clip(s, width, mark)
		if out[i] != s {
			alike[out[i]] = append(alike[out[i]], i)
		}
	}
	for _, group := range alike {
		tellApart(texts, out, group, width-Width(mark), mark, 0)
	}
	return out
}

// tellApart cuts what the texts of a group have in common beyond its first done bytes, which did not tell them apart.
func tellApart(texts, out []string, group []int, room int, mark string, done int) {
	common := texts[group[0]]
	differ := false
	for _, i := range group[1:] {
		differ = differ || texts[i] != common
		common = commonHead(common, texts[i])
	}
	head, taken := Head(common, room/3)
	if !differ || head == "" || len(common) <= done {
		return
	}
	alike := map[string][]int{}
	for _, i := range group {
		rest := texts[i][len(common):]
		if tail := Tail(texts[i], room-taken); len(tail) > len(rest) {
			rest = tail // there is room for more than where they begin to differ
		}
		out[i] = head + mark + Clip(rest, room-taken, mark)
		alike[out[i]] = append(alike[out[i]], i)
	}
	for _, group := range alike {
		tellApart(texts, out, group, room, mark, len(common))
	}
}

// commonHead is what two texts begin with, in whole characters.
func commonHead(a, b string) string {
	end := 0
	for end < len(a) {
		character := First(a[end:])
		if !strings.HasPrefix(b[end:], character) || First(b[end:]) != character {
			break
		}
		end += len(character)
	}
	return a[:end]
}
