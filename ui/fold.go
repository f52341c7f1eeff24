package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// This file holds long pastes, which the input shows as one sign. In the text of the editor such a paste is one letter
// of Unicode's private use that nobody can type or paste (see cleanPaste): undo, cutting and the history bring it back
// with what it stands for, and the words of the sign, typed by hand, are nothing but words.

// foldLines is how many lines a paste may have and still be shown whole.
const foldLines = 12

// The letters that stand for pastes.
const (
	firstFold rune = 0x10f000
	lastFold  rune = 0x10fffd
)

func isFold(r rune) bool { return r >= firstFold && r <= lastFold }

// folds are the pastes of a screen. A nil *folds has none.
type folds struct{ texts []string }

// fold returns what the input holds for a pasted text: the text itself, or a letter that stands for it.
func (f *folds) fold(text string) string {
	r := firstFold + rune(len(f.texts))
	if pastedLines(text) <= foldLines || !isFold(r) {
		return text
	}
	f.texts = append(f.texts, text)
	return string(r)
}

func pastedLines(text string) int { return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1 }

// open returns s with the pastes in it whole.
func (f *folds) open(s string) string { return f.each(s, func(i int) string { return f.texts[i] }) }

// show returns s as it is drawn: pastes as signs, tabs as blanks.
func (f *folds) show(s string) string {
	return untab(f.each(s, func(i int) string {
		return fmt.Sprintf("[pasted %d lines #%d]", pastedLines(f.texts[i]), i+1)
	}))
}

// each replaces the letters of pastes.
func (f *folds) each(s string, by func(i int) string) string {
	if f == nil || !strings.ContainsFunc(s, isFold) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if isFold(r) && int(r-firstFold) < len(f.texts) {
			b.WriteString(by(int(r - firstFold)))
		} else {
			b.WriteString(s[i : i+utf8.RuneLen(r)])
		}
	}
	return b.String()
}
