package syntax

import (
	"fmt"
	"strconv"
	"strings"
)

// This file rewrites a program for the engine. The text is copied from left to right with pieces inserted, replaced or
// left out by position; line breaks are only ever copied. The changes:
//
//	a .. b .. c        __host_concat(a, b, c); over 50 operands __host_concat({n = 60, a, b, ...})
//	a % b, a // b ...  __host_mod(a, b), __host_idiv(a, b) ...
//	9007199254740993   __host_integer("9007199254740993")
//	a + 0, a == 1e17   __host_add(a, 0), __host_eq(a, 1e17); see exact.go
//	for i = a, b do    do local __host_at, i, ... = __host_for(a, b) for i = i, ... do; see exact.go
//	1e999              (1/0)
//	"\u{20AC}"         "\226\130\172"
//	\r\n, \n\r, \r       \n
//	return f(x)        return __host_results(f(x)), in a function with ... : the engine's tail call from one with many
//	                   arguments to one with a small frame breaks off
//	local x <const>    local x
//	50 times or, and   groups ({...})[1], which cut the engine's jump lists
//	50 times elseif    else if, with as many ends
//
// An operand that may have several values is put in parentheses where a call would take them all. A statement before
// one that begins with a parenthesis gets a semicolon, since a number or a sum could have become a call.
//
// A closure that captures something mentions __host_barrier where it is never reached. The barrier is a not-a-number
// in a variable of a function that has ended: the engine looks whether the captured values equal those of the last
// closure made there, and this one never does, so closures are not merged.

// The names that normalised code calls. No script can write them.
const (
	HostPrefix = "__host_"
	// (a, b, ...): a..b.., joined from the right; ({n = count, a, b, ...}) the same for long chains
	HostConcat  = HostPrefix + "concat"
	HostMod     = HostPrefix + "mod"     // (a, b): a % b
	HostIDiv    = HostPrefix + "idiv"    // (a, b): a // b
	HostBAnd    = HostPrefix + "band"    // (a, b): a & b
	HostBOr     = HostPrefix + "bor"     // (a, b): a | b
	HostBXor    = HostPrefix + "bxor"    // (a, b): a ~ b
	HostBNot    = HostPrefix + "bnot"    // (a): ~a
	HostShl     = HostPrefix + "shl"     // (a, b): a << b
	HostShr     = HostPrefix + "shr"     // (a, b): a >> b
	HostInteger = HostPrefix + "integer" // (text): the integer literal, decimal or 0x, over 2^53
	HostAdd     = HostPrefix + "add"     // (a, b): a + b, where one may be the text of an integer over 2^53
	HostSub     = HostPrefix + "sub"     // (a, b): a - b, the same
	HostMul     = HostPrefix + "mul"     // (a, b): a * b, the same
	HostEq      = HostPrefix + "eq"      // (a, b): a == b, where one is over 2^53 and may be an integer or a float
	HostNe      = HostPrefix + "ne"      // (a, b): a ~= b, the same
	// (start, limit, step): what a numeric for counts: f, first, last, step; f makes the value of the count, nil when that
	// is the value
	HostFor     = HostPrefix + "for"
	HostResults = HostPrefix + "results" // (...): its arguments

	hostBarrier = HostPrefix + "barrier" // set by the normalised text itself
)

// HostNames lists the functions that normalised code may call.
func HostNames() []string {
	return []string{HostConcat, HostMod, HostIDiv, HostBAnd, HostBOr, HostBXor, HostBNot, HostShl, HostShr, HostInteger,
		HostAdd, HostSub, HostMul, HostEq, HostNe, HostFor, HostResults}
}

// maxDepth is how deep normalised code may nest. The engine allows 200 levels, some of which belong to its callers.
const maxDepth = 185

// hostNames gives the host function of each binary operator that the engine gets wrong or lacks.
var hostNames = [tkDots + 1]string{tkConcat: HostConcat, tkMod: HostMod, tkIDiv: HostIDiv, tkBAnd: HostBAnd,
	tkBOr: HostBOr, tkTilde: HostBXor, tkShl: HostShl, tkShr: HostShr}

// Normalize returns the program of src for the engine: the same meaning, every line where it was, as many lines. The
// error is an *Error. Text that needs no change is returned unchanged.
//
// An operator that becomes a call is an instruction at the line where the call begins, while in Lua it is at the line
// of the operator. lines has the right line of each call of a host function, in the order in which the calls begin;
// zero leaves it where it is.
func Normalize(src string) (text string, lines []int32, err error) {
	fn, p := parse(src)
	return normalize(src, fn, p)
}

// NormalizeEqual is Normalize that has the host compare with == and ~= too, but for nil, true and false.
func NormalizeEqual(src string) (text string, lines []int32, err error) {
	fn, p := parse(src)
	p.hostEqual = true
	return normalize(src, fn, p)
}

