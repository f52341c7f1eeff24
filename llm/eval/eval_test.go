package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"almanac/catalog/pattern"
	"almanac/internal/golden"
	"almanac/llm"
	"almanac/llm/scripted"
	"almanac/session/kernel"
	"almanac/session/policy"
	"almanac/session/trace"
)

func TestMain(m *testing.M) {
	if kernel.Main() {
		return
	}
	os.Exit(m.Run())
}

func bench(t *testing.T, size int) *Bench {
	t.Helper()
	padding, err := Padding(size)
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewBench(t.Context(), t.TempDir(), size, padding)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func builtInTasks(t *testing.T) []Task {
	t.Helper()
	tasks, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

// TestSolutions is the proof of the checks: of each task the solution passes them and a run that does nothing does not.
// With -update the changes that a solution makes are written into its file.
func TestSolutions(t *testing.T) {
	b := bench(t, 0)
	for i, task := range builtInTasks(t) {
		if testing.Short() && i%10 > 0 {
			continue
		}
		t.Run(task.Name, func(t *testing.T) {
			if golden.Updating() {
				writeChanges(t, b, &task)
				return
			}
			wrong, calls, err := b.Solve(t.Context(), &task, task.Solution)
			if err != nil || len(wrong) > 0 {
				t.Errorf("solution: %v: %q", err, wrong)
			}
			for _, c := range calls {
				if !task.needs(c.ID) {
					t.Errorf("the solution calls %s, which actions does not list", c.ID)
				}
			}
			for _, id := range task.Actions {
				if !slices.ContainsFunc(calls, func(c trace.Call) bool { return c.ID == id }) {
					t.Errorf("actions lists %s, which the solution does not call", id)
				}
			}
			if wrong, _, err := b.Solve(t.Context(), &task, ""); err != nil || len(wrong) == 0 {
				t.Errorf("a run that does nothing: %v: passes", err)
			}
			for _, fact := range slices.Concat(task.Facts, task.Derived) {
				if holds(strings.Join(task.Prompts, "\n"), fact) {
					t.Errorf("the prompt gives the fact %q", fact)
				}
			}
		})
	}
}

func writeChanges(t *testing.T, b *Bench, task *Task) {
	t.Helper()
	database, err := b.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer database.close()
	if _, wrong, err := b.solve(t.Context(), task, task.Solution); err != nil || len(wrong) > 0 {
		t.Fatal(err, wrong)
	}
	changes, err := database.changes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	delete(changes, "audit")
	delete(changes, "counters")
	file := "tasks/" + task.Name + ".txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "changes" })
	if len(changes) > 0 {
		archive.Files = append(archive.Files, txtar.File{Name: "changes", Data: []byte(FormatChanges(changes))})
	}
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestScripted has the scripted agent do a few tasks in both arms and compares what it asks for and what came of it.
// Tokens are left out: they change with every word of the prompt.
func TestScripted(t *testing.T) {
	names := []string{"lookup-invoice-balance", "join-unpaid-by-name", "change-ticket-priority", "refused-void-readonly"}
	for _, size := range []int{10, 1000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			b := bench(t, size)
			var got strings.Builder
			for _, task := range builtInTasks(t) {
				if !slices.Contains(names, task.Name) {
					continue
				}
				for _, arm := range Arms() {
					r, messages := runScripted(t, b, &task, arm)
					fmt.Fprintf(&got, "# %s, %s: done %t, %d turns, %d calls, %d wrong, %d invalid, %d unsafe, %d of %d scripts\n",
						task.Name, arm, r.OK, r.Turns, r.Calls, r.Tally.Wrong, r.Invalid, r.Unsafe, r.Failed, r.Scripts)
					for _, m := range messages {
						for _, c := range m.Calls {
							fmt.Fprintf(&got, "%s %s\n", c.Name, c.Args)
						}
					}
					if r.Input < 1000 || r.Output == 0 || r.Schemas == 0 || (arm == Layer) != (r.Describe > 0) {
						t.Errorf("%s, %s: tokens: %+v", task.Name, arm, r.Tally)
					}
				}
			}
			golden.Equal(t, fmt.Sprintf("testdata/scripted_%d.golden", size), got.String())
		})
	}
}

// A heard provider keeps the last request.
type heard struct {
	llm.Provider
	last llm.Request
}

func (h *heard) Complete(ctx context.Context, r llm.Request, hear func(llm.Piece)) (llm.Response, error) {
	h.last = r
	return h.Provider.Complete(ctx, r, hear)
}

func runScripted(t *testing.T, b *Bench, task *Task, arm Arm) (Result, []llm.Message) {
	t.Helper()
	agent := &scripted.Agent{}
	defer agent.Close()
	h := &heard{Provider: agent}
	r, err := b.Run(t.Context(), task, arm, Options{Target: llm.Target{Model: scripted.Name, Provider: h, Window: 1e9}})
	if err != nil || r.Err != nil {
		t.Fatalf("%s, %s: %v, %v", task.Name, arm, err, r.Err)
	}
	return r, h.last.Messages
}

// TestCheck changes what a solution left behind, by hand, and the check must see it.
func TestCheck(t *testing.T) {
	b := bench(t, 0)
	tasks := builtInTasks(t)
	task := &tasks[slices.IndexFunc(tasks, func(t Task) bool { return t.Name == "change-ticket-priority" })]
	for _, test := range []struct{ name, call, wrong string }{
		{"as it must be", ``, ``},
		{"undone", `support.ticket.set_priority{ticket_id = "tkt_00245", priority = "low"}`, "rows of SELECT priority"},
		{"another row of the same table", `support.ticket.set_priority{ticket_id = "tkt_00292", priority = "low"}`,
			`tables that differ: want "tickets +1 -1\n", got "tickets +2 -2\n"`},
		{"another table", `crm.customer.set_status{customer_id = "cus_0009", status = "closed"}`,
			`got "customers +1 -1\ntickets`},
	} {
		t.Run(test.name, func(t *testing.T) {
			task := *task
			task.Policy, task.Approve = policy.Ask, []pattern.Pattern{pattern.All()}
			wrong, _, err := b.Solve(t.Context(), &task, task.Solution+"\n"+test.call)
			got := strings.Join(wrong, "; ")
			if err != nil || (got == "") != (test.wrong == "") || !strings.Contains(got, test.wrong) {
				t.Errorf("%v: got %s, want %s", err, got, test.wrong)
			}
		})
	}
}

// TestAgentKnowsNoTask: the agent's rules have no name, id or fact of a task.
func TestAgentKnowsNoTask(t *testing.T) {
	var rules strings.Builder
	for _, file := range golden.Files(t, "../scripted/*.go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rules.Write(text)
	}
	for _, task := range builtInTasks(t) {
		for _, word := range slices.Concat([]string{task.Name}, task.Actions) {
			if strings.Contains(rules.String(), word) {
				t.Errorf("the agent has %q of task %s", word, task.Name)
			}
		}
		for _, fact := range slices.Concat(task.Facts, task.Derived) {
			if len(fact) > 4 && holds(rules.String(), fact) {
				t.Errorf("the agent has the fact %q of task %s", fact, task.Name)
			}
		}
	}
}

func TestHolds(t *testing.T) {
	for _, test := range []struct {
		text, fact string
		want       bool
	}{
		{"the balance is 703310.", "703310", true},
		{`{"balance_cents":703310,"due":1}`, "703310", true},
		{"7033100", "703310", false},
		{"703310.5", "703310", false},
		{"1703310", "703310", false},
		{"inv_015441", "inv_01544", false},
		{"ACME Corp is it", "acme corp", true},
		{"1,703", "703", false},
		{"", "x", false},
	} {
		if got := holds(test.text, test.fact); got != test.want {
			t.Errorf("holds(%q, %q) = %t", test.text, test.fact, got)
		}
	}
}

func TestParseTaskRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no prompt":                "title\n-- facts --\nx\n",
		"nothing is checked":       "title\n-- prompt --\nx\n",
		"colour: unknown":          "title\ncolour: red\n-- prompt --\nx\n-- facts --\nx\n",
		"want NAME: VALUE":         "title\nred\n-- prompt --\nx\n-- facts --\nx\n",
		"no row after it":          "title\n-- prompt --\nx\n-- rows --\nSELECT 1\n",
		"no query before it":       "title\n-- prompt --\nx\n-- rows --\n> 1\n",
		"want a table and numbers": "title\n-- prompt --\nx\n-- changes --\ntickets 0\n",
		"unknown section":          "title\n-- prompt --\nx\n-- fact --\nx\n",
		`policy "x": unknown`:      "title\npolicy: x\n-- prompt --\nx\n-- facts --\nx\n",
	} {
		if _, err := ParseTask("t", []byte(text)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v, want %s", text, err, name)
		}
	}
}

