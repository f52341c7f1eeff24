//go:build linux

package team

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"almanac/catalog/team"
)

// An account is what all peers printed.
type account struct {
	t        *testing.T
	created  map[string]string   // id by key
	finished map[string][]string // results by id, acknowledged
	sent     map[string]event    // by text: messages, questions, answers
	got      map[string][]string // places in the mail by text
	states   []string            // what a person is told of the bus
	failed   map[string]int      // errors of actions
	orders   []event
	counts   map[string]int
}

func newAccount(t *testing.T, peers []*peer) *account {
	a := &account{
		t: t, created: map[string]string{}, finished: map[string][]string{}, sent: map[string]event{},
		got: map[string][]string{}, failed: map[string]int{}, counts: map[string]int{},
	}
	for _, p := range peers {
		for _, e := range p.all() {
			a.counts[e.What]++
			switch e.What {
			case "created":
				if id, there := a.created[e.Key]; there && id != e.ID {
					t.Errorf("%s: tasks %s and %s", e.Key, id, e.ID)
				}
				a.created[e.Key] = e.ID
			case "finished":
				a.finished[e.ID] = append(a.finished[e.ID], e.Text)
			case "sent", "asked", "answered":
				e.From = p.Name
				a.sent[e.Text] = e
			case "got":
				if place := p.Name + " " + e.ID; e.Kind != "result" && !slices.Contains(a.got[e.Text], place) {
					a.got[e.Text] = append(a.got[e.Text], place)
				}
			case "state":
				a.states = append(a.states, p.Name+": "+e.Text)
			case "ordered":
				a.orders = append(a.orders, e)
			case "failed":
				a.failed[e.ID+": "+e.Text]++
			}
		}
	}
	return a
}

// missing are the messages, questions and answers that were acknowledged and have not arrived.
func (a *account) missing() (missing []string) {
	for text, e := range a.sent {
		if len(a.got[text]) == 0 {
			missing = append(missing, fmt.Sprintf("%s %s>%s %s", e.What, e.From, e.To, text))
		}
	}
	return missing
}

// check compares what was acknowledged with what the bus has.
func (a *account) check(tasks []team.Task) {
	byID := map[string]team.Task{}
	keys := map[string]string{}
	for _, task := range tasks {
		byID[task.ID] = task
		if other := keys[task.Key]; other != "" {
			a.t.Errorf("%s: tasks %s and %s", task.Key, other, task.ID)
		}
		keys[task.Key] = task.ID
	}
	for key, id := range a.created {
		if task, there := byID[id]; !there || task.Key != key || task.State != team.Finished {
			a.t.Errorf("task %s of %s was acknowledged and is %q: %s", id, key, task.State, task.Reason)
		}
	}
	for id, results := range a.finished {
		if len(results) != 1 || byID[id].Result != results[0] {
			a.t.Errorf("task %s: acknowledged as finished with %q, is finished with %q", id, results, byID[id].Result)
		}
	}
	for text, places := range a.got {
		if len(places) > 1 {
			a.t.Errorf("%s came %d times: %s", text, len(places), places)
		}
	}
	if a.counts["finished"] == 0 || a.counts["sent"] == 0 || a.counts["got"] == 0 {
		a.t.Errorf("nothing was tested: %v", a.counts)
	}
	for text := range a.failed {
		if strings.ContainsAny(text, "\n\r") || len(text) > 400 {
			a.t.Errorf("no clear line: %q", text)
		}
	}
}

func (a *account) String() string {
	var s strings.Builder
	for _, what := range slices.Sorted(maps.Keys(a.counts)) {
		fmt.Fprintf(&s, "%s %d, ", what, a.counts[what])
	}
	fmt.Fprintf(&s, "%d tasks by key\nwhat people saw:\n", len(a.created))
	for _, line := range slices.Compact(slices.Sorted(slices.Values(a.states))) {
		fmt.Fprintln(&s, "  "+line)
	}
	for _, text := range slices.Sorted(maps.Keys(a.failed)) {
		fmt.Fprintf(&s, "  %d times %s\n", a.failed[text], text)
	}
	return strings.TrimRight(s.String(), "\n")
}
