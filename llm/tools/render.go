package tools

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/session"
	"almanac/session/effect"
	"almanac/session/trace"
	"almanac/session/vm"
)

// This file writes outcomes for a model. What it must know comes first: the error or the values. What it can do
// without is left out, but never silently: a cut says how much is missing and how to get it.

const (
	maxValues   = 64 << 10 // bytes of returned values in one answer
	maxPrinted  = 64 << 10 // bytes of stdout, stderr and logs together
	maxText     = 64 << 10 // bytes of a query's or a describe's text
	maxNames    = 12       // names of globals in one list
	maxCalls    = 20       // calls in one list
	maxRejected = 5        // rejected effects
	maxEdited   = 10       // calls whose arguments the person changed

	maxShownArgs = 200 // bytes of the arguments of one call that was made
)

func renderAnswer(a *session.Answer, room int) string {
	var b strings.Builder
	if a.Outcome.Err != nil {
		renderError(&b, a.Outcome)
	} else if a.Text == "" {
		b.WriteString("nothing returned: end the script with return catalog.search(...)\n")
	} else {
		fmt.Fprintln(&b, capped(strings.TrimSpace(a.Text), max(room, maxText)))
	}
	renderPrinted(&b, a.Outcome)
	renderRead(&b, a.Outcome)
	return strings.TrimSpace(b.String())
}

// renderRead writes the specs of what the script had described, where it does not show them itself, and says that there
// was more to read of the catalog.
func renderRead(b *strings.Builder, out *session.Outcome) {
	var specs []string
	for _, spec := range out.Specs {
		if text := strings.TrimSpace(spec.Text); !strings.Contains(b.String(), text) {
			specs = append(specs, text)
		}
	}
	if len(specs) > 0 {
		fmt.Fprintf(b, "described:\n%s\n", capped(strings.Join(specs, "\n\n"), maxText))
	}
	if out.Withheld {
		b.WriteString("limit of actions in one answer reached; narrow the search, or fetch the others in another query\n")
	}
}

const notAgain = "what changed data stays changed: do not repeat those calls"

// A showing says how an outcome is written.
type showing struct {
	// kept is the global that has the first value, empty when none has.
	kept string
	// lasting tells that no later result takes its place.
	lasting bool
	// isolated tells that no global lives on.
	isolated bool
	// applies tells that the person can apply the plan of a preview.
	applies bool
	// placeholders tells that values come of writes that were not made.
	placeholders bool
	// room is how many bytes values may have; zero means maxValues.
	room int
}

func renderOutcome(out *session.Outcome, how showing) string {
	var b strings.Builder
	if out.DryRun {
		renderPlanned(&b, out, how)
	}
	if out.Err != nil {
		renderError(&b, out)
	}
	renderValues(&b, out.Values, how)
	renderPrinted(&b, out)
	renderRead(&b, out)
	if out.Lost != "" {
		fmt.Fprintf(&b, "lost: %s\n", out.Lost)
	}
	if !out.DryRun {
		renderCalls(&b, out)
		renderEdited(&b, out.Calls)
	}
	renderGlobals(&b, out.Globals)
	renderPutBack(&b, out)
	if out.Err == nil {
		renderBudget(&b, out.Used)
	}
	renderEffects(&b, out)
	if b.Len() == 0 {
		return "ok, nothing returned"
	}
	return strings.TrimSpace(b.String())
}

// renderEffects names the effects of a run by what became of them; those of a wrong form are told with the reason.
func renderEffects(b *strings.Builder, out *session.Outcome) {
	all := out.EffectStates()
	for _, state := range []struct{ is, words string }{
		{trace.EffectApplied, "effects applied"}, {trace.EffectWould, "effects that would be applied"},
		{trace.EffectRecorded, "effects recorded, not applied"},
	} {
		var effects []catalog.Effect
		for _, e := range all {
			if e.State == state.is {
				effects = append(effects, e.Effect)
			}
		}
		if len(effects) > 0 {
			fmt.Fprintf(b, "%s: %s\n", state.words, effect.Titles(effects))
		}
	}
	told := 0
	for _, e := range all {
		if e.State != trace.EffectRejected {
			continue
		}
		if told++; told > maxRejected {
			b.WriteString("… more effects rejected\n")
			return
		}
		fmt.Fprintf(b, "effect rejected: %s\n", capped(e.Reason, 500))
	}
}

