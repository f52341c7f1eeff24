package vm

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func exampleState() map[string]any {
	return map[string]any{
		"count": int64(3), "big": int64(9007199254740993), "none": nil, "empty": []any{},
		"users": []any{map[string]any{"id": "u2", "age": int64(40)}, map[string]any{"id": "u1", "age": int64(30)}},
	}
}

// TestStateReads has what scripts may do with the state. Each gives true.
func TestStateReads(t *testing.T) {
	r := newRig(t, Limits{})
	if _, err := r.SetState(exampleState()); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{
		`state.count == 3 and state["count"] == 3 and state.missing == nil`,
		`state.none == null and type(state) == "table" and type(state.users) == "table"`,
		`#state.users == 2 and rawlen(state.users) == 2 and state.users[1].id == "u2"`,
		`rawget(state, "count") == 3 and rawget(state.users[1], "id") == "u2"`,
		`(function() local n = 0 for k, v in pairs(state) do n = n + 1 end return n end)() == 5`,
		`(function() local s = "" for i, u in ipairs(state.users) do s = s .. i .. u.id end return s end)() == "1u22u1"`,
		`next(state.empty) == nil and next(state) == "big" and next(state, "big") == "count"`,
		`repr(state.users[1]) == '{ age = 40, id = "u2" }'`,
		`json.encode(state) == '{"big":9007199254740993,"count":3,"empty":[],"none":null,' ..
			'"users":[{"age":40,"id":"u2"},{"age":30,"id":"u1"}]}'`,
		`table.concat(map(state.users, "id"), ",") == "u2,u1"`,
		`map(sort_by(state.users, "age"), "id")[1] == "u1"`,
		`(function() local a, b = unpack(state.users) return b.id end)() == "u1"`,
		`tostring(state.big) == "9007199254740993"`,
		`state.users == state.users and state.users ~= state.empty`,
		`getmetatable(state) == false`,
		`test.echo(state).users[2].id == "u1" and test.echo{u = state.users[1]}.u.age == 40`,
		`vars().state ~= nil and _G.state == state`,
		`(function() local state = {} state.x = 1 return state.x end)() == 1`,
		`(function() other = 5 _G.another = 6 return other + another end)() == 11`,
	} {
		if reply := r.must("return " + source); reply.Values[0].Data != true {
			t.Errorf("%s: got %v", source, reply.Values[0].Repr)
		}
	}
	if r.must("print(state.users[1])"); !strings.Contains(r.printed[Stdout], `id = "u2"`) {
		t.Error(r.printed)
	}
}

// TestStateWrites has all ways in which a script may try to change it.
func TestStateWrites(t *testing.T) {
	r := newRig(t, Limits{})
	if _, err := r.SetState(exampleState()); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{
		`state = {}`, `state = nil`, `_G.state = 1`, `rawset(_G, "state", 1)`, `_ENV.state = 1`,
		`state.count = 4`, `state.new = 1`, `state.count = nil`, `state.users[1].age = 41`, `state.users[3] = {}`,
		`rawset(state, "count", 4)`, `rawset(state.users[1], "age", 4)`, `table.insert(state.users, {})`,
		`table.remove(state.users)`, `table.sort(state.users, function(a, b) return a.id < b.id end)`,
		`setmetatable(state, {})`, `setmetatable(state.users[1], nil)`, `json.array(state.users)`,
		`for _, u in ipairs(state.users) do u.age = 1 end`, `for _, u in pairs(state.users) do u.age = 1 end`,
		`local k, v = next(state.users) v.age = 1`, `local u = rawget(state, "users") u[1] = nil`,
		`coroutine.wrap(function() state.count = 1 end)()`, `map(state.users, function(u) u.age = 1 end)`,
		`local u = state.users kept = u kept[1] = 1`,
		`function state.f() end`,
	} {
		reply := r.run(source)
		if reply.Err == nil || !strings.Contains(reply.Err.Message, StateReadOnly) {
			t.Errorf("%s: got %v", source, reply.Err)
		}
		now, err := r.State()
		if err != nil || !reflect.DeepEqual(now.Data, exampleState()) {
			t.Fatalf("%s: the state is now %v (%v)", source, now, err)
		}
	}
}

