package catalog

// This file hands actions to package spec, which describes how to call them.

import (
	"slices"

	"almanac/catalog/search/spelling"
	"almanac/catalog/spec"
	"almanac/catalog/text"
)

// A Detail is how much a spec contains; see package spec.
type Detail = spec.Detail

// The details. The zero Detail is Brief.
const (
	Brief = spec.Brief
	Full  = spec.Full
	LuaLS = spec.LuaLS
	JSON  = spec.JSON
)

// A Spec describes one action exactly enough to call it.
type Spec struct {
	ID   string
	Text string
	// Entry belongs to the catalog and must not be changed.
	Entry *Entry
}

// Describe writes the spec of a visible entry. It fails with an *UnknownError for any other id, and for an unknown
// detail.
func (v *View) Describe(id string, detail Detail) (Spec, error) {
	e, err := v.Resolve(id)
	if err != nil {
		return Spec{}, err
	}
	detail, err = spec.ParseDetail(string(detail))
	if err != nil {
		return Spec{}, err
	}
	action := e.written()
	action.Supplies = v.supplied(e)
	if detail != Brief {
		action.Lone = e.Lone()
	}
	for _, line := range v.Stale(e) {
		action.Warnings = append(slices.Clip(action.Warnings), "It uses an action that may not do what it did: "+line+".")
	}
	text, err := action.Describe(detail)
	return Spec{ID: e.ID, Entry: e, Text: text}, err
}

// Argument describes the argument that path leads into, "items[2].price", or the one whose name is nearest to path,
// with the fields inside it, in a few lines; empty when there is none.
func (e *Entry) Argument(path string) string {
	text, names := e.written().Argument(path)
	if near := spelling.Nearest(path, names); text == "" && near != "" {
		text, _ = e.written().Argument(near)
	}
	return text
}

// Line is one hit as a line: see spec.Signature. An id that is not visible gives "".
func (v *View) Line(id string) string {
	doc := v.doc(id)
	if doc < 0 {
		return ""
	}
	return v.cat.signatureOf(doc).Line()
}

// written is the entry as spec writes it.
func (e *Entry) written() *spec.Action {
	return &spec.Action{
		ID: e.ID, Title: e.Title, Description: e.Description, Operation: string(OperationOf(e)), Risk: string(RiskOf(e)),
		Mutates: e.Mutates, Input: e.Input.document(), Output: e.Output.document(), Examples: e.Examples, Target: e.Target,
		Warnings: briefWarnings(e), Undo: e.Compensate.written(), Conduct: e.conducted(), Category: e.Category,
		Version: e.Version, Strict: e.Strict,
	}
}

// mostSupplied is how much a description says of what a result has for other actions.
const mostSupplied = 20

// supplied says in words what of a result is an argument of another action that is visible.
func (v *View) supplied(e *Entry) (all []string) {
	for _, s := range e.Supplies {
		if v.doc(s.ID) < 0 {
			continue
		}
		field := "result"
		if s.Field != "" && s.Field[0] != '[' {
			field += "."
		}
		all = append(all, s.Argument+" of "+s.ID+" = "+field+s.Field)
	}
	if more := len(all) - mostSupplied; more > 0 {
		all = append(all[:mostSupplied], text.Count(more, "other argument"))
	}
	return all
}

// ParseJSON is spec.ParseJSON: one JSON value with nothing behind it, whole numbers as int64.
func ParseJSON(raw []byte) (any, error) { return spec.ParseJSON(raw) }

// PlainNumbers is spec.PlainNumbers: a value with int64 and float64 for each json.Number inside. It may change v.
func PlainNumbers(v any) any { return spec.PlainNumbers(v) }
