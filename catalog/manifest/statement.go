package manifest

// This file reads SQL as far as it must be known: which parameters a statement has, whether it is one statement, and
// which words it has outside of texts and comments.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
)

// A statement is what is known of an SQL text.
type statement struct {
	params []string // without the colon, in the order of their first use
	words  []string // lower case
}

// parseStatement reads one statement. Parameters are :name and nothing else: a ? or a $1 has no argument to stand for.
func parseStatement(text string) (statement, error) {
	var s statement
	for i := 0; i < len(text); {
		n, err := s.token(text[i:])
		if err != nil {
			return statement{}, err
		}
		if text[i] == ';' && !blank(text[i+1:]) {
			return statement{}, errors.New("there is more than one statement: an action has one")
		}
		i += n
	}
	if len(s.words) == 0 {
		return statement{}, errors.New("there is no statement")
	}
	return s, nil
}

// Statements are known by their first word. What attaches, vacuums or sets reaches other files than the one that the
// manifest names, whatever the connection may do in its own.
var (
	readingWords  = []string{"select", "values", "with", "explain"}
	changingWords = []string{"insert", "replace", "update", "delete", "create", "drop", "alter", "reindex", "analyze"}
)

// check refuses statements that are no queries and no changes of data.
func (s statement) check() error {
	if first := s.words[0]; !slices.Contains(readingWords, first) && !slices.Contains(changingWords, first) {
		return fmt.Errorf("%s is not allowed here: a statement begins with %s or %s", clip(first), strings.Join(readingWords, ", "), strings.Join(changingWords, ", "))
	}
	return nil
}

// effect is what a statement that mutates does to its data, and at what risk.
func (s statement) effect() (catalog.Operation, catalog.Risk) {
	verb := s.words[0]
	if verb == "with" {
		// The statement itself comes after what it names; a word that is a name as well counts as the worse.
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

// token takes one token and returns its length.
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
			return 0, errors.New("a : needs the name of an argument behind it")
		}
		if name := rest[1 : 1+n]; !slices.Contains(s.params, name) {
			s.params = append(s.params, name)
		}
		return 1 + n, nil
	case c == '?' || c == '@' || c == '$':
		return 0, fmt.Errorf("%c is no parameter here: write :name", c)
	case c == 0:
		return 0, errors.New("it has a zero byte")
	}
	if n := nameLength(rest); n > 0 {
		s.words = append(s.words, strings.ToLower(rest[:n]))
		return n, nil
	}
	return 1, nil
}

// quoted is the length of a text in quotes, in which the quote stands twice for itself.
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

// blank reports whether nothing is left but space and comments.
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

// rows reports whether the statement answers with rows.
func (s statement) rows() bool {
	switch s.words[0] {
	case "select", "values", "explain":
		return true
	case "with":
		return !slices.ContainsFunc(s.words, func(w string) bool { return w == "insert" || w == "update" || w == "delete" || w == "replace" }) ||
			slices.Contains(s.words, "returning")
	}
	return slices.Contains(s.words, "returning")
}
