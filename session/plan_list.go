package session

// This file holds a run to what a person saw before it, in a question for the whole run or as a plan: a mutation that
// was not there, and a read that the run rests on and that returns something else, stop it before it acts.

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"almanac/catalog"
	"almanac/catalog/compare"
	"almanac/catalog/lua"
	"almanac/catalog/pattern"
	"almanac/catalog/text"
	"almanac/catalog/unknown"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// The codes of what stops a run that is held to a list.
const (
	CodeNotListed = "not_listed" // a mutation that it does not have, not so or not here
	CodeChanged   = "changed"    // a read that returns something else
)

// A foreseen is a mutation of a preview.
type foreseen struct {
	call     trace.Call
	entry    *catalog.Entry
	args     map[string]any
	injected map[string]any
	at       []int64 // where the script makes it
	asks     bool    // the policy asks about it, in a preview before a run
}

// A rested is a read of a preview.
type rested struct {
	call        trace.Call
	key, digest string // of the id with the arguments, and of what it returned
	sample      any    // the beginning of what it returned
	at          []int64
	after       bool // a mutation comes before it: it may well return something else then
}

// A list is what the person approved for a run. A nil one has nothing and closes nothing.
type list struct {
	// name is what messages call it.
	name string
	// partial says that the preview did not see the whole run: when all is made that it saw, the list ends.
	partial bool
	// exact has the run make all that the list has in its order, and nothing else whatever the policy allows.
	exact bool
	loose []pattern.Pattern
	reads map[string][]rested // those that are compared, by key

	mu      sync.Mutex // guards what follows; calls of a run may be concurrent
	entries []*listed
	begun   bool // a mutation: what is read from now on may be its doing
	stopped bool
}

// A listed is one mutation of a list.
type listed struct {
	foreseen
	off, made bool
	placed    []int64 // where the script made it
	edited    map[string]any
}

// open tells that some of the arguments are known only when the call comes, which is asked about then.
func (l *listed) open() bool { return l != nil && unknown.In(l.args) }

func (l *listed) isOff() bool { return l != nil && l.off }

// words is the call as a message shows it.
func (l *listed) words() string {
	args := lua.Literal(unknown.Plain(l.args), lua.Options{Tight: true, Limit: toldArgs})
	return text.SanitizeLine(l.entry.ID + args)
}

// leaveOut records a call that the person switched off.
func leaveOut(c *trace.Call) {
	c.Verdict, c.Rule, c.Error = trace.Denied, trace.SwitchedOff, c.ID+": you switched this off"
}

// foresee keeps a mutation of a preview. Before a run it is decided about as the run would; one that the policy denies
// ends the preview.
func (r *run) foresee(entry *catalog.Entry, call catalog.Call, c *trace.Call) error {
	f := foreseen{call: *c, entry: entry, args: call.Args, injected: c.Injected, at: r.at(c.N)}
	if r.before != "" {
		d := r.session.Policy().Decide(requested(entry, call, c.Injected))
		if d.Verdict != policy.Allow && d.Verdict != policy.AskFor {
			return r.refusal(CodeDenied, d, d.Why(), c)
		}
		f.asks = d.Verdict == policy.AskFor || r.script.Listed
		r.mutated(entry)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.foreseen = append(r.foreseen, f)
	return nil
}

// writes are the mutations of a preview in the order of its script.
func (r *run) writes() []foreseen {
	slices.SortStableFunc(r.foreseen, func(a, b foreseen) int { return slices.Compare(a.at, b.at) })
	return r.foreseen
}

// reads are the reads of a preview in the order of its script.
func (r *run) reads() []rested {
	slices.SortStableFunc(r.rested, func(a, b rested) int { return slices.Compare(a.at, b.at) })
	if writes := r.writes(); len(writes) > 0 {
		for i := range r.rested {
			r.rested[i].after = slices.Compare(r.rested[i].at, writes[0].at) > 0
		}
	}
	return r.rested
}

// asked are those mutations about which the policy asks.
func asked(writes []foreseen) []foreseen {
	return slices.DeleteFunc(slices.Clone(writes), func(f foreseen) bool { return !f.asks })
}

// newList is a list of what a preview came to.
func newList(name string, writes []foreseen, reads []rested, loose ...pattern.Pattern) *list {
	l := &list{name: name, loose: loose, reads: map[string][]rested{}}
	for _, f := range writes {
		l.entries = append(l.entries, &listed{foreseen: f})
	}
	for _, read := range reads {
		if !read.after {
			l.reads[read.key] = append(l.reads[read.key], read)
		}
	}
	return l
}

// asked are the entries about which the person was asked, which count as those of the question.
func (l *list) asked() []*listed {
	return slices.DeleteFunc(slices.Clone(l.entries), func(e *listed) bool { return !e.asks })
}

// again is a list for one more preview, with the same entries switched off.
func (l *list) again() *list {
	other := &list{}
	for _, e := range l.entries {
		other.entries = append(other.entries, &listed{foreseen: e.foreseen, off: e.off})
	}
	return other
}

// chosen is what the person changed of a list.
func (l *list) chosen() (a Approval) {
	if l == nil {
		return a
	}
	for i, e := range l.asked() {
		if e.off {
			a.Off = append(a.Off, i)
		}
		if e.edited != nil {
			if a.Edited == nil {
				a.Edited = map[int]map[string]any{}
			}
			a.Edited[i] = e.edited
		}
	}
	return a
}

// begin notes that a mutation is about to be made.
func (l *list) begin() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun = true
}

