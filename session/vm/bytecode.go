package vm

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	lua "github.com/Shopify/go-lua"

	luasrc "almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/session/syntax"
)

// This file reads the compiled code of a running function, to find the name of the value that an instruction failed on.
// Like the reference implementation it goes from the register that the instruction used back to the instruction that
// filled it. The engine itself compares values instead, and so names any variable that holds an equal one.

// An instruction is one word of code.
type instruction uint32

// The instructions that are looked at.
const (
	opMove          = 0
	opLoadConstant  = 1
	opLoadConstantX = 2
	opLoadNil       = 4
	opGetUpvalue    = 5
	opGetTableUp    = 6
	opGetTable      = 7
	opSetTableUp    = 8
	opSetUpvalue    = 9
	opSetTable      = 10
	opSelf          = 12
	opAdd           = 13
	opPow           = 18
	opMinus         = 19
	opLength        = 21
	opJump          = 23
	opEqual         = 24
	opLess          = 25
	opLessEqual     = 26
	opTest          = 27
	opCall          = 29
	opTailCall      = 30
	opReturn        = 31
	opForPrepare    = 33
	opForIn         = 34
	opSetList       = 36
	opClosure       = 37
	opExtra         = 39
)

func (i instruction) op() int { return int(i & 0x3f) }
func (i instruction) a() int  { return int(i >> 6 & 0xff) }
func (i instruction) c() int  { return int(i >> 14 & 0x1ff) }
func (i instruction) b() int  { return int(i >> 23) }
func (i instruction) bx() int { return int(i >> 14) }
func (i instruction) ax() int { return int(i >> 6) }

// constantBit marks an operand that is a constant.
const constantBit = 1 << 8

// setsA reports whether an instruction stores its result in register a.
func (i instruction) setsA() bool {
	switch i.op() {
	case opSetTableUp, opSetUpvalue, opSetTable, opJump, opEqual, opLess, opLessEqual, opTest, opReturn, opForIn,
		opSetList, opExtra:
		return false
	}
	return true
}

// moveCalls gives the calls of host functions in a chunk the lines that syntax.Normalize says.
func moveCalls(main *prototype, lines []int32) {
	var calls []*int32 // their lines
	var find func(p *prototype)
	find = func(p *prototype) {
		for pc, i := range p.code {
			switch i.op() {
			case opClosure:
				find(&p.prototypes[i.bx()])
			case opGetUpvalue:
				if slices.Contains(syntax.HostNames(), p.upValues[i.b()].name) {
					calls = append(calls, p.lineOfCall(i.a(), pc))
				}
			}
		}
	}
	find(main)
	if len(calls) != len(lines) {
		return
	}
	for i, line := range lines {
		if line > 0 && calls[i] != nil {
			*calls[i] = line
		}
	}
}

// lineOfCall is the line of the call of the function that the instruction at has put into a register.
func (p *prototype) lineOfCall(register, at int) *int32 {
	for pc, i := range p.code[at:] {
		if op := i.op(); (op == opCall || op == opTailCall) && i.a() == register {
			return &p.lineInfo[at+pc]
		}
	}
	return nil
}

// engineStack is the number of slots of a stack before the engine adds the reserve for handling an overflow.
const engineStack = 1_000_000

// settle releases what an overflow has used, once the stack is unwound: the records of the calls, and the reserve for
// handling it. The engine never does, and would end every later overflow without a handler.
func settle(l *lua.State) {
	defer func() { _ = recover() }()
	state := reflect.ValueOf(l).Elem()
	slots, last := state.FieldByName("stack"), state.FieldByName("stackLast")
	if n := slots.Len(); n > engineStack && l.Top() < engineStack/2 {
		*(*int)(last.Addr().UnsafePointer()) = engineStack - (n - int(last.Int()))
		stack := (*[]any)(slots.Addr().UnsafePointer())
		*stack = (*stack)[:engineStack]
	}
	// The engine keeps a record of each call for the next one as deep.
	if next := state.FieldByName("callInfo").Elem().FieldByName("next"); !next.IsNil() {
		*(*unsafe.Pointer)(next.Addr().UnsafePointer()) = nil
	}
}

// An activation is one level of the call stack that runs Lua code.
type activation struct {
	*prototype
	function  any // the closure that runs, as a value
	registers []any
	at        int // index of the instruction that runs
}