// TestStateName tells when the name state is a script's.
func TestStateName(t *testing.T) {
	r := newRig(t, Limits{})
	run := func(source string, state bool) Reply {
		return r.Run(Script{Source: source, Name: "test", Surface: Execute, Expr: true, State: state})
	}
	if got := run("state", false); got.Values[0].Type != "nil" {
		t.Error("there is a state that nobody asked for:", got.Values)
	}
	if got := run("(function() for k in pairs(state) do return k end return #state end)()", true); got.Values[0].Data != int64(0) {
		t.Error("none is not empty:", got.Err, got.Values)
	}
	if got := run("state.x = 1", true); got.Err == nil {
		t.Error("what is empty can be written to")
	}
	if got := run("state", false); got.Values[0].Type != "nil" || len(got.Globals) > 0 {
		t.Error("the name stays taken:", got.Values, got.Globals)
	}
	if got := run("state = {mine = true}", false); got.Err != nil || len(got.Globals) != 1 {
		t.Error("the name is not free:", got.Err)
	}
	if got := run("state.mine", true); got.Err != nil || got.Values[0].Data != true {
		t.Error("a script's own is not seen any more:", got.Err, got.Values)
	}
	if now, err := r.State(); err != nil || !now.Taken || now.Data != nil {
		t.Error(now, err)
	}
	if _, err := r.SetState(exampleState()); err == nil {
		t.Error("a script's own was replaced")
	}
	if got := run("state = nil", true); got.Err != nil {
		t.Error("a script's own cannot go:", got.Err)
	}
	diff, err := r.SetState(exampleState())
	if err != nil || !reflect.DeepEqual(diff, Diff{Added: []string{"state"}}) {
		t.Error(diff, err)
	}
	if diff, err = r.SetState(map[string]any{}); err != nil || !reflect.DeepEqual(diff, Diff{Changed: []string{"state"}}) {
		t.Error(diff, err)
	}
	got := run("x = state", false) // it is there, whoever asks
	if got.Err != nil || !reflect.DeepEqual(got.Changed, Diff{Added: []string{"x"}}) || got.Globals[0].Type != "table" {
		t.Error(got.Err, got.Changed, got.Globals)
	}
}

// TestStateSnapshot brings a state into another machine, with parts of it that scripts have kept.
func TestStateSnapshot(t *testing.T) {
	r := newRig(t, Limits{})
	if _, err := r.SetState(exampleState()); err != nil {
		t.Fatal(err)
	}
	r.must(`zebra, apple, user = 1, state, state.users[1]`)
	if _, err := r.SetState(map[string]any{"count": int64(4), "users": []any{}}); err != nil {
		t.Fatal(err)
	}
	s, err := r.Snapshot(SnapshotLimits{})
	if err != nil || len(s.Left) > 0 || s.Globals != 4 {
		t.Fatal(s, err)
	}
	other := newRig(t, Limits{})
	other.must("b = 5")
	if err := other.Restore(s.Data); err != nil {
		t.Fatal(err)
	}
	again, err := other.Snapshot(SnapshotLimits{})
	if err != nil || !bytes.Equal(again.Data, s.Data) {
		t.Error("a restored machine gives another snapshot", err)
	}
	reply := other.must(`return state.count == 4 and #state.users == 0 and apple.count == 3 and apple.users[1] == user`)
	if reply.Values[0].Data != true {
		t.Error(other.must("return {state, apple, user}").Values[0].Repr)
	}
	for _, source := range []string{"state = 1", "state.count = 1", "apple.count = 1", "user.age = 1"} {
		if reply := other.run(source); reply.Err == nil || !strings.Contains(reply.Err.Message, StateReadOnly) {
			t.Errorf("%s: got %v", source, reply.Err)
		}
	}
	empty := newRig(t, Limits{})
	s, err = empty.Snapshot(SnapshotLimits{})
	if err != nil || other.Restore(s.Data) != nil {
		t.Fatal(err)
	}
	if now, err := other.State(); err != nil || now.Data != nil || len(other.Globals()) > 0 {
		t.Error("the state is still there:", now, err)
	}
	other.must("state = 1")
}
