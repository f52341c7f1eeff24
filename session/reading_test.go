package session

import (
	"fmt"
	"strings"
	"testing"
)

// TestReading: what a script of the model's reads of the catalog in one run is bounded, what one of the person's does
// is not. The catalog has nine actions; here a run reads three.
func TestReading(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Budget.Shown, o.Budget.Described, o.Budget.Selected = 3, 2, 4 })
	tests := []struct {
		script string
		model  string
		person string
	}{
		{`local s = catalog.search("item") local n = 0 for _, h in ipairs(s) do n = n + 1 end return n, #s, s.total`,
			"3 3 9", "3 3 9"},
		{`local n = 0 for _, domain in ipairs{"shop", "admin"} do n = n + #map(catalog.namespace(domain), "id") end return n`,
			"3", "4"},
		{`local n = 0 for k, h in pairs(catalog.search("item")) do if type(h) == "table" and h.line then n = n + 1 end end return n`, "3", "3"},
		{`return #catalog.pick(catalog.search("item"), {limit = 100}).hits`, "3", "3"},
		{`return #catalog.plan{catalog.pick(catalog.search("item"), {limit = 100})}.ids`, "3", "9"},
		{`local a, b = catalog.search("list items"), catalog.search("purge") local x = map(a, "id") return #x, b[1] == nil, #b, b.total > 0`,
			"3 true 0 true", "3 false 1 true"},
		{`local _ = map(catalog.top(catalog.search("item"), 3), "id") local n = 0
			for _, id in ipairs{"shop.item.list", "shop.item.get", "shop.item.price", "shop.item.huge", "shop.item.slow", "admin.shop.purge"} do
				if pcall(catalog.get, id) then n = n + 1 end
			end return n < 5`, "true", "false"},
		{`local told = {} for _, id in ipairs{"shop.item.lis", "shop.item.gett", "shop.item.pric", "admin.shop.purg"} do
			local _, err = pcall(call, id, {}) for near in err.hint:gmatch("[a-z]+%.[a-z]+%.[a-z]+") do told[near] = true end
		end return #keys(told) <= 3`, "true", "false"},
		{`local n = 0 for name in pairs(shop.item) do n = n + 1 end return n > 3`, "false", "true"},
		{`local n = 0 for name in pairs(shop.item) do n = n + 1 end for name in pairs(admin.shop) do n = n + 1 end return n <= 3`, "true", "false"},
		{`return #map(catalog.search("zzz"), "id")`, "0", "0"},
		{`return tostring(catalog.search("item")):gsub("\n", "")`, "", ""},
	}
	for _, test := range tests {
		for author, want := range map[Author]string{Model: test.model, User: test.person} {
			out := b.run(author, test.script)
			if out.Err != nil {
				t.Errorf("%s: %s\n%v", author, test.script, out.Err)
				continue
			}
			var got []string
			for _, v := range out.Values {
				got = append(got, v.Repr)
			}
			if want != "" && strings.Join(got, " ") != want {
				t.Errorf("%s: %s\ngot %v, want %s", author, test.script, got, want)
			}
		}
	}
}

// TestReadingDescriptions: a script describes no more actions than the tool does, and they are told in the outcome.
func TestReadingDescriptions(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Budget.Described, o.Budget.Selected = 3, 4 })
	tests := []struct {
		script  string
		actions []string
		specs   int
		limit   string
	}{
		{`catalog.describe("shop.item.get") catalog.describe{"shop.item.get", "shop.item.list"} shop.item.get{item_id = "a"}`,
			nil, 2, ""},
		{`for i = 1, 5 do pcall(catalog.describe, "nobody" .. i) end`, nil, 0, "described"},
		{`for _, id in ipairs{"shop.item.get", "shop.item.list", "shop.item.huge", "shop.item.slow"} do pcall(catalog.describe, id) end`, nil, 3, "described"},
		{`catalog.describe("shop.item.get")`,
			[]string{"shop.item.get", "shop.item.list", "shop.item.huge", "shop.item.slow"}, 1, ""},
		{`catalog.describe("shop.item.hang")`,
			[]string{"shop.item.get", "shop.item.list", "shop.item.huge", "shop.item.slow"}, 0, "described"},
	}
	for _, test := range tests {
		out, err := b.session.Run(t.Context(), Script{Source: test.script, Author: Model, Actions: test.actions})
		if err != nil {
			t.Fatal(err)
		}
		limit := ""
		if out.Err != nil {
			limit = out.Err.Limit
		}
		if len(out.Specs) != test.specs || limit != test.limit {
			t.Errorf("%s: %d specs, err %v", test.script, len(out.Specs), out.Err)
		}
	}
	if out := b.run(User, `for _, h in ipairs(catalog.search("item")) do catalog.describe(h.id) end`); out.Err != nil ||
		len(out.Specs) != 0 {
		t.Errorf("the person's: %v, %d specs", out.Err, len(out.Specs))
	}
}

// TestReadingOverRuns: what runs have kept in globals, the person's too, is not told in one answer.
func TestReadingOverRuns(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Budget.Shown = 3 })
	b.run(User, `all = {} for _, id in ipairs{"get", "list", "price", "huge"} do all[#all + 1] = catalog.get("shop.item." .. id).line end`)
	b.run(Model,
		`for _, id in ipairs{"slow", "hang", "panic"} do all[#all + 1] = catalog.get("shop.item." .. id).line end`)
	b.run(Model, `for _, id in ipairs{"item.leak", "item.get"} do all[#all + 1] = catalog.get("shop." .. id).line end`)
	if out := b.run(User, `return #all`); out.Err != nil || out.Values[0].Repr != "9" {
		t.Fatal(out.Err, out.Values)
	}
	for _, script := range []string{
		`return all`, `print(table.concat(all, "\n"))`, `error(table.concat(all, "\n"))`, `error(all)`, `log(repr(all))`,
		`return {deep = {all}}`,
		`local t = {} for _, line in ipairs(all) do t[line:match("^[%w.]+")] = true end return t`,
		`return json.encode(all)`, `return repr(table.concat(all, "\n"))`,
	} {
		out := b.run(Model, script)
		text := out.Stdout + strings.Join(out.Logs, "\n")
		for _, v := range out.Values {
			text += v.Repr + fmt.Sprint(v.Data)
		}
		if out.Err != nil {
			text += out.Err.Message
			if out.Err.Value != nil {
				text += out.Err.Value.Repr + fmt.Sprint(out.Err.Value.Data)
			}
		}
		seen := 0
		for _, e := range b.shop.entries() {
			if strings.Contains(text, e.ID) {
				seen++
			}
		}
		if seen > 3 || seen == 0 || !out.Withheld {
			t.Errorf("%s: %d actions, withheld %v:\n%s", script, seen, out.Withheld, text)
		}
	}
}

// TestReadingKept: a set that the model keeps in a global is part of the state like any other value, with what was
// read.
func TestReadingKept(t *testing.T) {
	b := newBench(t, nil)
	b.run(Model, `s = catalog.search("item") first = s[1].id p = catalog.plan{catalog.pick(s)} n = #p.steps[1].hits`)
	b.settle()
	b.kill()
	out := b.run(Model, `return first == s[1].id, #s, s.total, #p.steps[1].hits, tostring(s) ~= ""`)
	if out.Err != nil || out.Unsaved != "" || len(out.Values) != 5 ||
		out.Values[0].Repr != "true" || out.Values[1].Repr != "1" {
		t.Errorf("%+v %v %q", out.Values, out.Err, out.Unsaved)
	}
}
