package replay

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/text"
	"almanac/session"
	"almanac/session/trace"
)

// A Report is what became of a log that was run again.
type Report struct {
	Session string `json:"session"`
	Cells   int    `json:"cells"`
	// Loose counts the scripts of no cell, Calls the calls of all that were compared.
	Loose int `json:"scripts_without_cell"`
	Calls int `json:"calls"`
	// Queries counts the searches of the model's, which are not run again.
	Queries int      `json:"queries"`
	Scripts []Result `json:"scripts"`
	// Notices say what else of the log was not done again.
	Notices []string `json:"notices"`
}

// A Result is what became of one script.
type Result struct {
	ID     string         `json:"run"`
	Cell   int            `json:"cell,omitempty"`
	Author session.Author `json:"author"`
	Mode   trace.Mode     `json:"mode"`
	Source string         `json:"source"`
	Calls  int            `json:"calls"`
	// Differs says what came to something else.
	Differs []Difference `json:"differs"`
	// Skipped says why the script was not run again, Partly what could not be compared, and why.
	Skipped string   `json:"skipped,omitempty"`
	Partly  []string `json:"not_compared,omitempty"`
}

func (r *Report) notice(line string) { r.Notices = append(r.Notices, text.SanitizeLine(line)) }

func (r *Report) add(s Result) {
	if s.Cell == 0 {
		r.Loose++
	} else if !slices.ContainsFunc(r.Scripts, func(o Result) bool { return o.Cell == s.Cell }) {
		r.Cells++
	}
	if s.Skipped == "" {
		r.Calls += s.Calls
	}
	if s.Differs == nil {
		s.Differs = []Difference{} // not null in JSON
	}
	r.Scripts = append(r.Scripts, s)
}

// Differs counts the cells, and scripts of no cell, that came to something else.
func (r *Report) Differs() int {
	return r.count(func(s Result) bool { return len(s.Differs) > 0 })
}

// Skipped counts those with a script that was not run again.
func (r *Report) Skipped() int {
	return r.count(func(s Result) bool { return s.Skipped != "" })
}

// Incomplete counts those that could not be compared though they had ended by themselves.
func (r *Report) Incomplete() int {
	return r.count(func(s Result) bool { return len(s.Partly) > 0 })
}

func (r *Report) count(is func(Result) bool) int {
	n, cells := 0, map[int]bool{}
	for _, s := range r.Scripts {
		if is(s) && (s.Cell == 0 || !cells[s.Cell]) {
			cells[s.Cell] = true
			n++
		}
	}
	return n
}

// sourceBytes is how much of a script its line has.
const sourceBytes = 100

// Lines are the report to read: what differs by script, what was not compared, and a line that sums up.
func (r *Report) Lines() []string {
	var lines []string
	for i, s := range r.Scripts {
		if len(s.Differs) == 0 && len(s.Partly) == 0 {
			continue
		}
		lines = append(lines, r.heading(i))
		for _, d := range s.Differs {
			for j, line := range d.Lines {
				what := d.What
				if j > 0 {
					what = ""
				}
				lines = append(lines, fmt.Sprintf("    %-8s %s", what, line))
			}
		}
		for _, why := range s.Partly {
			lines = append(lines, "    not compared: "+text.SanitizeLine(why))
		}
	}
	lines = append(lines, r.Notices...)
	for i, s := range r.Scripts {
		if s.Skipped != "" {
			lines = append(lines, fmt.Sprintf("%s was not run again: it %s", r.label(i), s.Skipped))
		}
	}
	if r.Queries > 0 {
		lines = append(lines, fmt.Sprintf("%d %s of the model's not run again", r.Queries,
			text.Plural(r.Queries, "search", "searches")))
	}
	return append(lines, r.Sum())
}

// Sum is the report in a line: "12 cells, 31 calls: no difference".
func (r *Report) Sum() string {
	var parts []string
	if r.Cells > 0 || r.Loose == 0 {
		parts = append(parts, text.Count(r.Cells, "cell"))
	}
	if r.Loose > 0 {
		parts = append(parts, text.Count(r.Loose, "script"))
	}
	line := strings.Join(append(parts, text.Count(r.Calls, "call")), ", ") + ": "
	if n := r.Differs(); n > 0 {
		line += fmt.Sprintf("%d %s", n, text.Plural(n, "differs", "differ"))
	} else {
		line += "no difference"
	}
	if n := r.Incomplete(); n > 0 {
		line += fmt.Sprintf("; %d could not be compared", n)
	}
	if n := r.Skipped(); n > 0 {
		line += fmt.Sprintf("; %d not run again", n)
	}
	return line
}

// label is what a script is called in a line.
func (r *Report) label(i int) string {
	s := r.Scripts[i]
	if s.Cell == 0 {
		return fmt.Sprintf("script %d", 1+r.before(i, func(o Result) bool { return o.Cell == 0 }))
	}
	label := fmt.Sprintf("[%d]", s.Cell)
	same := func(o Result) bool { return o.Cell == s.Cell }
	if n := r.before(i, same); n > 0 || slices.ContainsFunc(r.Scripts[i+1:], same) {
		label += fmt.Sprintf(" script %d", n+1)
	}
	return label
}

// before counts the scripts before the i-th that are such.
func (r *Report) before(i int, such func(Result) bool) int {
	n := 0
	for _, o := range r.Scripts[:i] {
		if such(o) {
			n++
		}
	}
	return n
}

func (r *Report) heading(i int) string {
	s := r.Scripts[i]
	who := string(s.Author)
	if s.Mode != trace.ModeRun {
		who += ", " + string(s.Mode)
	}
	return fmt.Sprintf("%s %s: %s", r.label(i), text.SanitizeLine(who), text.LineBytes(s.Source, sourceBytes))
}
