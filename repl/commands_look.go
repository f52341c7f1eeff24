package repl

// This file holds the commands that look back and around: calls, results, limits and status.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/llm"
	"almanac/repl/event"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/trace"
)

func lookCommands() []command {
	return []command{
		{
			name: "view", args: "[EXPR | N]", group: groupLook, run: viewValue, words: globalWords,
			lua:   wholeLua,
			brief: "look into a value: EXPR, result N, or _", action: "view",
			more: "A list of records opens as a grid, other values as a tree; t switches between them.\n" +
				"A path such as open[1].id is only looked up; any other expression runs first.",
		},
		{
			name: "trace", args: "[N | export FILE]", group: groupLook, aside: true, run: traceCalls, words: cellWords,
			brief: "the last calls; those of cell N in full", action: "trace",
			more: "--action PATTERN  only calls of these actions: part of an id, or a pattern such as crm.*\n" +
				"--author you|model  only calls of your scripts, or the model's\n" +
				"--failed  only calls that did not succeed\n" +
				"/trace export FILE.jsonl writes them to a file, one per line, with the cell number.",
		},
		{
			name: "chart", args: "[Y] [by X] [of EXPR]", group: groupMore, run: chart, words: globalWords,
			brief: "numbers of the last result, or of EXPR, as bars",
			more:  "/chart total by month       sums of total for each month, as bars\n/chart total of open        the numbers one by one, as a line\nThe same from Lua: chart(open, {y = \"total\", by = \"month\"})",
		},
		expandCommand(),
		lessCommand(),
		diffCommand(),
		{
			name: "history", args: "[WORDS]", group: groupMore, aside: true, run: searchHistory,
			brief: "earlier inputs",
		},
		{
			name: "limits", args: "[calls|mutations N]", group: groupMore, aside: true, run: limits,
			words: fixedWords("calls", "action calls in a run of yours", "mutations",
				"calls that change data in a run of yours"),
			brief: "what one run may use",
			more: "/limits calls 500 and /limits mutations 50 hold for your runs, from the next one on, in this session.\n" +
				"The configuration keeps them: limits.your_calls, limits.your_mutations; those of the model are limits.calls, limits.mutations.",
		},
		setCommand(),
		{
			name: "config", args: "[init]", group: groupMore, aside: true, run: config,
			brief: "the configuration, and where each value comes from",
			words: fixedWords("init", "create a file with all keys, commented out"),
			more:  "/config init creates a file with every key and its default, commented out. An existing file is kept.",
		},
		{
			name: "status", group: groupMore, aside: true, run: status,
			brief: "session, model, policy and usage at a glance",
		},
	}
}

// cellNumber reads "7", "[7]" or "7.2".
func cellNumber(s string) (cell, call int, err error) {
	s = strings.Trim(strings.TrimSpace(s), "[]_")
	first, second, dotted := strings.Cut(s, ".")
	cell, err = strconv.Atoi(first)
	if err == nil && dotted {
		call, err = strconv.Atoi(second)
	}
	if err != nil || cell < 1 || call < 0 || (dotted && call == 0) {
		return 0, 0, fmt.Errorf("%q: want a cell (7) or call (7.2)", s)
	}
	return cell, call, nil
}

func callBrief(cell int, c trace.Call) string {
	brief := fmt.Sprintf("[%d.%d] %-8s %s", cell, c.N, c.Words(), c.ID)
	if back := c.TakesBack(); back != "" {
		brief += "  " + back
	}
	if c.Brief != "" {
		brief += "  " + c.Brief
	}
	if c.Misfit != "" {
		brief += "  misfit"
	}
	return brief + "  " + text.Took(c.Took)
}

