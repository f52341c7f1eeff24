package vm

import (
	"fmt"
	"slices"
	"strings"

	lua "github.com/Shopify/go-lua"
)

// This file shows namespaces: the names on the way to actions. The machine knows the first segments of the visible ids
// alone; what is below one the host tells.

// below asks the host how many actions are below a path and, where names is set, what the next segments are called. It
// gives zero for an action, and where the host cannot tell.
func (m *Machine) below(l *lua.State, path string, names bool) (total int64, list []string) {
	if m.outside.Op == nil {
		return 0, nil
	}
	const op = "catalog.below"
	answer, err := m.host(l, op, func() (any, error) { return m.outside.Op(op, []any{path, names}) })
	fields, ok := answer.(map[string]any)
	if err != nil || !ok {
		return 0, nil
	}
	total, _ = fields["actions"].(int64)
	segments, _ := fields["names"].([]any)
	for _, s := range segments {
		if name, ok := s.(string); ok {
			list = append(list, name)
		}
	}
	return total, list
}

// NamespaceText is what a namespace is shown as.
func NamespaceText(path string, actions int64) string {
	if actions == 1 {
		return fmt.Sprintf("<namespace %s, 1 action>", path)
	}
	return fmt.Sprintf("<namespace %s, %d actions>", path, actions)
}

// actionText is what tostring gives for an action or a namespace; l is nil where the host cannot be asked.
func (m *Machine) actionText(l *lua.State, a *action) string {
	if l != nil {
		if total, _ := m.below(l, a.path, false); total > 0 {
			return NamespaceText(a.path, total)
		}
	}
	return a.String()
}

// walkNamespace is the function that goes through the names below a, and what they mean; nil for what has none.
func (m *Machine) walkNamespace(l *lua.State, a *action) any {
	total, names := m.below(l, a.path, true)
	if total == 0 {
		return nil
	}
	for path := range m.helpers {
		if name, ok := strings.CutPrefix(path, a.path+"."); ok && !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return m.function("next", func(c call) int {
		if len(names) == 0 {
			return c.give(nil)
		}
		name := names[0]
		names = names[1:]
		return c.give(name, m.under(a, name))
	})
}

// under is what a segment below a means.
func (m *Machine) under(a *action, segment string) any {
	path := a.path + "." + segment
	if f := m.helpers[path]; f != nil {
		return f
	}
	return m.actionValue(path)
}
