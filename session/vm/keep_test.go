package vm

import "testing"

func TestKeep(t *testing.T) {
	m, err := New(Limits{}, Host{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	run := func(source, want string) {
		t.Helper()
		r := m.Run(Script{Source: source, Expr: true, Keep: []string{"_", "_7"}})
		got := ""
		if len(r.Values) > 0 {
			got = r.Values[0].Repr
		}
		if r.Err != nil || got != want || len(r.Globals) > 0 || len(r.Changed.Added) > 0 {
			t.Errorf("%s: got %q, %v, globals %v, added %v", source, got, r.Err, r.Globals, r.Changed.Added)
		}
	}
	run("1+1", "2")
	run("local x = 1", "")
	run("_*10", "20")
	run("nil", "nil")
	run("_ + _7", "40")
}
