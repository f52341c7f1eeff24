package catalog

import (
	"maps"
	"slices"
)

// The names by which actions take the size of a page and where it begins, first come first served.
var (
	sizeNames   = [...]string{"limit", "per_page", "page_size", "perPage", "pageSize", "max_results", "maxResults"}
	offsetNames = [...]string{"offset", "skip", "startAt", "start_at"}
	pageNames   = [...]string{"page", "page_number", "pageNumber"}
)

// NextPage is what a result says of its next page or, where the action leaves that to its callers, what its arguments
// tell: the page is as long as it may be, so there may be another, and next holds the arguments for it. Where such a
// page is full and no argument turns pages, next is nil and full is true. args are checked arguments.
func (e *Entry) NextPage(args map[string]any, r Result) (next map[string]any, full bool) {
	if r.Next != nil || e.Paged || e.Mutates {
		return r.Next, r.Next != nil
	}
	size, _ := first(args, sizeNames[:])
	rows := rowsOf(r.Data)
	if size <= 0 || int64(len(rows)) < size {
		return nil, false
	}
	if at, name := first(args, offsetNames[:]); name != "" {
		return map[string]any{name: at + int64(len(rows))}, true
	}
	if at, name := first(args, pageNames[:]); name != "" {
		return map[string]any{name: at + 1}, true
	}
	_, fields := e.Input.fields()
	for _, f := range fields {
		if slices.Contains(offsetNames[:], f.name) {
			return map[string]any{f.name: int64(len(rows))}, true
		}
		if slices.Contains(pageNames[:], f.name) {
			return map[string]any{f.name: int64(2)}, true
		}
	}
	return nil, true
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
