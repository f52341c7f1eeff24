package proof

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"almanac/session"
	"almanac/session/policy"
	"almanac/session/syntax"
)

// TestListApproved has a model run random programs, which a person approves as a list where there are several writes:
// the mutations are the first of those that a run makes which nobody asks about, and all of them where it ends well.
func TestListApproved(t *testing.T) {
	random(t, func(t *testing.T, program string) string {
		program = strings.ReplaceAll(program, "math.random(", "math.abs(")
		asked := 0
		a := newBench(t, func(o *session.Options) {
			o.Policy.Mode, o.Limits, o.Budget = policy.Ask, o.UserLimits, session.Budget{Calls: 60, Selected: 100}
			o.Approve = func(_ context.Context, r session.Request) (session.Approval, error) {
				asked += len(r.Batch)
				return session.Approval{Verdict: session.Once}, nil
			}
		})
		defer a.close()
		b := newBench(t, nil)
		defer b.close()
		a.run(opening)
		b.run(opening)
		s := script(program)
		s.Author = session.Model
		paths, _ := syntax.Mentions(program)
		for _, path := range paths {
			if _, ok := a.session.View().Lookup(path); ok {
				s.Actions = append(s.Actions, path)
			}
		}
		listed, real := must(a.session.Run(t.Context(), s)), b.run(program)
		made, run := mutations(listed), mutations(real)
		if len(made) > len(run) || fmt.Sprint(made) != fmt.Sprint(run[:len(made)]) {
			return fmt.Sprintf("the model makes %v (%d listed)\nwhere the run makes %v", made, asked, run)
		}
		if listed.Err == nil && len(made) < len(run) {
			return fmt.Sprintf("the model makes %v, ends well, and misses %v", made, run[len(made):])
		}
		return ""
	})
}