// take uses up the first entry that is this call, one of the same place in the script first: calls that are alike may
// be made side by side. Then come those that are known whole. Where the run may not make the call
// there is none, and why says so. at is the place of the call in the script: what is made has the order of the list.
func (l *list) take(id string, args map[string]any, at []int64) (_ *listed, why string) {
	if l == nil {
		return nil, ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped {
		return nil, "the run was stopped"
	}
	for _, fits := range []func(*listed) bool{
		func(e *listed) bool { return slices.Equal(e.at, at) },
		func(e *listed) bool { return !e.open() },
		(*listed).open,
	} {
		for i, e := range l.entries {
			if !e.made && fits(e) && e.entry.ID == id && agrees(e.args, args) && l.inOrder(i, at) {
				if skipped := l.skipped(i); skipped != nil {
					return nil, l.name + " has " + skipped.words() + " before it"
				}
				e.made, e.placed = true, at
				return e, ""
			}
		}
	}
	return nil, l.unlike(id, args)
}

// takesOff uses up the entry as take does, and tells whether the person switched it off.
func (l *list) takesOff(id string, args map[string]any, at []int64) bool {
	e, _ := l.take(id, args, at)
	return e.isOff()
}

// inOrder tells whether the i-th entry may be the call at a place, after those that were made. The caller holds mu.
func (l *list) inOrder(i int, at []int64) bool {
	for j, e := range l.entries {
		if e.made && (j < i) != (slices.Compare(e.placed, at) < 0) {
			return false
		}
	}
	return true
}

// skipped is an entry of an exact list that should have been made before the i-th; nil when there is none. The caller
// holds mu.
func (l *list) skipped(i int) *listed {
	if !l.exact {
		return nil
	}
	for _, e := range l.entries[:i] {
		if !e.made && inSequence(e.at, l.entries[i].at) {
			return e
		}
	}
	return nil
}

// inSequence tells that the calls at two places cannot be under way at the same time: both are made by the script, or
// by the body of the same composed action, and not by workers nor as async calls, whose number is negative.
func inSequence(a, b []int64) bool {
	if slices.Min(a) < 0 || slices.Min(b) < 0 {
		return false
	}
	i := 0
	for i+1 < len(a) && i+1 < len(b) && a[i] == b[i] && a[i+1] == 0 && b[i+1] == 0 {
		i += 2
	}
	return i < len(a) && i < len(b) && a[i] != b[i]
}

// unlike says how a call differs from the list. The caller holds mu.
func (l *list) unlike(id string, args map[string]any) string {
	for _, e := range l.entries {
		if e.made || e.entry.ID != id {
			continue
		}
		if how := firstDifference(e.args, args); how != "" {
			return "its arguments are not those of " + l.name + ": " + how
		}
		return "it is not in the order of " + l.name
	}
	return "it is not in " + l.name
}

// closed tells that nothing may be made that the list does not have.
func (l *list) closed() bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.partial || slices.ContainsFunc(l.entries, func(e *listed) bool { return !e.made })
}

// notReached names the mutations that the script did not come to, each once: "billing.invoice.void x2".
func (l *list) notReached() (names []string) {
	times := map[string]int{}
	for _, e := range l.entries {
		if e.made || e.entry.Action == nil {
			continue
		}
		if times[e.entry.ID]++; times[e.entry.ID] == 1 {
			names = append(names, e.entry.ID)
		}
	}
	for i, id := range names {
		if n := times[id]; n > 1 {
			names[i] = fmt.Sprintf("%s x%d", id, n)
		}
	}
	return names
}

// rule is by which rule its entries are allowed.
func (l *list) rule() string {
	if l.exact && l.name != approvedList {
		return "approved in " + l.name
	}
	return "approved in a list"
}

// approvedList is what messages call the list of a question for a whole run.
const approvedList = "the approved list"

// takeListed finds the mutation in what the person approved for the run. An error ends the run before it; without a
// list, and where the list leaves it to the policy, there is neither.
func (r *run) takeListed(entry *catalog.Entry, args map[string]any, d policy.Decision, c *trace.Call) (*listed, error) {
	planned, why := r.list.take(entry.ID, args, r.at(c.N))
	if planned != nil || r.list == nil || !r.list.exact && (d.Verdict == policy.Allow || !r.list.closed()) {
		return planned, nil
	}
	c.Verdict, c.Rule = trace.Denied, "not in "+r.list.name
	return nil, r.stop(CodeNotListed, c.ID, why)
}

