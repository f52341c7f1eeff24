package manifest

// This file scans SQL for what must be known: the parameters of a statement, whether it is a single one, and its words
// outside of strings and comments.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
)

// A statement is a scanned SQL text.
type statement struct {
	params []string // without the colon, in the order of their first use
	words  []string // lower case
}

// parseStatement reads one statement. Parameters must be :name, since ? and $1 do not name an argument.
func parseStatement(text string) (statement, error) {
	var s statement
	for i := 0; i < len(text); {
		n, err := s.token(text[i:])
		if err != nil {
			return statement{}, err
		}
		if text[i] == ';' && !blank(text[i+1:]) {
			return statement{}, errors.New("want one statement, got several")
		}
		i += n
	}
	if len(s.words) == 0 {
		return statement{}, errors.New("the statement is empty")
	}
	return s, nil
}

// Statements are known by their first word. ATTACH, VACUUM and PRAGMA can reach files other than the one the manifest
// names, even over a read-only connection.
var (
	readingWords  = []string{"select", "values", "with", "explain"}
	changingWords = []string{"insert", "replace", "update", "delete", "create", "drop", "alter", "reindex", "analyze"}
)

// check refuses statements other than queries and changes of data.
func (s statement) check() error {
	if first := s.words[0]; !slices.Contains(readingWords, first) && !slices.Contains(changingWords, first) {
		return fmt.Errorf("%s is not allowed: a statement begins with %s or %s", clip(first),
			strings.Join(readingWords, ", "), strings.Join(changingWords, ", "))
	}
	return nil
}

// effect is the operation and risk of a mutating statement.
func (s statement) effect() (catalog.Operation, catalog.Risk) {
	verb := s.words[0]
	if verb == "with" {
		// The statement itself comes after a WITH; a word that is also a name counts as the riskier one.
		for _, other := range []string{"delete", "update", "replace", "insert"} {
			if slices.Contains(s.words, other) {
				verb = other
				break
			}
		}
	}
	switch verb {
	case "delete", "drop":
		return catalog.Delete, catalog.High
	case "insert", "create":
		return catalog.Create, catalog.Medium
	case "alter":
		if slices.Contains(s.words, "drop") {
			return catalog.Update, catalog.High
		}
	}
	return catalog.Update, catalog.Medium
}

// token reads one token and returns its length.
func (s *statement) token(rest string) (int, error) {
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "--"):
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			return end + 1, nil
		}
		return len(rest), nil
	case strings.HasPrefix(rest, "/*"):
		if end := strings.Index(rest[2:], "*/"); end >= 0 {
			return end + 4, nil
		}
		return len(rest), nil
	case c == '\'' || c == '"' || c == '`':
		return quoted(rest, c)
	case c == '[':
		return quoted(rest, ']')
	case c == ':':
		n := nameLength(rest[1:])
		if n == 0 {
			return 0, errors.New("a : must be followed by the name of an argument")
		}
		if name := rest[1 : 1+n]; !slices.Contains(s.params, name) {
			s.params = append(s.params, name)
		}
		return 1 + n, nil
	case c == '?' || c == '@' || c == '$':
		return 0, fmt.Errorf("%c is not a parameter: write :name", c)
	case c == 0:
		return 0, errors.New("zero byte")
	}
	if n := nameLength(rest); n > 0 {
		s.words = append(s.words, strings.ToLower(rest[:n]))
		return n, nil
	}
	return 1, nil
}

// quoted is the length of a quoted text, in which a doubled quote is a literal one.
func quoted(rest string, quote byte) (int, error) {
	for i := 1; i < len(rest); i++ {
		if rest[i] != quote {
			continue
		}
		if quote != ']' && i+1 < len(rest) && rest[i+1] == quote {
			i++
			continue
		}
		return i + 1, nil
	}
	return 0, fmt.Errorf("the text that begins with %s does not end", clip(rest[:min(len(rest), 20)]))
}

func nameLength(s string) int {
	return len(s) - len(strings.TrimLeftFunc(s, func(r rune) bool {
		return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r >= 0x80
	}))
}

// blank reports whether the rest is only space and comments.
func blank(rest string) bool {
	for {
		rest = strings.TrimLeft(rest, " \t\r\n;")
		switch {
		case rest == "":
			return true
		case strings.HasPrefix(rest, "--"):
			_, rest, _ = strings.Cut(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			_, rest, _ = strings.Cut(rest[2:], "*/")
		default:
			return false
		}
	}
}

// rows reports whether the statement returns rows.
func (s statement) rows() bool {
	switch s.words[0] {
	case "select", "values", "explain":
		return true
	case "with":
		return !slices.ContainsFunc(s.words, func(w string) bool {
			return w == "insert" || w == "update" || w == "delete" ||
				w == "replace"
		}) ||
			slices.Contains(s.words, "returning")
	}
	return slices.Contains(s.words, "returning")
}
