package catalog

import (
	"testing"

	"almanac/catalog/search"
)

// TestFeaturesOff gives each ranking feature a query in which it alone decides the order.
func TestFeaturesOff(t *testing.T) {
	entries := []Entry{
		{ID: "a.a1", Description: "Query of a hotel booking."}, {ID: "a.book_hotel", Description: "Hotel."},
		{ID: "b.decision", Description: "Some text."}, {ID: "b.zeta", Description: "Some more text here."},
		{ID: "c.authorization", Description: "Grants."}, {ID: "d.fetch", Description: "Rows."},
	}
	for _, test := range []struct {
		feature search.Feature
		query   string
	}{
		{search.Intents, "book a hotel"}, {search.Relations, "decide"}, {search.Prefixes, "auth"}, {search.Verbs, "retrieve"},
		{search.Coverage, "hotel"}, {search.Pairs, "hotel booking"},
		{search.Clauses, "Query of a booking. Fetch all of the rows."}, {search.Vectors, "hotel room"}, {search.Lead, "rows"},
	} {
		with, _ := New(entries, Options{})
		without, _ := New(entries, Options{Without: []search.Feature{test.feature}})
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
			t.Errorf("%s: %q scores %.3f with, %.3f without", test.feature, test.query, on, off)
		}
	}
	if _, err := search.ParseFeature("magic"); err == nil {
		t.Error("an unknown feature is taken")
	}
}
