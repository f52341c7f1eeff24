package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/vm"
)

// gridded is a screen over a session of its own that has run some Lua, and what was copied on it.
func gridded(t *testing.T, width, height int, lines ...string) (*screen, *[]string) {
	t.Helper()
	c, _ := catalog.New(testEntries(), catalog.Options{})
	feed := event.NewFeed()
	s, err := session.New(c.View(), feed.Session(session.Options{ID: "test"}, true))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	mode := input.LuaMode
	var copied []string
	sh := repl.New(repl.Options{Session: s, Feed: feed, History: input.OpenHistory("", "test"), Mode: &mode,
		Copy: func(text string) (string, error) { copied = append(copied, text); return "a test", nil }})
	for _, line := range lines {
		if sh.Handle(t.Context(), line) != repl.Done {
			t.Fatal(line)
		}
	}
	feed.Take()
	return screenOf(t, sh, width, height), &copied
}

// people is a list with nulls, nested tables, wide characters and texts that begin alike.
const people = `people = {
	{ id = "cus_1", name = "Anna Schmidt", email = "anna.schmidt.office@northwind.example", total = 12900, tags = { "a", "b" }, note = "first\nsecond" },
	{ id = "cus_2", name = "漢字 株式会社", email = "anna.schmidt.private@northwind.example", total = 450.5, tags = {}, city = "東京" },
	{ id = "cus_3", name = "👩‍👩‍👧 Müller & Söhne 🇩🇪", total = null, at = { lat = 1.5, lon = { deep = true } } },
	{ id = "cus_4", name = "bert\27[31m", email = "x@y.example", total = -3, overdue = true, ["odd key"] = 0/0 },
	{ id = "cus_10", name = "Bert", email = "", total = 9, city = "Zürich", url = "https://x.example/customers/a-long-way/10" },
}
return people`

func (s *screen) grid() *grid {
	s.t.Helper()
	p, ok := s.overlay().(*valuePane)
	if !ok || p.table() == nil {
		s.t.Fatalf("no grid is open")
	}
	return p.table()
}

func TestGridGolden(t *testing.T) {
	scenes := []struct {
		name string
		keys []string
	}{
		{"list", nil},
		{"sorted", []string{"right", "right", "right", "s", "s", "down"}},
		{"scrolled", []string{"$", "x", "down"}},
		{"filter", []string{"f", "em:anna"}},
		{"record", []string{"down", "down", "enter", "n", "down", "down"}},
		{"copy", []string{"c", "r", "down"}},
	}
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {40, 15}} {
		for _, scene := range scenes {
			name := fmt.Sprintf("grid_%s_%dx%d", scene.name, size.width, size.height)
			t.Run(name, func(t *testing.T) {
				s, _ := gridded(t, size.width, size.height, people)
				s.open(event.ValuePane)
				s.paneKeys(scene.keys...)
				s.golden(name)
			})
		}
	}
}

// The grid fills its window and no more, whatever its size; nothing of a value reaches the terminal as it is.
func TestGridFits(t *testing.T) {
	s, _ := gridded(t, 80, 24, people)
	for _, width := range []int{10, 20, 40, 59, 67, 200} {
		for _, height := range []int{3, 4, 5, 10, 24} {
			for _, keys := range []string{"", "$", "enter", "c", "cr", "fx"} {
				s = screenOf(t, s.shell, width, height)
				s.ascii, s.theme = true, newTheme(true, true)
				s.open(event.ValuePane)
				s.paneKeys(keys)
				rows := strings.Split(s.View().Content, "\n")
				if len(rows) != height {
					t.Errorf("%q at %dx%d: %d rows", keys, width, height, len(rows))
				}
				for _, row := range rows {
					if w := ansi.StringWidth(row); w > width {
						t.Errorf("%q at %dx%d: row of %d columns: %q", keys, width, height, w, row)
					}
					if strings.ContainsAny(ansi.Strip(row), "\x1b\x07│─❯…") {
						t.Errorf("%q at %dx%d: %q", keys, width, height, row)
					}
				}
			}
		}
	}
}

// ids are the ids of the rows in their order.
func (g *grid) ids() string {
	var out []string
	for _, row := range g.order {
		out = append(out, g.list.Text(row, 0))
	}
	return strings.ReplaceAll(strings.Join(out, " "), "cus_", "")
}

