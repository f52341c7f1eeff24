package team

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
	"almanac/catalog/team/bus"
)

// created creates a task and returns its id and what was said.
func created(t testing.TB, m *Team, task newTask) (id, said string) {
	t.Helper()
	out, err := m.createTask(t.Context(), task, catalog.Context{})
	if err != nil {
		t.Fatal(err)
	}
	return out.ID, out.Result
}

// A task that comes after others is said to wait, and its agent is told of it when the last of them is finished.
func TestTaskWaits(t *testing.T) {
	b, c := open(t), newClock()
	ann, bob, cy := c.join(t, b, "ann", ""), c.join(t, b, "bob", ""), c.join(t, b, "cy", "")
	one, said := created(t, ann, newTask{Title: "one"})
	if want := "task " + one + " is queued"; said != want {
		t.Errorf("%s, want %s", said, want)
	}
	two, said := created(t, ann, newTask{Title: "two", To: "cy"})
	if want := "task " + two + " is queued for cy, who is told"; said != want {
		t.Errorf("%s, want %s", said, want)
	}
	three, said := created(t, ann, newTask{Title: "three", To: "cy", After: []string{one, two}})
	if !strings.HasPrefix(said, "task "+three+" is queued for cy; it waits for t-") || strings.Count(said, ", t-") != 1 {
		t.Error(said)
	}
	c.pass(time.Second)
	own, _ := created(t, ann, newTask{Title: "own", To: "bob", After: []string{one}})
	waiting := func() (all string) {
		tasks, err := cy.Tasks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			if len(task.WaitsFor) > 0 {
				all += task.Title + " waits for " + strings.Join(task.WaitsFor, ", ") + "\n"
			}
		}
		return all
	}
	told := func(m *Team) (all string) {
		if err := m.fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, i := range m.Unread() {
			all += i.From + " " + i.Topic + "\n"
		}
		return all
	}
	does(t, cy, "peer.task.take", map[string]any{"id": two})
	does(t, cy, "peer.task.finish", map[string]any{"id": two})
	if got, want := waiting(), "three waits for "+one+"\nown waits for "+one+"\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := told(cy), "ann task "+two+" (two)\n"; got != want {
		t.Errorf("cy was told %q, want %q", got, want)
	}
	does(t, bob, "peer.task.take", map[string]any{"id": one})
	does(t, bob, "peer.task.finish", map[string]any{"id": one})
	if got := waiting(); got != "" {
		t.Error(got)
	}
	if got, want := told(cy), "ann task "+two+" (two)\nann task "+three+" (three)\n"; got != want {
		t.Errorf("cy was told %q, want %q", got, want)
	}
	if got, want := told(bob), "ann task "+own+" (own)\n"; got != want {
		t.Errorf("bob was told %q, want %q", got, want)
	}
}

