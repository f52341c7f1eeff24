package ui

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file holds a terminal for tests: its rows, its scrollback, and what a resize does to them, as tmux does it.

// A cellrow is one row of the terminal. It goes on in the next row when wrapped.
type cellrow struct {
	text    []rune
	wrapped bool
}

// An emulator is a terminal. All rows are in one list, the last height of them are the screen.
type emulator struct {
	width, height int
	rows          []cellrow
	x, y          int  // the cursor; y counts from the top of the screen
	last          rune // for its repetition
	nowrap        bool
	hidden        bool
	alt           *emulator // the main screen while the alternate one is on
	input         []byte
}

func newEmulator(width, height int) *emulator {
	return &emulator{width: width, height: height, rows: make([]cellrow, height)}
}

// top is the index of the screen's first row.
func (e *emulator) top() int { return len(e.rows) - e.height }

func (e *emulator) row() *cellrow { return &e.rows[e.top()+e.y] }

var sequence = regexp.MustCompile(`^\x1b\[([?>=<]?)([0-9;]*)([@-~])`)

// Write takes what a program writes, in pieces of any size.
func (e *emulator) Write(p []byte) (int, error) {
	e.input = append(e.input, p...)
	for len(e.input) > 0 {
		n := e.step(e.input)
		if n == 0 {
			break
		}
		e.input = e.input[n:]
	}
	return len(p), nil
}

// step takes one letter or sequence and says how long it was; 0 when more is needed.
func (e *emulator) step(in []byte) int {
	switch in[0] {
	case '\r':
		e.x = 0
		return 1
	case '\n':
		e.down()
		return 1
	case '\x1b':
		m := sequence.FindSubmatch(in)
		if m == nil {
			if len(in) > 32 {
				panic(fmt.Sprintf("unknown sequence %q", in))
			}
			return 0
		}
		e.control(string(m[1]), string(m[2]), m[3][0])
		return len(m[0])
	}
	if !utf8.FullRune(in) {
		return 0
	}
	r, n := utf8.DecodeRune(in)
	e.put(r)
	return n
}

func (e *emulator) down() {
	if e.y < e.height-1 {
		e.y++
		return
	}
	e.rows = append(e.rows, cellrow{})
}

func (e *emulator) put(r rune) {
	if e.x >= e.width {
		if e.nowrap {
			e.x = e.width - 1
		} else {
			e.row().wrapped = true
			e.down()
			e.x = 0
		}
	}
	row := e.row()
	for len(row.text) <= e.x {
		row.text = append(row.text, ' ')
	}
	row.text[e.x], e.last = r, r
	e.x++
}

func (e *emulator) control(mark, args string, final byte) {
	var n []int
	for _, a := range strings.Split(args, ";") {
		v, _ := strconv.Atoi(a)
		n = append(n, v)
	}
	switch fmt.Sprintf("%s%c", mark, final) {
	case "A":
		e.y = max(e.y-max(n[0], 1), 0)
	case "b":
		for range min(max(n[0], 1), e.width-e.x) {
			e.put(e.last)
		}
	case "C":
		e.x = min(e.x+max(n[0], 1), e.width-1)
	case "G":
		e.x = min(max(n[0], 1), e.width) - 1
	case "H":
		y, x := max(n[0], 1), 1
		if len(n) > 1 {
			x = max(n[1], 1)
		}
		e.y, e.x = min(y, e.height)-1, min(x, e.width)-1
	case "J":
		if n[0] != 2 && e.x == 0 && e.y == 0 && e.alt == nil {
			// tmux moves what is erased from the first cell on into its scrollback.
			e.rows = append(e.rows, make([]cellrow, e.height)...)
			return
		}
		if n[0] != 2 {
			e.eraseRight()
		}
		for y := range e.height {
			if n[0] == 2 || y > e.y {
				e.rows[e.top()+y] = cellrow{}
			}
		}
	case "K":
		e.eraseRight()
	case "?h", "?l":
		on := final == 'h'
		switch n[0] {
		case 7:
			e.nowrap = !on
		case 25:
			e.hidden = !on
		case 1049:
			e.alternate(on)
		}
	case "m", ">u", "<u", ">m":
	default:
		panic(fmt.Sprintf("unknown sequence %s%s%c", mark, args, final))
	}
}

func (e *emulator) eraseRight() {
	row := e.row()
	row.text = row.text[:min(e.x, len(row.text))]
	row.wrapped = false
	if i := e.top() + e.y; e.x == 0 && i > 0 {
		e.rows[i-1].wrapped = false // as tmux does for a row that is erased whole
	}
}

func (e *emulator) alternate(on bool) {
	switch {
	case on && e.alt == nil:
		main := *e
		*e = *newEmulator(e.width, e.height)
		e.alt, e.nowrap, e.hidden, e.input = &main, main.nowrap, main.hidden, main.input
	case !on && e.alt != nil:
		main, width, height := *e.alt, e.width, e.height
		main.nowrap, main.hidden, main.input = e.nowrap, e.hidden, e.input
		*e = main
		e.resize(width, height)
	}
}

// resize breaks the rows anew. A shorter window loses rows below the cursor first, then its upper rows go to the
// scrollback; a taller one takes rows back from there.
func (e *emulator) resize(width, height int) {
	if width != e.width {
		e.reflow(width)
	}
	for ; e.height > height; e.height-- {
		if e.y < e.height-1 {
			e.rows = e.rows[:len(e.rows)-1]
		} else {
			e.y--
		}
	}
	for ; e.height < height; e.height++ {
		if e.top() > 0 {
			e.y++
		} else {
			e.rows = append(e.rows, cellrow{})
		}
	}
}

func (e *emulator) reflow(width int) {
	var rows []cellrow
	at, offset := 0, 0 // the cursor: in which row of the new ones, and where in its line
	cursor := e.top() + e.y
	for i := 0; i < len(e.rows); {
		var line []rune
		first := i
		found := -1
		for {
			if i == cursor {
				found = len(line) + min(e.x, e.width)
			}
			line = append(line, e.rows[i].text...)
			if !e.rows[i].wrapped || i+1 == len(e.rows) {
				break
			}
			for len(line) < (i-first+1)*e.width {
				line = append(line, ' ')
			}
			i++
		}
		i++
		from := len(rows)
		for len(line) > width {
			rows = append(rows, cellrow{line[:width:width], true})
			line = line[width:]
		}
		rows = append(rows, cellrow{line, false})
		if found >= 0 {
			at, offset = from+found/width, found%width
			if at >= len(rows) { // behind the last letter of a full row
				at, offset = len(rows)-1, width
			}
		}
	}
	e.rows, e.width = rows, width
	for len(e.rows) < e.height {
		e.rows = append(e.rows, cellrow{})
	}
	for len(e.rows) > e.height && len(e.rows)-1 > at && len(e.rows[len(e.rows)-1].text) == 0 {
		e.rows = e.rows[:len(e.rows)-1]
	}
	// The screen keeps its end, unless the cursor is above it.
	for e.top() > at {
		e.rows = e.rows[:len(e.rows)-1]
	}
	e.x, e.y = offset, at-e.top()
}

// lines are all rows, those joined that belong together, without blank ones at the end.
func (e *emulator) lines() []string {
	var out []string
	text := ""
	for _, r := range e.rows {
		text += string(r.text)
		if !r.wrapped {
			out = append(out, strings.TrimRight(text, " "))
			text = ""
		}
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}
