package session

import (
	"testing"

	"almanac/catalog"
)

// A session that rests has no Lua process, and goes on from where it was: in a run and in a preview. With a value that
// cannot be kept it does not rest.
func TestRest(t *testing.T) {
	pool := NewPool(Options{})
	defer pool.Close()
	all, _ := catalog.New(nil, catalog.Options{})
	s, err := New(all.View(), Options{Pool: pool})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i, c := range []struct {
		script, want string
		preview      bool
		rests        bool
	}{
		{"x = {1, 2} return #x", "2", false, true},
		{"x[3] = 3 return #x", "3", false, true},
		{"return #x + 10", "13", true, true},
		{"y = coroutine.create(function() end) return #x", "3", false, false},
		{"return #x, type(y)", "3", false, false},
		{"y = nil return #x", "3", false, true},
	} {
		do := s.Run
		if c.preview {
			do = s.Preview
		}
		out, err := do(t.Context(), Script{Source: c.script})
		if err != nil || out.Err != nil || out.Lost != "" || out.Values[0].Repr != c.want {
			t.Fatalf("%d: %v %+v", i, err, out)
		}
		if got := s.Rest(); got != c.rests {
			t.Errorf("%d: rests %v", i, got)
		}
		if awake := s.world.machine != nil; awake == c.rests {
			t.Errorf("%d: has a process: %v", i, awake)
		}
	}
}
