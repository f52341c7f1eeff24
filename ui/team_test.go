package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"almanac/catalog/team"
	"almanac/catalog/team/bus"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session"
)

// This file shows a session of a team: what arrives, also while the model speaks, the status line, and the help.

// teamScreen is a screen of ann, of team shop, who has two unread messages.
func teamScreen(t *testing.T) func(width, height int) *screen {
	t.Helper()
	b, err := bus.Open(t.Context(), bus.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	join := func(name string) *team.Team {
		member, err := team.Join(t.Context(), b, team.Options{Team: "shop", Agent: name})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = member.Close() })
		return member
	}
	ann, bo := join("ann"), join("bo")
	for range 2 {
		if err := bo.Send(t.Context(), team.Item{Kind: team.Message, To: "ann", Text: "hi"}); err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(20 * time.Second); len(ann.Unread()) < 2; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no mail after 20 s")
		}
	}
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return func(width, height int) *screen {
		mode := input.AskMode
		return screenOf(t, repl.New(repl.Options{
			Session: s, History: input.OpenHistory("", "test"), Mode: &mode,
			Team: func() (*team.Team, error) { return ann, nil },
		}), width, height)
	}
}

func TestTeamScreens(t *testing.T) {
	open := teamScreen(t)
	arrived := func(i team.Item) event.Event {
		i.From = "bo"
		return event.Event{Kind: event.Arrived, Item: &i}
	}
	spoke := func(text string) event.Event {
		return event.Event{Kind: event.Spoke, Cell: 8, Author: session.Model, Text: text}
	}
	for _, size := range []struct{ width, height int }{{80, 24}, {40, 12}} {
		s := open(size.width, size.height)
		s.emit(arrived(team.Item{
			ID: "7", Number: 7, Kind: team.Question, To: "ann", Query: "bo.k3x9q2ab", Text: "which invoices are overdue?",
		}))
		s.emit(arrived(team.Item{ID: "8", Number: 8, Kind: team.Message, Topic: "the move",
			Text: strings.Repeat("All of the customers were told of it. ", 60) + "\nThe rest comes tomorrow."}))
		s.keys("draft a note", "enter", "h")
		s.emit(event.Event{Kind: event.Began, Cell: 8, Author: session.User, Mode: input.AskMode, Text: "draft a note"},
			spoke("A first line.\nThree drafts are in no"))
		s.emit(arrived(team.Item{
			ID: "9", Number: 9, Kind: team.Answer, To: "ann", Query: "ann.zwtx4kwm", Topic: "who owns Acme?",
			Text: "Dana owns Acme",
		}))
		s.emit(spoke("tes.\nThe largest is inv_1001"))
		s.pass(3200 * time.Millisecond)
		s.golden(fmt.Sprintf("team_running_%dx%d", size.width, size.height))
		s.emit(event.Event{Kind: event.Ended, Cell: 8})
		s.send(doneMsg{})
		s.golden(fmt.Sprintf("team_%dx%d", size.width, size.height))
	}
	s := open(80, 24)
	s.keys("?")
	help := s.View().Content
	rows := strings.Count(help, "\n") + 1
	if rows > 24 || !containsAll(help, "/team", "/inbox", "/peers", "/keepers", "/tasks") {
		t.Errorf("the help has %d rows:\n%s", rows, help)
	}
}
