package repl

// This file runs what a cell holds: the person's Lua, words for the model, and questions about a name.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/syntax"
	"almanac/session/trace"
	"almanac/session/vm"
)

// runInput runs the Lua that the person typed.
func (sh *Shell) runInput(ctx context.Context, c *event.Cell, in input.Input) error {
	err := sh.runLua(ctx, c, in.Text, false)
	if hint := sh.shellHint(in.Text, c.Outcome); in.Bang && hint != "" {
		sh.say(event.Notice, "%s", hint)
	}
	return err
}

// runLua runs the person's source in the shared machine, or in a fresh one, and keeps its first value in _ and _n.
func (sh *Shell) runLua(ctx context.Context, c *event.Cell, source string, fresh bool) error {
	return sh.runScript(ctx, c, session.Script{Source: source, Fresh: fresh})
}

// runScript fills in a script of the person's and runs it.
func (sh *Shell) runScript(ctx context.Context, c *event.Cell, script session.Script) error {
	script.Name, script.Author, script.Cell, script.Expr = cellName(c.N), session.User, c.N, true
	script.Line = sh.line
	if !script.Fresh {
		script.Keep = []string{"_", fmt.Sprintf("_%d", c.N)}
	}
	loading := sh.options.Sources != nil && sh.options.Sources.Loading()
	o, err := sh.options.Session.Run(ctx, script)
	if loading {
		hintLoading(o)
	}
	c.Source = script.Source
	c.Replay = err == nil && o.Err == nil && !script.Fresh && script.Times <= 1
	return sh.ran(c, o, err)
}

// ran tells of a run's end. The error is that of the run or of its script.
func (sh *Shell) ran(c *event.Cell, o *session.Outcome, err error) error {
	if o == nil {
		return err
	}
	c.Outcome = o
	HintHidden(sh.options.Session.View(), c.Source, o)
	shown := *o
	search := o.Err == nil && len(o.Values) == 1 && len(o.Sets) == 1 && o.Sets[0].Len() > 0
	if search {
		shown.Values = nil
	}
	sh.feed.Emit(event.Event{Kind: event.Ran, Cell: c.N, Author: session.User, Outcome: &shown, Elapsed: o.Elapsed,
		Before: sh.feed.Before()})
	if search {
		e := session.Clean(sh.options.Session, found(sh.options.Session.SearchView(), o.Sets[0]))
		e.Cell, e.Outcome = c.N, o
		sh.feed.Emit(e)
	}
	if hint := sh.localHint(c, o); hint != "" {
		sh.say(event.Notice, "%s", hint)
	} else if o.Hint != "" {
		sh.say(event.Notice, "%s", o.Hint)
	}
	if hint := uncalled(sh.options.Session.View(), o); hint != "" {
		sh.say(event.Notice, "%s", hint)
	}
	if err == nil && o.Err != nil {
		return o.Err
	}
	return err
}

