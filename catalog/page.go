package catalog

import (
	"maps"
	"slices"
	"strings"
)

// The names of arguments for the size of a page and where it begins; the first one present counts.
var (
	sizeNames   = [...]string{"limit", "per_page", "page_size", "perPage", "pageSize", "max_results", "maxResults"}
	offsetNames = [...]string{"offset", "skip", "startAt", "start_at"}
	pageNames   = [...]string{"page", "page_number", "pageNumber"}
)

// NextPage returns the arguments for the next page, from the result if it says, else guessed from the call's arguments.
// more is true if the page is full, or the result says that there is another. next without more is a guess: the page
// size is unknown, and the next page may be empty or the same again. more without next means that there may be another
// page but no known argument to ask for it. args are checked arguments.
func (e *Entry) NextPage(args map[string]any, r Result) (next map[string]any, more bool) {
	if r.Next != nil || e.Paged || e.Mutates {
		return r.Next, (r.Next != nil) != r.Unsure
	}
	size, _ := first(args, sizeNames[:])
	rows := int64(len(rowsOf(r.Data)))
	if size > 0 && rows < size || rows == 0 {
		return nil, false
	}
	return e.turned(args, rows), size > 0
}

// turned is the arguments for the page after one with this many rows; nil if no argument selects a page.
func (e *Entry) turned(args map[string]any, rows int64) map[string]any {
	if at, name := first(args, offsetNames[:]); name != "" {
		return map[string]any{name: at + rows}
	}
	if at, name := first(args, pageNames[:]); name != "" {
		return map[string]any{name: at + 1}
	}
	for _, f := range e.Input.Fields() {
		if strings.TrimSuffix(f.Type, "?") != "int" {
			continue
		}
		if slices.Contains(offsetNames[:], f.Name) {
			return map[string]any{f.Name: rows}
		}
		if slices.Contains(pageNames[:], f.Name) {
			return map[string]any{f.Name: int64(2)}
		}
	}
	return nil
}

// first is the first whole number among the named arguments, and its name.
func first(args map[string]any, names []string) (int64, string) {
	for _, name := range names {
		if n, ok := args[name].(int64); ok {
			return n, name
		}
	}
	return 0, ""
}

// rowsOf is data itself if it is a list, else the only list among its fields.
func rowsOf(data any) []any {
	switch data := data.(type) {
	case []any:
		return data
	case map[string]any:
		var found []any
		for _, name := range slices.Sorted(maps.Keys(data)) {
			if list, ok := data[name].([]any); ok {
				if found != nil {
					return nil
				}
				found = list
			}
		}
		return found
	}
	return nil
}
