package show

// This file draws Markdown as lines with roles. goldmark's parser reads it; how it looks is ours. Tables are read here:
// goldmark's extensions, with their regular expressions, would cost every start of the program half a millisecond.
// Whatever the text says, every piece of it goes through the sanitizer, entities included.

import (
	"fmt"
	"html"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	source "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/session/syntax"
)

// deepestMargin bounds how deep lists and quotes are followed: what is deeper is shown at that depth.
const deepestMargin = 8

// MarkdownLines draws whole blocks of Markdown, at most width cells wide where words allow it; 0 means no limit. Line
// breaks of the source stay line breaks.
func MarkdownLines(source string, width int, o Options) []Line {
	if width <= 0 {
		width = 1 << 20
	}
	src := []byte(source)
	d := &drawing{src: src, width: max(width, 8), marks: o.Marks()}
	d.blocks(parseMarkdown(src), nil, 0)
	return d.lines
}

func parseMarkdown(src []byte) ast.Node {
	md := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))
	return md.Parse(source.NewReader(src))
}

// LastCode is the last code block of Markdown as it is written; empty when there is none.
func LastCode(source string) string {
	src, last := []byte(source), ""
	_ = ast.Walk(parseMarkdown(src), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && (n.Kind() == ast.KindFencedCodeBlock || n.Kind() == ast.KindCodeBlock) {
			if code := strings.TrimRight(codeText(n, src), "\r\n"); strings.TrimSpace(code) != "" {
				last = code
			}
		}
		return ast.WalkContinue, nil
	})
	return last
}

// codeText are the lines of a block as they stand in the source.
func codeText(n ast.Node, src []byte) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(src))
	}
	return b.String()
}

// A drawing is one Markdown text on its way to lines.
type drawing struct {
	src   []byte
	width int
	marks Marks
	lines []Line
	// lead replaces the margin of the next line: a list's marker.
	lead Line
}

// blocks draws the children of n behind a margin.
func (d *drawing) blocks(n ast.Node, margin Line, depth int) {
	tight := false
	if item, ok := n.(*ast.ListItem); ok {
		list, _ := item.Parent().(*ast.List)
		tight = list != nil && list.IsTight
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.PreviousSibling() != nil && !tight {
			d.add(margin, nil)
		}
		d.block(c, margin, depth)
	}
}

func (d *drawing) block(n ast.Node, margin Line, depth int) {
	switch n := n.(type) {
	case *ast.Heading:
		d.flow(d.inline(n, Heading, 0), margin)
	case *ast.FencedCodeBlock:
		d.code(n, string(n.Language(d.src)), margin)
	case *ast.CodeBlock:
		d.code(n, "", margin)
	case *ast.HTMLBlock:
		d.html(n, margin)
	case *ast.ThematicBreak:
		d.add(margin, Line{{Dim, strings.Repeat(d.marks.Rule, min(d.room(margin), 40))}})
	case *ast.Blockquote:
		d.blocks(n, deeperMargin(margin, Span{Dim, d.marks.Quote + " "}, depth), depth+1)
	case *ast.List:
		d.list(n, margin, depth)
	case *ast.Paragraph:
		if !d.table(n, margin) {
			d.flow(d.inline(n, Model, 0), margin)
		}
	default:
		if n.Type() == ast.TypeBlock && n.HasChildren() && n.FirstChild().Type() == ast.TypeBlock {
			d.blocks(n, margin, depth+1)
			return
		}
		d.flow(d.inline(n, Model, 0), margin)
	}
}

// deeperMargin is margin with s behind it, up to deepestMargin.
func deeperMargin(margin Line, s Span, depth int) Line {
	if depth >= deepestMargin {
		return margin
	}
	return append(append(Line{}, margin...), s)
}

func (d *drawing) list(n *ast.List, margin Line, depth int) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if item.PreviousSibling() != nil && !n.IsTight {
			d.add(margin, nil)
		}
		mark := "- "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		inner := deeperMargin(margin, Span{Model, strings.Repeat(" ", len(mark))}, depth)
		d.lead = append(append(Line{}, margin...), Span{Dim, mark})
		d.blocks(item, inner, depth+1)
		if d.lead != nil { // an empty item
			d.add(margin, nil)
		}
	}
}

// code draws the lines of a code block in the colours of the language, broken as those of scripts are.
func (d *drawing) code(n ast.Node, language string, margin Line) {
	code := ExpandTabs(text.Sanitize(strings.TrimRight(codeText(n, d.src), "\r\n")))
	for _, l := range codeLines(code, language) {
		for _, row := range WrapCode(nil, append(Line{{Code, "  "}}, l...), nil, d.room(margin)) {
			d.add(margin, row)
		}
	}
}

func plainLines(text string, role Role) []Line {
	var lines []Line
	for _, l := range strings.Split(text, "\n") {
		lines = append(lines, Line{{role, l}})
	}
	return lines
}

// LuaLines is clean source as lines whose spans say what each token is.
func LuaLines(source string) []Line {
	var p painted
	at := 0
	for _, t := range syntax.Tokens(source) {
		p.put(Code, source[at:t.Pos.Offset])
		at = t.Pos.Offset + len(t.Text)
		p.put(tokenRole(t.Kind), t.Text)
	}
	p.put(Code, source[at:])
	return p.whole()
}

func tokenRole(k syntax.TokenKind) Role {
	switch k {
	case syntax.Keyword:
		return Keyword
	case syntax.String:
		return String
	case syntax.Number:
		return Number
	case syntax.Comment:
		return Dim
	}
	return Code
}

