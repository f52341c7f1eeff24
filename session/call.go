// This file is the call path: every call of an action, whoever wrote the script, goes through run.call.

package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/task"
	"almanac/catalog/text"
	"almanac/catalog/unknown"
	"almanac/session/kernel"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// Error codes of the call path, for scripts and models to branch on.
const (
	CodeUnknown      = "unknown_action"
	CodeNotDescribed = "not_described"
	CodeBadArgument  = "bad_argument"
	CodeNoContext    = "no_context"
	CodeDenied       = "denied"
	CodeRefused      = "refused" // the person said no when asked
	CodeNoApproval   = "approval_needed"
	CodeBudget       = "budget"
	CodeFailed       = "action_failed"
	CodeTooLarge     = "result_too_large"
	CodeBadResult    = "bad_result"
	CodeLog          = "log"
)

// RefusedText stands behind the id of a call that the person denied when asked, in errors and records: they are the
// person's to read. The reason may follow.
const RefusedText = ": you denied this"

// A reply is an action's answer: plain data, the arguments that differ for the next page, and whether there may be one
// at all.
type reply struct {
	data any
	next map[string]any
	full bool
	// status is that of the HTTP answer; zero where it is not known.
	status int
}

// call makes one call, for the script itself or a composed action. Checks come before actions, and every outcome is
// recorded. Calls of one run may be concurrent.
func (r *run) call(ctx context.Context, req kernel.CallRequest, n int, in *composition) (reply, error) {
	if n == 0 {
		n = r.begin()
	}
	r.place(n, req.Place, in)
	c := trace.Call{
		N: n, ID: cut(req.ID, maxCalledID), Line: req.Line, Author: string(r.script.Author), Depth: in.depth(),
		In: in.number(), Start: time.Now(),
	}
	answer, err := r.pass(ctx, req, in, &c)
	err = cancelled(ctx, c.ID, err)
	err = r.rests(&c, answer.data, err)
	if ended := r.keep(ctx, c, answer.data, err); ended != nil {
		return reply{}, ended
	}
	return answer, err
}

// pass runs the checks of one call and, when all agree, its action. It fills in c, the record of the call.
func (r *run) pass(ctx context.Context, req kernel.CallRequest, in *composition, c *trace.Call) (reply, error) {
	view := r.session.View()
	known := r.context(view)
	c.Actor = known.Actor
	named(view, &req)
	if r.player != nil {
		if answer, real, err := r.replayed(view, req, in, c); !real {
			return answer, err
		}
	}
	entry, err := r.lookup(view, req.ID, in, c)
	if err != nil {
		return reply{}, err
	}
	c.Mutates, c.Risk = entry.Mutates, entry.Risk
	if err := in.admits(entry, c); err != nil {
		return reply{}, err
	}
	if ctx.Err() != nil {
		c.Verdict = trace.Interrupted
		return reply{}, interrupted()
	}
	if err := r.spend(ctx, entry, c); err != nil {
		return reply{}, err
	}
	args, err := r.arguments(ctx, entry, req.Args, known, c)
	if err != nil {
		return reply{}, err
	}
	call := catalog.Call{ID: entry.ID, Args: args, Context: known}
	if c.Injected, err = r.injected(entry, call.Context, c); err != nil {
		return reply{}, err
	}
	open := unknown.In(args) // in a preview alone: kernel.Run refuses such values elsewhere
	if !open {
		if err := r.authorize(ctx, entry, call.With(c.Injected), c); err != nil {
			return reply{}, err
		}
	}
	switch {
	case r.mode == trace.ModePreview && entry.Mutates && r.list.takesOff(entry.ID, args, r.at(c.N)):
		leaveOut(c)
		return reply{}, nil
	case r.mode == trace.ModePreview && entry.Mutates && entry.Action != nil:
		return r.planMutation(ctx, entry, call, c)
	case open && entry.Action != nil:
		return r.planRead(entry, c)
	case r.before != "" && !entry.Mutates && r.ruled(entry, call, c).Verdict == policy.AskFor:
		return r.planRead(entry, c) // the run itself asks
	case r.mode == trace.ModePreview && entry.Mutates:
		if err := r.foresee(entry, call, c); err != nil {
			return reply{}, err
		}
		c.Rule = "preview"
	default:
		var off bool
		if call.Args, off, err = r.decide(ctx, entry, call, c); err != nil || off {
			return reply{}, err
		}
	}
	call = call.With(c.Injected)
	if entry.Action == nil {
		return r.compose(ctx, entry, call, in, c)
	}
	return r.act(ctx, entry, call, c)
}

