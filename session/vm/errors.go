package vm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	lua "github.com/Shopify/go-lua"
)

// This file turns errors into what scripts, people and models read: positions, tracebacks, the error values of failed
// host calls, and the Error of a Reply.

const preludePrefix = "prelude/"

func (e *Error) Error() string {
	text := e.Message
	if e.Line > 0 {
		text = fmt.Sprintf("line %d: %s", e.Line, text)
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// scriptAt finds the innermost level that runs Lua that is not the prelude's.
func scriptAt(l *lua.State) (level int, f frame, ok bool) {
	for ; level < 50; level++ {
		if f, ok = frameAt(l, level); !ok || f.lua && !strings.HasPrefix(f.chunk, preludePrefix) {
			return level, f, ok
		}
	}
	return level, f, false
}

// where is the position of that level, ready to be put before a message.
func (m *Machine) where(l *lua.State) string {
	_, f, ok := scriptAt(l)
	if !ok {
		return ""
	}
	return f.position()
}

func (f frame) position() string { return fmt.Sprintf("%s:%d: ", f.chunk, f.line) }

// position is the position at a level as error() counts it: 1 is the function that called error.
func (m *Machine) position(l *lua.State, level int) string {
	level = m.luaLevel(l, level)
	f, ok := frameAt(l, level)
	if !ok || !f.lua {
		return ""
	}
	if strings.HasPrefix(f.chunk, preludePrefix) {
		return m.where(l)
	}
	return f.position()
}

// luaLevel is the level of the engine's stack for one that error() counts, which are those of Lua: a function that
// returns what another in Lua gives, which normalised code passes on, is done with there, and an operator that it calls
// the host for is no call.
func (m *Machine) luaLevel(l *lua.State, level int) int {
	for i := 2; i <= level; i++ {
		a := m.activationAt(l, i)
		if a != nil && m.activationAt(l, i-1) != nil && a.returnsCall() {
			level++
		}
		if a == nil {
			if a = m.activationAt(l, i+1); a != nil && reserved(a.called()) {
				level++
			}
		}
	}
	return level
}

// scriptLine is the line of the running script that led here, or 0.
func (m *Machine) scriptLine(l *lua.State) int {
	for level := 0; level < 300; level++ {
		f, ok := frameAt(l, level)
		if !ok {
			break
		}
		if f.lua && f.chunk == m.chunk {
			return f.line
		}
	}
	if m.current != nil && m.current.resumer != nil && m.current.resumer != l {
		return m.scriptLine(m.current.resumer)
	}
	return 0
}

// A long traceback shows this many calls of its beginning and of its end.
const (
	traceHead = 10
	traceTail = 11
)

// traceback lists the Lua calls, innermost first, without the prelude's.
func (m *Machine) traceback(l *lua.State) []string {
	list := frames(l)
	var head, tail []string
	next, last := 0, len(list)-1
	for ; next <= last && len(head) < traceHead; next++ {
		if line, ok := m.traceEntry(l, list[next], next < last); ok {
			head = append(head, line)
		}
	}
	for inner := false; last >= next && len(tail) < traceTail; last-- {
		if line, ok := m.traceEntry(l, list[last], inner); ok {
			tail = append(tail, line)
		}
		inner = true
	}
	if last >= next {
		head = append(head, "...")
	}
	slices.Reverse(tail)
	return append(head, tail...)
}

// traceEntry is a traceback's line for a call visible to scripts; inner is set unless it is the outermost level.
func (m *Machine) traceEntry(l *lua.State, where lua.Frame, inner bool) (string, bool) {
	if where == nil {
		return "", false
	}
	f := frameOf(l, where)
	if !f.lua || strings.HasPrefix(f.chunk, preludePrefix) {
		return "", false
	}
	in := "main chunk"
	if f.defined > 0 && (inner || m.current != nil) {
		in = m.nameAt(l, where, f)
	}
	return fmt.Sprintf("%s:%d: in %s", f.chunk, f.line, in), true
}

// nameAt is what a traceback calls the function of a level.
func (m *Machine) nameAt(l *lua.State, where lua.Frame, f frame) string {
	if l.CheckStack(1) {
		lua.Info(l, "f", where)
		c := m.closure(l.ToValue(-1))
		l.Pop(1)
		if c != nil {
			if name := m.functionName(c.prototype); name != "" {
				return "function '" + name + "'"
			}
		}
	}
	return fmt.Sprintf("function <%s:%d>", f.chunk, f.defined)
}

// sourceLine is a line of a chunk that ran not too long ago, or "".
func (m *Machine) sourceLine(chunk string, line int) string {
	source := m.sources[chunk]
	for ; line > 1 && source != ""; line-- {
		_, source, _ = strings.Cut(source, "\n")
	}
	text, _, _ := strings.Cut(source, "\n")
	return strings.TrimRight(text, "\r")
}

// onError is the engine's error handler: it sees the engine's message before the stack unwinds, and corrects it.
func (m *Machine) onError(l *lua.State) int {
	message, ok := m.raw(l, 1).(string)
	if !ok {
		return 1
	}
	if m.traceWanted > 0 {
		m.trace = m.traceback(l)
	}
	l.SetTop(0)
	push(l, m.explain(l, message))
	return 1
}

// splitPosition takes "cell 7:3: text" apart.
func splitPosition(message string) (chunk string, line int, text string) {
	chunk, rest, _ := strings.Cut(message, ":")
	digits, text, found := strings.Cut(rest, ": ")
	n, err := strconv.ParseUint(digits, 10, 31)
	if !found || err != nil || chunk == "" || strings.Contains(chunk, "\n") {
		return "", 0, message
	}
	return chunk, int(n), text
}

// keptSpots is how many errors of async calls in a run are told with their place in the line.
const keptSpots = 1000

// failure makes the error value of a failed host call: a table with code, message, hint, id and position that prints
// as its message and takes part in string functions as its message.
func (m *Machine) failure(l *lua.State, id string, err error) any {
	t := m.newTable(0, 5)
	message := err.Error()
	m.pointAtCall(l, message)
	if e, ok := err.(*HostError); ok {
		if e.Code != "" {
			t.put("code", e.Code)
		}
		if e.Hint != "" {
			t.put("hint", e.Hint)
		}
	}
	t.put("message", message)
	at := m.where(l)
	if w := m.inWorker(); at == "" && w != nil {
		at = w.at
		if w.async && len(m.spots) < keptSpots {
			m.spots[t] = w.use
		}
	}
	t.put("position", strings.TrimSuffix(at, ": "))
	if id != "" {
		t.put("id", id)
	}
	t.meta = m.failureMeta
	return m.value(t)
}

// failureText is the text of an error value made by failure.
func (m *Machine) failureText(v any) (string, bool) {
	t := m.table(v)
	if t == nil || t.meta != m.failureMeta {
		return "", false
	}
	s, ok := t.hash["message"].(string)
	return s, ok
}

// toError makes the Error of a Reply from an uncaught error value.
func (m *Machine) toError(v any) *Error {
	e := &Error{Kind: Runtime, Traceback: m.trace}
	switch text, failed := m.failureText(v); {
	case failed:
		t := m.table(v)
		e.Message = text
		e.Call, _ = t.hash["id"].(string)
		e.Code, _ = t.hash["code"].(string)
		e.Hint, _ = t.hash["hint"].(string)
		at, _ := t.hash["position"].(string)
		m.locate(e, at+": "+text)
		if use, ok := m.spots[t]; ok {
			m.hint = hinted{message: e.Message, use: use}
		}
	default:
		if s, ok := v.(string); ok {
			m.locate(e, s)
		} else {
			e.Message = m.describeError(v)
			if value := m.Value(v); e.Message != errorValue+value.Repr {
				e.Value = &value
			}
		}
	}
	if e.Line == 0 {
		e.Line = m.traceLine()
	}
	m.excerpt(e)
	m.finish(e)
	return e
}

// errorValue begins the message of an error value that has no message of its own.
const errorValue = "error value: "

// describeError is the message for an uncaught value.
func (m *Machine) describeError(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	if t := m.open(v); t != nil {
		for _, name := range []string{"message", "msg", "error"} {
			if s, ok := t.get(name).(string); ok {
				return s
			}
		}
	}
	return errorValue + m.repr(nil, v, 200, 120)
}

// locate sets Line and Message from a message with a position. An error in a function that an earlier script
// defined keeps its position in the message and gets the line of this script that led there.
func (m *Machine) locate(e *Error, message string) {
	chunk, line, text := splitPosition(message)
	switch {
	case chunk == m.chunk:
		e.Line, e.Message = line, text
	default:
		e.Message = strings.TrimPrefix(message, ": ")
	}
}

// traceLine is the innermost line of this script in the kept traceback.
func (m *Machine) traceLine() int {
	for _, entry := range m.trace {
		if chunk, line, _ := splitPosition(entry); chunk == m.chunk {
			return line
		}
	}
	return 0
}

func (m *Machine) excerpt(e *Error) {
	if e.Line > 0 {
		e.Excerpt = m.sourceLine(m.chunk, e.Line)
	}
}
