package vm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// randomGraph is a program that fills the global list o with things that refer to each other in any way.
func randomGraph(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(`
local function counter(n) return function(d) n = n + (d or 1) return n end, function() return n end end
local function keeper(a, b) return function() return a, b end, function(x, y) a, b = x, y end end
local shared = {}
o, keys = {}, {}
`)
	things := []string{"{}", "{1, 2, 3}", "{n = 1}", "null", "json.array{}",
		"9007199254740993", "-9223372036854775807", "0/0",
		"1/0", "-1/0", "-0.0", "0.1", "1e300", "7", "-7", "2^53", "'text'", "'\\0\\255\\128'", "''", "true", "false",
		"demo.a.b", "map", "string.format", "string", "_G", "_ENV", "shared", "print", "coroutine.running()",
		"function() return shared end", "function(...) return ... end", "function(a) o = a return a .. 'x' % 2 end",
		"setmetatable({}, {__index = shared, __call = function(self, x) return x, shared end})"}
	n := 5 + r.IntN(40)
	at := func() string { return fmt.Sprintf("o[%d]", 1+r.IntN(n)) }
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "o[%d] = %s\n", i, things[r.IntN(len(things))])
	}
	for range n * 2 {
		switch r.IntN(9) {
		case 0:
			fmt.Fprintf(&b, "if type(%[1]s) == 'table' and %[1]s ~= _G then keys[#keys + 1] = %[2]s pcall(rawset, %[1]s, %[2]s, %[3]s) end\n", at(), at(), at())
		case 1:
			fmt.Fprintf(&b,
				"if type(%[1]s) == 'table' and %[1]s ~= _G then pcall(rawset, %[1]s, 'f%[3]d', %[2]s) end\n", at(), at(), r.IntN(5))
		case 2:
			fmt.Fprintf(&b,
				"if type(%[1]s) == 'table' and %[1]s ~= _G then pcall(rawset, %[1]s, %[3]d, %[2]s) end\n", at(), at(), r.IntN(12)-2)
		case 3:
			fmt.Fprintf(&b, "pcall(setmetatable, %s, %s)\n", at(), at())
		case 4:
			fmt.Fprintf(&b, "%s, %s = counter(%d)\n", at(), at(), r.IntN(3))
		case 5:
			fmt.Fprintf(&b, "%s, %s = keeper(%s, %s)\n", at(), at(), at(), at())
		case 6:
			fmt.Fprintf(&b, "shared[#shared + 1] = %s\n", at())
		case 7:
			fmt.Fprintf(&b, "%s = %s\n", at(), at())
		case 8:
			fmt.Fprintf(&b, "do local k, v = %s, {} v.v = v %s = function() k = v return k end end\n", at(), at())
		}
	}
	return b.String()
}

// A twin compares two graphs: what is one thing in one must be one thing in the other, and no thing may be in both.
type twin struct {
	a, b    *Machine
	of, at  map[unsafe.Pointer]unsafe.Pointer
	waiting []pair
	late    []func() bool // tables with keys whose twins are not known yet
}

type pair struct {
	path string
	a, b any
}

func (w *twin) pointers(path string, a, b unsafe.Pointer) (fresh bool, err error) {
	was, ok := w.of[a]
	back, seen := w.at[b]
	switch {
	case ok != seen, ok && (was != b || back != a):
		return false, fmt.Errorf("%s: not the same thing on both sides", path)
	case a == b:
		return false, fmt.Errorf("%s: shared between the machines", path)
	}
	w.of[a], w.at[b] = b, a
	return !ok, nil
}

// compare takes globals, among which the list keys must hold every table and function that is a key somewhere.
func (w *twin) compare(a, b map[any]any) error {
	w.waiting = append(w.waiting, pair{"keys", a["keys"], b["keys"]}, pair{"o", a["o"], b["o"]})
	for {
		for len(w.waiting) > 0 {
			p := w.waiting[0]
			w.waiting = w.waiting[1:]
			if err := w.one(p.path, p.a, p.b); err != nil {
				return err
			}
		}
		before := len(w.late)
		for _, try := range w.late {
			w.late = w.late[1:]
			if !try() {
				w.late = append(w.late, try)
			}
		}
		if len(w.waiting) == 0 && len(w.late) == before {
			break
		}
	}
	if len(w.late) > 0 {
		return fmt.Errorf("%d keys have no counterpart", len(w.late))
	}
	return nil
}

