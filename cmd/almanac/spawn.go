// This file starts agents for agent.spawn: processes of this program, each with a file that says what it may do. That
// is never more than the session that asks.

package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/catalog/subprocess"
	"almanac/catalog/team"
	"almanac/catalog/text"
	"almanac/session"
	"almanac/session/policy"
)

const (
	// maxDepth is how deep agents start agents: one that a person's session has started is at 1.
	maxDepth = 2
	// maxAgents is how many agents of a session may run at a time.
	maxAgents = 8
	// agentTime is how long an agent may live that was given no time, and agentGrace how long it may take to end.
	agentTime  = 10 * time.Minute
	agentGrace = 30 * time.Second
)

// A spawned says what an agent may do that another session has started. The zero spawned is no such agent.
type spawned struct {
	Parent, Name string
	Depth        int
	// Roles are the parent's, and the one that was asked for, which is last.
	Roles []string
	// Actions are the ids that the parent sees, as far as it shares them. No others are visible.
	Actions       []string
	Actor, Tenant string
	Mode          policy.Mode
	Named         bool
	Grants        []spawnedGrant
	// Budget and UserBudget bound each run, Limit the Lua of the model's, Life and Idle the agent as a whole.
	Budget, UserBudget session.Budget
	Lua                time.Duration
	Life, Idle         time.Duration
	// Share is the agent's part of what the parent had left, where it has such limits.
	Share  cost
	Prompt string

	path string    // of the file
	ends time.Time // of this agent's life; set where it runs
}

// A spawnedGrant is a grant of the parent's.
type spawnedGrant struct {
	Allow string
	Seen  *policy.Seen `json:",omitempty"`
}

// rules leave of a view what the parent saw.
func (s *spawned) rules() catalog.Rules {
	seen := map[string]bool{}
	for _, id := range s.Actions {
		seen[id] = true
	}
	return catalog.Rules{
		Name: "started by " + s.Parent, Actor: s.Actor, Tenant: s.Tenant,
		Guard: func(e *catalog.Entry) (bool, string) { return seen[e.ID], s.Parent + " did not share it" },
	}
}

// policy is the parent's, where nobody can be asked.
func (s *spawned) policy() (p policy.Policy, err error) {
	p.Mode, p.Named = s.Mode, s.Named
	for _, kept := range s.Grants {
		g, err := policy.ParseGrant(kept.Allow)
		if err != nil {
			return p, fmt.Errorf("%s: %w", s.path, err)
		}
		g.Seen, g.By, g.For, g.Early = kept.Seen, s.Parent, policy.ForSession, true
		p.Grants = append(p.Grants, g)
	}
	return p, nil
}

// bound bounds the session of an agent by what its parent left it.
func (cli *commandLine) bound(o *session.Options) {
	if s := cli.spawned; s != nil {
		o.Budget, o.UserBudget, o.Limits.Time, o.UserLimits.Time = s.Budget, s.UserBudget, s.Lua, s.Lua
		o.Uncounted = teamSource // it can always answer, and end its task
	}
}

// readSpawned reads the file of an agent.
func readSpawned(path string) (s *spawned, err error) {
	content, err := readRegular(path)
	if err == nil {
		err = json.Unmarshal(content, &s)
	}
	if err == nil && (s == nil || s.Depth < 1 || s.Name == "" || s.Parent == "") {
		err = errors.New("it does not say whose agent it is")
	}
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	s.path, s.ends = path, time.Now().Add(s.Life)
	return s, nil
}

// sent is the file that tells that the agent's result is on its way.
func (s *spawned) sent() string { return filepath.Join(filepath.Dir(s.path), "sent") }

// optionsFile has the options of the agent's command line until it has read them: an address may have a password, and
// everybody on the machine can read the command line of a process.
func (s *spawned) optionsFile() string { return filepath.Join(filepath.Dir(s.path), "options.json") }

