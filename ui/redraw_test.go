package ui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A session of the screen in an emulator: lines are printed, the region changes, and the window takes other sizes that
// the program hears of later.
type drawing struct {
	*rand.Rand
	term  *emulator
	drawn drawn
	// width and height are those that the program knows of.
	width, height int
	printed       []string
	// sure says that the terminal had the size of the region when the region was written.
	sure bool
}

func newDrawing(seed uint64) *drawing {
	r := &drawing{Rand: rand.New(rand.NewPCG(seed, 1)), width: 80, height: 24, term: newEmulator(80, 24)}
	r.drawn.repeats = seed%2 == 0
	return r
}

// region is a live region of some height.
func (r *drawing) region(busy bool) picture {
	rule := strings.Repeat("─", r.width-1)
	rows := []string{}
	if busy {
		rows = append(rows, rule, "running…")
		for range r.IntN(5) {
			rows = append(rows, strings.Repeat("t", r.IntN(r.width)))
		}
	}
	rows = append(rows, rule, "lua ❯ "+strings.Repeat("x", r.IntN(10)), "status")
	limit := max(r.height-1, 1)
	rows = rows[max(len(rows)-limit, 0):]
	at := point{6, max(len(rows)-2, 0)}
	return picture{rows: rows, cursor: &at, width: r.width, height: r.height, busy: busy}
}

// lines are the next lines of the transcript.
func (r *drawing) lines(n int) []string {
	var out []string
	for range n {
		out = append(out, fmt.Sprintf("<%05d%s>", len(r.printed)+len(out), strings.Repeat(" word", r.IntN(30))))
	}
	r.printed = append(r.printed, out...)
	return out
}

// write gives the terminal what was written, in pieces; between them it may be resized some times.
func (r *drawing) write(out string, resizes int) {
	r.sure = r.term.width == r.width
	for len(out) > 0 {
		n := len(out)
		if resizes > 0 && r.IntN(2) == 0 {
			n = 1 + r.IntN(n)
		}
		r.term.Write([]byte(out[:n]))
		out = out[n:]
		if resizes > 0 && r.IntN(3) == 0 {
			r.resize(2)
			resizes--
			r.sure = false
		}
	}
}

func (r *drawing) resize(least int) {
	if width := 20 + r.IntN(100); width != r.term.width {
		r.term.resize(width, least+r.IntN(40))
	}
}

// broken is what the display works out once the window has had its size for a while.
func (r *drawing) broken() int {
	if !r.sure || r.width != r.term.width || r.width >= r.drawn.width {
		return 0
	}
	return brokenRows(r.drawn.rows, r.drawn.at, r.width)
}

// missing compares what was printed with what the terminal has.
func (r *drawing) missing() (lost, twice, strays int) {
	count := map[string]int{}
	var order []string
	for _, line := range r.term.lines() {
		i := strings.IndexByte(line, '<') // behind what is left of the region, at times
		if i != 0 && strings.TrimSpace(line) != "" {
			strays++
		}
		if i >= 0 {
			count[line[i:]]++
			order = append(order, line[i:])
		}
	}
	for _, line := range r.printed {
		switch n := count[line]; {
		case n == 0:
			lost++
		case n > 1:
			twice++
		}
	}
	if lost+twice == 0 && !slices.Equal(order, r.printed) {
		lost = -1 // out of order
	}
	return lost, twice, strays
}

// Whatever sizes the window takes, between writes and within them, no line is lost or printed twice.
func TestRedrawLosesNoLine(t *testing.T) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		r := newDrawing(seed)
		for range 60 {
			switch r.IntN(5) {
			case 0:
				r.resize(2)
			case 1:
				r.width, r.height = r.term.width, r.term.height
			}
			busy := r.IntN(2) == 0
			var lines []string
			if r.IntN(2) == 0 {
				lines = r.lines(r.IntN(20))
			}
			// Rows that were broken must not be joined while some of them are passed: that takes two sizes within a moment.
			resizes := 5
			if len(lines) == 0 {
				resizes = 1
				if r.term.width < r.drawn.width {
					resizes = 0
				}
			}
			r.write(r.drawn.change(r.region(busy), lines, r.broken(), false), resizes)
		}
		if lost, twice, _ := r.missing(); lost != 0 || twice != 0 {
			t.Errorf("seed %d: of %d lines %d lost, %d printed twice", seed, len(r.printed), lost, twice)
		}
	}
}