// callDetail tells all of a call but its result.
func callDetail(cell int, c trace.Call, o event.RenderOptions) string {
	var b strings.Builder
	b.WriteString(callBrief(cell, c))
	fmt.Fprintf(&b, "\n  at %s by %s", c.Start.Local().Format("15:04:05.000"), cmp.Or(c.Author, "you"))
	if c.Actor != "" {
		fmt.Fprintf(&b, " as %s", c.Actor)
	}
	if c.Line > 0 {
		fmt.Fprintf(&b, ", line %d", c.Line)
	}
	if c.Rule != "" {
		fmt.Fprintf(&b, "; %s", c.Rule)
	}
	fmt.Fprintf(&b, "\n%s", indent(o.Args(&c, 100), "  "))
	if c.Error != "" {
		fmt.Fprintf(&b, "\n  error: %s", c.Error)
	}
	if c.Misfit != "" {
		fmt.Fprintf(&b, "\n  misfit: the result is not what the output schema says: %s", c.Misfit)
	}
	b.WriteString(conductLines(c))
	for _, e := range c.Effects {
		fmt.Fprintf(&b, "\n  effect %s", effectLine(e))
	}
	for _, e := range c.EffectsRejected {
		fmt.Fprintf(&b, "\n  effect %s", strings.TrimSpace(effectLine(e.Effect)+"  rejected: "+e.Reason))
	}
	return b.String()
}

// conductLines tell what hooks did to a call, and its attempts.
func conductLines(c trace.Call) string {
	var b strings.Builder
	for _, h := range c.Hooks {
		fmt.Fprintf(&b, "\n  hook %s", h)
	}
	if c.Rewritten() {
		fmt.Fprintf(&b, "\n  given %s", show.LuaText(c.Given, 100))
	}
	if c.Key != "" {
		fmt.Fprintf(&b, "\n  idempotency key %s", c.Key)
	}
	for i, a := range c.Attempts {
		fmt.Fprintf(&b, "\n  attempt %d, %s: %s", i+1, text.Took(a.Took), cmp.Or(a.Error, "ok"))
		if a.Pause > 0 {
			fmt.Fprintf(&b, "; the next after %s", text.Took(a.Pause))
		}
	}
	return b.String()
}

func searchHistory(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	found, err := sh.options.History.Search(arg, 20)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		sh.say(event.Notice, "history: nothing found")
		return nil
	}
	lines := make([]string, 0, len(found))
	for i := len(found) - 1; i >= 0; i-- {
		t := found[i]
		lines = append(lines,
			fmt.Sprintf("%s  %s", t.Time.Local().Format("2006-01-02 15:04"), cells.Clip(text.SanitizeLine(t.Text), 100, "…")))
	}
	sh.say(event.Plain, "%s", strings.Join(lines, "\n"))
	return nil
}

func limits(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	s := sh.options.Session
	if arg != "" {
		return setLimit(sh, arg)
	}
	l, m := s.Limits(session.User), s.Limits(session.Model)
	b, mb := s.Budget(session.User), s.Budget(session.Model)
	rows := [][]string{
		{"Lua time", durationOr(l.Time, "1.5 s"), "a run of yours; the clock stands still during calls and questions"},
		{"", durationOr(m.Time, "1.5 s"), "a run of the model's"},
		{"instructions", countOr(l.Steps, "10,000,000"), "a run of yours"},
		{"", countOr(m.Steps, "10,000,000"), "a run of the model's"},
		{"printed", sizeOr(int64(l.Output), "1.0 MiB"), "a run, stdout, stderr and logs together"},
		{"string", sizeOr(int64(l.String), "64.0 MiB"), "one string"},
		{"value", sizeOr(int64(l.Value), "4.0 MiB"), "one returned value as data"},
		{"depth", countOr(int64(l.Depth), "190"), "nested calls"},
		{"coroutines", countOr(int64(l.Coroutines), "1,000"), "alive at once"},
		{"calls", count(b.Calls), "of actions in a run of yours; then you are asked"},
		{"", count(mb.Calls), "in a run of the model's"},
		{"mutations", count(b.Mutations), "in a run of yours, allowed or approved; then you are asked"},
		{"", count(mb.Mutations), "in a run of the model's"},
		{"refused", count(b.Refused), "calls in a run: unknown ids, arguments that do not fit"},
		{"one call", text.Took(b.Wait), "unless the action says otherwise"},
		{"one result", text.Bytes(int64(b.Result)), "of an action"},
		{"hits", strconv.Itoa(b.Shown), "a query lists"},
		{"describe", strconv.Itoa(b.Described), "ids at once"},
		{"select", strconv.Itoa(b.Selected), "ids for one execute"},
	}
	sh.say(event.Plain, "%s", show.Columns(rows))
	return nil
}

