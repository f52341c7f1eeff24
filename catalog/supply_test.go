package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"almanac/internal/golden"
)

// films are two vendors, one of films whose results do not say what they hold, and one of orders whose source links its
// actions.
func films() []Entry {
	film := input(`"movie_id":{"type":"integer"}`, `"movie_id"`)
	page := MustSchema(`{"type":"object","properties":{"page":{"type":"integer"},"results":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"title":{"type":"string"}}}}}}`)
	return []Entry{
		read("films.search.movie", "Search for movies by title.", input(`"query":{"type":"string"}`, `"query"`), page),
		read("films.search.person", "Search for people by name.", input(`"query":{"type":"string"}`, `"query"`), page),
		read("films.movie.popular", "Movies that are popular now.", nil, page),
		read("films.movie.credits", "Get the cast and crew of a movie.", film, nil),
		read("films.movie.reviews", "Get the user reviews of a movie.", film, page),
		read("films.person.credits", "Get the movies of a person.", input(`"person_id":{"type":"integer"}`, `"person_id"`),
			nil),
		write("films.movie.rate", "Rate a movie.", Create, Low,
			input(`"movie_id":{"type":"integer"},"value":{"type":"number"}`, `"movie_id","value"`), nil),
		read("films.list.details", "Get the details of a list.", input(`"id":{"type":"string"}`, `"id"`), nil),
		write("films.list.create", "Create a list.", Create, Low, nil,
			MustSchema(`{"type":"object","properties":{"id":{"type":"string"}}}`)),
		read("shop.order.get", "Get an order.", input(`"order_id":{"type":"string"}`, `"order_id"`), nil),
		{ID: "shop.basket.checked_out", Description: "What was bought.", Operation: Read,
			Supplies: []Supply{{"shop.order.get", "order_id", "bought[1].order"}}},
		read("shop.order.list", "List orders.", nil, MustSchema(`{"type":"array","items":{"type":"object","title":"order","properties":{"id":{"type":"string"}}}}`)),
		read("shop.order.notes", "Get the notes of an order.", input(`"order_id":{"type":"string"}`, `"order_id"`), nil),
		read("shop.line.get", "Get a line of an order.",
			input(`"order_id":{"type":"string"},"line_id":{"type":"string"}`, `"order_id","line_id"`), nil),
		read("shop.line.list", "List the lines of an order.", input(`"order_id":{"type":"string"}`, `"order_id"`),
			listOf(`{"type":"object","title":"line","properties":{"id":{"type":"string"}}}`)),
	}
}

