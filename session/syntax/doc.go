// Package syntax treats Lua source as data: it says where the tokens are, whether the text is a whole chunk, which
// names it uses, and writes it anew without what the engine gets wrong. It reads Lua 5.2 with the operators and
// literals of 5.3 and the attribs of 5.4. It knows nothing of machines, catalogs or sessions.
//
//	Tokens        the pieces of a text, for colours; never fails
//	Check         nil for a whole chunk, else the first *Error: Incomplete when more input could mend it
//	IsExpression  whether a text is one expression list
//	Names         globals read and written, dotted paths called: a Usage
//	PathAt        what may be completed at a byte: a Cursor
//	FunctionNames what the functions are called, in the order of the text
//	Normalize     the same program, every line where it was, that the engine runs rightly
//	Nearest       the name that was meant by a misspelt one
//	Error         a message with its place, a hint, and an Excerpt with a caret
//
// # What normalised code expects
//
// Normalised code calls the host functions named by the Host constants. A script cannot write those names: an
// identifier that begins with HostPrefix is a syntax error. They may be globals, or locals set in front of the text on
// its first line; the second is safer, because it also holds under load with an environment of the script's own.
//
// A text that needs them is wrapped into a function of its own, still on its own lines, which picks the host functions
// up once when the chunk starts. A `local _ENV` in the script therefore cannot hide them.
//
// # Where to start
//
// Normalize in normalize.go shows the whole way: scan (lexer.go), parse (parser.go, with names resolved on the way by
// resolve.go), measure (limits.go), write (normalize.go).
package syntax
