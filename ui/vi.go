package ui

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"almanac/repl/input"
)

// This file holds the vi keys: a command is read from the keys pressed so far and then applied to the editor. Where
// motions go is in vi_motion.go, what changes text in vi_change.go. What an editor cannot do by itself is answered as a
// viWish.

// A vi is the state of vi keys over one editor. The zero vi is off; an input begins in insert mode.
type vi struct {
	on     bool
	normal bool
	// keys are those of a command that is not complete.
	keys []string
	// find is for ; and comma, last for the dot.
	find viFind
	last viCommand
	// lines is what was cut or copied last, when that is whole lines.
	lines string
	// typing is the insertion that goes on in insert mode.
	typing viTyping
	// indent is what a new line below another begins with; nil means nothing.
	indent func(line string) string
}

// A viCommand is one command, complete: 3dw is {count: 3, op: "d", key: "w"}.
type viCommand struct {
	count int    // 0 when none was given
	op    string // of viOperators; empty for a motion or a command alone
	key   string // of viMotions, viCommands, i or a and one of viObjects, or op again for whole lines
	char  string // what f F t T r take
	text  string // what was inserted, for the dot
}

func (c viCommand) times() int { return max(c.count, 1) }

// A viTyping is an insertion: the command that began it, the state before that, and the text when typing began.
type viTyping struct {
	command viCommand
	before  snapshot
	depth   int // of the undo states then
	text    string
	start   int
}

// A viWish is what a command wants of the screen.
type viWish int

const (
	viNothing viWish = iota
	viOlder          // k on the first row, viNewer j on the last
	viNewer
	viSearch   // the search in the history
	viExternal // the external editor
)

// mostTimes bounds counts.
const mostTimes = 999

// viOperators take a motion, a text object, or themselves for whole lines.
var viOperators = map[string]func(v *vi, e *editor, from, to int, lines bool){
	"d": (*vi).remove, "c": (*vi).change, "y": (*vi).yank, ">": (*vi).shiftRight, "<": (*vi).shiftLeft,
}

// viShort are commands that stand for others.
var viShort = map[string]viCommand{
	"x": {op: "d", key: "l"}, "X": {op: "d", key: "h"}, "D": {op: "d", key: "$"}, "C": {op: "c", key: "$"},
	"s": {op: "c", key: "l"}, "S": {op: "c", key: "c"}, "Y": {op: "y", key: "y"},
}

// viCommands is the table of what is neither a motion nor an operator. The dot is not in it: see apply.
var viCommands = map[string]func(v *vi, e *editor, c viCommand) viWish{
	"i": func(v *vi, e *editor, c viCommand) viWish { return v.insert(e, c, e.pos) },
	"a": func(v *vi, e *editor, c viCommand) viWish {
		return v.insert(e, c, min(e.next(e.pos), e.lineEnd(e.pos)))
	},
	"I": func(v *vi, e *editor, c viCommand) viWish { return v.insert(e, c, e.lineIndent(e.pos)) },
	"A": func(v *vi, e *editor, c viCommand) viWish { return v.insert(e, c, e.lineEnd(e.pos)) },
	"o": (*vi).openBelow, "O": (*vi).openAbove,
	"p":      func(v *vi, e *editor, c viCommand) viWish { return v.put(e, c, true) },
	"P":      func(v *vi, e *editor, c viCommand) viWish { return v.put(e, c, false) },
	"r":      (*vi).overwrite,
	"~":      (*vi).turnCase,
	"J":      (*vi).join,
	"u":      func(_ *vi, e *editor, c viCommand) viWish { return again(c, e.undoLast) },
	"ctrl+r": func(_ *vi, e *editor, c viCommand) viWish { return again(c, e.redoLast) },
	"/":      func(*vi, *editor, viCommand) viWish { return viSearch },
	"v":      func(*vi, *editor, viCommand) viWish { return viExternal },
}

// viNames are the keys without text that normal mode takes, and what they stand for.
var viNames = map[string]string{
	"left": "h", "right": "l", "up": "k", "down": "j", "home": "0", "end": "$", "space": "l", "backspace": "h",
	"delete": "x", "ctrl+h": "h", "ctrl+r": "ctrl+r", "ctrl+p": "k", "ctrl+n": "j",
}

