package replay

import (
	"strings"
	"testing"

	"almanac/internal/golden"
	"almanac/repl/transcript"
	"almanac/session"
	"almanac/session/trace"
)

// TestLines shows what a report says of each way in which a script comes to something else.
func TestLines(t *testing.T) {
	call := func(n int, id string, args map[string]any, v trace.Verdict, err string) trace.Call {
		return trace.Call{N: n, ID: id, Args: args, Verdict: v, Error: err}
	}
	get := call(1, "crm.customer.get", map[string]any{"id": "cus_1", "limit": 3.0}, trace.OK, "")
	was := transcript.Run{
		ID: "r", Cell: 1, Author: session.User, Mode: trace.ModeRun, Source: "x = f()\nreturn x",
		Stdout: "a\nb\nc\n", Calls: []trace.Call{get},
		Ended: &trace.Outcome{OK: true, Repr: "{\n  a = 1,\n  b = 2,\n}", Changed: []string{"x", "_"}},
	}
	var r Report
	add := func(name string, change func(*transcript.Run)) {
		is := was
		ended := *was.Ended
		is.Ended = &ended
		change(&is)
		s := Result{Cell: len(r.Scripts) + 1, Author: session.User, Mode: trace.ModeRun, Source: name, Calls: len(was.Calls)}
		s.Differs = differences(was, is, true)
		r.add(s)
	}
	add("the same", func(*transcript.Run) {})
	add("one field of the value", func(r *transcript.Run) { r.Ended.Repr = "{\n  a = 1,\n  b = 3,\n}" })
	add("nothing printed", func(r *transcript.Run) { r.Stdout = "" })
	add("a sequence for the terminal", func(r *transcript.Run) { r.Stdout = "a\n\x1b[31mb\nc\n" })
	add("an error", func(r *transcript.Run) { r.Ended.Error = "line 1: no" })
	add("another argument", func(r *transcript.Run) {
		r.Calls = []trace.Call{call(1, "crm.customer.get", map[string]any{"id": "cus_2", "limit": int64(3)}, trace.OK, "")}
	})
	add("the same calls, told in another order", func(r *transcript.Run) {
		r.Calls = []trace.Call{get}
	})
	add("one call more, and failed", func(r *transcript.Run) {
		r.Calls = []trace.Call{call(2, "a.b", nil, trace.Failed, "a.b: out\nof order"), get}
	})
	add("another result", func(r *transcript.Run) {
		other := get
		other.Result = map[string]any{"name": "Ann"}
		r.Calls = []trace.Call{other}
	})
	add("other globals", func(r *transcript.Run) { r.Ended.Changed = []string{"_", "y"} })
	r.add(Result{
		Cell: 20, Author: session.Model, Mode: trace.ModePreview, Source: "y()", Partly: []string{"a.b: not in the log"},
	})
	r.add(Result{Cell: 20, Author: session.Model, Mode: trace.ModeRun, Source: "y()", Skipped: "was interrupted"})
	r.add(Result{Author: session.User, Mode: trace.ModeRun, Source: "z()", Skipped: "was cut off"})
	r.Queries = 2
	r.notice("Lua went back to cell 3")
	golden.Equal(t, "testdata/lines.golden", strings.Join(r.Lines(), "\n")+"\n")
}
