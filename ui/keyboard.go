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
//	not marked                 text that goes on behind an Enter in one read, or faster than anyone types
//	marked, the end was lost   it ends when nothing came for pasteTime
const (
	// burstTime is how fast keys follow each other in a paste: nobody types the key after Enter within it.
	burstTime = 30 * time.Millisecond
	// pasteTime is how long a marked paste may stand still before it is at its end.
	pasteTime = time.Second
	// behindTime is how soon behind the end mark comes what belongs to the paste: one write of the terminal.
	behindTime = 3 * time.Millisecond
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

// marksRoom is how much longer than what was read the result may be: two marks, and what was kept.
const marksRoom = len(ansi.BracketedPasteStart) + 2*len(ansi.BracketedPasteEnd) + utf8.UTFMax

// Read reads what the terminal has. Within a paste it waits for what follows, and ends the paste if nothing does.
func (k *keyboard) Read(b []byte) (int, error) {
	if len(b) <= 2*marksRoom {
		return k.read(b)
	}
	in := make([]byte, len(b)-marksRoom)
	n, err := k.read(in)
	for !k.pasting && err == nil && k.mayGoOn(in[:n]) && n < len(in) && k.more(burstTime) {
		var more int
		more, err = k.read(in[n:])
		n += more
	}
	out := k.take(make([]byte, 0, len(b)), in[:n])
	if k.pasting && (err != nil || !k.more(k.quiet())) {
		out = k.close(out)
	}
	return copy(b, out), err
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
	if !k.pasting {
		typed, rest := in, []byte(nil)
		if at := k.startMark(in); at >= 0 {
			typed, rest = in[:at], in[at:]
			k.marked, k.ended = true, false
		}
		if out = k.typed(out, typed); k.pasting { // typing that turns out to be a paste
			k.marked = false
		}
		if rest == nil {
			return out
		}
		k.pasting, in = true, rest
	}
	return k.pasted(out, in)
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

// typed adds keys to out, and begins a paste where they are too fast for keys.
func (k *keyboard) typed(out, b []byte) []byte {
	fresh := k.now().Sub(k.letter) < burstTime
	k.letter = time.Time{}
	// An Enter that comes first, some time after the last text, was typed, also where a busy program reads it late.
	for len(b) > 0 && isBreak(b[0]) && !fresh {
		out, b = append(out, b[0]), b[1:]
	}
	if len(b) > 0 && isText(b[len(b)-1]) {
		k.letter = k.now()
	}
	// A paste begins with the text in front of the first line's end, behind the last key that is not text.
	brk := bytes.IndexFunc(b, func(r rune) bool { return r == '\r' || r == '\n' })
	from := 0
	if brk < 0 {
		brk = len(b)
	}
	for i, c := range b[:brk] {
		switch {
		case c == ansi.ESC:
			from = brk
		case !isText(c) && from < brk:
			from = i + 1
		}
	}
	if brk < len(b) && goesOn(b[brk+1:]) {
		out = append(out, b[:from]...)
		out = append(out, ansi.BracketedPasteStart...)
		k.pasting = true
		return k.pasted(out, b[from:])
	}
	if brk-from < longText || !utf8.Valid(b[from:brk]) {
		return append(out, b...)
	}
	out = append(out, b[:from]...)
	out = append(out, ansi.BracketedPasteStart...)
	out = append(out, b[from:brk]...)
	out = append(out, ansi.BracketedPasteEnd...)
	return append(out, b[brk:]...)
}

// pasted adds the text of a paste to out, without the marks in it.
func (k *keyboard) pasted(out, b []byte) []byte {
	if len(k.kept) > 0 {
		b = append(k.kept, b...)
		k.kept = nil
	}
	for len(b) > 0 {
		if b[0] == ansi.ESC {
			n, whole := markAt(b)
			if !whole {
				k.kept = bytes.Clone(b)
				return out
			}
			if n == 0 { // an escape sequence of another kind: no more than its letters
				n = 1
			} else if string(b[:n]) == ansi.BracketedPasteEnd {
				k.ended = true
			}
			b = b[n:]
			continue
		}
		if !utf8.FullRune(b) {
			k.kept = bytes.Clone(b)
			return out
		}
		r, n := utf8.DecodeRune(b)
		if r != utf8.RuneError && (r >= ' ' && r != 0x7f || r == '\t' || isBreak(b[0])) {
			out = append(out, b[:n]...)
		}
		b = b[n:]
	}
	return out
}

// close ends the paste.
func (k *keyboard) close(out []byte) []byte {
	k.pasting, k.marked, k.ended, k.kept = false, false, false, nil
	return append(out, ansi.BracketedPasteEnd...)
}

// markAt returns the length of the paste mark that b begins with, 0 for none; whole is false when b may be the beginning
// of one.
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

// goesOn tells whether b has text or an Enter, and not keys of other kinds alone.
func goesOn(b []byte) bool {
	for len(b) > 0 {
		switch c := b[0]; {
		case c == ansi.ESC:
			_, _, n, _ := ansi.DecodeSequence(b, ansi.NormalState, nil)
			if len(b) > 2 && b[1] == 'O' {
				n = 3 // a function key
			}
			b = b[max(n, 1):]
			continue
		case isText(c) || isBreak(c):
			return true
		}
		b = b[1:]
	}
	return false
}

func isBreak(c byte) bool { return c == '\r' || c == '\n' }

func isText(c byte) bool { return c >= ' ' && c != 0x7f || c == '\t' }