func (w *twin) one(path string, a, b any) error {
	if x, ok := a.(float64); ok {
		if y, ok := b.(float64); !ok || math.Float64bits(x) != math.Float64bits(y) {
			return fmt.Errorf("%s: %v and %v", path, a, b)
		}
		return nil
	}
	switch a.(type) {
	case nil, bool, string:
		if a != b {
			return fmt.Errorf("%s: %v and %v", path, a, b)
		}
		return nil
	}
	if s, t := w.a.typeName(a), w.b.typeName(b); s != t {
		return fmt.Errorf("%s: %s and %s", path, s, t)
	}
	if a == w.a.null {
		return nil
	}
	name, ok := w.a.permanents.names[words(a).data]
	if other := w.b.permanents.names[words(b).data]; other != name {
		return fmt.Errorf("%s: %q and %q", path, name, other)
	} else if ok {
		return nil
	}
	switch o := w.a.object(a).(type) {
	case *integer:
		if p := w.b.object(b).(*integer); p.n != o.n {
			return fmt.Errorf("%s: %d and %d", path, o.n, p.n)
		}
		return nil
	case *action:
		if p := w.b.object(b).(*action); p.path != o.path {
			return fmt.Errorf("%s: %s and %s", path, o.path, p.path)
		}
		return nil
	}
	fresh, err := w.pointers(path, words(a).data, words(b).data)
	if !fresh {
		return err
	}
	if t := w.a.table(a); t != nil {
		return w.tables(path, t, w.b.table(b))
	}
	return w.functions(path, a, b)
}

func (w *twin) tables(path string, s, t *table) error {
	if s.length() != t.length() || s.size() != t.size() {
		return fmt.Errorf("%s: length %d of %d and %d of %d entries", path, t.length(), s.length(), t.size(), s.size())
	}
	for i, v := range s.array {
		w.waiting = append(w.waiting, pair{fmt.Sprintf("%s[%d]", path, i+1), v, t.index(i + 1)})
	}
	for k, v := range s.hash {
		path := path + "." + w.a.text(nil, k)
		try := func() bool {
			other := k
			switch k := k.(type) {
			case bool, float64, string:
			default:
				if o, ok := w.a.object(k).(*integer); ok {
					other = w.b.integerValue(o.n)
				} else if o, ok := w.a.object(k).(*action); ok {
					other = w.b.actionValue(o.path)
				} else if name, ok := w.a.permanents.names[words(k).data]; ok {
					other = w.b.permanents.byName[name].value
				} else if k == w.a.null {
					other = w.b.null
				} else if at, ok := w.of[words(k).data]; ok {
					(*wordPair)(unsafe.Pointer(&other)).data = at
				} else {
					return false
				}
			}
			w.waiting = append(w.waiting, pair{path, v, t.get(other)})
			return true
		}
		if v != nil && !try() {
			w.late = append(w.late, try)
		}
	}
	meta := func(m *Machine, t *table) any {
		if t.meta == nil {
			return nil
		}
		return m.value(t.meta)
	}
	w.waiting = append(w.waiting, pair{path + " meta", meta(w.a, s), meta(w.b, t)})
	return nil
}

func (w *twin) functions(path string, a, b any) error {
	f, g := w.a.closure(a), w.b.closure(b)
	p, q := f.prototype, g.prototype
	if w.a.origin(p).source != w.b.origin(q).source || p.number != q.number || p.lineDefined != q.lineDefined ||
		len(f.upValues) != len(g.upValues) {
		return fmt.Errorf("%s: not the same function", path)
	}
	for i := range f.upValues {
		path := fmt.Sprintf("%s:%s", path, p.upValues[i].name)
		fresh, err := w.pointers(path, unsafe.Pointer(f.upValues[i]), unsafe.Pointer(g.upValues[i]))
		if err != nil {
			return err
		}
		if fresh {
			w.waiting = append(w.waiting, pair{path, w.a.captured(f, a, i), w.b.captured(g, b, i)})
		}
	}
	return nil
}

func graphMachine(t testing.TB) *Machine {
	t.Helper()
	code, err := Compile([]Chunk{{"prelude/test", "function map(t, f) return function() return t, f end end"}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Limits{}, Host{}, code)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func runSource(t testing.TB, m *Machine, source string) {
	t.Helper()
	if r := m.Run(Script{Source: source, Surface: Execute, Roots: []string{"demo"}}); r.Err != nil {
		t.Fatalf("%v\n%s", r.Err, source)
	}
}

// Random graphs survive, also the way back of their copy, and the copy shares nothing with its model. Each has one
// form.
func TestSnapshotOfRandomGraphs(t *testing.T) {
	a, b, c := graphMachine(t), graphMachine(t), graphMachine(t)
	for seed := range uint64(150) {
		source := randomGraph(rand.New(rand.NewPCG(seed, 1)))
		runSource(t, a, source)
		copied := func(from, to *Machine) {
			t.Helper()
			s, err := from.Snapshot(SnapshotLimits{Time: time.Minute})
			if err != nil || len(s.Left) > 0 || s.Globals != 2 {
				t.Fatalf("seed %d: %d globals, left %v, %v", seed, s.Globals, s.Left, err)
			}
			if err := to.Restore(s.Data); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, source)
			}
			for _, m := range []*Machine{from, to} {
				again, err := m.Snapshot(SnapshotLimits{Time: time.Minute})
				if err != nil || !bytes.Equal(again.Data, s.Data) {
					t.Fatalf("seed %d: the same state has another form (%v)\n%s", seed, err, source)
				}
			}
			w := &twin{a: from, b: to, of: map[unsafe.Pointer]unsafe.Pointer{}, at: map[unsafe.Pointer]unsafe.Pointer{}}
			if err := w.compare(from.session.hash, to.session.hash); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, source)
			}
		}
		copied(a, b)
		copied(b, c)
	}
}

