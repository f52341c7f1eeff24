package diff

import "regexp"

// This file is the table of what differs from lua5.2 on purpose, as docs/lua.md says it to users. What a call gives is
// changed on the side of lua5.2, in testdata/reference.lua (assert, coroutine.wrap). What the words of a message are is
// changed in the message, exactly. What a program can run into without writing it is found in what lua5.2 prints. The
// rest the grammar does not write:
//
//	the length of a list with holes    Lua does not define it
//	the order of pairs                 here it is sorted; programs sort the keys
//	not-a-number                       it has no sign here
//	integers beyond 2^53               they are exact here
//	what a failed sort leaves          here the list as it was
//	pcall(string.rep), failing sorts   the message of a library function has a position also where pcall called it
//	bad arguments in math.fmod         lua5.2 names the one that its C compiler looks at first
//	zero bytes in "%5s"                lua5.2 ends the text there
//	"%s" where __tostring gives nil    lua5.2 writes (null); here it is an error
//	what __concat gave, concatenated   lua5.2 names what stood in its place
//	for x in nil                       lua5.2 names a wrong variable
//	tables and functions in print      they have addresses in lua5.2; programs print with show
//	%a with # or a precision           C leaves the first digit open
//	%q of a number                     here the number, as in Lua 5.3
//	-0 as a table key                  here it is 0
//	x ^ y                              the last digit of 17 is that of Go's math.Pow
//	positions beyond 2^31              lua5.2 cuts them to 32 bits
//	next(t, k) for a k that is not there
//	t.x = nil with __newindex          it calls __newindex here also when t has an x
//	yields in sort and gsub            they work here

// name matches the name of a value in a message.
const name = `(?s:\w+ '.*?')`

// re matches also messages that a program made upper case.
func re(pattern string) *regexp.Regexp { return regexp.MustCompile("(?i)" + pattern) }

// A side is whose output a rewrite changes.
type side int

const (
	lua52 side = iota
	here
	both
)

// rewrites put the words of messages into one form.
var rewrites = []struct {
	reason  string
	side    side
	pattern *regexp.Regexp
	with    string
}{
	{"messages have the words of Lua 5.3", lua52,
		re(`(attempt to [a-z ]+) (` + name + `) \((a \w+ value)\)`), "$1 $3 ($2)"},
	{"after a yield in __concat lua5.2 names a wrong value", lua52,
		re(`(attempt to concatenate a \w+ value) \(constant (?s:.*?)\)`), "$1"},
	{"a field with a computed key is as written", here, re(`\(field '\?': [^\n]*?\)`), "(field '?')"},
	{"comparisons name what is nil", here, re(`(attempt to compare \w+ (?:with|\w+) \w+) \(` + name + `\)`), "$1"},
	{"loops say what they got", here, re(`('for' [a-z ]+ must be a number), got \w+( \(` + name + `\))?`), "$1"},
	{"arguments say what they got", here, re(`((?:string/function/table|coroutine) expected), got [a-z ]+\)`), "$1)"},
	{"unknown captures have their number", both, re(`(invalid capture index) %\d+`), "$1"},
	{"an error in a library function has the line that called it", here,
		re(`p:\d+: (invalid key to 'next'|attempt to yield from outside a coroutine)`), "$1"},
	{"an error in a library function has the line that called it", both,
		re(`p:\d+: (attempt to call a \w+ value|cannot resume dead coroutine)`), "$1"},
	{"table.remove blames the position", lua52, re(`#1 (to 'remove' \(position)`), "#2 $1"},
	{"formats that are none are shown whole", both, re(`(invalid option '%)[-+ #0-9.\x00]+`), "$1"},
	{"the frames of the test are none of the program", lua52, re(`testdata/reference.lua:\d+: `), ""},
}

func rewrite(text string, of side) string {
	for _, r := range rewrites {
		if r.side == of || r.side == both {
			text = r.pattern.ReplaceAllString(text, r.with)
		}
	}
	return text
}

// excluded finds the programs that ran into a difference, by the output of lua5.2.
var excluded = []struct {
	name   string
	output *regexp.Regexp
}{
	{"whole numbers up to 2^53 are written in full", re(`\.\d{9,}e\+1[45]`)},
	{"not-a-number has no sign", re(`-nan`)},
	{"addresses", re(`(?i)(table|function|thread): 0x`)},
	{"too long", re(`too long`)},
	{"a handler that always fails is called as often as the C stack has room", re(`error in error handling`)},
	{"stack overflow", re(`stack overflow`)},
}
