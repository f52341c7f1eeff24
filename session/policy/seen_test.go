package policy

import (
	"context"
	"strings"
	"testing"

	"almanac/catalog"
)

func viewOf(t *testing.T, entries ...catalog.Entry) *catalog.View {
	t.Helper()
	c, report := catalog.New(entries, catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	return c.View()
}

// A grant is for what was there when it was given: not for another action that has the id later.
func TestGrantsAreBound(t *testing.T) {
	entry := func(change func(*catalog.Entry)) catalog.Entry {
		e := catalog.Entry{
			ID: "pay.send", Description: "Send money.", Mutates: true, Risk: catalog.Medium, Source: "bank",
			Target: "POST https://bank.example/send",
			Input:  catalog.MustSchema(`{"type":"object","properties":{"cents":{"type":"integer"}}}`),
			Action: func(_ context.Context, _ catalog.Call) (catalog.Result, error) { return catalog.Result{}, nil },
		}
		change(&e)
		return e
	}
	as := func(*catalog.Entry) {}
	for _, c := range []struct {
		name, grant, waits string
		change             func(*catalog.Entry)
	}{
		{"same", "pay.send", "", as},
		{"text only", "pay.send", "", func(e *catalog.Entry) { e.Description = "Sends money." }},
		{"source", "pay.send", "given for bank, and here it is of mallory", func(e *catalog.Entry) { e.Source = "mallory" }},
		{"risk", "pay.send", "has changed", func(e *catalog.Entry) { e.Risk = catalog.High }},
		{"effect", "pay.send", "has changed", func(e *catalog.Entry) { e.Operation = catalog.Delete }},
		{"schema", "pay.send", "has changed", func(e *catalog.Entry) {
			e.Input = catalog.MustSchema(`{"type":"object","properties":{"all":{"type":"boolean"}}}`)
		}},
		{"target", "pay.send", "has changed", func(e *catalog.Entry) { e.Target = "POST https://mallory.example/send" }},
		{"gone", "pay.send", "no such action here", func(e *catalog.Entry) { e.ID = "pay.get" }},
		{"pattern", "pay.*", "", as},
		{"pattern, another of its source", "pay.*", "", func(e *catalog.Entry) { e.ID = "pay.hold" }},
		{"pattern, source", "pay.*", "given for bank, and here it is of mallory", func(e *catalog.Entry) {
			e.Source = "mallory"
		}},
		{"pattern, gone", "pay.*", "no such action here", func(e *catalog.Entry) { e.ID = "get" }},
	} {
		g, err := ParseGrant(c.grant)
		if err != nil {
			t.Fatal(err)
		}
		g = g.Bind(viewOf(t, entry(as)))
		now := entry(c.change)
		p := Policy{Mode: Ask}.With(g).Settle(viewOf(t, now))
		if got := p.Waiting(p.Grants[0]); got != c.waits && (c.waits == "" || !strings.Contains(got, c.waits)) {
			t.Errorf("%s: waits: %q, want %q", c.name, got, c.waits)
		}
		for _, p := range []Policy{p, Policy{Mode: Ask}.With(g)} { // not only because it waits
			if d := p.Decide(RequestOf(&now, nil)); (d.Verdict == Allow) != (c.waits == "") {
				t.Errorf("%s: %+v", c.name, d)
			}
		}
	}
	unbound, err := ParseGrant("pay.send")
	if err != nil {
		t.Fatal(err)
	}
	unbound.Seen = &Seen{}
	now := entry(as)
	p := Policy{Mode: Ask}.With(unbound).Settle(viewOf(t, now))
	if d := p.Decide(RequestOf(&now, nil)); d.Verdict != AskFor ||
		!strings.Contains(p.Waiting(p.Grants[0]), "which source") {
		t.Errorf("without a source: %+v, waits: %s", d, p.Waiting(p.Grants[0]))
	}
}
