package tools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
	"almanac/session"
	"almanac/session/trace"
	"almanac/session/vm"
)

func TestRenderOutcome(t *testing.T) {
	many := make([]string, 15)
	for i := range many {
		many[i] = fmt.Sprintf("g%02d", i)
	}
	ok := trace.Call{ID: "crm.customer.get", Verdict: trace.OK}
	for _, test := range []struct {
		name string
		out  session.Outcome
		want string
	}{
		{"nothing", session.Outcome{}, "ok, nothing returned"},
		{"a value", session.Outcome{Values: []vm.Value{{Type: "number", Repr: "10", Data: int64(10), Whole: true}},
			Calls: []trace.Call{ok}}, "10"},
		{"values and output", session.Outcome{
			Values: []vm.Value{{Repr: `"a"`}, {Repr: "{x = 1}"}}, Stdout: "hello\n", Stderr: "hm\n",
			Logs: []string{"one", "two"}, Dropped: 7,
		}, "1: \"a\"\n2: {x = 1}\nprinted:\nhello\nstderr:\nhm\nlog:\none\ntwo\n7 more printed bytes dropped: print less"},
		{"globals", session.Outcome{Globals: vm.Diff{Added: many, Changed: []string{"x"}, Removed: []string{"y"}}},
			"globals: set g00, g01, g02, g03, g04, g05, g06, g07, g08, g09, g10, g11 and 3 more; changed x; removed y"},
		{"script error", session.Outcome{Err: &vm.Error{
			Kind: vm.Runtime, Message: "attempt to index a nil value (local 'c')", Line: 3,
			Excerpt: "  return c.id", Hint: "check that c is set",
		}}, "error (runtime) line 3: attempt to index a nil value (local 'c')\n  3| return c.id\nhint: check that c is set"},
		{"error value", session.Outcome{Err: &vm.Error{
			Kind: vm.Runtime, Message: "error value", Value: &vm.Value{Type: "table", Repr: "{code = 7}"},
		}}, "error (runtime): error value\nerror value: {code = 7}"},
		{"denied", session.Outcome{
			Err: &vm.Error{Kind: vm.Denied, Message: "billing.refund.issue: denied by the person: not today",
				Line: 2, Hint: "do not try again"},
			Calls: []trace.Call{
				ok, ok,
				{ID: "crm.lead.create", Verdict: trace.OK, Mutates: true},
				{ID: "billing.refund.issue", Verdict: trace.Denied, Rule: "refused", Mutates: true},
			},
		}, "error (denied) line 2: billing.refund.issue: denied by the person: not today\nhint: do not try again\n" +
			"calls:\n  crm.customer.get x2: ok\n  crm.lead.create: ok, changed data\n  billing.refund.issue: denied (refused)\nwhat changed data stays changed: do not repeat those calls"},
		{"caught failure", session.Outcome{
			Values: []vm.Value{{Repr: "nil"}}, Calls: []trace.Call{{ID: "a.b", Verdict: trace.Failed, Error: "gone"}},
		}, "nil\ncalls:\n  a.b: failed"},
		{"effects", session.Outcome{
			Effects: []catalog.Effect{{Kind: "state.set", Target: "n"}, {Kind: "notify"}, {Kind: "notify"}},
		}, "effects recorded, not applied: state.set n, notify (2)"},
		{"lost", session.Outcome{
			Err:  &vm.Error{Kind: vm.Limit, Limit: "memory", Message: "the script used more than 256 MiB"},
			Lost: "the Lua process ended",
		}, "error (limit): the script used more than 256 MiB\nlost: the Lua process ended"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if d := cmp.Diff(test.want, renderOutcome(&test.out, showing{})); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRenderAnswer(t *testing.T) {
	for _, test := range []struct {
		answer session.Answer
		want   string
	}{
		{session.Answer{Text: "complete\na.b()\n", Outcome: &session.Outcome{}}, "complete\na.b()"},
		{session.Answer{Outcome: &session.Outcome{Stdout: "x\n"}},
			"nothing returned: end the script with return catalog.search(...)\nprinted:\nx"},
		{session.Answer{Outcome: &session.Outcome{Err: &vm.Error{Kind: vm.Syntax, Message: "unexpected end", Line: 1}}},
			"error (syntax) line 1: unexpected end"},
	} {
		if d := cmp.Diff(test.want, renderAnswer(&test.answer, 0)); d != "" {
			t.Error(d)
		}
	}
}

// rows is a list of n records.
func rows(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = map[string]any{"id": fmt.Sprintf("inv_%d", i), "amount_cents": int64(i), "due date": "2026-10-02"}
	}
	return list
}

func TestLargeValuesAreOutlined(t *testing.T) {
	long := strings.Repeat("long text ", 10_000)
	fields := map[string]any{}
	for i := range 60 {
		fields[fmt.Sprintf("k%02d", i)] = long
	}
	for _, test := range []struct {
		name  string
		value vm.Value
		want  []string // lines that begin so
	}{
		{"list", vm.Value{Type: "table", Repr: long, Data: rows(5000), Whole: true}, []string{
			"table: a list of 5000",
			"keys of each: amount_cents, due date, id",
			`[1] = { amount_cents = 0, ["due date"] = "2026-10-02", id = "inv_0" }`,
			`[2] = { amount_cents = 1, ["due date"] = "2026-10-02", id = "inv_1" }`,
			"too large to show: the whole value is in the global _7 until",
		}},
		{"keys", vm.Value{Type: "table", Repr: long, Data: fields, Whole: true}, []string{
			"table: 60 keys: k00, k01, k02, k03, k04, k05, k06, k07, k08, k09, k10, k11,",
			`k00 = "long text long`, `k01 = "long text long`, "too large to show",
		}},
		{"reserved words and bytes",
			vm.Value{Type: "table", Repr: long,
				Data: []any{map[string]any{"end": "\x00\u200b", "n": nil}}, Whole: true}, []string{
				"table: a list of 1", "keys of each: end, n", `[1] = { ["end"] = "\0\u{200b}", n = null }`, "too large to show",
			}},
		{"string", vm.Value{Type: "string", Repr: long, Data: long, Whole: true}, []string{
			`string of 100000 bytes, starts "long text`, "too large to show",
		}},
		{"not data", vm.Value{Type: "table", Repr: "{f = function, " + long, Size: 12}, []string{
			"table of size 12, starts {f = function, long text", "too large to show",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := renderOutcome(&session.Outcome{Values: []vm.Value{test.value}}, showing{kept: "_7"})
			lines := strings.Split(got, "\n")
			if len(got) > 4<<10 || len(lines) != len(test.want) {
				t.Fatalf("%d bytes:\n%s", len(got), got)
			}
			for i, want := range test.want {
				if !strings.HasPrefix(lines[i], want) {
					t.Errorf("line %d: %s\nwant    %s", i+1, lines[i], want)
				}
			}
		})
	}
}

func TestAnswersAreCapped(t *testing.T) {
	half := vm.Value{Type: "string", Repr: strings.Repeat("a", 40<<10), Data: "a", Whole: true}
	got := renderOutcome(&session.Outcome{
		Values: []vm.Value{half, half, half},
		Stdout: strings.Repeat("out\n", 1<<20), Stderr: strings.Repeat("err\n", 1<<20),
		Logs: []string{strings.Repeat("log\n", 1<<20)},
	}, showing{})
	if most := maxValues + maxPrinted + 1<<10; len(got) > most {
		t.Errorf("%d bytes, want at most %d", len(got), most)
	}
	for _, want := range []string{"[4128767 bytes omitted]", "stderr:\n", "log:\n", "3: string of 1 bytes"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestCappedKeepsBothEnds(t *testing.T) {
	got := capped("begin"+strings.Repeat("é", 1000)+"end", 100)
	if !strings.HasPrefix(got, "begin") || !strings.HasSuffix(got, "end") || strings.ContainsRune(got, '\uFFFD') {
		t.Errorf("%q", got)
	}
}

// The plan of a preview is told with how the person applies it, where they can and it has writes.
func TestPlanIsTold(t *testing.T) {
	would := trace.Call{ID: "a.b", Mutates: true, Verdict: trace.Planned}
	const hint = "plan 3: 1 write; the person can run exactly this with /apply 3\n"
	for _, test := range []struct {
		calls []trace.Call
		how   showing
		told  bool
	}{
		{[]trace.Call{would}, showing{applies: true}, true},
		{[]trace.Call{would}, showing{}, false},
		{nil, showing{applies: true}, false},
	} {
		out := session.Outcome{DryRun: true, Plan: 3, PlanText: "1 write", Calls: test.calls}
		if got := renderOutcome(&out, test.how); strings.Contains(got+"\n", hint) != test.told ||
			!strings.Contains(got, "plan 3: 1 write") {
			t.Errorf("%+v: %s", test, got)
		}
	}
}