func normalize(src string, fn *function, p *parser) (text string, lines []int32, err error) {
	if err := p.verdict(fn); err != nil {
		return "", nil, err
	}
	w := &writer{src: src, p: p, used: make(map[string]bool)}
	w.out.Grow(len(src) + len(src)/8)
	head := w.head()
	w.block(fn.body, 1)
	if p.err != nil {
		return "", nil, p.err
	}
	if n := len(p.toks); n > 1 {
		w.copy(max(w.at, int(p.toks[n-2].end)))
	}
	body, rest := w.out.String(), src[w.at:]
	if len(w.used) > 0 {
		body = body[:head] + w.opening() + body[head:] + " end)(...)"
	}
	return plainBreaks(body + rest), w.lines, nil
}

// plainBreaks writes every line break as \n, which the engine fails to do in long strings. A carriage return in Lua
// source is always part of a line break: in strings it stands only as an escape or in a long one.
func plainBreaks(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	return strings.NewReplacer("\r\n", "\n", "\n\r", "\n", "\r", "\n").Replace(text)
}

// head leaves out a byte order mark and writes a #! line as a comment. It returns the bytes written.
func (w *writer) head() int {
	if strings.HasPrefix(w.src, byteOrderMark) {
		w.at = len(byteOrderMark)
	}
	if rest := w.src[w.at:]; strings.HasPrefix(rest, "#!") {
		w.out.WriteString("--")
		line := strings.IndexAny(rest+"\n", "\r\n")
		w.copy(min(len(w.src), w.at+line+1))
		if strings.HasPrefix(rest[line:], "\r\n") || strings.HasPrefix(rest[line:], "\n\r") {
			w.copy(w.at + 1)
		}
	}
	return w.out.Len()
}

// A writer copies the text with its edits.
type writer struct {
	src  string
	p    *parser
	out  strings.Builder
	at   int // what is before this byte is written or left out
	used map[string]bool
	// lines is for Normalize.
	lines []int32
	// vararg is true in a function with ... in its parameters. A chunk is none: it is given one argument at most.
	vararg bool
}

// opening is the code in front of a wrapped text.
func (w *writer) opening() string {
	names, values := hostBarrier, "0/0"
	for _, name := range HostNames() {
		if w.used[name] {
			names += "," + name
			values += "," + name
		}
	}
	return "local " + names + "=" + values + " return (function(...) "
}

// copy writes the text up to the byte at.
func (w *writer) copy(at int) {
	w.out.WriteString(w.src[w.at:at])
	w.at = at
}

// put writes text that is not in the source, behind all up to the byte at.
func (w *writer) put(at int32, text string) {
	w.copy(int(at))
	w.out.WriteString(text)
}

// replace writes text in the place of the bytes of s.
func (w *writer) replace(start, end int32, text string) {
	w.put(start, text)
	w.at = int(end)
}

// call opens the call of a host function in front of the byte at; line is for Normalize.
func (w *writer) call(at int32, name string, line int32) {
	w.used[name] = true
	w.lines = append(w.lines, line)
	w.put(at, " "+name+"(")
}

func (w *writer) tooDeep(at span, depth int) bool {
	if depth <= maxDepth {
		return false
	}
	w.p.refuse(at, fmt.Sprintf("chunk nests too deep: the operators or elseifs here need %d levels or more (limit is %d)",
		depth, maxDepth), "split the expression with local variables, or look the alternatives up in a table")
	return true
}

func (w *writer) block(b *block, depth int) {
	for i := range b.stmts {
		s := b.stmts[i]
		if w.p.err != nil {
			return
		}
		w.stmt(s, depth+1)
		if s.split {
			w.put(s.end, ";")
		}
	}
}

func (w *writer) stmt(s *stmt, depth int) {
	if w.tooDeep(s.span, depth) {
		return
	}
	for _, a := range s.attribs() {
		w.replace(a.open.start, a.open.end, "")
		w.replace(a.name.start, a.name.end, "")
		w.replace(a.close.start, a.close.end, "")
	}
	switch s.kind {
	case stmtIf:
		w.ifStmt(s, depth)
	case stmtFor:
		w.forStmt(s, depth)
	case stmtRepeat:
		w.block(s.body, depth)
		w.list(s.values, depth)
	case stmtFunction, stmtLocalFunction:
		w.list(s.targets, depth)
		w.function(s.fn, depth)
	case stmtReturn:
		if w.vararg && len(s.values) == 1 && isCall(s.values[0]) {
			w.call(s.values[0].where().start, HostResults, 0)
			w.expr(s.values[0], depth+2)
			w.put(s.values[0].where().end, ")")
			return
		}
		w.list(s.values, depth)
	default:
		w.list(s.targets, depth)
		w.list(s.values, depth)
		if s.body != nil {
			w.block(s.body, depth)
		}
	}
}

