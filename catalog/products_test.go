package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestNamedNamespaces ranks what a named product does above what others do with the same words.
func TestNamedNamespaces(t *testing.T) {
	var entries []Entry
	for _, product := range []string{"slack", "acmeMail", "teams"} {
		for _, thing := range []string{"channel", "user", "file", "reaction"} {
			entries = append(entries, Entry{ID: product + "." + thing + ".list", Description: "List every " + thing + "."})
		}
		entries = append(entries,
			Entry{ID: product + ".chat.post", Namespace: []string{product, "chat"}, Description: "Post a text."})
	}
	for i := range 20 {
		entries = append(entries,
			Entry{ID: fmt.Sprintf("bridge%d.send_message", i), Description: "Send a message to a chat."})
	}
	entries = append(entries,
		Entry{ID: "bridge.notify", Description: "Post a text in a chat, as a message, such as to a user of a channel."})
	c, _ := New(entries, Options{})
	if s := mustSearch(t, c.View(), "post a text message in slack chat",
		SearchOptions{}); s.Hits()[0].ID != "slack.chat.post" {
		t.Errorf("got %v", ids(s.Top(3)))
	}
}

// TestNameInPlace ranks an action whose namespace and name together have what is asked for above one that only speaks
// of it, and what a product that is named does above what others do, however few actions it has.
func TestNameInPlace(t *testing.T) {
	c, _ := New([]Entry{
		read("drive.files.list", "Searches what is in a drive.", nil, nil),
		read("drive.permissions.list", "List files' permissions.", nil, nil),
		read("drive.comments.list", "List comments of files.", nil, nil),
		read("drive.files.get", "Gets metadata by id.", nil, nil),
		read("box.chat.post", "Notes it.", nil, nil), read("box.chat.list", "Lists messages.", nil, nil),
		read("slab.chat.post", "Post a message to a channel of users.", nil, nil),
	}, Options{})
	for query, want := range map[string]string{
		"list files": "drive.files.list", "google drive: list files": "drive.files.list",
		"please list all the files of the folder": "drive.files.list", "list permissions of files": "drive.permissions.list",
		"box: post a message to a channel of users": "box.chat.post",
	} {
		if s := mustSearch(t, c.View(), query, SearchOptions{}); s.Hits()[0].ID != want {
			why, _ := c.View().Explain(want, query)
			t.Errorf("%q: got %v, want %s first\n%s", query, ids(s), want, why)
		}
	}
}

// TestProductNames finds actions by what their product is called, in the document's title or the server's name.
func TestProductNames(t *testing.T) {
	var entries []Entry
	for _, of := range []struct{ path, product, target string }{
		{"drive", "Google Drive", ""}, {"mail", "Google Mail", ""}, {"store", "Box", ""},
		{"weather", "", "GET https://api.openweathermap.org/data/2.5/box"}, {"climate", "", ""},
	} {
		for _, thing := range []string{"file", "folder", "layer", "permission", "forecast"} {
			entries = append(entries, Entry{ID: of.path + "." + thing + ".list", Target: of.target,
				Products: []string{of.product}, Description: "List every " + thing + "."})
		}
	}
	for i := range 10 {
		entries = append(entries, Entry{ID: fmt.Sprintf("disk%d.file.list", i), Description: "List the files of a drive."})
	}
	c, _ := New(entries, Options{})
	for _, test := range []struct{ query, first, note string }{
		{"google drive: list files", "drive.file.list", ""}, {"list files in Google Drive", "drive.file.list", ""},
		{"googledrive: list files", "drive.file.list", `no action has "googledrive"; searched "google drive"`},
		{"list files using GoogleMail", "mail.file.list", ""},
		{"box: list files", "store.file.list", ""},
		{"openweathermap: list forecasts", "weather.forecast.list", ""},
		{"open weather map: list files", "weather.file.list", ""},
		{"list forecasts via OpenWeatherMap", "weather.forecast.list", ""},
		{"acme super cloud: list files", "", "nothing here is called acme super cloud"},
		{"dropbox: list files", "", "nothing here is called dropbox"},
		{"list files using mailchimp", "", "nothing here is called mailchimp"},
	} {
		s := mustSearch(t, c.View(), test.query, SearchOptions{})
		if test.first != "" && s.Hits()[0].ID != test.first || strings.Join(s.Notes(), "; ") != test.note {
			t.Errorf("%q: got %v, %q; want %s, %q", test.query, ids(s.Top(3)), s.Notes(), test.first, test.note)
		}
	}
	// What a hidden product is called is not known.
	narrow := mustNarrow(t, c.View(), Rules{DeniedNamespaces: []string{"drive", "mail"}})
	if notes := mustSearch(t, narrow, "googlemail: list files", SearchOptions{}).Notes(); !slices.Contains(notes,
		"nothing here is called googlemail") {
		t.Errorf("a hidden product is known: %q", notes)
	}
}

// TestBrands has the names of hosts.
func TestBrands(t *testing.T) {
	for target, want := range map[string]string{
		"GET https://api.openweathermap.org/data": "openweathermap", "POST https://my-shop.co.uk:8443/x": "my_shop",
		"https://stripe.com": "stripe", "GET https://www.googleapis.com/drive": "", "GET http://127.0.0.1:80/x": "",
		"GET http://localhost/x": "", "GET https://api.example.com/x": "", "GET http://[::1]:80/x": "", "GET /x": "",
		"": "", "GET https://{host}.acme.io/x": "acme", "GET https://{host}/x": "", "postgres://db.acme.io/x": "",
	} {
		if got := brandOf(target); got != want {
			t.Errorf("%q is called %q, want %q", target, got, want)
		}
	}
}