// setLimit changes how much a run of the person's may do.
func setLimit(sh *Shell, arg string) error {
	name, number, _ := strings.Cut(arg, " ")
	bad := func(format string, args ...any) error {
		return &UsageError{usage: "/limits [calls|mutations N]", message: fmt.Sprintf(format, args...)}
	}
	n, err := strconv.Atoi(strings.ReplaceAll(strings.TrimSpace(number), ",", ""))
	if err != nil || n < 1 {
		return bad("limits %s: want a number of at least 1", arg)
	}
	s := sh.options.Session
	b := session.Budget{}
	switch name {
	case "calls":
		b.Calls = n
	case "mutations":
		b.Mutations = n
	default:
		return bad("limits: %q cannot be set here: want calls or mutations", name)
	}
	if err := s.SetUserBudget(b); err != nil {
		return err
	}
	b = s.Budget(session.User)
	sh.say(event.Notice, "your runs, from the next on: %s calls, %s mutations", count(b.Calls), count(b.Mutations))
	return nil
}

func count(n int) string { return countOr(int64(n), "0") }

func durationOr(d time.Duration, other string) string {
	if d == 0 {
		return other
	}
	return text.Took(d)
}

func countOr(n int64, other string) string {
	if n == 0 {
		return other
	}
	return text.Thousands(strconv.FormatInt(n, 10))
}

func sizeOr(n int64, other string) string {
	if n == 0 {
		return other
	}
	return text.Bytes(n)
}

func config(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	switch {
	case arg == "init" && sh.options.InitConfig == nil:
		return errors.New("config init: not supported in this session")
	case arg == "init":
		path, err := sh.options.InitConfig()
		if err != nil {
			return err
		}
		sh.say(event.Notice, "%s created: every key with its default, commented out", path)
		return nil
	case arg != "":
		return &UsageError{usage: "/config [init]", message: fmt.Sprintf("config: unknown %q", arg)}
	}
	if sh.options.Config == nil {
		sh.say(event.Notice, "no configuration")
		return nil
	}
	sh.say(event.Plain, "%s", sh.options.Config())
	return nil
}

// forTurn says what narrows the view until the turn ends.
func forTurn(turn string) string {
	if turn == "" {
		return ""
	}
	return ", until the turn ends: " + turn
}

func status(_ context.Context, sh *Shell, _ *event.Cell, _ string) error {
	st := sh.StatusLine()
	model := cmp.Or(st.Model, "none")
	rows := [][]string{
		{"program", "almanac " + sh.options.Version},
		{"session", st.Session},
		{"mode", st.Mode.String()},
		{"model", model},
		{"policy", fmt.Sprintf("%s (policy %s)", st.Writes, st.Policy)},
		{"view", fmt.Sprintf("%s%s%s", text.Count(st.Actions, "action"), asActor(st.Actor), forTurn(st.Turn))},
		{"globals", strconv.Itoa(st.Globals)},
		{"cells", strconv.Itoa(st.Cell)},
		{"last run",
			fmt.Sprintf("%s, %s (limits: %d and %d)", text.Count(st.Calls, "call"), text.Count(st.Mutations, "write"),
				st.CallLimit, st.MutationLimit)},
	}
	if st.Role != "" {
		rows = append(rows, []string{"role", st.Role})
	}
	if c := sh.conversation(); c != nil {
		if sh.options.Tools != nil {
			rows = append(rows, []string{"tools", sh.options.Tools()})
		}
		if sh.options.Notes != "" {
			rows = append(rows, []string{"notes", sh.options.Notes})
		}
		rows = append(rows, []string{"context", contextText(st.Context)})
	}
	sh.say(event.Plain, "%s", show.Columns(rows))
	if turn, whole := sh.Usage(); whole != (llm.Usage{}) {
		sh.say(event.Plain, "%s", UsageTable([]string{"this turn", "session"}, turn, whole))
	}
	if sh.conversation() != nil && st.Actions > 0 {
		sh.say(event.Plain, "%s", sh.directText())
	}
	return nil
}

func contextText(c llm.Context) string {
	counted := "counted by the server"
	switch {
	case c.Used == 0:
		return fmt.Sprintf("empty; the window has %s tokens", count(c.Window))
	case c.Estimated:
		counted = "estimated"
	}
	return fmt.Sprintf("%s of %s tokens, %s", count(c.Used), count(c.Window), counted)
}

func asActor(actor string) string {
	if actor == "" {
		return ""
	}
	return " as " + actor
}
