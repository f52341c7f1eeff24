package saved

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/compare"
	"almanac/catalog/manifest"
	"almanac/internal/golden"
	"almanac/session"
	"almanac/session/kernel"
	"almanac/session/syntax"
)

func TestMain(m *testing.M) {
	if kernel.Main() {
		return
	}
	os.Exit(m.Run())
}

// view is a catalog of three actions; none of them may be called.
func view(t *testing.T) *catalog.View {
	t.Helper()
	act := func(context.Context, catalog.Call) (catalog.Result, error) {
		t.Error("a real action was called")
		return catalog.Result{}, nil
	}
	c, _ := catalog.New([]catalog.Entry{
		{ID: "crm.customer.get", Source: "demo", Action: act, Input: catalog.MustSchema(`{"type":"object","properties":{
			"id":{"type":"string","description":"Customer, like cus_0001.","pattern":"^cus_"},"full":{"type":"boolean"}},"required":["id"]}`)},
		{ID: "billing.invoice.list", Source: "demo", Action: act, Input: catalog.MustSchema(`{"type":"object","properties":{
			"customer_id":{"type":"string"},"status":{"type":"string","enum":["open","paid"]},"limit":{"type":"integer"},
			"filter":{"type":"object","properties":{"min_cents":{"type":"integer","minimum":0}}}}}`)},
		{ID: "billing.refund.issue", Source: "demo", Mutates: true, Risk: catalog.High, Action: act,
			Input: catalog.MustSchema(`{"type":"object","properties":{"invoice_id":{"type":"string"},
			"amount_cents":{"type":"integer","minimum":1}},"required":["invoice_id","amount_cents"]}`)},
	}, catalog.Options{})
	return c.View()
}

const script = `local c = crm.customer.get{id = "cus_1", full = true}
local refunds = {}
for _, inv in ipairs(billing.invoice.list{customer_id = "cus_1", status = "open", limit = 10, filter = {min_cents = 500}}) do
  refunds[#refunds + 1] = billing.refund.issue{invoice_id = inv.id, amount_cents = 500}.id
end
return {name = c.name, refunds = refunds}
`

var recorded = []manifest.TestCall{
	{ID: "crm.customer.get", Args: map[string]any{"id": "cus_1", "full": true},
		Result: map[string]any{"name": "Ann: \"a\""}},
	{ID: "billing.invoice.list", Args: map[string]any{"customer_id": "cus_1", "status": "open", "limit": int64(10),
		"filter": map[string]any{"min_cents": int64(500)}},
		Result: []any{map[string]any{"id": "inv_1", "note": "no"}, map[string]any{"id": "inv_2", "note": "two\nlines"}}},
	{ID: "billing.refund.issue", Args: map[string]any{"invoice_id": "inv_1", "amount_cents": int64(500)},
		Result: map[string]any{"id": "ref_1"}},
	{ID: "billing.refund.issue", Args: map[string]any{"invoice_id": "inv_2", "amount_cents": int64(500)},
		Result: map[string]any{"id": "ref_2"}},
}

// TestFile writes the file of an action, reads it back and replays its test.
func TestFile(t *testing.T) {
	v := view(t)
	d, err := NewDraft(script, v)
	if err != nil {
		t.Fatal(err)
	}
	var values strings.Builder
	for i, value := range d.Values {
		values.WriteString(strings.Join([]string{string(rune('1' + i)), value.Name, value.Text, value.Call}, " "))
		if value.Proposed {
			values.WriteString(" proposed")
		}
		values.WriteString("\n")
	}
	golden.Equal(t, "testdata/values.golden", values.String())
	choices := append(d.Proposed(), Choice{N: 4, Default: true})
	s, args, err := d.Action("billing.refund_open", choices, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Description, s.Origin = Description(s), "Saved in a test."
	s.Tests = []manifest.Test{{Args: args, Calls: recorded, Result: map[string]any{
		"name": "Ann: \"a\"", "refunds": []any{"ref_1", "ref_2"}}}}
	s.Output = ShapeOf(s.Tests[0].Result)
	text, err := s.Text()
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "testdata/action.golden", string(text))

	dir := t.TempDir()
	if err := os.WriteFile(dir+"/a.yaml", text, 0o600); err != nil {
		t.Fatal(err)
	}
	all, broken, err := manifest.ReadTests(t.Context(), dir)
	if err != nil || len(broken) > 0 || len(all) != 1 || all[0].Err != nil {
		t.Fatalf("%+v %+v %v", all, broken, err)
	}
	if lines := v.Stale(&all[0].Entry); len(lines) > 0 {
		t.Errorf("stale: %q", lines)
	}
	got, failed, err := Replay(t.Context(), &all[0].Entry, all[0].Tests[0], v)
	if lines := Compare(all[0].Tests[0], got); err != nil || failed != nil || len(lines) > 0 {
		t.Errorf("%v, %v, %q", err, failed, lines)
	}
	if !all[0].Entry.Mutates || all[0].Entry.Risk != catalog.High {
		t.Errorf("it mutates: %t, risk %s", all[0].Entry.Mutates, all[0].Entry.Risk)
	}
}

