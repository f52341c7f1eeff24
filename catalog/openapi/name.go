package openapi

// This file derives ids from the names of operations.

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"almanac/catalog/lua"
	"almanac/catalog/text"
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
		s = strings.TrimRight(text.HeadBytes(s, maxSegment-5), "_") + "_" + mark(s)
	}
	return s
}

// mark is a hash of a text in four letters.
func mark(of string) string {
	sum := sha256.Sum256([]byte(of))
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

// version matches v1, v2.1, v1beta1, 2024 and 2020-05-31.
var version = regexp.MustCompile(`^v?[0-9][0-9.-]*((alpha|beta)[0-9]*)?$`)

func isVersion(w string) bool { return version.MatchString(w) }

// pathWords are the segments of a path that are not parameters, without versions and the like, and without what stands
// behind a # or ?.
func pathWords(path string) (fixed []string, lastIsParam bool) {
	if i := strings.IndexAny(path, "#?"); i >= 0 {
		path = path[:i]
	}
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
		if strings.Count(part, ".") > 1 {
			part = part[strings.LastIndexByte(part, '.')+1:] // microsoft.graph.delta()
		}
		fixed = append(fixed, part)
	}
	return fixed, lastIsParam
}

// A name is the desired name of an operation.
type name struct {
	group []string // words of the namespace below the source's
	words phrase
	own   bool // the words are from the operationId
	// long are longer names, used if the short one is taken.
	long []phrase
}

// A phrase is words of which those in the middle may be left out, the first ones first.
type phrase struct {
	head   []string
	middle [][]string
	tail   []string
}

// from is the phrase without the first n parts of its middle.
func (p phrase) from(n int) []string {
	return slices.Concat(p.head, slices.Concat(p.middle[n:]...), p.tail)
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
		if rest := given[len(group):]; strings.Trim(strings.Join(rest, ""), "0123456789") != "" {
			return rest
		}
		return given // search-2 in search: a number alone says nothing
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
	case w == "series":
		return w
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
		all := op.wishes(source)
		op.wanted = all[0]
		op.id = all[max(slices.IndexFunc(all, func(id string) bool { return !taken[id] }), 0)]
		for i := 0; taken[op.id]; i++ {
			op.id = op.wanted + "_" + mark(op.method+" "+op.path+strings.Repeat(".", i))
		}
		taken[op.id] = true
	}
}

// readable is how long an id should be, in bytes: beyond that words in its middle are left out.
const readable = 60

// wishes are the ids that an operation could have, the best first: its name, its long name, both as short as they
// should be and then with more of what was left out.
func (op *operation) wishes(source string) (ids []string) {
	group := segment(op.name.group)
	for _, p := range append([]phrase{op.name.words}, op.name.long...) {
		n := 0
		for ; n < len(p.middle); n++ {
			if len(idOf(source, group, segment(p.from(n)))) <= readable {
				break
			}
		}
		for ; n >= 0; n-- {
			ids = append(ids, idOf(source, group, segment(p.from(n))))
		}
	}
	return ids
}

// idOf joins the segments that are not empty, as an id.
func idOf(segments ...string) string {
	return strings.Join(slices.DeleteFunc(segments, func(s string) bool { return s == "" }), ".")
}
