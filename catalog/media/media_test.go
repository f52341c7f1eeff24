package media

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFolder(t *testing.T) {
	f := In(t.TempDir())
	table := f.Put("image", "image/png", []byte("12345"))
	handle, _ := table["handle"].(string)
	if table["kind"] != "image" || table["bytes"] != int64(5) || !strings.HasSuffix(handle, ".png") {
		t.Fatalf("%v", table)
	}
	info, err := os.Stat(filepath.Join(string(f), strings.TrimPrefix(handle, Prefix)))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if data, err := f.Get(handle); err != nil || string(data) != "12345" {
		t.Errorf("%s %v", data, err)
	}
	found := Attachments([]any{map[string]any{"shot": table}, table, "x"}, 8)
	if len(found) != 1 || found[0] != (Attachment{"image", "image/png", handle}) {
		t.Errorf("%v", found)
	}
	for _, bad := range []string{"", "media:", "media:../../etc/passwd", "/etc/passwd", handle + "/x",
		"media:" + strings.Repeat("0", 32)} {
		if _, err := f.Get(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
	if table := In("").Put("image", "image/png", nil); table["handle"] != nil {
		t.Errorf("%v", table)
	}
}
