package team

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"almanac/catalog/team/bus"
)

// A clock is one that a test sets, for all sessions of it.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// at joins the team shop with the clock. The session is not closed: see member.die.
func (c *clock) join(t testing.TB, b *bus.Bus, agent, role string) *Team {
	t.Helper()
	got, err := Join(t.Context(), b, Options{Team: "shop", Agent: agent, Roles: strings.Fields(role), clock: c.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = got.Close() })
	return got
}

// die ends a session as a kill would: nothing is given back.
func die(m *Team) {
	m.leases.mu.Lock()
	clear(m.leases.tasks)
	clear(m.leases.claims)
	m.leases.mu.Unlock()
	_ = m.Close()
}

// does calls an action, and says what came of it in a line.
func does(t *testing.T, m *Team, id string, args map[string]any) string {
	t.Helper()
	switch data := (member{Team: m}).call(t, id, args).(type) {
	case nil:
		return "nothing"
	case map[string]any:
		if said, ok := data["result"].(string); ok {
			return said
		}
		return fmt.Sprint(data["title"], " ", data["state"], " try ", data["tries"])
	default:
		return fmt.Sprint(data)
	}
}

func TestTask(t *testing.T) {
	b, c := open(t), newClock()
	ann, bob, rev := c.join(t, b, "ann", ""), c.join(t, b, "bob", ""), c.join(t, b, "rev", "reviewer")
	ids := map[string]string{}
	create := func(m *Team, name string, args map[string]any) {
		t.Helper()
		args["title"] = name
		if after, ok := args["after"].([]any); ok {
			for i := range after {
				after[i] = ids[after[i].(string)]
			}
		}
		data, ok := (member{Team: m}).call(t, "peer.task.create", args).(map[string]any)
		if !ok {
			t.Fatalf("create %s: %v", name, data)
		}
		ids[name] = data["id"].(string)
	}
	says := func(m *Team, id string, args map[string]any, want string) {
		t.Helper()
		got := does(t, m, id, args)
		for name, id := range ids {
			got = strings.ReplaceAll(got, id, name)
		}
		if got != want {
			t.Errorf("%s %s %v:\n  %s, want\n  %s", m.Agent(), id, args, got, want)
		}
	}
	take := func(m *Team, name, want string) {
		t.Helper()
		says(m, "peer.task.take", map[string]any{"id": ids[name]}, want)
	}
	next := func(m *Team, want string) { t.Helper(); says(m, "peer.task.take", nil, want) }
	finish := func(m *Team, name string, args map[string]any, want string) {
		t.Helper()
		args["id"] = ids[name]
		says(m, "peer.task.finish", args, want)
	}

	next(bob, "nothing")
	create(ann, "one", map[string]any{})
	next(bob, "one taken try 1")
	next(rev, "nothing")
	take(rev, "one", "task one: bob has it, until 12:01:00 UTC or longer")
	take(bob, "one", "task one: this session has it already: peer.task.finish ends it")
	finish(rev, "one", map[string]any{}, `task one: not taken by this session (taken by bob): peer.task.take{id = "one"} takes it`)
	finish(bob, "one", map[string]any{"result": "17 and 23"}, "task one is finished; ann is told")
	finish(bob, "one", map[string]any{}, `task one: it is finished: peer.task.list{id = "one"} shows what came of it`)
	take(rev, "one", "task one: it is finished")

	// For an agent, a role, with a key.
	create(ann, "review", map[string]any{"to": "reviewer", "key": "review 1"})
	next(bob, "nothing")
	take(bob, "review", "task review: it is for reviewer: peer.task.take{} takes one for you")
	next(rev, "review taken try 1")
	says(bob, "peer.task.create", map[string]any{"title": "again", "key": "review 1"},
		"task review has this key already: created by ann, taken by rev")
	finish(rev, "review", map[string]any{"failed": true, "result": "no time"},
		"task review is open again after try 1 of 3")

	// In their order; one that fails takes those after it with it.
	create(ann, "two", map[string]any{"tries": 1})
	create(ann, "three", map[string]any{"after": []any{"two"}})
	create(ann, "four", map[string]any{"after": []any{"three"}, "to": "rev"})
	next(bob, "two taken try 1")
	next(bob, "nothing")
	take(bob, "three", "task three: it waits for two: peer.task.take{} takes another")
	finish(bob, "two", map[string]any{"failed": true, "result": "there is no two"}, "task two is dead; ann is told")
	take(bob, "three", "task three: it is dead")
	take(rev, "four", "task four: it is dead")

	create(ann, "five", map[string]any{})
	create(ann, "six", map[string]any{"after": []any{"five"}, "to": "rev"})
	next(bob, "five taken try 1")
	finish(bob, "five", map[string]any{}, "task five is finished; ann is told")
	next(rev, "six taken try 1")

	// The holder ends: another takes it over when the lease has run out, the same name at once.
	die(rev)
	rev = c.join(t, b, "rev", "reviewer")
	next(rev, "review taken try 2")
	next(rev, "six taken try 1")
	create(ann, "seven", map[string]any{"tries": 2})
	next(bob, "seven taken try 1")
	die(bob)
	dan := c.join(t, b, "dan", "")
	next(dan, "nothing")
	c.pass(leaseTime + time.Second)
	next(dan, "seven taken try 2")
	die(dan)
	c.pass(leaseTime + time.Second)
	eve := c.join(t, b, "eve", "")
	next(eve, "nothing")
	take(eve, "seven", "task seven: it is dead")

	// Leaving gives back; dropping ends.
	create(ann, "eight", map[string]any{})
	next(eve, "eight taken try 1")
	if err := eve.Close(); err != nil {
		t.Error(err)
	}
	if one, err := ann.Task(t.Context(), ids["eight"]); err != nil || one.Holder != "" || !one.Until.IsZero() {
		t.Errorf("given back: %+v, %v", one, err)
	}
	says(ann, "peer.task.create", map[string]any{"title": "none", "tries": 0}, "tries 0: want 1 to 10")
	fay := c.join(t, b, "fay", "")
	next(fay, "eight taken try 1")
	says(fay, "peer.task.drop", map[string]any{"id": ids["eight"]},
		"task eight: only ann, who created it, can drop it: write to ann with peer.message")
	says(ann, "peer.task.drop", map[string]any{"id": ids["eight"]}, "task eight is withdrawn")
	finish(fay, "eight", map[string]any{}, "task eight: this session has lost it (it is dropped)")

	var told []string
	for _, item := range ann.Unread() {
		line := item.From + ": " + item.Topic + ": " + item.Text
		for name, id := range ids {
			line = strings.ReplaceAll(line, id, name)
		}
		told = append(told, line)
	}
	want := `bob: finished task one (one): 17 and 23
bob: dead task two (two): there is no two (try 1 of 1)
bob: dead task three (three): it comes after two, which is dead
bob: dead task four (four): it comes after three, which is dead
bob: finished task five (five): done
eve: dead task seven (seven): dan had it and did not finish it (try 2 of 2)`
	if got := strings.Join(told, "\n"); got != want {
		t.Errorf("ann was told\n%s\nwant\n%s", got, want)
	}
}

