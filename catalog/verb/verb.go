// Package verb infers what an action does from the verbs in its name and from its HTTP method, for sources that do not
// declare it.
//
//	Hints    what a source knows of an action: method, names, path, commands, text
//	Infer    operation, whether it mutates, and risk
//	Words    a name as words
//
// A verb decides before the method: a GET named TerminateInstances is a mutation. A word counts only in the place of a
// verb (the first word of a name, the last of /users/{id}/delete), so that GET /users/deleted stays a read. Evidence
// for a mutation wins over evidence for a read, and a verb never lowers the risk that another gives.
//
// Start at Infer; the verbs are in lists.go.
package verb

import (
	"cmp"
	"slices"
	"strings"

	"almanac/catalog"
)

// Hints are what a source knows about an action.
type Hints struct {
	// Method is the HTTP method; "" if there is none, or it is unknown.
	Method string
	// ReadOnly is set if the source promises that it only reads; believed unless a name clearly says otherwise.
	ReadOnly bool
	// Names are the names of the action: deleteMessage, chat.delete, Users_List. The first that has a verb decides.
	Names []string
	// Path is the path of the URL, with its query and fragment.
	Path string
	// Commands are the values of a parameter that selects the operation. A single value decides.
	Commands []string
	// Free is set where that parameter takes any text.
	Free bool
	// Text describes the action: a summary, or else the beginning of a description.
	Text string
	// More is the rest of the description. It may only show that a POST does not just read.
	More string
}

// Effect is what an action does to the data behind it.
type Effect struct {
	Operation catalog.Operation
	Mutates   bool
	Risk      catalog.Risk
}

// A claim is what a piece of evidence says about an action.
type claim int

const (
	silent claim = iota
	reads
	// maybe is a mutation unless the text says that it reads.
	maybe
	changes
)

// Infer guesses what an action does. Without evidence it is a read if the method is safe, else a mutation.
func Infer(h Hints) Effect {
	safe := h.ReadOnly || Safe(h.Method)
	h.Commands = commandsOf(h)
	verb, says := h.decide()
	if safe && says != changes || h.Method == "" && says == reads && among(plainReads, verb) ||
		strings.EqualFold(h.Method, "post") && says != changes && h.queries() {
		return Effect{catalog.Read, false, catalog.Low}
	}
	e := Effect{catalog.Update, true, catalog.Medium}
	switch strings.ToLower(h.Method) {
	case "delete":
		return Effect{catalog.Delete, true, catalog.High}
	case "put", "patch":
	case "post":
		if !(strings.HasSuffix(h.Path, "}") && !among(creating, verb) || among(updating, verb) || dangerous(verb)) {
			e.Operation = catalog.Create
		}
	default:
		if among(creating, verb) {
			e.Operation = catalog.Create
		}
	}
	if among(deleting, verb) {
		e.Operation, e.Risk = catalog.Delete, catalog.High
	}
	if h.risky(verb) {
		e.Risk = catalog.High
	}
	return e
}

// Safe reports whether an HTTP method is meant to change nothing.
func Safe(method string) bool {
	return among(" get head options trace query ", strings.ToLower(method))
}

// decide weighs the evidence: commands, names, path, text. verb is the deciding verb, or one that may be a noun.
func (h Hints) decide() (verb string, says claim) {
	command, commanded := "", silent
	for _, text := range h.Commands {
		if v, c := ofCommand(text); c > commanded {
			command, commanded = v, c
		}
	}
	if commanded != silent && len(h.Commands) == 1 {
		return command, commanded
	}
	path, pathSays := ofPath(h.Path)
	for _, name := range h.Names {
		v, c := ofName(name)
		if c == reads && v == "get" && pathSays == changes && !h.textReads() {
			// "get" may just be the method in the name: get_integration_activation of /integrations/{id}/activate.
			return path, changes
		}
		if c != silent {
			return v, h.unless(c)
		}
		verb = cmp.Or(verb, v)
	}
	if commanded == changes {
		return command, changes
	}
	if pathSays != silent {
		return path, h.unless(pathSays)
	}
	if h.ReadOnly {
		return verb, reads
	}
	if h.Free {
		return verb, h.unless(maybe)
	}
	v, c := ofText(h.Text)
	return cmp.Or(verb, path, v), c
}

