package catalog

import (
	"slices"
	"strings"
	"testing"
)

func TestClauses(t *testing.T) {
	l := newLexicon()
	for _, test := range []struct{ query, want string }{
		{"delete my account now", ""},
		{"Delete my account. My name is Ann!", "Delete my account.|My name is Ann!"},
		{"Find a flight to Rome and then book a hotel", "Find a flight to Rome and|then book a hotel"},
		{"List all users and also count them by day", "List all users and|also count them by day"},
		{"Hello. List all users", ""},
		{"list all users\ncount all orders", "list all users|count all orders"},
		{"version 1.2 of the tool", ""},
		{strings.Repeat("one two three. ", 13), ""},
		{"", ""},
	} {
		var parts []string
		for _, part := range l.clauses(test.query) {
			parts = append(parts, strings.TrimSpace(part))
		}
		if got := strings.Join(parts, "|"); got != test.want {
			t.Errorf("%q: got %q, want %q", test.query, got, test.want)
		}
	}
}

// TestEachRequestFound asks for two things at once. Without parts, an action that has a little of both comes before
// the one that does the shorter request.
func TestEachRequestFound(t *testing.T) {
	entries := []Entry{
		{ID: "forecast", Description: "Weather forecast."},
		{ID: "invite", Description: "Invites colleagues to a meeting room in the office on a date."},
		{ID: "meeting_weather", Description: "The weather at the office on the date of a meeting."},
		{ID: "other", Description: "Something else."},
	}
	query := "Invite my colleagues to the meeting room in the office on that date. What is the weather forecast?"
	order := func(o Options) []string {
		c, _ := New(entries, o)
		s, err := c.View().Search(query, SearchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, hit := range s.Hits() {
			ids = append(ids, hit.ID)
		}
		return ids
	}
	if got, want := order(Options{}), []string{"invite", "forecast", "meeting_weather"}; !slices.Equal(got, want) {
		t.Errorf("with parts: got %v, want %v", got, want)
	}
	if got, want := order(Options{Without: []Lever{Clauses}}), []string{"invite", "meeting_weather", "forecast"}; !slices.Equal(got, want) {
		t.Errorf("without parts: got %v, want %v", got, want)
	}
}
