package session

// This file is the bench of the tests: a session over a small shop, played by the sections of a script.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/pattern"
	"almanac/catalog/secret"
	"almanac/session/kernel"
	"almanac/session/policy"
	"almanac/session/trace"
)

func TestMain(m *testing.M) {
	if kernel.Main() {
		return
	}
	os.Exit(m.Run())
}

const (
	itemOutput = `{"type":"object","title":"item","properties":{"id":{"type":"string"},"cents":{"type":"integer"}}}`
	itemInput  = `{"type":"object","properties":{"item_id":{"type":"string","description":"which item"},"cents":{"type":"integer","minimum":0}},"required":["item_id"],"additionalProperties":false}`
)

// A bench is a session under test with everything it recorded.
type bench struct {
	t       *testing.T
	shop    *shop
	session *Session
	mu      sync.Mutex
	records []trace.Record
	answers []Approval
	asked   []Request
}

func newBench(t *testing.T, change func(*Options)) *bench {
	t.Helper()
	b := &bench{t: t, shop: &shop{}}
	all, report := catalog.New(b.shop.entries(), catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatalf("skipped: %v", report.Skipped)
	}
	o := Options{
		Record: func(r trace.Record) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.records = append(b.records, r)
			return nil
		},
		Approve: func(_ context.Context, r Request) (Approval, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.asked = append(b.asked, r)
			if len(b.answers) == 0 {
				return Approval{}, nil
			}
			a := b.answers[0]
			b.answers = b.answers[1:]
			return a, nil
		},
		Commands: true,
		Secrets:  secret.NewFilter(func() []string { return []string{"hunter2"} }),
		Context:  catalog.Context{Actor: "ann", AgentName: "scout", Tenant: "17"},
	}
	if change != nil {
		change(&o)
	}
	s, err := New(all.View(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.session = s
	t.Cleanup(func() {
		b.checkTrace()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// checkTrace sees that every call of the session is in its records, and that no secret is.
func (b *bench) checkTrace() {
	b.mu.Lock()
	defer b.mu.Unlock()
	begun, acts := 0, 0
	for _, r := range b.records {
		if r.Kind == trace.KindBegin {
			begun++
		}
		if r.Kind == trace.KindCall && r.Call.Mutates && r.Call.Verdict == trace.OK && !r.Call.Composed && !r.Call.Replayed {
			acts++
		}
		line, err := json.Marshal(r)
		if err != nil {
			b.t.Error(err)
		}
		if line = append(line, bytes.Join(r.Values, nil)...); bytes.Contains(line, []byte("hunter2")) {
			b.t.Errorf("a record holds the secret: %s", line)
		}
	}
	b.shop.mu.Lock()
	defer b.shop.mu.Unlock()
	// A run that is stopped abandons the calls that are under way.
	if made := len(b.shop.acts); made < acts || made > begun {
		b.t.Errorf("%d mutations were made, %d are recorded, %d as begun: %q", made, acts, begun, b.shop.acts)
	}
}

func (b *bench) run(author Author, source string) *Outcome {
	b.t.Helper()
	out, err := b.session.Run(b.t.Context(), Script{Source: source, Author: author, Expr: true})
	if err != nil {
		b.t.Fatalf("%s: %v", source, err)
	}
	return out
}

// kill ends the shared Lua process from outside, as an administrator might.
func (b *bench) kill() {
	b.t.Helper()
	p, err := os.FindProcess(b.session.world.machine.PID())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// settle waits until the state of the last run is kept.
func (b *bench) settle() {
	b.t.Helper()
	if err := b.session.world.settle(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
}

// grants lists what is granted now.
func (b *bench) grants() string {
	p := b.session.Policy()
	text := p.Words() + "\n"
	for _, g := range p.Grants {
		text += fmt.Sprintf("%d %s, %s, by %s, used %d\n", g.N, g, g.For.Words(), g.By, g.Used)
	}
	return text
}

// step does one section and returns what it shows.
func (b *bench) step(name, text string) string {
	ctx := b.t.Context()
	verb, arg, _ := strings.Cut(name, " ")
	switch verb {
	case "you", "model":
		return show(b.run(Author(verb), text))
	case "select":
		out, err := b.session.Run(ctx, Script{Source: text, Actions: strings.Fields(arg)})
		return b.orError(out, err)
	case "fresh":
		out, err := b.session.Run(ctx, Script{Source: text, Author: User, Fresh: true})
		return b.orError(out, err)
	case "preview":
		out, err := b.session.Preview(ctx, Script{Source: text, Author: User})
		return b.orError(out, err)
	case "call": // an author, an id and words of the caller's context, "actor=bob"
		return b.call(strings.Fields(arg), text)
	case "apply": // "3 [--loose [PATTERN]]"
		var o Apply
		var n int
		words := strings.Fields(arg)
		if _, err := fmt.Sscan(words[0], &n); err != nil {
			b.t.Fatal(err)
		}
		if len(words) > 1 {
			o.Loose = []pattern.Pattern{pattern.All()}
		}
		if len(words) > 2 {
			o.Loose = []pattern.Pattern{pattern.Exact(words[2])}
		}
		o.Cell = n
		out, err := b.session.Apply(ctx, n, o)
		return b.orError(out, err)
	case "plans":
		return b.plans()
	case "query":
		a, err := b.session.Query(ctx, Script{Source: text})
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		if a.Outcome.Err != nil {
			return show(a.Outcome)
		}
		return strings.TrimSpace(a.Text) + "\n"
	case "describe":
		specs, err := b.session.Describe(ctx, strings.Fields(text), "")
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		return fmt.Sprintf("%d described\n", len(specs))
	case "reset":
		n, err := b.session.Reset(ctx)
		return fmt.Sprintf("%d globals, %v\n", n, err)
	case "restrict":
		err := b.session.Restrict(catalog.Rules{Name: "test", Namespaces: strings.Fields(text)})
		return fmt.Sprintf("%v\n", err)
	case "policy":
		if err := b.session.SetPolicy(policy.Policy{Mode: policy.Mode(text)}); err != nil {
			b.t.Fatal(err)
		}
		return ""
	case "grant":
		g, err := policy.ParseGrant(text)
		if err != nil {
			b.t.Fatal(err)
		}
		g.By, g.For = "you", policy.Term(arg)
		if _, err = b.session.Grant(g); err != nil {
			b.t.Fatal(err)
		}
		return b.grants()
	case "revoke":
		var n int
		if _, err := fmt.Sscan(text, &n); err != nil {
			b.t.Fatal(err)
		}
		if _, err := b.session.Revoke(n); err != nil {
			return "error: " + err.Error() + "\n"
		}
		return b.grants()
	case "grants":
		return b.grants()
	case "answer":
		b.answer(text)
		return ""
	case "open":
		b.openDesk()
		return ""
	case "emitter":
		b.openEmitter(strings.Fields(arg)...)
		return ""
	case "recorded": // effects to apply, as the emitter takes them
		return b.applyRecorded(text)
	case "steps":
		b.steps(text)
		return ""
	case "hooked":
		b.openHooked()
		return ""
	case "stock":
		b.openStock()
		return ""
	case "takeback":
		return b.takeBack(text == "run")
	case "asked":
		last := b.asked[len(b.asked)-1]
		if last.Batch != nil {
			return listedText(last)
		}
		return fmt.Sprintf("%v and %v\n%s\n", last.Args, last.Injected, last.Preview)
	case "records":
		return b.callRecords(text)
	case "acts":
		return strings.Join(b.shop.acts, "\n") + "\n"
	}
	b.t.Fatalf("unknown step %q", name)
	return ""
}

// plans lists the plans that the session keeps.
func (b *bench) plans() string {
	var w strings.Builder
	for _, p := range b.session.Plans() {
		fmt.Fprintf(&w, "%d %s %q\n", p.N, p.Script.Author, p.Script.Source)
		for _, c := range p.Writes {
			fmt.Fprintf(&w, "  %s %s\n", c.ID, lua.Literal(c.Args, lua.Options{}))
		}
		for _, read := range p.Reads {
			fmt.Fprintf(&w, "  %s %s, after a write: %v, digest of %d\n", read.Call.ID,
				lua.Literal(read.Call.Args, lua.Options{}), read.After, len(read.Digest))
		}
		if p.Applied != "" {
			fmt.Fprintf(&w, "  applied by %s\n", p.Applied)
		}
	}
	return w.String()
}

func (b *bench) answer(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	word, rest, _ := strings.Cut(text, " ")
	a := Approval{Reason: rest}
	switch word {
	case "once":
		a.Verdict = Once
	case "list":
		a.Verdict, a.Reason = Once, ""
		for i, words := 0, strings.Fields(rest); i < len(words); i += 2 {
			var n int
			if _, err := fmt.Sscan(words[i+1], &n); err != nil {
				b.t.Fatal(err)
			}
			if words[i] == "off" {
				a.Off = append(a.Off, n-1)
			} else {
				a.Edited = map[int]map[string]any{n - 1: {"item_id": words[i], "cents": int64(1)}}
			}
		}
	case "session":
		g, err := policy.ParseGrant("any " + rest)
		if err != nil {
			b.t.Fatal(err)
		}
		a.Verdict, a.Bounds, a.Only = ForSession, g.Bounds, g.Only
	case "edit":
		a.Verdict, a.Args = Once, map[string]any{"item_id": rest, "cents": int64(1)}
	}
	b.answers = append(b.answers, a)
}

// listedText is the question about a whole run.
func listedText(r Request) string {
	var w strings.Builder
	for i, p := range r.Batch {
		args, _ := json.Marshal(p.Args)
		text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(args))
		fmt.Fprintf(&w, "%d %s line %d %s", i+1, p.Entry.ID, p.Line, text)
		if p.Unknown != nil {
			fmt.Fprintf(&w, " unknown %v", p.Unknown)
		}
		if p.Preview != "" {
			fmt.Fprintf(&w, " %q", p.Preview)
		}
		fmt.Fprintln(&w)
	}
	if r.Partial != "" {
		fmt.Fprintf(&w, "partial: %s\n", r.Partial)
	}
	if chosen := r.Chosen; chosen.Off != nil || chosen.Edited != nil {
		edited, _ := json.Marshal(chosen.Edited)
		fmt.Fprintf(&w, "chosen: off %v, edited %s\n", chosen.Off, edited)
	}
	return w.String()
}

// callRecords shows what the log has of the calls of an id.
func (b *bench) callRecords(id string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var w strings.Builder
	for _, r := range b.records {
		if r.Call != nil && r.Call.ID == id {
			fmt.Fprintf(&w, "%s %v, injected %v %s\n", r.Kind, r.Call.Args, r.Call.Injected, r.Call.Verdict)
		}
	}
	return w.String()
}

func (b *bench) orError(out *Outcome, err error) string {
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	return show(out)
}

// show is an outcome as the scripts in testdata expect it.
func show(out *Outcome) string {
	var w strings.Builder
	w.WriteString(out.Stdout)
	w.WriteString(out.Stderr)
	for _, v := range out.Values {
		fmt.Fprintln(&w, v.Repr)
	}
	if out.Err != nil {
		fmt.Fprintf(&w, "%s: %s\n", out.Err.Kind, out.Err.Message)
		if out.Err.Hint != "" {
			fmt.Fprintf(&w, "hint: %s\n", out.Err.Hint)
		}
	}
	if out.RolledBack {
		fmt.Fprintf(&w, "put back %v, set %v\n", out.PutBack, out.Globals)
	}
	if out.NotPutBack != "" {
		fmt.Fprintf(&w, "not put back (%s), set %v\n", out.NotPutBack, out.Globals)
	}
	for _, c := range out.Calls {
		fmt.Fprintf(&w, "%scall %d %s %s", strings.Repeat("  ", c.Depth), c.N, c.ID, c.Verdict)
		if c.Rule != "" {
			fmt.Fprintf(&w, " (%s)", c.Rule)
		}
		if c.Compensates != nil {
			fmt.Fprintf(&w, " takes back %v", c.Compensates)
		}
		fmt.Fprintln(&w)
		if c.Preview != "" {
			fmt.Fprintf(&w, "  %s\n", strings.ReplaceAll(c.Preview, "\n", "\n  "))
		}
	}
	for _, c := range out.Calls {
		for _, h := range c.Hooks {
			fmt.Fprintf(&w, "call %d: hook %s", c.N, h)
			if h.Did == trace.ChangedArgs {
				fmt.Fprintf(&w, ": %v, given %v", c.Args, c.Given)
			}
			fmt.Fprintln(&w)
		}
	}
	for _, e := range out.Effects {
		fmt.Fprintf(&w, "effect %s %s\n", e.Kind, e.Target)
	}
	w.WriteString(showApplied(out))
	if len(out.NotReached) > 0 {
		fmt.Fprintf(&w, "not reached: %s\n", strings.Join(out.NotReached, ", "))
	}
	if out.Plan > 0 && out.DryRun {
		fmt.Fprintf(&w, "plan %d: %s\n", out.Plan, out.PlanText)
	}
	if len(out.Missing) > 0 {
		fmt.Fprintf(&w, "not copied into the preview: %s\n", strings.Join(out.Missing, ", "))
	}
	return w.String()
}
