package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/subprocess"
	"almanac/catalog/team"
	"almanac/catalog/team/bus"
	"almanac/llm"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
)

// TestSpawnedNeverMore starts agents with random requests from sessions with random roles and policies, and theirs: an
// agent sees nothing that the session does not, is allowed nothing that the session would not be allowed without a
// question, and has no larger budget.
func TestSpawnedNeverMore(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ids := []string{"crm.read", "crm.write", "crm.drop", "billing.read", "billing.write", "peer.message", "agent.spawn"}
	var entries []catalog.Entry
	for i, id := range ids {
		e := catalog.Entry{ID: id, Description: id, Mutates: i%3 != 0, Risk: []catalog.Risk{"low", "high", "medium"}[i%3]}
		if i > 4 {
			e.Source = teamSource
		}
		entries = append(entries, e)
	}
	c, _ := catalog.New(entries, catalog.Options{})
	grants := []string{"crm.*", "crm.write", "billing.* risk high", "peer.*", "*"}
	some := func(of ...string) []string {
		return slices.DeleteFunc(slices.Clone(of), func(string) bool { return r.IntN(2) == 0 })
	}
	parse := func(texts []string) []policy.Grant {
		all, err := policy.ParseGrants(texts, "test")
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	table := func(name string) roleTable {
		return roleTable{name: name, mode: []policy.Mode{"", policy.ReadOnly, policy.Ask, policy.Session}[r.IntN(4)],
			rules: &catalog.Rules{DeniedIDs: some("crm.write", "peer.message"), ReadOnly: r.IntN(4) == 0},
			allow: parse(some(grants...)), limits: roleLimits{calls: r.IntN(60), mutations: r.IntN(30)}}
	}
	deepest, shared := 0, 0
	for range 20 {
		roles := []roleTable{table("a"), table("b"), table("c")}
		base := &commandLine{config: &config{user: configFile{roles: roles}}, origins: map[string]bool{}}
		parent, err := session.New(c.View(), session.Options{
			Policy: policy.Policy{Mode: []policy.Mode{policy.Ask, policy.Session, policy.ReadOnly}[r.IntN(3)],
				Grants: parse(some(grants...))},
			Budget: session.Budget{Calls: 1 + r.IntN(99)},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer parent.Close()
		if r.IntN(2) == 0 {
			if err := base.takeRole(parent, "a"); err != nil {
				t.Fatal(err)
			}
		}
		for cli := base; ; {
			request := team.SpawnRequest{Prompt: "x", ReadOnly: r.IntN(5) == 0, Calls: new(1 + r.IntN(200)),
				Mutations: new(r.IntN(50)), Role: []string{"", "a", "b", "c"}[r.IntN(4)],
				Actions: some("crm.*", "agent.spawn", "billing.read")}
			what, err := (&spawner{cli: cli, w: &app{session: parent}}).bounds("boss", request)
			if err != nil {
				if depth := cli.spawned; depth == nil || depth.Depth < maxDepth {
					t.Logf("%+v: %v", request, err)
				}
				break
			}
			deepest = max(deepest, what.Depth)
			what.path = filepath.Join(t.TempDir(), "agent.json")
			content, err := json.Marshal(what)
			if err == nil {
				err = os.WriteFile(what.path, content, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			next := &commandLine{config: base.config, origins: base.origins, agent: true}
			if next.spawned, err = readSpawned(what.path); err != nil {
				t.Fatal(err)
			}
			child := agentSession(t, next, c.View())
			defer child.Close()
			shared += child.View().Len()
			for _, e := range entries {
				if _, sees := child.View().Lookup(e.ID); sees {
					if _, saw := parent.View().Lookup(e.ID); !saw {
						t.Fatalf("%s: the agent sees it, the session does not", e.ID)
					}
				}
				asked := policy.RequestOf(&e, nil)
				is, was := child.Policy().Decide(asked), parent.Policy().Decide(asked)
				if is.Verdict == policy.Allow && was.Verdict != policy.Allow {
					t.Fatalf("%+v\n%s: %+v, the session's: %+v", what, e.ID, is, was)
				}
			}
			is, was := child.Budget(session.Model), parent.Budget(session.Model)
			if is.Calls > was.Calls || is.Mutations > was.Mutations || is.Wait > was.Wait ||
				child.Limits(session.Model).Time > parent.Limits(session.Model).Time {
				t.Fatalf("budget %+v, the session's %+v", is, was)
			}
			parent, cli = child, next
		}
	}
	if deepest != maxDepth || shared == 0 {
		t.Errorf("agents %d deep that see %d actions in all", deepest, shared)
	}
}

// TestSpawnRequests starts agents from a session that does not see one of three actions: a budget of none and an empty
// list are not left to the session's, and what it does not see is as unknown as what does not exist.
func TestSpawnRequests(t *testing.T) {
	all, _ := catalog.New([]catalog.Entry{
		{ID: "crm.read"}, {ID: "crm.write", Mutates: true}, {ID: "ops.secret"},
		{ID: "peer.message", Mutates: true, Source: teamSource},
	}, catalog.Options{})
	view, err := all.View().Narrow(catalog.Rules{DeniedIDs: []string{"ops.*"}})
	if err != nil {
		t.Fatal(err)
	}
	parent, err := session.New(view, session.Options{Policy: policy.Policy{Mode: policy.Session}})
	if err != nil {
		t.Fatal(err)
	}
	defer parent.Close()
	s := &spawner{cli: &commandLine{config: &config{}, origins: map[string]bool{}}, w: &app{session: parent}}
	for _, c := range []struct {
		request team.SpawnRequest
		want    string
	}{
		{team.SpawnRequest{}, "[crm.read crm.write peer.message] session 50 calls 20 writes 10m0s"},
		{team.SpawnRequest{Mutations: new(0)},
			"[crm.read crm.write peer.message] readonly 50 calls 1 writes 10m0s [peer.* context.*]"},
		{team.SpawnRequest{Calls: new(3), Mutations: new(2), Seconds: new(5)},
			"[crm.read crm.write peer.message] session 3 calls 2 writes 5s"},
		{team.SpawnRequest{Actions: []string{}}, "[peer.message] session 50 calls 20 writes 10m0s"},
		{team.SpawnRequest{Actions: []string{"crm.r*"}}, "[crm.read peer.message] session 50 calls 20 writes 10m0s"},
		{team.SpawnRequest{Actions: []string{"crm.read", "ops.secret"}}, "actions: ops.secret: no such action"},
		{team.SpawnRequest{Actions: []string{"ops.*"}}, "actions: ops.*: no such action"},
		{team.SpawnRequest{Actions: []string{"ops.none"}}, "actions: ops.none: no such action"},
	} {
		got := ""
		if what, err := s.bounds("boss", c.request); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprintf("%v %s %d calls %d writes %v", what.Actions, what.Mode, what.Budget.Calls,
				what.Budget.Mutations, what.Life)
			if len(what.Grants) > 0 {
				got += fmt.Sprint(" ", grantsOf(what))
			}
		}
		if got != c.want {
			t.Errorf("%+v: %s\nwant %s", c.request, got, c.want)
		}
	}
}

// grantsOf are the grants of an agent.
func grantsOf(s *spawned) (all []string) {
	for _, g := range s.Grants {
		all = append(all, g.Allow)
	}
	return all
}

// TestSpawnedTalks shows that an agent without writes keeps what its parent may say to the team, and no more, and that
// saying it counts as no write.
func TestSpawnedTalks(t *testing.T) {
	for _, c := range []struct {
		mode   policy.Mode
		grants []string
		want   string
	}{
		{policy.Ask, nil, "[]"},
		{policy.ReadOnly, nil, "[]"},
		{policy.Session, []string{"crm.*"}, "[peer.* context.*]"},
		{policy.Ask, []string{"crm.*", "peer.answer", "agent.spawn"}, "[peer.answer]"},
		{policy.Ask, []string{"*"}, "[peer.* context.*]"},
	} {
		s := &spawned{Mode: c.mode, Budget: session.Budget{Mutations: 20}}
		for _, g := range c.grants {
			s.Grants = append(s.Grants, spawnedGrant{Allow: g})
		}
		if s.onlyRead(); fmt.Sprint(grantsOf(s)) != c.want {
			t.Errorf("%s %v: %v, want %s", c.mode, c.grants, grantsOf(s), c.want)
		}
	}
	action := func(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{}, nil }
	all, _ := catalog.New([]catalog.Entry{
		{ID: "crm.write", Mutates: true, Action: action},
		{ID: "peer.message", Mutates: true, Risk: catalog.Low, Source: teamSource, Action: action},
	}, catalog.Options{})
	agent := &spawned{Parent: "boss", Mode: policy.Session, Actions: []string{"crm.write", "peer.message"}}
	agent.onlyRead()
	s := agentSession(t, &commandLine{config: &config{}, origins: map[string]bool{}, spawned: agent}, all.View())
	defer s.Close()
	out, err := s.Run(t.Context(), session.Script{
		Author: session.Model, Actions: agent.Actions,
		Source: "peer.message{} peer.message{} peer.message{} pcall(crm.write, {})",
	})
	if err != nil || len(out.Calls) != 4 || out.Calls[3].Verdict != trace.Denied {
		t.Errorf("%+v: %v", out, err)
	}
}

// agentSession is the session of an agent over a catalog.
func agentSession(t *testing.T, cli *commandLine, view *catalog.View) *session.Session {
	t.Helper()
	rules, err := cli.roleViews()
	if err != nil {
		t.Fatal(err)
	}
	f := &catalogUpdater{rules: rules}
	for _, r := range f.rules {
		if view, err = view.Narrow(r); err != nil {
			t.Fatal(err)
		}
	}
	p, err := cli.policy(cli.agentMode(), view, true)
	if err != nil {
		t.Fatal(err)
	}
	o := session.Options{Policy: p}
	cli.bound(&o)
	roles, _ := cli.roles()
	for _, r := range roles {
		o.Roles = append(o.Roles, r.taken())
	}
	s, err := session.New(view, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLeave tells what an agent gets of a run that has used up its budget: no call is none, no write is none to give.
func TestLeave(t *testing.T) {
	for _, c := range []struct {
		used session.Usage
		want string
	}{
		{session.Usage{}, "50 20 ask <nil>"},
		{session.Usage{Calls: 3, CallLimit: 10, Mutations: 1, MutationLimit: 5}, "7 4 ask <nil>"},
		{session.Usage{Calls: 3, CallLimit: 1000, MutationLimit: 200}, "50 20 ask <nil>"},
		{session.Usage{Calls: 10, CallLimit: 10, MutationLimit: 5},
			"50 20 ask this run has no action calls left to share: start the agent in another one"},
		{session.Usage{Calls: 3, CallLimit: 10, Mutations: 5, MutationLimit: 5}, "7 1 readonly <nil>"},
	} {
		s := &spawned{Mode: policy.Ask, Budget: session.Budget{Calls: 50, Mutations: 20}}
		err := s.leave(c.used)
		if got := fmt.Sprintf("%d %d %s %v", s.Budget.Calls, s.Budget.Mutations, s.Mode, err); got != c.want {
			t.Errorf("%+v leaves %s, want %s", c.used, got, c.want)
		}
	}
}

// TestSpawnedWithinCost has an agent with limits of tokens and cost start others, which start others in turn: together
// they never spend more than it had, and what nobody has spent is the first one's again once they have ended.
func TestSpawnedWithinCost(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		total := cost{1 + r.IntN(1000), float64(1 + r.IntN(64))}
		type one struct {
			*spending
			parent *spending
			what   spawned
		}
		root := &spending{limits: roleLimits{tokens: total.Tokens, cost: total.Cost}, over: func() { t.Error("over") }}
		all := []one{{spending: root}}
		end := func(n int) { // also where those that it has started still run
			o := all[n]
			if o.what.path = filepath.Join(t.TempDir(), "agent.json"); r.IntN(4) > 0 {
				if err := o.what.tellUsed(o.used()); err != nil {
					t.Fatal(err)
				}
			}
			o.parent.settle(o.what.Share, o.what.used())
			all = slices.Delete(all, n, n+1)
		}
		spent := cost{}
		for range 40 {
			n := r.IntN(len(all))
			switch o := all[n]; r.IntN(3) {
			case 0:
				if share, err := o.share(); err == nil {
					l := (&commandLine{config: &config{}, spawned: &spawned{Share: share}}).agentLimits()
					all = append(all, one{&spending{limits: l, over: root.over}, o.spending, spawned{Share: share}})
				} else if o.left().Tokens > 0 && o.left().Cost > 0 {
					t.Error(err)
				}
			case 1:
				if left := o.left(); left.Tokens > 0 && left.Cost > 0 {
					now := cost{r.IntN(left.Tokens + 1), left.Cost * float64(r.IntN(5)) / 4}
					o.add(llm.Usage{Output: now.Tokens, Cost: now.Cost})
					spent = spent.plus(now, 1)
				}
			default:
				if n > 0 && !slices.ContainsFunc(all, func(c one) bool { return c.parent == o.spending }) {
					end(n)
				}
			}
			if spent.Tokens > total.Tokens || spent.Cost > total.Cost*1.000001 {
				t.Fatalf("%+v of %+v were spent", spent, total)
			}
		}
		for len(all) > 1 {
			end(len(all) - 1)
		}
		if used := root.used(); used.Tokens < spent.Tokens || used.Tokens > total.Tokens {
			t.Errorf("%+v of %+v were spent: %+v", spent, total, used)
		}
	}
}

// TestAgentsAtATime starts as many agents as may run, and one more, which waits until another has ended.
func TestAgentsAtATime(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	b, err := bus.Open(t.Context(), bus.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	boss, err := team.Join(t.Context(), b, team.Options{Team: "shop", Agent: "boss"})
	if err != nil {
		t.Fatal(err)
	}
	defer boss.Close()
	c, _ := catalog.New([]catalog.Entry{{ID: "crm.read", Description: "Read."}}, catalog.Options{})
	own, err := session.New(c.View(), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	cli := &commandLine{Data: t.TempDir(), Team: "shop", config: &config{}, origins: map[string]bool{},
		BaseURL: "http://127.0.0.1:1/v1", Model: "none", credentials: newCredentials()}
	s := cli.newSpawner(&app{session: own, member: &member{team: boss, bus: &sharedBus{last: bus.State{Connected: true}}}})
	s.program = func(...string) (*exec.Cmd, error) { return exec.Command("sh", "-c", "read line"), nil }
	for range maxAgents {
		if _, err := s.spawn(t.Context(), team.SpawnRequest{Prompt: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	_, err = s.spawn(t.Context(), team.SpawnRequest{Prompt: "x"})
	if got := fmt.Sprint(err); got != "8 agents of this session are running: wait for a result" {
		t.Error(got)
	}
	running := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.running)
	}
	s.mu.Lock()
	s.waiting[0].Close()
	s.mu.Unlock()
	for running() == maxAgents {
		time.Sleep(5 * time.Millisecond)
	}
	if _, err := s.spawn(t.Context(), team.SpawnRequest{Prompt: "x"}); err != nil {
		t.Error(err)
	}
	s.Close()
	for running() > 0 {
		time.Sleep(5 * time.Millisecond)
	}
}

// TestAgentThatFails kills an agent, and has one end, before it has sent a result: the session that started it hears of
// both, with what they printed last. One that has sent its result is silent.
func TestAgentThatFails(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	b, err := bus.Open(t.Context(), bus.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	came := make(chan team.Item, 10)
	arrived := func(i team.Item) { came <- i }
	boss, err := team.Join(t.Context(), b, team.Options{Team: "shop", Agent: "boss", Arrived: arrived})
	if err != nil {
		t.Fatal(err)
	}
	defer boss.Close()
	cli := &commandLine{Data: t.TempDir(), Team: "shop", config: &config{}, origins: map[string]bool{}}
	script := ""
	s := cli.newSpawner(&app{})
	s.program = func(...string) (*exec.Cmd, error) { return exec.Command("sh", "-c", script), nil }
	start := func(name, how string) {
		script = how
		what := &spawned{Parent: "boss", Name: name, Life: time.Hour, Prompt: "count"}
		what.path = filepath.Join(t.TempDir(), "agent.json")
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := s.start(boss, what); err != nil {
			t.Fatal(err)
		}
	}
	next := func(want string) {
		t.Helper()
		select {
		case i := <-came:
			if got := fmt.Sprintf("%s %s about %s: %s", i.Kind, i.From, i.Topic, i.Text); got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
		case <-time.After(time.Minute):
			t.Fatal("nothing came")
		}
	}
	start("ends", "echo no catalog >&2; exit 3")
	next("result ends about the prompt \"count\": failed, without a result: exit status 3\n" +
		"the last that it printed:\nno catalog")
	start("killed", "read line")
	s.mu.Lock()
	subprocess.KillGroup(s.running["killed"])
	s.mu.Unlock()
	next("result killed about the prompt \"count\": failed, without a result: signal: killed")
	start("orphan", "cat; exit 1") // ends with its input
	s.Close()
	for running := 1; running > 0; time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		running = len(s.running)
		s.mu.Unlock()
	}
	select {
	case i := <-came:
		t.Errorf("of a session that has ended: %+v", i)
	default:
	}
}