// activationAt reads a level of the stack, nil if it does not run Lua; level 0 is the running function.
func (m *Machine) activationAt(l *lua.State, level int) *activation {
	where, ok := lua.Stack(l, level)
	if !ok || recordOf(where).lua == nil || !l.CheckStack(1) {
		return nil
	}
	lua.Info(l, "f", where)
	v, r := l.ToValue(-1), recordOf(where).lua
	l.Pop(1)
	c := m.closure(v)
	if c == nil || r.next < 1 || r.next > len(c.prototype.code) || len(c.prototype.lineInfo) != len(c.prototype.code) {
		return nil
	}
	return &activation{prototype: c.prototype, function: v, registers: r.registers, at: r.next - 1}
}

// outline is the running function as syntax tells functions apart.
func (a *activation) outline() syntax.Function {
	return syntax.Function{First: a.lineDefined, Params: a.parameterCount, Vararg: a.isVarArg}
}

// upvalueOf is the value of a captured variable.
func (m *Machine) upvalueOf(a *activation, i int) any {
	return m.captured(m.closure(a.function), a.function, i)
}

// value is what an operand holds.
func (a *activation) value(operand int) any {
	if operand&constantBit != 0 {
		return a.constants[operand&^constantBit]
	}
	return a.registers[operand]
}

// local is the name of the local variable that lives in a register at an instruction, or "".
func (a *activation) local(register, at int) string {
	for _, v := range a.localVariables {
		if v.start > at {
			break
		}
		if at < v.end {
			if register == 0 {
				return v.name
			}
			register--
		}
	}
	return ""
}

// called is the name of what the running instruction calls, or "".
func (a *activation) called() string {
	i := a.code[a.at]
	if op := i.op(); op != opCall && op != opTailCall {
		return ""
	}
	return a.origin(i.a(), a.at).name
}

// returnsCall says whether the running instruction is the call in `return f(...)` that was written as a call of
// syntax.HostResults.
func (a *activation) returnsCall() bool {
	if a.at+1 >= len(a.code) || a.code[a.at].op() != opCall {
		return false
	}
	i := a.code[a.at+1]
	passes := i.op() == opCall || i.op() == opTailCall
	return passes && i.b() == 0 && a.origin(i.a(), a.at+1).name == syntax.HostResults
}

// variables lists the local variables that live at the running instruction, and the captured ones.
func (a *activation) variables() (names []string) {
	for _, v := range a.localVariables {
		if v.start <= a.at && a.at < v.end && !strings.HasPrefix(v.name, "(") {
			names = append(names, v.name)
		}
	}
	for _, v := range a.upValues {
		names = append(names, v.name)
	}
	return names
}

// filled finds the instruction before at that filled a register, or -1 if that depends on a jump.
func (a *activation) filled(register, at int) int {
	found, target := -1, 0
	for pc := 0; pc < at; pc++ {
		i, sets := a.code[pc], false
		switch i.op() {
		case opLoadNil:
			sets = i.a() <= register && register <= i.a()+i.b()
		case opForIn:
			sets = register >= i.a()+2
		case opCall, opTailCall:
			sets = register >= i.a()
		case opJump:
			if to := pc + 1 + i.bx() - (1<<17 - 1); pc < to && to <= at && to > target {
				target = to
			}
		case opTest:
			sets = register == i.a()
		default:
			sets = i.setsA() && register == i.a()
		}
		if sets {
			found = pc
			if pc < target {
				found = -1
			}
		}
	}
	return found
}

// A named is the origin of a value, in the words of messages: local 'x', global 'x', field 'x', method 'x', upvalue
// 'x', constant 'x'. owner is the table that a field was read from, where that is known. A field with a computed key is
// called field '?', as in Lua; computed is the text of the key then and detail what its variable holds.
type named struct {
	kind, name       string
	owner            *named
	register         int // of a local; of an upvalue its index
	computed, detail string
}

func (n named) String() string {
	if n.kind == "" {
		return ""
	}
	text := n.kind + " '" + n.name + "'"
	if whole := n.text(); n.computed != "" && whole != "" {
		text += ": " + whole
		if n.detail != "" {
			text += ", " + n.detail
		}
	}
	return " (" + text + ")"
}

