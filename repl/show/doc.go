// Package show presents values: it turns results, tables, Markdown, Lua source and script errors into lines of text for
// a screen. It knows widths but not colours: each span of text has a role, and the screen decides how a role looks.
//
//	Line, Span, Role      a line of text in pieces, and what each piece is
//	ValueLines            a result: a list of records as a table, anything else as Lua
//	MarkdownLines         Markdown; Blocks cuts it into what can be drawn while the rest still comes in
//	LuaLines, ErrorLines  source with its tokens, and the error of a script with its place
//	Wrap                  lines broken at a width, in cells as catalog/text/cells counts them
//	ParsePath, PathText   a way into a value, as Lua writes it; Find looks for text in a value
//	Question, Batch       what a person is asked before a call, or about all writes of a run while they are chosen
//	ParseArgs             arguments as a person edits them, read back
//
// Its output is safe to print: foreign text is sanitised by catalog/text, so that no control character gets through.
// Everything here is a pure function of its arguments.
package show
