package diff

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file writes random programs from the grammar, as trees, so that the minimiser can cut them.

// A node is a piece of a program. Its parts are strings and nodes.
type node struct {
	symbol string
	parts  []any
}

func (n *node) add(parts ...any) { n.parts = append(n.parts, parts...) }

func (n *node) write(b *strings.Builder) {
	for _, p := range n.parts {
		switch p := p.(type) {
		case string:
			b.WriteString(p)
		case *node:
			p.write(b)
		}
	}
}

func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

// opening is the first lines of a program: show prints values in a way that does not depend on addresses or on the
// order of pairs.
const opening = `local function text(v, n) if type(v) == "table" and not getmetatable(v) then if n == 0 then return "{...}" end ` +
	`local l = {} for k, w in next, v do l[#l + 1] = text(k == 0 or k, 0) .. "=" .. text(w, n - 1) end table.sort(l) return "{" .. table.concat(l, " ") .. "}" end ` +
	`local t = type(v) if t == "number" or t == "string" or t == "boolean" or t == "nil" then return tostring(v) end return t end ` +
	`local function show(...) local l = {...} for i = 1, select("#", ...) do l[i] = text(l[i], 3) end print(table.concat(l, " ")) end` + "\n" +
	`G, H, S, L, M = 3, 2.5, "s", {1, 2, 3}, {x = 1, y = "m"}` + "\n"

// A variable is one that the program can see. A function of some level calls only those of lower ones.
type variable struct {
	name, typ string
	level     int
}

// late says that the value of a variable must not use it: it could call itself without end.
func (v variable) late() bool { return v.typ == "fun" || v.typ == "co" || v.typ == "obj" }

// mistaken are the symbols that are sometimes of the wrong type.
var mistaken = []string{"num", "str", "operand", "list", "bool", "divisor", "small"}

// A grammar holds the productions of each symbol.
type grammar map[string][]production

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

//go:embed testdata/grammar.txt
var grammarText string

var (
	holes  = regexp.MustCompile(`<([=+]?)([a-z0-9]+)>|<\^>|@@?|·`)
	weight = regexp.MustCompile(`^([0-9]+)x `)
)

func readGrammar() grammar {
	all := grammar{}
	symbol := ""
	for line := range strings.Lines(strings.ReplaceAll(grammarText, "\n\t\t", " ")) {
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

// A generator writes one program.
type generator struct {
	grammar grammar
	r       *rand.Rand
	scope   []variable
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

// program writes the program of a number.
func (all grammar) program(seed, number uint64) *node {
	g := &generator{grammar: all, r: rand.New(rand.NewPCG(seed, number)), context: context{level: topLevel, vararg: true}}
	g.scope = []variable{{"G", "num", 0}, {"H", "num", 0}, {"S", "str", 0}, {"L", "list", 0}, {"M", "map", 0}}
	body := g.block(5 + g.r.IntN(10))
	for _, p := range body.parts {
		// Most errors end one statement only.
		if n, ok := p.(*node); ok && g.r.IntN(3) > 0 && !strings.HasPrefix(n.String(), "local ") {
			n.parts = []any{"show(pcall(function(...) ", &node{"stmts", []any{&node{"stmt", n.parts}}}, " end, 1, 's'))"}
		}
	}
	return &node{"program", []any{opening, body, "\n"}}
}

// blocks are the symbols that inner writes.
var blocks = []string{"block", "loop", "body", "body0", "block0", "cobody"}

// fits says whether a production can be used here.
func (g *generator) fits(symbol string, p production) bool {
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
func (g *generator) expand(symbol string) *node {
	g.depth++
	defer func() { g.depth-- }()
	if slices.Contains(mistaken, symbol) && g.r.IntN(50) == 0 {
		return &node{symbol, []any{g.expand("bad")}}
	}
	productions := g.grammar[symbol]
	switch {
	case symbol == "yield" && g.coroutine:
		productions = g.grammar["yielding"]
	case symbol == "exit" && len(g.labels) > 0:
		return &node{symbol, []any{"goto " + g.labels[g.r.IntN(len(g.labels))]}}
	case symbol == "exit" && g.loops > 0:
		return &node{symbol, []any{"break"}}
	}
	for range 20 {
		if p := productions[g.r.IntN(len(productions))]; g.fits(symbol, p) {
			return g.fill(symbol, p)
		}
	}
	return g.fill(symbol, productions[0])
}

// fill writes a production with its holes filled.
func (g *generator) fill(symbol string, p production) *node {
	n := &node{symbol: symbol}
	visible, at := len(g.scope), 0
	var fresh, last string
	var declared, parameters []variable
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
			declared = append(declared, variable{g.name(declared), h.symbol, g.r.IntN(max(1, g.level))})
			last = declared[len(declared)-1].name
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
func (g *generator) limited(declared []variable, write func()) {
	outer := g.level
	if len(declared) == 1 && declared[0].late() {
		g.level = min(g.level, declared[0].level+1)
	}
	write()
	g.level = outer
}

// inner writes a block: one of the function that is written, or the body of a new one whose head is the end of before.
// It sees the variables that the production declares.
func (g *generator) inner(symbol, before string, declared []variable) *node {
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
		return g.block(1 + g.r.IntN(3))
	case "loop":
		g.loops++
		if g.r.IntN(2) == 0 {
			return g.block(1 + g.r.IntN(3))
		}
		g.names++
		label := fmt.Sprint("l", g.names)
		g.labels = append(slices.Clone(g.labels), label)
		return &node{"stmts", []any{"do ", g.block(1 + g.r.IntN(3)), " end ::" + label + "::"}}
	}
	g.context = context{level: g.r.IntN(max(1, g.level)), coroutine: symbol == "cobody"}
	if strings.HasSuffix(symbol, "0") {
		g.level = 0
	}
	g.vararg = strings.Contains(before[strings.LastIndex(before, "function"):], "...)")
	n := g.block(1 + g.r.IntN(3))
	if symbol != "block0" {
		n.add(" ", g.expand("result"))
	}
	return n
}

func (g *generator) block(statements int) *node {
	n := &node{symbol: "stmts"}
	for i := range statements {
		if i > 0 {
			n.add([]string{"\n", "\n", "\n", " ", "; "}[g.r.IntN(5)])
		}
		n.add(g.expand("stmt"))
	}
	return n
}

// gap is white space between two tokens.
func (g *generator) gap() string {
	switch g.r.IntN(12) {
	case 0, 1:
		return "\n"
	case 2:
		return "\n\n  "
	case 3:
		return " -- c\n"
	}
	return " "
}

func (g *generator) name(taken []variable) string {
	for {
		name := string(rune('a' + g.r.IntN(6)))
		if !slices.ContainsFunc(taken, func(v variable) bool { return v.name == name }) {
			return name
		}
	}
}

// variable chooses a visible variable of a type, "" when there is none. A function of the lowest level uses no objects,
// whose metamethods are of that level.
func (g *generator) variable(typ string) string {
	seen := map[string]bool{}
	var found []string
	for _, v := range slices.Backward(g.scope) {
		if !seen[v.name] && v.typ == typ && (v.level < g.level || typ != "fun" && typ != "co" && typ != "obj") {
			found = append(found, v.name)
		}
		seen[v.name] = true
	}
	if len(found) == 0 {
		return ""
	}
	return found[g.r.IntN(len(found))]
}
