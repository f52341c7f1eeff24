package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
