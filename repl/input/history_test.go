package input

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func texts(entries []Typed) []string {
	var all []string
	for _, e := range entries {
		all = append(all, e.Text)
	}
	return all
}

func loaded(t *testing.T, path string, n int) []string {
	t.Helper()
	entries, err := OpenHistory(path, "").Load(n)
	if err != nil {
		t.Fatal(err)
	}
	return texts(entries)
}

func add(t *testing.T, h *History, text string) {
	t.Helper()
	if err := h.Add(text, LuaMode); err != nil {
		t.Fatal(err)
	}
}

func TestHistoryKeeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history.jsonl")
	h := OpenHistory(path, "s1")
	defer h.Close()
	for _, text := range []string{"x = 1", "function f()\n  return 'Käse 漢字'\nend", " secret", "", "y", "y", "x = 1"} {
		add(t, h, text)
	}
	want := []string{"x = 1", "function f()\n  return 'Käse 漢字'\nend", "y", "x = 1"}
	if diff := cmp.Diff(want, loaded(t, path, 100)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(want[2:], loaded(t, path, 2)); diff != "" {
		t.Errorf("last two, -want +got:\n%s", diff)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, want readable by its owner only", info.Mode())
	}
}

func TestHistoryMissing(t *testing.T) {
	if got := loaded(t, filepath.Join(t.TempDir(), "none"), 5); got != nil {
		t.Errorf("got %q", got)
	}
	var none *History
	if err := none.Add("x", LuaMode); err != nil {
		t.Error(err)
	}
}

func TestHistoryTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h")
	torn := `{"text":"first"}` + "\n" + `{"text":"half an en`
	if err := os.WriteFile(path, []byte(torn), 0o600); err != nil {
		t.Fatal(err)
	}
	h := OpenHistory(path, "")
	defer h.Close()
	add(t, h, "after")
	if diff := cmp.Diff([]string{"first", "after"}, loaded(t, path, 10)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Two programs share the file: each entry is one write, so none is lost and none is mixed with another.
func TestHistoryTwoWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h")
	var wg sync.WaitGroup
	for w := range 2 {
		h := OpenHistory(path, "")
		defer h.Close()
		wg.Go(func() {
			for i := range 50 {
				if err := h.Add(fmt.Sprintf("%d:%d %s", w, i, strings.Repeat("漢", 3000)), LuaMode); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, text := range loaded(t, path, 1000) {
		name, rest, _ := strings.Cut(text, " ")
		if rest != strings.Repeat("漢", 3000) {
			t.Fatalf("%s: damaged", name)
		}
		seen[name] = true
	}
	if len(seen) != 100 {
		t.Errorf("%d of 100 entries kept", len(seen))
	}
}

// Entries that lie across the blocks of the reader come back whole.
func TestHistoryBlocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h")
	var b bytes.Buffer
	var want []string
	for i := range 200 {
		text := fmt.Sprintf("%d %s", i, strings.Repeat("é漢", i*7%500))
		want = append(want, text)
		fmt.Fprintf(&b, "{\"text\":%q}\n", text)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if b.Len() < 3*historyBlock {
		t.Fatalf("%d bytes do not fill three blocks", b.Len())
	}
	if diff := cmp.Diff(want, loaded(t, path, 1000)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestHistorySearch(t *testing.T) {
	h := OpenHistory("", "")
	for _, text := range []string{"open = billing.invoice.list()", "x", "print(Open)", "x"} {
		add(t, h, text)
	}
	found, err := h.Search("OPEN", 10)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"print(Open)", "open = billing.invoice.list()"}, texts(found)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if found, _ = h.Search("open billing", 10); len(found) != 1 {
		t.Errorf("two words: %q", texts(found))
	}
	if found, _ = h.Search("bilng", 10); len(found) == 0 || !strings.Contains(found[0].Text, "billing") {
		t.Errorf("letters in their order: %v", found)
	}
	if found, _ = h.Search("gnillib\xff", 10); len(found) != 0 {
		t.Errorf("letters in another order: %v", found)
	}
	if found, _ = h.Search("", 10); len(found) != 3 {
		t.Errorf("no words: %q", texts(found))
	}
}
