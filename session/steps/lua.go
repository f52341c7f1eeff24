package steps

import (
	"strings"

	"almanac/catalog/lua"
)

// This file writes a plan as Lua.

// lineWidth is about how long a line may be before a table is broken into several.
const lineWidth = 100

// Lua is the plan as a script, with the step that each of its lines belongs to. What as names is a global, and the last
// step's result is returned.
func (p *Plan) Lua() (source string, stepOf []int) {
	var b strings.Builder
	for i, s := range p.steps {
		last := i+1 == len(p.steps)
		expression := s.lua()
		text := expression
		switch {
		case s.as != "":
			text = s.as + " = " + expression
			if last {
				text += "\nreturn " + s.as
			}
		case last:
			text = "return " + expression
		}
		b.WriteString(text + "\n")
		for range strings.Count(text, "\n") + 1 {
			stepOf = append(stepOf, i+1)
		}
	}
	return strings.TrimSuffix(b.String(), "\n"), stepOf
}

// lua is the expression that has the step's result.
func (s step) lua() string {
	body := ""
	switch {
	case s.id != "":
		args := "{}"
		if len(s.args) > 0 {
			args = literal(s.args, lineWidth)
		}
		body = lua.Call(s.id, args)
	case s.args != nil:
		body = literal(s.args, lineWidth)
	}
	if s.each == nil {
		return s.filtered(body)
	}
	list := s.filtered(literal(s.each, lineWidth))
	if body == "" {
		return list
	}
	body = strings.ReplaceAll("return "+body, "\n", "\n  ")
	return "map(" + list + ", function(" + element + ")\n  " + body + "\nend)"
}

// filtered is the list without the items that where leaves out.
func (s step) filtered(list string) string {
	if len(s.where) == 0 {
		return list
	}
	conditions := make([]string, len(s.where))
	for i, c := range s.where {
		conditions[i] = c.lua()
	}
	condition := "return " + strings.Join(conditions, " and ")
	if len(list)+len(condition) > lineWidth-len("rows = filter(, function(it) end)") {
		condition = "\n  " + condition + "\n"
	} else {
		condition = " " + condition + " "
	}
	return "filter(" + list + ", function(" + element + ")" + condition + "end)"
}
