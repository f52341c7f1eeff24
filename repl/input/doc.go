// Package input reads what a person types: which form a line has, whether it is complete, how the next line is
// indented, and the file in which typed lines are kept.
//
//	Mode              what a line without a prefix is: Lua, or words for the model
//	Parse, Input      a line in one of its few forms: Lua, words, a command, a question
//	LuaReadiness      tells whether Enter should run Lua or begin a new line
//	Indent, Outdents  the margin of the next line
//	History           the file of typed lines; several programs may append to it at once
package input
