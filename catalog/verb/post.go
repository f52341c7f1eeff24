package verb

// This file tells a POST that only reads, as APIs have them whose paths are names of functions: POST /accounts/get. It
// may never take a write for a read, so two witnesses must agree (the name, the path, the text), none may speak of a
// change, and names that are known to deceive do not count at all.

import (
	"slices"
	"strings"
)

const (
	// asking verbs begin or end the name of a POST that reads. Not "read" and "check", which mark messages and take part.
	asking = " get list search find lookup count fetch retrieve describe "
	// deceiving words make something although the name says get: getUploadUrl, get_next_job, getAccessToken; not so with
	// other verbs: list_tokens. Things of the doubtful words are often made when they are asked for: there all of name,
	// path and text must agree.
	deceiving = " token tokens session upload otp pin nonce challenge next pop lease claim reserve " +
		"receive mark seen login checkout random code password credentials signed presigned url urls access archive " +
		"tape recovery vault glacier "
	doubtful = " link auth oauth quote quotes snapshot sale report reserved "
	// sought verbs say of a POST that it searches where name, path and text all do.
	sought = " search query find lookup list count "
	// told verbs, beside asking ones, begin a text that says that it reads.
	told = asking + " return query show display "
	// changing words in the text of a POST contradict that it reads, beside the verbs.
	changing = writes + "sends submits generates generate issues issue marks mark registers resets initiates executes " +
		"runs triggers charges assigns uploads moves copies replaces reserves consumes acknowledges queues queue begins " +
		"begin kicks launches invokes locks claims worker workers "
)

// queries reports a POST that only reads.
func (h Hints) queries() bool {
	path := lastSegment(h.Path)
	if i := strings.LastIndexByte(h.Path, '#'); i >= 0 && path == "" {
		path = tail(h.Path[strings.LastIndexByte(h.Path, '=')+1:]) // /#X-Amz-Target=DynamoDB_20120810.DescribeTable
	}
	end := path
	if strings.HasSuffix(h.Path, "}") {
		end = ""
	}
	for part := range strings.SplitSeq(h.Path, "/") {
		if among(certain, strings.ToLower(part)) {
			return false
		}
	}
	said, contradicted := h.saysRead()
	var names asked
	sure := believed
	for _, name := range h.Names {
		a := asksFor(shorn(name))
		names.leads, names.ends = names.leads || a.leads, names.ends || a.ends
		sure = min(sure, a.sure)
		names.offers = names.offers || a.offers
	}
	for _, command := range h.Commands {
		sure = min(sure, asksFor(command).sure)
	}
	last := asksFor(path)
	if contradicted || min(sure, last.sure) == not || (names.offers || last.offers) && !h.saysMany() {
		return false
	}
	return h.searches() || h.asks(names, asksFor(end), said, sure)
}

// asks tells a POST that asks for something: at least two of its name, the end of its path and its text say so, or its
// path alone where it has no name.
func (h Hints) asks(names, path asked, said bool, sure int) bool {
	witnesses := 0
	for _, agrees := range []bool{said, path.leads || path.ends, names.leads || names.ends} {
		if agrees {
			witnesses++
		}
	}
	switch {
	case min(sure, path.sure) == doubted && witnesses < 3:
		return false
	case !slices.ContainsFunc(h.Names, func(name string) bool { return name != "" }):
		return path.leads && (said || path.several) || path.ends && said
	case names.leads:
		return witnesses > 1
	}
	return said && path.ends && (names.ends || !h.namesVerb())
}

// namesVerb reports whether a name has a verb of its own.
func (h Hints) namesVerb() bool {
	return slices.ContainsFunc(h.Names, func(name string) bool {
		_, c := ofName(name)
		return c != silent
	})
}

// shorn is the last part of a name, without the method in front of it: POST_DescribeInstances.
func shorn(name string) string {
	name = tail(name)
	if before, after, ok := strings.Cut(name, "_"); ok && before == strings.ToUpper(before) &&
		isMethod(strings.ToLower(before)) {
		return after
	}
	return name
}

// How far a name that asks is to be believed.
const (
	not = iota
	doubted
	believed
)

// An asked is what a name says of reading: whether it begins with a verb that asks, or ends in one, whether it has
// several words, and how far it is to be believed.
type asked struct {
	leads, ends, several bool
	// offers is set where "list" may mean to offer: list_item, not list_items.
	offers bool
	sure   int
}

