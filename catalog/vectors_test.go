package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"almanac/catalog/search"
)

// rankingEntries are alike in the words that they share with the queries of TestRanking.
func rankingEntries() []Entry {
	return []Entry{
		{ID: "air.ticket.cancel", Description: "Cancel the ticket of a passenger and refund the fare."},
		{ID: "desk.ticket.cancel", Description: "Cancel the ticket of a customer and close the support case."},
		{ID: "city.weather", Description: "Temperature and rain of a city today."},
		{ID: "city.population", Description: "Inhabitants of a city."},
		{ID: "city.hotels", Description: "Rooms for the night in a city."},
		{ID: "vm.start", Description: "Start a virtual machine instance."},
		{ID: "coffee.start", Description: "Start the coffee machine."},
	}
}

// TestRanking has the whole ranking of small queries, scores included: they are the same on every machine.
func TestRanking(t *testing.T) {
	for _, test := range []struct {
		query string
		off   []search.Feature
		want  string
	}{
		{"cancel the ticket for my flight", nil, "air.ticket.cancel 1.8074, desk.ticket.cancel 1.7661"},
		{"cancel the ticket for my flight", []search.Feature{search.Vectors},
			"air.ticket.cancel 1.5374, desk.ticket.cancel 1.5109"},
		{"climate of the city", nil, "city.population 1.3207, city.weather 1.2739, city.hotels 1.2242"},
		{"climate of the city", []search.Feature{search.Vectors},
			"city.population 1.0942, city.hotels 1.0551, city.weather 1.0322"},
		{"forecast temperatures", nil, "city.weather 0.9713"},
		// No entry has this word.
		{"lodging", nil, "city.hotels 0.1664"},
		{"lodging", []search.Feature{search.Near}, ""},
		{"lodging", []search.Feature{search.Vectors}, ""},
		// The vectors make up little of the gap; see docs/evaluation.md.
		{"start the server machine", nil, "coffee.start 1.4410, vm.start 1.3950"},
		{"start the server machine", []search.Feature{search.Vectors}, "coffee.start 1.2348, vm.start 1.1854"},
	} {
		c, _ := New(rankingEntries(), Options{Without: test.off})
		s, err := c.View().Search(test.query, SearchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, hit := range s.Hits() {
			got = append(got, fmt.Sprintf("%s %.4f", hit.ID, hit.Score))
		}
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("%q without %v:\ngot  %s\nwant %s", test.query, test.off, got, test.want)
		}
	}
}

// TestFewHitsAreTheFirst holds that leaving entries out of account early loses none of the best.
func TestFewHitsAreTheFirst(t *testing.T) {
	var entries []Entry
	words := strings.Fields("cancel ticket flight refund customer order invoice list city weather start machine server user delete")
	for i := range 900 {
		pick := func(n int) string { return words[(i*i/7+i*n)%len(words)] }
		entries = append(entries, Entry{
			ID: fmt.Sprintf("n%d.%s_%s%d", i%7, pick(3), pick(5), i), Description: pick(1) + " " + pick(2) + " " + pick(4) + ".",
		})
	}
	c, _ := New(entries, Options{})
	for _, query := range []string{"cancel my flight", "delete the user. List invoices of a customer.", "weather"} {
		all, err := c.View().Search(query, SearchOptions{Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 3, 20} {
			few, err := c.View().Search(query, SearchOptions{Limit: n})
			if err != nil {
				t.Fatal(err)
			}
			if want := all.Hits()[:n]; !slices.Equal(few.Hits(), want) {
				t.Errorf("%q, first %d:\ngot  %v\nwant %v", query, n, few.Hits(), want)
			}
		}
	}
}
