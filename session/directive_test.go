package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/session/effect"
	"almanac/session/policy"
)

// A person is told of notices, and has a clock.
type person struct {
	told []string
	due  []func()
}

func (p *person) notify(n Notice) {
	line := fmt.Sprintf("%s %s %s: %s", n.Kind, n.Action, n.Target, n.Text)
	if n.Reminder != nil {
		line += fmt.Sprintf(" (%d: %s%s)", n.Reminder.N, n.Reminder.Lua, n.Reminder.Prompt)
	}
	p.told = append(p.told, line+strings.Join(n.Choices, "|"))
}

func (p *person) after(_ time.Duration, f func()) func() bool {
	n := len(p.due)
	p.due = append(p.due, f)
	return func() bool { p.due[n] = nil; return true }
}

// newDirected is a session whose actions emit effects, all of which are allowed.
func newDirected(t *testing.T, change func(*Options)) (*bench, *person) {
	p := &person{}
	b := newBench(t, func(o *Options) {
		o.Policy = policy.Policy{Mode: policy.Session}
		o.Notify, o.After, o.ContextKeys = p.notify, p.after, []string{"region", "level"}
		if change != nil {
			change(o)
		}
	})
	b.openEmitter("state.*", "view.*", "context.*", "notify", "schedule", "ask")
	emit, _ := b.session.View().Lookup("work.emit")
	where := catalog.Entry{
		ID: "work.where", Inject: []catalog.Injection{{Field: "at", From: "set.region"}},
		Action: func(_ context.Context, c catalog.Call) (catalog.Result, error) {
			return catalog.Result{Data: c.Args}, nil
		},
	}
	other := catalog.Entry{ID: "crm.note.add", Mutates: true, Action: where.Action}
	all, _ := catalog.New([]catalog.Entry{*emit, where, other}, catalog.Options{})
	b.replace(all.View())
	return b, p
}

func TestDirectives(t *testing.T) {
	b, p := newDirected(t, nil)
	for _, c := range []struct{ name, source, want string }{
		{"what a later run sees", `work.emit{effects = {{"context.set", "region", "eu"}}} return pcall(work.where)`,
			"set.region"},
		{"it is set", `return work.where{}`, `{ at = "eu" }`},
		{"a key that is not listed",
			`work.emit{effects = {{"context.set", "colour", "red"}, {"context.set", "region", "us"}}}`,
			"rejected context.set colour: colour is not among the context_keys of the configuration"},
		{"all or none", `return work.where{}`, `{ at = "eu" }`},
		{"none of the state either", `work.emit{effects = {{"state.set", "n", 1}, {"context.set", "colour", "red"}}}`,
			"rejected"},
		{"", `return state.n`, "nil"},
		{"nor directives when the state fails", `work.emit{effects = {{"state.set", "n", 1}, {"state.set_path", "n.x", 1},
			{"context.set", "region", "us"}, {"notify", "", "gone"}}}`, "rejected state.set_path n.x"},
		{"", `return work.where{}`, `{ at = "eu" }`},
		{"together",
			`work.emit{effects = {{"notify", "parcels", "left: hunter2"}, {"state.set", "n", 2}, {"context.set", "region"}}}`,
			"applied context.set region"},
		{"removed", `return work.where{}`, "this session has no set.region"},
		{"a failed run", `work.emit{effects = {{"notify", "", "never"}}} error("no")`, "runtime: no"},
		{"not wider", `work.emit{effects = {{"view.narrow", "", {namespaces = {"shop"}}}}}`, "rejected view.narrow: "},
		{"narrower", `work.emit{effects = {{"view.narrow", "", {read_only = true}}}}`, "applied view.narrow"},
		{"gone", `crm.note.add{}`, "nil value"},
		{"never wider", `work.emit{effects = {{"view.narrow", "", {read_only = false}}}} crm.note.add{}`, "nil value"},
		{"not to be undone", "", ""},
		{"too many lines", `local t = {} for i = 1, 11 do t[i] = {"notify", "", "x"} end work.emit{effects = t}`,
			"rejected notify: a run may send at most 10 lines"},
	} {
		if c.source == "" {
			if _, err := b.session.Undo(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			continue
		}
		out := b.run(User, c.source)
		if got := show(out); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\ngot %s\nwant %s", c.name, c.source, got, c.want)
		}
	}
	if _, ok := b.session.View().Lookup("crm.note.add"); ok {
		t.Error("an undo widened the view")
	}
	if got := strings.Join(p.told, "\n"); got != "notify work.emit parcels: left: [redacted]" {
		t.Error(got)
	}
}