// A provider that ends the run when it is asked.
type ending struct{ end func() }

func (e ending) Complete(context.Context, llm.Request, func(llm.Piece)) (llm.Response, error) {
	e.end()
	return llm.Response{}, errors.New("ended")
}

func endless(t *testing.T) *Task {
	t.Helper()
	task, err := ParseTask("endless", []byte("It\n-- prompt --\nx\n-- rows --\n"+
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n\n> 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	return &task
}

// TestEndlessQuery: a query without end ends with the run, and by itself.
func TestEndlessQuery(t *testing.T) {
	b := bench(t, 0)
	ctx, end := context.WithCancel(t.Context())
	_, err := b.Run(ctx, endless(t), Layer, Options{Target: llm.Target{Model: "x", Provider: ending{end}, Window: 1e9}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	b.checkTime = 100 * time.Millisecond
	_, _, err = b.Solve(t.Context(), endless(t), "")
	if err == nil || !strings.Contains(err.Error(), "rows: WITH RECURSIVE n(i)") ||
		!strings.Contains(err.Error(), "not answered after 100ms") {
		t.Errorf("by itself: %v", err)
	}
}

// TestOpenRefuses: a task is a regular file of a bounded size.
func TestOpenRefuses(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, make([]byte, maxTask+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"/dev/zero": "zero.txtar: not a regular file",
		large:       "zero.txtar: larger than 1 MiB",
	} {
		dir := t.TempDir()
		if err := os.Symlink(target, filepath.Join(dir, "zero.txtar")); err != nil {
			t.Skip(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", target, err, want)
		}
	}
}

// TestSizeIsTheOneAskedFor: also where a task hides actions.
func TestSizeIsTheOneAskedFor(t *testing.T) {
	b := bench(t, 1000)
	tasks := builtInTasks(t)
	task := &tasks[slices.IndexFunc(tasks, func(t Task) bool { return len(t.Hide) > 0 })]
	if err := b.Check(tasks); err != nil {
		t.Error(err)
	}
	if r, _ := runScripted(t, b, task, Layer); r.Size != 1000 {
		t.Errorf("%s: size %d", task.Name, r.Size)
	}
}
