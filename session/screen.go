package session

// This file hides excess actions in what a model's script returns, prints and raises: globals of earlier runs, and of
// the person's, may hold more actions than one answer may show.

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// hidden replaces an action beyond the limit.
const hidden = "(not shown)"

// A screen lets the first actions pass, up to a limit.
type screen struct {
	known map[string]bool // all that scripts have ever had
	seen  map[string]bool
	most  int
	// described pass in any case.
	described map[string]bool
	hid       bool
}

// screened hides actions in the outcome beyond the limit of one answer.
func (r *run) screened(out *Outcome) {
	w, most := r.session.world, r.budget().Shown
	w.mu.Lock()
	s := screen{known: maps.Clone(w.read), seen: map[string]bool{}, most: most, described: r.reading.asked}
	maps.Copy(s.seen, r.reading.ids) // they may be in the answer in other words
	w.mu.Unlock()
	if !r.bounded() || len(s.known) <= most {
		return
	}
	for i := range out.Values {
		v := &out.Values[i]
		v.Repr, v.Why, v.Data = s.text(v.Repr), s.text(v.Why), s.data(v.Data)
	}
	if e := out.Err; e != nil {
		e.Message, e.Hint, e.Excerpt = s.text(e.Message), s.text(e.Hint), s.text(e.Excerpt)
		if e.Value != nil {
			e.Value.Repr, e.Value.Why, e.Value.Data = s.text(e.Value.Repr), s.text(e.Value.Why), s.data(e.Value.Data)
		}
	}
	out.Stdout, out.Stderr = s.text(out.Stdout), s.text(out.Stderr)
	for i, line := range out.Logs {
		out.Logs[i] = s.text(line)
	}
	out.Withheld = out.Withheld || s.hid
}

// passes reports whether an action may be in the answer.
func (s *screen) passes(id string) bool {
	if !s.known[id] || s.seen[id] || s.described[id] {
		return true
	}
	if len(s.seen) >= s.most {
		s.hid = true
		return false
	}
	s.seen[id] = true
	return true
}

// text is a text without the actions that do not pass, and without what stands behind them on their lines.
func (s *screen) text(text string) string {
	var b strings.Builder
	from := 0 // of what is not written yet
	for at := 0; at < len(text); {
		n := strings.IndexFunc(text[at:], endsID)
		if n < 0 {
			n = len(text) - at
		}
		id := strings.Trim(text[at:at+n], ".:!?")
		if at > 0 && text[at-1] == '\\' && id != "" && s.known[id[1:]] { // behind an escape: \n
			id = id[1:]
		}
		if !s.passes(id) {
			b.WriteString(text[from:at] + hidden)
			end := strings.IndexAny(text[at+n:], "\n\"")
			if end < 0 {
				end = len(text) - at - n
			}
			at += n + end
			from = at
			continue
		}
		at += max(n, 1)
		for at < len(text) && text[at]&0xC0 == 0x80 {
			at++
		}
	}
	return b.String() + text[from:]
}

// endsID reports whether r cannot be in an id as it stands in a text.
func endsID(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\\\"'`()[]{}<>,;=|", r) }

func (s *screen) data(v any) any {
	switch v := v.(type) {
	case string:
		return s.text(v)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = s.data(item)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			object[s.text(name)] = s.data(v[name])
		}
		return object
	}
	return v
}
