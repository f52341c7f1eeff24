package catalog

import (
	"regexp"
	"testing"
)

func TestQueryIntents(t *testing.T) {
	l := newLexicon()
	for _, test := range []struct {
		query string
		want  []intent
	}{
		{"Can you help me book a hotel?", []intent{createIntent}},
		{"Finds a field, applies it, and then updates a task.", []intent{readIntent, updateIntent}},
		{"invoices that were deleted", nil},
		{"Delete it! Please, creating another", []intent{deleteIntent, createIntent}},
		{"healthcare provider availability", nil},
		{"", nil},
	} {
		var want [intentCount]bool
		for _, k := range test.want {
			want[k] = true
		}
		if got := l.queryIntents(test.query); got != want {
			t.Errorf("%q: got %v, want %v", test.query, got, want)
		}
	}
}

func TestGainsFor(t *testing.T) {
	if got := gainsFor([intentCount]bool{}); got != [intentCount]int32{} {
		t.Errorf("nothing is asked for: %v", got)
	}
	got := gainsFor([intentCount]bool{readIntent: true})
	if got[readIntent] != intentGain || got[deleteIntent] != -intentLoss || got[noIntent] != 0 {
		t.Errorf("finding is asked for: %v", got)
	}
}

func TestEntryIntent(t *testing.T) {
	l := newLexicon()
	for _, test := range []struct {
		e    Entry
		want intent
	}{
		{Entry{ID: "a.x", Description: "Deletes a thing."}, deleteIntent},
		{Entry{ID: "a.hotel.bookHotel", Description: "A hotel."}, createIntent},
		{Entry{ID: "a.things", Operation: Update}, updateIntent},
		{Entry{ID: "a.things", Description: "Things."}, noIntent},
	} {
		if got := l.entryIntent(&test.e); got != test.want {
			t.Errorf("%s: got %v, want %v", test.e.ID, got, test.want)
		}
	}
}

// TestLeversOff gives each lever a query in which it alone decides the order.
func TestLeversOff(t *testing.T) {
	entries := []Entry{
		{ID: "a.a1", Description: "Query of a hotel booking."}, {ID: "a.book_hotel", Description: "Hotel."},
		{ID: "b.decision", Description: "Some text."}, {ID: "b.zeta", Description: "Some more text here."},
		{ID: "c.authorization", Description: "Grants."}, {ID: "d.fetch", Description: "Rows."},
	}
	for _, test := range []struct {
		lever Lever
		query string
	}{
		{Intents, "book a hotel"}, {Relations, "decide"}, {Prefixes, "auth"}, {Verbs, "retrieve"}, {Coverage, "hotel"}, {Pairs, "hotel booking"},
		{Clauses, "Query of a booking. Fetch all of the rows."}, {Vectors, "hotel room"}, {Lead, "rows"},
	} {
		with, _ := New(entries, Options{})
		without, _ := New(entries, Options{Without: []Lever{test.lever}})
		score := func(c *Catalog) float64 {
			s, err := c.View().Search(test.query, SearchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, hit := range s.Hits() {
				sum += hit.Score
			}
			return sum
		}
		if on, off := score(with), score(without); on <= off {
			t.Errorf("%s: %q scores %.3f with, %.3f without", test.lever, test.query, on, off)
		}
	}
	if _, err := ParseLever("magic"); err == nil {
		t.Error("an unknown lever is taken")
	}
}

func TestWordsAreSorted(t *testing.T) {
	last := ""
	for _, word := range regexp.MustCompile(`(?m)^\S+`).FindAllString(wordsText, -1) {
		if word <= last {
			t.Fatalf("%q stands after %q", word, last)
		}
		if len(derived(word)) == 0 {
			t.Fatalf("%q is not found", word)
		}
		last = word
	}
	if derived("") != nil || derived("zzzz") != nil || derived("0") != nil {
		t.Error("a word that is not there has relatives")
	}
}
