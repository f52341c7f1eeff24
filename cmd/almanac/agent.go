// This file is almanac agent: a session without a person that is a member of a team. It runs its prompt, and stays to
// answer questions where its role lets the model do that alone.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"almanac/catalog/team"
	"almanac/catalog/text"
	"almanac/llm"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session/policy"
	"almanac/session/trace"
)

type agentCommand struct {
	Prompt     []string      `arg:"" optional:"" help:"What to do first."`
	PromptTime time.Duration `default:"10m" help:"How long the model may work on one prompt, question or task; 0 for any time."`
	Idle       time.Duration `default:"10m" help:"End when nothing has arrived for this long."`
	Spawned    string        `hidden:"" placeholder:"FILE" help:"What the agent may do, as the session wrote it that starts it."`
}

// agentJoins is how long an agent tries to join: the program that runs the bus may be about to end, as a spawner that
// does not wait.
const agentJoins = 15 * time.Second

// answerAction is the action that a model calls which answers alone, and taskActions those of one that takes tasks.
const (
	answerAction = "peer.answer"
	taskActions  = "peer.task.*"
)

// agentMode is the policy of an agent where nobody chose one: that of its role, else read-only.
func (cli *commandLine) agentMode() policy.Mode {
	roles, _ := cli.roles() // as the feed reads them
	mode := policy.Mode("")
	for _, r := range roles {
		for _, t := range r.parts {
			if t.mode != "" && (mode == "" || t.mode.Stricter(mode)) {
				mode = t.mode
			}
		}
	}
	return mode
}

// agentGrants are what an agent's role allows, since there is nobody to ask. The role bounds them, too.
func (cli *commandLine) agentGrants() (grants []policy.Grant, err error) {
	roles, err := cli.roles()
	for _, r := range roles {
		for _, t := range r.parts {
			for _, g := range t.allow {
				g.For, g.Early = policy.ForSession, true
				grants = append(grants, g)
			}
		}
		grants = append(grants, r.own()...)
	}
	return grants, err
}

// own are the grants of what the role has the model do alone.
func (r role) own() (grants []policy.Grant) {
	var ids []string
	if r.answers() {
		ids = append(ids, answerAction)
	}
	if r.tasks() {
		ids = append(ids, taskActions)
	}
	grants, _ = policy.ParseGrants(ids, "role "+r.name) // they are patterns
	return grants
}

// Run is the life of an agent.
func (c agentCommand) Run(ctx context.Context, cli *commandLine, p *program) (err error) {
	format, err := cli.format("json", "jsonl")
	if err != nil {
		return err
	}
	prompt, orphaned, err := c.begin(cli, p)
	if err != nil {
		return err
	}
	if _, err := cli.models(); err != nil {
		return misconfigured(err)
	}
	limits := cli.agentLimits()
	if limits.time > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, limits.time, errAgentTime)
		defer stop()
	}
	a := &agent{cli: cli, limits: limits, promptTime: c.PromptTime, orphaned: orphaned}
	if err := a.alone(prompt != "", c.Idle); err != nil {
		return err
	}
	ctx, a.stop = context.WithCancelCause(ctx)
	defer a.stop(nil)
	defer func() {
		if cause := context.Cause(ctx); errors.Is(cause, errAgentTime) {
			err = cause // whatever it was cut off at
		}
	}()
	spending := &spending{limits: limits, over: func() { a.stop(errAgentCost) }}
	defer func() { err = errors.Join(err, cli.spawned.tellUsed(spending.used())) }()
	feed := event.NewFeed()
	w, err := cli.wire(ctx, appOptions{feed: feed, front: trace.FrontAgent, policy: cli.agentMode()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	w.spending, w.apart = spending, a.isApart
	a.app, a.shell = w, handling{p: p, shell: cli.shell(w, nil, shellOptions{}), feed: feed, format: format}
	a.shell.shell.SetMode(input.AskMode)
	joining, cancel := context.WithTimeout(ctx, agentJoins)
	w.member.settled(joining)
	cancel()
	if a.team, err = w.member.joined(); err != nil {
		return err
	}
	fmt.Fprintf(p.stderr, "agent %s in team %s\n", a.team.Agent(), a.team.Name())
	if prompt != "" {
		if err := a.first(ctx, prompt); err != nil {
			return err
		}
	}
	return a.serve(ctx, c.Idle)
}

// begin reads what the agent is to do. For one that another session has started, orphaned is closed when that session
// has ended.
func (c *agentCommand) begin(cli *commandLine, p *program) (prompt string, orphaned chan struct{}, err error) {
	cli.agent = true
	prompt = strings.TrimSpace(strings.Join(c.Prompt, " "))
	if c.Spawned != "" {
		if cli.spawned, err = readSpawned(c.Spawned); err != nil {
			return "", nil, misconfigured(err)
		}
		s := cli.spawned
		prompt, c.Idle = s.Prompt, s.Idle
		orphaned = make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, p.stdin) // it ends with the parent, or with this process
			close(orphaned)
		}()
	}
	switch {
	case cli.Team == "":
		return "", nil, usage("agent: it is in no team: want --team NAME, or [team] name = \"NAME\" in the configuration")
	case prompt == "-":
		prompt, err = p.readCode("-")
	}
	return prompt, orphaned, errors.Join(err, cli.openNotes(p, false))
}