// spawnedArgs are the arguments of the program with what the file beside an agent's says, which is removed.
func spawnedArgs(args []string) ([]string, error) {
	if len(args) != 3 || args[0] != "agent" || args[1] != "--spawned" {
		return args, nil
	}
	path := (&spawned{path: args[2]}).optionsFile()
	content, err := readRegular(path)
	var options []string
	if err == nil {
		err = errors.Join(os.Remove(path), json.Unmarshal(content, &options))
	}
	if err != nil {
		return nil, misconfigured(fmt.Errorf("agent: %w", err))
	}
	return append(options, args...), nil
}

// usedFile is where an agent that ends by itself says what it has used.
func (s *spawned) usedFile() string { return filepath.Join(filepath.Dir(s.path), "used.json") }

// tellUsed tells the parent what the agent has used.
func (s *spawned) tellUsed(c cost) error {
	if s == nil {
		return nil
	}
	content, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(s.usedFile(), content, 0o600)
}

// used is what the agent has used of its share: all of it, where it was killed.
func (s *spawned) used() (c cost) {
	content, err := readRegular(s.usedFile())
	if err != nil || json.Unmarshal(content, &c) != nil {
		return s.Share
	}
	return c
}

// A spawner starts the agents of a session and says so where one ends without a result. Safe for concurrent use.
type spawner struct {
	cli *commandLine
	w   *app
	// program returns the command that runs this program with arguments.
	program func(args ...string) (*exec.Cmd, error)

	mu      sync.Mutex
	running map[string]*exec.Cmd
	waiting []io.Closer // their standard inputs: an agent whose input ends has lost its parent
	closed  bool
}

func (cli *commandLine) newSpawner(w *app) *spawner {
	return &spawner{cli: cli, w: w, program: again, running: map[string]*exec.Cmd{}}
}

// again is this program with other arguments.
func again(args ...string) (*exec.Cmd, error) {
	path, err := os.Executable()
	cmd := exec.Command(path)
	cmd.Args = append([]string{os.Args[0]}, args...)
	return cmd, err
}

// Close lets the agents that run finish their prompts.
func (s *spawner) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, in := range s.waiting {
		in.Close()
	}
	return nil
}

// spawn implements team.Options.Spawn.
func (s *spawner) spawn(_ context.Context, r team.SpawnRequest) (name string, err error) {
	t, err := s.w.member.joined()
	if err != nil {
		return "", err
	}
	what, err := s.bounds(t.Agent(), r)
	if err != nil {
		return "", err
	}
	as := *s.cli
	as.spawned, as.Role = what, noRole
	if _, err := as.models(); err != nil {
		return "", fmt.Errorf("agent: it would have no model: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return "", errors.New("this session is ending")
	case len(s.running) >= maxAgents:
		return "", fmt.Errorf("%d agents of this session are running: wait for a result", maxAgents)
	}
	if what.Share, err = s.w.spending.share(); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			s.w.spending.settle(what.Share, cost{})
		}
	}()
	dir := filepath.Join(s.cli.dataDir(), "agents", what.Name)
	content, err := json.Marshal(what)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	what.path = filepath.Join(dir, "agent.json")
	if err == nil {
		err = os.WriteFile(what.path, content, 0o600)
	}
	if err != nil {
		return "", err
	}
	return what.Name, s.start(t, what)
}