// resealed is a body with the head and the sum of a whole snapshot.
func resealed(body []byte) []byte {
	data := append([]byte(snapshotMagic+"\x02"), body...)
	return binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, snapshotSum))
}

// use does with restored globals what a script may do.
const use = `
local seen = {}
local function go(v, depth)
  local text = tostring(v)
  if depth > 3 or seen[v] then return end
  if type(v) == "function" then pcall(v, v, 1, "x") return end
  if type(v) ~= "table" then return end
  seen[v] = true
  local items = {}
  for k, x in pairs(v) do items[#items + 1] = k; items[#items + 1] = x end
  for _, x in ipairs(items) do go(x, depth + 1) end
  return repr(v), #v, v.x
end
for _, name in ipairs{"a", "b", "c", "o", "f", "g"} do pcall(go, _G[name], 0) end
`

func FuzzRestore(f *testing.F) {
	m := graphMachine(f)
	for _, source := range []string{
		"a = 1 b = 'x' c = true", "a = {1, 2, b = {}} a.a = a b = a.b",
		"local n = 0 function f() n = n + 1 return n end function g() return n end",
		"o = setmetatable({}, {__index = string, __tostring = function() return 'o' end}) a = map({}, print)",
		"a = 9007199254740993 b = null c = json.array{} o = demo.x.y f = coroutine.running() g = 0/0",
		"a = function(...) return ... .. 'x' end b = {[a] = a, [{}] = {}}",
	} {
		runSource(f, m, source)
		s, err := m.Snapshot(SnapshotLimits{})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(s.Data[len(snapshotMagic)+1 : len(s.Data)-4])
		if err := m.Restore(resealed([]byte{0})); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m.SetLimits(Limits{Steps: 100_000, Time: 200 * time.Millisecond, String: 1 << 20})
		start := time.Now()
		if m.Restore(body) == nil {
			t.Error("a snapshot without a head was taken")
		}
		if err := m.Restore(resealed(body)); err != nil {
			if bad := (*SnapshotError)(nil); !errors.As(err, &bad) {
				t.Errorf("error %#v", err)
			}
			if strings.Contains(err.Error(), "internal") {
				t.Error(err)
			}
			return
		}
		if _, err := m.Snapshot(SnapshotLimits{}); err != nil {
			t.Errorf("taken and not given back: %v", err)
		}
		if r := m.Run(Script{Source: use}); r.Err != nil && strings.Contains(r.Err.Message, "internal") {
			t.Errorf("run: %v", r.Err)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// Any single wrong byte, and any missing end, is noticed.
func TestGarbledSnapshot(t *testing.T) {
	m := graphMachine(t)
	runSource(t, m, "local n = 0 function f() n = n + 1 return n end o = {1, 2, x = {f}}")
	s, err := m.Snapshot(SnapshotLimits{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Data {
		bad := bytes.Clone(s.Data)
		bad[i] ^= 0x10
		if m.Restore(bad) == nil {
			t.Errorf("byte %d changed: taken", i)
		}
		if m.Restore(s.Data[:i]) == nil {
			t.Errorf("cut at %d: taken", i)
		}
	}
	runSource(t, m, "assert(f() == 1 and o.x[1] == f)")
}

// The source of a chunk is forgotten when no function of it is left, however many runs there are.
func TestSourcesAreForgotten(t *testing.T) {
	m := graphMachine(t)
	runSource(t, m, "function old() return 1 end")
	for i := range 600 {
		runSource(t, m, fmt.Sprintf("function new() return %d, old() end", i))
		if i%100 == 0 {
			runtime.GC()
		}
	}
	if n := len(m.chunks); n > 300 {
		t.Errorf("%d chunks are known", n)
	}
	s, err := m.Snapshot(SnapshotLimits{})
	if err != nil || len(s.Left) > 0 {
		t.Fatal(s.Left, err)
	}
	o := graphMachine(t)
	if err := o.Restore(s.Data); err != nil {
		t.Fatal(err)
	}
	runSource(t, o, "local a, b = new() assert(a == 599 and b == 1)")
}