// agentLimits bound the agent as a whole.
func (cli *commandLine) agentLimits() (l roleLimits) {
	roles, _ := cli.roles() // as the feed reads them
	for _, r := range roles {
		o := r.limits()
		l.time, l.tokens, l.cost = smaller(l.time, o.time), smaller(l.tokens, o.tokens), smaller(l.cost, o.cost)
	}
	if cli.spawned != nil {
		s := cli.spawned
		l.time, l.tokens, l.cost = smaller(l.time, s.Life), smaller(l.tokens, s.Share.Tokens), smaller(l.cost, s.Share.Cost)
	}
	return l
}

var (
	errAgentTime  = errors.New("the agent's time is over")
	errPromptTime = errors.New("the time of one prompt is over: see almanac agent --prompt-time")
	errAgentCost  = errors.New("the agent has used up the tokens or the cost of its role")
)

// An agent is a session without a person.
type agent struct {
	cli        *commandLine
	app        *app
	team       *team.Team
	shell      handling
	limits     roleLimits
	promptTime time.Duration // bounds each prompt: a server may accept one and never answer; zero does not
	answers    bool          // the model answers questions alone
	takes      bool          // the model takes tasks alone
	told       string        // what last went wrong with questions
	stop       context.CancelCauseFunc
	orphaned   chan struct{} // nil where nobody has started it
}

// A spending is what the model of an agent has cost, within its limits. Safe for concurrent use; nil has no limits.
type spending struct {
	limits roleLimits
	over   func() // is called when a limit is passed

	mu            sync.Mutex
	spent, shared cost // shared is what agents have that it has started
}

// A cost is in tokens and in money.
type cost struct {
	Tokens int
	Cost   float64
}

func (c cost) plus(o cost, sign int) cost {
	return cost{c.Tokens + sign*o.Tokens, c.Cost + float64(sign)*o.Cost}
}

// add counts what the model cost.
func (s *spending) add(u llm.Usage) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent = s.spent.plus(cost{u.Input + u.Output, u.Cost}, 1)
	if left := s.left(); s.limits.tokens > 0 && left.Tokens < 0 || s.limits.cost > 0 && left.Cost < 0 {
		s.over()
	}
}

// left is what may still be spent or shared, of the limits that there are; mu is held.
func (s *spending) left() cost {
	return cost{s.limits.tokens, s.limits.cost}.plus(s.spent, -1).plus(s.shared, -1)
}

// share sets half of what is left aside for an agent; what is zero bounds nothing. settle ends that.
func (s *spending) share() (c cost, err error) {
	if s == nil {
		return c, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.left()
	if s.limits.tokens > 0 && left.Tokens <= 0 || s.limits.cost > 0 && left.Cost <= 0 {
		return c, errors.New("there are no tokens, or no cost, left for it")
	}
	if s.limits.tokens > 0 {
		c.Tokens = (left.Tokens + 1) / 2
	}
	if s.limits.cost > 0 {
		c.Cost = left.Cost / 2
	}
	s.shared = s.shared.plus(c, 1)
	return c, nil
}

// settle takes back what an agent has left of its share.
func (s *spending) settle(share, used cost) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shared, s.spent = s.shared.plus(share, -1), s.spent.plus(used, 1)
}

// used is what was spent here, and what agents have that still run.
func (s *spending) used() cost {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spent.plus(s.shared, 1)
}

// prompt has the model answer a prompt, and prints what came of it. doing is what the team is told of it meanwhile.
func (a *agent) prompt(ctx context.Context, doing, prompt string) (answer string, err error) {
	a.team.Doing(topicOf(doing))
	defer a.team.Doing("")
	if a.promptTime > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeoutCause(ctx, a.promptTime, errPromptTime)
		defer end()
	}
	said, _, err := a.shell.line(ctx, prompt)
	err = errors.Join(err, a.shell.p.printAnswer(said, a.shell.format, exitCode(ctx, err), err))
	if cause := context.Cause(ctx); cause != nil {
		return said.Answer, cause
	}
	if err != nil && said.Message != "" {
		err = &exitError{exitCode(ctx, err), errors.New(said.Message)}
	}
	return said.Answer, err
}

// topicOf is what a prompt is about, in a few words.
func topicOf(prompt string) string { return text.LineBytes(text.FirstSentence(prompt), 80) }

// first runs the agent's prompt, and sends the result to the one that has started it. An error is a result, too.
func (a *agent) first(ctx context.Context, prompt string) error {
	if strings.HasPrefix(prompt, "/") || strings.HasPrefix(prompt, "!") {
		prompt = " " + prompt // words, whatever they begin with
	}
	answer, failed := a.prompt(ctx, prompt, prompt)
	s := a.cli.spawned
	if s == nil {
		return failed
	}
	item := team.Item{Kind: team.Result, To: s.Parent, Topic: fmt.Sprintf("the prompt %q", topicOf(prompt)), Text: answer}
	if failed != nil {
		item.Text = strings.TrimSpace("failed: " + failed.Error() + "\n" + answer)
	}
	if item.Text == "" {
		item.Text = "it has ended, and said nothing"
	}
	item.Text = whole(item.Text)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	defer cancel()
	if err := a.insist(ctx, func() error { return a.team.Send(ctx, item) }); err != nil {
		return errors.Join(failed, fmt.Errorf("result: %w", err))
	}
	return errors.Join(failed, os.WriteFile(s.sent(), nil, 0o600))
}
