package repl

// This file finds the signatures of functions: the session's in the cells that defined them, the prelude's in its docs,
// the libraries' in a table.

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/text"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session/syntax"
)

// A function is how one is called.
type function struct {
	// form is the call: string.rep(s, n, sep).
	form string
	// text is what it does, or where it comes from.
	text string
}

func (f function) String() string {
	if f.text == "" {
		return f.form
	}
	return f.form + "  " + f.text
}

// function finds a function by its dotted name.
func (sh *Shell) function(name string) (function, bool) {
	root, _, _ := strings.Cut(name, ".")
	for _, g := range sh.options.Session.Globals() {
		if g.Name != root || g.Name == name && g.Type != "function" {
			continue
		}
		if f, ok := sh.ownFunction(name); ok {
			return f, true
		}
		return function{}, false
	}
	for _, d := range sh.docs() {
		if formName(d.Form) == name && strings.Contains(d.Form, "(") {
			return function{d.Form, d.Text}, true
		}
	}
	for line := range strings.Lines(libraryForms) {
		form, text, _ := strings.Cut(strings.TrimSpace(line), " -- ")
		if formName(form) == name {
			return function{form, text}, true
		}
	}
	return function{}, false
}

// ownFunction finds a function in the newest cell that makes one of that name.
func (sh *Shell) ownFunction(name string) (function, bool) {
	last := name[strings.LastIndexByte(name, '.')+1:]
	for _, c := range slices.Backward(sh.Cells()) {
		sources, who := c.Scripts, "model"
		if c.Form != input.Words {
			sources, who = []string{c.Source}, "you"
		}
		for _, source := range slices.Backward(sources) {
			if !strings.Contains(source, last) {
				continue
			}
			for _, f := range slices.Backward(syntax.Declarations(source)) {
				if strings.ReplaceAll(f.Name, ":", ".") == name {
					return function{fmt.Sprintf("%s(%s)", name, f.Params), fmt.Sprintf("%s [%d], line %d", who, c.N, f.Line)}, true
				}
			}
		}
	}
	return function{}, false
}

// formName is the name in a form.
func formName(form string) string {
	name, _, _ := strings.Cut(form, "(")
	return name
}

// line shows the form with the parameter of that number, counted from 0, marked.
func (f function) line(now int) show.Line {
	name, rest, _ := strings.Cut(f.form, "(")
	params, more, _ := strings.Cut(rest, ")")
	line := show.Dim.Line(text.SanitizeLine(name) + "(")
	all := strings.Split(params, ",")
	for i, p := range all {
		if i > 0 {
			line = append(line, show.Dim.Span(", "))
		}
		role := show.Text
		if i == now || i == len(all)-1 && now > i && strings.Contains(p, "...") {
			role = show.Key
		}
		line = append(line, role.Span(text.SanitizeLine(strings.TrimSpace(p))))
	}
	return append(line, show.Dim.Span(")"+text.SanitizeLine(more)+"  "+text.SanitizeLine(f.text)))
}

// argumentAt is which argument of the innermost open call the end of source is in, counted from 0.
func argumentAt(source string) int {
	depth, commas := 0, 0
	for _, t := range slices.Backward(syntax.Tokens(source)) {
		switch t.Text {
		case ")", "}", "]":
			depth++
		case "(", "{", "[":
			if depth == 0 && t.Text == "(" {
				return commas
			}
			if depth == 0 {
				commas = 0 // inside of a table that is an argument
				continue
			}
			depth--
		case ",":
			if depth == 0 {
				commas++
			}
		}
	}
	return commas
}

// libraryForms are the functions of Lua's own libraries that scripts have.
const libraryForms = `assert(v, message) -- fails with message where v is false or nil
error(message, level) -- raises an error
getmetatable(v) -- the metatable
ipairs(t) -- for i, v in ipairs(t): 1, 2, ... up to the first nil
next(t, key) -- the key after key, and its value
pairs(t) -- for k, v in pairs(t): all keys, in no order
pcall(f, ...) -- true and the results of f(...), or false and the error
rawequal(a, b) -- equal without metamethods
rawget(t, key) -- t[key] without metamethods
rawlen(v) -- length without metamethods
rawset(t, key, v) -- t[key] = v without metamethods
select(n, ...) -- the arguments from n on; select("#", ...) counts them
setmetatable(t, meta) -- t with that metatable
tonumber(v, base) -- a number, or nil
tostring(v) -- text
type(v) -- "nil", "number", "string", "boolean", "table", "function" or "thread"
xpcall(f, handler, ...) -- pcall, with handler called on the error
string.byte(s, i, j) -- the bytes from i to j; i is 1, j is i
string.char(...) -- the text of these bytes
string.find(s, pattern, init, plain) -- where pattern is found: start, end, captures; nil if not
string.format(form, ...) -- text as form says: %s %d %5.2f %q
string.gmatch(s, pattern) -- for a, b in string.gmatch(s, pattern): all matches
string.gsub(s, pattern, by, n) -- s with matches replaced by a text, table or function, n at most; and how many
string.len(s) -- bytes
string.lower(s) -- in lower case
string.match(s, pattern, init) -- the captures of the first match, or the match; nil if none
string.rep(s, n, sep) -- s n times, with sep between
string.reverse(s) -- backwards
string.sub(s, i, j) -- the bytes from i to j; negative ones count from the end
string.upper(s) -- in upper case
table.concat(list, sep, i, j) -- the items as text, with sep between
table.insert(list, pos, v) -- puts v at pos; table.insert(list, v) at the end
table.pack(...) -- a list of the arguments, with their number in n
table.remove(list, pos) -- takes the item at pos out, or the last
table.sort(list, less) -- sorts in place; less(a, b) tells which comes first
table.unpack(list, i, j) -- the items as values
math.abs(x) -- without its sign
math.acos(x) -- in radians
math.asin(x) -- in radians
math.atan(y, x) -- in radians
math.ceil(x) -- the integer not below
math.cos(x) -- of radians
math.deg(x) -- radians to degrees
math.exp(x) -- e to the power
math.floor(x) -- the integer not above
math.fmod(a, b) -- the rest of a/b, with the sign of a
math.log(x, base) -- the logarithm, natural without base
math.max(x, ...) -- the largest
math.min(x, ...) -- the smallest
math.modf(x) -- the whole part and the rest
math.pow(x, y) -- x ^ y
math.rad(x) -- degrees to radians
math.random(m, n) -- below 1; from 1 to m; from m to n
math.randomseed(x) -- begins the random numbers anew
math.sin(x) -- of radians
math.sqrt(x) -- the square root
math.tan(x) -- of radians
math.tointeger(x) -- the integer, or nil
math.type(x) -- "integer", "float" or nil
os.clock() -- seconds of processor time
os.date(form, time) -- text as form says: "%Y-%m-%d"; "*t" a table
os.difftime(a, b) -- seconds between two times
os.time(t) -- seconds since 1970, now or of a table
coroutine.create(f) -- a coroutine that runs f
coroutine.isyieldable() -- whether this may yield
coroutine.resume(co, ...) -- goes on with co: true and what it yields, or false and the error
coroutine.running() -- the coroutine that runs
coroutine.status(co) -- "running", "suspended", "normal" or "dead"
coroutine.wrap(f) -- a function that resumes f each time
coroutine.yield(...) -- stops here and gives these to who resumed
`
