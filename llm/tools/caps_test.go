package tools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"almanac/catalog"
	"almanac/llm/tools"
	"almanac/session"
	"almanac/session/vm"
)

// many is a catalog of 1,320 actions of which a word finds hundreds; most require an id that another finds.
func many(t *testing.T) *catalog.View {
	t.Helper()
	verbs := []string{"create", "get", "list", "update", "delete", "send", "void", "merge", "export", "count"}
	nouns := []string{"invoice", "customer", "order", "refund", "ticket", "user"}
	var entries []catalog.Entry
	for d := range 20 {
		for _, noun := range nouns {
			for _, verb := range verbs {
				entries = append(entries, catalog.Entry{
					ID:          fmt.Sprintf("region%d.%s.%s", d, noun, verb),
					Description: fmt.Sprintf("To %s the %s of a region.", verb, noun),
					Operation:   catalog.Read, Entities: []string{noun}, Tags: []string{verb},
					Input: catalog.MustSchema(`{"type":"object","properties":{"` + noun +
						`_id":{"type":"string"}},"required":["` + noun + `_id"]}`),
					Output: catalog.MustSchema(`{"type":"object","properties":{"` + noun + `_id":{"type":"string"}}}`),
				})
			}
			entries = append(entries, catalog.Entry{
				ID: fmt.Sprintf("region%d.%s.find", d, noun), Description: "To find some.", Operation: catalog.Read,
			})
		}
	}
	all, report := catalog.New(entries, catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	return all.View()
}

// A scriptWriter writes random scripts that get hold of as much of a catalog as they can.
type scriptWriter struct {
	*rand.Rand
	ids, roots []string
}

func (w scriptWriter) of(list ...string) string { return list[w.IntN(len(list))] }

func (w scriptWriter) words() string {
	return w.of("invoice", "customer", "list", "refund of an order", "user", "void invoices", "send", "ticket", "count")
}

func (w scriptWriter) options() string {
	return w.of("", ", {limit = 1000}", ", {limit = 1000}", ", {mutates = false}",
		", {needs_output = \"customer_id\", limit = 500}",
		fmt.Sprintf(", {domains = {%q}}", w.of(w.roots...)))
}

func (w scriptWriter) set(depth int) string {
	if depth > 2 {
		return fmt.Sprintf("catalog.search(%q, {limit = 1000})", w.words())
	}
	inner := func() string { return w.set(depth + 1) }
	return w.of(
		fmt.Sprintf("catalog.search(%q%s)", w.words(), w.options()),
		fmt.Sprintf("catalog.search(%q%s)", w.words(), w.options()),
		fmt.Sprintf("catalog.namespace(%q, %q)", w.of(w.roots...), w.of(w.roots...)),
		fmt.Sprintf("catalog.tags(%q)", w.words()),
		fmt.Sprintf("catalog.entities(%q, %q)", "invoice", "customer"),
		`catalog.inputs("customer_id", "invoice_id")`,
		`catalog.outputs("customer_id", "invoice_id")`,
		fmt.Sprintf("catalog.filter(%s%s)", inner(), w.options()),
		fmt.Sprintf("catalog.union(%s, %s)", inner(), inner()),
		fmt.Sprintf("catalog.intersect(%s, %s)", inner(), inner()),
		fmt.Sprintf("catalog.boost(%s, {tags = \"list\", by = 3})", inner()),
		fmt.Sprintf("catalog.top(%s, %d)", inner(), 1+w.IntN(1000)),
	)
}

// source is what a script may get hits from.
func (w scriptWriter) source() string {
	set := w.set(0)
	switch w.IntN(6) {
	case 0:
		return fmt.Sprintf("catalog.pick(%s, {limit = 1000})", set)
	case 1:
		return fmt.Sprintf("catalog.pick(%s, {limit = 1000}).hits", set)
	case 2, 3:
		var steps []string
		for range 1 + w.IntN(1+w.IntN(20)) {
			steps = append(steps, fmt.Sprintf("catalog.pick(%s, {limit = %d})", w.set(1), 1+w.IntN(1000)))
		}
		return w.of("", "", "all_hits") + "(catalog.plan{" + strings.Join(steps, ", ") + "})"
	}
	return set
}

// prologue has ways to read a source.
const prologue = `
local function all_hits(plan) local out = {} for _, s in ipairs(plan.steps) do for _, h in ipairs(s.hits) do out[#out + 1] = h end end return out end
local function hits_of(s) if s.steps then return all_hits(s) end return s.hits or s end
local function lines(s) local out = {} for _, h in pairs(hits_of(s)) do if type(h) == "table" then out[#out + 1] = h.line end end return out end
local function ids(s) local out = {} local l = hits_of(s) for i = 1, 1000 do local h = l[i] if h then out[#out + 1] = h.id end end return out end
local function each(s, f) local out = {} for _, id in ipairs(ids(s)) do local ok, v = pcall(f, id) out[#out + 1] = ok and v or tostring(v) .. tostring(type(v) == "table" and v.hint) end return out end
`

// value is an expression over the local s, a source.
func (w scriptWriter) value() string {
	return w.of("s", "s", "{s}", "{a = {s, s}}",
		"{s, catalog.search(\"list\", {limit = 1000}), catalog.search(\"customer\")}",
		"lines(s)", "ids(s)", "hits_of(s)", "{x = lines(s), y = ids(s)}", "table.concat(lines(s), \"\\n\")",
		"table.concat(ids(s), \" \")", "tostring(s)", "repr(s)", "repr(lines(s))", "json.encode(ids(s))",
		"map(ids(s), function(id) return id:reverse() end)", "map(hits_of(s), \"line\")", "sort_by(hits_of(s), \"id\")",
		"s.ids or s", "s.ids and map(s.ids, function(id) return id:reverse() end)", "each(s, catalog.get)",
		"each(s, function(id) return catalog.explain(id, \"list\") end)",
		"each(s, function(id) return tostring(catalog.describe(id)) end)",
		"each(s, function(id) return catalog.get(id:sub(1, -2)) end)",
		"each(s, function(id) return call(id:sub(1, -2)) end)", "catalog.describe(ids(s))", "tostring(catalog.facets(s))",
		"catalog.facets(s)",
		"{hits_of(s)[1], hits_of(s)[30], hits_of(s)[2]}", fmt.Sprintf("{%q, %q, s}", w.of(w.ids...), w.of(w.ids...)),
		"repr(repr(table.concat(lines(s), \"\\n\")))")
}

func (w scriptWriter) script(execute bool) string {
	var b strings.Builder
	b.WriteString(prologue)
	for range 1 + w.IntN(4) {
		fmt.Fprintf(&b, "do local s = %s\n", w.source())
		ways := []string{"print(%s)", "print(repr(%s))", "eprint(tostring(%s))", "log(%s)", "pcall(error, %s)",
			"print(select(2, pcall(error, repr(%s))))"}
		if execute {
			ways = append(ways, "kept = kept or {} kept[#kept + 1] = %s", "kept = kept or {} kept[#kept + 1] = %s",
				"_G[\"g\" .. math.random(9)] = %s")
		}
		way, value := w.of(ways...), w.value()
		// kept so, it is not recognised later: docs/limits.md
		for (strings.HasPrefix(way, "kept") || strings.HasPrefix(way, "_G")) && strings.Contains(value, "reverse") {
			value = w.value()
		}
		fmt.Fprintf(&b, way+"\nend\n", value)
	}
	fmt.Fprintf(&b, "local s = %s\n", w.source())
	ends := []string{"return %s", "return %s", "return %s, s, tostring(s)", "error(%s)",
		"error({message = repr(%s)})", "error(repr(%s))"}
	if execute {
		ends = append(ends, "_ = %s return kept", "_ = %s print(repr(kept), repr(vars()))", "_ = %s error(repr(kept))")
	}
	fmt.Fprintf(&b, w.of(ends...), w.value())
	return b.String()
}

// shown are the ids of a catalog in an answer, also those written backwards.
func shown(text string, known map[string]bool) map[string]bool {
	found := map[string]bool{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '_'
	}) {
		word = strings.Trim(word, ".")
		letters := []byte(word)
		slices.Reverse(letters)
		for _, id := range []string{word, word[min(len(word), 1):], string(letters)} { // "\nid" in a quoted text
			if known[id] {
				found[id] = true
			}
		}
	}
	return found
}

