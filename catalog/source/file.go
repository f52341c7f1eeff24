package source

// This file tells what a file is before it is read.

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"almanac/catalog/regular"
	"almanac/catalog/tree"
)

// TopKey returns the first key of the outermost level of a YAML or JSON text that is one of the names, and "" when none
// is. It goes by the look of the lines, and takes the beginning of a text as well.
func TopKey(text []byte, names ...string) string {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	depth := 0
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimSpace(line)
		if len(trimmed) == 0 || trimmed[0] == '#' {
			continue
		}
		outermost := depth == 0 && trimmed[0] == line[0] || depth == 1
		if rest, ok := bytes.CutPrefix(trimmed, []byte("{")); ok && depth == 0 {
			outermost, trimmed = true, bytes.TrimSpace(rest)
			depth++
		}
		if name := keyOf(trimmed); outermost && slices.Contains(names, name) {
			return name
		}
		if depth > 0 {
			depth += bytes.Count(trimmed, []byte("{")) - bytes.Count(trimmed, []byte("}"))
		}
	}
	return ""
}

// Title is the title under the outermost info of a YAML or JSON file, where its head has it; else "".
func Title(file string) string {
	f, err := regular.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, fileHead))
	if err != nil {
		return ""
	}
	if info := jsonInfo.FindSubmatch(head); info != nil {
		return tree.Unquote(info[1])
	}
	if info := yamlInfo.FindSubmatch(head); info != nil {
		return strings.Trim(strings.TrimSpace(string(info[1])), `"'`)
	}
	return ""
}

// jsonInfo and yamlInfo find the title in front of any other object of the info.
var (
	jsonInfo = regexp.MustCompile(`"info"\s*:\s*\{[^{}]*?"title"\s*:\s*("(?:[^"\\]|\\.)*")`)
	yamlInfo = regexp.MustCompile(`(?m)^info:[^\n]*\n(?:[ \t]+[^\n]*\n|\s*\n)*?[ \t]+title:[ \t]*([^\n#]+)`)
)

// keyOf is the key that a line begins with; "" when it begins with none.
func keyOf(line []byte) string {
	key := bytes.TrimLeft(line, `"'`)
	quotes := len(line) - len(key)
	n := len(key) -
		len(bytes.TrimLeftFunc(key, func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }))
	rest := key[n:]
	for range quotes {
		rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte(`"`)), []byte("'"))
	}
	if rest = bytes.TrimLeft(rest, " "); len(rest) > 0 && rest[0] == ':' {
		return string(key[:n])
	}
	return ""
}
