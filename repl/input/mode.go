package input

// This file names the modes of a line.

// A Mode says what a line without a prefix is.
type Mode int

// The modes.
const (
	LuaMode Mode = iota
	AskMode
)

// String returns the word that prompts show: "lua" or "ask".
func (m Mode) String() string {
	if m == AskMode {
		return "ask"
	}
	return "lua"
}
