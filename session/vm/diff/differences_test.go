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
//	for x in nil                       lua5.2 names a wrong variable
//	tables and functions in print      they have addresses in lua5.2; programs print with show
//	t.x = nil with __newindex          it calls __newindex here also when t has an x
//	yields in metamethods and sort     they work here

// name matches the name of a value in a message.
const name = `(?s:\w+ '.*?')`

// rewrites put the words of messages into one form.
var re = regexp.MustCompile

var rewrites = []struct {
	reason  string
	theirs  bool
	pattern *regexp.Regexp
	with    string
}{
	{"messages have the words of Lua 5.3", true, re(`(attempt to [a-z ]+) (` + name + `) \((a \w+ value)\)`), "$1 $3 ($2)"},
	{"a field with a computed key is as written", false, re(`\(field '\?': [^\n]*?\)`), "(field '?')"},
	{"comparisons name what is nil", false, re(`(attempt to compare \w+ (?:with|\w+) \w+) \(` + name + `\)`), "$1"},
	{"loops say what they got", false, re(`('for' [a-z ]+ must be a number), got \w+( \(` + name + `\))?`), "$1"},
	{"arguments say what they got", false, re(`((?:string/function/table|coroutine) expected), got [a-z ]+\)`), "$1)"},
	{"unknown captures have their number", false, re(`(invalid capture index) %\d+`), "$1"},
	{"unknown captures have their number", true, re(`(invalid capture index) %\d+`), "$1"},
	{"the frames of the test are none of the program", true, re(`testdata/reference.lua:\d+: `), ""},
}

func rewrite(text string, theirs bool) string {
	for _, r := range rewrites {
		if r.theirs == theirs {
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
	{"whole numbers up to 2^53 are written in full", re(`e\+15`)},
	{"not-a-number has no sign", re(`-nan`)},
	{"addresses", re(`(?i)(table|function|thread): 0x`)},
	{"too long", re(`too long`)},
	{"stack overflow", re(`stack overflow`)},
}
