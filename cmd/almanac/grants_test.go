package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/session/policy"
)

// TestWatchGrants revokes a kept grant behind the back of a program that runs.
func TestWatchGrants(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	t.Setenv("ALMANAC_CONFIG", path)
	cli := &commandLine{config: testConfig(t)}
	kept := cli.watchGrants()
	grant := func(text string, seen *policy.Seen) policy.Grant {
		g, err := policy.ParseGrant(text)
		if err != nil {
			t.Fatal(err)
		}
		g.For, g.Seen, g.By = policy.Always, seen, "you"
		return g
	}
	note, other := grant("crm.note", &policy.Seen{Sources: []string{"demo"}, Action: "12ab"}),
		grant("crm.next", &policy.Seen{Sources: []string{"demo"}})
	check := func(what string, g policy.Grant, want string) {
		t.Helper()
		err := kept(g)
		if err != nil && (want == "" || !strings.Contains(err.Error(), want)) || err == nil && want != "" {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	check("no file", note, "no longer in")
	if _, err := cli.keepGrant(note); err != nil {
		t.Fatal(err)
	}
	if _, err := cli.keepGrant(other); err != nil {
		t.Fatal(err)
	}
	check("kept", note, "")
	check("same id, another source",
		grant("crm.note", &policy.Seen{Sources: []string{"mallory"}, Action: "12ab"}), "no longer in")
	check("same id, bounded", grant("crm.note n <= 5", note.Seen), "no longer in")
	if _, err := (&commandLine{config: testConfig(t)}).dropGrant(note); err != nil { // another terminal
		t.Fatal(err)
	}
	check("revoked", note, "no longer in")
	check("the other", other, "")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("allow = [\"crm.note\"]\n")
	check("in the allow list", grant("crm.note", nil), "")
	check("the other", other, "no longer in")
	before := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, before, before); err != nil {
		t.Fatal(err)
	}
	check("in the allow list", grant("crm.note", nil), "")
	write("allow = [\"crm.nose\"]\n") // of the same size
	check("changed", grant("crm.note", nil), "no longer in")
	write("allow = [\n")
	check("broken", grant("crm.note", nil), "configuration")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	check("removed", grant("crm.note", nil), "no longer in")
}

// A grant that was given at the start and lets nothing through is warned about, from a file or the command line.
func TestIdleGrants(t *testing.T) {
	var p policy.Policy
	for _, c := range []policy.Grant{
		{For: policy.Always, By: "config.toml", Early: true}, {For: policy.ForSession, By: "--allow", Early: true},
		{For: policy.ForSession, By: "you"},
	} {
		g, err := policy.ParseGrant("a.b")
		if err != nil {
			t.Fatal(err)
		}
		g.For, g.By, g.Early, g.Waits = c.For, c.By, c.Early, "no such action here"
		p.Grants = append(p.Grants, g)
	}
	want := "config.toml: allow a.b: no such action here; --allow a.b: no such action here"
	none, _ := catalog.New(nil, catalog.Options{})
	if got := strings.Join(idle(p, none.View()), "; "); got != want {
		t.Errorf("got %s", got)
	}
}
