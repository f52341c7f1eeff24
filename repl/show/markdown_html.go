package show

// This file draws the HTML in Markdown as its words.

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// The tags that people and models write, without and with an end of the line. Others, as the "<id>" of "crm.get <id>",
// are words.
const (
	tagNames = "a abbr b big center cite code dd del details dl dt em font hr i img ins kbd mark ol p pre q s samp small span " +
		"strong sub sup table tbody td tfoot th thead tt u ul var"
	lineTagNames = "br div li tr h1 h2 h3 h4 h5 h6 summary blockquote /p"
)

// withoutTags is HTML without its tags and comments; those that end a line are newlines.
func withoutTags(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		n, ends := tagAt(s[i:])
		switch {
		case n == 0:
			b.WriteByte('<')
			n = 1
		case ends:
			b.WriteByte('\n')
		}
		s = s[i+n:]
	}
}

// tagAt is how long the tag or comment is that s begins with, 0 for none, and whether it ends a line.
func tagAt(s string) (n int, ends bool) {
	if strings.HasPrefix(s, "<!--") {
		return closing(s, len("<!--"), "-->"), false
	}
	end := strings.IndexByte(s, '>')
	if end < 0 || strings.IndexByte(s[1:end], '<') >= 0 {
		return 0, false
	}
	name, _, _ := strings.Cut(strings.TrimSuffix(s[1:end], "/"), " ")
	name = strings.ToLower(name)
	bare := strings.TrimPrefix(name, "/")
	lines := strings.Fields(lineTagNames)
	if slices.Contains(lines, name) || slices.Contains(lines, bare) {
		return end + 1, name != bare || bare == "br"
	}
	if slices.Contains(strings.Fields(tagNames), bare) {
		return end + 1, false
	}
	return 0, false
}

// html draws the words of a block of HTML.
func (d *drawing) html(n *ast.HTMLBlock, margin Line) {
	written := codeText(n, d.src)
	if n.HasClosure() {
		written += string(n.ClosureLine.Value(d.src))
	}
	for _, line := range strings.Split(withoutTags(written), "\n") {
		if line = strings.TrimSpace(clean(line)); line != "" {
			d.flow([]Span{{Model, line}}, margin)
		}
	}
}
