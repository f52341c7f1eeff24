package vm

import (
	"fmt"
	"slices"
	"strings"

	lua "github.com/Shopify/go-lua"

	"almanac/session/syntax"
)

// This file corrects the engine's messages. The engine names any variable that happens to hold an equal value ("local
// 'a'" for a field of t); here the instruction that failed says which one it was (bytecode.go), and where it stands in
// the text (syntax.Uses).

// engineFailure parses the engine's message about a value of the wrong type: "attempt to index local 'x' (a nil
// value)", or without a name "attempt to index a nil value".
func engineFailure(text string) (f failure, ok bool) {
	rest, _ := strings.CutPrefix(text, "attempt to ")
	for _, op := range []string{"index", "call", "perform arithmetic on", "perform bitwise operation on", "concatenate",
		"get length of"} {
		value, is := strings.CutPrefix(rest, op+" ")
		if !is {
			continue
		}
		typ, unnamed := strings.CutPrefix(value, "a ")
		if i := strings.LastIndex(value, "(a "); !unnamed && i >= 0 {
			typ = strings.TrimSuffix(value[i+len("(a "):], ")")
		}
		typ, ok = strings.CutSuffix(typ, " value")
		typ = luaType(typ)
		return failure{op: op, typ: typ, text: fmt.Sprintf("attempt to %s %s value", op, withArticle(typ))}, ok
	}
	return f, false
}

// explain returns the engine's message with the right position and names. It is called by a function that the failed
// one has called.
func (m *Machine) explain(l *lua.State, message string) string {
	chunk, line, text := splitPosition(message)
	f, found := engineFailure(text)
	bound := slices.IndexFunc(boundNames, func(name string) bool { return text == "'for' "+name+" must be a number" })
	inPrelude := strings.HasPrefix(chunk, preludePrefix)
	switch {
	case strings.HasPrefix(text, "Go stack overflow"):
		text = "stack overflow (calls through metamethods nest too deep)"
	case strings.HasPrefix(text, "attempt to compare"):
		text = m.comparison(l, strings.NewReplacer("'no value'", "null", "'userdata'", "action", "'", "").Replace(text))
		if !inPrelude {
			text = m.blame(l, failure{op: "compare", text: text})
		}
	case bound >= 0 && !inPrelude:
		text = m.blameBound(l, bound)
	case found:
		text = f.text
		if !inPrelude {
			text = m.blame(l, f)
		}
	}
	if !inPrelude && (text == "table index is nil" || text == "table index is NaN") {
		m.pointAt(l, 1, text)
	}
	if chunk == "" || inPrelude {
		return m.where(l) + text
	}
	return fmt.Sprintf("%s:%d: %s", chunk, line, text)
}

// comparison names the types of two values that have no order: the engine says userdata of all of our own making.
func (m *Machine) comparison(l *lua.State, text string) string {
	a := m.activationAt(l, 1)
	if a == nil || a.code[a.at].op() != opLess && a.code[a.at].op() != opLessEqual {
		return text
	}
	left, right := m.typeName(a.value(a.code[a.at].b())), m.typeName(a.value(a.code[a.at].c()))
	if left == right {
		return fmt.Sprintf("attempt to compare two %s values", left)
	}
	return fmt.Sprintf("attempt to compare %s with %s", left, right)
}

// operatorFailed raises the error of an operator that the host does; it does not return. operand counts from 1; zero
// means that the value is none of them.
func (m *Machine) operatorFailed(c call, op string, v any, operand int) {
	c.known(v)
	f := failure{op: op, typ: m.typeName(v), host: c.name, operand: operand}
	if !reserved(c.name) {
		f.host = "" // a metamethod: the engine's own instruction called it
	}
	f.text = fmt.Sprintf("attempt to %s %s value", op, withArticle(f.typ))
	m.raise(c.l, m.where(c.l)+m.blame(c.l, f))
}

// comparisonFailed raises the error of v < w, which have no order; it does not return.
func (m *Machine) comparisonFailed(c call, v, w any) {
	c.known(v, w)
	text := fmt.Sprintf("attempt to compare %s with %s", m.typeName(v), m.typeName(w))
	m.raise(c.l, m.where(c.l)+m.blame(c.l, failure{op: "compare", text: text}))
}

// boundNames are the bounds of a numeric for as messages call them.
var boundNames = []string{"initial value", "limit", "step"}

// boundFailed raises the error of a for whose bound i is no number; it does not return.
func (m *Machine) boundFailed(c call, i int) { m.raise(c.l, m.where(c.l)+m.blameBound(c.l, i)) }

// blameBound returns the message of a numeric for whose bound i is not what it must be.
func (m *Machine) blameBound(l *lua.State, i int) (text string) {
	text = "'for' " + boundNames[i] + " must be a number"
	defer func() { _ = recover() }()
	a := m.activationAt(l, 1)
	if a == nil {
		return text
	}
	register, u := a.code[a.at].a()+i, a.spotAt(a.at)
	if u.operand = i; u.name == syntax.HostFor {
		register++
	}
	v, n, hint := a.registers[register], a.source(register, a.at), ""
	if whole, ok := m.exactInteger(v); ok {
		text = fmt.Sprintf("'for' %s is %d: a loop from a plain number cannot count beyond 2^53", boundNames[i], whole)
	} else {
		text += ", got " + m.typeName(v)
		if n.kind != "constant" {
			text += n.String()
		}
	}
	if v == nil && m.traceWanted > 0 {
		hint = m.nearHint(a, n)
	}
	m.mark(l, 1, a, u, hinted{message: text, hint: hint})
	return text
}

