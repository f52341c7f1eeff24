package vm

import (
	"regexp"
	"sync"
)

// An expression is a regular expression that is compiled when it is first used: a kernel process starts for every run
// of its own, and most runs have no error to explain.
type expression func() *regexp.Regexp

func lazily(text string) expression {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// FindStringSubmatch is the regexp's.
func (e expression) FindStringSubmatch(s string) []string { return e().FindStringSubmatch(s) }

// MatchString is the regexp's.
func (e expression) MatchString(s string) bool { return e().MatchString(s) }
