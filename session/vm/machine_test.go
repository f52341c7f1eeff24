package vm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestGlobalsLiveFromRunToRun(t *testing.T) {
	r := newRig(t, Limits{})
	steps := []struct {
		source string
		want   Diff
	}{
		{"x = 10; function double(n) return n * 2 end", Diff{Added: []string{"double", "x"}}},
		{"return double(x)", Diff{}},
		{"x = x + 1; local y = 5", Diff{Changed: []string{"x"}}},
		{"rows = {1, 2}", Diff{Added: []string{"rows"}}},
		{"rows[3] = 3", Diff{Changed: []string{"rows"}}},
		{"rows = {1, 2, 3}", Diff{Changed: []string{"rows"}}},
		{"rows[2] = 5", Diff{Changed: []string{"rows"}}},
		{"rows[2] = 5 rows[3] = nil rows[3] = 3", Diff{}},
		{"rows[1], rows[2] = rows[2], rows[1]", Diff{Changed: []string{"rows"}}},
		{"deep = {a = {b = {c = true}}, rows = rows} deep.a.up = deep", Diff{Added: []string{"deep"}}},
		{"deep.a.b.c = false", Diff{Changed: []string{"deep"}}},
		{"deep.rows[1] = '1'", Diff{Changed: []string{"deep", "rows"}}},
		{"deep.a.b.d = print rows[1] = 9007199254740993", Diff{Changed: []string{"deep", "rows"}}},
		{"rows[1] = 9007199254740993 local n = #rows", Diff{}},
		{"deep = nil rows = {1, 2, 3}", Diff{Changed: []string{"rows"}, Removed: []string{"deep"}}},
		{"zlarge = {} for i = 1, 20000 do zlarge[i] = {} end", Diff{Added: []string{"zlarge"}}},
		{"zlarge[5].x = 1", Diff{}}, // beyond the bound
		{"rows[1] = 7 zlarge[20001] = 1", Diff{Changed: []string{"rows", "zlarge"}}},
		{"zlarge = nil rows = {1, 2, 3}", Diff{Changed: []string{"rows"}, Removed: []string{"zlarge"}}},
		{"x = nil; nan = 0/0", Diff{Added: []string{"nan"}, Removed: []string{"x"}}},
		{"map = 1", Diff{Added: []string{"map"}}},
	}
	for _, step := range steps {
		if diff := cmp.Diff(step.want, r.must(step.source).Changed); diff != "" {
			t.Errorf("%s: %s", step.source, diff)
		}
	}
	want := []Global{
		{Name: "double", Type: "function", Brief: "<function>"},
		{Name: "map", Type: "number", Brief: "1"},
		{Name: "nan", Type: "number", Brief: "0/0"},
		{Name: "rows", Type: "table", Size: 3, Brief: "{ 1, 2, 3 }"},
	}
	if diff := cmp.Diff(want, r.Globals()); diff != "" {
		t.Error(diff)
	}
}

func TestValues(t *testing.T) {
	tests := []struct {
		source string
		want   Value
	}{
		{"return nil", Value{Type: "nil", Repr: "nil", Whole: true}},
		{"return null", Value{Type: "null", Repr: "null", Whole: true}},
		{"return 5", Value{Type: "number", Repr: "5", Data: int64(5), Whole: true}},
		{"return 1.5", Value{Type: "number", Repr: "1.5", Data: 1.5, Whole: true}},
		{`return "a\n"`, Value{Type: "string", Repr: `"a\n"`, Data: "a\n", Whole: true, Size: 2}},
		{"return {}", Value{Type: "table", Repr: "{}", Data: map[string]any{}, Whole: true}},
		{"return json.array()", Value{Type: "table", Repr: "{}", Data: []any{}, Whole: true}},
		{"return {1, {a = true}}", Value{Type: "table", Repr: "{ 1, { a = true } }",
			Data: []any{int64(1), map[string]any{"a": true}}, Whole: true, Size: 2}},
		{"return {1, x = 2}", Value{Type: "table", Repr: "{ 1, x = 2 }",
			Data: map[string]any{"1": int64(1), "x": int64(2)}, Size: 2,
			Why: "it is a table with both list items and named fields"}},
		{"return print", Value{Type: "function", Repr: "<function>", Why: "it is a function"}},
		{"return billing.invoice.get", Value{Type: "action", Repr: "<action billing.invoice.get>",
			Data: "<action billing.invoice.get>", Action: "billing.invoice.get",
			Why: "it is an action"}},
		{"return test.big().id", Value{Type: "number", Repr: "9007199254740993", Data: int64(9007199254740993), Whole: true}},
	}
	for _, test := range tests {
		got := newRig(t, Limits{}).must(test.source).Values
		if len(got) != 1 {
			t.Fatalf("%s: %d values", test.source, len(got))
		}
		if got[0].Type == "function" {
			got[0].Data = nil
		}
		if diff := cmp.Diff(test.want, got[0]); diff != "" {
			t.Errorf("%s: %s", test.source, diff)
		}
	}
}

