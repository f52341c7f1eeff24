package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/llm"
	"almanac/llm/tools"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// An Arm is one way to give a model a catalog.
type Arm string

// The arms.
const (
	// Layer is the three tools.
	Layer Arm = "layer"
	// Direct is a tool for each action.
	Direct Arm = "direct"
)

// Arms are all of them.
func Arms() []Arm { return []Arm{Layer, Direct} }

// Options say who does the tasks.
type Options struct {
	Target llm.Target
	// Turns is how many completions a prompt may take, Time how long a task; zero means 20 and five minutes.
	Turns int
	Time  time.Duration
	// Prefix begins the names of the three tools.
	Prefix string
}

// A Result is what one run of a task came to.
type Result struct {
	Task  string `json:"task"`
	Kind  string `json:"kind"`
	Arm   Arm    `json:"arm"`
	Size  int    `json:"size"`
	OK    bool   `json:"success"`
	Tally `json:"measures"`
	// Faults says what the checks found.
	Faults []string `json:"faults,omitempty"`
	// Err is why the task could not be measured, or not to its end; a model that takes too many turns is not one.
	Err     error  `json:"-"`
	Problem string `json:"error,omitempty"`
	// Transcript is the conversation as text.
	Transcript string `json:"-"`
}

// Run has a model do a task and checks what came of it. The error is that of a bench out of order.
func (b *Bench) Run(ctx context.Context, t *Task, arm Arm, o Options) (_ Result, err error) {
	database, err := b.begin(ctx)
	if err != nil {
		return Result{}, err
	}
	if database != nil {
		defer func() { err = errors.Join(err, database.close()) }()
	}
	view, err := b.viewOf(t)
	if err != nil {
		return Result{}, fmt.Errorf("task %s: %w", t.Name, err)
	}
	w := &watch{task: t, started: time.Now()}
	s, err := session.New(view, session.Options{
		Policy: policy.Policy{Mode: t.Policy, Named: true}, Approve: t.approve, Record: w.record, Ran: w.ran,
		Acting: w.acting, Context: catalog.Context{Actor: "eval"},
	})
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	answering, cancel := context.WithTimeout(ctx, cmp.Or(o.Time, 5*time.Minute))
	defer cancel()
	c, system := conversation(s, arm, o)
	r := Result{Task: t.Name, Kind: t.Kind, Arm: arm, Size: b.Len()}
	e := Evidence{}
	for _, prompt := range t.Prompts {
		if e.Said, r.Err = c.Send(answering, prompt); r.Err != nil {
			break
		}
	}
	var turns *llm.TurnLimitError
	if errors.As(r.Err, &turns) {
		r.Faults, r.Err = append(r.Faults, r.Err.Error()), nil
	}
	messages := c.Messages()
	if r.Err != nil {
		r.Problem = r.Err.Error()
	}
	r.Tally = w.tally(arm, c.Usage())
	e.Calls, e.Returned = w.calls, returned(messages, arm, o)
	wrong, err := t.check(ctx, database, e)
	if err != nil {
		return Result{}, fmt.Errorf("task %s: %w", t.Name, err)
	}
	r.Faults = append(r.Faults, wrong...)
	r.OK = len(r.Faults) == 0 && r.Err == nil
	r.Transcript = transcript(t, r, system(), messages)
	return r, nil
}

// Solve runs a script as the person would, and checks what came of it. An empty one is a run that does nothing.
func (b *Bench) Solve(ctx context.Context, t *Task, script string) (wrong []string, calls []trace.Call, err error) {
	database, err := b.begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	if database != nil {
		defer func() { err = errors.Join(err, database.close()) }()
	}
	e, wrong, err := b.solve(ctx, t, script)
	if err != nil {
		return nil, nil, err
	}
	found, err := t.check(ctx, database, e)
	return append(wrong, found...), e.Calls, err
}