// mark keeps h with the place u of the level that a is.
func (m *Machine) mark(l *lua.State, level int, a *activation, u spot, h hinted) {
	m.hint = h
	f, _ := frameAt(l, level)
	u.chunk, u.line = f.chunk, int(a.lineInfo[a.at])
	a.count(&u)
	m.hint.use = u
}

func withArticle(typ string) string {
	if typ == "action" {
		return "an " + typ
	}
	return "a " + typ
}

func luaType(engine string) string {
	switch engine {
	case "no value":
		return "null"
	case "userdata":
		return "action"
	}
	return engine
}

// A failure is an operation on a value of the wrong type.
type failure struct {
	op, typ string
	text    string // the message without a name
	host    string // the host function that does the operator, "" when the engine does
	operand int
}

// A hinted is the last message with a known column or a hint.
type hinted struct {
	message, hint string
	missing       string // the global that is nil
	use           spot
}

// A spot is an instruction's place in the text: the nth of total alike on its line.
type spot struct {
	kind       syntax.UseKind
	name       string
	in         syntax.Function
	chunk      string
	line       int
	nth, total int
	operand    int // index in syntax.Use.At
}

// blame returns the message of f with the name of the value, and remembers its place and hint.
func (m *Machine) blame(l *lua.State, f failure) (text string) {
	text = f.text
	m.hint = hinted{message: text, hint: kindHint(f.typ)}
	defer func() {
		if recover() != nil {
			text = f.text
		}
	}()
	a := m.activationAt(l, 1)
	if a == nil {
		return text
	}
	n, v, u, ok := m.culprit(a, f)
	if !ok {
		return text
	}
	if typ := m.typeName(v); f.op != "compare" && typ != f.typ {
		if f.typ != "action" {
			return text
		}
		// The engine says userdata of everything that is of our own making.
		text = strings.Replace(text, "an action value", withArticle(typ)+" value", 1)
		f.typ = typ
	}
	if f.op != "compare" || v == nil || v == m.null {
		text += n.String()
	}
	m.mark(l, 1, a, u, hinted{message: text, hint: kindHint(f.typ)})
	if m.traceWanted == 0 {
		return text
	}
	if a.code[a.at].op() == opForIn && f.typ == "table" {
		m.hint.hint = "write 'in pairs(t)' or 'in ipairs(t)' to go through a table"
	}
	if v == nil {
		m.hint.hint = m.nearHint(a, n)
		if n.kind == "global" {
			m.hint.missing = n.name
		}
	}
	return text
}

// pointAtCall keeps where the script line stands that called the host function that raises message.
func (m *Machine) pointAtCall(l *lua.State, message string) {
	if level, _, ok := scriptAt(l); ok {
		m.pointAt(l, level, message)
	}
}

// pointAt keeps where in its line the level of the stack is at work that raises message.
func (m *Machine) pointAt(l *lua.State, level int, message string) {
	m.hint = hinted{}
	defer func() { _ = recover() }()
	a := m.activationAt(l, level)
	if a == nil {
		return
	}
	if u := a.spotAt(a.at); u.name != "" || u.kind != syntax.Operate {
		m.mark(l, level, a, u, hinted{message: message})
	}
}

func kindHint(typ string) string {
	if typ == "action" {
		return "this is the name of an action: call it with a table, name{...}"
	}
	return ""
}

// culprit finds the value that the running instruction of a failed on.
func (m *Machine) culprit(a *activation, f failure) (n named, v any, u spot, ok bool) {
	i, register := a.code[a.at], -1
	u = a.spotAt(a.at)
	switch op := i.op(); {
	case f.host != "":
		if u.name != f.host || f.operand == 0 {
			return n, nil, u, false
		}
		register, u.operand = i.a()+f.operand, f.operand-1
		if n = a.origin(register, a.at); n.kind == "constant" {
			n = named{} // Lua takes it from the constants, where it has no name
		}
		return n, a.registers[register], u, true
	case f.op == "index":
		switch op {
		case opGetTable, opSelf:
			register = i.b()
		case opSetTable:
			register = i.a()
		case opGetTableUp:
			return a.upvalue(i.b()), m.upvalueOf(a, i.b()), u, true
		case opSetTableUp:
			return a.upvalue(i.a()), m.upvalueOf(a, i.a()), u, true
		}
	case f.op == "call" && (op == opCall || op == opTailCall):
		register = i.a()
	case f.op == "call" && op == opForIn:
		return n, a.registers[i.a()], u, true
	case f.op == "call": // of a metamethod, which has no name
	case op >= opAdd && op <= opPow, op == opLess, op == opLessEqual:
		operand := i.b()
		if m.operandFits(op, a.value(i.b()), a.value(i.c())) {
			operand, u.operand = i.c(), 1
		}
		return a.operand(operand), a.value(operand), u, true
	case op == opMinus, op == opLength:
		register = i.b()
	}
	if register < 0 || register >= len(a.registers) {
		return n, nil, u, false
	}
	return a.origin(register, a.at), a.registers[register], u, true
}