func TestLargeValueComesAsTextOnly(t *testing.T) {
	r := newRig(t, Limits{Value: 1000})
	v := r.must("return range(1000)").Values[0]
	if v.Whole || v.Data != nil || v.Size != 1000 || !strings.HasPrefix(v.Repr, "{\n  1,\n  2,") {
		t.Errorf("%v %v %d %.40s", v.Whole, v.Data, v.Size, v.Repr)
	}
	v = r.must(`return ("x"):rep(300000)`).Values[0]
	if v.Whole || len(v.Repr) > maxRepr+100 || !strings.HasSuffix(v.Repr, "300000 bytes") {
		t.Errorf("%v %d", v.Whole, len(v.Repr))
	}
}

// TestUnsetName: a name alone that is not set says what may be meant.
func TestUnsetName(t *testing.T) {
	r := newRig(t, Limits{})
	r.must("open = {} customer = {name = 'x'}")
	for source, want := range map[string]string{
		"opne": "opne is not set: did you mean open?", " custmer\n": "custmer is not set: did you mean customer?",
		"string.fromat": "string.fromat is not set: did you mean string.format?", "None": "None is not set: Lua writes nil",
		"customer.nam": "customer.nam is not set: did you mean customer.name?",
		"blling":       "blling is not set: did you mean billing?", "dofle": "", "xyzzy": "", "nil": "", "open": "",
		"(opne)": "", "opne, 1": "", "customer.zip": "",
	} {
		reply := r.Run(Script{Source: source, Name: "e", Expr: true, Roots: []string{"billing"}})
		if reply.Hint != want || reply.Err != nil {
			t.Errorf("%s: %q %v, want %q", source, reply.Hint, reply.Err, want)
		}
	}
}

func TestExpression(t *testing.T) {
	r := newRig(t, Limits{})
	reply := r.Run(Script{Source: "1 + 1, 'x'", Name: "e", Expr: true})
	if reply.Err != nil || len(reply.Values) != 2 || reply.Values[0].Repr != "2" {
		t.Errorf("%v %v", reply.Err, reply.Values)
	}
	if reply := r.Run(Script{Source: "x = 1 +", Name: "e", Expr: true}); reply.Err == nil || !reply.Err.Incomplete {
		t.Errorf("not incomplete: %v", reply.Err)
	}
}

func TestPrinting(t *testing.T) {
	r := newRig(t, Limits{Output: 100})
	reply := r.must(`print("a", 1, nil) io.write("b", 2, "\n") eprint("c") warn("d") log("e", {1} ~= nil) test.nothing() print("f")`)
	want := map[Stream]string{Stdout: "a\t1\tnil\nb2\nf\n", Stderr: "c\nd\n", Logs: "e\ttrue\n"}
	if diff := cmp.Diff(want, r.printed); diff != "" || reply.Dropped != 0 {
		t.Error(diff, reply.Dropped)
	}
	r.printed = map[Stream]string{}
	r.must(`print({ b = 1, a = { 2 } }, {}, setmetatable({}, { __tostring = function() return "own" end })) local t = {} t.t = t print(t)`)
	if got, want := r.printed[Stdout], "{ a = { 2 }, b = 1 }\t{}\town\n{ t = <cycle> }\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	r.printed = map[Stream]string{}
	if reply := r.must(`for i = 1, 1000 do print("0123456789") end`); reply.Dropped != 10900 ||
		len(r.printed[Stdout]) != 100 {
		t.Errorf("dropped %d, printed %d", reply.Dropped, len(r.printed[Stdout]))
	}
}

