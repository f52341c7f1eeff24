package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/internal/golden"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session/policy"
)

// completed lists what the text may become at the bar, as "text | detail | tag" of the first few.
func completed(t *testing.T, sh *Shell, text string) string {
	t.Helper()
	cursor := strings.IndexByte(text, '|')
	text = text[:cursor] + text[cursor+1:]
	c := sh.Complete(t.Context(), text, cursor)
	if c.Start < 0 || c.Start > c.End || c.End > len(text) {
		t.Fatalf("%q: replaces %d to %d", text, c.Start, c.End)
	}
	var b strings.Builder
	for i, item := range c.Items {
		if i == 6 {
			fmt.Fprintf(&b, "… %d\n", len(c.Items)-i)
			break
		}
		fmt.Fprintf(&b, "%s%s%s\n", text[:c.Start], item.Text, text[c.End:])
		if item.Detail+item.Tag != "" {
			fmt.Fprintf(&b, "    %s\n", strings.TrimSpace(item.Detail+" "+item.Tag))
		}
	}
	return b.String()
}

// The table is in testdata/complete.golden: what is typed, with | for the cursor, and what it may become.
func TestComplete(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	typed(t.Context(), sh, `acme = {id = "c", ["not a name"] = 1, ["end"] = 5, address = {street = "x"}}`, nil)
	typed(t.Context(), sh, `trap = setmetatable({}, {__index = function() error("evaluated") end})`, nil)
	var b strings.Builder
	for _, text := range []string{
		"|", "/|", "/pre|", "/lua |", "/lua s|", "/policy |", "/policy se|", "/describe |", "/describe crm.|",
		"/describe crm.customer.get bi|", "/catalog view o|", "/catalog view only |", "/why billing.re|", "/vars a|",
		"/trace |", "/help lu|", "/preview bil|", "/nope x|", "bil|", "billing.|", "billing.inv|", "billing.invoice.|",
		"x = billing.refund.is|", "foo(1, crm.customer.|)", "ac|", "acme.|", "acme.ad|", "acme.e|", "ünpaid|", "@ünpaid|",
		"acme.address.|", "trap.|", "trap.x.|", "nothing.|", "billing.invoice.list_unpaid{|",
		"billing.invoice.list_unpaid{cust|", `billing.invoice.list_unpaid{customer_id = "x", |`,
		"billing.invoice.list_unpaid{status = |", `billing.invoice.list_unpaid({ limit = 1, st|`, `print("bil|`, "-- bil|",
		"@|", "@billing.|", "look at @crm.cus|", "!bil|", "?bil|", "wh|", "string.|", "str|", "for i = 1, 2 do ac|",
	} {
		fmt.Fprintf(&b, "> %s\n%s\n", text, indent(strings.TrimRight(completed(t, sh, text), "\n"), "  "))
	}
	sh.SetMode(input.AskMode)
	for _, text := range []string{"bil|", "show @bil|", "!bil|", "/mod|"} {
		fmt.Fprintf(&b, "ask> %s\n%s\n", text, indent(strings.TrimRight(completed(t, sh, text), "\n"), "  "))
	}
	golden.Equal(t, "testdata/complete.golden", b.String())
}