// operandFits says that the left operand is not the one to name.
func (m *Machine) operandFits(op int, left, right any) bool {
	if op == opLess || op == opLessEqual {
		return left != nil && (right == nil || m.typeName(left) == "number" || m.typeName(left) == "string")
	}
	_, ok := m.exactOperand(left)
	if f, is := left.(float64); is && f != f {
		ok = true
	}
	return ok
}

// operatorNames are the names of syntax.Use for what the engine does itself, by instruction.
var operatorNames = map[int]string{opAdd: "+", opAdd + 1: "-", opAdd + 2: "*",
	opAdd + 3: "/", opPow: "^", opMinus: "-x",
	opLength: "#", opLess: "<", opLessEqual: "<=", opForIn: "in", opForPrepare: "for"}

// spotAt is what an instruction does, as syntax.Uses says it.
func (a *activation) spotAt(pc int) spot {
	i := a.code[pc]
	u := spot{kind: syntax.Index}
	switch op := i.op(); {
	case op == opCall || op == opTailCall:
		if u.kind, u.name = syntax.Call, a.origin(i.a(), pc).name; reserved(u.name) {
			u.kind = syntax.Operate
		}
	case op == opGetTable, op == opSelf, op == opGetTableUp && a.upValues[i.b()].name != "_ENV":
		u.name = a.key(i.c(), pc)
	case op == opSetTable, op == opSetTableUp && a.upValues[i.a()].name != "_ENV":
		u.name = a.key(i.b(), pc)
	default:
		return spot{kind: syntax.Operate, name: operatorNames[op]}
	}
	if u.name == "?" {
		u.name = ""
	}
	return u
}

// countedCode is how many instructions may be read to find out which one of a line failed: some 15 ms. The name of what
// is called is found by reading the function up to there.
const countedCode = 5_000_000

// count finds out which of the instructions of its line u is, unless the line is too long for that.
func (a *activation) count(u *spot) {
	u.in = a.outline()
	read := 0
	for pc, i := range a.code {
		if a.lineInfo[pc] != a.lineInfo[a.at] {
			continue
		}
		if op := i.op(); op == opCall || op == opTailCall {
			if read += pc; read > countedCode {
				u.total = 0
				break
			}
		}
		if other := a.spotAt(pc); other.kind != u.kind || other.name != u.name {
			continue
		}
		if pc < a.at {
			u.nth++
		}
		u.total++
	}
}

// column finds the place of u in its line of the running script, 0 when it is not certain.
func (m *Machine) column(u spot) int {
	if u.total == 0 {
		return 0
	}
	var alike []syntax.Use
	for _, s := range syntax.Uses(m.head+m.sources[u.chunk], u.line) {
		main := s.In == syntax.Function{Vararg: true} && u.in.First <= 1 && u.in.Params == 0 && u.in.Vararg
		if s.Kind == u.kind && s.Name == u.name && (main || s.In == u.in) {
			alike = append(alike, s)
		}
	}
	switch {
	case len(alike) == u.total:
		alike = alike[u.nth:]
	case len(alike) != 1:
		return 0
	}
	at := alike[0].At
	if u.operand >= len(at) || at[u.operand].Line != u.line {
		return 0
	}
	if u.line == 1 {
		return at[u.operand].Column - len(m.head)
	}
	return at[u.operand].Column
}

// finish fills in the column and the hint of an uncaught error.
func (m *Machine) finish(e *Error) {
	if m.hint.message == "" || m.hint.message != e.Message {
		return
	}
	if e.Hint == "" {
		e.Hint = m.hint.hint
	}
	e.Missing = m.hint.missing
	if u := m.hint.use; u.chunk == m.chunk && u.line == e.Line {
		e.Column = m.column(u)
	}
}

// lookUp reads a path of names from the globals, raw.
func (m *Machine) lookUp(names []string) any {
	v := m.session.hash[names[0]]
	if v == nil {
		v = m.names.hash[names[0]]
	}
	if v == nil && m.roots[names[0]] {
		return m.actionValue(strings.Join(names, "."))
	}
	return m.follow(v, names[1:])
}

// follow reads a path of names from v, raw; nil where it leads nowhere.
func (m *Machine) follow(v any, names []string) any {
	for _, name := range names {
		t := m.open(v)
		if t == nil {
			return nil
		}
		v = t.hash[name]
	}
	return v
}

// open is the table of a value: the real one of a sealed library or a part of the state.
func (m *Machine) open(v any) *table {
	t := m.table(v)
	if t == nil || t.meta == nil {
		return t
	}
	if t.meta == m.frozenMeta {
		return m.table(t.keys[0])
	}
	if real := m.sealed[t]; real != nil {
		return real
	}
	return t
}