// ifStmt splits an if of many clauses into nested ones. The pad between two ends keeps the engine from joining their
// jumps into one list.
func (w *writer) ifStmt(s *stmt, depth int) {
	ends := 0
	for i, c := range s.clauses() {
		if i > 0 && i%groupSize == 0 {
			w.replace(c.word.start, c.word.end, "else if")
			ends++
			depth++
		}
		w.expr(c.cond, depth+1)
		w.block(c.body, depth)
	}
	if s.body != nil {
		w.block(s.body, depth)
	}
	if ends > 0 {
		w.put(s.end, strings.Repeat(" if nil then end end", ends))
	}
}

func (w *writer) list(values []expr, depth int) {
	for _, e := range values {
		w.expr(e, depth+1)
	}
}

// function writes a body, with the barrier where it captures something.
func (w *writer) function(f *function, depth int) {
	outer := w.vararg
	w.vararg = f.vararg
	defer func() { w.vararg = outer }()
	if len(f.captures) == 0 {
		w.block(f.body, depth)
		return
	}
	w.used[hostBarrier] = true
	if f.body.endsInLabel {
		// A label at the end of its block must stay there.
		w.put(f.open, " if true then else "+hostBarrier+"() end ")
		w.block(f.body, depth)
		return
	}
	leave := " do return end "
	if n := len(f.body.stmts); n > 0 && f.body.stmts[n-1].kind == stmtReturn {
		last := f.body.stmts[n-1]
		w.block(&block{stmts: f.body.stmts[:n-1]}, depth)
		w.put(last.start, "do ")
		w.stmt(last, depth+2)
		leave = " end "
	} else {
		w.block(f.body, depth)
	}
	w.put(f.close, leave+hostBarrier+"() ")
}

// expr writes an expression; depth is the engine's nesting level there.
func (w *writer) expr(e expr, depth int) {
	if w.p.err != nil || w.tooDeep(e.where(), depth) {
		return
	}
	switch e := e.(type) {
	case *literal:
		w.literal(e)
	case *paren:
		w.expr(e.inner, depth+1)
	case *unary:
		if e.op.kind == tkTilde {
			w.call(e.op.start, HostBNot, e.op.line)
			w.at = int(e.op.end)
			w.single(e.x, depth+1)
			w.put(e.end, ")")
			return
		}
		w.expr(e.x, depth+1)
	case *binary:
		w.binary(e, depth)
	case *suffixed:
		w.expr(e.base, depth)
		for i := range e.parts {
			w.list(e.parts[i].args, depth)
		}
	case *table:
		for _, it := range e.items {
			if it.key != nil {
				w.expr(it.key, depth+1)
			}
			w.expr(it.value, depth+1)
		}
	case *function:
		w.function(e, depth)
	}
}

// single writes an expression so that it yields one value.
func (w *writer) single(e expr, depth int) {
	l, dots := e.(*literal)
	if dots = dots && l.kind == tkDots; !dots && !isCall(e) {
		w.expr(e, depth)
		return
	}
	w.put(e.where().start, "(")
	w.expr(e, depth+1)
	w.put(e.where().end, ")")
}

func (w *writer) literal(e *literal) {
	text := w.src[e.start:e.end]
	switch e.kind {
	case tkNumber:
		if isBigInteger(text) {
			w.call(e.start, HostInteger, 0)
			w.replace(e.start, e.end, "\""+text+"\")")
		} else if v := numberValue(text); v > maxFloat {
			w.replace(e.start, e.end, "(1/0)")
		}
	case tkString:
		if text[0] != '[' && (strings.Contains(text, "\\u{") || strings.Contains(text, "\\z")) {
			w.replace(e.start, e.end, plainEscapes(text))
		}
	}
}

const maxFloat = 0x1p1023 * (1 + (1 - 0x1p-52))

// plainEscapes writes \u{XXX} as decimal bytes. After \z the engine takes the bytes 0x85 and 0xA0 for white space, so
// these are written as escapes there.
func plainEscapes(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		i++
		if text[i] == 'u' {
			v, n := codePoint(text[i+1:])
			for _, c := range encodeUTF8(v) {
				fmt.Fprintf(&b, "\\%03d", c)
			}
			i += n
			continue
		}
		b.WriteByte('\\')
		b.WriteByte(text[i])
		if text[i] != 'z' {
			continue
		}
		for i+1 < len(text) && classes[text[i+1]]&cSpace != 0 {
			i++
			b.WriteByte(text[i])
		}
		if c := text[i+1]; c == 0x85 || c == 0xA0 {
			b.WriteString("\\" + strconv.Itoa(int(c)))
			i++
		}
	}
	return b.String()
}