// TestTasksOfRole gives a session a role: from then on it is told of the tasks for the role, and may take them.
func TestTasksOfRole(t *testing.T) {
	b, c := open(t), newClock()
	ann, bob := c.join(t, b, "ann", ""), c.join(t, b, "bob", "")
	offered, end, err := bob.Offered()
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	if err := b.Conn().Flush(); err != nil { // the server knows who listens
		t.Fatal(err)
	}
	does(t, ann, "peer.task.create", map[string]any{"title": "sort", "to": "clerk"})
	if err := b.Conn().Flush(); err != nil {
		t.Fatal(err)
	}
	if got := does(t, bob, "peer.task.take", nil); got != "nothing" || len(offered) > 0 {
		t.Errorf("without the role: %s, %d signals", got, len(offered))
	}
	bob.SetRoles([]string{"clerk", "reader"})
	does(t, ann, "peer.task.create", map[string]any{"title": "file", "to": "clerk"})
	select {
	case <-offered:
	case <-time.After(20 * time.Second):
		t.Fatal("no signal")
	}
	for _, want := range []string{"sort taken try 1", "file taken try 1", "nothing"} {
		if got := does(t, bob, "peer.task.take", nil); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Sessions create, take, finish and die in a random order: of one key there is one task, each has at most one holder,
// and at the end all are over.
func TestTasksAtRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	b, c := open(t), newClock()
	const tasks, members = 40, 4
	steps := 150
	if testing.Short() {
		steps = 40
	}
	var mu sync.Mutex
	holder, finished, deaths := map[string]string{}, map[string]int{}, 0
	var all sync.WaitGroup
	for i := range members {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			name := fmt.Sprint("m", i)
			m := c.join(t, b, name, "")
			mine := map[string]string{} // id to lease
			for range steps {
				switch r.IntN(8) {
				case 0, 1, 2:
					task := Task{Title: "x", Key: fmt.Sprint(r.IntN(tasks)), Most: maxTries}
					if _, _, err := m.board.create(t.Context(), task); err != nil {
						t.Error(err)
					}
				case 3, 4, 5:
					got, err := m.board.take(t.Context(), "")
					if err != nil {
						t.Error(err)
					}
					if got == nil {
						continue
					}
					mu.Lock()
					if has := holder[got.ID]; has != "" {
						t.Errorf("%s takes %s, which %s has", name, got.ID, has)
					}
					holder[got.ID] = name
					mu.Unlock()
					mine[got.ID] = got.Lease
				case 6:
					for id := range mine {
						mu.Lock()
						delete(holder, id) // from here on it may be another's
						mu.Unlock()
						if _, err := m.board.finish(t.Context(), id, name, r.IntN(3) > 0); err != nil {
							t.Error(err)
						}
						delete(mine, id)
						break
					}
				case 7:
					if r.IntN(10) > 0 {
						continue
					}
					mu.Lock()
					for id := range mine {
						delete(holder, id)
					}
					deaths++
					mu.Unlock()
					clear(mine)
					die(m)
					m = c.join(t, b, name, "")
				}
			}
			mu.Lock()
			for id := range mine {
				delete(holder, id)
			}
			mu.Unlock()
			die(m)
		})
	}
	all.Wait()
	c.pass(2 * leaseTime)
	last := c.join(t, b, "last", "")
	for {
		got, err := last.board.take(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if got == nil {
			break
		}
		if _, err := last.board.finish(t.Context(), got.ID, "last", true); err != nil {
			t.Error(err)
		}
	}
	left, err := last.Tasks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, task := range left {
		if keys[task.Key] {
			t.Errorf("two tasks of key %s", task.Key)
		}
		keys[task.Key] = true
		if !task.Over() {
			t.Errorf("task %s is %s at the end", task.ID, task.State)
		}
		finished[string(task.State)]++
	}
	t.Logf("%d tasks, %v, %d deaths", len(left), finished, deaths)
}