func TestCallsKnowTheirLine(t *testing.T) {
	r := newRig(t, Limits{})
	r.must("function again(x)\n return test.echo(x)\nend\nagain{a = 1}")
	r.Run(Script{Source: "\n\nagain{a = 2}", Name: "later", Surface: Execute, Roots: []string{"test"}})
	r.must("\nmap({{a = 1}}, test.echo)\ncoroutine.wrap(function()\n test.echo{} end)()")
	want := []string{"test.echo line 2", "test.echo line 3", "test.echo line 2", "test.echo line 4"}
	if diff := cmp.Diff(want, r.calls); diff != "" {
		t.Error(diff)
	}
}

func TestErrorInOlderFunction(t *testing.T) {
	r := newRig(t, Limits{})
	r.Run(Script{Source: "function bad()\n local t = nil\n return t.x\nend", Name: "cell 1", Surface: Execute})
	e := r.Run(Script{Source: "\nbad()", Name: "cell 2", Surface: Execute}).Err
	if e == nil || e.Line != 2 || e.Excerpt != "bad()" || !strings.HasPrefix(e.Message, "cell 1:3: attempt to index") {
		t.Fatalf("%+v", e)
	}
	want := []string{"cell 1:3: in function 'bad'", "cell 2:2: in main chunk"}
	if diff := cmp.Diff(want, e.Traceback); diff != "" {
		t.Error(diff)
	}
}

func TestQuerySurface(t *testing.T) {
	r := newRig(t, Limits{})
	e := r.Run(Script{Source: "test.echo{}", Surface: Query, Roots: []string{"test"}}).Err
	if e == nil || !strings.Contains(e.Message, "actions cannot be called in a query script") {
		t.Error(e)
	}
	if e := r.Run(Script{Source: `return catalog.search("x")`, Surface: Query}).Err; e != nil {
		t.Error(e)
	}
	if diff := cmp.Diff([]string{"catalog.search x map[]"}, r.ops); diff != "" {
		t.Error(diff)
	}
}

func TestKeys(t *testing.T) {
	r := newRig(t, Limits{})
	r.must(`t = {b = 1, a = {deep = "x"}, [1] = 2} setmetatable(t, {__index = function() error("called") end})`)
	tests := []struct {
		path string
		want string
	}{
		{"t", "[{a table} {b number}]"},
		{"t.a", "[{deep string}]"},
		{"t.nothing", "[]"},
		{"t.a.deep.x", "[]"},
		{"billing", "[]"},
		{"json", "[{array function} {decode function} {encode function} {null null}]"},
	}
	for _, test := range tests {
		if got := fmt.Sprint(r.Keys(strings.Split(test.path, "."))); got != test.want {
			t.Errorf("%s: %s, want %s", test.path, got, test.want)
		}
	}
	all := fmt.Sprint(r.Keys(nil))
	for _, want := range []string{"{t table}", "{map function}", "{string table}"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in %s", want, all)
		}
	}
}

func TestInterruptFromOutside(t *testing.T) {
	r := newRig(t, Limits{Steps: 1 << 50, Time: time.Minute})
	for _, source := range []string{
		"x = 41 while true do x = x + 1 end",
		"while true do pcall(function() while true do end end) end",
		`while true do pcall(string.find, ("a"):rep(40), ("a*"):rep(20) .. "b") end`,
	} {
		var start time.Time
		r.begun = func() {
			start = time.Now()
			time.AfterFunc(30*time.Millisecond, func() { r.Interrupt("") })
		}
		reply := r.run("test.begun{}; " + source)
		if reply.Err == nil || reply.Err.Kind != Interrupt || reply.Err.Message != "interrupted" {
			t.Errorf("%s: %v", source, reply.Err)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("%s: took %v", source, took)
		}
	}
	if v := r.must("return x > 41").Values[0]; v.Repr != "true" {
		t.Errorf("globals are lost: %v", v)
	}
}

