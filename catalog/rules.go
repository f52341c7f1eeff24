package catalog

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

// ruleKeys are the keys of rules that are written as a table.
func ruleKeys() []string {
	return []string{
		"actor", "tenant", "namespaces", "denied_namespaces", "denied_operations", "denied_ids", "ids", "read_only",
	}
}

// ParseRules reads rules that are written as a table: in a view file, or as the value of an effect. Every key is
// optional. An unknown key is an error, because a misspelt rule would leave more visible than intended; so is a list of
// what is allowed that is empty.
func ParseRules(table map[string]any) (Rules, error) {
	var r Rules
	var operations []string
	lists := map[string]*[]string{
		"namespaces": &r.Namespaces, "denied_namespaces": &r.DeniedNamespaces, "denied_operations": &operations,
		"denied_ids": &r.DeniedIDs, "ids": &r.IDs,
	}
	texts := map[string]*string{"actor": &r.Actor, "tenant": &r.Tenant}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		value, ok, want := table[key], false, ""
		switch {
		case lists[key] != nil:
			want = "a list of texts"
			*lists[key], ok = textsOf(value)
		case texts[key] != nil:
			want = "a text"
			*texts[key], ok = value.(string)
		case key == "read_only":
			want = "true or false"
			r.ReadOnly, ok = value.(bool)
		default:
			return Rules{}, fmt.Errorf("%s: unknown key; want %s", key, strings.Join(ruleKeys(), ", "))
		}
		if !ok {
			return Rules{}, fmt.Errorf("%s: want %s", key, want)
		}
		if (key == "namespaces" || key == "ids") && len(*lists[key]) == 0 {
			return Rules{}, fmt.Errorf("%s: empty list: name some, or omit the key to allow all", key)
		}
	}
	for _, op := range operations {
		r.DeniedOperations = append(r.DeniedOperations, Operation(op))
	}
	return r, nil
}

func textsOf(value any) ([]string, bool) {
	list, ok := value.([]any)
	texts := make([]string, 0, len(list))
	for _, item := range list {
		text, isText := item.(string)
		texts, ok = append(texts, text), ok && isText
	}
	return texts, ok
}

// operationDocs are the entries that have an operation, visible or not. One that nothing has is an error, unless most
// actions have it elsewhere, or the catalog is growing and it does not read like one of these.
func (v *View) operationDocs(operation Operation, growing bool) ([]uint32, error) {
	common := []string{string(Read), string(Create), string(Update), string(Delete), string(Admin)}
	name := strings.ToLower(string(operation))
	docs := v.cat.index.Keys(operationKind).Get(name)
	if docs != nil || slices.Contains(common, name) {
		return docs, nil
	}
	near := spelling.Nearest(name, common)
	if near == "" && growing {
		return nil, nil
	}
	if near != "" {
		near = "; did you mean " + near + "?"
	}
	return nil, fmt.Errorf("operation %q: not in the catalog, which has %s%s", text.LineRunes(string(operation), 80),
		strings.Join(v.visibleKeys(v.cat.index.Keys(operationKind)), ", "), near)
}

// Misfits are the namespaces, operations and ids of the rules that nothing in the catalog has, in the words of Narrow,
// whether the catalog is Growing or not: as warnings for whoever wrote them.
func (v *View) Misfits(r Rules) (all []error) {
	try := func(one Rules) {
		_, err := v.Narrow(one)
		var unknown *UnknownError
		if errors.As(err, &unknown) && len(unknown.Near) > 0 {
			err = fmt.Errorf("%w; did you mean %s?", err, unknown.Near[0])
		}
		if err != nil {
			all = append(all, err)
		}
	}
	for _, name := range r.Namespaces {
		try(Rules{Namespaces: []string{name}})
	}
	for _, name := range r.DeniedNamespaces {
		try(Rules{DeniedNamespaces: []string{name}})
	}
	for _, operation := range slices.Concat(r.Operations, r.DeniedOperations) {
		try(Rules{DeniedOperations: []Operation{operation}})
	}
	for _, id := range r.DeniedIDs {
		try(Rules{DeniedIDs: []string{id}})
	}
	for _, id := range r.IDs {
		try(Rules{IDs: []string{id}})
	}
	return all
}
