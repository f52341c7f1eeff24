package repl

// This file is what the panes of a screen show: variables, calls, and values level by level. Without a screen the
// commands print the same as lists.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/repl/transcript"
	"almanac/session"
	"almanac/session/trace"
	"almanac/session/vm"
)

// A Variable is one global of the session and where it comes from.
type Variable struct {
	vm.Global
	// Author and Cell say who set it last; empty and zero when no log tells.
	Author session.Author
	Cell   int
}

// Variables lists the globals of the session as of its last run, by name, without the results _ and _n.
func (sh *Shell) Variables() []Variable {
	who := sh.feed.Setters()
	var all []Variable
	for _, g := range event.Named(sh.options.Session.Globals()) {
		all = append(all, Variable{Global: g, Author: who[g.Name].Author, Cell: who[g.Name].Cell})
	}
	return all
}

// Origin says where the value of a variable is from; empty where nothing is set under that name. It reads the log.
func (sh *Shell) Origin(name string) (string, error) {
	records, err := sh.log()
	if err != nil {
		return "", err
	}
	set := slices.ContainsFunc(sh.options.Session.Globals(), func(g vm.Global) bool { return g.Name == name })
	origin, told := transcript.OriginOf(records, name)
	switch {
	case set && !told:
		return name + ": set, but the log does not tell where", nil
	case told && !set:
		return "now not set, last changed so\n" + origin.String(), nil
	case told:
		return origin.String(), nil
	}
	return "", nil
}

// Kind is the type with its size: "table[3]".
func (v Variable) Kind() string { return show.KindText(v.Global) }

// From says who set it: "you [3]"; empty when it is not known.
func (v Variable) From() string {
	if v.Cell == 0 {
		return string(v.Author)
	}
	return fmt.Sprintf("%s [%d]", v.Author, v.Cell)
}

// A Used is one call with the cell that it was made in.
type Used struct {
	Cell int
	// Source is the script that made the call: the cell's, or the model's where it ran only one; else empty.
	Source string
	Call   trace.Call
	// Result is what the call returned, and Part says how much of it that is; empty for all.
	Result vm.Value
	Part   string
}

// Calls lists the calls of the remembered cells and of the running one, newest first.
func (sh *Shell) Calls() []Used {
	var all []Used
	for _, c := range append(sh.Cells(), sh.feed.Running()) {
		source := c.Source
		if c.Form == input.Words {
			source = ""
			if len(c.Scripts) == 1 {
				source = c.Scripts[0]
			}
		}
		for _, call := range c.Calls {
			all = append(all, Used{Cell: c.N, Source: source, Call: call})
		}
	}
	slices.Reverse(all)
	return all
}

// InFull is u with its result.
func (sh *Shell) InFull(u Used) Used {
	u.Result, u.Part = sh.resultOf(u.Cell, u.Call)
	return u
}

// ResultText is the result as Lua; a first line tells where it is a part.
func (u Used) ResultText() string {
	if u.Part != "" {
		return "-- " + u.Part + "\n" + u.Result.Repr
	}
	return u.Result.Repr
}

// Number is what the transcript calls it: "[7.2]".
func (u Used) Number() string { return fmt.Sprintf("[%d.%d]", u.Cell, u.Call.N) }