func TestCompleteFiles(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	dir := t.TempDir()
	for _, name := range []string{"a.lua", "b.txt", ".hidden.lua", "sub/c.lua"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text := "/lua load " + dir + "/"
	var got []string
	for _, item := range sh.Complete(t.Context(), text, len(text)).Items {
		got = append(got, strings.TrimPrefix(item.Text, dir+"/"))
	}
	if diff := cmp.Diff([]string{"a.lua", "sub/"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCommon(t *testing.T) {
	for _, c := range []struct {
		items []string
		want  string
	}{
		{nil, ""},
		{[]string{"billing."}, "billing."},
		{[]string{"lua reset", "lua save", "lua"}, "lua"},
		{[]string{"漢字", "漢子"}, "漢"},
		{[]string{"a", "b"}, ""},
	} {
		var all Completions
		for _, text := range c.items {
			all.Items = append(all.Items, Completion{Text: text})
		}
		if got := all.Common(); got != c.want {
			t.Errorf("Common(%q) = %q, want %q", c.items, got, c.want)
		}
	}
}

func FuzzComplete(f *testing.F) {
	f.Add("billing.invoice.list_unpaid{", 27)
	f.Add("/lua ", 5)
	f.Add("@x", -1)
	f.Add("é\xff.{=", 3)
	sh := bareShell(f)
	f.Fuzz(func(t *testing.T, text string, cursor int) {
		c := sh.Complete(t.Context(), text, cursor)
		if c.Start < 0 || c.Start > c.End || c.End > len(text) {
			t.Errorf("Complete(%q, %d) replaces %d to %d of %d", text, cursor, c.Start, c.End, len(text))
		}
	})
}

// Where the letters begin no name, words of ids do; behind an index stand the keys of the value; a call that was made
// is offered again.
func TestCompleteNear(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	var none []string
	typed(t.Context(), sh, `open = billing.invoice.list_unpaid{customer_id="c_81"}`, &none)
	tests := []struct{ text, want string }{
		{"unpaid", "billing.invoice.list_unpaid"},
		{"x = billing.unp", "x = billing.invoice.list_unpaid"},
		{"x = open[1].amo", "x = open[1].amount_cents"},
		{"f(open[2].", "f(open[2].id f(open[2].amount_cents f(open[2].due_date"},
		{"open[nothing].", ""},
		{"billing.invoice.list_unpaid{customer_id = ", `billing.invoice.list_unpaid{customer_id = "c_81"`},
		{"billing.invoice.list_unpaid{customer_id = zq", ""},
		{"@unpaid_invoices", "billing.invoice.list_unpaid billing.refund.issue"},
		{"@bllistun", "billing.invoice.list_unpaid"},
		{"@zzz", ""},
		{"@list_unp", "billing.invoice.list_unpaid"},
		{"billing.invoice.li", `billing.invoice.list_unpaid billing.invoice.list_unpaid{ customer_id = "c_81", limit = 25 }`},
	}
	for _, test := range tests {
		c := sh.Complete(t.Context(), test.text, len(test.text))
		var got []string
		for _, item := range c.Items {
			got = append(got, test.text[:c.Start]+item.Text+test.text[c.End:])
		}
		if all := strings.Join(got, " "); all != test.want {
			t.Errorf("%s: %s, want %s", test.text, all, test.want)
		}
	}
}

// An empty line begins with the last calls, as they were made; what failed is not among them.
func TestCompleteLastCalls(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	var none []string
	for _, line := range []string{
		`crm.customer.get{id = "c_1"}`, `crm.customer.get{id = "c_2"}`, `crm.customer.get{id = "c_1"}`,
		`billing.invoice.list_unpaid{customer_id = "none"}`,
	} {
		typed(t.Context(), sh, line, &none)
	}
	items := sh.Complete(t.Context(), "", 0).Items
	var got []string
	for _, item := range items[:3] {
		got = append(got, item.Text)
	}
	if diff := cmp.Diff([]string{`crm.customer.get{ id = "c_1" }`, `crm.customer.get{ id = "c_2" }`, "billing."},
		got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Inside a call the signature says what it takes, and which argument is being typed.
func TestSignature(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	typed(t.Context(), sh, "-- the sum\nfunction own(first, second) return first + second end", nil)
	tests := []struct{ text, want string }{
		{"billing.invoice.list_unpaid{|", `{ customer_id* str, limit int = 25, status str }  * required`},
		{`billing.invoice.list_unpaid{customer_id = "x", limit = |`,
			`{ customer_id* str, <limit> int = 25, status str }  * required`},
		{"print(|", "print(<...>)  prints to stdout; eprint to stderr, log to the log"},
		{`string.rep("a, b", |`, "string.rep(s, <n>, sep)  s n times, with sep between"},
		{`x = map({1, 2}, |`, "map(t, <f>)  new table of f(item, key) for each item; f may be a field name"},
		{`math.max(1, 2, 3|`, "math.max(x, <...>)  the largest"},
		{`string.format("%d", math.floor(1), {2, 3|`, "string.format(form, <...>)  text as form says: %s %d %5.2f %q"},
		{"own(1, |", "own(first, <second>)  you [1], line 2"},
		{"unknown(|", ""},
		{"x = |", ""},
	}
	for _, test := range tests {
		text, _, _ := strings.Cut(test.text, "|")
		line, _ := sh.Signature(text, len(text))
		got := ""
		for _, s := range line {
			if s.Role == show.Key {
				s.Text = "<" + s.Text + ">"
			}
			got += s.Text
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}
