package syntax

import "slices"

// This file finds what a text sets a global from.

// A Setting is the part of a text that a global's value comes from.
type Setting struct {
	// Text is the statement of the chunk itself in which it is set, whatever is inside of that, and First and Last are its
	// lines.
	Text        string
	First, Last int
	// Start is its offset in the text.
	Start int
	// Rests is the line that the statement's value begins with: where the text has local variables by then it is the
	// first of the text.
	Rests int
	// Reads are the globals read from that line to the statement's end, in the order they first appear.
	Reads []string
}

// SettingOf returns the last statement of src that sets the global, or a field in it; ok is false where none names it
// as its target.
func SettingOf(src, global string) (s Setting, ok bool) {
	fn, p := parse(src)
	stmts := fn.body.stmts
	usage := func(stmts []*stmt) Usage {
		f := &finder{src: src, p: p, seen: make(map[string]bool)}
		walk(f, &block{stmts: stmts})
		return f.usage
	}
	at := len(stmts) - 1
	for ; at >= 0; at-- {
		if u := usage(stmts[at : at+1]); slices.Contains(u.Writes, global) || slices.Contains(u.Inside, global) {
			break
		}
	}
	if at < 0 {
		return s, false
	}
	lines := &user{starts: lineStarts(src)}
	set := stmts[at]
	s = Setting{
		Text: src[set.start:set.end], Start: int(set.start),
		First: lines.pos(set.start).Line, Last: lines.pos(max(set.end-1, 0)).Line,
	}
	from := at
	if set.active > 0 {
		from = 0
	}
	s.Rests = lines.pos(stmts[from].start).Line
	s.Reads = usage(stmts[from : at+1]).Reads
	return s, true
}
