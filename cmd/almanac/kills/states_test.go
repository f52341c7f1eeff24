//go:build linux

package kills

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"almanac/session/trace"
)

// An account is which steps the globals of one session held, as its log and those before it say.
type account struct {
	steps []int             // at the end
	last  string            // the run that left them
	after map[string][]int  // by the run that left them
	cells map[string]string // runs by what a person calls them, those of earlier sessions too
	// small tells that no state was so large that it is written in the background.
	small bool
}

var (
	stepAt    = regexp.MustCompile(`seen\[#seen\+1\] = (\d+)`)
	markedAt  = regexp.MustCompile(`^"?(at|done) (\d+)(\.\d+)?"?$`)
	resumedAt = regexp.MustCompile(`^resumed (\S+?)[ ,]`)
	globalsAt = regexp.MustCompile(`globals? from ([^;)]+)[;)]`)
)

// compareStates follows the globals through the logs, and wants each dump to have printed them.
func (w *world) compareStates(shown []string, all map[string][]trace.Record, newest string) {
	w.t.Helper()
	records := all[newest]
	if len(records) == 0 {
		return
	}
	own := w.begin(shown, records[0])
	if own == nil {
		return
	}
	runs, printed := map[string]trace.Record{}, map[string]string{}
	for _, r := range records {
		if r.Kind == trace.KindBack || r.Kind == trace.KindReset {
			w.last = newest
		}
		switch r.Kind {
		case trace.KindRun:
			runs[r.Run], w.last = r, newest
			if strings.Contains(r.Text, largeName) {
				own.small = false // for good: the globals may come back to it
			}
			w.tally.runs++
			w.tally.unended++
			if r.Mode == trace.ModePreview {
				w.tally.previews++
			}
		case trace.KindOutput:
			printed[r.Run] += r.Text
		case trace.KindReset:
			own.steps, own.last = nil, ""
		case trace.KindBack:
			steps, known := own.after[r.Run]
			if !known {
				w.wrong(shown, "the globals went back to %s, which no run has left", r.Text)
			}
			own.steps, own.last = steps, r.Run
			w.tally.moves++
		case trace.KindOutcome:
			w.tally.unended--
			run := runs[r.Run]
			if !r.Ended.OK {
				w.tally.failed++
			}
			if !r.Ended.OK || run.Mode != trace.ModeRun {
				continue
			}
			if run.Text == dump {
				w.tally.compared++
				if got, want := strings.TrimSpace(printed[r.Run]), globals(own.steps); got != want {
					w.wrong(shown, "cell %d printed\n%s\nwant\n%s", r.Cell, got, want)
				}
			}
			if m := stepAt.FindStringSubmatch(run.Text); m != nil {
				n, _ := strconv.Atoi(m[1])
				own.steps = append(slices.Clone(own.steps), n)
			}
			own.last, own.after[r.Run], own.cells["cell "+strconv.Itoa(r.Cell)] = r.Run, own.steps, r.Run
		}
	}
	w.accounts[newest] = own
}

// begin is the account as the session began: what it says to have of the session that it goes on from.
func (w *world) begin(shown []string, first trace.Record) *account {
	w.t.Helper()
	own := &account{small: true, after: map[string][]int{}, cells: map[string]string{}}
	if first.About == nil {
		w.wrong(shown, "the log begins with a record of kind %q", first.Kind)
	}
	if first.About.Resumes == "" {
		return own
	}
	if first.About.Resumes != w.last {
		w.wrong(shown, "it went on from %s; the last session in which something was done is %s", first.About.Resumes, w.last)
	}
	earlier := w.accounts[first.About.Resumes]
	i := slices.IndexFunc(shown, func(line string) bool { return resumedAt.MatchString(line) })
	if earlier == nil || i < 0 {
		return nil // it was killed before it had begun
	}
	own.small = earlier.small
	for run, steps := range earlier.after {
		own.after[run] = steps
	}
	for label, run := range earlier.cells {
		own.cells[label] = run
	}
	if m := globalsAt.FindStringSubmatch(shown[i]); m != nil {
		if own.last = own.cells[m[1]]; own.last == "" {
			w.wrong(shown, "no run is called %s", m[1])
		}
		own.steps = own.after[own.last]
	}
	if !slices.Equal(own.steps, earlier.steps) {
		w.tally.behind++
		if earlier.small {
			w.wrong(shown, "it went on from %s with the steps %v, want %v", first.About.Resumes, own.steps, earlier.steps)
		}
	}
	return own
}