// TestReplayDiffers checks what a replay says of an action that does something else than in its test.
func TestReplayDiffers(t *testing.T) {
	v := view(t)
	var b strings.Builder
	for _, c := range []struct{ name, lua string }{
		{"another argument", `return crm.customer.get{id = "cus_2", full = true}.name`},
		{"one call fewer", `return "Ann"`},
		{"one call more", `crm.customer.get{id = "cus_1", full = true} local ok, e = pcall(crm.customer.get, {id = "cus_1"}) return "Ann"`},
		{"another result", `return {crm.customer.get{id = "cus_1", full = true}}`},
		{"an error", `crm.customer.get{id = "cus_1", full = true} error("no")`},
		{"the same", `return crm.customer.get{id = "cus_1", full = true}.name`},
	} {
		test := manifest.Test{Calls: []manifest.TestCall{recorded[0]}, Result: `Ann: "a"`}
		got, failed, err := Replay(t.Context(), &catalog.Entry{ID: "mine.x", Lua: c.lua}, test, v)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("# " + c.name + "\n")
		for _, line := range Compare(test, got) {
			b.WriteString(line + "\n")
		}
		if failed != nil {
			b.WriteString("error: " + failed.Error() + "\n")
		}
	}
	golden.Equal(t, "testdata/differs.golden", b.String())
}

// TestBound checks that what a test records is bounded, and is said to be cut.
func TestBound(t *testing.T) {
	var rows []any
	for range 5000 {
		rows = append(rows, map[string]any{"id": "inv_0001", "lines": []any{"a", "b"}})
	}
	calls, cut, ok := Bound([]manifest.TestCall{{ID: "a.b", Result: rows}, {ID: "a.c", Result: int64(1)}})
	text, _ := json.Marshal(calls)
	if !ok || len(text) > maxTest || cut != "lists in results are cut at 512 items" || calls[1].Result != int64(1) {
		t.Errorf("%d bytes, %q, %t", len(text), cut, ok)
	}
	if _, _, ok := Bound([]manifest.TestCall{{ID: "a.b", Result: strings.Repeat("x", maxTest)}}); ok {
		t.Error("a long text fits")
	}
	if _, cut, ok := Bound(recorded); !ok || cut != "" {
		t.Errorf("small results are cut: %q", cut)
	}
}

// TestLiteralValues checks that a parameter gets the value that its literal has in Lua.
func TestLiteralValues(t *testing.T) {
	c, _ := catalog.New(nil, catalog.Options{})
	s, err := session.New(c.View(), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, text := range []string{
		`"a\nb\t\\\"\065\x41\u{48}\z
		   c"`, `'it\'s'`, "[[\nlong]]", "[==[a]]b]==]", "\"a\\\nb\"", "0", "-5", "- 5", "0x10", "-0x1F", "1.5",
		"1e3", "0x.8p1", "9007199254740993", "-9007199254740993", "3.0", "'ä€'", `""`,
	} {
		found := syntax.Literals("return " + text)
		if len(found) != 1 {
			t.Errorf("%s: %d literals", text, len(found))
			continue
		}
		out, err := s.Run(t.Context(), session.Script{Source: "return " + text, Author: session.User})
		if err != nil || out.Err != nil {
			t.Fatalf("%s: %v %v", text, err, out.Err)
		}
		if got, want := found[0].Value, out.Values[0].Data; !compare.Same(got, want) {
			t.Errorf("%s is %#v, Lua says %#v", text, got, want)
		}
	}
}

// TestLoneLiteral has values that are passed without a name: they are parameters like named ones.
func TestLoneLiteral(t *testing.T) {
	for _, body := range []string{`return crm.customer.get("cus_1")`, `return call("crm.customer.get", "cus_1")`,
		`return crm.customer.get "cus_1"`} {
		d, err := NewDraft(body, view(t))
		if err != nil || len(d.Values) != 1 {
			t.Fatalf("%s: %+v, %v", body, d, err)
		}
		if v := d.Values[0]; v.Name != "id" || v.Call != "crm.customer.get" || !v.Proposed ||
			!strings.Contains(string(v.schema), "Customer, like cus_0001.") {
			t.Errorf("%s: %+v %s", body, v, v.schema)
		}
	}
}