// renderError writes what failed, where, and what to do.
func renderError(b *strings.Builder, out *session.Outcome) {
	e := out.Err
	fmt.Fprintf(b, "error (%s)", e.Kind)
	if e.Line > 0 {
		fmt.Fprintf(b, " line %d", e.Line)
	}
	fmt.Fprintf(b, ": %s\n", capped(e.Message, 4<<10))
	if excerpt := strings.TrimSpace(e.Excerpt); excerpt != "" {
		fmt.Fprintf(b, "  %d| %s\n", e.Line, text.LineBytes(excerpt, 200))
	}
	if e.Value != nil {
		fmt.Fprintf(b, "error value: %s\n", capped(e.Value.Repr, 2<<10))
	}
	if e.Hint != "" {
		fmt.Fprintf(b, "hint: %s\n", e.Hint)
	}
}

func renderPrinted(b *strings.Builder, out *session.Outcome) {
	room := maxPrinted
	for _, part := range []struct{ name, text string }{
		{"printed", out.Stdout}, {"stderr", out.Stderr}, {"log", strings.Join(out.Logs, "\n")},
	} {
		text := strings.TrimRight(part.text, "\n")
		if text == "" {
			continue
		}
		text = capped(text, room)
		room -= min(len(text), room)
		fmt.Fprintf(b, "%s:\n%s\n", part.name, text)
	}
	if out.Dropped > 0 {
		fmt.Fprintf(b, "%d more printed bytes dropped: print less\n", out.Dropped)
	}
}

const (
	// maxChange is how many bytes an action may say about what one call would change.
	maxChange = 1 << 10
	// maxPlaceholders is how many bytes values may have that are made of placeholders.
	maxPlaceholders = 1 << 10
)

func planned(c trace.Call) bool { return c.Verdict == trace.Planned && !c.Composed }

// renderPlanned writes the calls of a preview: those that would change data, with their arguments and what they would
// change, and the others, which were made.
func renderPlanned(b *strings.Builder, out *session.Outcome, how showing) {
	var would, made []trace.Call
	for _, c := range out.Calls {
		if planned(c) {
			would = append(would, c)
		} else {
			made = append(made, c)
		}
	}
	b.WriteString("preview: nothing was changed\n")
	if out.Plan > 0 {
		fmt.Fprintf(b, "plan %d: %s", out.Plan, out.PlanText)
		if how.applies && len(would) > 0 {
			fmt.Fprintf(b, "; the person can run exactly this with /apply %d", out.Plan)
		}
		b.WriteString("\n")
	}
	if len(would) > 0 {
		fmt.Fprintf(b, "it would make %s:\n", text.Count(len(would), "mutation"))
	}
	for i, c := range would {
		if i == maxCalls {
			fmt.Fprintf(b, "  and %d more\n", len(would)-i)
			break
		}
		fmt.Fprintf(b, "  %s\n", lua.Call(c.ID, literal(c.Args, maxChange)))
		if change := strings.TrimSpace(c.Preview); change != "" {
			fmt.Fprintf(b, "    %s\n", strings.ReplaceAll(capped(change, maxChange), "\n", "\n    "))
		}
	}
	if len(made) > 0 {
		lines := callLines(made)
		fmt.Fprintf(b, "other calls: %s\n", nameList(lines, maxCalls))
	}
	if len(out.Missing) > 0 {
		fmt.Fprintf(b, "without the globals %s, which have no copy\n", nameList(out.Missing, maxNames))
	}
	if how.placeholders && len(out.Values) > 0 {
		b.WriteString("results of mutations are placeholders in what follows\n")
	}
}

