package verb

// This file writes names as parts of ids.

import (
	"strings"

	"almanac/catalog/lua"
)

// Segment is a name as one part of an id, in words of lower case that Lua takes as a name: "PlaceOrder" is place_order,
// "end" is end_. It is empty if the name has no letter or digit.
func Segment(name string) string {
	s := strings.Join(Words(name), "_")
	if _, reserved := lua.Keyword(s); reserved {
		s += "_"
	}
	if s != "" && s[0] >= '0' && s[0] <= '9' {
		s = "_" + s
	}
	return s
}
