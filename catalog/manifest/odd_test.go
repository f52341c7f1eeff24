package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesThatAreNoLists has what people name as a catalog by mistake. Each costs one clear error.
func TestFilesThatAreNoLists(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct{ text, want string }{
		"little.jsonl": {"\xff\xfe{\x00\"\x00", "the file is in UTF-16: convert it to UTF-8"},
		"big.jsonl":    {"\xfe\xff\x00{\x00\"", "the file is in UTF-16: convert it to UTF-8"},
		"packed.jsonl": {"\x1f\x8b\x08\x00", "the file is packed with gzip: give it a name that ends in .gz"},
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ReadFile(t.Context(), file); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := ReadFile(t.Context(), dir); err == nil || !strings.HasSuffix(err.Error(), "a folder, not a file") {
		t.Errorf("a folder: %v", err)
	}
	if info, err := os.Stat(os.DevNull); err == nil && !info.Mode().IsRegular() {
		for _, open := range []func(string) error{
			func(file string) error { _, _, err := ReadFile(t.Context(), file); return err },
			func(file string) error { _, err := key(file); return err },
		} {
			if err := open(os.DevNull); err == nil || !strings.HasSuffix(err.Error(), "not a regular file") {
				t.Errorf("a device: %v", err)
			}
		}
	}
}

func TestIdsThatCannotBeUsed(t *testing.T) {
	text := `{"id":"` + strings.Repeat("x", 100_000) + `"}` + "\n" + `{"id":"..."}` + "\n" + `{"id":"a..b"}` + "\n" +
		`{"id":".a"}` + "\n" + `{"id":"a."}` + "\n" + `{"id":"a.b"}`
	entries, report := Read(strings.NewReader(text), "list")
	if len(entries) != 1 || len(report.Skipped) != 5 {
		t.Fatalf("%d entries, %v", len(entries), report.Skipped)
	}
	if first := report.Skipped[0]; len(first.ID) > maxToldID || len(first.Reason) > 200 {
		t.Errorf("the remark repeats %d bytes of the id", len(first.ID))
	}
	for _, skip := range report.Skipped[1:] {
		if skip.Reason != "the id has an empty segment" {
			t.Errorf("%s: %s", skip.ID, skip.Reason)
		}
	}
}
