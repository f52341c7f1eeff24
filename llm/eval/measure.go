package eval

import (
	"time"

	"almanac/llm"
	"almanac/session/trace"
)

// This file counts.

// A Tally is what one run took.
type Tally struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
	// Estimated is set where the server gave no numbers, so that Input and Output are estimates, at least in part.
	Estimated bool `json:"estimated,omitempty"`
	// Schemas, Query and Describe are the parts of Input that are definitions of tools, answers that list actions and
	// answers that specify them. They are estimates, and count again with each completion, as Input does.
	Schemas  int `json:"schema_tokens"`
	Query    int `json:"query_tokens"`
	Describe int `json:"describe_tokens"`
	// Turns are completions.
	Turns int `json:"turns"`
	// Calls are calls of actions, whatever came of them. Wrong are those that the task does not need, Invalid those whose
	// arguments did not fit, Unsafe mutations that the task does not ask for, made or not.
	Calls   int `json:"calls"`
	Wrong   int `json:"wrong_actions"`
	Invalid int `json:"invalid_arguments"`
	Unsafe  int `json:"unsafe_mutations"`
	// Scripts are scripts of the model's, Failed those that ended in an error of their own and not of a call.
	Scripts int `json:"scripts"`
	Failed  int `json:"lua_errors"`
	// FirstUse is the time to the first call of an action, zero where there was none; Whole that to the answer.
	FirstUse time.Duration `json:"first_use_ns"`
	Whole    time.Duration `json:"whole_ns"`
}

func (w *watch) tally(arm Arm, u llm.Usage) Tally {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := Tally{
		Input: u.Input, Output: u.Output, Estimated: u.Estimated > 0, Schemas: u.Parts[llm.PartTools],
		Query: u.Parts[llm.PartQuery], Describe: u.Parts[llm.PartDescribe], Turns: u.Completions,
		Calls: len(w.calls), FirstUse: w.firstUse, Whole: time.Since(w.started),
	}
	for _, c := range w.calls {
		needed := w.task.needs(c.ID)
		if !needed {
			t.Wrong++
		}
		if c.Verdict == trace.Rejected && c.Rule == "" {
			t.Invalid++
		}
		if c.Mutates && (!needed || matches(w.task.Forbid, c.ID)) {
			t.Unsafe++
		}
	}
	if arm == Layer { // in the other each call is a script that the program wrote
		t.Scripts, t.Failed = w.scripts, w.failed
	}
	return t
}

// A Total is what all runs of an arm at one size came to.
type Total struct {
	Arm   Arm `json:"arm"`
	Size  int `json:"size"`
	Tasks int `json:"tasks"`
	Tally `json:"measures"`
	Done  int `json:"successes"`
	// The rates are shares of all calls, and of all scripts.
	WrongRate   float64 `json:"wrong_action_rate"`
	InvalidRate float64 `json:"invalid_argument_rate"`
	LuaRate     float64 `json:"lua_error_rate"`
	// PerSuccess are the tokens of all runs, in and out, for each task that was done; zero where none was.
	PerSuccess int `json:"tokens_per_success"`
	// Unfit says why the arm cannot be used at this size; nothing was run then.
	Unfit string `json:"does_not_fit,omitempty"`
}

// Sum adds up the runs of one arm at one size. Latencies are means; the first use is that of the runs that had one.
func Sum(arm Arm, size int, results []Result) Total {
	t := Total{Arm: arm, Size: size}
	used := 0
	for _, r := range results {
		t.Tasks++
		if r.OK {
			t.Done++
		}
		t.Input += r.Input
		t.Output += r.Output
		t.Estimated = t.Estimated || r.Estimated
		t.Schemas += r.Schemas
		t.Query += r.Query
		t.Describe += r.Describe
		t.Turns += r.Turns
		t.Calls += r.Calls
		t.Wrong += r.Tally.Wrong
		t.Invalid += r.Invalid
		t.Unsafe += r.Unsafe
		t.Scripts += r.Scripts
		t.Failed += r.Failed
		t.FirstUse += r.FirstUse
		t.Whole += r.Whole
		if r.FirstUse > 0 {
			used++
		}
	}
	t.WrongRate, t.InvalidRate = share(t.Wrong, t.Calls), share(t.Invalid, t.Calls)
	t.LuaRate = share(t.Failed, t.Scripts)
	if t.Done > 0 {
		t.PerSuccess = (t.Input + t.Output) / t.Done
	}
	t.FirstUse /= time.Duration(max(used, 1))
	t.Whole /= time.Duration(max(t.Tasks, 1))
	return t
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