// stop is the error that ends a run which is held to a list.
func (r *run) stop(code, id, why string) error {
	l := r.list
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	made, all := 0, 0
	for _, e := range l.entries {
		if e.entry.Action == nil {
			continue
		}
		if all++; e.made {
			made++
		}
	}
	hint := "nothing was made; preview it again"
	if l.begun {
		hint = fmt.Sprintf("made before: %d of %s; preview the rest again", made, text.Count(all, "write"))
	}
	where := "the run was stopped before it"
	if code == CodeChanged {
		where = "the run was stopped"
		if n := r.planNumber(); n > 0 && !l.begun && r.session.Commands() {
			hint += fmt.Sprintf(", or let it differ: /apply %d --loose-reads %s", n, id)
		}
	}
	return denied(code, r.session.world.redactor.text(fmt.Sprintf("%s: denied: %s; %s", id, why, where)), hint)
}

// agrees tells whether a value is the planned one, as far as that was known.
func agrees(planned, real any) bool {
	switch p := planned.(type) {
	case unknown.Value:
		return true
	case map[string]any:
		r, ok := real.(map[string]any)
		return ok && len(p) == len(r) && !slices.ContainsFunc(slices.Collect(maps.Keys(p)), func(name string) bool {
			v, there := r[name]
			return !there || !agrees(p[name], v)
		})
	case []any:
		r, ok := real.([]any)
		return ok && slices.EqualFunc(p, r, agrees)
	}
	return reflect.DeepEqual(planned, real)
}

// firstDifference says where a value first differs from the planned one, as far as that was known; empty where it does
// not.
func firstDifference(planned, real any) string {
	all := compare.Values("", filled(planned, real), real)
	if len(all) == 0 {
		return ""
	}
	return strings.TrimPrefix(fmt.Sprintf("%s is %s, was %s", cmp.Or(all[0].Path, "it"), all[0].Got, all[0].Want), ".")
}

// filled is a planned value with what is real where it was not known.
func filled(planned, real any) any {
	switch p := planned.(type) {
	case unknown.Value:
		return real
	case map[string]any:
		r, _ := real.(map[string]any)
		object := map[string]any{}
		for name, v := range p {
			object[name] = filled(v, r[name])
		}
		return object
	case []any:
		r, _ := real.([]any)
		list := slices.Clone(p)
		for i, v := range p[:min(len(p), len(r))] {
			list[i] = filled(v, r[i])
		}
		return list
	}
	return planned
}

// readSample is about how many bytes are kept of what a read of a preview returned, to tell how it differs.
const readSample = 1 << 10

// rests keeps a read of a preview, and compares one of a run that is held to a list: that it returned something else
// ends the run. Once a mutation was made, what is read may be its doing.
func (r *run) rests(c *trace.Call, data any, err error) error {
	var host *vm.HostError
	if c.Mutates || c.Composed || c.Verdict != trace.OK && c.Verdict != trace.Failed ||
		errors.As(err, &host) && host.Fatal || r.mode != trace.ModePreview && r.list == nil {
		return err
	}
	if err != nil {
		data = err.Error()
	}
	key := digest([]any{c.ID, c.Args})
	if r.mode == trace.ModePreview {
		read := rested{call: r.recordable(*c), key: key, digest: digest(data), at: r.at(c.N)}
		read.sample, _ = sample(data, readSample)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.rested = append(r.rested, read)
		return err
	}
	if how := r.list.changed(key, c.ID, data); how != "" {
		c.Verdict, c.Rule = trace.Denied, "differs from "+r.list.name
		return r.stop(CodeChanged, c.ID, how)
	}
	return err
}

// changed says how what a read returned differs from what it returned in the preview; empty when it does not, or need
// not.
func (l *list) changed(key, id string, data any) string {
	planned := l.reads[key]
	if len(planned) == 0 || slices.ContainsFunc(l.loose, func(p pattern.Pattern) bool { return p.Match(id) }) {
		return ""
	}
	l.mu.Lock()
	begun := l.begun
	l.mu.Unlock()
	now := digest(data)
	if begun || slices.ContainsFunc(planned, func(read rested) bool { return read.digest == now }) {
		return ""
	}
	short, _ := sample(data, readSample)
	how := firstDifference(planned[0].sample, short)
	if how == "" {
		how = "beyond its beginning"
	}
	return "it returns something else than for " + l.name + ": " + how
}

// digest is a short name of data: equal data has the same.
func digest(data any) string {
	sum := sha256.Sum256([]byte(lua.Literal(data, lua.Options{})))
	return hex.EncodeToString(sum[:16])
}
