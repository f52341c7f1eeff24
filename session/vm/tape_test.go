package vm

import (
	"strings"
	"testing"
	"time"
)

// taped are scripts of which two runs differ. What they return is compared.
var taped = map[string]string{
	"time":       `return os.time()`,
	"date":       `return os.date("%T"), os.date("*t").sec`,
	"clock":      `local t = os.clock() for i = 1, 2e4 do end return t, os.clock() - t`,
	"random":     `return math.random(), math.random(1e9), math.random(1, 1e9)`,
	"seeded":     `local a = math.random() math.randomseed(7) return a, math.random()`,
	"after":      `math.random() return math.random()`,
	"address":    `local t, f = {}, function() end return tostring(t), tostring(f), tostring(t), tostring(print)`,
	"threads":    `return tostring(coroutine.create(print)), ("%s"):format({})`,
	"coroutine":  `local out = {} coroutine.wrap(function() out = {os.time(), tostring({})} end)() return out`,
	"all of it":  `return os.time(), math.random(), os.clock(), tostring({})`,
	"in a loop":  `local s = 0 for i = 1, 500 do s = s + math.random() * os.time() + #tostring({}) end return s`,
	"an error":   `error(tostring({}) .. math.random())`,
	"as a value": `return {[tostring({})] = os.time()}`,
}

// outcome is all of a reply that a replay compares.
func outcome(r Reply) string {
	var parts []string
	for _, v := range r.Values {
		parts = append(parts, v.Repr)
	}
	if r.Err != nil {
		parts = append(parts, r.Err.Message)
	}
	return strings.Join(parts, "\n")
}

// older is a machine with a past, whose clock, generator and objects are at another place.
func older(t testing.TB) *rig {
	m := newRig(t, Limits{})
	if r := m.Run(Script{Source: "math.random() for i = 1, 100 do tostring({}) end", Name: "past"}); r.Err != nil {
		t.Fatal(r.Err)
	}
	return m
}

func TestTape(t *testing.T) {
	for name, source := range taped {
		t.Run(name, func(t *testing.T) {
			script := Script{Source: source, Name: "cell 1"}
			first := newRig(t, Limits{}).Run(script)
			if first.Tape == "" || first.Tape.Check() != nil {
				t.Fatalf("tape %q: %v", first.Tape, first.Tape.Check())
			}
			script.Tape = first.Tape
			again := older(t).Run(script)
			if got, want := outcome(again), outcome(first); got != want {
				t.Errorf("with the tape:\n%s\nwant\n%s", got, want)
			}
			if again.Tape != first.Tape {
				t.Errorf("the second run left the tape %q, want %q", again.Tape, first.Tape)
			}
		})
	}
}

// A run with the tape of another one reads what is real beyond it, and so does a run with a damaged one.
func TestTapeEnds(t *testing.T) {
	m := newRig(t, Limits{})
	old := older(t)
	back := int64(1_000_000_000)
	old.deck = deck{room: maxReadings - 1}
	old.deck.read[readTime] = []int64{back}
	past := old.deck.tape()
	r := m.Run(Script{Source: "return os.time(), os.time() > 1e9, os.date('%Y', os.time()) > '2025'", Tape: past})
	if got := outcome(r); got != "1000000000\ntrue\ntrue" {
		t.Errorf("beyond the tape: %s", got)
	}
	for _, bad := range []Tape{"x", "!", past[:len(past)-1], past + "AA", Tape(strings.Repeat("A", 100))} {
		if bad.Check() == nil {
			t.Errorf("%q is taken for a tape", bad)
		}
		if r := m.Run(Script{Source: "return os.time() > 1e9", Tape: bad}); outcome(r) != "true" {
			t.Errorf("with %q: %s", bad, outcome(r))
		}
	}
}

func TestTapeNothing(t *testing.T) {
	m := newRig(t, Limits{})
	for _, source := range []string{"x = {1, print, {}} print(x) return {}", "for k in pairs(_G) do end",
		"return os.time({year=2020, month=1, day=1}), os.date('%Y', 0)", "t = {} t[print], t[{}] = 1, 2 print(t)"} {
		if r := m.Run(Script{Source: source}); r.Tape != "" || r.Err != nil {
			t.Errorf("%s: tape %q, error %v", source, r.Tape, r.Err)
		}
	}
}

func TestTapeFull(t *testing.T) {
	m := newRig(t, Limits{})
	r := m.Run(Script{Source: "for i = 1, 10000 do os.time() end"})
	if r.Tape.Full() {
		t.Error("full after 10,000 readings")
	}
	r = m.Run(Script{Source: "for i = 1, 10001 do os.time() os.clock() end"})
	if !r.Tape.Full() {
		t.Error("not full after 20,002 readings")
	}
	if len(r.Tape) > 150_000 {
		t.Errorf("%d bytes", len(r.Tape))
	}
}