// What became free for an agent while it was away it is told of when it is there, once.
func TestTaskWaited(t *testing.T) {
	b, c := open(t), newClock()
	if fay := c.join(t, b, "fay", ""); fay.Resume(t.Context()) != nil || len(fay.Inbox(0)) != 0 {
		t.Error("a team without tasks tells of some")
	}
	ann := c.join(t, b, "ann", "")
	ids := map[string]string{}
	for _, task := range []newTask{
		{Title: "first"}, {Title: "for dan", To: "dan", Text: "all of it"}, {Title: "later", To: "dan"},
		{Title: "for bob", To: "bob"}, {Title: "never", To: "dan"},
	} {
		if task.Title == "later" {
			task.After = []string{ids["first"]}
		}
		ids[task.Title], _ = created(t, ann, task)
	}
	does(t, ann, "peer.task.drop", map[string]any{"id": ids["never"]})
	told := func() (all []string) {
		dan := c.join(t, b, "dan", "")
		defer kill(dan)
		for range 2 {
			if err := dan.Resume(t.Context()); err != nil {
				t.Error(err)
			}
			if err := dan.fetch(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, item := range dan.Inbox(0) {
			all = append(all, line(item))
			dan.Read(item.ID)
		}
		slices.Reverse(all) // the oldest first
		return all
	}
	one := "task ann>dan [task " + ids["for dan"] + " (for dan)] all of it"
	if diff := cmp.Diff([]string{one}, told()); diff != "" {
		t.Errorf("at first (-want +got)\n%s", diff)
	}
	does(t, ann, "peer.task.take", map[string]any{"id": ids["first"]})
	does(t, ann, "peer.task.finish", map[string]any{"id": ids["first"]})
	two := "task ann>dan [task " + ids["later"] + " (later)] later"
	for range 2 {
		if diff := cmp.Diff([]string{one, two}, told()); diff != "" {
			t.Errorf("then (-want +got)\n%s", diff)
		}
	}
}

// A session that was killed has its task again when it starts again, and is told; that is no further try, unless it is
// killed again and again.
func TestTaskResumed(t *testing.T) {
	b, c := open(t), newClock()
	ann := c.join(t, b, "ann", "")
	id, _ := created(t, ann, newTask{Title: "one", Text: "all of it", Tries: new(2)})
	lost, _ := created(t, ann, newTask{Title: "two"})
	bob := c.join(t, b, "bob", "")
	for _, want := range []string{"one taken try 1", "two taken try 1"} {
		if got := does(t, bob, "peer.task.take", nil); got != want {
			t.Fatal(got)
		}
	}
	kill(bob)
	c.pass(leaseTime + time.Second)
	if got := does(t, ann, "peer.task.take", map[string]any{"id": lost}); got != "two taken try 2" {
		t.Error(got)
	}
	bob = c.join(t, b, "bob", "")
	if bob.Has(id) {
		t.Error("it has the task before it asks")
	}
	if err := bob.Resume(t.Context()); err != nil || !bob.Has(id) || bob.Has(lost) {
		t.Error(bob.Held(), err)
	}
	for _, want := range []string{"one taken try 1", "nothing"} {
		if got := does(t, bob, "peer.task.take", nil); got != want {
			t.Errorf("took %s, want %s", got, want)
		}
	}
	if err := bob.fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	told := bob.Unread()
	want := fmt.Sprintf("task ann>bob [task %s (one)] you hold it since before this session started (try 1 of 2): "+
		"peer.task.finish{id = %[1]q, result = ...} ends it\n\nall of it", id)
	if len(told) != 1 || line(told[0]) != want {
		t.Errorf("%v\nwant %s", told, want)
	}
	for range 3 {
		kill(bob)
		bob = c.join(t, b, "bob", "")
		if err := bob.Resume(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if task, err := bob.Task(t.Context(), id); err != nil || task.Tries != 2 || !bob.Has(id) {
		t.Error(task, err)
	}
	if got := does(t, bob, "peer.task.finish", map[string]any{"id": id}); got != "task "+id+" is finished; ann is told" {
		t.Error(got)
	}
}

// kill ends a session as a kill would.
func kill(m *Team) {
	m.stop()
	m.done.Wait()
	_ = m.writeMark(context.Background())
	m.leases.mu.Lock()
	clear(m.leases.tasks)
	m.leases.mu.Unlock()
	m.mu.Lock()
	m.inbox.unsaved = false
	m.mu.Unlock()
	_ = m.Close()
}

// The set of the unfinished has each task that is not over, and no other; what creators and holders left undone is done
// by who looks.
func TestUnfinished(t *testing.T) {
	b, c := open(t), newClock()
	ann := c.join(t, b, "ann", "")
	has := func(want ...string) {
		t.Helper()
		all, err := ann.board.listed(t.Context())
		var ids []string
		for _, u := range all {
			ids = append(ids, u.id)
		}
		if fmt.Sprint(ids) != fmt.Sprint(want) || err != nil {
			t.Errorf("%v, want %v: %v", ids, want, err)
		}
	}
	one, _ := created(t, ann, newTask{Title: "one"})
	c.pass(time.Second)
	two, _ := created(t, ann, newTask{Title: "two"})
	created(t, ann, newTask{Title: "three", To: "bob"})
	has(one, two)
	does(t, ann, "peer.task.take", map[string]any{"id": one})
	has(one, two)
	does(t, ann, "peer.task.finish", map[string]any{"id": one})
	does(t, ann, "peer.task.drop", map[string]any{"id": two})
	has()
	if err := ann.board.list(t.Context(), &record{Task: Task{ID: "t-gone", At: c.now()}}); err != nil {
		t.Fatal(err)
	}
	next := func() {
		t.Helper()
		if got := does(t, ann, "peer.task.take", nil); got != "nothing" {
			t.Error(got)
		}
	}
	kv, err := ann.board.records(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Put(t.Context(), "t-torn", []byte(`{"title": `)); err != nil {
		t.Fatal(err)
	}
	if err := ann.board.list(t.Context(), &record{Task: Task{ID: "t-torn", At: c.now()}}); err != nil {
		t.Fatal(err)
	}
	next()
	has("t-gone", "t-torn") // its creator may be about to make its record
	c.pass(setTime + time.Second)
	next()
	has()
}

// Looking for a task where there is none, with 5,000 that are over.
func BenchmarkTakeNone(b *testing.B) {
	opened, err := bus.Open(b.Context(), bus.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = opened.Close() })
	m := newClock().join(b, opened, "ann", "")
	for i := range 5000 {
		id, _ := created(b, m, newTask{Title: fmt.Sprint(i), Text: strings.Repeat("x", 200)})
		if _, err := m.board.obtain(b.Context(), id, nil); err != nil {
			b.Fatal(err)
		}
		if _, err := m.board.finish(b.Context(), id, "done", true); err != nil {
			b.Fatal(err)
		}
	}
	if got, err := m.board.take(b.Context(), ""); got != nil || err != nil { // their tickets go
		b.Fatal(got, err)
	}
	for b.Loop() {
		if got, err := m.board.take(b.Context(), ""); got != nil || err != nil {
			b.Fatal(got, err)
		}
	}
}
