//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/llm/openai/openaitest"
)

// A run becomes an action: its values are numbered, the line that saves it can be edited, mistakes in it save nothing,
// and the model describes it.
func TestSave(t *testing.T) {
	home := newHome(t)
	x := start(t, setup{width: 100, height: 40, home: home, model: []openaitest.Reply{
		{Text: "\"Sums up what a customer owes.\"\n", Expect: "Action mine.owes"},
		{Text: "Also described.", Expect: "parameters: customer_id."},
	}})
	x.line(`!local due = billing.invoice.list_unpaid{customer_id = "cus_0001", limit = 2} return sum(due, "balance_cents")`)
	x.want(`96900`)
	x.line("/save owes")
	x.want(`mine\.owes from \[1\]`, `customer_id = ⟨1⟩"cus_0001", limit = ⟨2⟩2`, `(?m)^\*  1 customer_id  "cus_0001"`,
		`(?m)^   2 limit        2`, `❯ /save owes with customer_id -- Sums up what a customer owes\.`)
	if strings.Contains(x.screen(), "saved:") {
		t.Error("it was saved without a yes")
	}
	// Wrong words in the line save nothing and say why.
	wrong := func(line, want string) {
		t.Helper()
		x.keys("C-e", "C-u")
		x.line(line)
		x.want(want)
	}
	wrong("/save owes with 9 -- x", `9: the script has the values 1 to 3`)
	wrong("/save owes with whom -- x", `whom: no such value: want one of 1 customer_id, 2 limit, 3 text`)
	wrong("/save owes with 1=2 -- x", `2: a parameter has a name of letters, digits and _`)
	wrong("/save owes with 1 1=b -- x", `value 1 is a parameter already`)
	wrong("/save owes yes -- x", `yes: want cells such as 3\.\.7, or with and the values`)
	wrong("/save owes with 1 --", `nothing behind --: describe the action`)
	files := filepath.Join(home, ".local", "share", "almanac", "actions")
	if _, err := os.Stat(files); err == nil {
		t.Error("a mistake wrote a file")
	}
	// The proposal again, edited where it stands.
	x.line("/clear")
	x.line("/save owes")
	x.want(`❯ /save owes with customer_id -- Also described\.`)
	for range " -- Also described." {
		x.keys("BSpace")
	}
	x.text("=who limit? -- What a customer owes.")
	x.keys("Enter")
	x.want(`mine\.owes saved: What a customer owes\.`, `its test: 1 recorded call`)
	x.line(`!mine.owes{who = "cus_0001", limit = 1}`)
	x.want(`24900`)
	x.line("/save owes")
	x.want(`mine\.owes is there already`, `to replace it: /save owes! and the rest as before`)
	text, err := os.ReadFile(filepath.Join(files, "mine.owes.yaml"))
	if err != nil || !strings.Contains(string(text), "limit = args.limit") {
		t.Errorf("%v\n%s", err, text)
	}
}
