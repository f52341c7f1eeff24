package openapi

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"almanac/catalog/text"
)

// tags are the HTML tags found in descriptions; other angle brackets are text.
var tags = regexp.MustCompile(
	`(?i)</?(p|br|code|a|b|i|em|strong|ul|ol|li|div|span|pre|h[1-6]|table|tr|td|th|thead|tbody|hr)(\s[^<>]*)?/?>`)

// lines is a description of several lines in at most n bytes, without HTML tags.
func lines(s string, n int) string {
	if strings.Contains(s, "</") || strings.Contains(s, "<br") || strings.Contains(s, "<p>") {
		s = html.UnescapeString(tags.ReplaceAllString(s, ""))
	}
	return text.ClipBytes(text.Clean(s), n)
}

func kb(n int) string { return strconv.Itoa(n>>10) + " KB" }