// readVi reads a command from keys; more tells that it is not complete, and known is false when it can become none.
func readVi(keys []string) (c viCommand, more, known bool) {
	at := 0
	key := func() string {
		if at < len(keys) {
			at++
			return keys[at-1]
		}
		more = true
		return ""
	}
	count := func() int {
		n := 0
		for at < len(keys) && len(keys[at]) == 1 && keys[at] >= "0" && keys[at] <= "9" && (n > 0 || keys[at] != "0") {
			n = min(n*10+int(keys[at][0]-'0'), mostTimes)
			at++
		}
		return n
	}
	c.count = count()
	c.key = key()
	if _, isOp := viOperators[c.key]; isOp {
		c.op = c.key
		if n := count(); n > 0 {
			c.count = min(c.times()*n, mostTimes)
		}
		c.key = key()
		if c.key == "i" || c.key == "a" {
			object := key()
			c.key += object
			_, known = viObjects[object]
			return c, more, known || more
		}
	}
	switch c.key {
	case "g":
		c.key += key()
	case "f", "F", "t", "T", "r":
		c.char = key()
	}
	_, moves := viMotions[c.key]
	_, does := viCommands[c.key]
	_, short := viShort[c.key]
	known = moves || c.op != "" && c.key == c.op || c.op == "" && (does || short || c.key == ".")
	return c, more, known || more
}

// press takes a key of normal mode. times is how often the wish is meant.
func (v *vi) press(e *editor, key string) (wish viWish, times int) {
	v.keys = append(v.keys, key)
	c, more, known := readVi(v.keys)
	if more {
		return viNothing, 1
	}
	v.keys = nil
	if !known {
		return viNothing, 1
	}
	return v.apply(e, c), c.times()
}

// apply does a command: as one step for undo, and so that the dot can do it again.
func (v *vi) apply(e *editor, c viCommand) viWish {
	if c.key == "." && c.op == "" {
		if v.last.key == "" {
			return viNothing
		}
		count := c.count
		if c = v.last; count > 0 {
			c.count = count
		}
		v.apply(e, c)
		if v.normal {
			return viNothing
		}
		e.insert(c.text)
		return v.escape(e)
	}
	if short, ok := viShort[c.key]; ok && c.op == "" {
		c.op, c.key = short.op, short.key
	}
	if c.op == "" {
		if move, ok := viMotions[c.key]; ok {
			return v.move(e, c, move)
		}
	}
	v.typing = viTyping{command: c, before: snapshot{e.text, e.pos}, depth: len(e.undo)}
	wish := viNothing
	if c.op != "" {
		v.operate(e, c)
	} else {
		wish = viCommands[c.key](v, e, c)
		if c.key == "u" || c.key == "ctrl+r" || wish != viNothing {
			v.clamp(e)
			return wish
		}
	}
	if !v.normal {
		v.typing.text, v.typing.start = e.text, e.pos
		return wish
	}
	if e.text != v.typing.before.text {
		v.last = c
	}
	v.fold(e)
	v.clamp(e)
	return wish
}

// fold makes one undo state of all that were added since the command began.
func (v *vi) fold(e *editor) {
	e.undo = e.undo[:min(v.typing.depth, len(e.undo))]
	if e.text != v.typing.before.text {
		e.undo = append(e.undo, v.typing.before)
	}
	e.typing = false
}

// clamp keeps the cursor on a character: in normal mode it is not behind the last one of a line.
func (v *vi) clamp(e *editor) {
	goal := e.goal
	if v.normal && e.pos == e.lineEnd(e.pos) && e.pos > e.lineStart(e.pos) {
		e.move(e.prev(e.pos))
	}
	e.goal = goal
}