// Ten thousand tasks, drained by four sessions with a connection each.
func BenchmarkTasks(b *testing.B) {
	const tasks, members = 10_000, 4
	dir := b.TempDir()
	connect := func() *bus.Bus {
		opened, err := bus.Open(b.Context(), bus.Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = opened.Close() })
		return opened
	}
	boss, sessions := newClock().join(b, connect(), "boss", ""), make([]*Team, members)
	for i := range sessions {
		sessions[i] = newClock().join(b, connect(), fmt.Sprint("m", i), "")
	}
	for round := 0; b.Loop(); round++ {
		b.StopTimer()
		var all sync.WaitGroup
		for i := range members {
			all.Go(func() {
				for n := range tasks / members {
					task := Task{Title: "x", Key: fmt.Sprint(round, " ", i, " ", n)}
					if _, _, err := boss.board.create(b.Context(), task); err != nil {
						b.Error(err)
					}
				}
			})
		}
		all.Wait()
		b.StartTimer()
		var mu sync.Mutex
		done := map[string]int{}
		for _, m := range sessions {
			all.Go(func() {
				for {
					got, err := m.board.take(b.Context(), "")
					if err != nil {
						b.Error(err)
					}
					if got == nil {
						return
					}
					mu.Lock()
					done[got.ID]++
					mu.Unlock()
					_, _ = m.board.finish(b.Context(), got.ID, "done", true) // the boss's mail is soon full
				}
			})
		}
		all.Wait()
		for id, n := range done {
			if n > 1 {
				b.Errorf("%s was taken %d times", id, n)
			}
		}
		if len(done) != tasks {
			b.Errorf("%d tasks were done", len(done))
		}
	}
	b.ReportMetric(tasks*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}

// A list of tasks refuses what it cannot mean.
func TestListOfTasks(t *testing.T) {
	ann := join(t, open(t), "ann")
	for want, args := range map[string]map[string]any{
		`state: want open, taken, finished, dead or dropped, got "weird"`: {"state": "weird"},
		"limit: want a number of tasks, got -1":                           {"limit": -1},
	} {
		if got := fmt.Sprint(ann.call(t, "peer.task.list", args)); !strings.Contains(got, want) {
			t.Errorf("%v: %s", args, got)
		}
	}
}

// A title that is too long is refused, not cut: whoever takes the task has to know what there is to do.
func TestLongTitle(t *testing.T) {
	ann := join(t, open(t), "ann")
	got := fmt.Sprint(ann.call(t, "peer.task.create", map[string]any{"title": strings.Repeat("t", 201)}))
	if want := "title of 201 B: want at most 200 B: put the rest into text"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
