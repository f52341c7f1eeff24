package catalog

import (
	"slices"
	"strings"
	"testing"
)

// TestMissingProducts shows which names of a request the answer says nothing is called, and what it is silent about.
func TestMissingProducts(t *testing.T) {
	entries := append(vendors(t, Options{}).cat.Entries(), read("tools.open", "Opens a page of GitHub.", nil, nil),
		read("open_weather.today", "The weather.", nil, nil))
	c, _ := New(entries, Options{})
	v := c.View()
	for _, test := range []struct{ query, want string }{
		{"mailchimp add subscriber", "mailchimp"},
		{"Mailchimp: send a campaign", "Mailchimp"},
		{"send a message via Mailchimp.", "Mailchimp"},
		{"send a message using MailChimp, then on Netlify", "MailChimp, Netlify"},
		{"post a message on mailchimp", "mailchimp"},
		{"send a message on Mailchimp's behalf", "Mailchimp"},
		{"mailchimp list messages on mailchimp", "mailchimp"},
		{"google drive: list files", "google drive"}, {"Acme Super Cloud: send a message", "Acme Super Cloud"},
		{"acme super cloud:", "acme super cloud"}, {"google  drive : list files", "google drive"},
		// The catalog has it, or a part of it.
		{"acme alpha: send a message", ""}, {"open weather: get it", ""}, {"messages folder: list messages", ""},
		{"google drvie messages folder of today: send", ""},
		// No verb behind the colon, or no name before it.
		{"google drive: files", ""}, {"quick question: send a message", ""}, {"please google: list files", ""},
		{"send google drive: list files", ""}, {"list files: google drive", ""}, {"list messages at 12:30", ""},
		// The catalog has it.
		{"alpha: send a message", ""}, {"send a message via Delta", ""}, {"gamma list messages", ""},
		{"send a message using messaging", ""},
		{"list messages on Github", ""}, {"openweather list messages", ""},
		// English, places, days, numbers, codes.
		{"urgent: send a message", ""}, {"weather list", ""}, {"send a message on Friday", ""},
		{"send a message via London", ""}, {"list messages on 2026-01-01", ""}, {"list messages on KJFK1", ""},
		{`send a message on "Mailchimp"`, ""},
		// Where values stand.
		{"send a message to Mailchimp", ""}, {"list messages in Mallorca", ""}, {"list messages of katsunosuke", ""},
		{"list messages from Uniket", ""}, {"Please list the messages on uniket", ""},
		// Spelling.
		{"send a message via Alphaa", ""}, {"send a message via ListMail", ""},
	} {
		set := mustSearch(t, v, test.query, SearchOptions{})
		var got []string
		for _, note := range set.Notes() {
			if name, ok := strings.CutPrefix(note, "nothing here is called "); ok {
				got = append(got, name)
			}
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%q: nothing is called %q, want %q", test.query, got, test.want)
		}
		if note := set.Pick(PickOptions{}).Note; test.want != "" && !strings.Contains(note, "nothing here is called ") {
			t.Errorf("%q: a step does not say so: %q", test.query, note)
		}
		if set.Len() > 0 && test.want != "" && !strings.Contains(v.FormatSet(set, 0), "nothing here is called ") {
			t.Errorf("%q: the answer does not say so:\n%s", test.query, v.FormatSet(set, 0))
		}
	}
	if set := mustSearch(t, v.WithLoading("loading"), "mailchimp add subscriber", SearchOptions{}); len(set.Notes()) > 1 {
		t.Errorf("a catalog that is not whole knows what it has not: %q", set.Notes())
	}
	// A hidden action is as one that does not exist.
	entries = []Entry{read("netlify.site.list", "List sites.", nil, nil), read("mail.list", "List messages.", nil, nil)}
	c, _ = New(entries, Options{})
	for _, test := range []struct {
		view *View
		want bool
	}{{c.View(), false}, {mustNarrow(t, c.View(), Rules{DeniedNamespaces: []string{"netlify"}}), true}} {
		set := mustSearch(t, test.view, "list messages via Netlify", SearchOptions{})
		if got := slices.Contains(set.Notes(), "nothing here is called Netlify"); got != test.want {
			t.Errorf("of %d actions: %q", test.view.Len(), set.Notes())
		}
	}
}
