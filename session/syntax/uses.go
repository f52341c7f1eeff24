package syntax

// This file lists the operations of a text that fail on values of the wrong type: the machine knows which instruction
// failed, and finds its place in the text here.

// A UseKind is what is done to a value.
type UseKind uint8

// The kinds.
const (
	// Index is x.name, x["name"], x:name and the setting of one; Use.Name is the name, "" for a computed key.
	Index UseKind = iota
	// Call is a call; Use.Name is the last name of what is called, "" when it has none.
	Call
	// Operate is an operator; Use.Name is that of the host function that does it, or else its text, "-x" in front of a
	// value. "<" and "<=" stand for ">" and ">=" too, with the operands exchanged; "in" is the call that a generic for
	// makes, "for" what a numeric one does to its bounds.
	Operate
)

// A Use is one place where a value is indexed, called or an operand.
type Use struct {
	Kind UseKind
	Name string
	// In is the function whose code does it.
	In Function
	// At are the places to point at: the last name of the value that is indexed or called, or of each operand. It is
	// empty for a field of a table constructor.
	At []Pos
}

// A Function identifies a function body by its outline.
type Function struct {
	First  int // the line of the word function; zero for the main function
	Params int // with self
	Vararg bool
}

// Uses lists what the code of one line does, in the order in which it is done. An operation over several lines counts
// where Lua says it is: a field at its name, a call where the called expression begins, an operator at itself, a
// concatenation at its last operator.
func Uses(src string, line int) []Use {
	fn, p := parse(src)
	u := &user{p: p, line: line, starts: lineStarts(src)}
	u.function(fn)
	return u.uses
}

type user struct {
	p      *parser
	line   int
	starts []int32
	in     Function
	uses   []Use
}

// lineStarts lists the offsets at which the lines begin; \r\n and \n\r are one line break.
func lineStarts(src string) []int32 {
	starts := []int32{0}
	for i := 0; i < len(src); i++ {
		if src[i] != '\n' && src[i] != '\r' {
			continue
		}
		if i+1 < len(src) && src[i+1] != src[i] && (src[i+1] == '\n' || src[i+1] == '\r') {
			i++
		}
		starts = append(starts, int32(i+1))
	}
	return starts
}

func (u *user) pos(at int32) Pos {
	lo, hi := 0, len(u.starts)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; u.starts[mid] <= at {
			lo = mid
		} else {
			hi = mid
		}
	}
	return Pos{Offset: int(at), Line: lo + 1, Column: int(at-u.starts[lo]) + 1}
}

// note adds a use when the byte where is on the line.
func (u *user) note(kind UseKind, name string, where int32, at ...int32) {
	u.noteLine(kind, name, u.pos(where).Line, at...)
}

func (u *user) noteLine(kind UseKind, name string, line int, at ...int32) {
	if line != u.line {
		return
	}
	use := Use{Kind: kind, Name: name, In: u.in}
	for _, a := range at {
		use.At = append(use.At, u.pos(a))
	}
	u.uses = append(u.uses, use)
}

func (u *user) function(f *function) {
	outer := u.in
	u.in = Function{Params: f.params, Vararg: f.vararg}
	if f.parent != nil {
		u.in.First = int(f.line)
	}
	walk(u, f.body)
	u.in = outer
}

// assign looks at what an assignment evaluates of its targets, at the values, and at last at the stores.
func (u *user) assign(s *stmt) {
	for _, e := range s.targets {
		u.prefix(e)
	}
	each(u, s.values)
	if s.fn != nil {
		u.function(s.fn)
	}
	for i := len(s.targets) - 1; i >= 0; i-- {
		u.store(s.targets[i])
	}
}

// loop notes the call that a generic for makes, and the look at the bounds of a numeric one.
func (u *user) loop(s *stmt) {
	at := make([]int32, len(s.values))
	for i, e := range s.values {
		at[i] = u.lastName(e)
	}
	switch {
	case s.kind == stmtForIn:
		u.note(Operate, "in", s.start, at[0])
	case s.exact:
		u.noteLine(Operate, HostFor, int(u.p.loopHead(s).line), at...)
	default:
		u.note(Operate, "for", u.p.loopHead(s).start, at...)
	}
}

// prefix walks what an assignment evaluates of its target before the values.
func (u *user) prefix(e expr) {
	if s, ok := e.(*suffixed); ok {
		last := len(s.parts) - 1
		u.parts(s, last)
		if s.parts[last].kind == partIndex {
			each(u, s.parts[last].args)
		}
	}
}

func (u *user) store(e expr) {
	if s, ok := e.(*suffixed); ok {
		last := len(s.parts) - 1
		u.note(Index, s.parts[last].key(u.p.src), s.start, u.before(s, last))
	}
}

