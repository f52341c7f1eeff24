package openapi

// This file derives ids from the names of operations.

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"almanac/catalog/lua"
	"almanac/catalog/verb"
)

// maxSegment bounds one segment of an id in bytes.
const maxSegment = 80

// segment joins words to one segment of an id.
func segment(list []string) string {
	s := strings.Join(list, "_")
	if s == "" {
		return ""
	}
	if s[0] >= '0' && s[0] <= '9' {
		s = "n" + s
	}
	if _, reserved := lua.Keyword(s); reserved {
		s += "_"
	}
	if len(s) > maxSegment {
		s = s[:maxSegment-5] + "_" + mark(s)
	}
	return s
}

// mark is a hash of a text in four letters.
func mark(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:2])
}

// noise are words common in the titles of APIs.
const noise = " api apis rest openapi open swagger spec specification documentation docs reference the public " +
	"service http web v "

// titleName derives a short name from a document's title.
func titleName(title string) string {
	var kept []string
	for _, w := range verb.Words(title) {
		if strings.Contains(noise, " "+w+" ") || isVersion(w) || len(kept) == 3 {
			continue
		}
		kept = append(kept, w)
	}
	return segment(kept)
}

// isVersion reports v1, v2, 2024 and the like.
func isVersion(w string) bool {
	w = strings.TrimPrefix(w, "v")
	return w != "" && strings.Trim(w, "0123456789") == ""
}

// pathWords are the segments of a path that are not parameters, without versions and the like.
func pathWords(path string) (fixed []string, lastIsParam bool) {
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		lastIsParam = strings.HasPrefix(part, "{")
		if lastIsParam || part == "" {
			continue
		}
		if i := strings.IndexByte(part, '{'); i >= 0 {
			part = part[:i]
		}
		if isVersion(strings.ToLower(part)) || strings.EqualFold(part, "api") || strings.EqualFold(part, "rest") {
			continue
		}
		fixed = append(fixed, part)
	}
	return fixed, lastIsParam
}

// A name is the desired name of an operation.
type name struct {
	group []string // words of the namespace below the source's
	words []string
	own   bool // the words are from the operationId
	// long are more words, used if the short name is taken.
	long []string
}

// nameOf names an operation by its tag, path and operationId.
func nameOf(op *operation, tag string) name {
	fixed, lastIsParam := pathWords(op.path)
	var n name
	idWords := verb.Words(op.operationID)
	given := idWords
	switch {
	case len(verb.Words(tag)) > 0 && !unLatin(tag):
		n.group = verb.Words(tag)
	case strings.Contains(op.operationID, "/") || strings.Contains(op.operationID, "."):
		i := strings.LastIndexAny(op.operationID, "/.")
		n.group, given = verb.Words(op.operationID[:i]), verb.Words(op.operationID[i+1:])
	case len(fixed) > 0:
		n.group = verb.Words(fixed[0])
	}
	if len(n.group) > 6 {
		n.group = n.group[:6]
	}
	all := verb.Words(op.path)
	if generated(idWords, op.method, all) {
		given = nil
	} else {
		given = withoutRoute(given, all, op.method)
		given = without(given, n.group)
	}
	n.long = slices.Concat([]string{methodVerb(op.method, lastIsParam)}, verb.Words(strings.Join(fixed, " ")))
	if len(given) > 0 && !unLatin(op.operationID) {
		n.words, n.own = given, true
		return n
	}
	rest := fixed
	if len(rest) > 0 && slices.Equal(verb.Words(rest[0]), n.group) {
		rest = rest[1:]
	}
	n.words = []string{methodVerb(op.method, lastIsParam)}
	if len(rest) > 0 {
		last := verb.Words(rest[len(rest)-1])
		if op.method == "post" && !lastIsParam && len(last) > 0 && slices.Equal(last, singularWords(last)) {
			// POST /charges/{charge}/capture
			n.words = last
			return n
		}
		if lastIsParam || op.method == "post" {
			last = singularWords(last)
		}
		n.words = append(n.words, last...)
	}
	return n
}

