package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/llm"
	"almanac/llm/tools"
	"almanac/session"
	"almanac/session/policy"
)

// directly are actions that say what they were called with.
func directly(t *testing.T, o session.Options) (*session.Session, map[string]llm.Tool) {
	t.Helper()
	echo := func(_ context.Context, c catalog.Call) (catalog.Result, error) {
		return catalog.Result{Data: map[string]any{"args": c.Args, "actor": c.Context.Actor}}, nil
	}
	in := catalog.MustSchema(`{"type":"object","properties":{"id":{"type":"integer"},"note":{"type":"string"}},
		"required":["id"]}`)
	all, report := catalog.New([]catalog.Entry{
		{ID: "shop.item.get", Description: "Get an item.", Input: in, Action: echo},
		{ID: "shop.item.drop", Description: "Drop an item.", Input: in, Mutates: true, Risk: catalog.High, Action: echo},
		{ID: "shop.item.none", Description: "No arguments.", Action: echo},
		{ID: "shop.item.seen", Description: "Cannot be called."},
	}, catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	s := newSession(t, all.View(), o)
	byName := map[string]llm.Tool{}
	for _, tool := range tools.Direct(s, tools.Options{}) {
		byName[tool.Name] = tool
		if !json.Valid(tool.Schema) {
			t.Errorf("%s: %s", tool.Name, tool.Schema)
		}
	}
	return s, byName
}

// TestDirect: a tool for each action takes the same path as a script: arguments are checked, the policy decides.
func TestDirect(t *testing.T) {
	asked := 0
	s, byName := directly(t, session.Options{
		Policy: policy.Policy{Mode: policy.Ask}, Context: catalog.Context{Actor: "ann"},
		Approve: func(context.Context, session.Request) (session.Approval, error) {
			asked++
			if asked == 1 {
				return session.Approval{Verdict: session.Once}, nil
			}
			return session.Approval{Verdict: session.Refuse, Reason: "not now"}, nil
		},
	})
	if len(byName) != 3 {
		t.Errorf("%d tools", len(byName))
	}
	// The person's global of the same name must not get in the way of calls.
	if _, err := s.Run(t.Context(), session.Script{Source: `call = nil`, Author: session.User}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ tool, args, want, wrong string }{
		{"shop_item_get", `{"id":9007199254740993,"note":"a\"b\u0000]]"}`,
			`{"actor":"ann","args":{"id":9007199254740993,"note":"a\"b\u0000]]"}}`, ""},
		{"shop_item_none", `{}`, `{"actor":"ann","args":{}}`, ""},
		{"shop_item_get", `{}`, "", "shop.item.get: argument id: want integer, got nothing"},
		{"shop_item_get", `{"id":"x"}`, "", "shop.item.get: argument id: want int"},
		{"shop_item_get", `[]`, "", "arguments are not an object"},
		{"shop_item_drop", `{"id":1}`, `{"actor":"ann","args":{"id":1}}`, ""},
		{"shop_item_drop", `{"id":2}`, "", "denied by the person: not now"},
	} {
		answer, err := byName[test.tool].Run(t.Context(), json.RawMessage(test.args))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if answer.Text != test.want || (got == "") != (test.wrong == "") || !strings.Contains(got, test.wrong) {
			t.Errorf("%s %s: got %q, %q; want %q, %q", test.tool, test.args, answer.Text, got, test.want, test.wrong)
		}
	}
	if err := s.SetPolicy(policy.Policy{Mode: policy.ReadOnly, Named: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := byName["shop_item_drop"].Run(t.Context(), json.RawMessage(`{"id":1}`)); err == nil ||
		!strings.Contains(err.Error(), "read-only") {
		t.Errorf("read-only: %v", err)
	}
}
