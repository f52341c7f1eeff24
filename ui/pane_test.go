package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// lived is a shell with a session of its own in which something has happened.
func lived(t *testing.T) *repl.Shell {
	t.Helper()
	entries := testEntries()
	for i := range 12 {
		entries = append(entries, catalog.Entry{
			ID: fmt.Sprintf("crm.note.list_%02d", i), Description: "List notes.", Operation: catalog.Read,
			Action: func(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{}, nil },
		})
	}
	c, report := catalog.New(entries, catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	feed := event.NewFeed()
	options := feed.Session(session.Options{ID: "test", Policy: policy.Policy{Mode: policy.Ask}}, true)
	record := options.Record
	options.Record = func(r trace.Record) error {
		if r.Call != nil { // how long a call takes differs from run to run
			call := *r.Call
			call.Took, r.Call = 84*time.Millisecond, &call
		}
		return record(r)
	}
	s, err := session.New(c.View(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	mode := input.LuaMode
	sh := repl.New(repl.Options{Session: s, Feed: feed, History: input.OpenHistory("", "test"), Mode: &mode})
	for _, line := range []string{
		`open = crm.customer.search{query = "acme"}`,
		"crm.note.list_03()",
		"pcall(crm.customer.search, {limit = 'many'})",
		`t = { name = "Acme", list = { 10, 20, { deep = true } }, text = ("long "):rep(40), ["a key"] = 0.5 }` + "\nreturn t",
	} {
		sh.Handle(t.Context(), line)
	}
	feed.Take()
	return sh
}

var paneScenes = []struct {
	name string
	play func(s *screen)
}{
	{"catalog", func(s *screen) { s.open(event.CatalogPane); s.paneKeys("cust") }},
	{"catalog_tree", func(s *screen) {
		s.open(event.CatalogPane)
		s.paneKeys("tab", "tab", "down", "right", "down", "down", "enter", "shift+tab", "e", "w")
	}},
	{"catalog_open", func(s *screen) { s.open(event.CatalogPane) }},
	{"catalog_namespace", func(s *screen) { s.open(event.CatalogPane); s.paneKeys("tab", "tab", "down", "enter") }},
	{"variables", func(s *screen) { s.open(event.VariablesPane); s.paneKeys("down") }},
	{"trace", func(s *screen) { s.open(event.TracePane) }},
	{"value", func(s *screen) {
		s.open(event.ValuePane)
		s.paneKeys("down", "down", "l", "down", "down", "down", "l", "j")
	}},
	{"value_search", func(s *screen) { s.open(event.ValuePane); s.paneKeys("s", "/", "acm") }},
	{"preview", func(s *screen) {
		s.model.handle = func(ctx context.Context, _ input.Mode, line string) repl.Status { return s.shell.Handle(ctx, line) }
		s.edit.set(`billing.refund.issue{ invoice_id = "inv_1", amount_cents = 5 }`)
		s.show(&previewPane{m: s.model})
		s.shell.Handle(s.t.Context(), "/preview "+s.edit.text)
		s.pass(time.Second)
	}},
}

func TestPanes(t *testing.T) {
	for _, size := range sizes {
		for _, scene := range paneScenes {
			name := fmt.Sprintf("pane_%s_%dx%d", scene.name, size.width, size.height)
			t.Run(name, func(t *testing.T) {
				s := screenOf(t, lived(t), size.width, size.height)
				scene.play(s)
				s.printed = nil // the preview's lines hold times
				s.golden(name)
			})
		}
	}
}

// A pane fills its window and no more, whatever its size, and so does one in ASCII.
func TestPanesFit(t *testing.T) {
	sh := lived(t)
	for _, width := range []int{10, 20, 59, 67, 200} {
		for _, height := range []int{3, 5, 10, 24} {
			for _, scene := range paneScenes {
				s := screenOf(t, sh, width, height)
				s.ascii, s.theme = true, newTheme(true, true)
				scene.play(s)
				rows := strings.Split(s.View().Content, "\n")
				if len(rows) != height {
					t.Errorf("%s at %dx%d: %d rows", scene.name, width, height, len(rows))
				}
				for _, row := range rows {
					if w := ansi.StringWidth(row); w > width {
						t.Errorf("%s at %dx%d: row of %d columns: %q", scene.name, width, height, w, row)
					}
					if plain := ansi.Strip(row); strings.IndexFunc(plain, func(r rune) bool { return r > 126 }) >= 0 {
						t.Errorf("%s: not ASCII: %q", scene.name, plain)
					}
				}
			}
		}
	}
}

// Enter in the catalog puts a call into the input, the cursor where the first argument goes; in the value tree a path.
func TestPanesInsert(t *testing.T) {
	s := screenOf(t, lived(t), 80, 24)
	s.keys("x = ")
	s.open(event.CatalogPane)
	s.paneKeys("refund iss", "enter")
	if s.overlay() != nil || s.edit.text != "x = billing.refund.issue{invoice_id = , amount_cents = }" {
		t.Fatalf("the input is %q", s.edit.text)
	}
	if got := s.edit.text[:s.edit.pos]; !strings.HasSuffix(got, "{invoice_id = ") {
		t.Errorf("the cursor is behind %q", got)
	}
	s.edit.set("")
	s.open(event.VariablesPane)
	s.paneKeys("down", "enter", "down", "down", "l", "down", "down", "down", "l", "down", "enter")
	if s.edit.text != "t.list[3].deep" {
		t.Errorf("the input is %q", s.edit.text)
	}
	s.keys("ctrl+u")
	s.keys("f3")
	s.paneKeys("/", "rejec", "enter", "i")
	if s.edit.text != `crm.customer.search{ limit = "many" }` {
		t.Errorf("the input is %q", s.edit.text)
	}
}

// What comes while a pane is open is printed when it closes, whole and in order, and a question goes before the pane.
func TestPanesKeepTheTranscript(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	s.open(event.TracePane)
	s.emit(event.Event{Kind: event.Printed, Cell: 1, Stream: vm.Stdout, Text: "one\ntwo\n"})
	if len(s.printed) != 0 || !s.View().AltScreen {
		t.Fatalf("printed %q, alternate screen %v", s.printed, s.View().AltScreen)
	}
	answer := s.ask()
	if s.View().AltScreen {
		t.Error("the question is behind the pane")
	}
	s.keys("pause", "y", "pause")
	if a := answered(t, answer); a.Verdict != session.Once {
		t.Errorf("answered %v", a)
	}
	if !s.View().AltScreen {
		t.Error("the pane did not come back")
	}
	s.keys("esc")
	s.pass(time.Second)
	s.pass(time.Second)
	if got := strings.Join(s.printed, " "); !strings.HasPrefix(got, "one two") && !strings.Contains(got, "one two") {
		t.Errorf("printed %q", s.printed)
	}
}

// A search that a newer key made stale changes nothing, and the newest is looked for in the end.
func TestCatalogSearchIsLatest(t *testing.T) {
	s := screenOf(t, lived(t), 80, 24)
	p, first := newCatalogPane(s.model)
	s.show(p)
	second := s.press(tea.KeyPressMsg{Code: 'r', Text: "r"})
	third := s.press(tea.KeyPressMsg{Code: 'e', Text: "e"})
	if second != nil || third != nil {
		t.Fatal("a second search began beside the first")
	}
	s.settle(first)
	if p.shown.Words != "re" || len(p.found.Hits) == 0 || p.found.Hits[0].ID != "billing.refund.issue" {
		t.Errorf("shown for %q: %+v", p.shown.Words, p.found.Hits)
	}
}

// What a key in the catalog's filter costs the loop among 100,000 actions: the key and the next frame. The search runs
// beside the loop; its own time is told as search-ms.
func BenchmarkCatalogKey(b *testing.B) {
	entries := make([]catalog.Entry, 100_000)
	nouns := []string{"invoice", "customer", "order", "refund", "ticket", "shipment", "plan", "user"}
	for i := range entries {
		noun := nouns[i%len(nouns)]
		entries[i] = catalog.Entry{
			ID:          fmt.Sprintf("area%02d.%s%d.list_%d", i%40, noun, i%500, i),
			Description: fmt.Sprintf("List the %ss of kind %d.", noun, i), Operation: catalog.Read,
			Action: func(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{}, nil },
		}
	}
	c, _ := catalog.New(entries, catalog.Options{})
	s, err := session.New(c.View(), session.Options{ID: "test"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	m := newModel(b.Context(), repl.New(repl.Options{Session: s, History: input.OpenHistory("", "test")}), Options{})
	m.resize(120, 40)
	p, _ := newCatalogPane(m)
	m.show(p)
	words := "unpaid invoice list of customer refunds "
	var key, search time.Duration
	worst := time.Duration(0)
	n := 0
	for b.Loop() {
		n++
		if n%len(words) == 0 {
			p.filter.Words = ""
		}
		letter := words[n%len(words)]
		p.busy = false
		start := time.Now()
		cmd := m.press(tea.KeyPressMsg{Code: rune(letter), Text: string(letter)})
		m.stale = true
		m.View()
		took := time.Since(start)
		key, worst = key+took, max(worst, took)
		start = time.Now()
		runPaneCommands(cmd)
		search += time.Since(start)
	}
	b.ReportMetric(float64(key.Microseconds())/float64(n), "key-us")
	b.ReportMetric(float64(worst.Microseconds())/1000, "worst-key-ms")
	b.ReportMetric(float64(search.Microseconds())/float64(n)/1000, "search-ms")
}

// runPaneCommands runs what a pane asked for, as the loop would.
func runPaneCommands(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			runPaneCommands(c)
		}
	case paneMsg:
		runPaneCommands(msg())
	}
}

// A catalog that is still being read when its pane opens shows what has come since.
func TestCatalogGrows(t *testing.T) {
	sh := lived(t)
	s := screenOf(t, sh, 80, 24)
	s.open(event.CatalogPane)
	p := s.overlay().(*catalogPane)
	before := p.found.Total
	more, _ := catalog.New(append(testEntries(), catalog.Entry{ID: "new.thing.get", Description: "Get a thing.",
		Action: func(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{}, nil }}),
		catalog.Options{})
	if err := sh.Session().Replace(t.Context(), more.View()); err != nil {
		t.Fatal(err)
	}
	s.settle(s.pull())
	if p.found.Total == before || p.found.Total != 3 || p.tree[len(p.tree)-1].path != "new" {
		t.Errorf("%d actions, before %d; tree %+v", p.found.Total, before, p.tree)
	}
}

// What values, arguments and errors hold reaches no pane as it is.
func TestPanesAreClean(t *testing.T) {
	sh := lived(t)
	for _, line := range []string{
		`bad = {["\27[31m"] = "\27]52;c;eA==\7", s = "\226\128\174abc\n\r\8", deep = {"\27[2J"}, raw = "\255\254"}`,
		`pcall(crm.customer.search, {query = "\27[31m", ["\27]0;x\7"] = 1})`,
		"return ('\\27[1m'):rep(100)",
	} {
		sh.Handle(t.Context(), line)
	}
	sh.Feed().Take()
	s := screenOf(t, sh, 100, 30)
	check := func(what string) {
		t.Helper()
		if view := s.View().Content; strings.ContainsAny(view, "\x1b\x07\x08\r\u202e") {
			t.Errorf("%s: %q", what, view)
		}
	}
	s.open(event.VariablesPane)
	check("variables")
	s.paneKeys("enter", "down", "l", "down", "l", "down", "l")
	check("value")
	s.open(event.ValuePane)
	check("text")
	s.open(event.TracePane)
	check("trace")
	s.paneKeys("enter")
	check("call")
	s.shell.Handle(t.Context(), `/preview billing.refund.issue{invoice_id = "\27[31m", amount_cents = 1}`)
	s.pass(time.Second)
	s.open(event.PreviewPane)
	check("preview")
}

// A search of the value tree finds what is not open, opens what leads there, and goes on to the next; what it did not
// find it tells.
func TestValueSearchLooksBelow(t *testing.T) {
	sh := lived(t)
	sh.Handle(t.Context(), `v = { list = {}, a = { b = { c = "needle" } } } for i = 1, 1200 do v.list[i] = { n = i } end v.list[1100].n = "needle two"; return v`)
	s := screenOf(t, sh, 80, 24)
	s.open(event.ValuePane)
	s.paneKeys("/", "needle", "enter")
	p := s.overlay().(*valuePane)
	chosen := func() string { all := p.visible(); return p.pathAt(all, p.list.at) }
	if got := chosen(); got != "_.a.b.c" || s.notice != "1 of 2" {
		t.Fatalf("chose %s, %q", got, s.notice)
	}
	s.paneKeys("n")
	if got := chosen(); got != "_.list[1100].n" || s.notice != "2 of 2" {
		t.Errorf("chose %s, %q", got, s.notice)
	}
	s.paneKeys("n")
	if got := chosen(); got != "_.a.b.c" {
		t.Errorf("after the last: %s", got)
	}
	s.paneKeys("/", "nowhere", "enter")
	if s.notice != "no matches for nowhere: searched 2,404 entries" {
		t.Errorf("told %q", s.notice)
	}
	// What has changed since is told, and r looks again.
	s.paneKeys("/", "needle", "enter")
	sh.Handle(t.Context(), "v.list, v.a, v.b = nil, nil, 1")
	s.paneKeys("n", "n")
	if s.notice == "" {
		t.Errorf("nothing is told of the change")
	}
}

// High risk looks different from low where actions are listed, without colour too.
func TestListedRisksDiffer(t *testing.T) {
	for _, tag := range []struct{ effect, want string }{{"R", "ro  "}, {"W", "MUT "}, {"!", "MUT!"}} {
		s := newScreen(t, 80, 24)
		row := (&catalogPane{m: s.model}).hitRow(repl.Sighting{ID: "a.b", Tag: tag.effect, Policy: "asks"}, false, 60)
		if menu := s.effect(tag.effect); !strings.Contains(row, " "+tag.want+" asks") || !strings.Contains(menu, tag.want) {
			t.Errorf("%s: %q, %q", tag.effect, row, menu)
		}
	}
}
