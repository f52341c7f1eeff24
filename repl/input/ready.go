package input

// This file tells whether Lua is complete as it is typed.

import (
	"strings"

	"almanac/session/syntax"
)

// A Readiness says what Enter should do.
type Readiness int

// The readinesses.
const (
	// Complete input can be run.
	Complete Readiness = iota
	// Incomplete input wants more lines.
	Incomplete
)

// luaReadiness takes an expression for complete even where a statement could still follow from it.
func LuaReadiness(source string) Readiness {
	if strings.TrimSpace(source) == "" || syntax.IsExpression(source) {
		return Complete
	}
	err := syntax.Check(source)
	if err == nil {
		return Complete
	}
	if err.Incomplete {
		return Incomplete
	}
	if err := syntax.Check("return " + source); err != nil && err.Incomplete {
		return Incomplete
	}
	return Complete
}