// Keys that are no text and no number come in the same order in every machine.
func TestOrderOfKeys(t *testing.T) {
	const source = `
local t, seen = {}, {}
for i = 40, 1, -1 do
  t[{id = i % 7, "x"}] = i
  t[function() return i end] = i
  t[coroutine.create(print)] = i
end
t[print], t[math.sin], t[string], t[null], t[9007199254740993], t[true] = "print", "sin", "string", "null", "integer", true
local n = 0
for k, v in pairs(t) do n = n + 1 seen[n] = type(k) .. " " .. tostring(v) end
local again, k = {}, next(t)
while k ~= nil do again[#again + 1] = type(k) .. " " .. tostring(t[k]) k = next(t, k) end
assert(table.concat(again, ",") == table.concat(seen, ","))
return table.concat(seen, ",")`
	var want string
	for i := range 4 {
		r := older(t).Run(Script{Source: source, Name: "cell 1"})
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		if got := outcome(r); i == 0 {
			want = got
		} else if got != want {
			t.Fatalf("order in another machine:\n%s\nwant\n%s", got, want)
		}
	}
	// Too many keys to number still have one order.
	r := newRig(t, Limits{Steps: 1e9, Time: time.Minute}).Run(Script{Source: `
local t, n = {}, 0
for i = 1, 12000 do t[{}] = i end
for k in pairs(t) do n = n + 1 assert(next(t, k) ~= k) end
return n`})
	if got := outcome(r); got != "12000" {
		t.Error(got)
	}
}

// Keys keep their order when the globals are written down and read again.
func TestOrderOfKeysRestored(t *testing.T) {
	m := older(t)
	const fill = `t = {} for i = 1, 9 do t[{id = 9 - i}] = i t[function() return i end] = i end t[null], t[print] = 0, 0`
	const order = `local s = "" for k, v in pairs(t) do s = s .. " " .. v end return s`
	if r := m.Run(Script{Source: fill, Name: "cell 1"}); r.Err != nil {
		t.Fatal(r.Err)
	}
	want := outcome(m.Run(Script{Source: order}))
	state, err := m.Snapshot(SnapshotLimits{})
	if err != nil {
		t.Fatal(err)
	}
	if got := outcome(m.Run(Script{Source: order})); got != want {
		t.Errorf("after a snapshot: %s, want %s", got, want)
	}
	other := older(t)
	if err := other.Restore(state.Data); err != nil {
		t.Fatal(err)
	}
	if got := outcome(other.Run(Script{Source: order})); got != want {
		t.Errorf("restored: %s, want %s", got, want)
	}
}

// A generator that a script has seeded goes on where it was when the globals are restored; any other is not in them.
func TestSeedRestored(t *testing.T) {
	const numbers = "return math.random(1e9), math.random(1e9)"
	m := newRig(t, Limits{})
	m.Run(Script{Source: "x = math.random()"})
	plain, err := m.Snapshot(SnapshotLimits{})
	if err != nil {
		t.Fatal(err)
	}
	m.Run(Script{Source: "math.randomseed(7) math.random()"})
	seeded, err := m.Snapshot(SnapshotLimits{})
	if err != nil {
		t.Fatal(err)
	}
	want := outcome(m.Run(Script{Source: numbers}))
	other := older(t)
	if err := other.Restore(seeded.Data); err != nil {
		t.Fatal(err)
	}
	if again, _ := other.Snapshot(SnapshotLimits{}); string(again.Data) != string(seeded.Data) {
		t.Error("what was restored is written down otherwise")
	}
	if got := outcome(other.Run(Script{Source: numbers})); got != want {
		t.Errorf("restored: %s, want %s", got, want)
	}
	if err := other.Restore(plain.Data); err != nil {
		t.Fatal(err)
	}
	first := outcome(other.Run(Script{Source: numbers}))
	if err := other.Restore(plain.Data); err != nil {
		t.Fatal(err)
	}
	if again := outcome(other.Run(Script{Source: numbers})); again == first {
		t.Errorf("numbers that nobody seeded come again: %s", again)
	}
	if again, _ := other.Snapshot(SnapshotLimits{}); string(again.Data) != string(plain.Data) {
		t.Error("random numbers change a state that nobody seeded")
	}
}

// A tape may come from a kernel process that lies, or from a file: whatever it says, opening it is cheap and safe.
func FuzzTape(f *testing.F) {
	m := newRig(f, Limits{})
	for _, source := range taped {
		f.Add(string(m.Run(Script{Source: source}).Tape))
	}
	f.Add("AQGQTg")
	f.Add("AQD______w8")
	f.Fuzz(func(t *testing.T, text string) {
		tape := Tape(text)
		given, err := tape.open()
		if err != nil {
			if tape.Full() {
				t.Error("a damaged tape is full")
			}
			return
		}
		count := 0
		for _, list := range given.given {
			count += len(list)
		}
		if count > len(text) {
			t.Errorf("%d readings of %d bytes", count, len(text))
		}
	})
}
