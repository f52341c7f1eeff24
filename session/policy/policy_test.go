package policy

import (
	"testing"

	"almanac/catalog"
	"almanac/catalog/pattern"
)

func one(text string) pattern.Pattern {
	p, err := pattern.Parse(text)
	if err != nil {
		panic(err)
	}
	return p
}

func ids(text string) []pattern.Pattern { return []pattern.Pattern{one(text)} }

func where(text string) []Bound {
	bounds, err := parseAllBounds(text)
	if err != nil {
		panic(err)
	}
	return bounds
}

func TestDecide(t *testing.T) {
	read := Request{ID: "billing.invoice.list", Operation: catalog.Read}
	refund := Request{ID: "billing.refund.issue", Operation: catalog.Create, Risk: catalog.High, Mutates: true,
		Args: map[string]any{"amount_cents": int64(500), "currency": "EUR"}}
	note := Request{ID: "support.note.add", Operation: catalog.Create, Risk: catalog.Low, Mutates: true,
		Actor: "ann", Tenant: "acme"}
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
			Policy{Mode: Session, Rules: []Rule{{Name: "r", Operations: []catalog.Operation{catalog.Create}, Verdict: Deny}}},
			note, Deny, "r"},
		{"by risk", Policy{Mode: Session, Rules: []Rule{{Name: "r", Risks: []catalog.Risk{catalog.High}, Verdict: Deny}}},
			refund, Deny, "r"},
		{"by argument", Policy{Mode: Session, Rules: []Rule{{Name: "r", Where: where("currency = EUR"), Verdict: Deny}}},
			refund, Deny, "r"},
		{"by an argument with another value",
			Policy{Rules: []Rule{{Name: "r", Where: where("amount_cents = 5"), Verdict: Allow}}},
			refund, Deny, "policy readonly"},
		{"a rule without a verdict denies",
			Policy{Mode: Session, Rules: []Rule{{Name: "r", IDs: ids("*")}}}, note, Deny, "r"},
		{"a rule speaks of reads, too", Policy{Rules: []Rule{{Name: "r", IDs: ids("*"), Verdict: Deny}}}, read, Deny, "r"},
		{"a rule about writes does not stop reads",
			Policy{Rules: []Rule{{Name: "r", Calls: Writes, Verdict: Deny}}}, read, Allow, "reads are allowed"},
		{"a rule about reads does not stop writes",
			Policy{Mode: Session, Rules: []Rule{{Name: "r", Calls: Reads, Verdict: Deny}}}, note, Allow, "policy session"},
		{"readonly by name: no rule allows a write",
			Policy{Named: true, Rules: []Rule{{Name: "r", Verdict: Allow}}}, note, Deny, "policy readonly"},
		{"readonly by name: a rule asks about no write",
			Policy{Named: true, Rules: []Rule{{Name: "r", Verdict: AskFor}}}, note, Deny, "policy readonly"},
		{"readonly by name: a rule denies with its reason",
			Policy{Named: true, Rules: []Rule{{Name: "r", Verdict: Deny}}}, note, Deny, "r"},
		{"readonly by name: a rule asks about a read",
			Policy{Named: true, Rules: []Rule{{Name: "r", Verdict: AskFor}}}, read, AskFor, "r"},
		{"readonly by default: a rule allows", Policy{Rules: []Rule{{Name: "r", Verdict: Allow}}}, note, Allow, "r"},
		{"by actor", Policy{Mode: Session, Rules: []Rule{{Name: "r", Actors: []string{"ann"}, Verdict: Deny}}},
			note, Deny, "r"},
		{"by a pattern of actors",
			Policy{Mode: Session, Rules: []Rule{{Name: "r", Actors: []string{"bob", "a*"}, Verdict: Deny}}}, note, Deny, "r"},
		{"by another actor", Policy{Mode: Session, Rules: []Rule{{Name: "r", Actors: []string{"bob"}, Verdict: Deny}}},
			note, Allow, "policy session"},
		{"by tenant", Policy{Mode: Session, Rules: []Rule{{Name: "r", Tenants: []string{"acme"}, Verdict: Deny}}},
			note, Deny, "r"},
		{"nobody is named", Policy{Mode: Session, Rules: []Rule{{Name: "r", Actors: []string{"a*"}, Verdict: Deny}}},
			refund, AskFor, "policy session"},
		{"a tighter rule asks", Policy{Mode: Session, Tighter: []Rule{{Name: "t", Verdict: AskFor}}}, note, AskFor, "t"},
		{"a tighter rule allows nothing", Policy{Tighter: []Rule{{Name: "t", Verdict: Allow}}},
			note, Deny, "policy readonly"},
		{"a tighter rule asks about nothing that a rule denies",
			Policy{Mode: Session, Rules: []Rule{{Name: "r", Verdict: Deny}}, Tighter: []Rule{{Name: "t", Verdict: AskFor}}},
			note, Deny, "r"},
		{"a tighter rule that allows is an exception from those behind it",
			Policy{Mode: Session, Tighter: []Rule{
				{Name: "t", IDs: ids("support.*"), Verdict: Allow}, {Name: "u", Verdict: Deny},
			}},
			note, Allow, "policy session"},
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