// unLatin reports a name with less than half Latin letters: without the others it would say nothing, and the path is
// the better name.
func unLatin(name string) bool {
	latin, other := 0, 0
	for _, r := range name {
		switch {
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r):
			other++
		}
	}
	return other > latin
}

// methodVerb is the verb for a method on a path.
func methodVerb(method string, lastIsParam bool) string {
	switch method {
	case "get":
		if lastIsParam {
			return "get"
		}
		return "list"
	case "post":
		if lastIsParam {
			return "update"
		}
		return "create"
	case "put":
		return "replace"
	case "patch":
		return "update"
	}
	return method
}

// generated reports an operationId derived from method and path: GetAccountsAccountCapabilities.
func generated(id []string, method string, path []string) bool {
	if len(id) < 2 {
		return false
	}
	rest := id
	switch {
	case id[0] == method:
		rest = id[1:]
	case id[len(id)-1] == method:
		rest = id[:len(id)-1]
	default:
		return false
	}
	plainPath := slices.DeleteFunc(slices.Clone(path), func(w string) bool { return isVersion(w) || w == "api" })
	joined := strings.Join(rest, "")
	return joined == strings.Join(path, "") || joined == strings.Join(plainPath, "")
}

// withoutRoute removes the path and method that a framework appended: read_item_items__item_id__get.
func withoutRoute(id, path []string, method string) []string {
	tail := append(slices.Clone(path), method)
	if n := len(id) - len(tail); n > 0 && len(path) > 0 && slices.Equal(id[n:], tail) {
		return id[:n]
	}
	return id
}

// without removes the words of the group from a name that repeats them: at the front, or anywhere if there are several.
func without(given, group []string) []string {
	if len(group) == 0 || len(given) <= len(group) {
		return given
	}
	front := given[:len(group)]
	if slices.Equal(front, group) || slices.Equal(singularWords(front), singularWords(group)) {
		return given[len(group):]
	}
	for i := 1; len(group) > 1 && i+len(group) <= len(given); i++ {
		if slices.Equal(given[i:i+len(group)], group) {
			return slices.Concat(given[:i], given[i+len(group):])
		}
	}
	return given
}

func singularWords(list []string) []string {
	if len(list) == 0 {
		return list
	}
	out := slices.Clone(list)
	out[len(out)-1] = singular(out[len(out)-1])
	return out
}

// singular is the singular of an English plural, judged by its ending.
func singular(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "ches"),
		strings.HasSuffix(w, "xes"):
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") &&
		!strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	}
	return w
}

// assign gives every operation its id. If two want the same, the one with the shorter path gets it, and the other gets
// more words, or a hash of its method and path, which is stable when others come or go.
func assign(ops []*operation, source string) {
	order := slices.Clone(ops)
	slices.SortStableFunc(order, func(a, b *operation) int {
		return cmp.Or(cmp.Compare(len(a.path), len(b.path)), cmp.Compare(a.path, b.path), cmp.Compare(a.method, b.method))
	})
	taken := map[string]bool{}
	for _, op := range order {
		group := segment(op.name.group)
		full := func(last []string) string {
			var parts []string
			for _, part := range []string{source, group, segment(last)} {
				if part != "" {
					parts = append(parts, part)
				}
			}
			return strings.Join(parts, ".")
		}
		op.wanted = full(op.name.words)
		op.id = op.wanted
		if taken[op.id] {
			op.id = full(op.name.long)
		}
		if taken[op.id] {
			op.id = op.wanted + "_" + mark(op.method+" "+op.path)
		}
		for i := 2; taken[op.id]; i++ {
			op.id = op.wanted + "_" + mark(op.method+" "+op.path+strings.Repeat(".", i))
		}
		taken[op.id] = true
	}
}
