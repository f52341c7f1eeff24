package repl

// This file takes the globals back to earlier states: run by run, or to those that have a name.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/effect"
	"almanac/session/trace"
	"almanac/session/vm"
)

func undoCommands() []command {
	return []command{
		{
			name: "undo", args: "[N] [--compensate]", group: groupMore, run: undo, words: undoWords,
			numberedFor: func(_ *Shell, arg string) bool { return compensates(arg) },
			brief:       "take the globals back one run, or N",
			more: "The globals go back; what the runs wrote outside is listed and stays. --compensate lists the\n" +
				"calls that take it back, where actions declare some, asks you about them and makes them.\n" +
				"Runs that only left a result do not count. /redo brings them back until another run changes\n" +
				"a global. /checkpoints lists how far back it goes.",
		},
		{
			name: "redo", args: "[N]", group: groupMore, run: redo, words: redoWords,
			brief: "bring back what /undo took back",
		},
		{
			name: "checkpoint", args: "NAME", group: groupMore, run: checkpoint,
			brief: "give the globals of now a name, for /restore",
			more:  "One of that name is replaced. Checkpoints are still there after a resume.",
		},
		{
			name: "restore", aliases: []string{"checkpoints"}, args: "[NAME]", group: groupMore, run: restore,
			words: checkpointWords,
			brief: "take the globals to a checkpoint, or list the states",
			more:  "Without NAME it lists the states that /undo, /redo and /restore go to. /undo takes a restore back.",
		},
	}
}

func undo(ctx context.Context, sh *Shell, c *event.Cell, arg string) error {
	over, err := sh.step(ctx, "undo", withoutCompensate(arg), "took back", sh.options.Session.Undo)
	if err != nil {
		return err
	}
	sh.staysDirected(over)
	if compensates(arg) {
		return sh.takeBack(ctx, c, over)
	}
	sh.notUndone(over)
	return nil
}

func redo(ctx context.Context, sh *Shell, _ *event.Cell, arg string) error {
	_, err := sh.step(ctx, "redo", arg, "brought back", sh.options.Session.Redo)
	return err
}

