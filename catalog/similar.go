package catalog

// This file finds entries similar to one.

import (
	"strings"

	"almanac/catalog/spec"
)

const (
	// likeFields is how many inputs and how many outputs of an entry are compared.
	likeFields = 12
	// likeName is how many times its name counts.
	likeName = 2
)

// Similar ranks the visible entries similar to one: a search for its name, entities and fields under the options,
// without the entry itself. An id that is not visible gives an *UnknownError.
func (v *View) Similar(id string, o SearchOptions) (Set, error) {
	e, err := v.Resolve(id)
	if err != nil {
		return Set{}, err
	}
	if err := checkOptions(o); err != nil {
		return Set{}, err
	}
	allowed, notes := v.filter(o)
	allowed.Clear(v.cat.find(e.ID))
	return v.find("like "+e.ID, likeness(e), allowed, notes, o), nil
}

// likeness is what an entry is about, as a query.
func likeness(e *Entry) string {
	sh := newSeenFields(0).shapeOf(e)
	var words []string
	for range likeName {
		words = append(words, nameOf(e))
	}
	if n := len(e.Namespace); n > 0 {
		words = append(words, e.Namespace[n-1])
	}
	words = append(words, e.Entities...)
	for _, fields := range [][]spec.Property{sh.input.props, sh.output.props} {
		for _, p := range fields[:min(len(fields), likeFields)] {
			words = append(words, p.Name)
		}
	}
	return strings.ReplaceAll(strings.Join(words, " "), `"`, " ")
}
