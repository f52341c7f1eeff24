//go:build unix

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"almanac/llm/openai/openaitest"
)

// This file holds what the screen promises: copying, completion, help, history, pastes, values, plain terminals.

func TestR03CopyWithTheTerminal(t *testing.T) {
	x := start(t, setup{})
	if got := x.attributes(); got != "0 0" {
		t.Errorf("mouse and alternate screen: %s", got)
	}
	x.line(`for i=1,200 do print(string.format("row%03d", i)) end`)
	x.want(`row200`, `❯\s*$`)
	once(t, x.scrollback(), `^row\d{3}$`, 200)
	if got := x.attributes(); got != "0 0" {
		t.Errorf("mouse and alternate screen: %s", got)
	}
}

// once checks that the lines that match pattern are n, each there once and in order.
func once(t *testing.T, text, pattern string, n int) {
	t.Helper()
	lines := regexp.MustCompile("(?m)"+pattern).FindAllString(text, -1)
	seen := map[string]int{}
	last, disorder := "", 0
	for _, l := range lines {
		l = strings.TrimSpace(l)
		seen[l]++
		if l < last {
			disorder++
		}
		last = l
	}
	if len(lines) != n || len(seen) != n || disorder > 0 {
		var twice []string
		for l, c := range seen {
			if c > 1 {
				twice = append(twice, l)
			}
		}
		t.Logf("what is missing follows these: %q", beforeHoles(lines))
		t.Errorf("%d lines, %d different, %d out of order, want %d; more than once: %q", len(lines), len(seen), disorder,
			n, twice[:min(len(twice), 10)])
	}
}

// beforeHoles are the lines after which the next number is not the next one.
func beforeHoles(lines []string) []string {
	number := func(l string) int {
		n, _ := strconv.Atoi(strings.Trim(l, "abcdefghijklmnopqrstuvwxyz<> "))
		return n
	}
	var holes []string
	for i := 1; i < len(lines); i++ {
		if number(lines[i]) > number(lines[i-1])+1 {
			holes = append(holes, strings.TrimSpace(lines[i-1]))
		}
	}
	return holes
}

func TestR11Completion(t *testing.T) {
	x := start(t, setup{args: []string{"--catalog", "demo", "--catalog", hundredThousand(t)}})
	x.want(`100,141 actions\s`) // no longer loading
	x.text("bil")
	x.keys("Tab")
	x.want(`❯ billing\.`)
	x.text("inv")
	x.keys("Tab")
	x.want(`❯ billing\.invoice\.`)
	x.keys("Tab")
	x.want(`list_unpaid|list_overdue`) // the menu shows the first few
	x.keys("C-c")
	x.run("t = { alpha = 1, beta = { gamma = 2 } }", `\[1\]`)
	x.text("t.beta.ga")
	x.keys("Tab")
	x.want(`❯ t\.beta\.gamma`)
	x.keys("C-c")
	x.gone("t.beta.gamma$")
	x.text("billing.invoice.li")
	x.keys("Tab")
	figure(t, "from Tab to the menu, 100,141 actions", x.want(`list_unpaid .*ro`), 200*time.Millisecond)
	x.keys("Escape")
	x.gone(`list_unpaid .*ro`)
	x.keys("C-c")
	x.text("/trac")
	x.keys("Tab")
	x.want(`❯ /trace`)
	x.keys("C-c")
	x.text("@unpaid")
	x.keys("Tab")
	x.want(`❯ billing\.invoice\.list_unpaid`)
}

