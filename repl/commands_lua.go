package repl

// This file holds the commands about Lua: running, previewing, resetting, loading and saving.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/repl/transcript"
	"almanac/session"
	"almanac/session/syntax"
)

func luaCommands() []command {
	return []command{
		{
			name: "preview", args: "[CODE]", group: groupLua, numbered: true, run: preview, lua: wholeLua,
			brief: "dry run of CODE or the last cell", action: "preview",
			more: "Runs on a copy of the session's globals, then discards it. Reads are called; writes are only\n" +
				"listed and return placeholders. Globals that cannot be copied, such as coroutines, are named.\n" +
				"It ends in a plan with a number, for /apply.",
		},
		{
			name: "execute", args: "[--fresh] CODE", group: groupMore, numbered: true, run: execute,
			lua:   func(arg string) (string, bool) { code, _ := cutFlag(arg, "--fresh"); return code, true },
			brief: "run CODE; --fresh: in a fresh Lua state",
		},
		{
			name: "time", args: "[N] CODE", group: groupMore, numbered: true, run: timed,
			lua:   func(arg string) (string, bool) { _, code := cutTimes(arg); return code, true },
			brief: "run CODE, N times if given, and show what it took",
			more: "Time from start to end without what you take to answer questions, the part of it in Lua, calls of\n" +
				"actions, and memory asked for, freed again or not. The N times are one run, with the limits of one:\n" +
				"reads are made N times, writes are denied. /lua save leaves such a run out.",
		},
		{
			name: "lua reset", aliases: []string{"reset"}, group: groupLua, run: reset,
			brief: "clear all globals and reload the prelude",
		},
		{
			name: "lua vars", aliases: []string{"vars"}, args: "[NAME]", group: groupLua, run: vars, words: globalWords,
			brief: "the globals of the session", action: "variables",
		},
		{
			name: "lua load", args: "FILE", group: groupLua, numbered: true, run: load, words: fileWords,
			brief: "run a Lua file, cell by cell if saved here",
		},
		{
			name: "lua save", args: "FILE", group: groupLua, run: save, words: fileWords,
			brief: "save the cells since the last reset",
			more:  "Only your cells that succeeded. The file is plain Lua, for /lua load and almanac run.",
		},
	}
}

// cutFlag takes a flag off the front of arg.
func cutFlag(arg, flag string) (rest string, found bool) {
	first, rest := input.CutWord(arg)
	if first == flag {
		return rest, true
	}
	return arg, false
}

func preview(ctx context.Context, sh *Shell, c *event.Cell, arg string) error {
	if strings.TrimSpace(arg) == "" {
		last, ok := sh.lastLua()
		if !ok {
			return &UsageError{usage: "/preview CODE", message: "preview: no cells yet"}
		}
		arg = last.Source
	}
	return sh.previewScript(ctx, c, session.Script{Source: arg, Expr: true})
}

// previewScript fills in a script of the person's and previews it.
func (sh *Shell) previewScript(ctx context.Context, c *event.Cell, script session.Script) error {
	script.Name, script.Author, script.Cell = "preview", session.User, c.N
	c.Source = script.Source
	o, err := sh.options.Session.Preview(ctx, script)
	return sh.ran(c, o, err)
}

// lastLua is the newest cell that holds Lua.
func (sh *Shell) lastLua() (event.Cell, bool) {
	cells := sh.Cells()
	for i := len(cells) - 1; i >= 0; i-- {
		if cells[i].Form == input.Lua {
			return cells[i], true
		}
	}
	return event.Cell{}, false
}

func execute(ctx context.Context, sh *Shell, c *event.Cell, arg string) error {
	code, fresh := cutFlag(arg, "--fresh")
	if strings.TrimSpace(code) == "" {
		return &UsageError{usage: "/execute [--fresh] CODE"}
	}
	return sh.runLua(ctx, c, code, fresh)
}

// mostTimes is how often /time runs its code at most.
const mostTimes = 1_000_000

// cutTimes takes how often to run off the front of what /time got; 1 without a number.
func cutTimes(arg string) (n int, code string) {
	first, rest := input.CutWord(arg)
	if n, err := strconv.Atoi(first); err == nil {
		return n, rest
	}
	_, err := strconv.ParseFloat(first, 64)
	if err == nil && rest != "" && syntax.Check(arg) != nil && !syntax.IsExpression(arg) {
		return 0, rest // 1e3 f() is no code, as 1.5 + 1 is
	}
	return 1, arg
}

func timed(ctx context.Context, sh *Shell, c *event.Cell, arg string) error {
	n, code := cutTimes(arg)
	if strings.TrimSpace(code) == "" {
		return &UsageError{usage: "/time [N] CODE"}
	}
	if first, _ := input.CutWord(arg); n < 1 || n > mostTimes {
		return &UsageError{
			usage:   "/time [N] CODE",
			message: fmt.Sprintf("/time: N is 1 to %s, got %s", text.Thousands(strconv.Itoa(mostTimes)), first),
		}
	}
	err := sh.runScript(ctx, c, session.Script{Source: code, Times: n})
	if o := c.Outcome; o != nil {
		sh.say(event.Notice, "%s", timeText(o, n, sh.feed.Running().Waited))
	}
	return err
}

