package scripted

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// This file does a goal with a tool for each action.

// considered is how many tools are looked at for a goal, the best by their words.
const considered = 6

// pursueDirectly calls the tool whose words are most like the goal. What a script would compute, it computes itself.
func (r *run) pursueDirectly(g goal) {
	all := toolsOf(r.request.Tools)
	p, ok := best(g, r.plans(g, ranked(all, g.words, considered)))
	if !ok {
		r.say("No tool fits %q.", g.text)
		r.stopped = g.changes
		return
	}
	for _, arg := range p.missing {
		if !r.find(all, g, &p, arg) {
			r.stopped = true
			return
		}
	}
	value, ok := r.each(g, p)
	if by, text := p.looksFor(); text != "" {
		for _, try := range shorter(text)[1:] {
			if list, is := value.([]any); !ok || !is || len(list) > 0 {
				break
			}
			p.args[by] = try
			value, ok = r.each(g, p)
		}
	}
	if !ok || r.stopped {
		r.stopped = true
		return
	}
	r.have = append(r.have, result{action: p.action, value: value})
	said, err := json.Marshal(compute(g, value))
	if err == nil {
		r.say("%s: %s", p.action.id, said)
	}
}

// ranked are the actions that share most words with a goal. A word counts more the fewer actions have it, and again in
// the id.
func ranked(all []action, words []string, n int) []action {
	all = slices.Clone(all)
	have, own := map[string]float64{}, map[string]map[string]float64{}
	for _, a := range all {
		own[a.tool] = map[string]float64{}
		for _, w := range a.words() {
			own[a.tool][stem(w)] = 1
		}
		for _, w := range wordsOf(strings.NewReplacer(".", " ", "_", " ").Replace(a.id)) {
			own[a.tool][stem(w)] = 1.5
		}
		for w := range own[a.tool] {
			have[w]++
		}
	}
	points := map[string]float64{}
	for _, a := range all {
		for _, w := range words {
			if once := own[a.tool][stem(w)]; once > 0 {
				points[a.tool] += once * math.Log(1+float64(len(all))/have[stem(w)])
			}
		}
		points[a.tool] -= 0.01 * float64(len(own[a.tool]))
	}
	slices.SortStableFunc(all, func(a, b action) int {
		switch {
		case points[a.tool] > points[b.tool]:
			return -1
		case points[a.tool] < points[b.tool]:
			return 1
		}
		return 0
	})
	return all[:min(n, len(all))]
}

// find looks for the record that a plan lacks.
func (r *run) find(all []action, g goal, p *plan, arg param) bool {
	text := spoken(g, *p)
	if text == "" {
		r.say("I do not know which %s is meant.", arg.recordNoun())
		return false
	}
	for _, a := range ranked(all, []string{"find", "search", arg.recordNoun()}, considered) {
		by, ok := a.finds()
		if !ok || a.noun() != arg.recordNoun() {
			continue
		}
		for _, try := range shorter(text) {
			value, ok := r.one(a, map[string]any{by: try})
			if !ok {
				return false
			}
			rows := rowsOf(value)
			if len(rows) == 0 {
				continue
			}
			same := slices.DeleteFunc(slices.Clone(rows), func(row map[string]any) bool { return !named(row, text) })
			if len(same) == 1 {
				rows = same
			}
			if len(rows) != 1 {
				r.say("Several records fit, which one is meant?")
				return false
			}
			r.have = append(r.have, result{action: a, value: rows[0]})
			from, ok := r.earlier(arg)
			p.from[arg.name] = from
			return ok
		}
	}
	r.say("I found no %s %q.", arg.recordNoun(), text)
	return false
}

func named(row map[string]any, text string) bool {
	for _, v := range row {
		if s, ok := v.(string); ok && strings.EqualFold(s, text) {
			return true
		}
	}
	return false
}

// each makes the call of a plan, once for each record of an earlier list where the goal says so.
func (r *run) each(g goal, p plan) (any, bool) {
	rows := []map[string]any{nil}
	for _, arg := range slices.Sorted(maps.Keys(p.from)) {
		if list := rowsOf(r.have[p.from[arg].result].value); g.each && len(list) > 1 {
			rows = list
		}
	}
	var calls []call
	for _, row := range rows {
		args := maps.Clone(p.args)
		for arg, from := range p.from {
			record := row
			if record == nil {
				list := rowsOf(r.have[from.result].value)
				if len(list) == 0 {
					r.say("There is no %s.", p.action.noun())
					return nil, false
				}
				record = list[0]
			}
			args[arg] = record[from.field]
		}
		calls = append(calls, call{p.action.tool, args})
	}
	var values []any
	for _, answer := range r.turn(calls...) {
		value, ok := r.read(p.action, answer)
		if !ok {
			return nil, false
		}
		if list, is := value.([]any); is && len(calls) > 1 {
			values = append(values, list...)
		} else {
			values = append(values, value)
		}
	}
	if len(calls) == 1 {
		return values[0], true
	}
	return values, true
}

func (r *run) one(a action, args map[string]any) (any, bool) {
	return r.read(a, r.turn(call{a.tool, args})[0])
}

// read takes an answer as data; what is no data says why the call failed.
func (r *run) read(a action, answer string) (any, bool) {
	var v any
	if err := json.Unmarshal([]byte(answer), &v); err != nil {
		if !r.stopped {
			r.say("%s: %s", a.id, firstLine(answer))
		}
		return nil, false
	}
	return v, true
}

// compute is what a goal wants of a result.
func compute(g goal, v any) any {
	list, ok := v.([]any)
	rows := rowsOf(v)
	if !ok || len(rows) == 0 {
		if ok && operation(g) == "count" {
			return len(list)
		}
		return v
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(rows[0])) {
		if _, is := rows[0][name].(float64); is {
			names = append(names, name)
		}
	}
	field := numeric(g, names)
	number := func(row map[string]any) float64 { n, _ := row[field].(float64); return n }
	switch op := operation(g); {
	case op == "count":
		return len(list)
	case (op == "sum" || op == "count and sum") && field != "":
		sum := 0.0
		for _, row := range rows {
			sum += number(row)
		}
		total := json.RawMessage(strconv.FormatFloat(sum, 'f', -1, 64))
		if op == "sum" {
			return total
		}
		return []any{len(list), total}
	case op == "most" && field != "":
		return slices.MaxFunc(rows, func(a, b map[string]any) int { return int(number(a) - number(b)) })
	case op == "least" && field != "":
		return slices.MinFunc(rows, func(a, b map[string]any) int { return int(number(a) - number(b)) })
	}
	return fmt.Sprintf("%d records", len(list))
}