// hundredThousand is a file of 100,000 actions that nobody can call.
func hundredThousand(t *testing.T) string {
	t.Helper()
	nouns := []string{"account", "ledger", "parcel", "ticket", "invoice", "member", "sensor", "route", "recipe", "lease"}
	verbs := []string{"list", "get", "create", "update", "delete", "search", "export", "archive", "approve", "count"}
	var b strings.Builder
	for i := range 100_000 {
		noun, verb := nouns[i%10], verbs[i/10%10]
		fmt.Fprintf(&b, `{"id":"area%03d.%s%02d.%s","description":"%s the %ss of area %d","input":{"%s_id":{"type":"string","required":true}},"operation":"read"}`+"\n",
			i/1000, noun, i/100%10, verb+fmt.Sprint(i%1000), verb, noun, i/1000, noun)
	}
	file := filepath.Join(t.TempDir(), "many.jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestR12HelpOnAnything(t *testing.T) {
	x := start(t, setup{width: 80, height: 60})
	x.line("billing.invoice.list_unpaid?")
	x.want(`customer_id: string, required`)
	x.line("/clear")
	x.gone(`customer_id: string`)
	x.line("billing.invoice.list_unpaid??")
	x.want(`Example`)
	x.line("/clear")
	x.gone(`Example`)
	x.line("/describe crm.customer.get")
	x.want(`crm\.customer\.get\(`)
	x.line("/clear")
	x.gone(`crm\.customer\.get`)
	x.line("/catalog unpaid invoices")
	x.want(`billing\.invoice\.list_unpaid`)
	found := regexp.MustCompile(`[a-z_]+\.[a-z_]+\.[a-z_]+`).FindAllString(x.screen(), -1)
	if len(found) == 0 || found[0] != "billing.invoice.list_unpaid" {
		t.Errorf("first hits: %q", found[:min(len(found), 3)])
	}
	for _, row := range strings.Split(x.screen(), "\n") { // joined rows show what the terminal had to break
		if len([]rune(row)) > 80 {
			t.Errorf("a line was broken by the terminal: %q", row)
		}
	}
	x.want(`Enter insert`)
	x.keys("Enter")
	x.want(`❯ billing\.invoice\.list_unpaid\{customer_id = \}`)
}

func TestR14FirstFrame(t *testing.T) {
	// Not beside other tests: it measures.
	x := open(t, setup{})
	figure(t, "first frame on the demo", x.shown.Sub(x.began), 100*time.Millisecond)

	// A server that never answers holds up nothing.
	slow := open(t, setup{args: []string{"--catalog", "demo", "--catalog", "mcp:sleep 30"}})
	figure(t, "first frame beside a dead source", slow.shown.Sub(slow.began), 300*time.Millisecond)
	slow.run("1+1", `^2$`)
	slow.want(`· catalog 1/2…`)

	dead := open(t, setup{args: []string{"--catalog", "demo", "--catalog", "mcp:false"}})
	dead.want(`warning.*false`)
	if n := strings.Count(dead.screen(), "warning"); n != 1 {
		t.Errorf("%d warnings:\n%s", n, dead.screen())
	}

	many := open(t, setup{args: []string{"--catalog", "demo", "--catalog", hundredThousand(t)}})
	figure(t, "first frame beside 100,000 actions, first start", many.shown.Sub(many.began), 100*time.Millisecond)
	many.want(`100,141 actions`)
}

// A catalog that takes its time to be read: what to try comes when it is there.
func TestFirstTryFollowsTheCatalog(t *testing.T) {
	read := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-read
		io.WriteString(w,
			`{"openapi":"3.0.0","info":{"title":"Shop","version":"1"},"servers":[{"url":"https://shop.example"}],
			"paths":{"/items":{"get":{"operationId":"listItems","responses":{"200":{"description":"ok"}}}}}}`)
	}))
	defer server.Close()
	x := open(t, setup{args: []string{"--catalog", "shop=openapi:" + server.URL}})
	x.want(`reading the catalog`)
	close(read)
	x.want(`: 1 action \(`, `try: shop\.`)
}

func TestR17CallsFoldedFailuresOpen(t *testing.T) {
	x := start(t, setup{})
	x.line(`crm.customer.list{limit=12}`)
	x.want(`✓ crm\.customer\.list .*12 rows .* ms`, `\[1\.1\]`)
	x.line("/clear")
	x.gone(`12 rows`)
	x.line("/expand 1")
	x.want(`cus_0012`)
	x.line(`crm.customer.get{id="nobody"}`)
	x.want(`✗ crm\.customer\.get`, `nobody`)
	x.line("/trace")
	x.want(`crm\.customer\.list`, `ms`)
}

func TestR18ValuesReadable(t *testing.T) {
	x := start(t, setup{width: 80, height: 40})
	x.run(`{a={1,2},b="x"}`, `^\{ a = \{ 1, 2 \}, b = "x" \}$`)
	x.line(`"\27[31mred"`)
	x.want(`^"\\27\[31mred"`)
	x.run(`(function() local t = {} for i=1,500 do t[i] = {id=i, name="n"..i} end return t end)()`, `^ *id +name`,
		`480 more`)
	for _, row := range strings.Split(x.colors(), "\n") {
		if strings.Contains(row, "\x1b[31mred") {
			t.Errorf("an escape of a value reached the terminal: %q", row)
		}
	}
	x.line("v = {a={1,2},b='x'}")
	x.line("/view v")
	x.want(`b +=? *"?x`)
	x.keys("Escape")
}

func TestR19StatusLine(t *testing.T) {
	x := start(t, setup{model: []openaitest.Reply{{Text: "hello"}}, args: []string{"--policy", "readonly"}})
	x.want("ask ❯", `writes: denied · scripted · ctx \d+k?/\d+k · calls 0/\d+ · writes 0/0 `)
	for _, width := range []int{80, 60, 40} {
		x.resize(width, 24)
		x.wait(fmt.Sprintf("status line of one row at %d columns", width), func() bool {
			rows := x.rows()
			last := rows[len(rows)-1]
			return strings.HasPrefix(last, "writes: denied") && len([]rune(last)) < width &&
				!strings.Contains(rows[len(rows)-2], "writes: denied ·")
		})
	}
	x.keys("C-c")
	x.want(`^writes: denied · press Ctrl\+C again`)
}

