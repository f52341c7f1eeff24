package proof

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"almanac/repl/replay"
	"almanac/session"
	"almanac/session/trace"
)

// TestReplayed runs the logs of random sessions again: nothing differs. Each piece of the program is a cell; some are
// previewed and applied, some undone.
func TestReplayed(t *testing.T) {
	random(t, func(t *testing.T, program string) string {
		b := newBench(t, nil)
		defer b.close()
		for i, piece := range append([]string{opening}, pieces(program)...) {
			s := script(piece)
			s.Cell = i + 1
			if i%3 != 2 {
				must(b.session.Run(t.Context(), s))
			} else if out := must(b.session.Preview(t.Context(), s)); out.Err == nil {
				must(b.session.Apply(t.Context(), out.Plan, session.Apply{Cell: s.Cell}))
			}
			if i%4 == 3 {
				_, _ = b.session.Undo(t.Context(), 1) // there may be nothing to undo
			}
		}
		b.globals()
		text := must(json.Marshal(b.records))
		var records []trace.Record
		if err := json.Unmarshal(text, &records); err != nil {
			t.Fatal(err)
		}
		report := must(replay.Run(t.Context(), records, replay.Options{
			View: b.session.View(), State: b.saved, Whole: b.whole,
			Session: session.Options{UserLimits: b.session.Limits(session.User)},
		}))
		if report.Differs() > 0 || report.Incomplete() > 0 {
			return strings.Join(report.Lines(), "\n")
		}
		return ""
	})
}

// whole finds a value that a record has a part of.
func (b *bench) whole(digest string) ([]byte, error) {
	if data, there := b.values[digest]; there {
		return data, nil
	}
	return nil, fs.ErrNotExist
}
