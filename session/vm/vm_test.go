package vm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// This file runs the Lua files in testdata and in prelude/testdata. A file is cut into scripts by lines "---"; each
// runs in a fresh machine and must end without error, or fail on the line that carries `-- ### "regexp"` with an error
// that matches.

// A rig is a machine whose host keeps what it is asked.
type rig struct {
	*Machine
	t       testing.TB
	printed map[Stream]string
	calls   []string
	ops     []string
	// begun, if set, is called when a script calls test.begun.
	begun func()
}

// compiledPrelude is the prelude as a kernel gets it.
var compiledPrelude = sync.OnceValues(func() (Compiled, error) { return Compile(preludeChunks()) })

func newRig(t testing.TB, l Limits) *rig {
	t.Helper()
	r := &rig{t: t, printed: map[Stream]string{}}
	compiled, err := compiledPrelude()
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(l, Host{Call: r.call, Op: r.op, Write: func(s Stream, text string) { r.printed[s] += text }}, compiled)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	r.Machine = m
	return r
}

// call is the host's back end: test.echo gives its arguments back, the others fail in their ways.
func (r *rig) call(id string, args map[string]any, line int) (any, error) {
	r.calls = append(r.calls, fmt.Sprintf("%s line %d", id, line))
	switch id {
	case "test.echo":
		return args, nil
	case "test.value":
		return args["value"], nil
	case "test.begun":
		r.begun()
		return nil, nil
	case "test.nothing":
		return nil, nil
	case "test.big":
		return map[string]any{"id": int64(9007199254740993), "none": nil, "list": []any{}, "map": map[string]any{}}, nil
	case "test.fails":
		return nil, &HostError{Code: "not_found", Message: "no such customer", Hint: "search first"}
	case "test.denied":
		return nil, &HostError{Fatal: true, Kind: Denied, Message: "denied: this session is read-only"}
	case "test.interrupted":
		r.Interrupt("stopped by the user")
		return nil, nil
	}
	return nil, fmt.Errorf("%s: unknown", id)
}

func (r *rig) op(name string, args []any) (any, error) {
	r.ops = append(r.ops, strings.TrimSpace(fmt.Sprintln(append([]any{name}, args...)...)))
	hits := []any{map[string]any{"id": "crm.customer.get", "score": 1.5, "line": "crm.customer.get(id*:str)  R"}}
	switch name {
	case "catalog.below":
		if args[0] == "depot" {
			return map[string]any{"actions": int64(3), "names": []any{"part", "order"}}, nil
		}
		return map[string]any{}, nil
	case "catalog.pick":
		return map[string]any{"step": int64(1), "needs_output": "customer_id", "hits": hits}, nil
	case "catalog.plan":
		return map[string]any{"plan": int64(1), "ids": []any{"crm.customer.get"}, "steps": []any{}}, nil
	case "catalog.text":
		if handle, _ := args[0].(map[string]any); handle["plan"] != nil {
			return "the plan", nil
		}
		return nil, errors.New("a set of an earlier run")
	case "catalog.describe":
		return []any{map[string]any{"id": "crm.customer.get", "text": "the spec"}}, nil
	case "catalog.facets":
		return map[string]any{"domains": map[string]any{"crm": int64(3)}}, nil
	}
	return map[string]any{"set": int64(len(r.ops)), "total": int64(37), "query": "q", "hits": hits}, nil
}

func (r *rig) run(source string) Reply {
	return r.Run(Script{Source: source, Name: "test", Surface: Execute, Roots: []string{"test", "billing", "depot"}})
}

// must runs a script that has to succeed.
func (r *rig) must(source string) Reply {
	r.t.Helper()
	reply := r.run(source)
	if reply.Err != nil {
		r.t.Fatalf("%s: %v\n%s", source, reply.Err, strings.Join(reply.Err.Traceback, "\n"))
	}
	return reply
}

var expectation = regexp.MustCompile(`-- ### (".*")\s*$`)

// wanted finds the line of a script that must fail, and how.
func wanted(t *testing.T, source string) (line int, re *regexp.Regexp) {
	for i, text := range strings.Split(source, "\n") {
		if found := expectation.FindStringSubmatch(text); found != nil {
			pattern, err := strconv.Unquote(found[1])
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			return i + 1, regexp.MustCompile(pattern)
		}
	}
	return 0, nil
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.lua")
	if err != nil || len(files) == 0 {
		t.Fatal("no Lua files", err)
	}
	preludeFiles, err := filepath.Glob("../../prelude/testdata/*.lua")
	if err != nil || len(preludeFiles) == 0 {
		t.Fatal("no prelude Lua files", err)
	}
	files = append(files, preludeFiles...)
	for _, file := range files {
		if filepath.Base(file) == "limits.lua" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".lua"), func(t *testing.T) {
			first := 0
			for _, source := range strings.Split(string(text), "\n---\n") {
				checkScript(t, source, first)
				first += strings.Count(source, "\n") + 2
			}
		})
	}
}

func checkScript(t *testing.T, source string, first int) {
	t.Helper()
	line, re := wanted(t, source)
	reply := newRig(t, Limits{Time: time.Minute}).run(source) // a busy machine with the race detector is slow
	switch err := reply.Err; {
	case err == nil && re != nil:
		t.Errorf("line %d: no error, want %v", first+line, re)
	case err == nil:
	case re == nil:
		t.Errorf("line %d: %v\n%s", first+err.Line, err, strings.Join(err.Traceback, "\n"))
	case err.Line != line || !re.MatchString(err.Error()):
		t.Errorf("line %d: %v, want line %d to fail with %v", first+err.Line, err, first+line, re)
	}
}

// TestLimits runs every line of limits.lua in one machine: each must be ended for the reason it names, soon, and
// leave a machine that works.
func TestLimits(t *testing.T) {
	text, err := os.ReadFile("testdata/limits.lua")
	if err != nil {
		t.Fatal(err)
	}
	limits := Limits{Steps: 3_000_000, Time: 150 * time.Millisecond, String: 1 << 20, Coroutines: 50}
	r := newRig(t, limits)
	for i, source := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		_, re := wanted(t, source)
		if re == nil {
			continue
		}
		l := limits
		if !re.MatchString("limit/time") {
			l.Time = time.Minute // a busy machine with the race detector is slow
		}
		r.SetLimits(l)
		start := time.Now()
		reply := r.run(source)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("line %d took %v: %s", i+1, took, source)
		}
		if reply.Err == nil {
			t.Errorf("line %d: no error, want %v: %s", i+1, re, source)
		} else if got := string(reply.Err.Kind) + "/" + reply.Err.Limit + ": " + reply.Err.Message; !re.MatchString(got) {
			t.Errorf("line %d: %s, want %v", i+1, got, re)
		}
		after := r.run("return 1 + 1, map({1}, function(x) return x + 1 end)[1]")
		if after.Err != nil || len(after.Values) != 2 || after.Values[0].Repr != "2" || after.Values[1].Repr != "2" {
			t.Fatalf("line %d left a broken machine: %v %v", i+1, after.Err, after.Values)
		}
	}
	if len(r.threads) != 0 {
		t.Errorf("%d coroutines were left", len(r.threads))
	}
}