func TestClockStandsStillDuringCalls(t *testing.T) {
	m, err := New(Limits{Time: 50 * time.Millisecond}, Host{Call: func(string, map[string]any, int) (any, error) {
		time.Sleep(80 * time.Millisecond)
		return nil, nil
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	reply := m.Run(Script{Source: "a.b()", Surface: Execute, Roots: []string{"a"}})
	if reply.Err != nil || reply.Elapsed > 40*time.Millisecond {
		t.Errorf("%v after %v", reply.Err, reply.Elapsed)
	}
}

func TestCoroutinesEndWithTheMachine(t *testing.T) {
	r := newRig(t, Limits{})
	r.must("keep = {} for i = 1, 20 do keep[i] = coroutine.wrap(function() pcall(coroutine.yield) end) keep[i]() end")
	if n := len(r.threads); n != 20 {
		t.Errorf("%d coroutines, want 20", n)
	}
	if e := r.run("while true do end").Err; e == nil || e.Kind != Limit {
		t.Error(e)
	}
	if n := len(r.threads); n != 0 {
		t.Errorf("%d coroutines after a run that was ended", n)
	}
}

func TestEveryHelperIsListedByHelp(t *testing.T) {
	bare, err := New(Limits{}, Host{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	r := newRig(t, Limits{})
	r.must("help()")
	text := "\n" + r.printed[Stdout]
	known := map[string]bool{}
	for _, key := range bare.Keys(nil) {
		known[key.Name] = true
	}
	var want []string
	for _, key := range r.Keys(nil) {
		if !known[key.Name] && key.Type == "function" {
			want = append(want, key.Name)
		}
	}
	for _, key := range r.Keys([]string{"catalog"}) {
		want = append(want, "catalog."+key.Name)
	}
	if len(want) < 50 {
		t.Fatalf("only %d helpers: %v", len(want), want)
	}
	for _, name := range want {
		if !strings.Contains(text, "\n"+name+"(") {
			t.Errorf("help() does not list %s", name)
		}
	}
}

func TestOperatorsCannotBeSpoiled(t *testing.T) {
	r := newRig(t, Limits{})
	r.must(`_G["__host_concat"] = function() return "spoiled" end`)
	if v := r.must(`local a = "x" return a .. "y"`).Values[0]; v.Data != "xy" {
		t.Error(v)
	}
}

// Look shows one level of a value, calls no metamethod, and pages through what is large.
func TestLook(t *testing.T) {
	r := newRig(t, Limits{Time: time.Minute})
	r.must(`t = {b = 1, a = {deep = "x"}, [1] = 2, [true] = 3}
		setmetatable(t, {__index = function() error("called") end, __tostring = function() error("called") end})
		list = {} for i = 1, 10 do list[i] = i * i end
		record = {balance = 1, name = "n", amount = 2, id = "i", title = null}
		large = {} for i = 1, 101000 do large["k" .. i] = i end
		self = {} self.self = self`)
	path := func(words ...any) (steps []Step) {
		for _, w := range words {
			if n, ok := w.(int); ok {
				steps = append(steps, Step{Index: float64(n), Numeric: true})
				continue
			}
			steps = append(steps, Step{Name: w.(string)})
		}
		return steps
	}
	tests := []struct {
		path        []Step
		from, limit int
		want        string
	}{
		{path("t"), 0, 10, `table 4: 1=number 2; a=table { deep = "x" }; b=number 1; (true)=number 3`},
		{path("t", "a"), 0, 10, `table 1: deep=string "x"`},
		{path("t", "a", "deep"), 0, 10, `string 1: "x"`},
		{path("t", 1), 0, 10, `number 0: 2`},
		{path("t", "nothing", "below"), 0, 10, `nil 0: nil`},
		{path("list"), 4, 2, `table 10: 5=number 25; 6=number 36`},
		{path("list"), 40, 2, `table 10: `},
		{path("record"), 0, 10,
			`table 5: id=string "i"; name=string "n"; title=null null; amount=number 2; balance=number 1`},
		{path("record"), 1, 3, `table 5: name=string "n"; title=null null; amount=number 2`},
		{path("self", "self", "self"), 0, 1, `table 1: self=table { self = <cycle> }`},
		{nil, 1, 2, `table 5: list=table { 1, 4, 9, 16, 25, 36, 49, 64, 81, 100 }...`},
		{path(1), 0, 1, `nil 0: nil`},
	}
	for _, test := range tests {
		page := r.Look(test.path, test.from, test.limit, 0)
		got := fmt.Sprintf("%s %d: %s", page.Type, page.Size, page.Text)
		for i, n := range page.Nodes {
			key := n.Step.Name
			if n.Step.Numeric {
				key = fmt.Sprint(n.Step.Index)
			}
			if n.Odd {
				key = "(" + key + ")"
			}
			if i > 0 {
				got += "; "
			}
			got += key + "=" + n.Type + " " + n.Brief
		}
		if want, cut := strings.CutSuffix(test.want, "..."); got != test.want && !(cut && strings.HasPrefix(got, want)) {
			t.Errorf("%v from %d: %s, want %s", test.path, test.from, got, test.want)
		}
	}
	if n := len(r.Look(path("large"), 0, 100, 0).Nodes); n != 100 {
		t.Errorf("of a large table: %d entries, want 100", n)
	}
}

// Rows reads a list as data, a stretch at a time and never more than fits into a frame; what is no data is text, and
// what is no list stands alone.
func TestRows(t *testing.T) {
	r := newRig(t, Limits{Time: time.Minute})
	r.must(`list = {} for i = 1, 10 do list[i] = {id = i, name = "n" .. i, gone = null} end
		odd = {{f = print, x = 1}, {cycle = list}} odd[2].cycle = odd[2]
		gaps = {1, nil, 3} mixed = {1, a = 2} record = {a = {1}} setmetatable(record, {__index = function() error("called") end})
		large = {} for i = 1, 50 do large[i] = {text = ("x"):rep(100000)} end
		huge = {{text = ("x"):rep(2000000)}, {text = "y"}}
		many = {} for i = 1, 3 do many[i] = {} for j = 1, 150000 do many[i][j] = true end end`)
	read := func(name string, from, limit int) Rows { return r.Rows([]Step{{Name: name}}, from, limit) }
	got := read("list", 8, 5)
	want := []any{map[string]any{"id": int64(9), "name": "n9", "gone": nil},
		map[string]any{"id": int64(10), "name": "n10", "gone": nil}}
	if d := cmp.Diff(want, got.Items); d != "" || !got.List || !got.Whole || got.Size != 10 || got.From != 8 {
		t.Errorf("%+v\n%s", got, d)
	}
	if got := read("list", 20, 5); len(got.Items) != 0 || got.Size != 10 {
		t.Errorf("beyond the end: %+v", got)
	}
	odd := read("odd", 0, 5)
	text, _ := odd.Items[0].(map[string]any)["f"].(string)
	if odd.Whole || odd.TooLarge != "" || !strings.HasPrefix(text, "function") {
		t.Errorf("%+v", odd)
	}
	for _, name := range []string{"gaps", "mixed", "record", "nothing"} {
		if got := read(name, 3, 5); got.List || len(got.Items) != 1 || got.From != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := read("large", 0, 50); len(got.Items) != 6 || !got.Whole {
		t.Errorf("large: %d items", len(got.Items))
	}
	if got := read("huge", 0, 50); len(got.Items) != 2 || got.Whole || !strings.HasPrefix(got.TooLarge, "item 1: ") {
		t.Errorf("huge: %d items, whole %t, %s", len(got.Items), got.Whole, got.TooLarge)
	}
	if got := read("many", 0, 50); len(got.Items) != 2 || !got.Whole {
		t.Errorf("many: %d items", len(got.Items))
	}
	if got := r.Rows(nil, 0, 5); got.Type != "nil" {
		t.Errorf("without a path: %+v", got)
	}
}

// TestLongChains runs chains that the engine's parser would take minutes for; they are rewritten in groups.
func TestLongChains(t *testing.T) {
	elseifs := ""
	for i := 1; i <= 200; i++ {
		elseifs += fmt.Sprintf("\nelseif x == %d then return 'is %d'", i, i)
	}
	for source, want := range map[string]string{
		"local n = 0 local function hit() n = n + 1 return n > 700 and n end return hit()" +
			strings.Repeat(" or hit()", 999): "701",
		"local n = 0 local function hit() n = n + 1 return n < 700 end hit()\nlocal x = hit()" +
			strings.Repeat(" and hit()", 999) + " return n": "700",
		"local s = 'a'" + strings.Repeat("..'b'", 150) + " return #s": "151",
		"local function f(x) if x == 0 then return 'none'" + elseifs + "\nelse return 'else' end end " +
			"return f(1) .. f(51) .. f(101) .. f(200) .. f(999)": `"is 1is 51is 101is 200else"`,
	} {
		if r := newRig(t, Limits{}).Run(Script{Source: source}); r.Err != nil || r.Values[0].Repr != want {
			t.Errorf("%.80s: %v, %v, want %s", source, r.Values, r.Err, want)
		}
	}
}
