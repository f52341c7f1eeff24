package openapi

// This file finds the words of an operation's name, and leaves out what all names of a document have in common.

import (
	"regexp"
	"slices"
	"strings"

	"almanac/catalog/verb"
)

// A habit is what the names of a document have in common, which says nothing about one of them.
type habit struct {
	source []string // words of the source's name
	tag    string   // the tag of all operations
	piece  string   // what stands before the first dot of every operationId
	lead   int      // how many segments all paths begin with
	marked bool     // operationIds end in a hash: Get.Count.groups-e001
	flat   bool     // every path is the name of a function: /sendMessage
}

// fewest is how many operations a document has at least that has habits.
const fewest = 4

// habitOf looks at all operations of a document.
func habitOf(ops []*operation, source string) habit {
	h := habit{source: verb.Words(source)}
	if len(ops) < fewest {
		return h
	}
	tag, piece := first(ops[0].tags, ""), before(ops[0].operationID, ".")
	lead := leadOf(ops[0].path)
	groups := map[string]bool{}
	hashes := 0
	h.flat = true
	for _, op := range ops {
		if first(op.tags, "") != tag {
			tag = ""
		}
		if before(op.operationID, ".") != piece {
			piece = ""
		}
		fixed, param := pathWords(op.path)
		h.flat = h.flat && len(fixed) == 1 && !param
		n, own := 0, leadOf(op.path)
		for n < len(lead) && n < len(own) && lead[n] == own[n] {
			n++
		}
		lead = lead[:n]
		groups[first(fixed, "")] = true
		if isMarked(op.operationID) {
			hashes++
		}
	}
	h.piece, h.lead, h.marked = piece, len(lead), hashes >= fewest
	if len(groups) >= fewest {
		h.tag = tag // the paths say more than the tag
	}
	return h
}

// leadOf are the segments of a path that a namespace cannot be made of if all paths begin with them: those before the
// first parameter, but for the one that it belongs to and the last.
func leadOf(path string) []string {
	i := strings.IndexByte(path, '{')
	if i < 0 {
		i = len(path)
	}
	fixed, _ := pathWords(path[:i])
	return fixed[:max(len(fixed)-1, 0)]
}

// before is what stands before a separator; empty where there is none.
func before(s, separator string) string {
	if head, _, ok := strings.Cut(s, separator); ok {
		return head
	}
	return ""
}

// isMarked reports a dotted name with four hexadecimal digits at its end.
func isMarked(id string) bool {
	n := len(id) - 5
	return n > 0 && id[n] == '-' && strings.Contains(id, ".") && strings.Trim(id[n+1:], "0123456789abcdef") == ""
}

// suffixes are what frameworks append: deletePadUsingGET, GetDistribution2020_05_31.
var suffixes = regexp.MustCompile(`(Using(GET|PUT|POST|DELETE|PATCH|HEAD|OPTIONS)|20\d\d_\d\d_\d\d)$`)

// bare is an operationId without what says nothing in it: what every other begins with, too, and what repeats the piece
// before in the singular: groups.group.sites.site.get. Where the path's fragment names the operation there is one for
// each method, of which GET has the plain name: GET_DescribeTags and POST_DescribeTags are both Action=DescribeTags.
func (h habit) bare(op *operation) string {
	id := op.operationID
	head, rest, _ := strings.Cut(id, "_")
	if strings.EqualFold(head, op.method) && strings.HasSuffix(op.path, "="+rest) {
		id = rest
		if op.method != "get" {
			id += "_" + op.method
		}
	}
	if rest, ok := strings.CutPrefix(id, h.piece+"."); ok && h.piece != "" {
		id = rest
	}
	id = unglued(suffixes.ReplaceAllString(id, ""), op)
	pieces := strings.Split(id, ".")
	for i := len(pieces) - 2; i > 0; i-- {
		if was := verb.Words(pieces[i-1]); slices.Equal(singularWords(was), verb.Words(pieces[i])) {
			pieces = slices.Delete(pieces, i, i+1)
		}
	}
	return strings.Join(pieces, ".")
}

