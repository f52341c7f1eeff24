// Package syntax treats Lua source as data: it finds tokens, checks whether the text is a complete chunk, lists the
// names it uses, and rewrites what the engine gets wrong. It reads Lua 5.2 with the operators and literals of 5.3 and
// the attribs of 5.4. It knows nothing of machines, catalogs or sessions.
//
//	Tokens        the pieces of a text, for colours; never fails
//	Check         nil for a whole chunk, else the first *Error: Incomplete when more input could mend it
//	IsExpression  whether a text is one expression list
//	Names         globals read and written, dotted paths called: a Usage
//	Locals        the local variables that end with a text
//	Unset         globals that a text reads before it sets them
//	Literals      the literals that parameters could stand for; Parameterize puts them there
//	PathAt        what may be completed at a byte: a Cursor
//	Declarations  the functions in the order of the text, with their names and parameters
//	Uses          what a line does to values that may be of the wrong type, for the place of an error
//	Normalize     the same program, every line where it was, that the engine runs rightly, and the lines of its operators
//	Foreign       what Lua has in the place of a word of another language
//	Nearest       the name that was meant by a misspelt one
//	Error         a message with its place and a hint
//
// # Why there is a parser
//
// The engine's own parser takes cubic time for some chains, compiles nonsense beyond 255 registers, and says neither
// where in a line an error is nor whether more input could complete the text. Its machine merges closures, mixes up
// registers after .. and gets % wrong, so such code is rewritten before the engine sees it, which takes a tree. Names,
// colours, completion and the place of an error come from the same tree.
//
// Code that searches a tree is a visitor (walk.go). The writer and the meter (normalize.go, limits.go) walk by
// themselves, since they carry nesting and registers up and down and treat each kind of statement differently.
//
// # Why it has four passes
//
// The parser makes one tree and resolves names on the way; the meter, the writer, and the visitors Names and Uses each
// go through it once. The meter and the writer are apart, since a text is measured when it is only checked, at every
// key, and what is refused must be refused before a byte is written. The host functions are few and each is named in
// three places only: its constant, its place in hostNames or exact.go, and session/vm. Constants are not folded: a % of
// two numerals is a call like any other.
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
