package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"almanac/catalog/search"
)

// vendors have the same actions, and gamma stands below another path.
func vendors(t *testing.T, o Options) *View {
	t.Helper()
	var entries []Entry
	for _, vendor := range []string{"alpha.mail", "beta.mail", "beta.qx", "delta.gamma.mail"} {
		entries = append(entries, read(vendor+".list", "List the messages of a folder.", nil, nil),
			read(vendor+".send", "Send a message.", nil, nil))
	}
	c, report := New(entries, o)
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	return c.View()
}

// TestRecent shows what comes first after actions were used.
func TestRecent(t *testing.T) {
	v := vendors(t, Options{})
	for _, test := range []struct {
		name string
		used []string
		want string
	}{
		{"nothing", nil, "alpha.mail.send"},
		{"a provider", []string{"beta.qx.list"}, "beta.qx.send"},
		{"two namespaces of one", []string{"beta.qx.list", "beta.mail.list"}, "beta.mail.send"},
		{"two providers", []string{"beta.mail.list", "alpha.mail.list"}, "alpha.mail.send"},
		{"deeper", []string{"delta.gamma.mail.list"}, "delta.gamma.mail.send"},
		{"unknown", []string{"nowhere.mail.list", "", "."}, "alpha.mail.send"},
		{"too long ago", append([]string{"beta.mail.list"}, slices.Repeat([]string{"x.y"}, MaxRecent)...), "alpha.mail.send"},
	} {
		used := v.WithRecent(test.used)
		got := mustSearch(t, used, "send a message", SearchOptions{})
		if id := got.Hits()[0].ID; id != test.want {
			t.Errorf("%s: %s comes first, want %s", test.name, id, test.want)
		}
		if plain := mustSearch(t, v, "send a message", SearchOptions{}); got.Total() != plain.Total() {
			t.Errorf("%s: %d match, without it %d", test.name, got.Total(), plain.Total())
		}
	}
	used := v.WithRecent([]string{"beta.qx.list"})
	for query, want := range map[string]bool{"send a message": true, "alpha: send a message": false, "beta: send": true} {
		why, err := used.Explain("beta.qx.send", query)
		if got := strings.Contains(why, "(context)"); err != nil || got != want {
			t.Errorf("%q: the session counts: %t, want %t, %v\n%s", query, got, want, err, why)
		}
	}
	if found := mustSearch(t, used, "folder", SearchOptions{}); slices.Contains(ids(found), "beta.qx.send") {
		t.Error("what was used alone found an action")
	}
	if again := mustSearch(t, used.WithRecent(nil), "send", SearchOptions{}); again.Hits()[0].ID != "alpha.mail.send" {
		t.Error("it cannot be switched off")
	}
	without := vendors(t, Options{Without: []search.Feature{search.Context}}).WithRecent([]string{"beta.qx.list"})
	if off := mustSearch(t, without, "send", SearchOptions{}); off.Hits()[0].ID != "alpha.mail.send" {
		t.Error("the feature counts although it is off")
	}
}

// TestRecentIsBounded gives one namespace every reason to be raised.
func TestRecentIsBounded(t *testing.T) {
	v := vendors(t, Options{})
	const query = "send a message"
	score := func(v *View) float64 {
		for _, hit := range mustSearch(t, v, query, SearchOptions{}).Hits() {
			if hit.ID == "beta.mail.send" {
				return hit.Score
			}
		}
		t.Fatal("beta.mail.send is not found")
		return 0
	}
	once := v.WithRecent([]string{"beta.mail.list"})
	often := v.WithRecent([]string{"beta.mail.list", "beta.mail.send", "beta.mail.list", "beta.qx.list"})
	if a, b := score(once), score(often); a != b || a <= score(v) {
		t.Errorf("score %.3f, after one use %.3f, after four %.3f", score(v), a, b)
	}
	why, err := once.Explain("beta.mail.send", query)
	if err != nil || strings.Count(why, "(context)") != 2 || !strings.Contains(why, "beta.mail was used just before") {
		t.Errorf("explain: %v\n%s", err, why)
	}
}

// TestRecentNeverReveals uses hidden actions.
func TestRecentNeverReveals(t *testing.T) {
	v := mustNarrow(t, vendors(t, Options{}), Rules{DeniedIDs: []string{"beta.qx.*"}})
	used := v.WithRecent([]string{"beta.qx.list"})
	for _, query := range []string{"send a message", "qx"} {
		got, want := mustSearch(t, used, query, SearchOptions{}), mustSearch(t, v, query, SearchOptions{})
		if fmt.Sprint(got.Hits()) != fmt.Sprint(want.Hits()) {
			t.Errorf("%q: a hidden action that was used changes the answer:\n%v\n%v", query, got.Hits(), want.Hits())
		}
	}
}