// lookup finds the entry in the current view and checks that the author may call it. An id that the view hides looks
// unknown. Calls inside a composed action, and those that take back others, need no description: the author of the
// action knew what it calls.
func (r *run) lookup(view *catalog.View, id string, in *composition, c *trace.Call) (*catalog.Entry, error) {
	if len(id) > maxCalledID {
		c.Verdict = trace.Rejected
		return nil, tooLong(id)
	}
	entry, err := view.Resolve(id)
	if err != nil {
		c.Verdict = trace.Rejected
		hint := "find actions with catalog.search(\"words\")"
		var unknown *catalog.UnknownError
		if errors.As(err, &unknown) && unknown.Hint() != "" {
			hint = cmp.Or(r.near(unknown), hint)
		}
		if r.script.Author == User {
			if why := view.Why(id); why.State == "hidden" {
				c.Verdict, c.Rule = trace.Denied, why.Rule
				return nil, denied(CodeDenied, fmt.Sprintf("%s: denied: hidden by %s", id, why.Rule), "see /catalog view")
			}
		}
		return nil, &vm.HostError{Code: CodeUnknown, Message: err.Error(), Hint: hint, Refused: true}
	}
	id, c.ID = entry.ID, entry.ID
	if !entry.Callable() {
		c.Verdict = trace.Rejected
		hint := ""
		if strings.Contains(entry.Source, ".jsonl") {
			hint = "its line in " + entry.Source + ` needs an "http" or an "mcp" part, as actions of manifests have it; ` +
				"almanac doctor says what is wrong with one"
		}
		return nil, &vm.HostError{
			Code:    CodeUnknown,
			Message: fmt.Sprintf("%s: this entry can be described but not called: its source does not run actions", id),
			Hint:    hint,
			Refused: true,
		}
	}
	if in == nil && r.invoked == nil && c.Compensates == nil && r.player == nil && r.script.Author != User &&
		!r.selected[id] && !r.session.world.isDescribed(id) {
		c.Verdict, c.Rule = trace.Denied, "not described"
		return nil, denied(CodeNotDescribed, fmt.Sprintf("%s: denied: not described in this session", id),
			"describe it first, or list it in actions")
	}
	return entry, nil
}

func (r *run) checkArgs(entry *catalog.Entry, given map[string]any, c *trace.Call) (map[string]any, error) {
	err := checkAlone(entry, given)
	if err == nil {
		c.Args = given
		err = checkInjected(entry, given)
	}
	var args map[string]any
	if err == nil {
		args, err = entry.Input.Check(given)
	}
	if err == nil {
		c.Args = args
		return args, nil
	}
	c.Verdict = trace.Rejected
	host := &vm.HostError{Code: CodeBadArgument, Message: fmt.Sprintf("%s: %v", entry.ID, err), Refused: true}
	var bad *catalog.ArgError
	if errors.As(err, &bad) {
		named := *bad
		named.ID = entry.ID
		host.Message, host.Hint = named.Error(), cmp.Or(r.unsetHint(bad), named.Hint)
		if r.script.Author != User { // who would have to look it up
			host.Hint = strings.TrimPrefix(strings.TrimSpace(host.Hint+"\n"+entry.Argument(bad.Field)), "- ")
		}
	}
	return nil, host
}

func (r *run) authorize(ctx context.Context, entry *catalog.Entry, call catalog.Call, c *trace.Call) error {
	allow := r.session.world.options.Authorize
	if allow == nil {
		return nil
	}
	if err := allow(ctx, entry, call); err != nil {
		c.Verdict, c.Rule = trace.Denied, "actor"
		return denied(CodeDenied, fmt.Sprintf("%s: denied: %v", entry.ID, err), "")
	}
	return nil
}

