package repl

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/internal/golden"
	"almanac/llm"
	"almanac/llm/tools"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/transcript"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
)

// withModel is a shell with a scripted model that has one tool, which runs Lua in the session.
func withModel(t *testing.T, p policy.Policy, o Options, responses ...llm.Response) (*Shell, *office) {
	t.Helper()
	var sh *Shell
	run := func(ctx context.Context, raw json.RawMessage) (llm.Answer, error) {
		var args struct{ Script string }
		if err := json.Unmarshal(raw, &args); err != nil {
			return llm.Answer{}, err
		}
		out, err := sh.Session().Run(ctx, session.Script{
			Source: args.Script, Author: session.Model, Cell: sh.Feed().Cell(),
			Actions: []string{"billing.refund.issue", "crm.customer.get"},
		})
		if err != nil {
			return llm.Answer{}, err
		}
		if out.Err != nil {
			return llm.Answer{}, out.Err
		}
		return llm.Answer{Text: "done"}, nil
	}
	o.Feed = event.NewFeed()
	model := o.Feed.Conversation(nil, tools.Options{}, llm.Options{
		Target: llm.Target{Provider: &scripted{responses: responses}, Model: "test-model"}, Retries: -1,
	})
	model.System = nil
	model.Tools = func() []llm.Tool {
		return []llm.Tool{{Name: "lua_tools_execute", Description: "run Lua",
			Schema: json.RawMessage(`{"type":"object"}`), Run: run}}
	}
	o.Conversation = llm.NewConversation(model)
	var back *office
	sh, back = newShell(t, o, p)
	return sh, back
}

func executes(script string) llm.Response {
	args, _ := json.Marshal(map[string]string{"script": script})
	return llm.Response{Calls: []llm.ToolCall{{ID: "1", Name: "lua_tools_execute", Args: args}}}
}

func thinking(text string, r llm.Response) llm.Response {
	r.Reasoning = text
	return r
}

func TestAsk(t *testing.T) {
	var records []string
	record := func(r trace.Record) error {
		records = append(records, string(r.Kind)+" "+r.Text)
		return nil
	}
	sh, back := withModel(t, policy.Policy{Mode: policy.Ask}, Options{Record: record},
		thinking("They want money back.\nI look up \x1b[31mwho\x1b[m first.",
			executes(`name = crm.customer.get{id = "c"}.name return name`)),
		executes(`billing.refund.issue{invoice_id = "i", amount_cents = 5}`),
		thinking("No.", llm.Response{Text: "Not refunded:\nyou said \x1b[2Jno."}),
	)
	if sh.Mode() != input.AskMode {
		t.Error("with a model a line is for the model")
	}
	answers := []string{"n ask Ann first"}
	golden.Equal(t, "testdata/ask.golden", typed(t.Context(), sh, "refund 5 cents", &answers)+"--\n"+
		typed(t.Context(), sh, "!name", nil)+"--\n"+
		typed(t.Context(), sh, "!name = 'mine'", nil)+"--\n"+
		typed(t.Context(), sh, "again", nil)+"--\n"+
		typed(t.Context(), sh, "/trace", nil)+"--\n"+
		typed(t.Context(), sh, "/expand 1", nil)+"--\n"+
		typed(t.Context(), sh, "/model other", nil)+
		typed(t.Context(), sh, "/model", nil)+
		typed(t.Context(), sh, "/new", nil)+
		typed(t.Context(), sh, "/status", nil))
	if len(back.acts) > 0 {
		t.Errorf("the back office was told %v", back.acts)
	}
	want := []string{"prompt refund 5 cents", "answer Not refunded:\nyou said \x1b[2Jno.", "prompt again", "forget "}
	if diff := cmp.Diff(want, records); diff != "" {
		t.Errorf("records, -want +got:\n%s", diff)
	}
}

// An interrupt while the person is asked refuses, ends the turn and leaves the session usable.
func TestAskInterrupted(t *testing.T) {
	sh, back := withModel(t, policy.Policy{Mode: policy.Ask}, Options{},
		executes(`billing.refund.issue{invoice_id = "i", amount_cents = 5}`), llm.Response{Text: "never said"})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan Status, 1)
	go func() { done <- sh.Handle(ctx, "refund") }()
	asked := false
	for !asked {
		<-sh.Feed().Wake()
		for _, e := range sh.Feed().Take() {
			asked = asked || e.Kind == event.Asked
		}
	}
	cancel()
	if status := <-done; status != Failed {
		t.Errorf("status %d, want Failed", status)
	}
	if len(back.acts) > 0 {
		t.Errorf("the back office was told %v", back.acts)
	}
	var told []string
	for _, e := range sh.Feed().Take() {
		for _, l := range event.Lines(e, 0, event.RenderOptions{}) {
			told = append(told, l.String())
		}
	}
	if all := strings.Join(told, "\n"); strings.Count(all, "interrupted") != 1 ||
		!strings.Contains(all, "not made: the question was not answered") {
		t.Errorf("told:\n%s", all)
	}
	// It has one name wherever it is told.
	records, _ := sh.options.Log()
	var b strings.Builder
	if err := transcript.Write(&b, records, transcript.FormatMarkdown); err != nil {
		t.Fatal(err)
	}
	if got := typed(t.Context(), sh, "/trace", nil); !strings.Contains(got, "[1.1] not made billing.refund.issue") ||
		!strings.Contains(b.String(), "`billing.refund.issue` not made, would change data (policy ask)\n") ||
		strings.Contains(got+b.String(), "denied") {
		t.Errorf("told as:\n%s%s", got, b.String())
	}
	// On a machine under load the interrupt may have cost the Lua process; then the line after next has a new one.
	first := typed(t.Context(), sh, "!1+1", nil)
	if second := typed(t.Context(), sh, "!1+1", nil); !strings.HasSuffix(second, "2\n") {
		t.Errorf("afterwards: %q, %q", first, second)
	}
}
