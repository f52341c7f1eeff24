package main

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLines holds all lines of Go to 120 columns, a tab being one. A line may be longer for one string that is not
// split: SQL, JSON, a golden text, a sentence. Such a string has more than 60 columns, and the rest of its line at most
// 60, not counting the blanks that align it.
func TestLines(t *testing.T) {
	const columns, longString, rest = 120, 60, 60
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, "../../"))
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		longest := longestStrings(source)
		for i, line := range strings.Split(string(source), "\n") {
			words := utf8.RuneCountInString(strings.Join(strings.Fields(line), " "))
			exempt := longest[i+1] > longString && words-longest[i+1] <= rest
			if n := utf8.RuneCountInString(line); n > columns && !exempt {
				t.Errorf("%s:%d: %d columns, want at most %d", name, i+1, n, columns)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// longestStrings are the columns of the longest string, or part of a raw string, in each line that has one.
func longestStrings(source []byte) map[int]int {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	longest := map[int]int{}
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			return longest
		}
		if kind == token.STRING {
			for i, part := range strings.Split(text, "\n") {
				line := file.Line(at) + i
				longest[line] = max(longest[line], utf8.RuneCountInString(part))
			}
		}
	}
}
