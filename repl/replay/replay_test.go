package replay

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"almanac/catalog"
	"almanac/internal/golden"
	"almanac/session"
	"almanac/session/kernel"
	"almanac/session/policy"
	"almanac/session/trace"
)

func TestMain(m *testing.M) {
	if kernel.Main() {
		return
	}
	m.Run()
}

// A shop is a catalog that counts what is asked of it: no two answers are the same.
type shop struct {
	mu    sync.Mutex
	count int64
	whole map[string][]byte // values that records have a part of
}

func (s *shop) find(digest string) ([]byte, error) {
	if data, there := s.whole[digest]; there {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

func (s *shop) next() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	return s.count
}

func (s *shop) view(t *testing.T) *catalog.View {
	t.Helper()
	object := catalog.MustSchema(`{"type":"object",
		"properties":{"id":{"type":"string"},"n":{"type":"integer","default":3}}}`)
	act := func(ctx context.Context, c catalog.Call) (catalog.Result, error) {
		if c.Args["id"] == "broken" {
			return catalog.Result{}, fmt.Errorf("out of order since %d", s.next())
		}
		return catalog.Result{Data: map[string]any{"id": c.Args["id"], "count": s.next()}}, nil
	}
	all, report := catalog.New([]catalog.Entry{
		{ID: "shop.item.get", Input: object, Action: act},
		{ID: "shop.item.list", Input: object, Action: func(ctx context.Context, c catalog.Call) (catalog.Result, error) {
			var rows []any
			for range 500 {
				rows = append(rows, map[string]any{"id": "item", "count": s.next()})
			}
			return catalog.Result{Data: rows}, nil
		}},
		{ID: "shop.item.add", Input: object, Mutates: true, Risk: catalog.Low, Action: act},
		{ID: "shop.item.drop", Input: object, Mutates: true, Risk: catalog.High, Action: act},
	}, catalog.Options{})
	if report.Loaded != 4 {
		t.Fatal(report)
	}
	return all.View()
}

// recorded runs scripts in a session and returns its log.
func recorded(t *testing.T, s *shop, do func(s *session.Session)) []trace.Record {
	t.Helper()
	s.whole = map[string][]byte{}
	var mu sync.Mutex
	var records []trace.Record
	se, err := session.New(s.view(t), session.Options{
		Policy: policy.Policy{Mode: policy.Session},
		Record: func(r trace.Record) error {
			mu.Lock()
			defer mu.Unlock()
			records = append(records, r)
			for _, data := range r.Values {
				s.whole[fmt.Sprintf("%x", sha256.Sum256(data))] = data
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	do(se)
	if err := se.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(records)
	if err != nil {
		t.Fatal(err)
	}
	records = nil
	if err := json.Unmarshal(text, &records); err != nil {
		t.Fatal(err)
	}
	return records
}

// typed is what a person typed: each line is a cell. "preview " and "fresh " before it say how, "model " who. "back"
// takes the globals back to "mark"; undo, redo, checkpoint and restore are those of the session.
func typed(t *testing.T, s *session.Session, lines string) {
	t.Helper()
	var mark int64
	for i, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		n := i + 1
		script := session.Script{Name: fmt.Sprintf("cell %d", n), Cell: n, Author: session.User, Expr: true}
		do := s.Run
		var err error
		switch word, rest, _ := strings.Cut(line, " "); word {
		case "reset":
			_, err = s.Reset(t.Context())
			do = nil
		case "mark":
			mark, err = s.Mark(t.Context())
			do = nil
		case "back":
			_, err = s.Rewind(t.Context(), mark, true)
			do = nil
		case "undo":
			_, err = s.Undo(t.Context(), 1)
			do = nil
		case "redo":
			_, err = s.Redo(t.Context(), 1)
			do = nil
		case "checkpoint":
			_, _, _, err = s.Checkpoint(t.Context(), rest)
			do = nil
		case "restore":
			_, err = s.Restore(t.Context(), rest)
			do = nil
		case "preview":
			script.Source, do = rest, s.Preview
		case "fresh":
			script.Source, script.Fresh = rest, true
		case "model":
			script = session.Script{Source: rest, Cell: n, Author: session.Model, Actions: []string{"shop.item.get"}}
		default:
			script.Source, script.Keep = line, []string{"_", fmt.Sprintf("_%d", n)}
		}
		if do != nil {
			_, err = do(t.Context(), script)
		}
		if err != nil {
			t.Fatal(line, err)
		}
	}
}

const lines = `
a = shop.item.get{id = "a"}
a.count + a.count
print(a.id, math.random(1000), os.time() > 0, {}) io.stderr:write("to stderr\n")
x = 1 error("no " .. math.random())
error({code = shop.item.get{id = "b"}.count})
ok, why = pcall(shop.item.get, {id = "broken"})
shop.item.get{id = "broken"}
shop.item.get{id = 5}
b = shop.item.add{id = "b", n = 4}
preview b = shop.item.add{id = "c"} return b.id, shop.item.get{id = "d"}.count
fresh type(a), shop.item.get{id = "e"}.count
shop.item.drop{id = "b"}
model z = shop.item.get{id = "f"}.count return z
model shop.item.add{id = "g"}
counts = parallel({"h", "i", "j"}, function(id) return shop.item.get{id = id}.count end)
shop.item.get{id = "a"}.count, shop.item.get{id = "a"}.count
mark
a = nil
back
a.count
all = shop.item.list{}
#all, all[500].count
reset
a
`

// TestReplay runs a session again in which no two answers are the same: nothing differs, and nothing is called.
func TestReplay(t *testing.T) {
	s := &shop{}
	records := recorded(t, s, func(se *session.Session) { typed(t, se, lines) })
	before := s.count
	report, err := Run(t.Context(), records, Options{View: s.view(t), Whole: s.find})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(report.Lines(), "\n"), "21 cells, 18 calls: no difference"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if s.count != before {
		t.Errorf("%d calls were made", s.count-before)
	}
}

// TestReplayBack goes back and forth in the history: each script finds the globals that it had.
func TestReplayBack(t *testing.T) {
	s := &shop{}
	records := recorded(t, s, func(se *session.Session) {
		typed(t, se, `
a = shop.item.get{id = "a"}.count
a = a + 1
a = a + 1 error("put back")
a
checkpoint two
undo
a
redo
a
undo
b = a * 10
a, b
undo
a, b
restore two
a, b
undo
a, b
`)
	})
	report, err := Run(t.Context(), records, Options{View: s.view(t)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(report.Lines(), "\n"), "11 cells, 1 call: no difference"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestReplayDiffers changes a log in one place each, or the catalog, and shows what the replay tells.
func TestReplayDiffers(t *testing.T) {
	s := &shop{}
	records := recorded(t, s, func(se *session.Session) { typed(t, se, lines) })
	var b strings.Builder
	for _, c := range []struct {
		name     string
		old, new string // in the log
	}{
		{"a result", `"result":{"count":1,"id":"a"}`, `"result":{"count":7,"id":"a"}`},
		{"an argument", `"args":{"id":"a","n":3}`, `"args":{"id":"a","n":4}`},
		{"another script", `"a.count + a.count"`, `"a.count + 2"`},
		{"a result of which there is a part", `"kind":"session"`, `"kind":"session"`},
		{"an action that is gone", `shop.item.get`, `shop.item.fetch`},
	} {
		text, err := json.Marshal(records)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), c.old, c.new, 1)
		if c.name == "an action that is gone" {
			changed = strings.ReplaceAll(string(text), c.old, c.new)
		}
		if c.old != c.new && changed == string(text) {
			t.Fatalf("%s: not in the log: %s", c.name, text)
		}
		var log []trace.Record
		if err := json.Unmarshal([]byte(changed), &log); err != nil {
			t.Fatal(err)
		}
		whole := s.find
		if c.name == "a result of which there is a part" {
			whole = nil
		}
		report, err := Run(t.Context(), log, Options{View: s.view(t), Whole: whole})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "# %s\n%s\n", c.name, strings.Join(report.Lines(), "\n"))
	}
	golden.Equal(t, "testdata/differs.golden", b.String())
}

// TestReplayOld runs a log again that is as those of earlier versions: it lacks what makes a replay exact, and what
// cannot be compared for that reason is said.
func TestReplayOld(t *testing.T) {
	s := &shop{}
	records := recorded(t, s, func(se *session.Session) {
		typed(t, se, strings.Replace(lines, "model shop.item.add", "shop.item.add", 1))
	})
	for i := range records {
		records[i].Script = nil
		if o := records[i].Ended; o != nil {
			o.Tape, o.Kind, o.Limit, o.ReprSum = "", "", "", ""
		}
		if c := records[i].Call; c != nil {
			c.Code, c.Hint, c.Fatal, c.Limit, c.Whole, c.ArgsWhole, c.Next, c.Unsure = "", "", "", "", "", "", nil, false
		}
	}
	report, err := Run(t.Context(), records, Options{View: s.view(t)})
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "testdata/old.golden", strings.Join(report.Lines(), "\n")+"\n")
}

// TestReplayLive makes the reads for real: what they return today is shown, and no write is made.
func TestReplayLive(t *testing.T) {
	s := &shop{}
	records := recorded(t, s, func(se *session.Session) {
		typed(t, se, `
a = shop.item.get{id = "a"}
b = shop.item.add{id = "b", n = 4}
ok = pcall(shop.item.get, {id = "broken"})
shop.item.get{id = 5}
"nothing is called"
`)
	})
	before := s.count
	report, err := Run(t.Context(), records, Options{View: s.view(t), Whole: s.find, Live: true})
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "testdata/live.golden", strings.Join(report.Lines(), "\n")+"\n")
	if made := s.count - before; made != 2 {
		t.Errorf("%d calls were made, want those of the two reads", made)
	}
}