// unglued is an operationId with its method apart from the end of the path that it is written to: getfacetSearch of
// /settings/facet-search.
func unglued(id string, op *operation) string {
	fixed, _ := pathWords(op.path)
	rest, ok := strings.CutPrefix(id, op.method)
	if ok && len(fixed) > 0 && rest != "" && rest[0] >= 'a' && rest[0] <= 'z' &&
		strings.EqualFold(rest, strings.Join(verb.Words(fixed[len(fixed)-1]), "")) {
		return op.method + "_" + rest
	}
	return id
}

// nameOf names an operation by its tag, path and operationId.
func (h habit) nameOf(op *operation, tag string) name {
	fixed, lastIsParam := pathWords(op.path)
	all := verb.Words(op.path)
	if h.lead < len(fixed) {
		fixed = fixed[h.lead:]
	}
	for len(fixed) > 1 && slices.Equal(verb.Terms(fixed[0]), h.source) {
		fixed = fixed[1:]
	}
	called := len(fixed) == 1 && !lastIsParam && (h.flat && len(verb.Words(fixed[0])) > 1 || isCall(fixed[0]))
	marked := h.marked && isMarked(op.operationID)
	var n name
	var own phrase
	if marked {
		tag = ""
		n.group, _ = h.groupOf("", tag, fixed, called)
	} else {
		n.group, own = h.groupOf(h.bare(op), tag, fixed, called)
	}
	given := withoutRoute(own.from(0), all, op.method)
	if len(given) < len(own.from(0)) {
		own = phrase{tail: given}
	}
	own = own.without(h.source).without(n.group).without(h.source).plain(op.method)
	given = own.from(0)
	said := len(given) > 0 && !slices.Equal(given, n.group) &&
		(len(fixed) == 0 || !generated(verb.Words(op.operationID), op.method, all))
	latin := len(verb.Words(strings.Join(fixed, " "))) > 0
	n.long = h.longName(op, n.group)
	switch {
	case said && !(latin && unLatin(op.operationID)):
		n.words, n.own = own, true
		if len(fixed) == 0 || suffixes.MatchString(op.operationID) {
			n.long = append([]phrase{{tail: append(given, op.method)}}, n.long...)
		}
	case called:
		n.words.tail = verb.Terms(fixed[0])
		n.long = append([]phrase{{tail: append(verb.Terms(fixed[0]), op.method)}}, n.long...)
	default:
		n.words.tail = pathName(op.method, fixed, n.group, lastIsParam)
	}
	return n
}

// longName is made of the method and the whole path; before it comes that without the group.
func (h habit) longName(op *operation, group []string) []phrase {
	fixed, lastIsParam := pathWords(strings.NewReplacer("#", "/", "?", "/").Replace(op.path))
	p := phrase{head: []string{methodVerb(op.method, lastIsParam)}}
	for i, part := range fixed {
		if i < len(fixed)-1 {
			p.middle = append(p.middle, verb.Terms(part))
		} else {
			p.tail = verb.Terms(part)
		}
	}
	for i, part := range p.middle {
		if slices.Equal(part, group) {
			return []phrase{{head: p.head, middle: p.middle[i+1:], tail: p.tail}, p}
		}
	}
	return []phrase{p}
}

// plain is the phrase without versions in front and in its midst, and without the method behind another verb that
// reads: customerRepositoryV1GetListGet. What stands behind "by" may be left out.
func (p phrase) plain(method string) phrase {
	if len(p.middle) > 0 {
		return p
	}
	var words []string
	verbs := 0
	for i, w := range p.tail {
		last := i == len(p.tail)-1
		if !last && len(w) > 1 && w[0] == 'v' && isVersion(w) || last && w == method && verbs > 0 {
			continue
		}
		if w == method || slices.Contains([]string{"get", "list", "find", "search"}, w) {
			verbs++
		}
		words = append(words, w)
	}
	if i := slices.Index(words, "by"); i > 1 && i < len(words)-1 {
		return phrase{head: words[:i], middle: [][]string{words[i:]}}
	}
	return phrase{tail: words}
}

