package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A repository has one name in its clones and work trees, and two have two.
func TestRepository(t *testing.T) {
	base := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const core = "[core]\n\tbare = false\n\turl = no\n"
	for name, url := range map[string]string{
		"ssh": "git@example.com:acme/Shop.git", "git": "ssh://h:22/shop/",
		"https":  "https://ann:secret@example.com/acme/shop?x=/secret",
		"folder": filepath.Join(base, "shop"), "dot": "/srv/shop/.git", "windows": `C:\src\shop`, "quoted": `"../shop"`,
		"bare": "https://secret@", "other": "https://example.com/acme/office.git",
	} {
		write(name+"/.git/config", core+"[remote \"origin\"]\n\turl = "+url+"\n\tfetch = +refs/heads/*\n")
	}
	write("shop/.git/config", core)
	write("two/.git/config", core+"[remote \"fork\"]\n url=/x/fork\n[Remote \"origin\"]\n url=/x/shop\n"+
		"[branch \"url\"]\n url=no\n")
	write("one/.git/config", core+"[remote \"upstream\"]\n URL = /x/shop\n")
	write("none/.git/config", core+"[remote \"a\"]\nurl=/x/a\n[remote \"b\"]\nurl=/x/b\n")
	write("shop/.git/worktrees/tree/commondir", "../..\n")
	write("tree/.git", "gitdir: "+filepath.Join(base, "shop/.git/worktrees/tree")+"\n")
	write("shop/.git/modules/part/config", core)
	write("shop/part/.git", "gitdir: ../.git/modules/part\n")
	write("damaged/.git", "nothing")
	write("empty/.git/HEAD", "ref: refs/heads/main\n")
	for name, want := range map[string]string{
		"ssh": "shop", "https": "shop", "git": "shop", "folder": "shop", "dot": "shop", "windows": "shop", "quoted": "shop",
		"bare": "", "other": "office", "shop": "shop", "two": "shop", "one": "shop", "none": "none", "tree": "shop",
		"shop/part": "part", "damaged": "", "empty": "",
	} {
		if got := repository(filepath.Join(base, name)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := repository(""); got != "" {
		t.Errorf("outside of Git: %q", got)
	}
}
