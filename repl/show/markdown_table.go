package show

// This file draws the tables of Markdown. They are somebody's words: no text of them is left out.

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"almanac/catalog/text/cells"
)

// A prose is one column of a table of Markdown.
type prose struct {
	// cells are its texts, the head first.
	cells []string
	// right is true where the source sets the column to the right.
	right bool
	// widest is its longest text, word its longest word, in cells of the screen.
	widest, word int
	width        int
}

// longestWord is how wide a word may be that a column is not made narrower than.
const longestWord = 16

// table draws a paragraph that is a table, and reports whether it was one: the second line is nothing but dashes,
// colons and bars. Texts are broken inside their cells; where there is no room for that, each row becomes a list of its
// cells.
func (d *drawing) table(n ast.Node, margin Line) bool {
	lines := n.Lines()
	if lines.Len() < 2 {
		return false
	}
	row := func(i int) []string {
		segment := lines.At(i)
		return cellsOf(string(segment.Value(d.src)))
	}
	ruler, head := row(1), row(0)
	var cols []*prose
	for i := range head {
		if i >= len(ruler) || strings.Trim(ruler[i], ":-") != "" || !strings.Contains(ruler[i], "-") {
			return false
		}
		cols = append(cols, &prose{right: strings.HasSuffix(ruler[i], ":") && !strings.HasPrefix(ruler[i], ":")})
	}
	second := lines.At(1)
	if len(cols) == 0 || !strings.Contains(string(second.Value(d.src)), "|") {
		return false
	}
	for r := range lines.Len() {
		if r == 1 {
			continue
		}
		cells := row(r)
		for i, c := range cols {
			cell := ""
			if i < len(cells) {
				cell = cells[i]
			}
			if i == len(cols)-1 && len(cells) > len(cols) {
				cell = strings.Join(cells[i:], " | ") // more than the head has
			}
			c.add(cell)
		}
	}
	if !fitProse(cols, d.room(margin)) {
		d.listed(cols, margin)
		return true
	}
	long := false
	for _, c := range cols {
		long = long || c.widest > c.width
	}
	for r := range cols[0].cells {
		if r > 1 && long {
			d.add(margin, nil)
		}
		d.row(cols, r, margin)
	}
	return true
}

func (c *prose) add(cell string) {
	c.cells = append(c.cells, cell)
	c.widest = max(c.widest, cells.Width(cell))
	for _, word := range strings.Fields(cell) {
		c.word = max(c.word, cells.Width(word))
	}
}

// fitProse gives the columns widths that fit into room, the widest ones less than they would take. It is false where
// there is not enough room for words.
func fitProse(cols []*prose, room int) bool {
	total := 2 * (len(cols) - 1)
	for _, c := range cols {
		c.width = c.widest
		total += c.width
	}
	for total > room {
		var widest *prose
		for _, c := range cols {
			if c.width > min(c.word, longestWord) && (widest == nil || c.width > widest.width) {
				widest = c
			}
		}
		if widest == nil {
			return false
		}
		widest.width--
		total--
	}
	return true
}

// row draws row r, as many lines as its longest cell needs.
func (d *drawing) row(cols []*prose, r int, margin Line) {
	role := Model
	if r == 0 {
		role = Header
	}
	height := 1
	broken := make([][]string, len(cols))
	for i, c := range cols {
		broken[i] = brokenText(c.cells[r], c.width)
		height = max(height, len(broken[i]))
	}
	for at := range height {
		var b strings.Builder
		for i, c := range cols {
			text := ""
			if at < len(broken[i]) {
				text = broken[i][at]
			}
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", max(0, c.width-cells.Width(text)))
			if c.right {
				b.WriteString(pad + text)
			} else {
				b.WriteString(text + pad)
			}
		}
		d.add(margin, Line{{role, strings.TrimRight(b.String(), " ")}})
	}
}

// brokenText is text in rows of at most width cells, broken at blanks where there are any.
func brokenText(text string, width int) []string {
	var rows []string
	row, used := "", 0
	for _, word := range strings.Fields(text) {
		w := cells.Width(word)
		if used > 0 && used+1+w > width {
			rows = append(rows, row)
			row, used = "", 0
		}
		if used > 0 {
			row, used = row+" ", used+1
		}
		for used+w > width {
			head, taken := cells.Head(word, width-used)
			if head == "" {
				break
			}
			rows = append(rows, row+head)
			row, used = "", 0
			word, w = word[len(head):], w-taken
		}
		row, used = row+word, used+w
	}
	return append(rows, row)
}

// listed draws a table that is too wide for the screen, a line a cell.
func (d *drawing) listed(cols []*prose, margin Line) {
	if len(cols[0].cells) == 1 {
		var heads []string
		for _, c := range cols {
			heads = append(heads, c.cells[0])
		}
		d.flow([]Span{{Header, strings.Join(heads, ", ")}}, margin)
	}
	for r := 1; r < len(cols[0].cells); r++ {
		if r > 1 {
			d.add(margin, nil)
		}
		for _, c := range cols {
			if c.cells[r] == "" {
				continue
			}
			name := Span{Header, c.cells[0] + ": "}
			d.flow([]Span{name, {Model, c.cells[r]}}, margin)
		}
	}
}

// cellsOf are the cells of a table's row. A bar behind a backslash belongs to its cell.
func cellsOf(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	const kept = "\x00"
	cells := strings.Split(strings.ReplaceAll(line, "\\|", kept), "|")
	for i, c := range cells {
		c = strings.TrimSpace(strings.ReplaceAll(c, kept, "|"))
		cells[i] = cellText(c)
	}
	return cells
}

// cellText is a cell without its marks.
func cellText(cell string) string {
	if !strings.ContainsAny(cell, "*_[<~\\") {
		return clean(cell)
	}
	src := []byte(cell)
	words := parseMarkdown(src).FirstChild()
	if words == nil || words.NextSibling() != nil || words.Kind() != ast.KindParagraph {
		return clean(cell)
	}
	var b strings.Builder
	for _, s := range (&drawing{src: src}).inline(words, Model, 0) {
		b.WriteString(s.Text)
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}
