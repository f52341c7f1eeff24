package openapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/web"
	"almanac/internal/golden"
)

// TestFound calls operations as they were found in public documents: what is shown of each, and what is sent.
func TestFound(t *testing.T) { callsOf(t, "testdata/found.yaml", "testdata/found.golden", foundArgs) }

// TestLatest is TestFound for what OpenAPI 3.2 brought.
func TestLatest(t *testing.T) {
	callsOf(t, "testdata/latest.yaml", "testdata/latest.golden", latestArgs)
}

func callsOf(t *testing.T, file, want string, calls map[string][]table) {
	t.Helper()
	var kind, accept string
	vault := web.NewVault(func(name string) string {
		return map[string]string{"ALMANAC_FOUND_KEY_API_KEY": "k1", "ALMANAC_FOUND_KEY_API_TOKEN": "t1"}[name]
	}, nil)
	k := listen(t, file, options{Site: web.Site{Vault: vault}}, func(w http.ResponseWriter, r *http.Request) {
		kind, accept = r.Header.Get("Content-Type"), r.Header.Get("Accept")
		answer("{}")(w, r)
	})
	all, _ := catalog.New(k.batch.Entries, catalog.Options{})
	var b strings.Builder
	for _, e := range k.batch.Entries {
		fmt.Fprintln(&b, all.View().Line(e.ID))
		for _, args := range calls[e.ID] {
			fmt.Fprintf(&b, "  %v\n", args)
			before := len(k.asked)
			if _, err := k.call(e.ID, args); err != nil {
				fmt.Fprintf(&b, "    %v\n", err)
			}
			for _, line := range k.asked[before:] {
				fmt.Fprintf(&b, "    %s\n", strings.ReplaceAll(line, "\r\n", "\n    "))
			}
			if len(k.asked) > before && kind != "" && (kind != "application/json" || e.ID == "found.abilities.list") {
				fmt.Fprintf(&b, "    as %s\n", kind)
			}
			if e.ID == "found.apps.create" || e.ID == "found.games.list" {
				fmt.Fprintf(&b, "    for %s\n", accept)
			}
		}
	}
	for id := range calls {
		if !slices.ContainsFunc(k.batch.Entries, func(e catalog.Entry) bool { return e.ID == id }) {
			t.Errorf("there is no %s", id)
		}
	}
	golden.Equal(t, want, b.String())
}

// latestArgs are the calls of each action.
var latestArgs = map[string][]table{
	"latest.orders.search": {{"status": "open"}},
	"latest.orders.copy":   {{"id": "7"}},
	"latest.orders.find":   {{"filter": table{"status": "open", "n": 2}}, {"filter": table{"api_key": "mine"}}},
	"latest.orders.import": {{"body": []any{table{"id": 1}, table{"id": 2}}}},
	"latest.pets.create":   {{"body": table{"kind": "cat", "lives": 9}}, {"body": table{"kind": "emu", "name": "a"}}},
}

// foundArgs are the calls of each action.
var foundArgs = map[string][]table{
	"found.cards.get":      {{"id": "7"}},
	"found.cards.delete":   {{"id": "7"}},
	"found.notes.create":   {{}, {"title": "a"}, {"color": "red"}, {"title": "a", "kind": "b"}, {"dry": true}},
	"found.drafts.create":  {{"user": "me", "subject": "s", "access_token": "x"}},
	"found.messages.send":  {{"raw": "dGV4dA=="}},
	"found.stickers.set":   {{"mask": table{"x": 1}, "names": []any{"a", "b"}, "updates": []any{"a", "b"}}},
	"found.files.add":      {{"body": []any{"one", "two"}}},
	"found.columns.set":    {{"body": []any{"one", "two"}}},
	"found.apps.create":    {{}},
	"found.members.add":    {{"members": []any{"ann"}}},
	"found.games.list":     {{}},
	"found.abilities.list": {{}},
	"found.images.build":   {{"body": "tar"}},
	"found.cutoffs.set":    {{"body": int64(150)}, {"body": "soon"}},
	"found.events.export":  {{"app": "a b"}},
	"found.pages.list":     {{}},
	"found.contacts.create": {
		{"contact": table{}}, {"contact": table{"type": "email"}, "user": table{"ip": "192.0.2.1"}},
		{"contact": table{"type": "email"}, "user": table{"em": "a"}},
	},
	"found.firewalls.create": {
		{"rules": table{}}, {"rules": table{"policy": "DROP"}}, {"rules": table{"policy": "LOSE"}},
	},
}