// bounds is what the agent may do: the request, within what the session may do now.
func (s *spawner) bounds(parent string, r team.SpawnRequest) (*spawned, error) {
	own := s.cli.spawned
	what := &spawned{Parent: parent, Depth: 1, Life: agentTime, Prompt: r.Prompt}
	if own != nil {
		what.Depth = own.Depth + 1
	}
	if what.Depth > maxDepth {
		return nil, fmt.Errorf("agents start agents %d deep at most, and this one is at %d", maxDepth, own.Depth)
	}
	now := s.w.session
	for _, role := range now.Roles() {
		what.Roles = append(what.Roles, role.Name)
	}
	view, err := shared(now.View(), r)
	if err != nil {
		return nil, err
	}
	base := "agent"
	if r.Role != "" {
		role, err := s.cli.config.role(r.Role)
		if err != nil {
			return nil, err
		}
		if _, err := role.seen(view); err != nil {
			return nil, err
		}
		if base = role.name; !slices.Contains(what.Roles, role.name) {
			what.Roles = append(what.Roles, role.name)
		}
	}
	what.Name = base[:min(len(base), 25)] + "-" + strings.ToLower(rand.Text()[:6])
	what.Actions, what.Actor, what.Tenant = slices.Collect(view.All()), view.Actor(), view.Tenant()
	p := now.Policy()
	what.Mode, what.Named = p.Mode, p.Named
	for _, g := range p.InForce() {
		if g.For != policy.ForRun {
			what.Grants = append(what.Grants, spawnedGrant{g.String(), g.Seen})
		}
	}
	what.Budget, what.UserBudget = now.Budget(session.Model), now.Budget(session.User)
	what.Lua = now.Limits(session.Model).Time
	if err := what.leave(now.Used()); err != nil {
		return nil, err
	}
	if r.Calls != nil {
		what.Budget.Calls = min(*r.Calls, what.Budget.Calls)
	}
	switch {
	case r.Mutations == nil:
	case *r.Mutations == 0:
		what.onlyRead()
	default:
		what.Budget.Mutations = min(*r.Mutations, what.Budget.Mutations)
	}
	if own != nil {
		what.Life = min(what.Life, time.Until(own.ends))
	}
	if r.Seconds != nil {
		what.Life = min(what.Life, time.Duration(*r.Seconds)*time.Second)
	}
	if what.Life <= 0 {
		return nil, errors.New("there is no time left for it")
	}
	what.Idle = time.Duration(r.Idle) * time.Second
	return what, nil
}

// leave bounds the agent to what the parent's run has left. Zero would bound nothing.
func (s *spawned) leave(used session.Usage) error {
	if used.CallLimit == 0 { // nothing has run yet
		return nil
	}
	calls, mutations := used.CallLimit-used.Calls, used.MutationLimit-used.Mutations
	if calls <= 0 {
		return errors.New("this run has no action calls left to share: start the agent in another one")
	}
	if s.Budget.Calls = min(s.Budget.Calls, calls); mutations <= 0 {
		s.onlyRead()
	} else {
		s.Budget.Mutations = min(s.Budget.Mutations, mutations)
	}
	return nil
}

// onlyRead leaves the agent no writes but those of the team that the parent may make without being asked. A budget of
// zero would bound nothing.
func (s *spawned) onlyRead() {
	talks := s.Mode == policy.Session
	s.Grants = slices.DeleteFunc(s.Grants, func(g spawnedGrant) bool {
		talks = talks || g.Allow == "*"
		return !slices.ContainsFunc(teamPatterns(), func(p string) bool {
			return strings.HasPrefix(g.Allow, strings.TrimSuffix(p, "*"))
		})
	})
	if talks {
		for _, p := range teamPatterns() {
			s.Grants = append(s.Grants, spawnedGrant{Allow: p})
		}
	}
	s.Mode, s.Named, s.Budget.Mutations = policy.ReadOnly, true, 1
}

// teamPatterns match the actions over what a team shares. Starting agents is not one of them.
func teamPatterns() []string { return []string{"peer.*", "context.*"} }

// shared is what the agent may see of a view. What is named has to be there: an id that is hidden is as unknown as one
// that does not exist.
func shared(view *catalog.View, r team.SpawnRequest) (*catalog.View, error) {
	rules := catalog.Rules{IDs: r.Actions, ReadOnly: r.ReadOnly, Keep: teamSource}
	if r.Actions != nil && len(r.Actions) == 0 {
		rules.Guard = func(*catalog.Entry) (bool, string) { return false, "no action was shared" }
	}
	visible := slices.Collect(view.All())
	for _, text := range r.Actions {
		p, err := pattern.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("actions: %w", err)
		}
		if !slices.ContainsFunc(visible, p.Match) {
			return nil, fmt.Errorf("actions: %w", &catalog.UnknownError{ID: text, Loading: view.Loading()})
		}
	}
	return view.Narrow(rules)
}