// alsoChanges tells a name with a verb of change behind another word: queryPurge, listReportsAndArchive.
func alsoChanges(name string) bool {
	list := plain(Words(tail(name)))
	for i := 1; i < len(list); i++ {
		if among(certain, list[i]) || among(likely, list[i]) && i == len(list)-1 ||
			among(" or and then ", list[i-1]) && among(likely+possible, list[i]) {
			return true
		}
	}
	return false
}

// unless resolves a doubtful claim: a mutation unless the text says that it reads.
func (h Hints) unless(c claim) claim {
	if c != maybe {
		return c
	}
	if h.ReadOnly || h.textReads() {
		return reads
	}
	return changes
}

// risky reports whether any hint, not only the deciding verb, suggests something hard to undo.
func (h Hints) risky(verb string) bool {
	if dangerous(verb) {
		return true
	}
	for _, text := range slices.Concat(h.Names, h.Commands, []string{lastSegment(h.Path)}) {
		list := Words(tail(text))
		if len(list) > 0 && (dangerous(list[0]) || dangerous(plain(list)[0]) || dangerous(list[len(list)-1])) ||
			slices.ContainsFunc(list, func(w string) bool { return among(certain, w) && dangerous(w) }) {
			return true
		}
	}
	return false
}

// ofCommand reads the value of a parameter that selects the operation: any verb counts.
func ofCommand(text string) (string, claim) {
	return lead(Words(tail(text)), certain+likely+possible+commanded, "")
}

// lead finds the verb that words begin with, given two lists of mutating verbs: sure and unsure ones.
func lead(list []string, sure, unsure string) (string, claim) {
	list = plain(list)
	switch {
	case len(list) == 0:
		return "", silent
	case among(sure, list[0]):
		return list[0], changes
	case among(unsure, list[0]):
		return list[0], maybe
	case among(readVerbs, list[0]):
		for i := 2; i < len(list); i++ {
			// get_or_create may create.
			if among(" or and then ", list[i-1]) && among(certain+" update add replace ", list[i]) {
				return list[i], changes
			}
		}
		return list[0], reads
	}
	if verb := unglued(list[0]); verb != "" {
		return verb, maybe
	}
	return "", silent
}

// plain takes away what stands before the verb of a name, a version too, and the method behind it: deletePadUsingGET.
func plain(list []string) []string {
	for len(list) > 1 &&
		(among(modifiers, list[0]) || strings.Trim(strings.TrimPrefix(list[0], "v"), "0123456789") == "") {
		list = list[1:]
	}
	if n := len(list); n > 2 && list[n-2] == "using" && isMethod(list[n-1]) {
		list = list[:n-2]
	}
	return list
}

func isMethod(word string) bool { return among(" get put post delete patch head options ", word) }

// tail is the part of a name for the action itself: delete of chat.delete.
func tail(name string) string {
	name = strings.TrimRight(name, "./#: ")
	return name[strings.LastIndexAny(name, "./#:")+1:]
}

// ofName finds the verb of a name.
func ofName(name string) (string, claim) {
	name = shorn(name)
	if i := strings.LastIndexByte(name, '_'); i > 0 && strings.ToLower(name) != name {
		// Users_ListDeleted, UpdateLocations_List
		if v, c := settled(Words(name[i+1:]), likely); c != silent {
			return v, c
		}
	}
	list := plain(Words(name))
	if verb, c := settled(list, likely+possible); c != silent || len(list) < 2 || among(possible, verb) {
		return verb, c
	}
	if verb := trailing(list); verb != "" {
		return verb, maybe // auth_revoke
	}
	return "", silent
}

// trailing is the verb that a name ends in; empty where it is none, or is a noun as often.
func trailing(list []string) string {
	last := list[len(list)-1]
	if !among(certain+likely, last) || among(" set put complete close add save patch ", last) {
		return ""
	}
	return last
}

// unglued is the verb that a word begins with: deleteuser. Other forms of the verb are none: deleted, creator, updates.
func unglued(word string) string {
	for verb := range strings.FieldsSeq(glued) {
		rest, ok := strings.CutPrefix(word, verb)
		if ok && len(rest) > 2 &&
			!slices.ContainsFunc(strings.Fields(inflections), func(e string) bool { return strings.HasPrefix(rest, e) }) {
			return verb
		}
	}
	return ""
}

