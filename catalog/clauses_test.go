package catalog

import (
	"slices"
	"testing"

	"almanac/catalog/search"
)

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
	if got, want := order(Options{Without: []search.Feature{search.Clauses}}),
		[]string{"invite", "meeting_weather", "forecast"}; !slices.Equal(got, want) {
		t.Errorf("without parts: got %v, want %v", got, want)
	}
}
