package gateway

// This file tests the questions that clients put to their persons.

import (
	"context"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/policy"
)

// A client that can ask its person asks about mutations; whoever cannot has the policy's answer.
func TestElicitation(t *testing.T) {
	for _, c := range []struct {
		name, action, decision string
		mode                   policy.Mode
		want                   []string
		asked                  int
	}{
		{"once", "accept", "once", "", []string{"ann bought a", "ann bought a"}, 2},
		{"for the session", "accept", "session", "", []string{"ann bought a", "ann bought a"}, 1},
		{"for the session, exactly this", "accept", "exact", "", []string{"ann bought a", "ann bought a"}, 1},
		{"denied", "accept", "deny", "", []string{"denied by the person"}, 1},
		{"declined", "decline", "", "", []string{"denied by the person: the person answered decline"}, 1},
		{"dismissed", "cancel", "", "", []string{"denied by the person"}, 1},
		{"read-only all the same", "accept", "once", policy.ReadOnly, []string{"this session is read-only"}, 0},
		{"by policy", "accept", "once", policy.Session, []string{"ann bought a"}, 0},
	} {
		for _, version := range []string{withHandshake, noHandshake} {
			t.Run(c.name+" "+version, func(t *testing.T) {
				var asked []string
				b := newBench(t, Options{Policy: Policy{Mode: c.mode}})
				b.version = version
				cs := b.dial(t,
					Client{Rules: catalog.Rules{Actor: "ann"}}, &sdk.ClientOptions{
						ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
							asked = append(asked, r.Params.Message)
							return &sdk.ElicitResult{Action: c.action, Content: map[string]any{"decision": c.decision}}, nil
						},
					})
				for _, want := range c.want {
					if got := textOf(call(t, cs, "execute",
						script(`return shop.buy{id="a"}`, "shop.buy"))); !strings.Contains(got, want) {
						t.Errorf("got %s", got)
					}
				}
				if len(asked) != c.asked {
					t.Errorf("asked %d times", len(asked))
				}
				if len(asked) > 0 && asked[0] != "Allow shop.buy? mutates · medium risk\nBuy an item.\n{ id = \"a\" }\nasked by the model, call 1, line 1 · mutations need approval" {
					t.Errorf("asked %q", asked[0])
				}
			})
		}
	}
}

// Secrets are not in a question.
func TestQuestionIsRedacted(t *testing.T) {
	asked := ""
	cs := newBench(t, Options{}).dial(t, Client{}, &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			asked = r.Params.Message
			return &sdk.ElicitResult{Action: "decline"}, nil
		},
	})
	call(t, cs, "execute", script(`return shop.buy{id="hidden-item"}`, "shop.buy"))
	if strings.Contains(asked, "hidden-item") || !strings.Contains(asked, "[redacted]") {
		t.Errorf("asked %q", asked)
	}
}

// What a question shows cannot move a cursor or turn text around, and nothing that a person needs is left out.
func TestQuestionIsPlain(t *testing.T) {
	text := question(show.QuestionOf(session.Request{
		Entry: &catalog.Entry{
			ID: "a.b", Mutates: true, Risk: catalog.High, Description: "Pays. It is quick. It cannot be undone.",
		},
		Args: map[string]any{"x": "\u202e\u0085\n"}, Injected: map[string]any{"tenant": "t1"},
		Preview: "+one\r-two\x1b[2J\n+three", Author: session.Model, N: 2, Reason: "mutations need approval",
	}, show.Options{}.Marks()))
	want := "Allow a.b? !! MUTATES · HIGH RISK\n! It cannot be undone.\nPays. It is quick.\n" +
		`{ x = "\u{202e}\u{85}\n" }` + "\n" +
		`filled in by the host: { tenant = "t1" }` + "\n" + `+one\13-two\27[2J` +
		"\n+three\nasked by the model, call 2 · mutations need approval"
	if text != want {
		t.Errorf("got %q\nwant %q", text, want)
	}
}

// What may do great damage is allowed for the session only when the person says so twice, and what cannot be shown
// whole is not asked about.
func TestElicitationAtHighRisk(t *testing.T) {
	for _, c := range []struct {
		answers []string
		want    session.Consent
		asked   int
	}{
		{[]string{"session", "session"}, session.ForSession, 2},
		{[]string{"session", "once"}, session.Refuse, 2},
		{[]string{"session", "yes"}, session.Refuse, 2},
		{[]string{"exact", "exact"}, session.ForSession, 2},
		{[]string{"exact", "session"}, session.Refuse, 2},
		{[]string{"session", "exact"}, session.Refuse, 2},
		{[]string{"exact", "once"}, session.Refuse, 2},
		{[]string{"numbers"}, session.Refuse, 1}, // was not offered
		{[]string{"once"}, session.Once, 1},
		{[]string{"Session"}, session.Refuse, 1},
	} {
		asked := 0
		b := newBench(t, Options{})
		cs := b.dial(t, Client{}, &sdk.ClientOptions{
			ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				asked++
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": c.answers[asked-1]}}, nil
			},
		})
		got := textOf(call(t, cs, "execute", script(`return office.close{}`, "office.close")))
		if allowed := strings.Contains(got, "closed"); asked != c.asked || allowed != (c.want != session.Refuse) {
			t.Errorf("%v: asked %d times, got %s", c.answers, asked, got)
		}
		if got := textOf(call(t, cs, "execute",
			script(`return shop.buy{id=("x"):rep(40000)}`, "shop.buy"))); asked != c.asked ||
			!strings.Contains(got, "too large to show") {
			t.Errorf("a question of 40,000 letters: asked %d times, got %s", asked, got)
		}
	}
}