// Keys do what the bottom row and the documentation say.
func TestGridKeys(t *testing.T) {
	s, _ := gridded(t, 80, 24, people)
	s.open(event.ValuePane)
	g := s.grid()
	for _, step := range []struct{ keys, ids, title, note string }{
		{"", "1 2 3 4 10", "Value ─ _", "5 rows"},
		{"l l s", "4 10 2 1 3", "Value ─ _ ─ by total", "5 rows"},
		{"$ 0 right s", "1 10 4 2 3", "Value ─ _ ─ by name", "5 rows"},
		{"s", "3 2 4 10 1", "Value ─ _ ─ by name, descending", "5 rows"},
		{"f b e r t", "4 10", "Value ─ _ ─ by name, descending ─ filter: bert", "2 of 5 rows"},
		{"enter s", "4 10", "Value ─ _ ─ filter: bert", "2 of 5 rows"},
		{"esc", "1 2 3 4 10", "Value ─ _", "5 rows"},
		{"/ x y z", "", "Value ─ _ ─ filter: xyz", "0 of 5 rows"},
		{"enter enter c i o", "", "Value ─ _ ─ filter: xyz", "0 of 5 rows"},
		{"esc G", "1 2 3 4 10", "Value ─ _", "5 rows"},
		{"enter", "1 2 3 4 10", "Value ─ _[5]", "5 of 5"},
		{"n p p", "1 2 3 4 10", "Value ─ _[3]", "3 of 5"},
		{"esc s", "1 10 4 2 3", "Value ─ _ ─ by name", "5 rows"},
	} {
		for _, k := range strings.Fields(step.keys) {
			s.paneKeys(k)
		}
		title, note := s.overlay().head()
		if d := cmp.Diff([]string{step.ids, step.title, step.note}, []string{g.ids(), title, note}); d != "" {
			t.Errorf("after %q: -want +got:\n%s", step.keys, d)
		}
	}
	s.paneKeys("t")
	if p := s.overlay().(*valuePane); p.table() != nil || !strings.Contains(s.View().Content, "+ [1] =") {
		t.Errorf("t shows no tree:\n%s", s.View().Content)
	}
	s.paneKeys("t")
	s.grid()
	s.paneKeys("esc")
	if s.overlay() != nil {
		t.Error("Esc does not close the grid")
	}
}

// Hidden columns come back in their places, and the last one stays.
func TestGridHides(t *testing.T) {
	s, _ := gridded(t, 80, 24, `return {{id = 1, name = "a", x = true}}`)
	s.open(event.ValuePane)
	s.paneKeys("right", "x", "x")
	if g := s.grid(); len(g.shown) != 1 {
		t.Fatalf("%v are shown", g.shown)
	}
	s.paneKeys("x")
	if g := s.grid(); len(g.shown) != 1 || s.notice != "the last column stays" {
		t.Errorf("%v are shown, %q", g.shown, s.notice)
	}
	s.paneKeys("X")
	if g := s.grid(); !cmp.Equal(g.shown, []int{0, 1, 2}) {
		t.Errorf("%v are shown", g.shown)
	}
}

// What is copied is what is shown: its rows, order and columns; numbers as they are.
func TestGridCopies(t *testing.T) {
	s, copied := gridded(t, 80, 24, people)
	s.open(event.ValuePane)
	for _, c := range []struct{ keys, want string }{
		{"c c t", "cus_1"},
		{"right c c j", `"Anna Schmidt"`},
		{"c down enter l", `{ id = "cus_1", name = "Anna Schmidt", total = 12900, email = "anna.schmidt.office@northwind.example", note = "first\nsecond", tags = { "a", "b" } }`},
		{"f bert enter x right x c a c",
			"id,total,email,note,odd key,overdue,at,tags,url\ncus_4,-3,x@y.example,,nan,true,,,\ncus_10,9,"},
		{"c r j", `{"id":"cus_4"`},
		{"c a m", "| id |"},
		{"c a l", "{\n  { id = \"cus_4\""},
		{"enter home down c c t", "bert\\27[31m"},
		{"c r c", "id,name,total,city,email,"},
	} {
		for _, k := range strings.Fields(c.keys) {
			s.paneKeys(k)
		}
		if n := len(*copied); n == 0 || !strings.HasPrefix((*copied)[n-1], c.want) {
			t.Errorf("%s copied %q, want %q", c.keys, *copied, c.want)
		}
	}
	s.paneKeys("esc", "c", "q")
	if g := s.grid(); g.chooser == nil || !strings.Contains(s.notice, "letters") {
		t.Errorf("a wrong key: %q", s.notice)
	}
	s.paneKeys("esc")
	if g := s.grid(); g.chooser != nil {
		t.Error("Esc does not close the chooser")
	}
}

// Paths lead back into the value, also where rows are sorted; a cell that holds a list of records opens as a grid.
func TestGridPaths(t *testing.T) {
	s, _ := gridded(t, 80, 24,
		`v = { list = { {id = "b", n = 1}, {id = "a", n = 2, below = {{x = 1}, {x = 2}}} } } return v`)
	s.open(event.ValuePane)
	s.paneKeys("t") // a list in the tree
	if title, _ := s.overlay().head(); title != "Value ─ _.list" {
		t.Errorf("t opened %q", title)
	}
	s.paneKeys("esc", "l", "down", "down", "l", "down", "down", "t")
	if title, _ := s.overlay().head(); title != "Value ─ _.list[2].below" {
		s.t.Errorf("t opened %q:\n%s", title, s.View().Content)
	}
	s.grid()
	s.paneKeys("esc", "esc")
	p, cmd := newValuePane(s.model, pathOf("v.list"))
	s.show(p)
	s.settle(cmd)
	s.paneKeys("s", "right", "right", "o")
	if title, _ := s.overlay().head(); title != "Value ─ v.list[2].below" {
		t.Errorf("o opened %q", title)
	}
	s.paneKeys("down", "i")
	if s.edit.text != "v.list[2].below[2].x" || s.overlay() != nil {
		t.Errorf("inserted %q", s.edit.text)
	}
}