// inline is the text of n as spans; a line break is a newline in one.
func (d *drawing) inline(n ast.Node, role Role, depth int) []Span {
	var out []Span
	if depth > 4*deepestMargin {
		return nil
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			out = append(out, struck(clean(string(util.UnescapePunctuations(c.Segment.Value(d.src)))), role)...)
			if c.SoftLineBreak() || c.HardLineBreak() {
				out = append(out, Span{role, "\n"})
			}
		case *ast.String:
			out = append(out, Span{role, clean(string(c.Value))})
		case *ast.CodeSpan:
			code := text.SanitizeLine(d.textOf(c))
			if !strings.ContainsFunc(code, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				code = "`" + code + "`" // `,` would read as a part of the sentence
			}
			out = append(out, Span{CodeSpan, code})
		case *ast.Emphasis:
			inner := Emphasis
			if c.Level > 1 {
				inner = Strong
			}
			out = append(out, d.inline(c, inner, depth+1)...)
		case *ast.Link:
			out = append(out, d.link(d.inline(c, role, depth+1), string(c.Destination))...)
		case *ast.Image:
			out = append(out, d.link(d.inline(c, role, depth+1), string(c.Destination))...)
		case *ast.AutoLink:
			out = append(out, Span{Link, text.SanitizeLine(string(c.Label(d.src)))})
		case *ast.RawHTML:
			var tag strings.Builder
			for i := range c.Segments.Len() {
				segment := c.Segments.At(i)
				tag.Write(segment.Value(d.src))
			}
			if n, ends := tagAt(tag.String()); n == 0 {
				out = append(out, Span{role, text.SanitizeLine(tag.String())})
			} else if ends {
				out = append(out, Span{role, "\n"})
			}
		default:
			out = append(out, d.inline(c, role, depth+1)...)
		}
	}
	return out
}

// struck is text in which what stands between two tildes is set back: "~~paid~~".
func struck(s string, role Role) []Span {
	parts := strings.Split(s, "~~")
	if len(parts) < 3 {
		return []Span{{role, s}}
	}
	var out []Span
	for i, part := range parts {
		switch {
		case i%2 == 1 && i == len(parts)-1:
			out = append(out, Span{role, "~~" + part})
		case i%2 == 1:
			out = append(out, Span{Dim, part})
		case part != "":
			out = append(out, Span{role, part})
		}
	}
	return out
}

// link is a text with its address behind it, unless both are the same.
func (d *drawing) link(label []Span, address string) []Span {
	var words strings.Builder
	for _, s := range label {
		words.WriteString(s.Text)
	}
	address = clean(address)
	switch {
	case words.String() == address:
		return []Span{{Link, address}}
	case words.Len() == 0:
		return []Span{{Link, "<" + address + ">"}}
	}
	return append(label, Span{Link, " <" + address + ">"})
}

func (d *drawing) textOf(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(d.src))
		}
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// clean is text with its entities read and made safe.
func clean(s string) string {
	return ExpandTabs(strings.ReplaceAll(text.Sanitize(html.UnescapeString(s)), "\n", " "))
}

func (d *drawing) room(margin Line) int { return max(d.width-margin.Width(), 8) }

// add puts a line behind its margin, or behind the marker that waits for it.
func (d *drawing) add(margin Line, l Line) {
	head := margin
	if d.lead != nil {
		head, d.lead = d.lead, nil
	}
	d.lines = append(d.lines, append(append(Line{}, head...), l...))
}

// flow breaks spans into lines between words.
func (d *drawing) flow(spans []Span, margin Line) {
	room := d.room(margin)
	var line Line
	used := 0
	glued := false // what comes next belongs to the word before it
	end := func() {
		if n := len(line); n > 0 {
			line[n-1].Text = strings.TrimRight(line[n-1].Text, " ")
		}
		d.add(margin, line)
		line, used = nil, 0
	}
	put := func(role Role, text string) {
		if n := len(line); n > 0 && line[n-1].Role == role {
			line[n-1].Text += text
		} else {
			line = append(line, Span{role, text})
		}
		used += cells.Most(text)
	}
	for i, s := range spans {
		if s.Text == "\n" {
			end()
			glued = false
			continue
		}
		for rest := s.Text; rest != ""; {
			word := firstWord(rest)
			rest = rest[len(word):]
			w := cells.Most(strings.TrimRight(word, " "))
			glued = glued && word[0] != ' '
			next := w
			if rest == "" && !strings.HasSuffix(word, " ") && !glued {
				next += joined(spans[i+1:])
			}
			if used > 0 && used+next > room {
				end()
			}
			glued = !strings.HasSuffix(word, " ")
			for used == 0 && w > room {
				head, _ := cells.Head(word, room)
				if head == "" {
					head = cells.First(word)
				}
				put(s.Role, head)
				end()
				word = word[len(head):]
				w = cells.Most(strings.TrimRight(word, " "))
			}
			if used == 0 {
				word = strings.TrimLeft(word, " ")
			}
			if word != "" {
				put(s.Role, word)
			}
		}
	}
	if line != nil || d.lead != nil {
		end()
	}
}

// joined is how wide the rest of a word is that spans begin with.
func joined(spans []Span) int {
	width := 0
	for _, s := range spans {
		if i := strings.IndexAny(s.Text, " \n"); i >= 0 {
			return width + cells.Width(s.Text[:i])
		}
		width += cells.Width(s.Text)
	}
	return width
}

// firstWord is the first word of s with the blanks around it.
func firstWord(s string) string {
	i := len(s) - len(strings.TrimLeft(s, " "))
	if n := strings.IndexByte(s[i:], ' '); n >= 0 {
		i += n
	} else {
		return s
	}
	return s[:i+len(s[i:])-len(strings.TrimLeft(s[i:], " "))]
}
