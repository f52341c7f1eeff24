package workspace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"almanac/catalog"
	"almanac/internal/golden"
)

// A bench is a workspace in a folder of its own, with a file beside it that must never be seen.
type bench struct {
	t       testing.TB
	dir     string
	actions map[string]catalog.Entry
}

func newBench(t testing.TB, files []txtar.File) *bench {
	t.Helper()
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), "root"), actions: map[string]catalog.Entry{}}
	put := func(name string, text []byte) {
		at := filepath.Join(b.dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		if name, ok := strings.CutPrefix(f.Name, "in/"); ok {
			put(name, f.Data)
		}
	}
	put("image.bin", []byte("\x89PNG\r\n\x1a\n\x00\x00"))
	put("../outside.txt", []byte("secret\n"))
	s := open("workspace", b.dir, "")
	batch, err := s.Load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(filepath.Join(b.dir, "../outside.txt")); err != nil || string(got) != "secret\n" {
			t.Errorf("what is outside was changed: %q, %v", got, err)
		}
		if beside, err := os.ReadDir(filepath.Dir(b.dir)); err != nil || len(beside) != 2 {
			t.Errorf("something was put outside: %v, %v", beside, err)
		}
	})
	for _, e := range batch.Entries {
		b.actions[e.ID] = e
	}
	return b
}

// links makes the links that lead astray.
func (b *bench) links() {
	for name, target := range map[string]string{"link-out": "..", "link-file": "../outside.txt",
		"link-in": "src/b.txt", "link-git": ".git"} {
		if err := os.Symlink(target, filepath.Join(b.dir, name)); err != nil {
			b.t.Fatal(err)
		}
	}
	makePipe(b.t, filepath.Join(b.dir, "pipe"))
}

// call makes one call as the session's call path does: arguments checked, and the result as JSON.
func (b *bench) call(name string, args []byte) string {
	id, preview := strings.CutPrefix(name, "preview ")
	var given map[string]any
	if err := json.Unmarshal(args, &given); err != nil {
		b.t.Fatalf("%s: %v", args, err)
	}
	e := b.actions[id]
	checked, err := e.Input.Check(given)
	if err != nil {
		return "rejected: " + err.Error() + "\n"
	}
	call := catalog.Call{ID: id, Args: checked}
	if preview {
		text, err := e.Preview(b.t.Context(), call)
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		return text
	}
	result, err := e.Action(b.t.Context(), call)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result.Data); err != nil {
		b.t.Fatal(err)
	}
	text := regexp.MustCompile(`"(modified|mode)":"[^"]*",?`).ReplaceAllString(out.String(), "")
	if result.Note != "" {
		text += "note: " + result.Note + "\n"
	}
	return text
}

// tree lists the files and what is in them.
func (b *bench) tree() string {
	var w strings.Builder
	err := filepath.WalkDir(b.dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(at)
		rel, _ := filepath.Rel(b.dir, at)
		fmt.Fprintf(&w, "%s: %q\n", filepath.ToSlash(rel), text)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return w.String()
}

func TestActions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	golden.Archives(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) {
		b := newBench(t, a.Files)
		b.links()
		got := ""
		for i := range a.Files {
			f := &a.Files[i]
			switch {
			case strings.HasPrefix(f.Name, "in/"):
			case f.Name == "tree":
				got = b.tree()
			case f.Name == "want":
				f.Data = []byte(got)
			default:
				got = b.call(f.Name, f.Data)
			}
		}
	})
}

