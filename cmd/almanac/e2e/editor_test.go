//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// configured is a home with a configuration file.
func configured(t *testing.T, text string) string {
	t.Helper()
	home := newHome(t)
	dir := filepath.Join(home, ".config", "almanac")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

func TestViKeys(t *testing.T) {
	x := start(t, setup{home: configured(t, "[ui]\nediting_mode = \"vi\"\n"), first: `insert · writes: ask`})
	x.text(`x = string.rep("ab", 3)`)
	x.keys("Escape")
	x.want(`normal · writes: ask`)
	x.keys("0", "f", `"`, "c", "i", `"`)
	x.want(`x = string\.rep\("", 3\)`)
	x.text("xy")
	x.keys("Escape")
	x.want(`normal ·`) // with a key at once behind it Esc is Alt
	x.keys("Enter")
	x.run("x", `xyxyxy`)
	x.text("while true do end")
	x.keys("Enter")
	x.want(`Esc stops`)
	x.keys("Escape")
	x.want(`interrupted`)
	x.keys("Escape")
	x.want(`normal ·`)
	x.keys("k", "k")
	x.want(`❯ x$`)
	x.keys("/")
	x.want(`search ❯`)
	x.text("rep")
	x.keys("Enter")
	x.want(`❯ x = string\.rep\("xy", 3\)`)
}

func TestEditorKeys(t *testing.T) {
	x := start(t, setup{
		home: configured(t, "[keys]\nverbose = [\"ctrl+o\", \"f8\"]\nhistory_search = \"alt+r\"\n"),
		env:  []string{`EDITOR=sh -c "printf 1+2 > $1" --`},
	})
	x.keys("C-x", "C-e")
	x.want(`❯ 1\+2`)
	x.keys("Enter")
	x.want(`^3`)
	x.keys("Escape", "Escape")
	x.want(`❯ 1\+2$`)
	x.keys("C-c", "F8")
	x.want(`verbose: calls`)
	x.run(`crm.customer.get{customer_id="cus_0001"}`, `^    … 2 more lines`)
	x.keys("C-o")
	x.want(`verbose off: calls and scripts are folded`)
	x.keys("C-r", "M-r")
	x.want(`search ❯`)
	x.keys("C-s")
	x.want(`Ctrl\+S all sessions`)
}