func (sh *Shell) step(
	ctx context.Context, name, arg, did string, step func(context.Context, int) (session.Move, error),
) (over []session.Point, err error) {
	n := 1
	if arg != "" {
		if n, err = strconv.Atoi(arg); err != nil || n < 1 {
			c, _ := sh.named(name)
			return nil, &UsageError{usage: c.usage(), message: fmt.Sprintf("%s: %q: want a number of runs", name, arg)}
		}
	}
	waited := sh.options.Session.Questions()
	move, err := step(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	sh.moved(fmt.Sprintf("%s %s", did, pointNames(move.Over)), move)
	sh.askAgainBut(waited)
	return move.Over, nil
}

// moved says where the globals went, in a line.
func (sh *Shell) moved(did string, m session.Move) {
	sh.wentBack()
	if m.Lost != "" {
		sh.say(event.Warning, "%s", m.Lost)
	}
	changed := directedText(m.Over)
	if globals := diffText(m.Changed); globals != "" {
		changed = slices.Insert(changed, 0, globals)
	}
	if len(changed) > 0 {
		did += ": " + strings.Join(changed, "; ")
	}
	sh.say(event.Notice, "%s; globals as of %s", did, pointName(m.To))
	if len(m.Left) > 0 {
		sh.say(event.Warning, "without %s, which could not be kept", strings.Join(m.Left, ", "))
	}
}

// shownLabel writes the label of a run as people see it on the screen.
func shownLabel(label string) string {
	if n, ok := strings.CutPrefix(label, "cell "); ok {
		return "[" + n + "]"
	}
	return text.SanitizeLine(label)
}

// pointNames names what led to points: "[8], [7]".
func pointNames(points []session.Point) string {
	var names []string
	for _, p := range points {
		names = append(names, pointName(p))
	}
	return strings.Join(slices.Compact(names), ", ")
}

func pointName(p session.Point) string { return shownLabel(p.Title()) }

// diffText says how globals changed: "set x; removed y".
func diffText(d vm.Diff) string {
	var parts []string
	for _, change := range []struct {
		verb  string
		names []string
	}{{"set", d.Added}, {"changed", d.Changed}, {"removed", d.Removed}} {
		if names := event.OwnNames(change.names); len(names) > 0 {
			parts = append(parts, change.verb+" "+fewNames(names))
		}
	}
	return strings.Join(parts, "; ")
}

// fewNames joins names and counts those beyond the eighth.
func fewNames(names []string) string {
	const most = 8
	if n := len(names) - most; n > 0 {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", n))
	}
	return text.SanitizeLine(strings.Join(names, ", "))
}

// notUndone lists what the runs of points wrote outside.
func (sh *Shell) notUndone(points []session.Point) {
	const most = 10
	writes, more := writesOf(points)
	takes := sh.options.Session.UndoScript(writes).Takes
	var lines []string
	for _, c := range slices.Backward(writes) {
		line := "  " + sh.callLine(c.ID, c.Args)
		switch {
		case c.Verdict != trace.OK:
			line += "  " + c.Words()
		case c.Undo != nil && c.Undo.Made:
			line += "  taken back"
		case c.Undo != nil && c.Undo.Cannot == "":
			line += "\n    can be taken back by " + sh.callLine(c.Undo.ID, c.Undo.Args)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 && more == 0 {
		return
	}
	if n := len(lines) - most; n > 0 || more > 0 {
		lines = append(lines[:min(len(lines), most)], fmt.Sprintf("  … %d more: /trace", max(n, 0)+more))
	}
	if n := len(takes); n > 0 {
		lines = append(lines, fmt.Sprintf("%d of them can be taken back: %s", n, askAgain(points)))
	}
	sh.say(event.Warning, "not undone, written outside:\n%s", strings.Join(lines, "\n"))
}

func checkpoint(ctx context.Context, sh *Shell, _ *event.Cell, arg string) error {
	if arg == "" {
		return &UsageError{usage: "/checkpoint NAME"}
	}
	p, replaced, dropped, err := sh.options.Session.Checkpoint(ctx, arg)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	said := fmt.Sprintf("checkpoint %s: globals as of %s, %s", p.Name, pointName(p), text.Bytes(int64(p.Size)))
	if replaced != "" {
		said += "; it was " + shownLabel(replaced)
	}
	sh.say(event.Notice, "%s", said)
	if dropped != "" {
		sh.say(event.Warning, "checkpoint %s is gone: it was the oldest of too many", dropped)
	}
	return nil
}

func restore(ctx context.Context, sh *Shell, _ *event.Cell, arg string) error {
	if arg == "" {
		return sh.listStates()
	}
	move, err := sh.options.Session.Restore(ctx, arg)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	sh.moved("restored "+arg, move)
	return nil
}

// listStates lists the ring, with the command that goes to each, and what has a name.
func (sh *Shell) listStates() error {
	ring, named := sh.options.Session.States()
	now := slices.IndexFunc(ring, func(p session.Point) bool { return p.Now })
	if now < 0 {
		return errors.New("checkpoints: no states")
	}
	rows := make([][]string, 0, len(ring)+len(named))
	for i, p := range ring {
		way := "  now"
		switch {
		case i < now:
			way = fmt.Sprintf("  /undo %d", now-i)
		case i > now:
			way = fmt.Sprintf("  /redo %d", i-now)
		}
		rows = append(rows, append([]string{way, pointName(p), authorOf(p)}, pointDetails(p)...))
	}
	for _, p := range named {
		rows = append(rows, append([]string{"  /restore " + p.Name, pointName(p), ""}, pointDetails(p)...))
	}
	sh.say(event.Plain, "%s", show.Columns(rows))
	return nil
}

func authorOf(p session.Point) string {
	if len(p.Runs) == 0 {
		return ""
	}
	return string(p.Runs[0].Author)
}

// pointDetails are when a point was made, how large it is, and what changed.
func pointDetails(p session.Point) []string {
	size, changed := text.Bytes(int64(p.Size)), diffText(p.Changed)
	switch {
	case p.NotKept != "":
		size = "not kept: " + text.SanitizeLine(p.NotKept)
	case p.Size == 0:
		size = "empty"
	}
	if changed == "" && p.Name == "" && len(p.Runs) > 0 && p.What == "" {
		var effects []catalog.Effect
		for _, d := range p.Directives {
			effects = append(effects, d.Effect)
		}
		changed = cmp.Or(text.SanitizeLine(effect.Titles(effects)), "changed inside tables")
	}
	if n := len(p.Writes) + p.More; n > 0 {
		changed = strings.TrimPrefix(changed+"; wrote "+text.Count(n, "time"), "; ")
	}
	return []string{p.Time.Local().Format("15:04"), size, changed}
}

func checkpointWords(sh *Shell, _ string) []Completion {
	var items []Completion
	_, named := sh.options.Session.States()
	for _, p := range slices.Backward(named) {
		items = append(items, Completion{Text: p.Name, Detail: "globals as of " + pointName(p)})
	}
	return items
}

func undoWords(sh *Shell, _ string) []Completion { return stepWords(sh, -1) }

func redoWords(sh *Shell, _ string) []Completion { return stepWords(sh, 1) }

// stepWords are the numbers that go somewhere, with where they go.
func stepWords(sh *Shell, by int) []Completion {
	ring, _ := sh.options.Session.States()
	now := slices.IndexFunc(ring, func(p session.Point) bool { return p.Now })
	var items []Completion
	for n := 1; now+by*n >= 0 && now+by*n < len(ring); n++ {
		items = append(items, Completion{Text: fmt.Sprint(n), Detail: "globals as of " + pointName(ring[now+by*n])})
	}
	return items
}