// act calls the action. A mutation is recorded before it is made.
func (r *run) act(ctx context.Context, entry *catalog.Entry, call catalog.Call, c *trace.Call) (reply, error) {
	w := r.session.world
	if r.player != nil && (entry.Mutates || !r.player.Live) {
		c.Verdict = trace.Denied
		return reply{}, notRecorded(entry.ID, nil)
	}
	if entry.Mutates {
		call = r.keyed(entry, call, c)
		intent := r.recordable(*c)
		if err := w.observe(ctx, r.of(trace.Record{Kind: trace.KindBegin, Call: &intent})); err != nil {
			c.Verdict = trace.Denied
			return reply{}, denied(CodeLog, fmt.Sprintf("%s: denied: %v", entry.ID, err), "")
		}
		r.mutated(entry)
		r.list.begin()
	}
	if tell := w.options.Acting; tell != nil {
		tell(entry.ID, true)
		defer tell(entry.ID, false)
	}
	asks := r.asks(entry, *c)
	result, err := r.attempt(catalog.WithInquiries(ctx, w, asks.answer), entry, call, c)
	asks.end(&result, c)
	if err != nil {
		return reply{}, r.failed(ctx, entry, r.onFailure(ctx, entry, call, err, c), c)
	}
	if result, err = r.after(ctx, entry, call, result, c); err != nil {
		return reply{}, err
	}
	return r.answer(entry, call.Args, result, c)
}

// wait bounds one attempt of a call of the entry's action.
func (r *run) wait(entry *catalog.Entry) time.Duration {
	return cmp.Or(entry.Timeout, r.budget().Wait)
}

// failed is the answer to a call whose action, or its preview, failed; catalog.Transient where the failure was.
func (r *run) failed(ctx context.Context, entry *catalog.Entry, err error, c *trace.Call) error {
	c.Verdict = trace.Failed
	if ctx.Err() != nil {
		return interrupted()
	}
	red := r.session.world.redactor
	host := &vm.HostError{Code: CodeFailed, Message: red.text(withID(entry.ID, err))}
	if said := (*catalog.CallError)(nil); errors.As(err, &said) {
		host.Code, host.Hint = cmp.Or(red.text(said.Code), CodeFailed), red.text(said.Hint)
	}
	if t := (*catalog.Transient)(nil); errors.As(err, &t) {
		return &catalog.Transient{Err: host, After: t.After}
	}
	return host
}

// answer turns a result into the data that the script gets.
func (r *run) answer(entry *catalog.Entry, args map[string]any, result catalog.Result, c *trace.Call) (reply, error) {
	red := r.session.world.redactor
	data, size, err := red.sized(result.Data, r.budget().Result)
	c.Bytes = size
	if err != nil {
		c.Verdict = trace.Failed
		host := &vm.HostError{Code: CodeFailed, Message: fmt.Sprintf("%s: result: %v", entry.ID, err)}
		if errors.As(err, new(oversize)) {
			host.Code, host.Hint = CodeTooLarge, "ask for less: a smaller limit or fewer fields"
		}
		return reply{}, host
	}
	if c.Undo == nil {
		c.Undo = r.undo(entry, c.Args, data)
	}
	if err := r.checkResult(entry, data, c); err != nil {
		return reply{}, err
	}
	c.Next, c.Unsure = red.args(result.Next), result.Unsure
	c.Verdict, c.Note = trace.OK, cut(red.text(result.Note), logText)
	r.effects(entry, data, result, c)
	result.Data = data
	next, full := entry.NextPage(args, result)
	return reply{data, next, full, result.Status}, nil
}

// checkResult compares a result with the output schema: a difference is noted in the record, or an error with
// Options.CheckResults. What a preview does not know fits.
func (r *run) checkResult(entry *catalog.Entry, data any, c *trace.Call) error {
	o := &r.session.world.options
	switch {
	case o.TrustResults || entry.Output == nil || r.mode == trace.ModePreview && unknown.In(data):
		return nil
	case !o.CheckResults:
		c.Misfit = text.ClipRunes(r.session.world.redactor.text(entry.Output.Misfit(data)), 200)
		return nil
	}
	err := entry.Output.Fits(data)
	if err == nil {
		return nil
	}
	c.Verdict = trace.Failed
	why := r.session.world.redactor.text(err.Error())
	return &vm.HostError{
		Code:    CodeBadResult,
		Message: fmt.Sprintf("%s: the result does not match its output schema: %s", entry.ID, why),
		Hint:    "the action ran; its result was discarded",
	}
}