// without removes the words of a group, as the function of that name does. Words that a group of several repeats in the
// midst of a name go only where it is one piece.
func (p phrase) without(group []string) phrase {
	if len(p.middle) == 0 {
		return phrase{tail: without(p.tail, group)}
	}
	if all := p.from(0); len(without(all, group)) < len(all) {
		n := 0
		for i, part := range p.middle {
			if n += len(part); n == len(group) && slices.Equal(singularWords(all[:n]), singularWords(group)) {
				return phrase{middle: p.middle[i+1:], tail: p.tail}
			}
		}
		return phrase{tail: without(all, group)}
	}
	return p
}

// groupOf chooses the namespace: the tag, what stands before the last dot or slash of the operationId, or the first
// fixed segment of the path. rest is the operationId below it.
func (h habit) groupOf(id, tag string, fixed []string, called bool) (group []string, rest phrase) {
	if tag == h.tag || slices.Equal(verb.Terms(tag), h.source) {
		tag = ""
	}
	pieces := strings.FieldsFunc(id, func(r rune) bool { return r == '.' || r == '/' })
	for i, piece := range pieces {
		if i < len(pieces)-1 {
			rest.middle = append(rest.middle, verb.Terms(piece))
		} else {
			rest.tail = verb.Terms(piece)
		}
	}
	words := verb.Terms(tag)
	head := before(id, ".")
	latin := len(verb.Words(strings.Join(fixed, " "))) > 0
	switch {
	case len(words) > 0 && head != "" && before(tag, ".") == head:
		// The operation groups.sites.lists.get with the tag groups.site.
		group = verb.Terms(head)
	case len(words) > 0 && !(latin && unLatin(tag)):
		group = h.shorter(words)
	case len(rest.middle) > 0 && !verb.Known(first(rest.middle[0], "")):
		group = h.shorter(slices.Concat(rest.middle...))
		rest.middle = nil
	case len(fixed) > 0 && !called && !slices.Equal(verb.Terms(fixed[0]), h.source):
		group = h.shorter(verb.Terms(fixed[0]))
	}
	if len(group) > 6 {
		group = group[:6]
	}
	return group, rest
}

// shorter is a group without the source's name, or two words at its end, in front: ConversationsV1Role in
// twilio_conversations_v1 is role.
func (h habit) shorter(group []string) []string {
	for i := range h.source {
		if end := h.source[i:]; (i == 0 || len(end) > 1) && len(group) > len(end) && slices.Equal(group[:len(end)], end) {
			return group[len(end):]
		}
	}
	return group
}

// isCall reports a segment of a path that names a function: getUser.
func isCall(segment string) bool {
	list := verb.Words(segment)
	return len(list) > 1 && verb.Known(list[0])
}

// pathName names an operation by its method and path.
func pathName(method string, fixed, group []string, lastIsParam bool) []string {
	rest := fixed
	if len(rest) > 0 && slices.Equal(verb.Terms(rest[0]), group) {
		rest = rest[1:]
	}
	words := []string{methodVerb(method, lastIsParam)}
	if len(rest) == 0 {
		return words
	}
	last := verb.Terms(rest[len(rest)-1])
	if n := len(fixed); fixed[n-1] == "$count" && n > 1 {
		return append([]string{"count"}, verb.Terms(fixed[n-2])...)
	}
	if method == "post" && !lastIsParam && len(last) > 0 &&
		(slices.Equal(last, singularWords(last)) || isCall(rest[len(rest)-1])) {
		// POST /charges/{charge}/capture, POST /orders/find-items
		return last
	}
	if lastIsParam || method == "post" {
		last = singularWords(last)
	}
	return append(words, last...)
}
