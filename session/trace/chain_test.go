package trace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// written is a log of n notes as bytes, one line each.
func written(t testing.TB, n int) (path string, lines [][]byte) {
	path = filepath.Join(t.TempDir(), "a.jsonl")
	log := must(CreateLog(path, nil))
	for i := range n {
		if err := log.Append(Record{Kind: KindNote, Text: fmt.Sprint("note ", i+1)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return path, bytes.Split(bytes.TrimSuffix(must(os.ReadFile(path)), []byte("\n")), []byte("\n"))
}

// TestChain shows that a log tells where it was changed.
func TestChain(t *testing.T) {
	path, lines := written(t, 6)
	for _, c := range []struct {
		name string
		log  [][]byte
		want Damage
	}{
		{"as written", lines, Damage{}},
		{"a word changed", [][]byte{lines[0], bytes.Replace(lines[1], []byte("note 2"), []byte("note 9"), 1), lines[2]},
			Damage{Broken: []int{2}}},
		{"a line removed", slices.Delete(slices.Clone(lines), 2, 4), Damage{Broken: []int{3}}},
		{"the first removed", lines[1:], Damage{Broken: []int{1}}},
		{"two exchanged", [][]byte{lines[0], lines[2], lines[1], lines[3]}, Damage{Broken: []int{2, 3, 4}}},
		{"one written twice", [][]byte{lines[0], lines[1], lines[1], lines[2]}, Damage{Broken: []int{3}}},
		{"one put in", [][]byte{lines[0], []byte(`{"kind":"note","text":"mine"}`), lines[1]}, Damage{Broken: []int{2}}},
		{"the last cut off", [][]byte{lines[0], lines[1], lines[2][:20]}, Damage{Torn: 1}},
		{"one torn in the middle", [][]byte{lines[0], lines[1][:20], lines[2]}, Damage{Torn: 1, Broken: []int{3}}},
		{"of an earlier version", [][]byte{[]byte(`{"kind":"note"}`), []byte(`{"kind":"note"}`)}, Damage{}},
	} {
		if err := os.WriteFile(path, bytes.Join(c.log, []byte("\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		_, got, err := Read(path)
		if err != nil || got.String() != c.want.String() {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	var many Damage
	for n := range 8 {
		many.Broken = append(many.Broken, n+1)
	}
	if s := many.String(); !strings.HasPrefix(s, "line 1 was changed, or lines before it are missing; ") ||
		!strings.HasSuffix(s, "; the same in 3 more places") {
		t.Error(s)
	}
}

// TestTornWrite shows that the line after a failed write is whole and follows the one before it.
func TestTornWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	log := must(CreateLog(path, nil))
	defer log.Close()
	note := func(s string) error { return log.Append(Record{Kind: KindNote, Text: s}) }
	if err := note("one"); err != nil {
		t.Fatal(err)
	}
	whole := log.file
	log.file = must(os.Open(path)) // cannot be written to
	if note("two") == nil {
		t.Fatal("a file that cannot be written to was written to")
	}
	log.file.Close()
	log.file = whole
	must(whole.WriteString(`{"kind":"no`))
	if err := note("three"); err != nil {
		t.Fatal(err)
	}
	records, damage, err := Read(path)
	if err != nil || len(records) != 2 || damage.Torn != 1 || len(damage.Broken) > 0 {
		t.Errorf("%d records, %v, %v", len(records), damage, err)
	}
}

// FuzzChain shows that no change of one byte passes: it is told, or it left the record as it was.
func FuzzChain(f *testing.F) {
	path, lines := written(f, 3)
	text := bytes.Join(lines, []byte("\n"))
	f.Add(uint16(30), byte('x'))
	f.Add(uint16(len(lines[0])), byte(' '))
	f.Fuzz(func(t *testing.T, at uint16, b byte) {
		changed := slices.Clone(text)
		changed[int(at)%len(changed)] = b
		if bytes.Equal(changed, text) {
			return
		}
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		records, damage, err := Read(path)
		if err != nil || damage.Found() {
			return
		}
		for i, r := range records {
			if r.Text != fmt.Sprint("note ", i+1) {
				t.Errorf("byte %d as %q: record %d reads %q, and nothing was told", at, b, i+1, r.Text)
			}
		}
	})
}
