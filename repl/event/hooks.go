package event

// This file leads what a session and a conversation tell to the Feed.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"almanac/catalog/text"
	"almanac/llm"
	"almanac/llm/tools"
	"almanac/repl/input"
	"almanac/session"
	"almanac/session/steps"
	"almanac/session/trace"
	"almanac/session/vm"
)

// Session returns o with all that the session tells led to f: printed text, calls as they begin and end, runs that
// ended. A record goes to o.Record first, whose error counts. With asks, a person who reads f is asked for approvals
// and can type commands.
func (f *Feed) Session(o session.Options, asks bool) session.Options {
	o.Write, o.Ran, o.Acting, o.Notify = f.write, f.ran, f.act, f.notify
	if keep := o.Record; keep == nil {
		o.Record = func(r trace.Record) error { f.record(r); return nil }
	} else {
		o.Record = func(r trace.Record) error {
			err := keep(r)
			f.record(r)
			return err
		}
	}
	if asks {
		o.Approve, o.Commands = f.approve, true
	}
	return o
}

// Conversation returns o for the model's end of s: it has the tools and the prompt of s, its scripts belong to the cell
// that runs, and what it says and does is led to f.
func (f *Feed) Conversation(s *session.Session, t tools.Options, o llm.Options) llm.Options {
	t.Cell = f.Cell
	briefing := tools.NewBriefing(s, t)
	o.System, o.Tools, o.Ready = briefing.System, briefing.Tools, briefing.Ready
	if t.Direct {
		o.System = func() llm.Prompt {
			f.Emit(Event{Kind: Said, Cell: f.Cell(), Level: Notice, Text: tools.DirectWords(s.View())})
			return briefing.System()
		}
	}
	o.Observe, o.Cell = f.observe, f.Cell
	return o
}

// approve asks the person and waits. A ctx that ends first refuses.
func (f *Feed) approve(ctx context.Context, r session.Request) (session.Approval, error) {
	if ctx.Err() != nil {
		return session.Approval{Verdict: session.Refuse, Reason: "interrupted"}, ctx.Err()
	}
	f.mu.Lock()
	cell := f.cell.N
	f.mu.Unlock()
	r.Cell = cmp.Or(r.Cell, cell)
	f.ask(1)
	defer f.ask(-1)
	ask := &Ask{Request: r, Answer: make(chan session.Approval, 1)}
	f.Emit(Event{Kind: Asked, Cell: cell, Author: r.Author, Ask: ask})
	select {
	case a := <-ask.Answer:
		return a, nil
	case <-ctx.Done():
		return session.Approval{Verdict: session.Refuse, Reason: "interrupted"}, ctx.Err()
	}
}

// ask counts open questions, and the time in which there is one.
func (f *Feed) ask(more int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asking == 0 {
		f.asked = time.Now()
	}
	if f.asking += more; f.asking == 0 {
		f.cell.Waited += time.Since(f.asked)
	}
}

func (f *Feed) write(stream vm.Stream, text string) {
	f.mu.Lock()
	e := Event{Kind: Printed, Cell: f.cell.N, Author: f.cell.Author, Stream: stream, Text: text}
	if f.cell.Form == input.Words { // its scripts are the model's
		e.Author = session.Model
	}
	f.mu.Unlock()
	f.Emit(e)
}

// record makes Called events of calls.
func (f *Feed) record(r trace.Record) {
	if r.Kind != trace.KindCall || r.Call == nil || r.Before != "" {
		return
	}
	call := *r.Call
	f.mu.Lock()
	call.N = len(f.cell.Calls) + 1
	f.cell.Calls = append(f.cell.Calls, call)
	cell := f.cell.N
	called := Event{Kind: Called, Cell: cell, Author: session.Author(call.Author), Call: &call}
	if f.cell.Form == input.Words {
		f.cell.went(called, 0)
	}
	if r.Whole != nil {
		f.results.put(cell, call.N, r.Whole)
	}
	f.mu.Unlock()
	f.Emit(called)
}

// ran makes a Ran event of a run of the model's; the shell tells of the person's own.
func (f *Feed) ran(s session.Script, o *session.Outcome) {
	f.mu.Lock()
	cell := f.cell.N
	f.cell.Effects = append(f.cell.Effects, o.EffectStates()...)
	f.taken = map[string]Setter{}
	for _, name := range slices.Concat(o.Globals.Added, o.Globals.Changed, o.Globals.Removed) {
		if was, known := f.setters[name]; known && was.Author != s.Author {
			f.taken[name] = was
		}
	}
	for _, name := range slices.Concat(o.Globals.Added, o.Globals.Changed) {
		f.setters[name] = Setter{s.Author, cell}
	}
	for _, name := range o.Globals.Removed {
		delete(f.setters, name)
	}
	if s.Author != session.Model {
		f.mu.Unlock()
		return
	}
	f.cell.Outcome, f.toolRan = o, true
	f.cell.Scripts = append(f.cell.Scripts, s.Source)
	ran := Event{
		Kind: Ran, Cell: cell, Author: session.Model, Text: s.Source, Outcome: o, Elapsed: o.Elapsed, Before: f.taken,
	}
	f.mu.Unlock()
	f.Emit(ran)
}

