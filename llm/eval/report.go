package eval

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"almanac/catalog/text"
)

// This file writes what was measured.

// A Report is what an evaluation came to, complete or as far as it went.
type Report struct {
	Model string `json:"model"`
	// Note says what the figures stand for where the model is none.
	Note string `json:"note,omitempty"`
	// Planned is how many runs of tasks were to be measured. Stopped is set where fewer were.
	Planned int      `json:"planned"`
	Stopped bool     `json:"stopped,omitempty"`
	Totals  []Total  `json:"totals"`
	Results []Result `json:"tasks"`
}

// Add takes in the runs of one arm at one size.
func (r *Report) Add(total Total, results []Result) {
	r.Totals, r.Results = append(r.Totals, total), append(r.Results, results...)
}

// WriteTable writes the report for people: a line for each arm and size, with each one for each task too, and the tasks
// that were not done.
func (r *Report) WriteTable(w io.Writer, each bool) {
	if r.Note != "" {
		fmt.Fprintf(w, "%s\n\n", r.Note)
	}
	rows := [][]string{{"size", "arm", "tasks", "done", "in", "out", "schemas", "query", "describe", "turns", "calls",
		"wrong", "invalid", "Lua errors", "unsafe", "first use", "whole", "tokens/done"}}
	for _, t := range r.Totals {
		if t.Unfit != "" {
			rows = append(rows, []string{thousands(t.Size), string(t.Arm), "does not fit: " + t.Unfit})
			continue
		}
		done := "none"
		if t.PerSuccess > 0 {
			done = thousands(t.PerSuccess)
		}
		rows = append(rows, append(append([]string{thousands(t.Size), string(t.Arm), thousands(t.Tasks), thousands(t.Done)},
			t.cells(fmt.Sprintf("%.1f%%", 100*t.WrongRate), fmt.Sprintf("%.1f%%", 100*t.InvalidRate),
				fmt.Sprintf("%.1f%%", 100*t.LuaRate), t.Arm)...), done))
	}
	if len(rows) > 1 {
		writeRows(w, rows)
	}
	if each {
		r.writeEach(w)
	}
	r.writeFaults(w)
	if slices.ContainsFunc(r.Totals, func(t Total) bool { return t.Estimated }) {
		fmt.Fprintln(w, "\nTokens are estimates: the server gave no counts.")
	}
	if r.Stopped {
		fmt.Fprintf(w, "\nStopped: %s of %s runs were measured.\n", thousands(len(r.Results)), thousands(r.Planned))
	}
}

// cells are the measures of a row.
func (t Tally) cells(wrong, invalid, failed string, arm Arm) []string {
	query, describe := thousands(t.Query), thousands(t.Describe)
	if arm == Direct {
		query, describe, failed = "-", "-", "-"
	}
	return []string{
		thousands(t.Input), thousands(t.Output), thousands(t.Schemas), query, describe, thousands(t.Turns),
		thousands(t.Calls), wrong, invalid, failed, thousands(t.Unsafe), took(t.FirstUse), took(t.Whole),
	}
}

func took(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return text.Took(d.Round(time.Millisecond))
}

func (r *Report) writeEach(w io.Writer) {
	rows := [][]string{{"task", "size", "arm", "done", "in", "out", "schemas", "query", "describe", "turns", "calls",
		"wrong", "invalid", "Lua errors", "unsafe", "first use", "whole"}}
	for _, result := range r.Results {
		done := "no"
		if result.OK {
			done = "yes"
		}
		rows = append(rows, append([]string{result.Task, thousands(result.Size), string(result.Arm), done},
			result.cells(thousands(result.Tally.Wrong), thousands(result.Invalid), thousands(result.Failed), result.Arm)...))
	}
	fmt.Fprintln(w)
	writeRows(w, rows)
}

// writeFaults lists the tasks that were not done, with what was found.
func (r *Report) writeFaults(w io.Writer) {
	for _, total := range r.Totals {
		head := fmt.Sprintf("\nnot done, %s, %s:\n", text.Count(total.Size, "action"), total.Arm)
		for _, result := range r.Results {
			if result.OK || result.Arm != total.Arm || result.Size != total.Size {
				continue
			}
			faults := result.Faults
			if result.Err != nil {
				faults = append([]string{"error: " + text.LineBytes(result.Err.Error(), 200)}, faults...)
			}
			fmt.Fprintf(w, "%s  %s: %s\n", head, result.Task, text.LineBytes(strings.Join(faults, "; "), 300))
			head = ""
		}
	}
}

// writeRows writes columns: the first row is the head; texts are left, numbers right.
func writeRows(w io.Writer, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(row)-1 || len(row) == len(rows[0]) {
				widths[i] = max(widths[i], len(cell))
			}
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			if strings.Trim(cell, "0123456789,.%- µmsn") == "" || slices.Contains(rows[0], cell) && i > 2 {
				fmt.Fprintf(&b, "%*s", widths[i], cell)
			} else {
				fmt.Fprintf(&b, "%-*s", widths[i], cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}