// text is the expression that n is, as a script would write it, or "".
func (n *named) text() string {
	switch n.kind {
	case "field", "method":
		owner := n.owner.text()
		switch {
		case owner == "":
			return ""
		case n.name != "?":
			return owner + "." + n.name
		case n.computed != "":
			return owner + "[" + n.computed + "]"
		}
		return ""
	case "local", "upvalue", "global":
		return n.name
	}
	return ""
}

// keyText is the text of an operand used as key at an instruction, and "k is 5" where it is a local variable.
func (a *activation) keyText(operand, at int) (key, detail string) {
	if operand&constantBit != 0 {
		if f, ok := a.constants[operand&^constantBit].(float64); ok {
			return luasrc.NumberText(f), ""
		}
		return "", ""
	}
	n := a.origin(operand, at)
	if n.kind == "local" {
		switch v := a.registers[operand].(type) {
		case string:
			detail = n.name + " is " + strconv.Quote(text.HeadBytes(v, 40))
		case float64:
			detail = n.name + " is " + luasrc.NumberText(v)
		case nil:
			detail = n.name + " is nil"
		}
	}
	return n.text(), detail
}

// path lists the names of a.b.c from the outermost, nil when its root is not a plain name.
func (n *named) path() []string {
	switch {
	case n == nil:
		return nil
	case n.kind == "field" || n.kind == "method":
		if head := n.owner.path(); head != nil {
			return append(head, n.name)
		}
		return nil
	}
	return []string{n.name}
}

// root is the innermost owner.
func (n *named) root() *named {
	for n.owner != nil {
		n = n.owner
	}
	return n
}

// origin names what is in a register when the instruction at runs.
func (a *activation) origin(register, at int) named {
	if name := a.local(register, at); name != "" {
		return named{kind: "local", name: name, register: register}
	}
	return a.source(register, at)
}

// source names the result of the instruction that filled a register before at.
func (a *activation) source(register, at int) named {
	pc := a.filled(register, at)
	if pc < 0 {
		return named{}
	}
	switch i := a.code[pc]; i.op() {
	case opMove:
		if i.b() < i.a() {
			return a.origin(i.b(), pc)
		}
	case opGetTableUp:
		if a.upValues[i.b()].name == "_ENV" {
			return named{kind: "global", name: a.key(i.c(), pc)}
		}
		return a.field(a.upvalue(i.b()), i.c(), pc)
	case opGetTable, opSelf:
		table := a.origin(i.b(), pc)
		n := a.field(table, i.c(), pc)
		if i.op() == opSelf {
			n.kind = "method"
		} else if table.kind == "local" && table.name == "_ENV" {
			n.kind, n.owner = "global", nil
		}
		return n
	case opGetUpvalue:
		return a.upvalue(i.b())
	case opLoadConstant:
		return constantName(a.constants[i.bx()])
	case opLoadConstantX:
		return constantName(a.constants[a.code[pc+1].ax()])
	}
	return named{}
}

// upvalue names a captured variable.
func (a *activation) upvalue(i int) named {
	return named{kind: "upvalue", name: a.upValues[i].name, register: i}
}

// field names what an instruction read from owner under an operand.
func (a *activation) field(owner named, operand, at int) named {
	n := named{kind: "field", name: a.key(operand, at), owner: &owner}
	if n.name == "?" {
		n.computed, n.detail = a.keyText(operand, at)
	}
	return n
}

// calledAs is the kind of name by which the function one level up called the running one, or "".
func (m *Machine) calledAs(l *lua.State) string {
	a := m.activationAt(l, 1)
	if a == nil {
		return ""
	}
	if op := a.code[a.at].op(); op != opCall && op != opTailCall {
		return ""
	}
	return a.origin(a.code[a.at].a(), a.at).kind
}

func constantName(v any) named {
	if s, ok := v.(string); ok {
		return named{kind: "constant", name: s}
	}
	return named{}
}

// key is the name that an operand used as key holds, "?" when it is not a constant string.
func (a *activation) key(operand, at int) string {
	if operand&constantBit != 0 {
		if s, ok := a.constants[operand&^constantBit].(string); ok {
			return s
		}
		return "?"
	}
	if n := a.origin(operand, at); n.kind == "constant" {
		return n.name
	}
	return "?"
}

// operand names an operand that may be a register or a constant. As in Lua, a constant has no name.
func (a *activation) operand(operand int) named {
	if operand&constantBit != 0 {
		return named{}
	}
	return a.origin(operand, a.at)
}
