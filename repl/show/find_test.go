package show

import (
	"errors"
	"fmt"
	"testing"

	"almanac/session/vm"
)

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
	f, err := Find([]vm.Step{{Name: "v"}}, "absent", endless)
	if err != nil || f.Looked < findEntries || f.Looked > findEntries+3 || f.Unseen == 0 || len(f.Hits) > 0 {
		t.Errorf("looked at %d, left %d, hits %d, %v", f.Looked, f.Unseen, len(f.Hits), err)
	}
	f, _ = Find([]vm.Step{{Name: "v"}}, "k", endless)
	if len(f.Hits) != findHits || f.Unseen == 0 {
		t.Errorf("%d hits, left %d", len(f.Hits), f.Unseen)
	}
	failing := func(path []vm.Step, from, limit int) (vm.Page, error) {
		if len(path) > 1 {
			return vm.Page{}, errors.New("gone")
		}
		return endless(path, from, limit)
	}
	if f, err = Find([]vm.Step{{Name: "v"}}, "k1", failing); err != nil || len(f.Hits) != 1 || f.Unseen != 3 {
		t.Errorf("where tables cannot be looked at: %+v, %v", f, err)
	}
}