// start starts the process and watches it. The caller holds mu.
func (s *spawner) start(t *team.Team, what *spawned) error {
	options, err := json.Marshal(append(s.cli.sameFlags(), "--role="+noRole, "--context-agent-name="+what.Name))
	if err == nil {
		err = os.WriteFile(what.optionsFile(), options, 0o600)
	}
	if err != nil {
		return err
	}
	cmd, err := s.program("agent", "--spawned", what.path)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(filepath.Dir(what.path), "log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = log, log
	in, err := cmd.StdinPipe()
	if err == nil {
		subprocess.Apart(cmd)
		err = cmd.Start()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("agent %s: %w", what.Name, err), log.Close(), os.Remove(what.optionsFile()))
	}
	s.running[what.Name], s.waiting = cmd, append(s.waiting, in)
	late := time.AfterFunc(what.Life+agentGrace, func() { subprocess.KillGroup(cmd) })
	go func() {
		failed := cmd.Wait()
		late.Stop()
		s.ended(t, what, failed, log)
	}()
	return nil
}

// ended tells of an agent that has ended without a result.
func (s *spawner) ended(t *team.Team, what *spawned, failed error, log *os.File) {
	defer log.Close()
	_ = os.Remove(what.optionsFile()) // there only where it has ended before it read them
	s.mu.Lock()
	delete(s.running, what.Name)
	closed := s.closed
	s.mu.Unlock()
	s.w.spending.settle(what.Share, what.used())
	if _, err := os.Stat(what.sent()); !errors.Is(err, fs.ErrNotExist) || closed {
		return
	}
	how := "it has ended"
	if failed != nil {
		how = failed.Error()
	}
	said := "failed, without a result: " + how
	if last := lastOf(log, maxLast); last != "" {
		said += "\nthe last that it printed:\n" + last
	}
	ctx, cancel := context.WithTimeout(context.Background(), sendTime)
	defer cancel()
	item := team.Item{Kind: team.Result, Topic: fmt.Sprintf("the prompt %q", topicOf(what.Prompt)), Text: said}
	if err := t.Report(ctx, what.Name, item); err != nil {
		s.w.log.note(fmt.Sprintf("%s: %v", said, err))
	}
}

const (
	// maxLast is how much is told of what a failed agent printed last, in bytes.
	maxLast = 2000
	// sendTime is how long a result may take to be accepted.
	sendTime = time.Minute
)

// lastOf is the end of a file, in whole lines.
func lastOf(f *os.File, most int64) string {
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	from := max(info.Size()-most, 0)
	content, err := io.ReadAll(io.NewSectionReader(f, from, most))
	if err != nil {
		return ""
	}
	if _, rest, found := strings.Cut(string(content), "\n"); found && from > 0 {
		content = []byte(rest)
	}
	return strings.TrimSpace(text.Clean(string(content)))
}

// sameFlags are the settings of this program's command line, for another one that is to read the same sources.
func (cli *commandLine) sameFlags() []string {
	flags := []string{"--data=" + cli.dataDir(), "--team=" + cli.Team}
	for _, s := range cli.config.settings {
		switch s.flag.Name {
		case "data", "team", "role", "policy", "allow", "context-agent-name", "output", "plain", "ascii", "color":
			continue
		}
		if !cli.origins[s.flag.Name] {
			continue
		}
		values := []any{s.flag.Target.Interface()}
		if list, many := values[0].([]string); many {
			values = nil
			for _, one := range list {
				values = append(values, one)
			}
		}
		for _, value := range values {
			flags = append(flags, fmt.Sprintf("--%s=%v", s.flag.Name, value))
		}
	}
	return flags
}