// settled is lead for the words of a name, in which the words after a doubtful verb may show that it is a noun, or
// reads.
func settled(list []string, unsure string) (string, claim) {
	list = plain(list)
	verb, c := lead(list, certain, unsure)
	if c != maybe {
		return verb, c
	}
	noun := among(possible, verb)
	if noun && (len(list) == 1 || among(properties, list[len(list)-1])) {
		return verb, silent // GET /refund, syncStatus
	}
	for _, w := range list[1:] {
		if among(searchVerbs+" fetch retrieve check ", w) || noun && w == "get" {
			return verb, reads // orders_list, updateCheck
		}
	}
	return verb, maybe
}

// ofPath finds the verb that a path ends in, parameters aside: /users/{id}/delete, /v1/{name}:cancel, /chat.delete.
func ofPath(path string) (string, claim) {
	last := lastSegment(path)
	list := Words(last)
	if len(list) == 1 {
		v, c := lead(list, certain, likely+possible)
		if among(possible, v) {
			c = silent
		}
		return v, c
	}
	v, c := lead(list, "", certain+likely)
	switch {
	case c == maybe && (among(certain, v) || !strings.ContainsAny(last, "_-")):
		return v, c
	case c == silent && len(list) > 1 && trailing(list) != "" && !strings.ContainsAny(last, "_-"):
		return trailing(list), maybe // usersDelete
	}
	return "", silent
}

// lastSegment is the last fixed segment of a path, or what follows a parameter or a dot in it.
func lastSegment(path string) string {
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	last := ""
	for part := range strings.SplitSeq(path, "/") {
		before, _, _ := strings.Cut(part, "{")
		if part = strings.Trim(cmp.Or(part[strings.LastIndexByte(part, '}')+1:], before), ".:"); part != "" {
			last = part
		}
	}
	for _, ending := range []string{".json", ".xml", ".php", ".do"} {
		last = strings.TrimSuffix(last, ending)
	}
	return tail(last)
}

// commandsOf are the commands of the hints and those in the path's query and fragment, /#Action=TerminateInstances,
// without duplicates.
func commandsOf(h Hints) []string {
	all := slices.Clone(h.Commands)
	if i := strings.IndexAny(h.Path, "?#"); i >= 0 {
		for _, pair := range strings.FieldsFunc(h.Path[i:], func(r rune) bool { return strings.ContainsRune("?#&", r) }) {
			if key, value, _ := strings.Cut(pair, "="); IsActionKey(key) && value != "" && value[0] != '{' {
				all = append(all, value)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ofText finds the verb of a description that begins like "Removes the tag", "Send a message" or "This endpoint
// deletes".
func ofText(text string) (string, claim) {
	list := Words(text)
	begun := len(list)
	for len(list) > 1 && among(preambles, list[0]) {
		list = list[1:]
	}
	if len(list) < 2 {
		return "", silent
	}
	w, first := list[0], begun == len(list)
	if first && among(certain+likely, w) && !among(" invoke confirm apply merge ", w) ||
		among(articles, list[1]) && (among(certain+likely, w) || first && among(possible+announced, w)) {
		return w, changes
	}
	for _, w := range []string{strings.TrimSuffix(w, "s"), strings.TrimSuffix(w, "es")} {
		if w != list[0] && (among(certain, w) || among(likely, w) && among(articles, list[1])) {
			return w, changes
		}
	}
	return "", silent
}

// SaysRead reports whether a name has a verb that reads, or the text begins with one.
func (h Hints) SaysRead() bool {
	return h.textReads() || slices.ContainsFunc(h.Names, func(name string) bool {
		_, says := ofName(name)
		return says == reads
	})
}

// textReads reports whether the text begins with a verb that reads.
func (h Hints) textReads() bool {
	list := Words(h.Text)
	if len(list) == 0 {
		return false
	}
	w := list[0]
	return among(readVerbs+" return returns ", w) || among(readVerbs, strings.TrimSuffix(w, "s")) ||
		among(readVerbs, strings.TrimSuffix(w, "es"))
}
