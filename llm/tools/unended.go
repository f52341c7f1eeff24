package tools

import (
	"strings"

	"almanac/catalog/lua"
	"almanac/session/trace"
)

// NotReached answers a call that came after the one in which the program ended.
const NotReached = "not run: the program ended before it"

// Unended answers a call in which the program ended, by what the log has of its scripts: the calls that ended, and the
// mutations that were begun and have no end.
func Unended(ended, begun []trace.Call) string {
	lines := []string{"no answer: the program ended while this ran; its result is lost"}
	var others []trace.Call
	changed, more := 0, []trace.Call(nil)
	for _, c := range ended {
		switch {
		case !changedData(c):
			if c.Mutates && !c.Composed && !planned(c) {
				others = append(others, c)
			}
		case changed < maxCalls:
			lines = append(lines, "  "+shownCall(c)+": ok, changed data")
			changed++
		default:
			more = append(more, c)
		}
	}
	if len(more) > 0 {
		lines = append(lines, "  further: "+nameList(callLines(more), maxCalls))
	}
	for i, c := range begun {
		if i == maxCalls {
			lines = append(lines, "  further, which may or may not have happened: "+nameList(ids(begun[i:]), maxCalls))
			break
		}
		lines = append(lines, "  "+shownCall(c)+": may or may not have happened")
	}
	if len(others) > 0 {
		lines = append(lines, "  "+nameList(callLines(others), maxCalls))
	}
	switch {
	case len(begun) > 0:
		lines = append(lines, notAgain+", nor those that may have happened before you have looked")
	case changed > 0:
		lines = append(lines, notAgain)
	default:
		lines = append(lines, "no call of it changed data")
	}
	return strings.Join(lines, "\n")
}

func shownCall(c trace.Call) string { return lua.Call(c.ID, literal(c.Args, maxShownArgs)) }

func ids(calls []trace.Call) []string {
	list := make([]string, len(calls))
	for i, c := range calls {
		list[i] = c.ID
	}
	return list
}
