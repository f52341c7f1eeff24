package source

// This file finds a source by the name that a person uses.

import (
	"fmt"
	"slices"
	"strings"
)

func (l *Loader) named(name string) (*loading, error) {
	var names []string
	var told []*loading
	l.mu.Lock()
	for _, s := range l.sources {
		if !s.silent() || s.Name == name {
			names, told = append(names, s.Name), append(told, s)
		}
	}
	l.mu.Unlock()
	i, err := Find(names, name)
	if err != nil {
		return nil, err
	}
	return told[i], nil
}

// Find returns which of the names of sources a person means: the whole name, what stands in front of its =, or else the
// only one that begins so. No other is an *unknownError.
func Find(names []string, name string) (int, error) {
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	if i := slices.IndexFunc(names, func(full string) bool { as, _ := Split(full); return as != "" && as == name }); i >=
		0 {
		return i, nil
	}
	found := -1
	for i, full := range names {
		_, rest := Split(full)
		if name == "" || !strings.HasPrefix(full, name) && !strings.HasPrefix(rest, name) {
			continue
		}
		if found >= 0 {
			return 0, &unknownError{Name: name, Known: names, Several: true}
		}
		found = i
	}
	if found < 0 {
		return 0, &unknownError{Name: name, Known: names}
	}
	return found, nil
}

// An unknownError says that no source has the name, or that several might be meant.
type unknownError struct {
	Name  string
	Known []string
	// Several tells that more than one of Known begins with Name.
	Several bool
}

func (e *unknownError) Error() string {
	if e.Several {
		return fmt.Sprintf("source %q: ambiguous among %q", e.Name, e.Known)
	}
	return fmt.Sprintf("source %q: not found among %q", e.Name, e.Known)
}
