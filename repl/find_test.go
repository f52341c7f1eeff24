package repl

import (
	"errors"
	"fmt"
	"testing"

	"almanac/session/policy"
	"almanac/session/vm"
)

// A search finds keys and values in tables that nobody opened, those at the top first listed as a tree shows them, and runs
// nothing: a metamethod would fail the test.
func TestFind(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	typed(t.Context(), sh, `v = { a = { b = { c = "Needle" } }, needle = 1, list = {} , [true] = { x = "needle" } }
for i = 1, 3000 do v.list[i] = { n = i } end
v.list[2500].deep = { text = "a needle here" }
v.self = v
setmetatable(v.a, { __index = error, __pairs = error, __len = error, __tostring = error })`, nil)
	f, err := sh.Find(t.Context(), []vm.Step{{Name: "v"}}, "NEEDLE")
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]bool{}
	for _, h := range f.Hits {
		paths[PathText(h.Path)] = true
	}
	for _, want := range []string{"v.needle", "v.a.b.c", "v.list[2500].deep.text", "v.self.needle"} {
		if !paths[want] {
			t.Errorf("%s was not found among %d", want, len(f.Hits))
		}
	}
	if f.Unseen == 0 || f.Rest() == "" {
		t.Errorf("a table without end was seen whole: %+v", f.Looked)
	}
	if _, err := sh.Find(t.Context(), []vm.Step{{Name: "nothing"}}, "x"); err != nil {
		t.Errorf("nil: %v", err)
	}
}

// A search of a tree without end stops at its bounds, and says how much it left.
func TestFindIsBounded(t *testing.T) {
	calls := 0
	endless := func(path []vm.Step, from, limit int) (vm.Page, error) {
		calls++
		p := vm.Page{Node: vm.Node{Type: "table", Size: 3}, From: from}
		for i := range 3 {
			p.Nodes = append(p.Nodes, vm.Node{Step: vm.Step{Name: fmt.Sprint("k", i)}, Type: "table", Size: 3, Brief: "{...}"})
		}
		return p, nil
	}
	f, err := find([]vm.Step{{Name: "v"}}, "absent", endless)
	if err != nil || f.Looked < findEntries || f.Looked > findEntries+3 || f.Unseen == 0 || len(f.Hits) > 0 {
		t.Errorf("looked at %d, left %d, hits %d, %v", f.Looked, f.Unseen, len(f.Hits), err)
	}
	f, _ = find([]vm.Step{{Name: "v"}}, "k", endless)
	if len(f.Hits) != findHits || f.Unseen == 0 {
		t.Errorf("%d hits, left %d", len(f.Hits), f.Unseen)
	}
	failing := func(path []vm.Step, from, limit int) (vm.Page, error) {
		if len(path) > 1 {
			return vm.Page{}, errors.New("gone")
		}
		return endless(path, from, limit)
	}
	if f, err = find([]vm.Step{{Name: "v"}}, "k1", failing); err != nil || len(f.Hits) != 1 || f.Unseen != 3 {
		t.Errorf("where tables cannot be looked at: %+v, %v", f, err)
	}
}