// renderCalls lists the calls of a run that did not go as written: then the model must know what was done and what
// was not.
func renderCalls(b *strings.Builder, out *session.Outcome) {
	told := out.Err != nil
	for _, c := range out.Calls {
		told = told || c.Verdict != trace.OK
	}
	if !told || len(out.Calls) == 0 {
		return
	}
	if only := out.Calls[0]; len(out.Calls) == 1 && only.Verdict != trace.OK && out.Err != nil && out.Err.Call == only.ID {
		return // the error has told all of it
	}
	b.WriteString("calls:\n")
	lines := callLines(out.Calls)
	for i, line := range lines {
		if i == maxCalls {
			fmt.Fprintf(b, "  and %d more\n", len(lines)-i)
			break
		}
		fmt.Fprintf(b, "  %s\n", line)
	}
	if out.Err != nil && slices.ContainsFunc(out.Calls, changedData) {
		b.WriteString(notAgain + "\n")
	}
}

// renderEdited says which calls were made with other arguments than the script gave.
func renderEdited(b *strings.Builder, calls []trace.Call) {
	edited := 0
	for _, c := range calls {
		if !c.Edited() {
			continue
		}
		if edited++; edited <= maxEdited {
			fmt.Fprintf(b, "the person changed the arguments of %s: %s\n", c.ID, literal(c.Args, maxShownArgs))
		}
	}
	if edited > maxEdited {
		fmt.Fprintf(b, "and of %s\n", text.Count(edited-maxEdited, "other call"))
	}
}

func changedData(c trace.Call) bool { return c.Wrote() }

// callLines writes one line for each run of calls that ended alike.
func callLines(calls []trace.Call) []string {
	var lines []string
	for i := 0; i < len(calls); {
		first, n := calls[i], 0
		for i < len(calls) && calls[i].ID == first.ID && calls[i].Verdict == first.Verdict && calls[i].Error == first.Error {
			i, n = i+1, n+1
		}
		line := first.ID
		if n += max(first.Times-1, 0); n > 1 {
			line += fmt.Sprintf(" x%d", n)
		}
		line += ": " + first.Verdict.Words()
		if changedData(first) {
			line += ", changed data"
		}
		if first.Verdict == trace.Denied && first.Rule != "" {
			line += " (" + first.Rule + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

func renderGlobals(b *strings.Builder, d vm.Diff) {
	if parts := changeParts(d, func(name string) string { return name }); len(parts) > 0 {
		fmt.Fprintf(b, "globals: %s\n", strings.Join(parts, "; "))
	}
}

// renderPutBack says what a failed run had set and was put back, or why not.
func renderPutBack(b *strings.Builder, out *session.Outcome) {
	switch back := out.PutBack; {
	case out.RolledBack:
		names := nameList(slices.Concat(back.Added, back.Changed, back.Removed), maxNames)
		fmt.Fprintf(b, "%s\n", strings.TrimSuffix("globals put back as before the run: "+names, ": "))
	case out.NotPutBack != "":
		fmt.Fprintf(b, "globals not put back: %s\n", out.NotPutBack)
	}
}

// changeParts says which globals were set, changed and removed, each as label writes it.
func changeParts(d vm.Diff, label func(name string) string) (parts []string) {
	for _, change := range []struct {
		verb  string
		names []string
	}{{"set", d.Added}, {"changed", d.Changed}, {"removed", d.Removed}} {
		if len(change.names) == 0 {
			continue
		}
		labels := make([]string, len(change.names))
		for i, name := range change.names {
			labels[i] = label(name)
		}
		parts = append(parts, change.verb+" "+nameList(labels, maxNames))
	}
	return parts
}

// renderBudget says what is nearly used up of what one run may do.
func renderBudget(b *strings.Builder, u session.Usage) {
	for _, part := range []struct {
		used, limit int
		name        string
	}{{u.Calls, u.CallLimit, "calls"}, {u.Mutations, u.MutationLimit, "mutations"}} {
		if part.limit > 0 && part.used*5 >= part.limit*4 {
			fmt.Fprintf(b, "budget: %d of the %d %s of a run are used; do the rest in another run\n",
				part.used, part.limit, part.name)
		}
	}
}

func nameList(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// capped returns text of at most n bytes and a line about what is missing: the beginning and the end of a longer one.
func capped(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head, tail := text.HeadBytes(s, n*3/4), text.TailBytes(s, n/4)
	return fmt.Sprintf("%s\n[%d bytes omitted]\n%s", head, len(s)-len(head)-len(tail), tail)
}