func (u *user) expr(e expr) {
	switch e := e.(type) {
	case *unary:
		u.expr(e.x)
		switch {
		case e.op.kind == tkSub && !e.fold:
			u.note(Operate, "-x", e.op.start, u.lastName(e.x))
		case e.op.kind == tkLen:
			u.note(Operate, "#", e.op.start, u.lastName(e.x))
		case e.op.kind == tkTilde:
			u.note(Operate, HostBNot, e.op.start, u.lastName(e.x))
		}
	case *binary:
		u.binary(e)
	case *suffixed:
		u.parts(e, len(e.parts))
	case *table:
		for _, it := range e.items {
			if it.key != nil {
				u.expr(it.key)
			}
			u.expr(it.value)
			if it.key != nil {
				u.note(Index, u.keyName(it), max(it.value.where().end-1, 0))
			}
		}
	default:
		inside(u, e)
	}
}

// keyName is the name that an item of a table is set under, "" for a computed key.
func (u *user) keyName(it item) string {
	if key := it.key.where(); it.named {
		return u.p.src[key.start:key.end]
	}
	return stringValue(it.key, u.p.src)
}

// parts walks the base of s and its first n selectors.
func (u *user) parts(s *suffixed, n int) {
	u.expr(s.base)
	last := u.lastName(s.base) // in front of the part
	for i := range s.parts[:n] {
		pt := &s.parts[i]
		switch pt.kind {
		case partField:
			u.note(Index, pt.key(u.p.src), pt.name.start, last)
			last = pt.name.start
		case partIndex:
			each(u, pt.args)
			u.note(Index, pt.key(u.p.src), pt.start, last)
		case partMethod:
			u.note(Index, pt.key(u.p.src), pt.name.start, last)
			each(u, pt.args)
			last = pt.name.start
			u.note(Call, pt.key(u.p.src), s.start, last)
		case partCall:
			each(u, pt.args)
			u.note(Call, u.calleeName(s, i), s.start, last)
		}
	}
}

func (u *user) calleeName(s *suffixed, i int) string {
	if i > 0 {
		if pt := &s.parts[i-1]; pt.kind <= partIndex {
			return pt.key(u.p.src)
		}
		return ""
	}
	base := s.base
	for {
		switch e := base.(type) {
		case *nameRef:
			return u.p.src[e.start:e.end]
		case *paren:
			base = e.inner
			continue
		}
		return ""
	}
}

// before is where the last name in front of part i stands.
func (u *user) before(s *suffixed, i int) int32 {
	for i--; i >= 0; i-- {
		switch pt := &s.parts[i]; pt.kind {
		case partField, partMethod:
			return pt.name.start
		}
	}
	return u.lastName(s.base)
}

// lastName is where the last name of an expression stands, or its start.
func (u *user) lastName(e expr) int32 {
	switch e := e.(type) {
	case *suffixed:
		return u.before(e, len(e.parts))
	case *paren:
		return u.lastName(e.inner)
	}
	return e.where().start
}

func (u *user) binary(e *binary) {
	u.expr(e.operands[0])
	if e.ops[0].kind == tkConcat {
		at := []int32{u.lastName(e.operands[0])}
		for _, x := range e.operands[1:] {
			u.expr(x)
			at = append(at, u.lastName(x))
		}
		u.noteLine(Operate, HostConcat, int(concatLine(e)), at...)
		return
	}
	numeric := u.isNumeral(e.operands[0])
	for i, op := range e.ops {
		x := e.operands[i+1]
		u.expr(x)
		numeric = numeric && u.isNumeral(x) && hostNames[op.kind] == ""
		left, right := u.lastName(e.operands[i]), u.lastName(x)
		if i > 0 {
			left = op.start
		}
		name, line := u.p.text(op), int(op.line)
		switch {
		case op.kind == tkAnd, op.kind == tkOr, numeric:
			continue
		case op.kind == tkGt, op.kind == tkGe:
			left, right = right, left
			name = map[kind]string{tkGt: "<", tkGe: "<="}[op.kind]
		case u.p.hostOf(e, i) != "":
			name, line = u.p.hostOf(e, i), int(u.p.hostLine(e, i))
		}
		u.noteLine(Operate, name, line, left, right)
	}
}

// isNumeral reports whether the engine sees a constant that it folds while compiling.
func (u *user) isNumeral(e expr) bool {
	switch e := e.(type) {
	case *literal:
		return e.kind == tkNumber && !isBigInteger(u.p.src[e.start:e.end])
	case *unary:
		return e.fold
	}
	return false
}
