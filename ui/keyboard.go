package ui

import (
	"bytes"
	"os"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// This file reads the terminal and tells a paste from typing, where the bytes arrive. Everything behind it sees a paste
// as one, between its marks, with nothing in it that could be taken for keys:
//
//	marked by the terminal     what follows the end mark at once belongs to it: a text may hold that mark itself
//	not marked                 text that goes on behind an Enter in one read, or faster than anyone types, up to a key
//	                           that is no text: who presses one types
//	marked, the end was lost   it ends when nothing came for pasteTime
const (
	// burstTime is how fast keys follow each other in a paste: nobody types the key after Enter within it.
	burstTime = 30 * time.Millisecond
	// pasteTime is how long a marked paste may stand still before it is at its end.
	pasteTime = time.Second
	// behindTime is how soon behind the end mark comes what belongs to the paste: one write of the terminal.
	behindTime = 3 * time.Millisecond
)

// What the terminal tells of the focus of its window.
const (
	focusIn  = "\x1b[I"
	focusOut = "\x1b[O"
)

// longText is how many bytes of text in one read are put in at once, as a paste is: key by key they would be slow.
const longText = 128

// A keyboard reads a terminal. The bytes that it returns are those of the terminal but for pastes, which come between
// the marks of bracketed paste and without control characters. Not for concurrent use.
type keyboard struct {
	*os.File
	read func(p []byte) (int, error)
	// more waits until there is more to read, for at most d.
	more func(d time.Duration) bool
	now  func() time.Time

	// pasting is true within a paste, marked where the terminal marked it, ended once its end mark came.
	pasting, marked, ended bool
	// kept is the beginning of a mark or a letter that the last read within a paste ended with; begun is that of a start
	// mark outside of one, which was passed on.
	kept  []byte
	begun int
	// letter is when the last read ended with text outside of a paste; zero when it did not.
	letter time.Time
}

// The result may be longer than what was read: marksRoom bytes for two marks and what was kept, after five bytes for
// each that was read, as two marks may be put around two letters of three.
const (
	marksRoom = len(ansi.BracketedPasteStart) + 2*len(ansi.BracketedPasteEnd) + utf8.UTFMax
	growth    = 5
)

// Read reads what the terminal has. Within a paste it waits for what follows, and ends the paste if nothing does.
func (k *keyboard) Read(b []byte) (int, error) {
	if len(b) <= 2*marksRoom {
		return k.read(b)
	}
	in := make([]byte, (len(b)-marksRoom)/growth)
	n, err := k.read(in)
	for err == nil && n < len(in) {
		if wait := k.patience(in[:n]); wait == 0 || !k.more(wait) {
			break
		}
		var more int
		more, err = k.read(in[n:])
		n += more
	}
	answer, in := cutAnswer(in[:n])
	out := k.take(append(make([]byte, 0, len(b)), answer...), in)
	if k.pasting && (err != nil || !k.more(k.quiet())) {
		out = k.close(out)
	}
	return copy(b, out), err
}

// patience is how long to wait for more before in is looked at.
func (k *keyboard) patience(in []byte) time.Duration {
	answer, rest := cutAnswer(in)
	switch {
	case answer == nil && bytes.Contains(in[max(len(in)-answerRoom, 0):], []byte(answerStart)):
		return pasteTime
	case !k.pasting && k.mayGoOn(rest):
		return burstTime
	}
	return 0
}

// answerStart is what the answer begins with in which the terminal tells its background, answerRoom its length at most.
const (
	answerStart = "\x1b]11;"
	answerRoom  = 48
)

// cutAnswer takes that answer out of in. It comes at any time: between keys that were typed ahead, and within a paste.
func cutAnswer(in []byte) (answer, rest []byte) {
	from := bytes.Index(in, []byte(answerStart))
	if from < 0 {
		return nil, in
	}
	end := in[from:min(from+answerRoom, len(in))]
	n := bytes.IndexByte(end, '\a') + 1
	if st := bytes.Index(end, []byte("\x1b\\")); n == 0 && st >= 0 {
		n = st + len("\x1b\\")
	}
	if n == 0 {
		return nil, in
	}
	return bytes.Clone(end[:n]), append(bytes.Clone(in[:from]), in[from+n:]...)
}

// mayGoOn tells whether in ends with an Enter that may be the first of a paste's lines.
func (k *keyboard) mayGoOn(in []byte) bool {
	n := len(in)
	if n == 0 || !isBreak(in[n-1]) {
		return false
	}
	return n > 1 && isText(in[n-2]) || n == 1 && k.now().Sub(k.letter) < burstTime
}

// quiet is how long nothing must come for the paste to be at its end.
func (k *keyboard) quiet() time.Duration {
	switch {
	case !k.marked:
		return burstTime
	case k.ended:
		return behindTime
	}
	return pasteTime
}

// take adds to out what becomes of in.
func (k *keyboard) take(out, in []byte) []byte {
	for len(in) > 0 {
		if k.pasting {
			out, in = k.pasted(out, in)
			continue
		}
		typed, marked := in, false
		if at := k.startMark(in); at >= 0 {
			typed, marked = in[:at], true
		}
		var left []byte
		out, left = k.typed(out, typed)
		in = in[len(typed)-len(left):]
		switch {
		case len(left) > 0:
			out = append(out, ansi.BracketedPasteStart...)
			k.pasting, k.begun = true, 0
		case marked:
			k.pasting, k.marked, k.ended = true, true, false
		}
	}
	return out
}

// startMark returns where the first start mark in b ends, -1 when there is none. The mark may have begun in an earlier
// read.
func (k *keyboard) startMark(b []byte) int {
	for i, c := range b {
		switch c {
		case ansi.BracketedPasteStart[k.begun]:
			k.begun++
		case ansi.BracketedPasteStart[0]:
			k.begun = 1
		default:
			k.begun = 0
		}
		if k.begun == len(ansi.BracketedPasteStart) {
			k.begun = 0
			return i + 1
		}
	}
	return -1
}

// typed adds keys to out, and returns what begins a paste because it is too fast for keys.
func (k *keyboard) typed(out, b []byte) (keys, paste []byte) {
	fresh := k.now().Sub(k.letter) < burstTime
	k.letter = time.Time{}
	// An Enter that comes first, some time after the last text, was typed, also where a busy program reads it late.
	for len(b) > 0 && isBreak(b[0]) && !fresh {
		out, b = append(out, b[0]), b[1:]
	}
	if len(b) > 0 && isText(b[len(b)-1]) {
		k.letter = k.now()
	}
	for len(b) > 0 {
		// One line and its Enters, which are keys unless text is behind them.
		brk := bytes.IndexAny(b, "\r\n")
		if brk < 0 {
			brk = len(b)
		}
		next := len(b) - len(bytes.TrimLeft(b[brk:], "\r\n"))
		from := textAtEnd(b[:brk])
		if goesOn(b[brk:next], b[next:]) {
			return append(out, b[:from]...), b[from:]
		}
		if text := b[from:brk]; len(text) >= longText && utf8.Valid(text) {
			out = append(out, b[:from]...)
			out = append(out, ansi.BracketedPasteStart...)
			out = append(out, text...)
			out = append(out, ansi.BracketedPasteEnd...)
			out = append(out, b[brk:next]...)
		} else {
			out = append(out, b[:next]...)
		}
		b = b[next:]
	}
	return out, nil
}

// textAtEnd returns where the text begins that line ends with: behind the last key that is not text. How long an escape
// sequence is nobody knows here, and behind one no text is certain.
func textAtEnd(line []byte) int {
	if bytes.IndexByte(line, ansi.ESC) >= 0 {
		return len(line)
	}
	from := bytes.LastIndexFunc(line, isControl) + 1
	for from < len(line) && !utf8.RuneStart(line[from]) { // the end of a letter that an earlier read began with
		from++
	}
	return from
}

// pasted adds the text of a paste to out, without the marks in it. It returns what is behind the paste where a key ends
// it, as in one that the terminal did not mark.
func (k *keyboard) pasted(out, b []byte) (text, rest []byte) {
	if len(k.kept) > 0 {
		b = append(k.kept, b...)
		k.kept = nil
	}
	for len(b) > 0 {
		if b[0] == ansi.ESC {
			n, whole := markAt(b)
			switch {
			case !whole:
				k.kept = bytes.Clone(b)
				return out, nil
			case n == 0 && !k.marked:
				return k.close(out), b
			case n == 0 && (isFocus(b)):
				n = len(focusIn) // it came between two writes of the paste
			case n == 0: // an escape sequence of another kind: no more than its letters
				n = 1
			case string(b[:n]) == ansi.BracketedPasteEnd:
				k.ended = true
			case !k.marked: // a paste right behind text that was sent as fast
				k.marked, k.ended = true, false
			}
			b = b[n:]
			continue
		}
		if !utf8.FullRune(b) {
			k.kept = bytes.Clone(b)
			return out, nil
		}
		r, n := utf8.DecodeRune(b)
		switch {
		case isControl(r) && !k.marked:
			return k.close(out), b
		case r != utf8.RuneError && !isControl(r):
			out = append(out, b[:n]...)
		}
		b = b[n:]
	}
	return out, nil
}

// close ends the paste. Behind one that the terminal did not mark, what may be the beginning of a mark is a key.
func (k *keyboard) close(out []byte) []byte {
	out = append(out, ansi.BracketedPasteEnd...)
	if !k.marked && len(k.kept) > 0 && k.kept[0] == ansi.ESC {
		k.startMark(k.kept)
		out = append(out, k.kept...)
	}
	k.pasting, k.marked, k.ended, k.kept = false, false, false, nil
	return out
}

// markAt returns the length of the paste mark that b begins with, 0 for none; whole is false when b may be the
// beginning of one.
func markAt(b []byte) (n int, whole bool) {
	for _, mark := range []string{ansi.BracketedPasteStart, ansi.BracketedPasteEnd} {
		if bytes.HasPrefix(b, []byte(mark)) {
			return len(mark), true
		}
		if len(b) < len(mark) && mark[:len(b)] == string(b) {
			return 0, false
		}
	}
	return 0, true
}

// isFocus tells whether b begins with what the terminal tells of the focus.
func isFocus(b []byte) bool {
	return bytes.HasPrefix(b, []byte(focusIn)) || bytes.HasPrefix(b, []byte(focusOut))
}

// goesOn tells whether a paste goes on behind the Enters of a line: with text, or with more than one of them and
// nothing.
func goesOn(enters, next []byte) bool {
	if len(next) > 0 {
		return len(enters) > 0 && isText(next[0])
	}
	return len(enters) > 1
}

func isBreak(c byte) bool { return c == '\r' || c == '\n' }

func isText(c byte) bool { return c >= ' ' && c != 0x7f || c == '\t' }

// isControl tells whether r is a control character that no text has.
func isControl(r rune) bool { return r < ' ' && r != '\t' && r != '\r' && r != '\n' || r == 0x7f }