func TestR21ExternalEditor(t *testing.T) {
	x := start(t, setup{env: []string{`EDITOR=sh -c "printf 1+2 > \$1" --`}})
	x.text("draft")
	x.keys("C-g")
	x.want(`❯ 1\+2`)
	x.keys("Enter")
	x.want(`^3$`)

	kept := open(t, setup{env: []string{`EDITOR=sh -c "printf changed > \$1; exit 1" --`}})
	kept.text("draft")
	kept.keys("C-g")
	kept.want(`editor`, `❯ draft`)

	name := open(t, setup{env: []string{`VISUAL=sh -c "echo \"-- \$1\" > \$1" --`}})
	name.keys("C-g")
	name.want(`❯ -- .*\.lua`)
	name.keys("C-c")
	x.line("/edit last")
	x.want(`❯ 1\+2 *$`)
	x.keys("C-c")

	whole := open(t, setup{env: []string{`EDITOR=sh -c "sed -i s/one/two/ \$1" --`}})
	whole.run(`a = "one"`, `\[1\]`)
	whole.line("/edit 1")
	whole.want(`❯ a = "two" *$`)
}

func TestR22PlainTerminals(t *testing.T) {
	x := start(t, setup{env: []string{"NO_COLOR=1"}})
	x.run(`crm.customer.list{limit=2}`, `cus_0002`)
	x.run(`error("x")`, `error`)
	if m := regexp.MustCompile(`\x1b\[[0-9;]*(3[0-7]|9[0-7]|38|48)[0-9;]*m`).FindString(x.colors()); m != "" {
		t.Errorf("a colour with NO_COLOR: %q", m)
	}

	dumb := open(t, setup{term: "dumb", raw: true})
	dumb.run(`1+1`, `^2$`)
	dumb.run(`crm.customer.list{limit=2}`, `cus_0002`)
	dumb.line("/quit")
	dumb.ended()
	if strings.Contains(string(dumb.bytes()), "\x1b") {
		t.Errorf("escapes on a dumb terminal: %q", dumb.bytes())
	}

	ascii := open(t, setup{args: []string{"--ascii"}})
	ascii.run(`crm.customer.list{limit=2}`, `cus_0002`)
	ascii.run(`crm.customer.get{id="nobody"}`, `nobody`)
	ascii.keys("F1")
	ascii.want("Help")
	if m := regexp.MustCompile(`[^\x00-\x7f]+`).FindString(ascii.screen()); m != "" {
		t.Errorf("not ASCII: %q", m)
	}
	ascii.keys("Escape")
	ascii.gone("Esc back")
	if m := regexp.MustCompile(`[^\x00-\x7f]+`).FindString(ascii.screen()); m != "" {
		t.Errorf("not ASCII: %q\n%s", m, ascii.screen())
	}
}

func TestR22PlainApproval(t *testing.T) {
	x := start(t, setup{args: []string{"--plain"}, raw: true})
	before := x.refunds()
	x.line(`i = billing.invoice.list{status="open", limit=1}[1].id`)
	x.want(`lua ❯\s*$`)
	x.line(`billing.refund.issue{invoice_id=i, amount_cents=1, reason="test"}`)
	x.want(`billing\.refund\.issue`, `y/a/e/n`)
	time.Sleep(silence) // what comes at once was typed before the question
	x.line("n not today")
	x.want("denied")
	x.line(`billing.refund.issue{invoice_id=i, amount_cents=1, reason="test"}`)
	x.want(`y/a/e/n[^\n]*:\s*$`)
	time.Sleep(silence)
	x.line("y")
	x.want(`rfd_`)
	if after := x.refunds(); after == before {
		t.Errorf("refunds before and after %q", before)
	}
	if strings.Contains(string(x.bytes()), "\x1b") {
		t.Errorf("escapes in plain mode: %q", x.bytes())
	}
}

func TestR23FrugalOnSlowLinks(t *testing.T) {
	x := start(t, setup{
		raw: true,
		model: []openaitest.Reply{{Text: strings.Repeat("some words of prose that go on ", 166) + "\nlast", Chunk: 15,
			Delay: 500 * time.Microsecond}},
	})
	before := x.quiet(500 * time.Millisecond)
	x.line("go")
	x.want(`last`, `ask ❯\s*$`)
	after := x.quiet(500 * time.Millisecond)
	if wrote := after - before; wrote > 20<<10 {
		t.Errorf("1,000 tokens in %d bytes", wrote)
	}
	time.Sleep(3 * time.Second)
	if more := len(x.bytes()) - after; more != 0 {
		t.Errorf("%d bytes written while idle", more)
	}
}