// Rows come a page at a time; sorting, filtering and End bring the others, up to a limit that is told.
func TestGridFetches(t *testing.T) {
	s, copied := gridded(t, 80, 24,
		`big = {} for i = 1, 5200 do big[i] = {n = i, word = "w" .. i % 7} end big[5100].late = "new" return big`)
	s.open(event.ValuePane)
	g := s.grid()
	note := func() string { _, note := s.overlay().head(); return note }
	if g.list.Len() != lookCount || note() != "500 of 5,200 rows fetched" {
		t.Fatalf("%d rows, %q", g.list.Len(), note())
	}
	s.paneKeys("pgdown", "pgdown")
	if g.list.Len() != lookCount {
		t.Errorf("two pages down fetched %d rows", g.list.Len())
	}
	for range 30 {
		s.paneKeys("pgdown")
	}
	if g.list.Len() != 2*lookCount {
		t.Errorf("at the end of the first rows there are %d", g.list.Len())
	}
	g.limit = 3000
	s.paneKeys("s", "s")
	if got := fmt.Sprintf("%d %d %s", g.list.Len(), g.order[0], note()); got != "3000 2999 3,000 of 5,200 rows fetched" {
		t.Errorf("sorted within the limit: %s", got)
	}
	s.paneKeys("f", "word:w3", "enter")
	if got := note(); got != "429 of the first 3,000 rows" {
		t.Errorf("filtered within the limit: %s", got)
	}
	s.paneKeys("c", "a", "c")
	if !strings.HasSuffix(s.notice, "; only of the first 3,000 rows") || strings.Count((*copied)[0], "\n") != 430 {
		t.Errorf("copied within the limit: %q", s.notice)
	}
	g.limit = gridRows
	s.paneKeys("esc", "G")
	if got := fmt.Sprint(g.list.Len(), g.order[g.rows.at], len(g.list.Columns)); got != "5200 0 3" {
		t.Errorf("at the end: %s", got)
	}
	s.paneKeys("f", "late:new")
	if got := note(); got != "1 of 5,200 rows" {
		t.Errorf("a field that only a late row has: %s", got)
	}
}

// A list that changes while it is looked at, and a session that is busy, are told; what is there stays.
func TestGridChanges(t *testing.T) {
	s, _ := gridded(t, 80, 24, `big = {} for i = 1, 2000 do big[i] = {n = i} end`)
	p, cmd := newValuePane(s.model, pathOf("big"))
	s.show(p)
	s.settle(cmd)
	g := s.grid()
	s.shell.Handle(t.Context(), "for i = 2000, 701, -1 do big[i] = nil end")
	s.paneKeys("G")
	if got := fmt.Sprint(g.list.Len(), g.size); got != "700 700" {
		t.Errorf("a shorter list: %s rows", got)
	}
	s.shell.Handle(t.Context(), "big = 7")
	g.size = 900
	s.paneKeys("G")
	if s.notice != "big has changed" || g.list.Len() != 700 {
		t.Errorf("no list any more: %q", s.notice)
	}
	s.paneKeys("r")
	if p.table() != nil || s.overlay() == nil {
		t.Error("r does not look again")
	}
}

// Commas stand between the thousands on the screen, not in what is copied, and not in ids and years.
func TestThousands(t *testing.T) {
	s, copied := gridded(t, 80, 24,
		`t = { {id = 12345, year = 2026, total = 1234567}, {id = 2, total = null}, {id = 3, total = -1500.25} } return t`)
	s.thousands = true
	s.open(event.ValuePane)
	if got := s.View().Content; !strings.Contains(got, "❯ 12345  1,234,567  2026 ") ||
		!strings.Contains(got, "-1,500.25") {
		t.Errorf("the grid shows:\n%s", got)
	}
	s.paneKeys("c", "a", "c")
	if want := "id,total,year\n12345,1234567,2026\n2,,\n3,-1500.25,\n"; (*copied)[0] != want {
		t.Errorf("copied %q", *copied)
	}
	lines := show.ValueLines(vm.Value{Data: []any{map[string]any{"total": int64(98765), "id": int64(1234)}}, Whole: true},
		"", 80, show.Options{Thousands: true})
	if got := lines[1].String(); got != "1234  98,765" {
		t.Errorf("a table shows %q", got)
	}
}

func pathOf(text string) []vm.Step {
	path, _ := show.ParsePath(text)
	return path
}