// localHint says once where a name is nil that an earlier cell had as a local variable; else it is empty.
func (sh *Shell) localHint(c *event.Cell, o *session.Outcome) string {
	name := strings.TrimSpace(c.Source)
	switch {
	case o.Err != nil:
		name = o.Err.Missing
	case len(o.Values) != 1 || o.Values[0].Type != "nil":
		return ""
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	earlier := func(c event.Cell) bool {
		return strings.Contains(c.Source, "local") && slices.Contains(syntax.Locals(c.Source), name)
	}
	if sh.toldLocals || !lua.IsName(name) || !slices.ContainsFunc(sh.cells, earlier) {
		return ""
	}
	sh.toldLocals = true
	return "locals end with their line; leave out local to keep " + name
}

// shellHint says of "!ls -la", which failed or gave nothing, that it is no shell command.
func (sh *Shell) shellHint(source string, o *session.Outcome) string {
	if o == nil || o.Err == nil && (len(o.Values) != 1 || o.Values[0].Type != "nil") {
		return ""
	}
	word, rest := input.CutWord(strings.TrimSpace(source))
	if _, keyword := lua.Keyword(word); keyword || strings.ContainsAny(word, "=,({[:\"'") ||
		rest != "" && strings.Contains("=,({[", rest[:1]) {
		return ""
	}
	files := "for files, start with --catalog workspace:."
	if _, ok := sh.options.Session.View().Lookup("fs.list"); ok {
		files = "for files, see fs?"
	}
	return "! runs Lua, not shell commands; " + files
}

// uncalled tells what to do with an action, or a name on the way to one, that a script returned by itself; empty when
// it returned anything else.
func uncalled(v *catalog.View, o *session.Outcome) string {
	if o.Err != nil || len(o.Values) != 1 || o.Values[0].Type != "action" {
		return ""
	}
	id := o.Values[0].Action
	if _, ok := v.Lookup(id); ok {
		return fmt.Sprintf("call it with {}: %s{...}; %s? describes it", id, id)
	}
	if len(v.Children(id)) > 0 {
		return fmt.Sprintf("a namespace: %s? lists its actions", id)
	}
	text := "no such action"
	if near := v.Why(id).Near; len(near) > 0 {
		text += ": did you mean " + strings.Join(near, ", ") + "?"
	}
	return text
}

// hintLoading tells that a name may be nil because the sources were still being read.
func hintLoading(o *session.Outcome) {
	if o != nil && o.Err != nil && o.Err.Hint == "" && o.Err.Missing != "" {
		o.Err.Hint = "the catalog was still loading: run it again"
	}
}

// absent says how the actions of a name come into the session, where they are not there by themselves.
func absent(root string) string {
	switch root {
	case "fs":
		return "fs.* are the files of a folder: start with --catalog workspace:DIR"
	case "peer", "context", "agent":
		return root + ".* are for sessions in a team: start with --team NAME"
	}
	return ""
}

// HintHidden tells the person when a name is nil because the view hides the actions below it, or because they come with
// what this session has not. It is not for a model.
func HintHidden(v *catalog.View, source string, o *session.Outcome) {
	if o.Err != nil && o.Err.Missing != "" {
		if e, err := v.Resolve(o.Err.Missing); err == nil && e.ID != o.Err.Missing {
			o.Err.Hint = fmt.Sprintf("another name of %s: call %s{...}", e.ID, e.ID)
			return
		}
	}
	if o.Err == nil || o.Err.Hint != "" || o.Err.Kind != vm.Runtime || o.Err.Code != "" {
		return
	}
	for _, path := range syntax.Names(source).Paths {
		if seen := v.Why(path); seen.State == "hidden" {
			o.Err.Hint = fmt.Sprintf("%s is hidden by %s", path, seen.Rule)
			return
		}
		root, _, _ := strings.Cut(path, ".")
		if seen := v.WhyRoot(root); seen.State == "hidden" {
			o.Err.Hint = fmt.Sprintf("all of %s is hidden by %s", root, seen.Rule)
			return
		}
	}
	o.Err.Hint = absent(o.Err.Missing)
}

func cellName(n int) string {
	if n == 0 {
		return "script"
	}
	return fmt.Sprintf("cell %d", n)
}

// ask sends words to the model and waits for its answer, which comes in through the feed.
func (sh *Shell) ask(ctx context.Context, c *event.Cell, text string) error {
	conversation := sh.conversation()
	if conversation == nil {
		return sh.offerLocal(text)
	}
	return sh.send(ctx, c, text, func() (string, error) { return conversation.Send(ctx, text) })
}

// send has a prompt sent, and keeps it and its answer.
func (sh *Shell) send(ctx context.Context, c *event.Cell, prompt string, send func() (string, error)) error {
	conversation := sh.conversation()
	if err := sh.mark(ctx, c.N); err != nil {
		return err
	}
	asked := trace.Record{
		Kind: trace.KindPrompt, Cell: c.N, Author: string(session.User), Text: prompt,
		Turn: sh.options.Session.Turn(),
	}
	if err := sh.record(asked); err != nil {
		return err
	}
	defer sh.learnWindow(ctx)()
	answer, err := send()
	c.Answer = answer
	if sh.feed.SaidNothing() && answer != "" {
		sh.feed.Emit(event.Event{Kind: event.Spoke, Cell: c.N, Author: session.Model, Text: answer})
	}
	if answer != "" {
		said := trace.Record{Kind: trace.KindAnswer, Cell: c.N, Author: string(session.Model), Text: answer}
		if kept := sh.record(said); err == nil {
			err = kept
		}
	}
	if err != nil && ctx.Err() == nil && conversation.Failed() != "" && !sh.options.Once {
		err = &failedPrompt{err}
	}
	return err
}

// A failedPrompt is the error of a prompt that can be sent again.
type failedPrompt struct{ error }

func (e *failedPrompt) Unwrap() error { return e.error }

func (e *failedPrompt) Hint() string {
	return "/retry sends the prompt again; the next prompt is sent without it"
}

func (sh *Shell) record(r trace.Record) error {
	if sh.options.Record == nil {
		return nil
	}
	return sh.options.Record(r)
}

// explain answers "name?": an action's spec, what a global holds, what is below a namespace, or what the prelude says
// of a function.
func (sh *Shell) explain(ctx context.Context, name string, full bool) error {
	s := sh.options.Session
	detail := catalog.Brief
	if full {
		detail = catalog.Full
	}
	if _, ok := s.View().Lookup(name); ok {
		return sh.describe(ctx, []string{name}, detail)
	}
	if f, ok := sh.function(name); ok {
		sh.say(event.Plain, "%s", f.String())
		return nil
	}
	for _, g := range s.Globals() {
		if g.Name == name {
			sh.say(event.Plain, "%s  %s  %s", g.Name, show.KindText(g), g.Brief)
			return nil
		}
	}
	if children := s.View().Children(name); len(children) > 0 {
		sh.feed.Emit(listing(s.View(), name, children))
		return nil
	}
	if root, _, _ := strings.Cut(name, "."); slices.Contains(s.View().Roots(), root) {
		return sh.describe(ctx, []string{name}, detail)
	}
	if s.View().Why(name).State == "hidden" {
		return sh.describe(ctx, []string{name}, detail)
	}
	o, err := s.Run(ctx, session.Script{
		Source: "help(" + lua.Quote(name) + ")", Name: "help", Author: session.User, Fresh: true,
	})
	if err == nil && o.Err != nil {
		return o.Err
	}
	return err
}

// listing is the event that tells what is below a name.
func listing(v *catalog.View, prefix string, children []catalog.Child) event.Event {
	e := event.Event{Kind: event.Listed, Text: fmt.Sprintf("%s: %d below it", prefix, len(children))}
	for _, c := range children {
		if c.ID != "" {
			e.Hits = append(e.Hits, hitOf(v, c.ID))
		} else {
			e.Hits = append(e.Hits, event.Hit{ID: prefix + "." + c.Name, Brief: text.Count(c.Count, "action")})
		}
	}
	return e
}

// found is the event that tells of a set.
func found(v *catalog.View, set catalog.Set) event.Event {
	e := event.Event{Kind: event.Found, Total: set.Total(), Text: strings.Join(set.Notes(), "; ")}
	for _, h := range set.Hits() {
		e.Hits = append(e.Hits, hitOf(v, h.ID))
	}
	at := func(id string) *event.Hit {
		return &e.Hits[slices.IndexFunc(e.Hits, func(h event.Hit) bool { return h.ID == id })]
	}
	for _, group := range v.Alike(set.Hits(), set.Words()) {
		first := at(group[0].ID)
		for _, other := range group[1:] {
			at(other.ID).Like, first.Others = true, append(first.Others, other.ID)
		}
	}
	for _, one := range v.Suppliers(set) {
		first := at(one.For)
		first.Supplied = append(first.Supplied, one.String())
	}
	return e
}

func hitOf(v *catalog.View, id string) event.Hit {
	item := actionItem(v, id, id)
	hit := event.Hit{ID: id, Tag: item.Tag, Signature: item.Detail}
	if entry, ok := v.Lookup(id); ok {
		hit.Brief = text.FirstSentence(entry.Description)
		for _, f := range entry.Input.Fields() {
			if f.Required {
				hit.Needs = append(hit.Needs, f.Name)
			}
		}
	}
	return hit
}
