package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"almanac/session/trace"
	"almanac/session/vm"
)

// TestRefusedLoops runs scripts that do nothing but ask for what they do not get: each ends at a limit that it cannot
// catch, soon, and leaves little in the log.
func TestRefusedLoops(t *testing.T) {
	tests := []struct {
		name, script string
		limit        string // empty where it depends on the machine which comes first
	}{
		{"the same unknown id", `while true do pcall(call, ("x"):rep(500)) end`, "refused calls"},
		{"a huge id", `local id = ("x"):rep(1e6) while true do pcall(call, id) end`, ""},
		{"ids one after another", `local i = 0 while true do i = i + 1 pcall(call, "shop.item.get" .. i) end`, ""},
		{"side by side",
			`while true do parallel({1,2,3,4,5,6,7,8}, function(i) pcall(call, "nobody" .. i) end) end`, "refused calls"},
		{"pages", `while true do pcall(paginate, "nobody.has.this") end`, "refused calls"},
		{"wrong arguments", `while true do pcall(call, "shop.item.get", {wrong = ("x"):rep(5000)}) end`, "calls"},
		{"searches", `while true do pcall(catalog.search, "list the items of the shop") end`, ""},
		{"wrong primitives",
			`while true do pcall(catalog.search, "item", {nonsense = ("x"):rep(5000)}) end`, "refused calls"},
		{"wrong descriptions", `while true do pcall(catalog.describe, "nobody.has.this") end`, "refused calls"},
		{"descriptions", `while true do pcall(catalog.describe, "shop.item.get") end`, ""},
		{"unknown descriptions", `while true do pcall(catalog.describe, ("x"):rep(1e5)) end`, ""},
		{"explanations", `while true do pcall(catalog.explain, "shop.item.get", "get an item") end`, ""},
		{"prints", `while true do print(("x"):rep(1000)) end`, ""},
		{"logs", `while true do pcall(log, ("x"):rep(1000)) end`, ""},
	}
	for _, author := range []Author{Model, User} {
		for _, test := range tests {
			t.Run(string(author)+": "+test.name, func(t *testing.T) {
				t.Parallel()
				limit := 1500 * time.Millisecond
				if test.limit != "" && test.limit != "time" {
					limit = time.Minute // what ends it is a count, also where the machine is slow
				}
				log, err := trace.CreateLog(filepath.Join(t.TempDir(), "log.jsonl"), nil)
				if err != nil {
					t.Fatal(err)
				}
				b := newBench(t, func(o *Options) {
					o.Record = log.Append
					o.Limits.Steps, o.Limits.Time, o.UserLimits.Time = 1e12, limit, limit
				})
				begun := time.Now()
				out, err := b.session.Run(t.Context(), Script{
					Source: test.script, Author: author, Actions: []string{"shop.item.get"},
				})
				if err != nil {
					t.Fatal(err)
				}
				if out.Err == nil || out.Err.Kind != vm.Limit || test.limit != "" && out.Err.Limit != test.limit {
					t.Errorf("err = %+v, want the limit %s", out.Err, test.limit)
				}
				if took := time.Since(begun); took > limit+5*time.Second {
					t.Errorf("it took %v", took)
				}
				if out.Lost != "" {
					t.Errorf("the kernel process was lost: %s", out.Lost)
				}
				if err := log.Close(); err != nil {
					t.Fatal(err)
				}
				// All that was printed is in it, up to the limit of output.
				most := 1<<20 + int64(b.session.Limits(author).Output)
				if info, err := os.Stat(log.Path()); err != nil || info.Size() > most {
					t.Errorf("the log has %d bytes, %v", info.Size(), err)
				}
			})
		}
	}
}

// TestRefusedCallsAreCounted: the log has each refused call once, and says how many there were.
func TestRefusedCallsAreCounted(t *testing.T) {
	b := newBench(t, nil)
	out := b.run(User, `
		for i = 1, 300 do pcall(call, "nobody.has.this") end
		for i = 1, 200 do pcall(call, "nobody.has" .. i) end
		pcall(call, ("é"):rep(5000))`)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if len(out.Calls) != recordedRefusals || out.Calls[0].Times != 300 || out.Calls[1].Times != 1 {
		t.Errorf("%d calls, the first %+v", len(out.Calls), out.Calls[0])
	}
	records, notes := 0, ""
	for _, r := range b.records {
		switch r.Kind {
		case trace.KindCall:
			records++
		case trace.KindNote:
			notes += r.Text + "\n"
		}
	}
	if want := fmt.Sprintf("501 calls refused; %d distinct ones recorded\n",
		recordedRefusals); records != recordedRefusals || notes != want {
		t.Errorf("%d records, notes %q, want %q", records, notes, want)
	}
	if out := b.run(User, `pcall(call, ("é"):rep(5000))`); len(out.Calls) != 1 || len(out.Calls[0].ID) > 300 ||
		len(out.Calls[0].Error) > 300 {
		t.Errorf("a long id is kept: %.600v", out.Calls)
	}
	if out := b.run(User, `for i = 1, 1001 do pcall(call, "nobody.has.this") end`); out.Err == nil ||
		out.Err.Limit != "refused calls" {
		t.Errorf("1,001 refused calls: %v", out.Err)
	}
}

// TestRecordsAreBounded: what a call is given can be large, its records are not.
func TestRecordsAreBounded(t *testing.T) {
	log, err := trace.CreateLog(filepath.Join(t.TempDir(), "log.jsonl"), nil)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, func(o *Options) { o.Record = log.Append })
	out := b.run(User, `local args = {item_id = "a"} for i = 1, 20000 do args["field" .. i] = ("x"):rep(100) end pcall(call, "shop.item.get", args)`)
	if out.Err != nil || len(out.Calls) != 1 {
		t.Fatal(out.Err, len(out.Calls))
	}
	if !strings.Contains(out.Calls[0].ArgsPart, " of 20001 fields") {
		t.Errorf("part of the arguments: %q", out.Calls[0].ArgsPart)
	}
	if info, err := os.Stat(log.Path()); err != nil || info.Size() > 100<<10 {
		t.Errorf("the log has %d bytes, %v", info.Size(), err)
	}
}