func asksFor(name string) asked {
	list := plain(Words(name))
	a := asked{sure: believed, several: len(list) > 1}
	if len(list) == 0 {
		return a
	}
	first, last := list[0], list[len(list)-1]
	getting := among(" get fetch retrieve lookup ", first) || among(" get fetch retrieve lookup ", last)
	if alsoChanges(name) {
		a.sure = not
	}
	for _, w := range list {
		switch {
		case among(certain+" and or then ", w), getting && among(deceiving, w):
			a.sure = not
		case among(doubtful, w):
			a.sure = min(a.sure, doubted)
		}
	}
	a.leads = among(asking, first) && a.several
	a.offers = first == "list" && a.several && !slices.ContainsFunc(list[1:], plural)
	a.ends = among(asking, last) && (!a.several || !among(likely+possible+commanded+announced, first))
	return a
}

// saysRead reports whether the text begins with a verb that reads, and whether it speaks of a change.
func (h Hints) saysRead() (reads, contradicted bool) {
	list := Words(h.Text)
	if len(list) > 2 && list[0] == "invoke" && among(" action function ", list[1]) && !strings.Contains(h.Text, ".") {
		return false, false // the name again
	}
	for len(list) > 1 && among(preambles+"deprecated ", list[0]) {
		list = list[1:]
	}
	if len(list) == 0 {
		return false, false
	}
	w, said := list[0], list
	if n := len(list); n > 1 && plural(list[n-1]) && among(changing, list[n-1]) &&
		!among(writes+"sends ", list[n-1]) && !among(" and or then also that which it ", list[n-2]) {
		said = list[:n-1] // the last word is an object, not a verb: Count flow runs, List charges
	}
	if slices.ContainsFunc(said, changesWord) || among(commanded, w) || among(commanded, strings.TrimSuffix(w, "s")) {
		return false, true
	}
	for sentence := range strings.FieldsFuncSeq(h.More, func(r rune) bool { return r == '.' || r == '\n' || r == '>' }) {
		v, c := ofText(sentence)
		if c == changes && !(among(" accept configure ", v) && h.searchesThrice(w)) {
			return false, true
		}
	}
	return among(told, w) || among(told, strings.TrimSuffix(w, "s")) || among(told, strings.TrimSuffix(w, "es")), false
}

// searchesThrice reports that name, path and the first word of the text search. Then "This will accept a filter" is
// said of the request, and "Configure the page size" to the reader.
func (h Hints) searchesThrice(word string) bool {
	path := Words(lastSegment(h.Path))
	return len(path) == 1 && among(sought, path[0]) && !strings.HasSuffix(h.Path, "}") &&
		(among(sought, word) || among(sought, strings.TrimSuffix(word, "s"))) && h.named(sought)
}

// named reports whether a name has one of the verbs, which reads.
func (h Hints) named(verbs string) bool {
	return slices.ContainsFunc(h.Names, func(name string) bool {
		v, c := ofName(name)
		return c == reads && among(verbs, v)
	})
}

// searches tells a POST that only searches: its name or path says so, and neither they nor its text speak of a change.
func (h Hints) searches() bool {
	list, path := Words(h.Text), Words(lastSegment(h.Path))
	if slices.ContainsFunc(append(h.Names, lastSegment(h.Path)), alsoChanges) {
		return false
	}
	byName := len(h.Names) == 0 && len(path) > 0 && among(searchVerbs, path[0]) || h.named(searchVerbs)
	byPath := len(path) == 1 && !strings.HasSuffix(h.Path, "}") && (among(" search query lookup find ", path[0]) ||
		// POST /flows/filter called readFlows, "Read flows"; a filter alone may be made.
		path[0] == "filter" && len(list) > 0 && among(plainReads, list[0]) && h.named(plainReads))
	if len(list) == 0 {
		return byName && byPath
	}
	return h.textReads() && (byName || byPath) &&
		!slices.ContainsFunc(list, func(w string) bool { return among(writes, w) })
}

func plural(w string) bool { return len(w) > 1 && strings.HasSuffix(w, "s") }

// saysMany reports a text that shows that "list" reads: "Lists resources", "Returns the history".
func (h Hints) saysMany() bool {
	said, _ := h.saysRead()
	list := Words(h.Text)
	return said && (strings.TrimSuffix(list[0], "s") != "list" || len(list) > 1 && plural(list[1]))
}

// changesWord reports a word of a text that speaks of a change: a verb, one with an ending.
func changesWord(w string) bool {
	stem := strings.TrimSuffix(w, "ing")
	return among(certain+likely+changing, w) || among(certain, strings.TrimSuffix(w, "s")) ||
		stem != w && (among(certain+likely, stem) || among(certain+likely, stem+"e"))
}