func filmsView(t testing.TB) *View {
	t.Helper()
	c, report := New(films(), Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	return c.View()
}

// TestSuppliers shows which actions join an answer, for what a request and a session give.
func TestSuppliers(t *testing.T) {
	var b strings.Builder
	v := filmsView(t)
	for _, ask := range []struct {
		words string
		given []Given
	}{
		{words: "cast and crew of the movie Inception"},
		{words: "cast and crew of movie 27205"},
		{words: "reviews of a movie", given: []Given{{Name: "movies", Brief: "{...}"}}},
		{words: "reviews of a movie", given: []Given{{Name: "best", Brief: `{movie_id = 27205}`}}},
		{words: "reviews of a movie", given: []Given{{Name: "x", Brief: `"a movie"`}}},
		{words: "rate a movie"},
		{words: "details of a list"},
		{words: "get an order"},
		{words: "get order ord_00042"},
		{words: "notes of an order"},
		{words: "get a line of an order"},
		{words: "get a line of order ord_00042"},
		{words: "get line 3 of order ord_00042"},
	} {
		fmt.Fprintf(&b, "== %s %v\n", ask.words, ask.given)
		l := v.WithGiven(ask.given).List(mustSearch(t, v, ask.words, SearchOptions{Limit: 1}), ListOptions{})
		b.WriteString(l.Text + "\n")
		for _, s := range l.Suppliers {
			fmt.Fprintf(&b, "%+v\n", s)
		}
	}
	golden.Equal(t, "testdata/suppliers.golden", b.String())
}

// TestSuppliersSeeTheView has no hidden action be a supplier, and answers be those of a catalog without
// it.
func TestSuppliersSeeTheView(t *testing.T) {
	v := filmsView(t)
	for _, hidden := range []string{"films.search.movie", "shop.order.list", "shop.basket.checked_out"} {
		narrow, err := v.Narrow(Rules{DeniedIDs: []string{hidden}})
		if err != nil {
			t.Fatal(err)
		}
		c, _ := New(slices.DeleteFunc(films(), func(e Entry) bool { return e.ID == hidden }), Options{})
		for _, words := range []string{"cast of a movie", "get an order", "notes of an order", "a line of an order"} {
			got := narrow.List(mustSearch(t, narrow, words, SearchOptions{Limit: 2}), ListOptions{})
			want := c.View().List(mustSearch(t, c.View(), words, SearchOptions{Limit: 2}), ListOptions{})
			if slices.Contains(got.Named(), hidden) || got.Text != want.Text {
				t.Errorf("without %s, %q:\n%s\nwant\n%s", hidden, words, got.Text, want.Text)
			}
		}
	}
}

// TestGiven has the ids that requests give, and what else has digits.
func TestGiven(t *testing.T) {
	for _, test := range []struct {
		words string
		given bool
	}{
		{"cancel order ord_00042", true}, {"cancel order 42", true}, {"cancel #42", true}, {"cancel it: INV-17", true},
		{"the user jane@example.com", true}, {"https://example.com/orders/x", true}, {`cancel "ord_00042".`, true},
		{"order 9b2d7c1e-4f0a-4a7e-8a44-0d1f2a3b4c5d", true},
		{"the order with the number 42", true},
		{"", false}, {"cancel an order", false}, {"the first 5", false}, {"10 orders", false},
		{"orders of 2026-11-23", false},
		{"last 30 days", false}, {"over 100", false}, {"in 2026", false}, {"ec2 and s3", false}, {"in v2", false},
		{"within 100ms", false}, {"5 percent of", false}, {"at 10:30", false}, {"for 12.50", false},
	} {
		left := givenBy(test.words, nil).open([]need{{"order_id", "order_id"}})
		if given := len(left) == 0; given != test.given {
			t.Errorf("%q: given %t, want %t", test.words, given, test.given)
		}
	}
}

// TestGivenWhich has ids belong to what stands before them, or to what they begin like.
func TestGivenWhich(t *testing.T) {
	needs := []need{{"customer_id", "customer_id"}, {"id", "order_id"}, {"limit", "limit"}}
	for words, want := range map[string]string{
		"":                                "customer_id order_id",
		"order 42":                        "customer_id",
		"the customer with number 7":      "order_id",
		"ord_00042":                       "customer_id",
		"cus_0001":                        "order_id",
		"ORD-17 of customer 12":           "",
		"something 42":                    "order_id",
		"7 for 42":                        "",
		"customer 12, order 4, invoice 9": "",
	} {
		var open []string
		for _, n := range givenBy(words, nil).open(needs) {
			open = append(open, n.name)
		}
		if got := strings.Join(open, " "); got != want {
			t.Errorf("%q leaves %q open, want %q", words, got, want)
		}
	}
}

// TestListKeepsItsCap has an answer name no more actions than it may, and the hit before what helps it.
func TestListKeepsItsCap(t *testing.T) {
	entries := films()
	for _, vendor := range []string{"films", "kino", "cine_v2", "cine_v1"} {
		entries = append(entries, read(vendor+".star.awards", "List the awards of a star.",
			input(`"star_id":{"type":"integer"}`, `"star_id"`), nil), read(vendor+".star.find", "Find stars.", nil, nil))
	}
	c, _ := New(entries, Options{})
	v := c.View().WithRecent([]string{"kino.star.find"})
	for _, words := range []string{"cast of a movie", "a line of an order", "get", "list orders", "awards of a star"} {
		for most := 1; most <= 15; most++ {
			for admitted := range most + 1 {
				left := admitted
				l := v.List(mustSearch(t, v, words, SearchOptions{Limit: 15}),
					ListOptions{Most: most, Admit: func(string) bool { left--; return left >= 0 }})
				named := l.Named()
				if len(named) > admitted {
					t.Errorf("%q: %d named, want at most %d:\n%s", words, len(named), admitted, l.Text)
				}
				said := strings.FieldsFunc(l.Text, func(r rune) bool { return strings.ContainsRune(" (),\n", r) })
				for _, id := range slices.Collect(v.All()) {
					if slices.Contains(said, id) != slices.Contains(named, id) {
						t.Errorf("%q: %s is in the text or told, and not both: %v\n%s", words, id, named, l.Text)
					}
				}
				if n := len(l.Hits); n > 0 && !strings.HasPrefix(l.Text, fmt.Sprintf("%d of ", n)) {
					t.Errorf("%q: %d hits are named:\n%s", words, n, l.Text)
				}
				for _, s := range l.Suppliers {
					if !slices.ContainsFunc(l.Hits, func(h Hit) bool { return h.ID == s.For }) {
						t.Errorf("%q: a supplier of %s, which is not there:\n%s", words, s.For, l.Text)
					}
				}
			}
		}
	}
}
