package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/team"
	"almanac/catalog/team/bus"
	"almanac/repl/event"
	"almanac/session"
	"almanac/session/trace"
)

// TestUnread shows what a prompt takes along: each item with its end, the last with that of the batch and how many
// wait; of a question that was answered meanwhile, by whom; what the person has opened too, unless it is done.
func TestUnread(t *testing.T) {
	b, err := bus.Open(t.Context(), bus.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	members := map[string]*team.Team{}
	for _, name := range []string{"ann", "bo", "cy"} {
		if members[name], err = team.Join(t.Context(), b, team.Options{Team: "shop", Agent: name}); err != nil {
			t.Fatal(err)
		}
		defer members[name].Close()
	}
	ann, bo, cy := members["ann"], members["bo"], members["cy"]
	var asked []string
	for _, question := range []string{"which?", "what?"} {
		id, err := bo.Ask(t.Context(), team.Query{Kind: team.Question, To: "ann", Text: question})
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, id)
	}
	const more = 22
	for i := range more {
		item := team.Item{Kind: team.Message, To: "ann", Text: fmt.Sprint("message ", i)}
		if err := bo.Send(t.Context(), item); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := bo.Forward(t.Context(), asked[0], "cy", ""); err != nil {
		t.Fatal(err)
	}
	if _, _, err := cy.Answer(t.Context(), asked[0], "those"); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); len(ann.Unread()) < more+2; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(ann.Unread())
		}
	}
	c, _ := catalog.New(nil, catalog.Options{})
	own, err := session.New(c.View(), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	log, err := trace.CreateLog(filepath.Join(t.TempDir(), "log.jsonl"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	w := &app{session: own, log: &sessionLog{Log: log}, feed: event.NewFeed(),
		member: &member{team: ann, bus: &sharedBus{last: bus.State{Connected: true}}}}
	ann.Seen(ann.Unread()[0].ID, ann.Unread()[2].ID)
	ann.Read(ann.Unread()[1].ID) // message 1 is done
	arrivals, carried := w.unread()(t.Context())
	if len(arrivals) != maxCarried {
		t.Fatal(len(arrivals), "arrivals")
	}
	for at, wants := range map[int][]string{
		0:  {"; the person has seen it; answered by cy]\n> which?\n[end of what bo sent]"},
		1:  {`; peer.answer{query_id="` + asked[1], "answers it]\n> what?\n[end of what bo sent]"},
		2:  {"; the person has seen it]\n> message 0\n"},
		3:  {"; sent " + time.Now().UTC().Format("2006-"), "]\n> message 2\n"},
		19: {"\n[end of the inbox for now: 3 more wait and come with the next prompt; the prompt follows]"},
	} {
		for _, want := range wants {
			if !strings.Contains(arrivals[at].Text, want) {
				t.Errorf("%d is %q, want %q", at, arrivals[at].Text, want)
			}
		}
	}
	shown := 0
	for _, e := range w.feed.Take() {
		if e.Kind == event.Arrived {
			shown++
		}
	}
	if shown != more-1 { // of 24, the person has seen two and one is done
		t.Errorf("%d items are shown before the prompt", shown)
	}
	carried()
	arrivals, _ = w.unread()(t.Context())
	if n := len(arrivals); n != 3 || !strings.HasSuffix(arrivals[2].Text, "\n[end of the inbox; the prompt follows]") {
		t.Error(n, arrivals)
	}
}
