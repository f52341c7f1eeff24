package main

import (
	"strings"
	"testing"
)

// TestCleanedInPieces: a character that comes in two writes is no broken one.
func TestCleanedInPieces(t *testing.T) {
	var b strings.Builder
	w := &cleaned{w: &b}
	for _, piece := range []string{"caf\xc3", "\xa9 \x1b", "[31m \xff \xe6\xbc", "\xa2\n"} {
		if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got, want := b.String(), "café \\27[31m \\255 漢\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
