package syntax

import (
	"slices"
	"strings"
)

// This file finds what can be completed at a place.

// A Cursor describes the text before a place.
type Cursor struct {
	// Path is the segments before the last dot or colon: billing, invoice in "billing.invoice.li". Nil when there is
	// no dot, or when what is before it is no plain path (f().x).
	Path []string
	// Partial is the name begun at the place, "" when there is none; Start is its offset.
	Partial string
	Start   int
	// Member is true behind a dot or a colon, also when Path is nil.
	Member bool
	// InString and InComment are true inside of one, where nothing is completed.
	InString, InComment bool
	// Call is the dotted path of the call whose arguments the place is in: "billing.invoice.list_unpaid". "" outside
	// of a call, or when what is called is no plain path.
	Call string
	// Key is true where a field name of a table constructor may stand: call{ | }.
	Key bool
}

// PathAt describes the text before the byte at offset, which is clamped to the text.
func PathAt(src string, offset int) Cursor {
	offset = min(max(offset, 0), len(src))
	lx := scan(src[:offset], false)
	list := lx.toks[:len(lx.toks)-1]
	c := Cursor{Start: offset}
	if last := lx.last; last.kind == tkComment && int(last.end) == offset {
		// A line comment goes on at its end; a long one that is closed does not.
		long := strings.HasPrefix(src[last.start:], "--[") && strings.HasSuffix(src[last.start:last.end], "]")
		c.InComment = !long
	} else if n := len(list); n > 0 && list[n-1].kind == tkBad && int(list[n-1].end) == offset {
		at := src[list[n-1].start]
		c.InString = at == '"' || at == '\'' || at == '['
		c.InComment = at == '-'
		if c.InString || c.InComment {
			list = list[:n-1]
		}
	}
	if c.InString || c.InComment {
		c.Call, _ = callAround(src, list)
		return c
	}
	if n := len(list); n > 0 && int(list[n-1].end) == offset && isWord(src, list[n-1]) {
		c.Start = int(list[n-1].start)
		c.Partial = src[c.Start:offset]
		list = list[:n-1]
	}
	if n := len(list); n > 0 && (list[n-1].kind == tkDot || list[n-1].kind == tkColon) {
		c.Member = true
		c.Path, list = pathBefore(src, list[:n-1])
	}
	c.Call, c.Key = callAround(src, list)
	if n := len(list); n > 0 && c.Key && !c.Member {
		k := list[n-1].kind
		c.Key = k == tkLBrace || k == tkComma || k == tkSemi
	} else {
		c.Key = false
	}
	return c
}

// isWord reports whether t may be a name that is not finished: a keyword may, and so may a reserved name.
func isWord(src string, t token) bool {
	return t.kind == tkName || t.kind >= tkAnd && t.kind <= tkWhile ||
		t.kind == tkBad && classes[src[t.start]]&cLetter != 0
}

// pathBefore removes the dotted path at the end of list. The path is nil if something else is there.
func pathBefore(src string, list []token) ([]string, []token) {
	var path []string
	for n := len(list); n > 0 && list[n-1].kind == tkName; n = len(list) {
		path = append(path, src[list[n-1].start:list[n-1].end])
		list = list[:n-1]
		if n == 1 || list[n-2].kind != tkDot {
			break
		}
		list = list[:n-2]
		if len(list) == 0 || list[len(list)-1].kind != tkName {
			return nil, list // .name behind a call or an index
		}
	}
	slices.Reverse(path)
	return path, list
}

// callAround finds the innermost call that is open at the end of list, and whether the innermost bracket is the table
// that is its argument.
func callAround(src string, list []token) (call string, key bool) {
	depth, inner, ends := 0, true, 0
	for i := len(list) - 1; i >= 0; i-- {
		switch k := list[i].kind; k {
		case tkRParen, tkRBrace, tkRBracket:
			depth++
		case tkLParen, tkLBrace, tkLBracket:
			if depth > 0 {
				depth--
				continue
			}
			path, _ := pathBefore(src, list[:i])
			if len(path) > 0 && k != tkLBracket {
				return strings.Join(path, "."), key || k == tkLBrace && inner
			}
			key = k == tkLBrace && inner
			inner = false
		case tkEnd, tkUntil:
			ends++
		case tkFunction, tkDo, tkIf, tkRepeat:
			// The opening of a block that is closed; an open one is no argument.
			if ends > 0 {
				ends--
			} else if depth == 0 {
				return "", false
			}
		case tkThen, tkElse, tkLocal, tkReturn:
			if depth == 0 && ends == 0 {
				return "", false
			}
		}
	}
	return "", false
}
