package repl

// This file draws what the model has cost.

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/llm"
	"almanac/llm/tools"
)

// Usage returns what the last prompt has cost, and what all have, with those of the sessions that this one goes on
// from.
func (sh *Shell) Usage() (turn, session llm.Usage) {
	c := sh.options.Conversation
	if c == nil {
		return llm.Usage{}, llm.Usage{}
	}
	return c.TurnUsage(), c.Usage()
}

// UsageTable shows usages side by side below their heads, in at most 39 columns for two. A row that is zero in all of
// them is left out.
func UsageTable(heads []string, usages ...llm.Usage) string {
	type row struct {
		label string
		shown func(llm.Usage) string // empty for zero
	}
	// counted are tokens that the server counted, or else an estimate.
	counted := func(of func(llm.Usage) int) func(llm.Usage) string {
		return func(u llm.Usage) string { return tokenText(of(u), u.Estimated > 0) }
	}
	parts := func(of ...llm.Part) func(llm.Usage) string {
		return func(u llm.Usage) string {
			sum := 0
			for _, p := range of {
				sum += u.Parts[p]
			}
			return tokenText(sum, true)
		}
	}
	took := func(of func(llm.Usage) time.Duration) func(llm.Usage) string {
		return func(u llm.Usage) string { return durationOr(of(u), "") }
	}
	number := func(of func(llm.Usage) int) func(llm.Usage) string {
		return func(u llm.Usage) string { return countOr(int64(of(u)), "") }
	}
	rows := []row{
		{"tokens in", counted(func(u llm.Usage) int { return u.Input })},
		{" cached", counted(func(u llm.Usage) int { return u.Cached })},
		{" prompt", parts(llm.PartPrompt)},
		{" catalog card", parts(llm.PartCard)},
		{" project notes", parts(llm.PartNotes)},
		{" tool schemas", parts(llm.PartTools)},
		{" query answers", parts(llm.PartQuery)},
		{" describe answers", parts(llm.PartDescribe)},
		{" execute answers", parts(llm.PartExecute)},
		{" conversation", parts(llm.PartPerson, llm.PartModel, llm.PartSummary, llm.PartPeers)},
		{"tokens out", counted(func(u llm.Usage) int { return u.Output })},
		{" reasoning", counted(func(u llm.Usage) int { return u.Reasoning })},
		{"cost", CostText},
		{"completions", number(func(u llm.Usage) int { return u.Completions })},
		{"action calls", number(func(u llm.Usage) int { return u.Calls })},
		{"time in model", took(func(u llm.Usage) time.Duration { return u.Model })},
		{" in Lua", took(func(u llm.Usage) time.Duration { return u.Lua })},
		{" in actions", took(func(u llm.Usage) time.Duration { return u.Actions })},
		{" asking you", took(func(u llm.Usage) time.Duration { return u.Waited })},
	}
	var b strings.Builder
	line := func(label string, values []string) {
		fmt.Fprintf(&b, "%-17s", label)
		for _, v := range values {
			b.WriteString("  " + strings.Repeat(" ", max(9-cells.Width(v), 0)) + v)
		}
		b.WriteByte('\n')
	}
	line("", heads)
	for _, r := range rows {
		values := make([]string, len(usages))
		for i, u := range usages {
			values[i] = r.shown(u)
		}
		if strings.Join(values, "") != "" {
			line(r.label, values)
		}
	}
	told := b.String()
	if strings.Contains(told, "~") {
		told += "~ estimated; parts scaled to the whole\n"
	}
	if strings.Contains(told, "+") {
		told += "+ not all prices are known\n"
	}
	return strings.TrimSuffix(told, "\n")
}

// tokenText is a count of tokens, marked where it is an estimate; empty for none.
func tokenText(n int, estimated bool) string {
	told := countOr(int64(n), "")
	if n >= 1e6 {
		told = fmt.Sprintf("%.2f M", float64(n)/1e6)
	}
	if told != "" && estimated {
		told = "~" + told
	}
	return told
}

// CostText is what completions cost: marked where tokens were estimated or not all prices are known, empty where none
// is.
func CostText(u llm.Usage) string {
	if u.Priced == 0 {
		return ""
	}
	places := 4
	if u.Cost >= 100 {
		places = 2
	}
	told := text.Thousands(strconv.FormatFloat(u.Cost, 'f', places, 64))
	if u.Estimated > 0 {
		told = "~" + told
	}
	if u.Priced < u.Completions {
		told += "+"
	}
	return told
}

// direct is what the actions of a view would take as tools of the model.
type direct struct {
	view           *catalog.View
	tokens, counts int
}

// directText says what the turn would have read if every visible action had been a tool of the model.
func (sh *Shell) directText() string {
	turn, _ := sh.Usage()
	c, view := sh.options.Conversation, sh.options.Session.View()
	sh.mu.Lock()
	if sh.direct.view != view {
		sh.direct.view = view
		sh.direct.tokens, sh.direct.counts = tools.DirectTokens(view)
	}
	d := sh.direct
	sh.mu.Unlock()
	told := fmt.Sprintf("every action as a tool: %s tokens of schemas", tokenText(d.tokens, true))
	if d.counts < view.Len() {
		told += fmt.Sprintf(" (by a sample of %s)", count(d.counts))
	}
	switch window := c.Context().Window; {
	case d.tokens > window:
		told += fmt.Sprintf(", does not fit into the window of %s", count(window))
	case turn.Completions > 0:
		u := turn.Direct(d.tokens, c.Target().Price)
		told += fmt.Sprintf("; this turn would have had %s in", tokenText(u.Input, true))
		if cost := CostText(u); cost != "" {
			told += " and cost " + cost
		}
	}
	return told
}