// A path has no characters that forge lines of what a change is said to do, and a name that is there already is quoted.
func TestNamesThatForge(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("such names cannot be there")
	}
	b := newBench(t, nil)
	if err := os.MkdirAll(filepath.Join(b.dir, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "d", "x\n+++ b.txt"), []byte("1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a/x\nnew file: ok", "a\rb", "a\x1b[2Jb", "a\u2028b",
		"a\u0085b", "a\u202egpj.exe", "a\tb"} {
		for id, args := range map[string]map[string]any{
			"fs.write": {"path": path, "text": "x"},
			"fs.patch": {"path": path, "edits": []any{map[string]any{"find": "a", "replace": "b"}}},
			"fs.move":  {"from": "image.bin", "to": path}, "fs.remove": {"path": path}, "fs.read": {"path": path},
		} {
			raw, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"preview " + id, id} {
				if name == "preview fs.read" {
					continue
				}
				got := b.call(name, raw)
				if !strings.Contains(got, "control character") || strings.Count(got, "\n") != 1 || strings.Contains(got, path) {
					t.Errorf("%s %q: %q", name, path, got)
				}
			}
		}
	}
	want := "remove folder d: 1 files in 1 folders, 2 bytes\n-\"d/x\\n+++ b.txt\"\n"
	if got := b.call("preview fs.remove", []byte(`{"path": "d", "recursive": true}`)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A large file is read in parts that give it back whole.
func TestReadInParts(t *testing.T) {
	whole := strings.Repeat("größe 漢字\n", 5000)
	b := newBench(t, []txtar.File{{Name: "in/big.txt", Data: []byte(whole)}})
	e := b.actions["fs.read"]
	got, args := "", map[string]any{"path": "big.txt", "limit": int64(1000), "offset": int64(0)}
	for args != nil {
		result, err := e.Action(t.Context(), catalog.Call{Args: args})
		if err != nil {
			t.Fatal(err)
		}
		data := result.Data.(map[string]any)
		got += data["text"].(string)
		if result.Next == nil {
			break
		}
		args["offset"] = result.Next["offset"]
	}
	if got != whole {
		t.Errorf("got %d bytes, want %d", len(got), len(whole))
	}
}

// The mode of a file outlives its change, and nothing is left beside it.
func TestModeStays(t *testing.T) {
	b := newBench(t, []txtar.File{{Name: "in/run.sh", Data: []byte("#!/bin/sh\n")}})
	if err := os.Chmod(filepath.Join(b.dir, "run.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	b.call("fs.patch", []byte(`{"path": "run.sh", "edits": [{"find": "sh\n", "replace": "sh\ntrue\n"}]}`))
	info, err := os.Stat(filepath.Join(b.dir, "run.sh"))
	if err != nil || info.Mode().Perm() != 0o750 && runtime.GOOS != "windows" || info.Size() != 15 {
		t.Errorf("got %v, %v", info, err)
	}
	if names, _ := os.ReadDir(b.dir); len(names) != 2 {
		t.Errorf("left behind: %v", names)
	}
}

// TestDiff applies the diffs of random texts: they make the one of the other.
func TestDiff(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(string(rune('a'+random.IntN(6))) + "\n")
		}
		return strings.TrimSuffix(b.String(), []string{"", "\n"}[random.IntN(2)])
	}
	for range 3000 {
		a, b := text(), text()
		lines := strings.SplitAfter(unified("a", "b", a, b), "\n")
		if a == b && lines[0] != "" || a != b && (lines[0] != "--- a\n" || lines[1] != "+++ b\n") {
			t.Fatalf("%q to %q: the head is %q", a, b, lines)
		}
		old, made := slices.Collect(strings.Lines(a)), ""
		last := byte(0)
		for _, line := range lines[min(2, len(lines)):] {
			var at int
			switch {
			case line == "":
			case line[0] == '@':
				if _, err := fmt.Sscanf(line, "@@ -%d", &at); err != nil {
					t.Fatal(err)
				}
				for skipped := len(slices.Collect(strings.Lines(a))) - len(old); skipped < at-1; skipped++ {
					made, old = made+old[0], old[1:]
				}
			case line[0] == '\\' && last == '+', line[0] == '\\' && last == ' ':
				made = strings.TrimSuffix(made, "\n")
			case line[0] == ' ', line[0] == '-':
				if strings.TrimSuffix(old[0], "\n") != strings.TrimSuffix(line[1:], "\n") {
					t.Fatalf("%q to %q: %q stands for %q", a, b, line, old[0])
				}
				old = old[1:]
			}
			if line != "" {
				if last = line[0]; last == ' ' || last == '+' {
					made += line[1:]
				}
			}
		}
		if a != b {
			made += strings.Join(old, "")
		} else {
			made = a
		}
		if made != b {
			t.Fatalf("%q to %q: %q gives %q", a, b, lines, made)
		}
	}
}

func TestLargeDiff(t *testing.T) {
	var a, b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&a, "old %d\n", i)
		fmt.Fprintf(&b, "new %d\n", i)
	}
	text := unified("a", "b", "same\n"+a.String(), "same\n"+b.String())
	if !strings.HasPrefix(text, "--- a\n+++ b\n@@ -1,20001 +1,20001 @@\n same\n-old 0\n") ||
		strings.Count(text, "\n") != 40_004 {
		t.Errorf("got %d lines: %.200s", strings.Count(text, "\n"), text)
	}
}

// Whatever a path says, nothing outside is read or changed, and nothing in .git is changed.
func FuzzPath(f *testing.F) {
	for _, p := range []string{"a", "../outside.txt", "/../../outside.txt", "a/../../outside.txt",
		"link-out/outside.txt", "link-file",
		".git/x", "./.git/x", ".GIT//x", "a\x00b", "....//outside.txt", "link-git/x", "C:\\x",
		"..\\outside.txt", "a/./b/", "link-out/root/a"} {
		f.Add(p, "secret")
	}
	f.Fuzz(func(t *testing.T, p, text string) {
		b := newBench(t, []txtar.File{{Name: "in/a", Data: []byte("x")}, {Name: "in/.git/HEAD", Data: []byte("x")}})
		b.links()
		for id, args := range map[string]map[string]any{
			"fs.read": {"path": p}, "fs.list_dir": {"path": p}, "fs.stat": {"path": p},
			"fs.search": {"path": p, "text": "secret"},
			"fs.write":  {"path": p, "text": text}, "fs.move": {"from": "a", "to": p},
			"fs.remove": {"path": p, "recursive": true},
		} {
			e := b.actions[id]
			result, err := e.Action(t.Context(), catalog.Call{Args: args})
			if err == nil && text != "secret" && strings.Contains(fmt.Sprint(result.Data), "secret\n") {
				t.Errorf("%s %q shows what is outside: %v", id, p, result.Data)
			}
		}
		if inside, err := os.ReadDir(filepath.Join(b.dir, ".git")); err != nil || len(inside) != 1 {
			t.Errorf("%q changed .git: %v, %v", p, inside, err)
		}
	})
}