// callAction calls a and waits at most wait, and longer while it reports progress. An action that ignores its context
// is abandoned with its goroutine; a panic in it becomes an error.
func callAction(ctx context.Context, a catalog.Action, call catalog.Call, wait time.Duration) (catalog.Result, error) {
	ctx, stop := newPatient(ctx, wait)
	defer stop()
	type answer struct {
		result catalog.Result
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		var got answer
		got.err = task.Guard("the action", func() (err error) {
			got.result, err = a(ctx, call)
			return err
		})
		done <- got
	}()
	select {
	case got := <-done:
		if got.err != nil && outOfTime(ctx) {
			return catalog.Result{}, context.Cause(ctx)
		}
		return got.result, got.err
	case <-ctx.Done():
		return catalog.Result{}, context.Cause(ctx)
	}
}

// keep records the finished call. An error ends the run: the log cannot be written, or too many calls were refused.
func (r *run) keep(ctx context.Context, c trace.Call, data any, err error) error {
	w := r.session.world
	c.Took = time.Since(c.Start)
	red := w.redactor
	record := r.of(trace.Record{Kind: trace.KindCall, Mode: r.mode, Call: &c})
	whole := c.Args
	c = r.recordable(c)
	if w.options.Record != nil {
		if args := red.wholeArgs(whole); c.ArgsPart != "" || !uncut(args) || !trace.Exact(args) {
			c.ArgsWhole = record.Keep(args)
		}
	}
	if err != nil {
		c.Error = cut(red.text(err.Error()), logText)
		var host *vm.HostError
		if errors.As(err, &host) {
			if c.Code, c.Hint, c.Limit = host.Code, host.Hint, host.Limit; host.Fatal {
				c.Fatal = string(host.Kind)
			}
		}
	} else {
		if c.Depth == 0 {
			r.session.Recall([]string{c.ID})
		}
		c.Brief = brief(data)
		if c.Result, c.Part = sample(data, logText); c.Part != "" {
			record.Whole = data
		}
		if w.options.Record != nil && (c.Part != "" || !trace.Exact(data)) {
			c.Whole = record.Keep(data)
		}
	}
	var over error
	if c.Verdict == trace.Rejected {
		var recorded bool
		if recorded, over = r.refuse(c); recorded {
			return over
		}
	} else {
		r.mu.Lock()
		r.calls = append(r.calls, c)
		r.mu.Unlock()
	}
	if logErr := w.observe(ctx, record); logErr != nil {
		return denied(CodeLog, fmt.Sprintf("%s: %v", c.ID, logErr), "free disk space, or choose another data folder")
	}
	return over
}

// recordable is the call without secrets and cut to size, for a record.
func (r *run) recordable(c trace.Call) trace.Call {
	red := r.session.world.redactor
	c.Args, c.Injected = red.args(c.Args), red.args(c.Injected)
	if c.Given != nil {
		given, part := sample(red.args(c.Given), recordedArgs)
		c.Given, _ = given.(map[string]any)
		c.GivenCut = part != ""
	}
	if short, part := sample(c.Args, recordedArgs); part != "" {
		c.Args, _ = short.(map[string]any)
		c.ArgsPart = part
	}
	return c
}

func (r *run) context(view *catalog.View) catalog.Context {
	c := r.session.context(view)
	r.hearing.Do(func() { r.said = r.session.said() })
	c.Messages = r.said
	if r.invoked != nil {
		c = r.invoked.Context.Or(c)
	}
	return c
}

// context is what actions are told beside their arguments, without the conversation.
func (s *Session) context(view *catalog.View) catalog.Context {
	w := s.world
	c := w.options.Context
	c.SessionID = w.options.ID
	if a := view.Actor(); a != "" {
		c.Actor = a
	}
	if t := view.Tenant(); t != "" {
		c.Tenant = t
	}
	w.mu.Lock()
	c.Set = w.directed.set
	w.mu.Unlock()
	return c
}

// said is the conversation so far.
func (s *Session) said() []catalog.Message {
	s.world.mu.Lock()
	said := s.world.messages
	s.world.mu.Unlock()
	if said == nil {
		return nil
	}
	return said()
}

func (w *world) isDescribed(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.described[id]
}

func denied(code, message, hint string) *vm.HostError {
	return &vm.HostError{Fatal: true, Kind: vm.Denied, Code: code, Message: message, Hint: hint}
}

func interrupted() *vm.HostError {
	return &vm.HostError{Fatal: true, Kind: vm.Interrupt, Message: "interrupted"}
}

// withID prefixes an action's error with the id unless it starts with it.
func withID(id string, err error) string {
	if text := err.Error(); strings.HasPrefix(text, id) {
		return text
	}
	return fmt.Sprintf("%s: %v", id, err)
}
