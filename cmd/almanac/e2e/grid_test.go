//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The grid of the documentation is the one on the screen, and a walk through it: a list of records sorted, filtered,
// record by record, copied, as a tree, in the pager, and as a file.
func TestGrid(t *testing.T) {
	x := start(t, setup{width: 80, height: 14, args: []string{"--catalog", "demo"}})
	x.want(`141 actions`)
	x.line(`open = billing.invoice.list_unpaid{customer_id="cus_0001"}`)
	x.want(`you set open`)
	x.line("/view open")
	x.want(`┌ Value ─ open ─+ 8 rows ─┐`)
	x.keys("Right", "Right", "Right", "s")
	x.want(`by amount_cents ─`)
	x.keys("s", "Down")
	x.want(`by amount_cents, descending`, `^│ ❯ inv_04608`)
	page, err := os.ReadFile("../../../docs/terminal.md")
	if err != nil {
		t.Fatal(err)
	}
	if got := x.screen(); !strings.Contains(string(page), "```\n"+strings.TrimSpace(got)+"\n```") {
		t.Errorf("docs/terminal.md does not have this screen:\n%s", got)
	}
	x.text("f")
	x.want(`filter: `)
	x.text("over:true 0")
	x.want(`4 of 8 rows`)
	x.keys("Enter")
	x.gone(`column:value`)
	x.keys("Enter") // in a write of its own: two at once are a paste
	x.want(`┌ Value ─ open\[2\] ─+ 1 of 4 ─┐`, `^│   id +inv_04608`)
	x.text("n")
	x.want(`2 of 4`)
	x.text("c")
	x.want(`❯ c  this cell: amount_cents`)
	x.text("r")
	x.want(`copy the row as`)
	x.text("z")
	x.want(`press one of the letters`)
	x.text("j")
	x.want(`copied \d+ B|sent to the terminal`)
	x.text("q!") // keys without a meaning change nothing
	x.text("t")
	x.want(`table\[8\]`)
	x.text("t")
	x.want(`2 of 4`)
	x.keys("Escape")
	x.want(`4 of 8 rows`)
	x.keys("Escape")
	x.want(`─ 8 rows ─`)
	x.keys("Escape")
	x.gone("┌ Value")
	x.line("/less open")
	x.want(`┌ Pager ─ open ─`)
	x.text("G")
	x.want(`^│ }`)
	x.text("q")
	x.gone("┌ Pager")
	file := filepath.Join(x.dir, "open.csv")
	x.line("/export open " + file)
	x.want(`open.csv: 8 rows written`)
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "id,status,") ||
		strings.Count(string(text), "\n") != 9 {
		t.Errorf("the file: %q, %v", text, err)
	}
}
