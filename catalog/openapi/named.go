package openapi

// This file finds the entries of a document's operations again, for what names operations: workflows.

import (
	"encoding/json"

	"almanac/catalog"
)

// An Operation is what an entry was made of.
type Operation struct {
	// ID is its operationId; may be empty. Method is in lower case.
	ID, Method, Path string
	plan             plan
}

// OperationOf returns the operation of an entry of an OpenAPI source; false for another entry.
func OperationOf(e *catalog.Entry) (Operation, bool) {
	var r recipe
	if e.Recipe == "" || json.Unmarshal([]byte(e.Recipe), &r) != nil || r.Method == "" {
		return Operation{}, false
	}
	return Operation{r.ID, r.Method, r.Path, r.Plan}, true
}

// Argument is the argument that a parameter has become; in may be empty where the name is that of one parameter only.
func (o Operation) Argument(name, in string) (string, bool) {
	arg, found := "", 0
	for _, p := range o.plan.params {
		if p.name == name && (in == "" || p.in == in) {
			arg = p.arg
			found++
		}
	}
	return arg, found == 1
}

// Body is how a request body is given: as one argument, or else its fields as arguments, by their names; open takes
// others under their own. ok is false for an operation without one.
func (o Operation) Body() (whole string, fields map[string]string, open, ok bool) {
	if o.plan.body == nil {
		return "", nil, false, false
	}
	fields = map[string]string{}
	for _, f := range o.plan.body.fields {
		fields[f.name] = f.arg
	}
	return o.plan.body.whole, fields, o.plan.body.open, true
}