func (b *Bench) solve(ctx context.Context, t *Task, script string) (e Evidence, wrong []string, err error) {
	view, err := b.viewOf(t)
	if err != nil {
		return e, nil, err
	}
	w := &watch{task: t, started: time.Now()}
	s, err := session.New(view, session.Options{
		Policy: policy.Policy{Mode: t.Policy, Named: true}, Approve: t.approve, Record: w.record,
	})
	if err != nil {
		return e, nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if strings.TrimSpace(script) != "" {
		out, err := s.Run(ctx, session.Script{Source: script, Author: session.User})
		if err != nil {
			return e, nil, err
		}
		if out.Err != nil && !(out.Err.Kind == vm.Denied && slices.Contains(t.Tried, out.Err.Call)) {
			wrong = append(wrong, out.Err.Error())
		}
		for _, v := range out.Values {
			e.Returned = append(e.Returned, v.Repr)
		}
	}
	e.Calls = w.calls
	return e, wrong, nil
}

// approve answers for the person: yes to what the task lists, no to the rest.
func (t *Task) approve(_ context.Context, r session.Request) (session.Approval, error) {
	if r.Over != nil {
		return session.Approval{Verdict: session.Refuse}, nil
	}
	if len(r.Batch) == 0 {
		if matches(t.Approve, r.Entry.ID) {
			return session.Approval{Verdict: session.Once}, nil
		}
		return session.Approval{Verdict: session.Refuse}, nil
	}
	a := session.Approval{Verdict: session.Once}
	for i, planned := range r.Batch {
		if !matches(t.Approve, planned.Entry.ID) {
			a.Off = append(a.Off, i)
		}
	}
	if len(a.Off) == len(r.Batch) {
		return session.Approval{Verdict: session.Refuse}, nil
	}
	return a, nil
}

// conversation is the model's end of a session, and its system text.
func conversation(s *session.Session, arm Arm, o Options) (*llm.Conversation, func() string) {
	options := llm.Options{Target: o.Target, MaxTurns: o.Turns}
	t := tools.Options{Prefix: o.Prefix}
	var system func() llm.Prompt
	if arm == Direct {
		list := tools.Direct(s, t)
		system = func() llm.Prompt { return tools.DirectPrompt(s, t) }
		options.Tools = func() []llm.Tool { return list }
	} else {
		briefing := tools.NewBriefing(s, t)
		system, options.Tools = briefing.System, briefing.Tools
	}
	text := ""
	options.System = func() llm.Prompt {
		p := system()
		text = p.Text
		return p
	}
	return llm.NewConversation(options), func() string { return text }
}

// A watch sees what a run does.
type watch struct {
	task    *Task
	started time.Time

	mu       sync.Mutex
	calls    []trace.Call
	scripts  int
	failed   int // of scripts, by Lua of their own
	firstUse time.Duration
}

func (w *watch) record(r trace.Record) error {
	if r.Kind == trace.KindCall && r.Call != nil && r.Call.Verdict != trace.Planned && r.Before == "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		for range max(r.Call.Times, 1) {
			w.calls = append(w.calls, *r.Call)
		}
	}
	return nil
}

func (w *watch) ran(_ session.Script, o *session.Outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scripts++
	if o.Err != nil && o.Err.Call == "" && o.Err.Kind != vm.Interrupt {
		w.failed++
	}
}

func (w *watch) acting(_ string, begins bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if begins && w.firstUse == 0 {
		w.firstUse = time.Since(w.started)
	}
}

// returned is what calls returned to the model.
func returned(messages []llm.Message, arm Arm, o Options) (texts []string) {
	named := toolNames(messages)
	for _, m := range messages {
		if m.Role == llm.ToolRole && (arm == Direct || named[m.CallID] == toolName(o, "execute")) {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// toolNames are the tools that calls asked for, by the ids of the calls.
func toolNames(messages []llm.Message) map[string]string {
	named := map[string]string{}
	for _, m := range messages {
		for _, c := range m.Calls {
			named[c.ID] = c.Name
		}
	}
	return named
}

func toolName(o Options, tool string) string {
	return cmp.Or(o.Prefix, tools.DefaultPrefix) + "_" + tool
}

// transcript writes a conversation for people.
func transcript(t *Task, r Result, system string, messages []llm.Message) string {
	var b strings.Builder
	state := "done"
	if !r.OK {
		state = "not done"
	}
	fmt.Fprintf(&b, "# %s: %s\n\n%s arm, %d actions: %s\n", t.Name, t.Title, r.Arm, r.Size, state)
	for _, wrong := range r.Faults {
		fmt.Fprintf(&b, "* %s\n", wrong)
	}
	if r.Err != nil {
		fmt.Fprintf(&b, "* error: %v\n", r.Err)
	}
	fmt.Fprintf(&b, "\n## system\n\n%s\n", system)
	for _, m := range messages {
		fmt.Fprintf(&b, "\n## %s\n\n", m.Role)
		if m.Text != "" {
			fmt.Fprintln(&b, m.Text)
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "%s %s\n", c.Name, c.Args)
		}
	}
	return b.String()
}
