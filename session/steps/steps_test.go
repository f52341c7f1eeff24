package steps_test

import (
	"context"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"almanac/catalog"
	"almanac/internal/golden"
	"almanac/session/steps"
	"almanac/session/syntax"
)

// office is a small catalog whose results have schemas of every shape.
func office(t testing.TB) *catalog.View {
	t.Helper()
	const customer = `{"type":"object","title":"customer","properties":{"id":{"type":"string"},"name":{"type":"string"},` +
		`"due-date":{"type":["string","null"]},"owner":{"type":"object","properties":{"mail":{"type":"string"}}}}}`
	schema := catalog.MustSchema
	entries := []catalog.Entry{
		{
			ID:     "crm.customer.search",
			Input:  schema(`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"]}`),
			Output: schema(`{"type":"array","items":` + customer + `}`),
		},
		{
			ID: "crm.customer.get", Output: schema(customer),
			Input: schema(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`),
		},
		{
			ID: "crm.note.add", Mutates: true,
			Input: schema(`{"type":"object","properties":{"customer":{"type":"string"},"text":{"type":"string","minLength":3},` +
				`"tags":{"type":"array","items":{"type":"string"}},"at":{"type":"object","properties":{"day":{"type":"integer"}},` +
				`"required":["day"]}},"required":["customer","text"]}`),
		},
		{
			ID: "crm.page", Input: schema(`{"type":"object","properties":{}}`),
			Output: schema(`{"type":"object","properties":{"total":{"type":"integer"},"items":{"type":"array","items":` + customer + `}}}`),
		},
		{ID: "free-form.read", Input: schema(`{"type":"object"}`)},
	}
	for i := range entries {
		entries[i].Action = func(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{}, nil }
	}
	c, report := catalog.New(entries, catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	return c.View()
}

// TestPlans reads, checks and translates each plan in testdata: want is its Lua, with the step of each line, or all
// that is wrong with it.
func TestPlans(t *testing.T) {
	view := office(t)
	golden.Archives(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) {
		for i := range a.Files {
			if f := &a.Files[i]; f.Name == "want" {
				f.Data = []byte(played(t, view, a.Files[i-1].Data))
			}
		}
	})
}

func played(t *testing.T, view *catalog.View, raw []byte) string {
	p, err := steps.Read(raw)
	if err == nil {
		err = p.Check(steps.Scope{View: view, Globals: []string{"acme"}})
	}
	if err != nil {
		return err.Error() + "\n"
	}
	source, stepOf := p.Lua()
	if err := syntax.Check(source); err != nil {
		t.Errorf("%s: %v\n%s", raw, err, source)
	}
	lines := strings.Split(source, "\n")
	if len(lines) != len(stepOf) {
		t.Errorf("%d lines, steps of %d", len(lines), len(stepOf))
	}
	return source + "\n"
}

// FuzzPlan: no JSON panics, and what is read is Lua, checked or not.
func FuzzPlan(f *testing.F) {
	view := office(f)
	for _, seed := range []string{
		`[{"id":"crm.customer.search","args":{"query":"Acme"},"as":"rows"},{"id":"crm.note.add","each":"$rows",` +
			`"where":{"name":{"!=":"x"},"id":["a","b"]},"args":{"customer":"$it.id","text":"$$it"}}]`,
		`{"steps":[{"each":[1,null,{"x":["$it"]}],"where":{"a.b[1]":{">":3},"due-date":null}}]}`,
		`"[{\"id\":\"free-form.read\",\"args\":{\"end\":\"$_1[2].end\"}}]"`,
		`[{"id":"a\nb","as":"c","where":{"x":{"in":"$c"}},"args":{"\u0000":1e400,"y":"$c.x-y"}}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		p, err := steps.Read([]byte(raw))
		if err != nil {
			return
		}
		translated(t, p)
		if err := p.Check(steps.Scope{View: view}); err == nil {
			translated(t, p)
		}
	})
}

func translated(t *testing.T, p *steps.Plan) {
	source, stepOf := p.Lua()
	if err := syntax.Check(source); err != nil {
		t.Errorf("%v\n%s", err, source)
	}
	if n := strings.Count(source, "\n") + 1; n != len(stepOf) {
		t.Errorf("%d lines, steps of %d:\n%s", n, len(stepOf), source)
	}
}