// Matches tells whether all words are found in the action's id, the author, the outcome or the number; an empty list
// matches.
func (u Used) Matches(words []string) bool {
	text := strings.ToLower(strings.Join([]string{
		u.Call.ID, cmp.Or(u.Call.Author, "you"), u.Call.Words(), u.Number(), u.Call.Brief,
	}, " "))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// resultRows is how many rows of a result a call in full shows.
const resultRows = 1000

// Detail shows a call in full: who made it when, arguments, result, what decided, and the line of the script that
// asked, marked.
func (u Used) Detail(width int, o event.RenderOptions) []show.Line {
	lines := show.Lines(show.Text, "", callDetail(u.Cell, u.Call, o))
	if u.Result.Data != nil {
		o.MaxRows = resultRows
		lines = append(lines, nil)
		lines = append(lines, show.ValueLines(u.Result, event.CallRest(u.Cell, u.Call.N), width, o.Options)...)
	}
	if u.Part != "" {
		lines = append(lines, show.Notice.Line(u.Part))
	}
	source := strings.Split(u.Source, "\n")
	if u.Source == "" || u.Call.Line < 1 || u.Call.Line > len(source) {
		return lines
	}
	lines = append(lines, nil)
	for i, line := range source {
		mark, role := "  ", show.Code
		if i+1 == u.Call.Line {
			mark, role = o.Marks().Prompt+" ", show.Key
		}
		gutter := fmt.Sprintf("%s%4d  ", mark, i+1)
		code := cells.Clip(show.ExpandTabs(text.SanitizeSource(line)), max(width-cells.Width(gutter), 1), o.Marks().Cut)
		lines = append(lines, show.Line{show.Dim.Span(gutter), role.Span(code)})
	}
	return lines
}

// CopyOut puts text where the person can paste it from and tells what that is. The error says that there is no such
// place.
func (sh *Shell) CopyOut(text string) (via string, err error) {
	if sh.options.Copy == nil {
		return "", errors.New("there is no clipboard here")
	}
	return sh.options.Copy(text)
}

// Look shows a value and a stretch of what is in it; see session.Session.Look.
func (sh *Shell) Look(ctx context.Context, path []vm.Step, from, limit, wide int) (vm.Page, error) {
	return sh.options.Session.Look(ctx, path, from, limit, wide)
}

// Rows reads a stretch of a list as data; see session.Session.Rows.
func (sh *Shell) Rows(ctx context.Context, path []vm.Step, from, limit int) (vm.Rows, error) {
	return sh.options.Session.Rows(ctx, path, from, limit)
}

// pageShown is how many entries /view prints.
const pageShown = 50

// viewValue looks at a value: at a path as it stands, at any other expression by running it first.
func viewValue(ctx context.Context, sh *Shell, c *event.Cell, arg string) error {
	text := strings.TrimSpace(arg)
	if text == "" {
		text = "_"
	}
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		text = fmt.Sprintf("_%d", n) // the result of cell n
	}
	path, ok := show.ParsePath(text)
	if !ok {
		if _, err := sh.runQuietly(ctx, c, text); err != nil {
			return err
		}
		path = []vm.Step{{Name: "_"}}
	}
	page, err := sh.Look(ctx, path, 0, pageShown, 0)
	if err != nil {
		return err
	}
	if page.Type == "nil" {
		if len(path) == 1 && path[0].Name == "_" {
			return errors.New("view: nothing to look at yet: run something that returns a value")
		}
		return fmt.Errorf("view: %s is nil", show.PathText(path))
	}
	sh.feed.Emit(event.Event{Kind: event.Opened, Pane: event.ValuePane, Path: path, Text: pageText(path, page)})
	return nil
}

// runQuietly runs an expression for its value alone, which is kept in _.
func (sh *Shell) runQuietly(ctx context.Context, c *event.Cell, source string) (*session.Outcome, error) {
	o, err := sh.options.Session.Run(ctx, session.Script{
		Source: source, Name: "view", Author: session.User, Cell: c.N, Expr: true, Keep: []string{"_"},
	})
	if err == nil && o.Err != nil {
		return nil, sh.ran(c, o, nil)
	}
	return o, err
}

// pageText lists a value and what is in it.
func pageText(path []vm.Step, p vm.Page) string {
	head := show.PathText(path) + "  " + show.NodeKind(p.Node)
	if p.Text != "" {
		return head + "\n" + indent(p.Text, "  ")
	}
	rows := make([][]string, len(p.Nodes))
	for i, n := range p.Nodes {
		rows[i] = []string{"  " + show.StepText(n), show.NodeKind(n), text.SanitizeLine(n.Brief)}
	}
	text := head
	if len(rows) > 0 {
		text += "\n" + show.Columns(rows)
	}
	if more := p.Size - len(p.Nodes); more > 0 {
		text += fmt.Sprintf("\n  … %d more", more)
	}
	return text
}

// FindWidth is how many cells of a value Find looks at.
const FindWidth = 320

// Find searches the value at path for entries whose key or beginning holds text, whatever its case, tables that are
// near the top first. Nothing is run for it. It stops at 50,000 entries, 500 hits, 12 levels, or when ctx is done, and
// tells what it has until then; the error is that of looking at the value itself.
func (sh *Shell) Find(ctx context.Context, path []vm.Step, text string) (show.Finding, error) {
	return show.Find(path, text, func(path []vm.Step, from, limit int) (vm.Page, error) {
		return sh.Look(ctx, path, from, limit, FindWidth)
	})
}

// resultOf is what a call of a cell returned: all of it while it is kept, else as much as the log has. part says how
// much that is, and where the rest may be; it is empty for a whole result.
func (sh *Shell) resultOf(cell int, c trace.Call) (v vm.Value, part string) {
	data := c.Result
	if c.Part != "" {
		if whole, ok := sh.feed.Result(cell, c.N); ok {
			data = whole
		} else {
			part = c.Part + " kept in the log; run it again" + sh.orName(cell)
		}
	}
	v = vm.Value{Type: luaType(data), Repr: show.LuaText(data, 100), Data: data, Whole: true}
	if e, ok := sh.options.Session.View().Lookup(c.ID); ok {
		v.Fields = session.FieldOrder(e)
	}
	return v, part
}

// orName points to the global with a cell's value, where there is one.
func (sh *Shell) orName(cell int) string {
	name := fmt.Sprintf("_%d", cell)
	if slices.ContainsFunc(sh.options.Session.Globals(), func(g vm.Global) bool { return g.Name == name }) {
		return ", or see " + name
	}
	return ""
}

func luaType(data any) string {
	switch data.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any, map[string]any:
		return "table"
	}
	return "number"
}
