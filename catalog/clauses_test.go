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

// TestPartScores ranks candidates for a part alone, which must give what ranking everything gives.
func TestPartScores(t *testing.T) {
	c, _ := New(rankingEntries(), Options{})
	for _, query := range []string{"cancel the ticket for my flight", "climate of the city today", "start the virtual machines", ""} {
		q := c.View().parse(query)
		s := newScratch(c.Len())
		c.accumulate(&q, s)
		var n candidates
		ones := make([]int32, c.Len())
		for i := range ones {
			ones[i] = 1
		}
		n.pick(ones)
		c.rankPart(&q, &n)
		if got, want := n.part[1:], s.score; !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
	}
}

// TestCandidates keeps about maxNear of the best, however many there are.
func TestCandidates(t *testing.T) {
	scores := make([]int32, 50_000)
	for i := range scores {
		scores[i] = int32(unit/2 + i*7919%len(scores)*40)
	}
	var n candidates
	n.pick(scores)
	if len(n.docs) < maxNear/2 || len(n.docs) > maxNear {
		t.Fatalf("%d candidates", len(n.docs))
	}
	least := scores[n.docs[0]]
	for _, doc := range n.docs {
		least = min(least, scores[doc])
	}
	better := 0
	for _, score := range scores {
		if score >= least {
			better++
		}
	}
	if better != len(n.docs) {
		t.Errorf("%d candidates, but %d entries are as good as the last of them", len(n.docs), better)
	}
}