// escape goes from insert to normal mode, and repeats what was typed as often as the command's count says.
func (v *vi) escape(e *editor) viWish {
	if v.normal {
		return viNothing
	}
	t := &v.typing
	head, tail := t.text[:t.start], t.text[t.start:]
	t.command.text = ""
	if len(e.text) >= len(t.text) && strings.HasPrefix(e.text, head) && strings.HasSuffix(e.text, tail) {
		t.command.text = e.text[len(head) : len(e.text)-len(tail)]
	}
	if times := t.command.times(); times > 1 && t.command.op == "" && t.command.text != "" {
		text := t.command.text
		if t.command.key == "o" || t.command.key == "O" {
			text = "\n" + text
		}
		e.insert(strings.Repeat(text, times-1))
	}
	v.last = t.command
	v.fold(e)
	v.normal, v.keys = true, nil
	if e.pos > e.lineStart(e.pos) {
		e.move(e.prev(e.pos))
	}
	return viNothing
}

// begin goes to insert mode in an input that is new.
func (v *vi) begin(e *editor) {
	v.normal, v.keys = false, nil
	v.typing = viTyping{
		command: viCommand{key: "i"}, before: snapshot{e.text, e.pos}, depth: len(e.undo), text: e.text, start: e.pos,
	}
}

// move goes where a motion goes; j and k beyond the text are for the history.
func (v *vi) move(e *editor, c viCommand, motion func(*editor, viWay) (int, viReach)) viWish {
	switch {
	case c.key == "k" && e.onFirstLine():
		return viOlder
	case c.key == "j" && e.onLastLine():
		return viNewer
	case c.key == "j" || c.key == "k":
		by := 1
		if c.key == "k" {
			by = -1
		}
		for range c.times() {
			e.vertical(by)
		}
		v.clamp(e)
		return viNothing
	}
	to, reach := motion(e, v.way(e, c))
	if c.char != "" {
		v.find = viFind{c.key, c.char}
	}
	if reach != viNowhere {
		e.move(to)
	}
	v.clamp(e)
	return viNothing
}

func (v *vi) way(e *editor, c viCommand) viWay {
	return viWay{from: e.pos, count: c.count, char: c.char, last: v.find}
}

// viKey gives a key of the input to vi and reports whether it took it. Esc stops what runs before anything else.
func (m *model) viKey(name, text string) (tea.Cmd, bool) {
	v, e := &m.vi, &m.edit
	running := m.work != nil && !m.work.stopped
	if !v.on || name == "esc" && running {
		return nil, false
	}
	if !v.normal {
		// Esc and a key that comes at once read as Alt and that key.
		held, alt := strings.CutPrefix(name, "alt+")
		if name != "esc" && (!alt || utf8.RuneCountInString(held) != 1 && held != "enter") {
			return nil, false
		}
		if v.escape(e); !alt {
			return nil, true
		}
		if name, text = held, held; held == "enter" {
			text = ""
		}
	}
	key := text
	awaits := len(v.keys) > 0 && strings.Contains("fFtTr", v.keys[len(v.keys)-1])
	if to, ok := viNames[name]; ok && !awaits {
		key = to
	}
	switch {
	case name == "esc" && len(v.keys) > 0:
		v.keys = nil
		return nil, true
	case (name == "enter" || name == "kpenter") && slices.Equal(v.keys, []string{"r"}):
		key = "enter"
	case name == "enter" || name == "kpenter":
		v.keys = nil
		return m.enter(), true
	case text == "?" && e.text == "" && len(v.keys) == 0, key == "":
		v.keys = nil
		return nil, false
	}
	v.clamp(e)
	wish, times := v.press(e, key)
	switch wish {
	case viSearch:
		m.openSearch()
	case viExternal:
		return m.openEditor(), true
	case viOlder, viNewer:
		for range times {
			if wish == viOlder {
				m.up()
			} else {
				m.down()
			}
			e.move(e.lineStart(e.pos))
		}
	}
	return nil, true
}

// newVi is vi for the input of m.
func newVi(m *model, on bool) vi {
	return vi{on: on, typing: viTyping{command: viCommand{key: "i"}}, indent: func(line string) string {
		if !m.isLua() {
			return ""
		}
		return input.Indent(line)
	}}
}

// viWord says in one word what keys do, with those of a command that is not complete; empty when vi is off.
func (m *model) viWord() string {
	switch {
	case !m.vi.on:
		return ""
	case m.vi.normal:
		return strings.TrimSpace("normal " + strings.Join(m.vi.keys, ""))
	}
	return "insert"
}
