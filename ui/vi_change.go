package ui

import (
	"strings"
	"unicode"
)

// This file holds what vi keys change: the operators and the commands that edit.

// operate applies an operator to what its motion or text object takes.
func (v *vi) operate(e *editor, c viCommand) {
	do := viOperators[c.op]
	if c.key == c.op {
		do(v, e, e.lineStart(e.pos), e.lineEnd(e.lineBelow(e.pos, c.times()-1)), true)
		return
	}
	if object, ok := viObjects[c.key[1:]]; ok && (c.key[0] == 'i' || c.key[0] == 'a') {
		if from, to, found := object(e, e.pos, c.times(), c.key[0] == 'a'); found {
			do(v, e, from, to, false)
		}
		return
	}
	key := c.key
	if c.op == "c" && (key == "w" || key == "W") && viClass(e.text[e.pos:]) != blankClass {
		v.changeWord(e, c)
		return
	}
	to, reach := viMotions[key](e, v.way(e, c))
	if c.char != "" {
		v.find = viFind{c.key, c.char}
	}
	from := e.pos
	back := to < from
	if back {
		from, to = to, from
	}
	switch reach {
	case viNowhere:
		return
	case viLines:
		do(v, e, e.lineStart(from), e.lineEnd(to), true)
		return
	case viWith:
		to = e.next(to)
	}
	if key == "w" || key == "W" {
		to = e.wordsOnLine(from, to)
	}
	if from < to || c.op == "c" {
		do(v, e, from, to, c.op == ">" || c.op == "<")
	}
}

// changeWord is cw, which leaves the blanks behind the word alone.
func (v *vi) changeWord(e *editor, c viCommand) {
	class := viClass
	if c.key == "W" {
		class = viBigClass
	}
	to := e.pos
	for own := class(e.text[to:]); e.next(to) < len(e.text) && class(e.text[e.next(to):]) == own; {
		to = e.next(to)
	}
	for range c.times() - 1 {
		to = e.viWordEnd(to, class)
	}
	v.change(e, e.pos, e.next(to), false)
}

// wordsOnLine takes the end of the line off what w went over last: dw on the last word does not join lines.
func (e *editor) wordsOnLine(from, to int) int {
	i := strings.LastIndexByte(e.text[from:to], '\n')
	for i > 0 && strings.TrimSpace(e.text[from+i:to]) == "" {
		to = from + i
		i = strings.LastIndexByte(e.text[from:to], '\n')
	}
	return to
}

// keep remembers text for p and P, and for Ctrl+Y.
func (v *vi) keep(e *editor, text string, lines bool) {
	e.killed, v.lines = text, ""
	if lines {
		v.lines = text
	}
}

func (v *vi) yank(e *editor, from, to int, lines bool) {
	v.keep(e, e.text[from:to], lines)
	if !lines || e.lineStart(e.pos) != from {
		e.move(from)
	}
}

func (v *vi) remove(e *editor, from, to int, lines bool) {
	v.keep(e, e.text[from:to], lines)
	if lines && to < len(e.text) {
		to++
	} else if lines && from > 0 {
		from--
	}
	if e.cut(from, to, false); lines {
		e.move(e.lineIndent(e.pos))
	}
}

func (v *vi) change(e *editor, from, to int, lines bool) {
	v.keep(e, e.text[from:to], lines)
	if lines {
		from = min(e.lineIndent(from), to)
	}
	e.save(false)
	e.replace(from, to, "")
	v.normal = false
}

// shiftWidth is how many blanks > and < move a line by.
const shiftWidth = 2

func (v *vi) shiftRight(e *editor, from, to int, _ bool) {
	v.shift(e, from, to, func(line string) string {
		if line == "" {
			return line
		}
		return strings.Repeat(" ", shiftWidth) + line
	})
}

func (v *vi) shiftLeft(e *editor, from, to int, _ bool) {
	v.shift(e, from, to, func(line string) string {
		return line[min(len(line)-len(strings.TrimLeft(line, " ")), shiftWidth):]
	})
}

// shift puts other lines in the place of those from from to to.
func (v *vi) shift(e *editor, from, to int, other func(string) string) {
	from, to = e.lineStart(from), e.lineEnd(to)
	lines := strings.Split(e.text[from:to], "\n")
	for i, line := range lines {
		lines[i] = other(line)
	}
	e.save(false)
	e.replace(from, to, strings.Join(lines, "\n"))
	e.move(e.lineIndent(from))
}

func (v *vi) insert(e *editor, _ viCommand, at int) viWish {
	e.move(at)
	v.normal = false
	return viNothing
}

func (v *vi) openBelow(e *editor, _ viCommand) viWish {
	end := e.lineEnd(e.pos)
	indent := ""
	if v.indent != nil {
		indent = v.indent(e.text[e.lineStart(e.pos):end])
	}
	e.save(false)
	e.replace(end, end, "\n"+indent)
	v.normal = false
	return viNothing
}

func (v *vi) openAbove(e *editor, _ viCommand) viWish {
	start := e.lineStart(e.pos)
	indent := e.text[start:e.lineIndent(e.pos)]
	e.save(false)
	e.replace(start, start, indent+"\n")
	e.move(start + len(indent))
	v.normal = false
	return viNothing
}

// put inserts what was cut or copied, behind the cursor or before it: whole lines below or above its line.
func (v *vi) put(e *editor, c viCommand, behind bool) viWish {
	text := e.killed
	switch {
	case text == "":
	case text == v.lines:
		text = strings.TrimSuffix(strings.Repeat(text+"\n", c.times()), "\n")
		at := e.lineStart(e.pos)
		e.save(false)
		if behind {
			at = e.lineEnd(e.pos) + 1
			e.replace(at-1, at-1, "\n"+text)
		} else {
			e.replace(at, at, text+"\n")
		}
		e.move(e.lineIndent(at))
	default:
		at := e.pos
		if behind {
			at = min(e.next(at), e.lineEnd(at))
		}
		e.save(false)
		e.replace(at, at, strings.Repeat(text, c.times()))
		e.move(e.prev(e.pos))
	}
	return viNothing
}

// overwrite is r: as many characters become char, if there are as many.
func (v *vi) overwrite(e *editor, c viCommand) viWish {
	to := e.pos
	for range c.times() {
		if to >= e.lineEnd(e.pos) {
			return viNothing
		}
		to = e.next(to)
	}
	e.save(false)
	if c.char == "enter" {
		e.replace(e.pos, to, "\n")
		return viNothing
	}
	e.replace(e.pos, to, strings.Repeat(c.char, c.times()))
	e.move(e.prev(e.pos))
	return viNothing
}

func (v *vi) turnCase(e *editor, c viCommand) viWish {
	to := e.pos
	for i := 0; i < c.times() && to < e.lineEnd(e.pos); i++ {
		to = e.next(to)
	}
	e.save(false)
	e.replace(e.pos, to, strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, e.text[e.pos:to]))
	return viNothing
}

// join puts lines behind each other with one blank between.
func (v *vi) join(e *editor, c viCommand) viWish {
	for range max(c.times()-1, 1) {
		end := e.lineEnd(e.pos)
		if end == len(e.text) {
			break
		}
		next := e.lineIndent(end + 1)
		blank := " "
		if next == e.lineEnd(next) || e.text[next] == ')' || end > 0 && (e.text[end-1] == ' ' || e.text[end-1] == '\n') {
			blank = ""
		}
		e.save(false)
		e.replace(end, next, blank)
		e.move(end)
	}
	return viNothing
}

func again(c viCommand, step func()) viWish {
	for range c.times() {
		step()
	}
	return viNothing
}