// While lines come, a resize that falls between two writes leaves nothing of the region behind, whether the program
// knows of it or not. It does so at rest, too, once the program knows.
func TestRedrawLeavesNothing(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 10
	}
	for _, busy := range []bool{true, false} {
		for seed := range seeds {
			r := newDrawing(seed)
			for range 40 {
				if r.IntN(3) == 0 {
					r.resize(12)
				}
				if !busy || r.IntN(2) == 0 {
					r.width, r.height = r.term.width, r.term.height
				}
				r.write(r.drawn.change(r.region(busy), r.lines(r.IntN(20)), r.broken(), false), 0)
			}
			r.width, r.height = r.term.width, r.term.height
			r.write(r.drawn.clear(), 0)
			if lost, twice, strays := r.missing(); lost != 0 || twice != 0 || strays != 0 {
				t.Errorf("busy %v, seed %d: %d lines lost, %d twice, %d rows of the region left", busy, seed, lost, twice, strays)
			}
		}
	}
}

// Pictures come out as they are, whatever was there before.
func TestRedrawShowsThePicture(t *testing.T) {
	r := newDrawing(1)
	cells := []string{"", "a", "a long row of words", "a long row of letters", "語語 wide",
		"\x1b[31mred\x1b[m and plain", strings.Repeat("w", 79)}
	for i := range 500 {
		p := picture{width: 80, height: 24, alt: r.IntN(6) == 0, busy: r.IntN(3) == 0}
		for range 1 + r.IntN(6) {
			p.rows = append(p.rows, cells[r.IntN(len(cells))])
		}
		if r.IntN(4) > 0 {
			p.cursor = &point{r.IntN(70), r.IntN(len(p.rows))}
		}
		var lines []string
		if !p.alt && !r.drawn.alt && r.IntN(3) == 0 {
			lines = []string{"<line>"}
		}
		r.write(r.drawn.change(p, lines, 0, r.IntN(4) == 0), 0)
		e := r.term
		if (e.alt != nil) != p.alt {
			t.Fatalf("picture %d: alternate screen %v", i, e.alt != nil)
		}
		from := e.top() + e.y - r.drawn.at.y
		if p.alt {
			from = e.top()
		}
		var got, want []string
		for y, row := range r.drawn.rows {
			got = append(got, strings.TrimRight(string(e.rows[from+y].text), " "))
			want = append(want, strings.TrimRight(plainCells(row), " "))
		}
		for _, row := range e.rows[min(from+len(r.drawn.rows), len(e.rows)):] {
			if strings.TrimSpace(string(row.text)) != "" {
				t.Errorf("picture %d: %q is left below", i, string(row.text))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("picture %d:\ngot  %q\nwant %q", i, got, want)
		}
		if e.hidden != (p.cursor == nil || p.busy && !p.alt) {
			t.Errorf("picture %d: cursor hidden %v", i, e.hidden)
		}
		if p.cursor != nil && !e.hidden && e.x != p.cursor.x {
			t.Errorf("picture %d: cursor in column %d, want %d", i, e.x, p.cursor.x)
		}
	}
}

// plainCells is what the emulator makes of a row: it takes each letter for one column, and so does this.
func plainCells(row string) string {
	e := newEmulator(200, 1)
	e.Write([]byte(row))
	return string(e.row().text)
}

// Of a row only what differs behind the same letters is written, in the styles that it has there.
func TestWriteRow(t *testing.T) {
	const bold, red, off = "\x1b[1m", "\x1b[31m", "\x1b[m"
	for _, c := range []struct{ old, row, want string }{
		{"abcdefghij", "abcdefghijk", "\x1b[9Cjk"},
		{bold + "abcdefghij" + off, bold + "abcdefghijk" + off, "\x1b[9C" + bold + "jk" + off},
		{bold + "abc" + off + "defghij" + off, bold + "abc" + off + "defghiX" + off, "\x1b[8CiX" + off},
		{bold + red + "abcdefghij", bold + red + "abcdefghij" + off + "k", "\x1b[9C" + bold + red + "j" + off + "k"},
		{bold + "abcdefghij", red + "abcdefghij", red + "abcdefghij"},                // another style
		{"abc" + bold + "defghij", "abc" + red + "defghij", "abc" + red + "defghij"}, // too few letters before it
		{"abcdefghi…jk", "abcdefghi…jl", "\x1b[8Ci…jl"},                              // a sign whose width is not sure
		{"abcdefghijkl", "abcdefghij", "\x1b[9Cj\x1b[K"},
		{"", "abc", "abc"},
	} {
		var b strings.Builder
		if writeRow(&b, c.old, c.row, 80); b.String() != c.want {
			t.Errorf("%q over %q: wrote %q, want %q", c.row, c.old, b.String(), c.want)
		}
	}
}
