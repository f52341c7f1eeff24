package proof

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"almanac/session"
	"almanac/session/trace"
)

// TestApplied applies the plans of random programs. One that foresaw the calls of a run makes exactly them, with the
// same globals and the same database after it. Another one stops where its plan ends: the mutations that it makes are
// the first of the run's, and all are in the plan.
func TestApplied(t *testing.T) {
	random(t, func(t *testing.T, program string) string {
		a, b := newBench(t, nil), newBench(t, nil)
		defer a.close()
		defer b.close()
		a.run(opening)
		b.run(opening)
		planned := a.preview(program)
		if planned.Err != nil {
			return ""
		}
		s := script(program)
		s.Tape = planned.Tape // the same clock and random numbers
		real := must(b.session.Run(t.Context(), s))
		applied := must(a.session.Apply(t.Context(), planned.Plan, session.Apply{Name: "script"}))
		if real.Err == nil && differ(madeBy(planned), madeBy(real)) == "" {
			switch {
			case applied.Err != nil:
				return fmt.Sprint("the plan has the calls of the run, and is stopped: ", applied.Err)
			case !reflect.DeepEqual(madeBy(applied), madeBy(real)):
				return fmt.Sprintf("applied: %v\nrun: %v", madeBy(applied), madeBy(real))
			case a.globals() != b.globals():
				return "applied and run leave other globals"
			case !strings.Contains(program, "parallel(") && a.left() != b.left(): // workers write in any order
				return "applied and run leave another database"
			}
			return ""
		}
		writes, plan := mutations(applied), mutations(planned)
		if run := mutations(real); len(writes) > len(run) || !reflect.DeepEqual(writes, run[:len(writes)]) {
			return fmt.Sprintf("applied makes %v\nwhere the run makes %v", writes, run)
		}
		if len(writes) > len(plan) || differ(plan[:len(writes)], writes) != "" {
			return fmt.Sprintf("applied makes %v\nwhere the plan has %v", writes, plan)
		}
		return ""
	})
}

// mutations are those that a run made, tried to make or that a preview foresaw.
func mutations(out *session.Outcome) (all []made) {
	for _, c := range out.Calls {
		if c.Mutates && (c.Verdict == trace.OK || c.Verdict == trace.Failed || c.Verdict == trace.Planned) {
			all = append(all, made{c.ID, c.Args})
		}
	}
	return all
}
