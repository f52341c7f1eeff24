package syntax

// This file holds the tree. Chains are flat (a.b.c is one suffixed, a..b..c one binary), so walking a tree goes no
// deeper than the text nests.

// A span is the bytes from start up to end.
type span struct {
	start, end int32
}

func (s span) where() span { return s }

// An expr is one of *literal, *nameRef, *suffixed, *paren, *function, *table, *unary, *binary. A broken one is a
// *literal of kind tkBad.
type expr interface {
	where() span
}

// A literal is nil, true, false, ..., a number or a string.
type literal struct {
	span
	kind kind
}

// A nameRef is a variable by name; its span is the name.
type nameRef struct {
	span
	v     *variable // the local variable, or the local _ENV whose field the name is; nil for a global
	field bool      // of a local _ENV
}

// A suffixed is a prefix expression with all its selectors and calls.
type suffixed struct {
	span
	base  expr
	parts []part
}

type partKind uint8

const (
	partField partKind = iota
	partIndex
	partCall
	partMethod
)

// A part is .name, [index], (args), "arg", {arg} or :name with its arguments.
type part struct {
	span
	name span // empty without one, also when the text is broken
	kind partKind
	args []expr // of an index: the one
}

// key is the name of a field or method, or the text of a literal index; "" for anything else.
func (pt *part) key(src string) string {
	if pt.kind == partIndex {
		return stringValue(pt.args[0], src)
	}
	return src[pt.name.start:pt.name.end]
}

type paren struct {
	span
	inner expr
}

// A function is a function body; its span goes from the word function, or from its name, to end.
type function struct {
	span
	parent *function
	name   string // what it is first known as, see Declaration
	vararg bool
	params int // with self
	line   int32
	body   *block
	// open is the byte where the body begins, close that of its end.
	open, close int32
	// captures are the variables of functions around it that it, or one inside it, uses.
	captures []*variable
	captured map[*variable]struct{} // the same when there are many
	// env is true when it, or one inside it, uses a global.
	env bool
}

type table struct {
	span
	items []item
}

// An item of a table: value, name = value or [key] = value.
type item struct {
	named      bool
	key, value expr
}

type unary struct {
	span
	op   token
	x    expr
	fold bool // set when it is a minus before a number
}

// A binary is a run of operators of one precedence, taken from the left, or from the right when they are .. or ^.
// There is one operator fewer than operands.
type binary struct {
	span
	operands []expr
	ops      []token
	// Most have one operator: it and its operands lie here.
	two [2]expr
	one [1]token
}

// A block is a list of statements.
type block struct {
	stmts []*stmt
	// endsInLabel is true when nothing but empty statements follows a label at its end.
	endsInLabel bool
}

// A stmt is a statement: what its kind is decides which fields are used.
type stmt struct {
	span
	kind stmtKind
	// active counts the local variables of its function that live where it starts.
	active int16
	// split is set when a parenthesis opens the next statement and nothing but white space stands between.
	split bool
	exact bool  // numeric for: it may run over integers beyond 2^53
	count int32 // loops: breaks that leave it

	targets []expr // assignment: variables; function: its name; call: the call
	values  []expr // assignment, local, return, for: right side; while, repeat: the condition
	locals  int    // how many it declares
	body    *block // do, while, repeat, for; else of an if, nil without one
	fn      *function
	rare    *rare
}

// A rare holds the fields that few statements need.
type rare struct {
	attribs []attrib
	clauses []clause // of an if
}

func (s *stmt) attribs() []attrib {
	if s.rare == nil {
		return nil
	}
	return s.rare.attribs
}

func (s *stmt) clauses() []clause {
	if s.rare == nil {
		return nil
	}
	return s.rare.clauses
}

type stmtKind uint8

const (
	stmtEmpty stmtKind = iota
	stmtBad
	stmtLocal
	stmtLocalFunction
	stmtFunction
	stmtAssign
	stmtCall
	stmtDo
	stmtWhile
	stmtRepeat
	stmtIf
	stmtFor
	stmtForIn
	stmtReturn
	stmtBreak
	stmtGoto
	stmtLabel
)

// An attrib is <const> or <close>: its three tokens.
type attrib struct {
	open, name, close token
}

// A clause is one condition of an if with its block; word is its if or elseif.
type clause struct {
	word token
	cond expr
	body *block
}

// A variable is a local one.
type variable struct {
	name     string
	fn       *function
	shadow   *variable // what the name meant before
	constant bool
	plain    bool // counts a loop over plain numbers
}

// A slab allocates values from growing blocks, at half the cost of allocating each alone.
type slab[T any] struct {
	free []T
	size int
}

const largestSlab = 256 // values

func (s *slab[T]) take() *T {
	s.room(1)
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

func (s *slab[T]) room(n int) {
	if len(s.free) < n {
		s.size = min(max(8, 2*s.size), largestSlab)
		s.free = make([]T, max(n, s.size))
	}
}

// A stack collects nested lists. A list begins at len, and cut removes it.
type stack[T any] struct {
	open []T
	done slab[T]
}

func (s *stack[T]) push(v T) { s.open = append(s.open, v) }
func (s *stack[T]) len() int { return len(s.open) }

// cut returns what was pushed since len was from, nil when nothing was.
func (s *stack[T]) cut(from int) []T {
	n := len(s.open) - from
	if n == 0 {
		return nil
	}
	s.done.room(n)
	list := s.done.free[:n:n]
	s.done.free = s.done.free[n:]
	copy(list, s.open[from:])
	s.open = s.open[:from]
	return list
}