// testCaps has random scripts get hold of as much of a catalog as they can: an answer has 20 actions at most, beside
// those whose description it shows, however the script asks and whatever it does with them.
func testCaps(t *testing.T, view *catalog.View) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	w := scriptWriter{Rand: rand.New(rand.NewPCG(seed, 1)), roots: view.Roots()}
	known := map[string]bool{}
	for id := range view.All() {
		w.ids = append(w.ids, id)
		known[id] = true
	}
	s := newSession(t, view,
		session.Options{Limits: vm.Limits{Steps: 100_000_000, Time: time.Minute}, QueryTime: time.Minute})
	list := tools.Tools(tools.Options{})
	own, most := map[string]bool{}, 0 // what the scripts name themselves is the model's own
	for i := range 24 {
		tool := list[0]
		if i%2 == 1 {
			tool = list[2]
		}
		script := w.script(i%2 == 1)
		maps.Copy(own, shown(script, known))
		args, err := json.Marshal(map[string]any{"script": script})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := tool.Run(t.Context(), s, args)
		if err != nil {
			t.Fatalf("%v\n%s", err, script)
		}
		data, err := json.Marshal(reply.Data)
		if err != nil {
			t.Fatal(err)
		}
		described, _ := reply.Data["described"].([]any)
		if len(described) > 10 {
			t.Errorf("%d described\n%s", len(described), script)
		}
		for what, text := range map[string]string{"text": reply.Text, "data": string(data)} {
			ids := shown(text, known)
			most = max(most, len(ids))
			for id := range own {
				delete(ids, id)
			}
			if n := len(ids); n > 20+len(described) {
				t.Errorf("the %s has %d actions, %d of them described\n%s\n%.3000s", what, n, len(described), script, text)
			}
			if len(text) > 200<<10 {
				t.Errorf("the %s has %d bytes\n%s", what, len(text), script)
			}
		}
	}
	if most < 15 {
		t.Errorf("no answer has more than %d actions: the scripts do not work", most)
	}
}