// timeText tells what a run of n times took, without the time in which the person was asked.
func timeText(o *session.Outcome, n int, waited time.Duration) string {
	wall := o.Elapsed - waited
	told := text.Precise(wall)
	if n > 1 && o.Err == nil {
		told += fmt.Sprintf(" for %d times · %s each", n, text.Precise(wall/time.Duration(n)))
	}
	return fmt.Sprintf("time: %s · %s in Lua · %s · %s of memory", told, text.Precise(o.LuaTime),
		text.Count(len(o.Calls), "call"), text.Bytes(o.Allocated))
}

func reset(ctx context.Context, sh *Shell, _ *event.Cell, _ string) error {
	own := len(event.Named(sh.options.Session.Globals()))
	if _, err := sh.options.Session.Reset(ctx); err != nil {
		return err
	}
	sh.mu.Lock()
	sh.since = sh.last
	sh.mu.Unlock()
	sh.say(event.Notice, "Lua reset: cleared %s", text.Count(own, "global"))
	return nil
}

func vars(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	all := sh.Variables()
	if arg != "" {
		for _, v := range all {
			if v.Name == arg {
				sh.say(event.Plain, "%s  %s  %s  %s", v.Name, v.Kind(), v.Brief, v.From())
				return nil
			}
		}
		return fmt.Errorf("%s: no such global in this session", arg)
	}
	if len(all) == 0 {
		sh.say(event.Notice, "no globals yet: x = 1 creates one")
		return nil
	}
	rows := make([][]string, len(all))
	for i, v := range all {
		rows[i] = []string{text.SanitizeLine(v.Name), v.Kind(), v.From(), text.SanitizeLine(v.Brief)}
	}
	sh.feed.Emit(event.Event{Kind: event.Opened, Pane: event.VariablesPane, Text: show.Columns(rows)})
	return nil
}

// cellMark heads a cell in a saved file.
var cellMark = regexp.MustCompile(`(?m)^-- \[\d+\]\n`)

// maxLoad is how large a Lua file may be.
const maxLoad = 4 << 20

func load(ctx context.Context, sh *Shell, c *event.Cell, arg string) error {
	if arg == "" {
		return &UsageError{usage: "/lua load FILE"}
	}
	path := homePath(arg)
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", arg, pathCause(err))
	}
	if !info.Mode().IsRegular() || info.Size() > maxLoad {
		return fmt.Errorf("%s: not a file of at most %s", arg, text.Bytes(maxLoad))
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w", arg, pathCause(err))
	}
	parts := loadParts(string(source))
	for i, part := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		o, err := sh.options.Session.Run(ctx, session.Script{
			Source: part, Name: filepath.Base(path), Author: session.User, Cell: c.N,
		})
		if i == len(parts)-1 || err != nil || o.Err != nil {
			c.Replay = err == nil && o.Err == nil
			if c.Replay {
				sh.say(event.Notice, "%s: %s run", arg, text.Count(len(parts), "cell"))
			}
			c.Source, c.Form = string(source), input.Lua
			return sh.ran(c, o, err)
		}
	}
	return fmt.Errorf("%s: empty", arg)
}

// loadParts cuts a saved file into its cells. Each keeps the line numbers of the file, by blank lines before it.
func loadParts(text string) []string {
	marks := cellMark.FindAllStringIndex(text, -1)
	if len(marks) == 0 {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		return []string{text}
	}
	var parts []string
	for i, m := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		parts = append(parts, strings.Repeat("\n", strings.Count(text[:m[1]], "\n"))+text[m[1]:end])
	}
	return parts
}

func save(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	if arg == "" {
		return &UsageError{usage: "/lua save FILE"}
	}
	sh.mu.Lock()
	since := sh.since
	sh.mu.Unlock()
	var runs []transcript.Run
	for _, c := range sh.Cells() {
		if c.Replay && c.N > since {
			runs = append(runs, transcript.Run{Cell: c.N, Author: session.User, Source: c.Source})
		}
	}
	if len(runs) == 0 {
		return fmt.Errorf("%s: nothing to save: no cell succeeded since the last reset", arg)
	}
	err := writeNew(arg, func(w io.Writer) error {
		for i, r := range runs {
			if _, err := fmt.Fprintf(w, "-- [%d]\n%s\n", r.Cell, transcript.Replayable(r, runs[i+1:])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	sh.say(event.Notice, "%s: %s saved", arg, text.Count(len(runs), "cell"))
	return nil
}

func homePath(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// pathCause drops the operation and the path that the error repeats.
func pathCause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
