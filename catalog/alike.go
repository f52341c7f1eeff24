package catalog

// This file finds interchangeable hits: the same operation of another vendor, or in another version.

import (
	"strings"
	"unicode"
)

// isVersion reports whether a folded name or a part of an id is a version and nothing else: "v2", "2_0", "v1beta1".
func isVersion(name string) bool {
	rest := strings.TrimPrefix(strings.ToLower(name), "v")
	if rest == "" || !unicode.IsDigit(rune(rest[0])) {
		return false
	}
	for _, word := range []string{"beta", "alpha", "preview", "rc"} {
		rest = strings.ReplaceAll(rest, word, "")
	}
	return !strings.ContainsFunc(rest, unicode.IsLetter)
}
