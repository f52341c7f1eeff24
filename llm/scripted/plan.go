package scripted

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// This file chooses an action for a goal and fills in its arguments.

// A plan is a call of an action.
type plan struct {
	action action
	args   map[string]any
	// from are arguments that an earlier result has.
	from map[string]source
	// missing are required records that nothing names: they have to be found.
	missing []param
	// lacks tells that a required argument is not there at all; used counts values of the goal that are arguments, more
	// the words that the action shares with it.
	lacks      bool
	used, more int
}

// A source is a field of an earlier result.
type source struct {
	result int // index in run.have
	field  string
}

// planOf fills in what the goal and earlier results say.
func (r *run) planOf(g goal, a action) plan {
	p := plan{action: a, args: map[string]any{}, from: map[string]source{}, more: alike(g.words, a.words())}
	left := slices.Clone(g.values)
	params := slices.Clone(a.params)
	slices.SortStableFunc(params, func(x, y param) int { return order(x) - order(y) })
	for _, arg := range params {
		if v, at, ok := valueOf(arg, g, left); ok {
			p.args[arg.name] = v
			if at >= 0 {
				left = slices.Delete(left, at, at+1)
				p.used++
			}
			continue
		}
		switch {
		case !arg.required:
		case arg.isRecord():
			if id, ok := r.mentioned(arg); ok {
				p.args[arg.name] = id
			} else if from, ok := r.earlier(arg); ok {
				p.from[arg.name] = from
			} else {
				p.missing = append(p.missing, arg)
			}
		default:
			p.lacks = true
		}
	}
	if len(p.missing) > 0 && spoken(g, p) == "" {
		p.lacks = true
	}
	if limit, ok := a.param("limit"); ok && limit.most > 0 && (g.each || computes(g)) {
		p.args["limit"] = limit.most
	}
	return p
}

// order puts what is sure before what takes any value left.
func order(p param) int {
	switch {
	case p.isRecord():
		return 0
	case len(p.enum) > 0:
		return 1
	case p.required:
		return 2
	}
	return 3
}

// valueOf finds a parameter's value: what it is, and its place among those left, -1 for a word of the goal.
func valueOf(p param, g goal, left []value) (v any, at int, ok bool) {
	if len(p.enum) > 0 {
		for _, word := range p.enum {
			said := strings.ReplaceAll(word, "_", " ")
			if strings.Contains(" "+strings.ToLower(g.text)+" ", " "+said+" ") || alike(g.words, []string{said}) > 0 {
				return word, -1, true
			}
			if i := slices.IndexFunc(left, func(v value) bool { return strings.EqualFold(v.text, said) }); i >= 0 {
				return word, i, true
			}
		}
		return nil, 0, false
	}
	if p.kind == "boolean" {
		word := strings.Split(p.name, "_")[0]
		return true, -1, slices.Contains(g.words, word)
	}
	best, points := -1, 0
	for i, v := range left {
		if n := fits(p, v); n > points {
			best, points = i, n
		}
	}
	if best < 0 {
		return nil, 0, false
	}
	v, ok = typed(p, left[best])
	return v, best, ok
}

// fits says how well a value fits a parameter; 0 for not at all.
func fits(p param, v value) int {
	named := strings.Split(p.name, "_")
	near := 0
	if len(v.before) > 0 && alike(v.before[max(0, len(v.before)-2):], named) > 0 || alike([]string{v.after}, named) > 0 {
		near = 2
	}
	switch {
	case p.isRecord():
		if v.kind != record || p.prefix() == "" || !strings.HasPrefix(v.text, p.prefix()) {
			return 0
		}
		if slices.Contains(v.before[max(0, len(v.before)-2):], named[0]) && len(named) > 2 {
			return 3 // "into cus_0000" is the into_customer_id
		}
		return 1
	case strings.Contains(p.about, "format date"), strings.HasSuffix(p.name, "_date"), strings.HasSuffix(p.name, "_on"):
		if v.kind != date {
			return 0
		}
		return 1 + near
	case p.kind == "integer" || p.kind == "number":
		switch {
		case strings.HasSuffix(p.name, "_cents"):
			return map[kind]int{money: 3}[v.kind]
		case v.kind != number:
			return 0
		case near > 0 || p.required:
			return 1 + near
		}
		return 0
	case p.kind != "string":
		return 0
	case strings.Contains(p.name, "email"):
		return map[kind]int{email: 3}[v.kind]
	case v.kind == quoted && (p.required || near > 0 || p.name == "query"):
		return 2 + near
	case v.kind == name && (p.name == "query" || strings.HasSuffix(p.name, "name") || near > 0):
		return 1 + near
	}
	return 0
}

// typed is a value as its parameter wants it.
func typed(p param, v value) (any, bool) {
	if p.kind != "integer" && p.kind != "number" {
		return v.text, true
	}
	plain := strings.ReplaceAll(v.text, ",", "")
	if v.kind == money {
		amount, err := strconv.ParseFloat(plain, 64)
		return int64(amount*100 + 0.5), err == nil
	}
	n, err := strconv.ParseInt(plain, 10, 64)
	return n, err == nil
}