func TestR24CopyThatReports(t *testing.T) {
	const answer = "the answer to copy, größer 中文"
	x := start(t, setup{model: []openaitest.Reply{{Text: answer}}})
	x.line("say it")
	x.want("the answer to copy")
	// Without tmux's variable and a clipboard program there is the terminal alone, and it says nothing.
	x.line("/copy")
	x.want(`B sent to the terminal \(OSC 52\); not confirmed`)
	x.line(`!print(("0123456789"):rep(8000))`)
	x.want(`^0123456789`)
	x.line("/copy 2")
	x.want(`^could not copy: text printed below`)
	x.wait("reason", func() bool {
		return strings.Contains(strings.Join(strings.Fields(x.scrollback()), " "),
			"80000 B are too long for OSC 52): text printed below")
	})

	// The tests' own tmux stands for the one that the program runs in.
	y := open(t, setup{
		home: x.home, model: []openaitest.Reply{{Text: answer}}, env: []string{"TMUX=" + x.socket() + ",1,0"},
	})
	y.line("say it")
	y.want("the answer to copy")
	y.line("/copy")
	y.want(fmt.Sprintf(`^copied %d B via tmux buffer\s*$`, len(answer)))
	if got := x.tmux("show-buffer"); got != answer {
		t.Errorf("the buffer holds %q", got)
	}
	y.line("!1 + 1")
	y.want(`^2$`)
	y.line("/copy code")
	y.want(`^copied 5 B via tmux buffer\s*$`)
	if got := x.tmux("show-buffer"); got != "1 + 1" {
		t.Errorf("the buffer holds %q", got)
	}
	y.line("/copy 2")
	y.want(`^copied 1 B via tmux buffer\s*$`)
	if got := x.tmux("show-buffer"); got != "2" {
		t.Errorf("the buffer holds %q", got)
	}
}

// The default theme has no colours in a tmux that does not tell its background, and colours that can be read on it in
// one that does; a theme of true colours has those that the terminal has, and NO_COLOR none.
func TestThemes(t *testing.T) {
	x := start(t, setup{})
	x.line("/theme")
	x.want(`^\* auto`, `^  mono`, `^  ansi`, `^  dark`, `^  light`)
	if got := strings.Split(x.colors(), "dark")[0]; anyColor.MatchString(got) {
		t.Errorf("a colour on an unknown background: %q", got)
	}
	x.line("/theme drak")
	x.want("did you mean dark")
	x.line("/theme light")
	x.want(`^\* light`, `below \[ui\]`)
	x.text("return 1")
	x.want("❯ return 1")
	if got := x.colors(); !strings.Contains(got, "\x1b[38;5;") {
		t.Errorf("no colour of 256: %q", got)
	}

	none := open(t, setup{env: []string{"NO_COLOR=1", "COLORTERM=truecolor", "ALMANAC_UI_THEME=dark"}})
	none.line("/theme light")
	none.want(`colours are off`)
	none.text("return 1")
	none.want("❯ return 1")
	if got := none.colors(); anyColor.MatchString(got) {
		t.Errorf("a colour with NO_COLOR: %q", got)
	}

	told := open(t, setup{})
	told.tmux("set-option", "-p", "window-style", "bg=#fdf6e3")
	told.line("/theme auto")
	told.want(`^\* auto`)
	told.text("return 1")
	told.want("❯ return 1")
	told.wait("colour on a known background", func() bool { return anyColor.MatchString(told.colors()) })
}

var anyColor = regexp.MustCompile(`\x1b\[[0-9;]*(3[0-8]|9[0-7])`)

func TestR25Help(t *testing.T) {
	x := start(t, setup{})
	rows := x.rows()
	if len(rows) < 3 || !strings.Contains(rows[0], "almanac") || !strings.Contains(rows[1], "mode") ||
		!strings.Contains(rows[2], "? help") {
		t.Errorf("first screen:\n%s", x.screen())
	}
	x.keys("?")
	x.want(`Ctrl\+R`, `Esc back`)
	if n := len(x.rows()); n > 24 {
		t.Errorf("%d rows", n)
	}
	x.text("history")
	x.want(`Ctrl\+R +search history`)
	x.gone(`Ctrl\+L`)
	x.keys("Escape")
	x.gone("Esc back")
	x.keys("F1")
	x.want(`Ctrl\+R`)
	x.keys("Escape")
	x.gone("Esc back")
	x.line("/rset")
	x.want(`did you mean /lua reset`)
	x.line("/help trace")
	x.want(`/trace \[N`)
	if got := x.attributes(); got != "0 0" {
		t.Errorf("mouse and alternate screen: %s", got)
	}
}
