package policy

import (
	"testing"

	"almanac/catalog"
	"almanac/catalog/pattern"
)

func ids(text string) pattern.Pattern {
	p, err := pattern.Parse(text)
	if err != nil {
		panic(err)
	}
	return p
}

func TestDecide(t *testing.T) {
	read := Request{ID: "billing.invoice.list", Operation: catalog.Read}
	refund := Request{ID: "billing.refund.issue", Operation: catalog.Create, Risk: catalog.High, Mutates: true,
		Args: map[string]any{"amount_cents": int64(500), "currency": "EUR"}}
	note := Request{ID: "support.note.add", Operation: catalog.Create, Risk: catalog.Low, Mutates: true}
	for _, c := range []struct {
		name   string
		policy Policy
		r      Request
		want   Verdict
		rule   string
	}{
		{"the zero policy allows a read", Policy{}, read, Allow, "reads are allowed"},
		{"the zero policy denies a mutation", Policy{}, note, Deny, "policy readonly"},
		{"readonly denies", Policy{Mode: ReadOnly}, refund, Deny, "policy readonly"},
		{"ask asks", Policy{Mode: Ask}, note, AskFor, "policy ask"},
		{"session allows low risk", Policy{Mode: Session}, note, Allow, "policy session"},
		{"session asks about high risk", Policy{Mode: Session}, refund, AskFor, "policy session"},
		{"an unknown mode denies", Policy{Mode: "whatever"}, note, Deny, "policy whatever"},
		{"a rule allows one id",
			Policy{Rules: []Rule{{Name: "r", IDs: ids("support.note.add"), Verdict: Allow}}}, note, Allow, "r"},
		{"a rule for a namespace",
			Policy{Mode: Session, Rules: []Rule{{Name: "r", IDs: ids("support.*"), Verdict: Deny}}}, note, Deny, "r"},
		{"a prefix is whole segments", Policy{Mode: Session, Rules: []Rule{{Name: "r", IDs: ids("supp.*"), Verdict: Deny}}},
			note, Allow, "policy session"},
		{"the first rule decides",
			Policy{Rules: []Rule{{Name: "a", IDs: ids("*"), Verdict: AskFor}, {Name: "b", IDs: ids("*"), Verdict: Allow}}}, note,
			AskFor, "a"},
		{"by operation",
			Policy{Mode: Session, Rules: []Rule{{Name: "r", Operation: catalog.Create, Verdict: Deny}}}, note, Deny, "r"},
		{"by risk", Policy{Mode: Session, Rules: []Rule{{Name: "r", Risk: catalog.High, Verdict: Deny}}}, refund, Deny, "r"},
		{"by argument", Policy{Mode: Session, Rules: []Rule{{Name: "r", Arg: "currency", Equals: "EUR", Verdict: Deny}}},
			refund, Deny, "r"},
		{"by an argument with another value",
			Policy{Rules: []Rule{{Name: "r", Arg: "amount_cents", Equals: "5", Verdict: Allow}}},
			refund, Deny, "policy readonly"},
		{"a rule without a verdict denies",
			Policy{Mode: Session, Rules: []Rule{{Name: "r", IDs: ids("*")}}}, note, Deny, "r"},
		{"rules do not stop reads", Policy{Rules: []Rule{{Name: "r", IDs: ids("*"), Verdict: Deny}}},
			read, Allow, "reads are allowed"},
	} {
		got := c.policy.Decide(c.r)
		if got.Verdict != c.want || got.Rule != c.rule {
			t.Errorf("%s: got %s by %q, want %s by %q", c.name, got.Verdict, got.Rule, c.want, c.rule)
		}
		if got.Verdict == Deny && got.Reason == "" {
			t.Errorf("%s: denied without a reason", c.name)
		}
	}
}

func TestParseMode(t *testing.T) {
	for text, want := range map[string]Mode{"ask": Ask, " Session ": Session,
		"read-only": ReadOnly, "readonly": ReadOnly} {
		if got, err := ParseMode(text); got != want || err != nil {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
	if _, err := ParseMode("yes"); err == nil {
		t.Error("an unknown mode was taken")
	}
}
