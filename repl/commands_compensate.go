package repl

// This file takes back what undone runs wrote outside, by the calls that their actions declare for it.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/session"
	"almanac/session/trace"
)

const compensateFlag = "--compensate"

// compensates tells whether /undo is asked to take back what was written, too.
func compensates(arg string) bool { return slices.Contains(strings.Fields(arg), compensateFlag) }

// withoutCompensate is what /undo is asked beside that.
func withoutCompensate(arg string) string {
	words := slices.DeleteFunc(strings.Fields(arg), func(word string) bool { return word == compensateFlag })
	return strings.Join(words, " ")
}

// shownWrite is about how many bytes of the arguments of a write are shown.
const shownWrite = 80

// callLine is a call on one line.
func (sh *Shell) callLine(id string, args map[string]any) string {
	return id + lua.Literal(args, lua.Options{First: sh.ArgOrder(id), Limit: shownWrite, Tight: true})
}

// writesOf are the writes of points that were taken back, newest point first, in the order in which they were made;
// more counts those that are not kept.
func writesOf(over []session.Point) (writes []trace.Call, more int) {
	for _, p := range slices.Backward(over) {
		writes = append(writes, p.Writes...)
		more += p.More
	}
	return writes, more
}

// takeBack makes a script of the calls that take back what the undone runs wrote, has it approved as one list, and runs
// it as the cell. What stays is listed.
func (sh *Shell) takeBack(ctx context.Context, c *event.Cell, over []session.Point) error {
	s := sh.options.Session
	writes, more := writesOf(over)
	u := s.UndoScript(writes)
	var stay []string
	before := 0
	for _, w := range u.Leaves {
		if w.Call.Undo != nil && w.Call.Undo.Made {
			before++
			continue
		}
		stay = append(stay, text.SanitizeLine("  "+sh.callLine(w.Call.ID, w.Call.Args)+": "+w.Why))
	}
	if more > 0 {
		stay = append(stay, fmt.Sprintf("  %s of long ago: what they were is not kept", text.Count(more, "write")))
	}
	if len(stay) > 0 {
		sh.say(event.Warning, "not taken back:\n%s", strings.Join(stay, "\n"))
	}
	if u.Source == "" {
		switch {
		case before > 0:
			sh.say(event.Notice, "%s taken back before", text.Count(before, "write"))
		case len(stay) == 0:
			sh.say(event.Notice, "the undone runs wrote nothing")
		}
		return nil
	}
	c.Source = strings.TrimSuffix(u.Source, "\n")
	o, err := s.TakeBack(ctx, u, cellName(c.N), c.N)
	err = sh.ran(c, o, err)
	if o == nil || err == nil && o.Err == nil && !slices.ContainsFunc(o.Calls, isOff) {
		return err
	}
	if !slices.ContainsFunc(o.Calls, wrote) { // refused as a whole: the globals go along with the writes
		_, again := sh.step(context.WithoutCancel(ctx), "redo", strconv.Itoa(len(over)), "brought back", s.Redo)
		return errors.Join(err, again)
	}
	sh.say(event.Notice, "what was not taken back: %s asks again", askAgain(over))
	return err
}

func isOff(c trace.Call) bool { return c.Rule == trace.SwitchedOff }

func wrote(c trace.Call) bool { return c.Wrote() }

// askAgain says how points that were taken back are taken back once more, with what they wrote.
func askAgain(over []session.Point) string {
	if n := len(over); n > 1 {
		return fmt.Sprintf("/redo %d, then /undo %[1]d %s", n, compensateFlag)
	}
	return "/redo, then /undo " + compensateFlag
}
