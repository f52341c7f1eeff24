// Package grammar writes random programs from a grammar, for tests, and cuts one that shows a fault down.
//
//	Grammar   the productions of each symbol, read from a file such as session/vm/diff/testdata/grammar.txt, which
//	          explains how they are written
//	Writer    writes the program of a number; a run is repeated by its seed
//	Node      a piece of a program
//	Reduce    cuts a program down to the smallest one that is still wrong
package grammar

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Node is a piece of a program. Its parts are strings and nodes.
type Node struct {
	Symbol string
	Parts  []any
}

func (n *Node) add(parts ...any) { n.Parts = append(n.Parts, parts...) }

func (n *Node) write(b *strings.Builder) {
	for _, p := range n.Parts {
		switch p := p.(type) {
		case string:
			b.WriteString(p)
		case *Node:
			p.write(b)
		}
	}
}

func (n *Node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

// A Variable is one that the program can see. A function of some level calls only those of lower ones.
type Variable struct {
	Name, Type string
	level      int
}

// late says that the value of a variable must not use it: it could call itself without end.
func (v Variable) late() bool { return v.Type == "fun" || v.Type == "co" || v.Type == "obj" }

// mistaken are the symbols that are sometimes of the wrong type, where the grammar has one, "bad".
var mistaken = []string{"num", "str", "operand", "list", "bool", "divisor", "small"}

// A Grammar holds the productions of each symbol.
type Grammar map[string][]production

type production struct {
	text  string
	holes []hole
}

// A hole is the bytes from start up to end of a production, or a gap, a name, a repetition.
type hole struct {
	start, end   int
	text         string
	sign, symbol string
}

var (
	holes  = regexp.MustCompile(`<([=+]?)([a-z0-9]+)>|<\^>|@@?|·`)
	weight = regexp.MustCompile(`^([0-9]+)x `)
)

// Read reads a grammar.
func Read(text string) Grammar {
	all := Grammar{}
	symbol := ""
	for line := range strings.Lines(strings.ReplaceAll(text, "\n\t\t", " ")) {
		line = strings.TrimSuffix(line, "\n")
		text, is := strings.CutPrefix(line, "\t")
		switch {
		case !is && !strings.HasPrefix(line, "#"):
			symbol = line
		case is:
			times := 1
			if w := weight.FindStringSubmatch(text); w != nil {
				times, _ = strconv.Atoi(w[1])
				text = text[len(w[0]):]
			}
			p := readProduction(strings.NewReplacer("¶", "\n", "ε", "").Replace(text))
			all[symbol] = append(all[symbol], slices.Repeat([]production{p}, times)...)
		}
	}
	return all
}

// Add adds a production without holes.
func (all Grammar) Add(symbol, text string) {
	all[symbol] = append(all[symbol], production{text: text})
}

func readProduction(text string) production {
	p := production{text: text}
	for _, at := range holes.FindAllStringSubmatchIndex(text, -1) {
		h := hole{start: at[0], end: at[1], text: text[at[0]:at[1]]}
		if at[4] >= 0 {
			h.sign, h.symbol = text[at[2]:at[3]], text[at[4]:at[5]]
		}
		p.holes = append(p.holes, h)
	}
	return p
}

// A Writer writes one program.
type Writer struct {
	*rand.Rand
	grammar Grammar
	scope   []Variable
	depth   int // of the expression
	nest    int // of blocks
	names   int
	context
}

// A context is what the generator knows of the function that it writes.
type context struct {
	level     int
	vararg    bool
	coroutine bool
	loops     int
	labels    []string
}

const (
	maxDepth = 3
	maxNest  = 3
	topLevel = 4
)

// Writer returns one for the program of a number, which can see the variables of scope.
func (all Grammar) Writer(seed, number uint64, scope ...Variable) *Writer {
	return &Writer{
		Rand: rand.New(rand.NewPCG(seed, number)), grammar: all, scope: scope,
		context: context{level: topLevel, vararg: true},
	}
}

// blocks are the symbols that inner writes.
var blocks = []string{"block", "loop", "body", "body0", "block0", "cobody"}

// fits says whether a production can be used here.
func (g *Writer) fits(symbol string, p production) bool {
	if !g.vararg && symbol != "params" && strings.Contains(p.text, "...") && !strings.Contains(p.text, "function") {
		return false
	}
	for _, h := range p.holes {
		deep := g.nest >= maxNest && slices.Contains(blocks, h.symbol) ||
			g.depth > maxDepth && h.sign == "" && h.symbol != "" && symbol != "stmt"
		if deep || h.sign == "=" && g.variable(h.symbol) == "" {
			return false
		}
	}
	return true
}

// expand writes a symbol of the grammar.
func (g *Writer) expand(symbol string) *Node {
	g.depth++
	defer func() { g.depth-- }()
	if g.grammar["bad"] != nil && slices.Contains(mistaken, symbol) && g.IntN(50) == 0 {
		return &Node{symbol, []any{g.expand("bad")}}
	}
	productions := g.grammar[symbol]
	switch {
	case symbol == "yield" && g.coroutine:
		productions = g.grammar["yielding"]
	case symbol == "exit" && len(g.labels) > 0:
		return &Node{symbol, []any{"goto " + g.labels[g.IntN(len(g.labels))]}}
	case symbol == "exit" && g.loops > 0:
		return &Node{symbol, []any{"break"}}
	}
	for range 20 {
		if p := productions[g.IntN(len(productions))]; g.fits(symbol, p) {
			return g.fill(symbol, p)
		}
	}
	return g.fill(symbol, productions[0])
}

// fill writes a production with its holes filled.
func (g *Writer) fill(symbol string, p production) *Node {
	n := &Node{Symbol: symbol}
	visible, at := len(g.scope), 0
	var fresh, last string
	var declared, parameters []Variable
	for _, h := range p.holes {
		n.add(p.text[at:h.start])
		at = h.end
		switch {
		case h.text == "·":
			n.add(g.gap())
		case h.text[0] == '@':
			if fresh == "" {
				g.names++
				fresh = fmt.Sprint("v", g.names)
			}
			n.add(strings.Repeat("w", len(h.text)-1) + fresh)
		case h.text == "<^>":
			n.add(last)
		case h.sign == "=":
			last = g.variable(h.symbol)
			n.add(last)
		case h.sign == "+":
			declared = append(declared, Variable{g.name(declared), h.symbol, g.IntN(max(1, g.level))})
			last = declared[len(declared)-1].Name
			n.add(last)
		case strings.HasPrefix(h.symbol, "params"):
			n.add(g.expand(h.symbol))
			parameters = append(parameters, g.scope[visible:]...)
			g.scope = g.scope[:visible]
		case slices.Contains(blocks, h.symbol):
			g.limited(declared, func() { n.add(g.inner(h.symbol, n.String(), append(declared, parameters...))) })
			parameters = nil
		default:
			g.limited(declared, func() { n.add(g.expand(h.symbol)) })
		}
	}
	n.add(p.text[at:])
	if strings.HasPrefix(p.text, "local ") || strings.HasPrefix(symbol, "params") {
		g.scope = append(g.scope[:visible], declared...)
	}
	return n
}

// limited does what writes the value of a new variable: a function of its level.
func (g *Writer) limited(declared []Variable, write func()) {
	outer := g.level
	if len(declared) == 1 && declared[0].late() {
		g.level = min(g.level, declared[0].level+1)
	}
	write()
	g.level = outer
}

// inner writes a block: one of the function that is written, or the body of a new one whose head is the end of before.
// It sees the variables that the production declares.
func (g *Writer) inner(symbol, before string, declared []Variable) *Node {
	scope, depth, outer := len(g.scope), g.depth, g.context
	for _, v := range declared {
		if !v.late() {
			g.scope = append(g.scope, v)
		}
	}
	defer func() {
		g.scope, g.depth, g.context = g.scope[:scope], depth, outer
		g.nest--
	}()
	g.depth = 0
	g.nest++
	switch symbol {
	case "block":
		return g.Block(1 + g.IntN(3))
	case "loop":
		g.loops++
		if g.IntN(2) == 0 {
			return g.Block(1 + g.IntN(3))
		}
		g.names++
		label := fmt.Sprint("l", g.names)
		g.labels = append(slices.Clone(g.labels), label)
		return &Node{"stmts", []any{"do ", g.Block(1 + g.IntN(3)), " end ::" + label + "::"}}
	}
	g.context = context{level: g.IntN(max(1, g.level)), coroutine: symbol == "cobody"}
	if strings.HasSuffix(symbol, "0") {
		g.level = 0
	}
	g.vararg = strings.Contains(before[strings.LastIndex(before, "function"):], "...)")
	n := g.Block(1 + g.IntN(3))
	if symbol != "block0" {
		n.add(" ", g.expand("result"))
	}
	return n
}

// Block writes statements.
func (g *Writer) Block(statements int) *Node {
	n := &Node{Symbol: "stmts"}
	for i := range statements {
		if i > 0 {
			n.add([]string{"\n", "\n", "\n", " ", "; "}[g.IntN(5)])
		}
		n.add(g.expand("stmt"))
	}
	return n
}

// gap is white space between two tokens.
func (g *Writer) gap() string {
	switch g.IntN(12) {
	case 0, 1:
		return "\n"
	case 2:
		return "\n\n  "
	case 3:
		return " -- c\n"
	}
	return " "
}

func (g *Writer) name(taken []Variable) string {
	for {
		name := string(rune('a' + g.IntN(6)))
		if !slices.ContainsFunc(taken, func(v Variable) bool { return v.Name == name }) {
			return name
		}
	}
}

// variable chooses a visible variable of a type, "" when there is none. A function of the lowest level uses no objects,
// whose metamethods are of that level.
func (g *Writer) variable(typ string) string {
	seen := map[string]bool{}
	var found []string
	for _, v := range slices.Backward(g.scope) {
		if !seen[v.Name] && v.Type == typ && (v.level < g.level || typ != "fun" && typ != "co" && typ != "obj") {
			found = append(found, v.Name)
		}
		seen[v.Name] = true
	}
	if len(found) == 0 {
		return ""
	}
	return found[g.IntN(len(found))]
}
