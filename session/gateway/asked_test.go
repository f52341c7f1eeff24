package gateway

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/session"
)

// One question for a whole run: the form has the list, leaves out by number, and takes a reason.
func TestElicitationOfARun(t *testing.T) {
	refund := &catalog.Entry{ID: "billing.refund.issue", Mutates: true, Risk: catalog.High,
		Description: "Refund an invoice. Cannot be undone."}
	for _, c := range []struct {
		forms []map[string]any
		want  session.Approval
		says  string
	}{
		{[]map[string]any{{"decision": "once"}}, session.Approval{Verdict: session.Once}, ""},
		{[]map[string]any{{"decision": "once", "skip": " 2, 4-5 "}},
			session.Approval{Verdict: session.Once, Off: []int{1, 3, 4}}, ""},
		{[]map[string]any{{"decision": "once", "skip": "the last"}, {"decision": "once", "skip": "12"}},
			session.Approval{Verdict: session.Once, Off: []int{11}}, "Leave out: the: want numbers from 1 to 12"},
		{[]map[string]any{{"decision": "once", "skip": "1-12"}}, session.Approval{Reason: "nothing is left to make"}, ""},
		{[]map[string]any{{"decision": "once", "skip": "all"}}, session.Approval{Reason: "nothing is left to make"}, ""},
		{slices.Repeat([]map[string]any{{"decision": "once", "skip": "x"}}, maxAsked),
			session.Approval{Reason: "the numbers to leave out could not be read"}, ""},
		{[]map[string]any{{"decision": "deny", "reason": " wrong customer "}},
			session.Approval{Reason: "wrong customer"}, ""},
	} {
		var asked []string
		b := newBench(t, Options{})
		cs := b.dial(t, Client{}, &sdk.ClientOptions{
			ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				asked = append(asked, r.Params.Message)
				return &sdk.ElicitResult{Action: "accept", Content: c.forms[len(asked)-1]}, nil
			},
		})
		r := session.Request{Entry: refund, Author: session.Model, Reason: "mutations need approval"}
		for i := range 12 {
			r.Batch = append(r.Batch, session.Planned{Entry: refund, Args: map[string]any{"id": i + 1}})
		}
		got, err := b.asks(t, cs, r)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil || len(asked) != len(c.forms) {
			t.Errorf("%v: asked %d times, %v (-want +got):\n%s", c.forms, len(asked), err, diff)
		}
		want := "Allow 12 writes, 12 of high risk, in 1 run? !! MUTATES · HIGH RISK\nbilling.refund.issue 12 times" +
			"   !! MUTATES · HIGH RISK\n  ! Cannot be undone.\n  Refund an invoice.\n   1 on  { id = 1 }\n"
		if !strings.HasPrefix(asked[0], want) {
			t.Errorf("asked %s", asked[0])
		}
		if last := asked[len(asked)-1]; !strings.Contains(last, "\n  12 on  { id = 12 }\n") ||
			!strings.Contains(last, c.says) {
			t.Errorf("%v: asked %s", c.forms, last)
		}
	}
}

// A form that comes a second time begins with what was left out: empty leaves it out again.
func TestElicitationOfARunAgain(t *testing.T) {
	refund := &catalog.Entry{ID: "billing.refund.issue", Mutates: true, Risk: catalog.High}
	edited := map[int]map[string]any{2: {"id": 30}}
	for skip, off := range map[string][]int{"": {0, 3}, "1, 4": {0, 3}, " None": nil, "2": {1}} {
		var asked *sdk.ElicitParams
		b := newBench(t, Options{})
		cs := b.dial(t, Client{}, &sdk.ClientOptions{
			ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				asked = r.Params
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "once", "skip": skip}}, nil
			},
		})
		r := session.Request{Entry: refund, Author: session.Model, Chosen: session.Approval{Off: []int{0, 3}, Edited: edited}}
		for i := range 4 {
			r.Batch = append(r.Batch, session.Planned{Entry: refund, Args: map[string]any{"id": i + 1}})
		}
		got, err := b.asks(t, cs, r)
		want := session.Approval{Verdict: session.Once, Off: off, Edited: edited}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", skip, err, diff)
		}
		schema := fmt.Sprint(asked.RequestedSchema)
		for _, says := range []string{"1 off { id = 1 }", "3 on  { id = 30 }", "You left out 1, 4 before", "none makes all"} {
			if !strings.Contains(asked.Message, says) {
				t.Errorf("no %q in %s", says, asked.Message)
			}
		}
		if !strings.Contains(schema, "1, 4") {
			t.Errorf("the form is %s", schema)
		}
	}
}

// A script with several writes is asked about once, and makes what the form leaves in.
func TestElicitationOfAScript(t *testing.T) {
	var asked []string
	cs := newBench(t, Options{}).dial(t, Client{Rules: catalog.Rules{Actor: "ann"}}, &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			asked = append(asked, r.Params.Message)
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "once", "skip": "2"}}, nil
		},
	})
	got := textOf(call(t, cs, "execute", script(
		`return {shop.buy{id="a"} or "no", shop.buy{id="b"} or "left out", shop.buy{id="c"} or "no"}`, "shop.buy")))
	if len(asked) != 1 || !strings.Contains(asked[0], "shop.buy 3 times") {
		t.Errorf("asked %q", asked)
	}
	if !strings.Contains(got, "ann bought a") || strings.Contains(got, "ann bought b") ||
		!strings.Contains(got, "left out") || !strings.Contains(got, "ann bought c") {
		t.Errorf("got %s", got)
	}
}

// An answer that is neither yes nor no makes nothing, and the model is told so in words.
func TestElicitationUndecided(t *testing.T) {
	for name, answer := range map[string]sdk.ElicitResult{
		"no content":   {Action: "accept"},
		"no decision":  {Action: "accept", Content: map[string]any{}},
		"null":         {Action: "accept", Content: map[string]any{"decision": nil}},
		"a number":     {Action: "accept", Content: map[string]any{"decision": 1}},
		"not offered":  {Action: "accept", Content: map[string]any{"decision": "always"}},
		"no action":    {},
		"other action": {Action: "ok", Content: map[string]any{"decision": "once"}},
	} {
		cs := newBench(t, Options{}).dial(t, Client{Rules: catalog.Rules{Actor: "ann"}}, &sdk.ClientOptions{
			ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) { return &answer, nil },
		})
		got := textOf(call(t, cs, "execute", script(`return shop.buy{id="a"}`, "shop.buy")))
		if !strings.Contains(got, "shop.buy: denied: the question was not answered: the person did not decide") ||
			strings.Contains(got, "ann bought") || strings.Contains(got, "reflect") || strings.Contains(got, "schema") {
			t.Errorf("%s: got %s", name, got)
		}
	}
}
