package eval

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"almanac/catalog/text"
	"almanac/session/trace"
)

// This file says whether a task was done. What a model says it did does not count: the database and the record of calls
// do.

// Evidence is what a run left behind beside the database.
type Evidence struct {
	Calls []trace.Call
	// Returned is what calls returned to the model: the answers of scripts, or of actions where those are its tools. Last
	// is the last of it.
	Returned []string
	// Said are the model's last words.
	Said string
}

func (e Evidence) last() string {
	if len(e.Returned) == 0 {
		return ""
	}
	return e.Returned[len(e.Returned)-1]
}

// check returns what is wrong, a line each; none if the task was done.
func (t *Task) check(ctx context.Context, d *database, e Evidence) (wrong []string, err error) {
	for _, fact := range t.Facts {
		if !slices.ContainsFunc(e.Returned, func(text string) bool { return holds(text, fact) }) {
			wrong = append(wrong, "not found: "+fact)
		}
	}
	for _, fact := range t.Derived {
		if !holds(e.last(), fact) && !holds(e.Said, fact) {
			wrong = append(wrong, "not derived: "+fact)
		}
	}
	// A number that was made up is not found: whoever derives it has made the calls.
	if len(t.Derived) > 0 && !slices.ContainsFunc(e.Calls, func(c trace.Call) bool {
		return c.Verdict == trace.OK && t.needs(c.ID)
	}) {
		wrong = append(wrong, "no call that the task needs was made")
	}
	for _, id := range t.Tried {
		if !slices.ContainsFunc(e.Calls, func(c trace.Call) bool { return c.ID == id }) {
			wrong = append(wrong, "not called: "+id)
		}
	}
	for _, c := range e.Calls {
		if matches(t.Forbid, c.ID) {
			line := "forbidden: " + c.ID + ": " + c.Verdict.Words()
			if !slices.Contains(wrong, line) {
				wrong = append(wrong, line)
			}
		}
	}
	if d == nil {
		return wrong, nil
	}
	limit := d.bench.checkTime
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not answered after %s", limit))
	defer cancel()
	rows, err := t.checkRows(ctx, d)
	if err != nil {
		return nil, err
	}
	changed, err := t.checkChanges(ctx, d)
	return append(append(wrong, rows...), changed...), err
}

// broken is the error of a check whose query failed or did not end.
func broken(ctx context.Context, section string, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return fmt.Errorf("%s: %w", section, err)
}

func (t *Task) checkRows(ctx context.Context, d *database) (wrong []string, err error) {
	for _, r := range t.Rows {
		rows, err := d.office.Select(ctx, r.Query)
		if err != nil {
			return nil, broken(ctx, "rows: "+text.LineBytes(r.Query, 200), err)
		}
		var got []string
		for _, row := range rows {
			cells := make([]string, len(row))
			for i, v := range row {
				cells[i] = fmt.Sprint(v)
			}
			got = append(got, strings.Join(cells, " | "))
		}
		if !slices.Equal(got, r.Want) {
			wrong = append(wrong, fmt.Sprintf("rows of %s: want %q, got %q", r.Query, r.Want, got))
		}
	}
	return wrong, nil
}

func (t *Task) checkChanges(ctx context.Context, d *database) (wrong []string, err error) {
	changes, err := d.changes(ctx)
	if err != nil {
		return nil, broken(ctx, "changes", err)
	}
	if len(t.Changes) > 0 { // what the office itself keeps of calls
		delete(changes, "audit")
		delete(changes, "counters")
	}
	want, got := FormatChanges(t.Changes), FormatChanges(changes)
	if want != got {
		wrong = append(wrong, fmt.Sprintf("tables that differ: want %q, got %q", want, got))
	}
	return wrong, nil
}

// holds reports whether a text has a fact as a word or words of its own: 12 is not in 120 or 12.5. Case does not count.
func holds(text, fact string) bool {
	if fact == "" {
		return false
	}
	found := regexp.MustCompile("(?i)" + regexp.QuoteMeta(fact))
	for _, at := range found.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		after, width := utf8.DecodeRuneInString(text[at[1]:])
		next, _ := utf8.DecodeRuneInString(text[at[1]+width:])
		decimal := (after == '.' || after == ',') && unicode.IsDigit(next)
		if !inWord(before) && before != '.' && before != ',' && !inWord(after) && !decimal {
			return true
		}
	}
	return false
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
