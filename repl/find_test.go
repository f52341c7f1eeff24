package repl

import (
	"testing"

	"almanac/repl/show"
	"almanac/session/policy"
	"almanac/session/vm"
)

// A search finds keys and values in tables that nobody opened, those at the top first listed as a tree shows them, and
// runs nothing: a metamethod would fail the test.
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
		paths[show.PathText(h.Path)] = true
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
