package main

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLines holds lines of code to 120 columns, a tab being one, in the folders that have been brought below it. A line
// may be longer for one long string that cannot be split: SQL, JSON, a list of words.
func TestLines(t *testing.T) {
	const columns, longString = 120, 60
	var files []string
	for _, pattern := range []string{"catalog/*.go", "catalog/[^d]*/*.go", "catalog/search/*/*.go",
		"catalog/search/lexicon/*/*.go", "session/kernel/*.go", "session/syntax/*.go", "session/vm/*.go"} {
		found, err := filepath.Glob("../../" + pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no files: %v", pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		strung := longStrings(source, longString)
		for i, line := range strings.Split(string(source), "\n") {
			if n := utf8.RuneCountInString(line); n > columns && !strung[i+1] {
				t.Errorf("%s:%d: %d columns, want at most %d", strings.TrimPrefix(file, "../../"), i+1, n, columns)
			}
		}
	}
}

// longStrings are the lines with a string literal of more than n bytes, or a part of one of several lines.
func longStrings(source []byte, n int) map[int]bool {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	lines := map[int]bool{}
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind == token.STRING && len(text) > n {
			for i := range strings.Count(text, "\n") + 1 {
				lines[file.Line(at)+i] = true
			}
		}
	}
}