// notify adds what an applied effect has for the person.
func (f *Feed) notify(n session.Notice) {
	f.Emit(Event{Kind: Said, Cell: f.Cell(), Level: Notice, Text: NoticeText(n)})
}

// act keeps the actions under way.
func (f *Feed) act(id string, begins bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if begins {
		f.acting = append(f.acting, id)
		return
	}
	if i := slices.Index(f.acting, id); i >= 0 {
		f.acting = slices.Delete(f.acting, i, i+1)
	}
}

// observe makes Thought events of the model's reasoning, Spoke events of its words and Wrote events of the scripts and
// lists of ids that it hands to its tools. A tool that fails says so.
func (f *Feed) observe(e llm.Event) {
	f.think(e)
	switch e.Kind {
	case llm.Retrying:
	case llm.FallingBack:
		f.endRetry(stoppedBefore)
	default:
		f.endRetry(answeredAt)
	}
	f.mu.Lock()
	cell, toolRan := f.cell.N, f.toolRan
	switch e.Kind {
	case llm.Delta:
		f.spoken += len(e.Text)
	case llm.ToolStarted:
		f.toolRan = false
		if e := wrote(e, f.cell.N); e.Text != "" {
			e.Full = true
			f.cell.went(e, keptScripts)
		}
	}
	f.mu.Unlock()
	switch e.Kind {
	case llm.Delta:
		f.Emit(Event{Kind: Spoke, Cell: cell, Author: session.Model, Text: e.Text})
	case llm.ToolStarted:
		if e := wrote(e, cell); e.Text != "" {
			f.Emit(e)
		}
	case llm.ToolEnded:
		f.answer(e, toolRan)
		// A script that failed has told so with its Ran event.
		if e.Err != nil && !toolRan {
			f.Emit(Event{
				Kind: Said, Cell: cell, Author: session.Model, Level: Warning, Text: toolFault(e.Call.Name, e.Err),
			})
		}
	case llm.Retrying:
		f.Emit(Event{Kind: Retrying, Cell: cell, Text: f.beginRetry(e)})
	case llm.Compacted:
		f.Emit(Event{Kind: Said, Cell: cell, Level: Notice,
			Text: fmt.Sprintf("the model summed up %s: %s tokens became %s\n%s",
				text.Count(e.Turns, "turn"), text.Thousands(strconv.Itoa(e.Tokens[0])),
				text.Thousands(strconv.Itoa(e.Tokens[1])), e.Text)})
	case llm.FallingBack:
		f.Emit(Event{Kind: Said, Cell: cell, Level: Warning,
			Text: fmt.Sprintf("%s failed: %s; trying %s", e.Text, text.SanitizeLine(fault(e.Err)), e.Target)})
	case llm.Switched:
		f.Emit(Event{Kind: Said, Cell: cell, Level: Notice,
			Text: fmt.Sprintf("%s answers for the rest of the session; /model %s goes back", e.Target, e.Text)})
	case llm.Trimmed:
		f.Emit(Event{Kind: Said, Cell: cell, Level: Notice, Text: e.Text})
	}
}

// fault is what went wrong, without a hint.
func fault(err error) string {
	if known := new(llm.Error); errors.As(err, &known) {
		return known.Message
	}
	return err.Error()
}

// wrote tells what the model hands to a tool; its text is empty for what cannot be shown.
func wrote(e llm.Event, cell int) Event {
	wrote := Event{Kind: Wrote, Cell: cell, Author: session.Model, Tool: e.Call.Name}
	var preview bool
	if wrote.Text, preview = ToolText(e.Call.Args); preview {
		wrote.Tool = "preview"
	}
	return wrote
}

// toolFault is why a tool failed, for the person: what the model reads may tell it what to do.
func toolFault(tool string, err error) string {
	var args *llm.ArgsError
	if errors.As(err, &args) {
		return tool + ": the model sent malformed arguments: " + args.Fault
	}
	var plan *steps.Error
	if errors.As(err, &plan) {
		return tool + ": " + plan.Error() // without the specifications behind it
	}
	if tool == "" {
		return "a call without a name: " + err.Error()
	}
	return tool + ": " + strings.TrimPrefix(err.Error(), tool+": ")
}

// ToolText is what a person wants to see of a tool's arguments: the script, a plan as the Lua that it becomes, or the
// ids. Of malformed ones it is empty: that the tool fails says what is wrong with them.
func ToolText(raw json.RawMessage) (text string, preview bool) {
	var args struct {
		Script  string          `json:"script"`
		Plan    json.RawMessage `json:"plan"`
		Preview bool            `json:"preview"`
		IDs     []string        `json:"ids"`
	}
	if json.Unmarshal(raw, &args) != nil {
		return "", false
	}
	if source, err := steps.Translate(args.Plan); err == nil && args.Script == "" {
		return source, args.Preview
	}
	if args.Script != "" {
		return args.Script, args.Preview
	}
	return strings.Join(args.IDs, "\n"), false
}
