package scripted

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog/lua"
)

// This file does a goal with a query, a describe and an execute tool.

// described is how many hits are described for a goal.
const described = 3

var (
	unfit  = regexp.MustCompile(`argument (\w+)`)
	denial = regexp.MustCompile(`denied|approval`)
)

// pursue searches, describes and executes.
func (r *run) pursue(t layerTools, g goal) {
	found := r.query(t, fmt.Sprintf("return catalog.search(%s, {mutates=%t, limit=6})", lua.Quote(g.text), g.changes))
	p, ok := best(g, r.plans(g, r.describe(t, found[:min(described, len(found))])))
	if !ok && len(found) > described {
		p, ok = best(g, r.plans(g, r.describe(t, found[described:])))
	}
	if r.stopped {
		return
	}
	if !ok {
		r.say("No action fits %q.", g.text)
		r.stopped = g.changes
		return
	}
	script, err := r.finding(t, g, &p)
	if err != "" {
		r.say("%s", err)
		r.stopped = true
		return
	}
	name := fmt.Sprintf("r%d", len(r.have)+1)
	script += r.calling(g, p, name) + computing(g, p.action, name)
	answer := r.turn(call{t.execute, map[string]any{"script": script}})[0]
	if m := unfit.FindStringSubmatch(answer); m != nil && strings.HasPrefix(answer, "error") {
		if arg, is := p.action.param(m[1]); is && !arg.required { // what was optional is left out
			delete(p.args, arg.name)
			answer = r.turn(call{t.execute, map[string]any{"script": r.calling(g, p, name) + computing(g, p.action, name)}})[0]
		}
	}
	switch {
	case r.stopped:
	case strings.HasPrefix(answer, "error"):
		r.say("%s: %s", p.action.id, firstLine(answer))
		r.stopped = true
	case strings.Contains(answer, "ambiguous"):
		r.say("Several records fit, which one is meant?\n%s", answer)
		r.stopped = true
	default:
		r.have = append(r.have, result{action: p.action, name: name})
		r.say("%s: %s", p.action.id, firstLine(answer))
	}
	if denial.MatchString(answer) {
		r.stopped = true
	}
}

// query returns the ids that a query finds, in order.
func (r *run) query(t layerTools, script string) []string {
	answer := r.turn(call{t.query, map[string]any{"script": script}})[0]
	var ids []string
	for _, m := range hitLine.FindAllStringSubmatch(answer, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

func (r *run) describe(t layerTools, ids []string) []action {
	if len(ids) == 0 {
		return nil
	}
	return specsOf(r.turn(call{t.describe, map[string]any{"ids": ids}})[0])
}

func (r *run) plans(g goal, actions []action) []plan {
	plans := make([]plan, len(actions))
	for i, a := range actions {
		plans[i] = r.planOf(g, a)
	}
	return plans
}

// finding writes the Lua that finds the records that a plan lacks, and has the plan take their ids.
func (r *run) finding(t layerTools, g goal, p *plan) (script, err string) {
	for _, arg := range p.missing {
		text := spoken(g, *p)
		if text == "" {
			return "", fmt.Sprintf("I do not know which %s is meant.", arg.recordNoun())
		}
		ids := r.query(t, fmt.Sprintf("return catalog.search(%s, {needs_output=%s, mutates=false, limit=3})",
			lua.Quote("find "+arg.recordNoun()+" by name"), lua.Quote(arg.name)))
		for _, a := range r.describe(t, ids) {
			by, ok := a.finds()
			if !ok {
				continue
			}
			name := fmt.Sprintf("r%d", len(r.have)+1)
			script += fmt.Sprintf(findText, name, luaList(shorter(text)),
				lua.Call(a.id, fmt.Sprintf("{%s = text}", lua.Key(by))), lua.Quote(strings.ToLower(text)))
			r.have = append(r.have, result{action: a, name: name})
			break
		}
		from, ok := r.earlier(arg)
		if !ok {
			return "", fmt.Sprintf("I found no way to find the %s %q.", arg.recordNoun(), text)
		}
		p.from[arg.name] = from
	}
	return script, ""
}

// findText looks for a record by a name, in less and less of its letters, and takes the only one or the one of this
// very name.
const findText = `for _, text in ipairs(%[2]s) do
  %[1]s = %[3]s
  if #%[1]s > 0 then break end
end
local same = filter(%[1]s, function(row)
  return find(values(row), function(v) return type(v) == "string" and v:lower() == %[4]s end) ~= nil
end)
if #same == 1 then %[1]s = same end
if #%[1]s ~= 1 then return {ambiguous = %[1]s} end
`

func luaList(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = lua.Quote(w)
	}
	return "{" + strings.Join(quoted, ", ") + "}"
}

// calling writes the call, once for each record of a list where the goal says so.
func (r *run) calling(g goal, p plan, name string) string {
	var fields []string
	list := ""
	for _, arg := range slices.Sorted(maps.Keys(p.args)) {
		fields = append(fields, lua.Key(arg)+" = "+lua.Literal(p.args[arg], lua.Options{}))
	}
	for _, arg := range slices.Sorted(maps.Keys(p.from)) {
		from := p.from[arg]
		h := r.have[from.result]
		value := h.name + "." + from.field
		if h.action.list {
			value = h.name + "[1]." + from.field
			if g.each {
				list, value = h.name, "row."+from.field
			}
		}
		fields = append(fields, lua.Key(arg)+" = "+value)
	}
	made := lua.Call(p.action.id, "{"+strings.Join(fields, ", ")+"}")
	if by, text := p.looksFor(); text != "" {
		made = strings.Replace(made, lua.Key(by)+" = "+lua.Quote(text), lua.Key(by)+" = text", 1)
		return fmt.Sprintf("for _, text in ipairs(%s) do\n  %s = %s\n  if #%s > 0 then break end\nend\n",
			luaList(shorter(text)), name, made, name)
	}
	switch {
	case list != "" && p.action.list:
		return fmt.Sprintf("%s = {}\nfor _, row in ipairs(%s) do\n  for _, item in ipairs(%s) do %s[#%s+1] = item end\nend\n",
			name, list, made, name, name)
	case list != "":
		return fmt.Sprintf("%s = {}\nfor _, row in ipairs(%s) do %s[#%s+1] = %s end\n", name, list, name, name, made)
	}
	return fmt.Sprintf("%s = %s\n", name, made)
}

// computing writes what is returned: the result, or what the goal wants computed of it.
func computing(g goal, a action, name string) string {
	var numbers []string
	for _, f := range a.fields {
		if f.kind == "integer" || f.kind == "number" {
			numbers = append(numbers, f.name)
		}
	}
	field := numeric(g, numbers)
	switch op := operation(g); {
	case !a.list && !g.each:
	case op == "count":
		return fmt.Sprintf("return #%s", name)
	case op == "sum" && field != "":
		return "return " + sumOf(name, field)
	case op == "count and sum" && field != "":
		return fmt.Sprintf("return #%s, %s", name, sumOf(name, field))
	case op == "most" && field != "":
		return fmt.Sprintf("%s = sort_by(%s, function(row) return -(row.%s or 0) end)\nreturn %s[1]", name, name, field, name)
	case op == "least" && field != "":
		return fmt.Sprintf("%s = sort_by(%s, function(row) return row.%s or 0 end)\nreturn %s[1]", name, name, field, name)
	}
	return "return " + name
}

func sumOf(name, field string) string {
	return fmt.Sprintf("reduce(%s, function(sum, row) return sum + (row.%s or 0) end, 0)", name, field)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
