package proof

import (
	"strings"
	"testing"

	"almanac/session/trace"
)

// TestActionsPreviewed makes every example of every action: the preview leaves the database as it is, byte for byte,
// and has the call that the run makes.
func TestActionsPreviewed(t *testing.T) {
	b := newBench(t, nil)
	defer b.close()
	before := b.stored()
	for _, e := range b.office.Entries() {
		for _, example := range e.Examples {
			planned := b.preview(example)
			if b.stored() != before {
				t.Errorf("%s: the preview changed the database", example)
			}
			real := b.run(example)
			if planned.Err != nil || real.Err != nil || len(real.Calls) != 1 {
				t.Errorf("%s: previewed: %v, run: %v, %d calls", example, planned.Err, real.Err, len(real.Calls))
			}
			if text := differ(madeBy(planned), madeBy(real)); text != "" {
				t.Errorf("%s: %s", example, text)
			}
			if e.Mutates != (planned.Calls[0].Verdict == trace.Planned) {
				t.Errorf("%s: the preview's verdict is %s", example, planned.Calls[0].Verdict)
			}
			now := b.stored()
			if (now != before) != e.Mutates {
				t.Errorf("%s: run: the database changed: %v", example, now != before)
			}
			before = now
		}
	}
}

// TestPreviewed previews random programs: the globals and the database stay, and the preview makes the calls of the run
// up to its first write, where no call depends on random numbers.
func TestPreviewed(t *testing.T) {
	random(t, func(t *testing.T, program string) string {
		b := newBench(t, nil)
		defer b.close()
		b.run(opening)
		before, state := b.stored(), b.globals()
		program = strings.ReplaceAll(program, "math.random(", "math.abs(")
		planned := madeBy(b.preview(program))
		switch {
		case b.stored() != before:
			return "the preview changes the database"
		case b.globals() != state:
			return "the preview changes the globals"
		}
		out := b.run(program)
		real := madeBy(out)
		for i, c := range out.Calls {
			if c.Mutates {
				real = real[:i+1]
				planned = planned[:min(len(planned), i+1)]
				break
			}
		}
		return differ(planned, real)
	})
}