// What directives set goes back with the globals, and an answer that is taken back leaves its question; reminders and
// the narrowed view stay. What a fresh run set, and what was set when Lua was emptied, stays too.
func TestUndoDirectives(t *testing.T) {
	b, _ := newDirected(t, nil)
	now := func() string {
		out := b.run(User, `local ok, where = pcall(work.where) return ok and where.at or "-",
			state.answers and state.answers.size or "-", x or "-"`)
		if out.Err != nil {
			t.Fatal(show(out))
		}
		var names []string
		for _, q := range b.session.Questions() {
			names = append(names, q.Name)
		}
		waits := strings.Join(names, ",")
		return fmt.Sprintf("%v %v %v %s", out.Values[0].Data, out.Values[1].Data, out.Values[2].Data, waits)
	}
	emit := func(effects string) func() error {
		return func() error {
			if out := b.run(User, `work.emit{effects = {`+effects+`}}`); len(out.Applied) == 0 {
				return errors.New(show(out))
			}
			return nil
		}
	}
	move := func(step func(context.Context, int) (Move, error), n int) func() error {
		return func() error { _, err := step(t.Context(), n); return err }
	}
	s := b.session
	for _, c := range []struct {
		name string
		do   func() error
		want string
	}{
		{"nothing but the context", emit(`{"context.set", "region", "eu"}`), "eu - - "},
		{"undone", move(s.Undo, 1), "- - - "},
		{"redone", move(s.Redo, 1), "eu - - "},
		{"a question", emit(`{"ask", "size", {question = "Which?"}}, {"ask", "why", {question = "Why?"}}`),
			"eu - - size,why"},
		{"answered", func() error { _, err := s.Answer(t.Context(), 5, "size", "large"); return err },
			"eu large - why"},
		{"not any more", move(s.Undo, 1), "eu - - size,why"},
		{"and answered", move(s.Redo, 1), "eu large - why"},
		{"a checkpoint", func() error { _, _, _, err := s.Checkpoint(t.Context(), "here"); return err }, "eu large - why"},
		{"another context", emit(`{"context.set", "region", "us"}, {"ask", "why", {question = "Really?"}}`), "us large - why"},
		{"three steps back", move(s.Undo, 3), "eu - - "},
		{"forth", move(s.Redo, 3), "us large - why"},
		{"restored", func() error { _, err := s.Restore(t.Context(), "here"); return err }, "eu large - why"},
		{"and that undone", move(s.Undo, 1), "us large - why"},
		{"a fresh run", func() error {
			_, err := s.Run(t.Context(), Script{Author: User, Fresh: true,
				Source: `work.emit{effects = {{"context.set", "region", "fresh"}}}`})
			return err
		}, "fresh large - why"},
		{"stays", move(s.Undo, 1), "fresh large - why"},
		{"emptied", func() error { _, err := s.Reset(t.Context()); return err }, "fresh - - why"},
		{"undone too", move(s.Undo, 1), "fresh large - why"},
		{"a global", func() error { b.run(User, "x = 1"); return nil }, "fresh large 1 why"},
		{"removed", emit(`{"context.set", "region"}`), "- large 1 why"},
		{"the process ends", func() error { b.kill(); return nil }, "- large 1 why"},
		{"undone after that", move(s.Undo, 1), "fresh large 1 why"},
		{"reminders and views", emit(`{"schedule", "", {after = "1h", text = "tea"}},
			{"view.narrow", "", {denied_ids = {"crm.note.add"}}}`), "fresh large 1 why"},
		{"are a step", move(s.Undo, 1), "fresh large 1 why"},
		{"as the one before", move(s.Undo, 1), "fresh large - why"},
	} {
		if err := c.do(); err != nil {
			t.Fatal(c.name, err)
		}
		if got := now(); got != c.want {
			t.Fatalf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if _, ok := s.View().Lookup("crm.note.add"); ok || len(s.Reminders()) != 1 {
		t.Error("an undo took back what it cannot", s.Reminders())
	}
}

// A reminder comes up at its time and does nothing itself; a question is answered once, by a run of the person's.
func TestRemindersAndQuestions(t *testing.T) {
	b, p := newDirected(t, nil)
	b.run(User, `work.emit{effects = {{"schedule", "ann", {after = "10m", text = "call Ann", lua = "return 1"}},
		{"schedule", "", {after = "1h", text = "tea"}},
		{"ask", "region", {question = "Which?", choices = {"EU", "US"}}}}}`)
	p.due[0]()
	ctx := t.Context()
	if r, err := b.session.TakeReminder(2); err != nil || p.due[1] != nil || r.Came {
		t.Error(r, err)
	}
	r, err := b.session.TakeReminder(0)
	if err != nil || r.Lua != "return 1" || !r.Came || len(b.session.Reminders()) > 0 {
		t.Error(r, err)
	}
	for _, number := range []int{0, 1} {
		if _, err := b.session.TakeReminder(number); err == nil {
			t.Error("it was taken twice")
		}
	}
	if _, err := b.session.Answer(ctx, 5, "region", "UK"); err == nil || len(b.session.Questions()) != 1 {
		t.Error("an answer that is no choice was taken:", err)
	}
	if out, err := b.session.Answer(ctx, 5, "region", "2"); err != nil || len(b.session.Questions()) > 0 {
		t.Error(out, err)
	}
	if _, err := b.session.Answer(ctx, 5, "region", "1"); err == nil {
		t.Error("it was answered twice")
	}
	out := b.run(User, `return state.answers.region`)
	if out.Err != nil || out.Values[0].Data != "US" {
		t.Error(show(out))
	}
	want := "ask work.emit region: Which?EU|US\nschedule work.emit ann: call Ann (1: return 1)"
	if got := strings.Join(p.told, "\n"); got != want {
		t.Error(got)
	}
	full := b.run(User, `for i = 1, 21 do work.emit{effects = {{"schedule", "", {after = "1h", text = "tea"}}}} end`)
	if got := show(full); !strings.Contains(got, "20 reminders are there already") || len(b.session.Reminders()) > 0 {
		t.Error(got)
	}
	b.run(User, `work.emit{effects = {{"schedule", "", {after = "1h", text = "tea"}}}}`)
	if err := b.session.Close(); err != nil || p.due[len(p.due)-1] != nil {
		t.Error("a reminder outlives its session", err)
	}
}

// A script in a machine of its own keeps no state, but what reaches beyond is carried out; a preview says the same.
func TestDirectivesOfFresh(t *testing.T) {
	b, p := newDirected(t, nil)
	for _, c := range []struct{ source, preview, want string }{
		{`{"context.set", "region", "eu"}, {"notify", "", "x"}`, "would apply context.set region\nwould apply notify",
			"applied context.set region\napplied notify"},
		{`{"notify", "", "never"}, {"state.delete", "n"}`, "", "rejected state.delete n: state.delete: a fresh run keeps no state"},
	} {
		script := Script{Source: "work.emit{effects = {" + c.source + "}}", Author: User, Fresh: true}
		want := cmp.Or(c.preview, c.want)
		if got := b.orError(b.session.Preview(t.Context(), script)); !strings.Contains(got, want) {
			t.Errorf("%s: previewed\n%s", c.source, got)
		}
		if got := b.orError(b.session.Run(t.Context(), script)); !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%s", c.source, got)
		}
	}
	if got := show(b.run(User, "return work.where{}")); len(p.told) != 1 || !strings.Contains(got, `{ at = "eu" }`) {
		t.Error(got, p.told)
	}
}

// Without a person there is nobody to be told, reminded or asked; a preview and a replay tell nobody either.
func TestDirectivesWithoutAPerson(t *testing.T) {
	for _, c := range []struct {
		change  func(*Options)
		effects string
		want    string
	}{
		{func(o *Options) { o.Notify = nil }, `{"notify", "", "x"}`, "rejected notify: nobody is there to read it"},
		{func(o *Options) { o.Commands = false }, `{"schedule", "", {after = "1h", text = "x"}}`,
			"rejected schedule: nobody can be asked or reminded here"},
		{func(o *Options) { o.Commands = false }, `{"ask", "a", {question = "x"}}`, "rejected ask a: nobody can be asked"},
	} {
		b, p := newDirected(t, c.change)
		out := b.run(User, `work.emit{effects = {`+c.effects+`}}`)
		if got := show(out); !strings.Contains(got, c.want) || len(p.told) > 0 {
			t.Error(got, p.told)
		}
	}
	b, p := newDirected(t, nil)
	out, err := b.session.Preview(t.Context(), Script{Author: User, Source: `work.emit{effects = {{"notify", "", "x"}}}`})
	if err != nil || len(out.WouldApply) != 1 || len(p.told) > 0 {
		t.Error(out, err, p.told)
	}
}

// Calls that were compensated have no effects to apply, and neither has what compensated them; the others are those of
// their actions.
func TestEffectsOfCompensated(t *testing.T) {
	b, p := newDirected(t, nil)
	one := func(_ context.Context, c catalog.Call) (catalog.Result, error) {
		id := c.Args["id"].(string)
		b.shop.act(c, "%s", id)
		return catalog.Result{Data: c.Args, Effects: []catalog.Effect{
			{Kind: effect.StateSet, Target: id, Value: true}, {Kind: effect.Notify, Value: id},
		}}, nil
	}
	input := catalog.MustSchema(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`)
	all, report := catalog.New([]catalog.Entry{
		{ID: "shop.place", Mutates: true, Input: input, Action: one,
			Compensate: &catalog.Compensation{ID: "shop.cancel", Args: map[string]any{"id": "$args.id"}}},
		{ID: "shop.cancel", Mutates: true, Input: input, Action: one},
		{ID: "shop.outer", Mutates: true, Input: input, Lua: `shop.place{id = "inner"} effect("notify", nil, "outer")`},
	}, catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	b.replace(all.View())
	out := b.run(User, `pcall(with_compensation, function() shop.place{id = "a"} error("no") end)
		shop.outer{id = "b"} return state`)
	want := "notify shop.place : inner\nnotify shop.outer : outer"
	if got := strings.Join(p.told, "\n"); got != want || len(out.Applied) != 3 {
		t.Errorf("%s\n%s", got, show(out))
	}
	if state, _ := b.session.State(t.Context()); len(state) != 1 || state["inner"] != true {
		t.Error(state)
	}
	b.answer("list")
	back := b.orError(b.session.TakeBack(t.Context(), b.session.UndoScript(Writes(out.Calls)), "/undo", 0))
	if len(p.told) > 2 || !strings.Contains(back, "call 1 shop.cancel ok") || strings.Contains(back, "applied") {
		t.Error("what takes back has effects:", back, p.told)
	}
}

// A session that goes on from another has its view narrowed and its context set, and is told of nothing again.
func TestDirectivesGoOn(t *testing.T) {
	b, p := newDirected(t, nil)
	err := b.session.Redirect([]catalog.Effect{
		{Kind: effect.ViewNarrow, Value: map[string]any{"read_only": true}}, {Kind: effect.Notify, Value: "x"},
		{Kind: effect.ContextSet, Target: "region", Value: "eu"},
	})
	if out := b.run(User, `return work.where{}.at, crm`); err != nil || show(out) == "" || len(p.told) > 0 ||
		!strings.HasPrefix(show(out), "\"eu\"\nnil") {
		t.Error(show(out), err, p.told)
	}
	err = b.session.Redirect([]catalog.Effect{{Kind: effect.ContextSet, Target: "gone", Value: "eu"}})
	if err == nil {
		t.Error("a key that is not listed any more was set")
	}
}
