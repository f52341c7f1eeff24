package catalog

import (
	"maps"
	"slices"
	"strings"
)

// The names by which actions take the size of a page and where it begins, first come first served.
var (
	sizeNames   = [...]string{"limit", "per_page", "page_size", "perPage", "pageSize", "max_results", "maxResults"}
	offsetNames = [...]string{"offset", "skip", "startAt", "start_at"}
	pageNames   = [...]string{"page", "page_number", "pageNumber"}
)

// NextPage is what a result says of its next page or, where the action leaves that to its callers, what its arguments
// tell: next holds the arguments for it. more is true where the page is as long as it may be, or the result says that
// there is another. Without more, next is a try: nothing tells how long a page may be, and it may be empty or the same
// again. Where there may be another page and no argument turns to it, next is nil and more is true. args are checked
// arguments.
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

// turned is the arguments for the page after one with so many rows; nil where none turns pages.
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

// rowsOf is the list that data is, or the only one among its fields.
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