// mentioned is a record that an earlier part of the prompt names, where nothing has been found since.
func (r *run) mentioned(p param) (string, bool) {
	if _, found := r.earlier(p); found || p.prefix() == "" {
		return "", false
	}
	for i := len(r.records) - 1; i >= 0; i-- {
		if strings.HasPrefix(r.records[i], p.prefix()) {
			return r.records[i], true
		}
	}
	return "", false
}

// earlier finds the newest result with the record that a parameter names.
func (r *run) earlier(p param) (source, bool) {
	for i := len(r.have) - 1; i >= 0; i-- {
		h := r.have[i]
		if h.has(p.name) {
			return source{i, p.name}, true
		}
		if h.action.noun() == p.recordNoun() && h.has("id") {
			return source{i, "id"}, true
		}
		if p.recordNoun() == "owner" || p.recordNoun() == "assignee" {
			if h.action.noun() == "user" && h.has("id") {
				return source{i, "id"}, true
			}
		}
	}
	return source{}, false
}

// has tells whether a result has a field: by the action's description, or as it came.
func (h result) has(field string) bool {
	if slices.ContainsFunc(h.action.fields, func(f param) bool { return f.name == field }) {
		return true
	}
	for _, row := range rowsOf(h.value) {
		_, ok := row[field]
		return ok
	}
	return false
}

// rowsOf are the records of a result.
func rowsOf(v any) []map[string]any {
	switch v := v.(type) {
	case []any:
		var rows []map[string]any
		for _, item := range v {
			if row, ok := item.(map[string]any); ok {
				rows = append(rows, row)
			}
		}
		return rows
	case map[string]any:
		return []map[string]any{v}
	}
	return nil
}

// best chooses a plan: one that can be made, the one that takes most of the goal's values, the earliest.
func best(g goal, plans []plan) (plan, bool) {
	at := -1
	for i, p := range plans {
		if p.lacks || p.action.mutates != g.changes {
			continue
		}
		if at < 0 || p.score() > plans[at].score() {
			at = i
		}
	}
	if at < 0 {
		return plan{}, false
	}
	return plans[at], true
}

func (p plan) score() int { return 3*p.used + 2*p.more - 2*len(p.missing) }

// finds tells whether an action finds records by a name, and by which argument.
func (a action) finds() (string, bool) {
	if a.mutates {
		return "", false
	}
	for _, p := range a.params {
		if p.kind == "string" && (p.name == "query" || strings.HasSuffix(p.name, "name")) {
			return p.name, true
		}
	}
	return "", false
}

// looksFor is the argument by which a plan finds records, and its text; empty where it does not.
func (p plan) looksFor() (by, text string) {
	by, ok := p.action.finds()
	if !ok || len(p.from) > 0 {
		return "", ""
	}
	for _, arg := range p.action.params {
		if said, is := p.args[arg.name].(string); is && (arg.name == by || strings.HasSuffix(arg.name, "name")) {
			return arg.name, said
		}
	}
	return "", ""
}

// spoken is a name in the goal that no argument has: what a record is to be found by.
func spoken(g goal, p plan) string {
	for _, k := range []kind{quoted, name} {
		for _, v := range g.values {
			taken := false
			for _, arg := range p.args {
				taken = taken || arg == v.text
			}
			if v.kind == k && !taken {
				return v.text
			}
		}
	}
	return ""
}

// shorter are other ways to look for a name that was not found: its first word, and the beginning of that.
func shorter(s string) []string {
	tries := []string{s}
	if word, _, more := strings.Cut(s, " "); more {
		tries = append(tries, word)
	}
	word, _, _ := strings.Cut(s, " ")
	if len(word) > 4 {
		tries = append(tries, word[:4])
	}
	return tries
}

// computes tells whether a goal asks for a number that has to be computed.
func computes(g goal) bool { return operation(g) != "" }

// operation is count, count and sum, sum, most or least.
func operation(g goal) string {
	text := " " + strings.ToLower(g.text) + " "
	if strings.Contains(text, " how many ") && strings.Contains(text, " total ") {
		return "count and sum"
	}
	for _, o := range []struct{ words, name string }{
		{" how many , number of , count ", "count"},
		{" total , sum , in all , altogether , together ", "sum"},
		{" largest , highest , most , biggest , longest , greatest ", "most"},
		{" smallest , lowest , least , cheapest ", "least"},
	} {
		for _, w := range strings.Split(o.words, ",") {
			if strings.Contains(text, w) {
				return o.name
			}
		}
	}
	return ""
}

// numeric is the field that a computation is about: the number whose name is most like the goal.
func numeric(g goal, names []string) string {
	best, points := "", -1
	for _, n := range names {
		p := alike(g.words, strings.Split(n, "_"))
		if p > points {
			best, points = n, p
		}
	}
	return best
}

func encode(args map[string]any) json.RawMessage {
	text, err := json.Marshal(args)
	if err != nil {
		return json.RawMessage("{}")
	}
	return text
}
