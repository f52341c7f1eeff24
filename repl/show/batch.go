package show

// This file is the question about a whole run while it is being answered: its mutations as a list, which of them are
// on, and with which arguments. The screen, the line mode and the gateway share it.

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/session"
)

// A Batch is the list of mutations that a run is about to make, with what the person has changed of it so far. Items
// have their places in the order of the script; they are shown action by action.
type Batch struct {
	items  []batchItem
	groups [][]int // the items of each action, in the order of its first call
	order  []int   // the items as they are shown
	at     int     // the place of the cursor in order
	whole  []bool  // by group: it is shown without folding
	warns  [][]string
	again  bool // it was asked about before
}

type batchItem struct {
	session.Planned
	off    bool
	edited map[string]any
}

const (
	// A group of more than foldOver items shows the first foldTo.
	foldOver, foldTo = 8, 5
	// foreseenRows is how many lines of an action's preview an item shows.
	foreseenRows = 3
)

// NewBatch is the list with what the person chose in the answer before; without any, everything is on.
func NewBatch(planned []session.Planned, chosen session.Approval) *Batch {
	b := &Batch{again: len(chosen.Off) > 0}
	group := map[string]int{}
	for i, p := range planned {
		b.items = append(b.items, batchItem{Planned: p, off: slices.Contains(chosen.Off, i), edited: chosen.Edited[i]})
		g, ok := group[p.Entry.ID]
		if !ok {
			g = len(b.groups)
			group[p.Entry.ID] = g
			b.groups = append(b.groups, nil)
		}
		b.groups[g] = append(b.groups[g], i)
	}
	b.order, b.whole = slices.Concat(b.groups...), make([]bool, len(b.groups))
	for g := range b.groups {
		b.warns = append(b.warns, b.warnings(g))
	}
	return b
}

// Len is how many items there are.
func (b *Batch) Len() int { return len(b.items) }

// At is the item under the cursor.
func (b *Batch) At() int { return b.order[b.at] }

// Move moves the cursor by so many items, as far as there are any.
func (b *Batch) Move(by int) { b.point(min(max(b.at+by, 0), len(b.order)-1)) }

// Go moves the cursor to an item.
func (b *Batch) Go(i int) { b.point(slices.Index(b.order, i)) }

// point puts the cursor at a place and unfolds what hides it.
func (b *Batch) point(at int) {
	b.at = at
	for g, group := range b.groups {
		if n := slices.Index(group, b.order[at]); n >= foldTo {
			b.whole[g] = true
		}
	}
}

// On tells whether an item is to be made.
func (b *Batch) On(i int) bool { return !b.items[i].off }

// Switch switches an item on or off.
func (b *Batch) Switch(i int, on bool) { b.items[i].off = !on }

// Switched is which items are on.
func (b *Batch) Switched() []bool {
	on := make([]bool, len(b.items))
	for i := range on {
		on[i] = b.On(i)
	}
	return on
}

// Call is the action of an item and its arguments as they stand.
func (b *Batch) Call(i int) (*catalog.Entry, map[string]any) {
	item := b.items[i]
	if item.edited != nil {
		return item.Entry, item.edited
	}
	return item.Entry, item.Args
}

// Editable tells why the arguments of an item cannot be edited now; nil where they can.
func (b *Batch) Editable(i int) error {
	if len(b.items[i].Unknown) > 0 {
		return fmt.Errorf("the arguments of %d are known only when applied: they are asked about then", i+1)
	}
	return nil
}

// Edit gives an item other arguments, and switches it on: they have been checked.
func (b *Batch) Edit(i int, args map[string]any) {
	b.items[i].edited, b.items[i].off = args, false
}

// Counts are how many items are made by a yes, and how many more are asked about when they come.
func (b *Batch) Counts() (made, later int) {
	for _, item := range b.items {
		switch {
		case item.off:
		case len(item.Unknown) > 0:
			later++
		default:
			made++
		}
	}
	return made, later
}

// Yes is what a yes does now: "make 4 of 5"; ok is false where nothing is left to say yes to.
func (b *Batch) Yes() (does string, ok bool) {
	made, later := b.Counts()
	switch {
	case made == 0 && later == 0:
		return "make nothing", false
	case made == 0:
		return fmt.Sprintf("go on, %d asked later", later), true
	case made == b.Len():
		return fmt.Sprintf("make all %d", made), true
	}
	return fmt.Sprintf("make %d of %d", made, b.Len()), true
}

// ErrNothingLeft says why a yes to a list without anything on it counts for nothing.
var ErrNothingLeft = errors.New("nothing is left to make: everything is off; n denies the run")

// Approval is the yes to the list as it stands.
func (b *Batch) Approval() (session.Approval, error) {
	if _, ok := b.Yes(); !ok {
		return session.Approval{}, ErrNothingLeft
	}
	a := session.Approval{Verdict: session.Once}
	for i, item := range b.items {
		if item.off {
			a.Off = append(a.Off, i)
		}
		if item.edited != nil {
			if a.Edited == nil {
				a.Edited = map[int]map[string]any{}
			}
			a.Edited[i] = item.edited
		}
	}
	return a, nil
}

// Told says what a yes to the list approved; one that was asked about before says that this answer counts.
func (b *Batch) Told(a session.Approval) string {
	planned := make([]session.Planned, len(b.items))
	for i, item := range b.items {
		planned[i] = item.Planned
	}
	told := a.Told(planned)
	if b.again {
		told = "instead of that, " + told
	}
	return told
}

// Total is how much the run is about to do: "5 writes, 2 of high risk, in 1 run".
func (b *Batch) Total() string {
	high := 0
	for _, item := range b.items {
		if catalog.RiskOf(item.Entry) == catalog.High {
			high++
		}
	}
	total := text.Count(b.Len(), "write")
	if high > 0 {
		total += fmt.Sprintf(", %d of high risk,", high)
	}
	return total + " in 1 run"
}

// Lines is the list: each action once, with its risk and warnings, then its items. The second result says of each line
// to which item it belongs; -1 for none. cursor marks the item under the cursor, whole folds nothing.
func (b *Batch) Lines(width int, m Marks, cursor, whole bool) (lines []Line, items []int) {
	add := func(item int, more ...Line) {
		for _, l := range more {
			lines, items = append(lines, l), append(items, item)
		}
	}
	for g, group := range b.groups {
		add(-1, b.groupLines(g, m)...)
		shown := group
		if len(group) > foldOver && !b.whole[g] && !whole {
			shown = group[:foldTo]
		}
		_, shared := b.filled(g)
		for _, i := range shown {
			add(i, b.itemLines(i, width, cursor && i == b.At(), whole, !shared)...)
		}
		if rest := group[len(shown):]; len(rest) > 0 {
			more := fmt.Sprintf("  %d more: v shows all", len(rest))
			if off := b.offIn(rest); off > 0 {
				more += fmt.Sprintf(" (%d off)", off)
			}
			add(-1, Dim.Line(more))
		}
	}
	return lines, items
}

func (b *Batch) offIn(items []int) (n int) {
	for _, i := range items {
		if !b.On(i) {
			n++
		}
	}
	return n
}

// Head is what stands above the items of the action that item i calls.
func (b *Batch) Head(i int, m Marks) []Line {
	g := slices.IndexFunc(b.groups, func(group []int) bool { return slices.Contains(group, i) })
	return b.groupLines(g, m)
}

// groupLines are the action of a group with how often it is called, its risk, all its warnings, and what it does.
func (b *Batch) groupLines(g int, m Marks) []Line {
	group := b.groups[g]
	e := b.items[group[0]].Entry
	times := " once"
	if len(group) > 1 {
		times = fmt.Sprintf(" %d times", len(group))
	}
	if off := b.offIn(group); off > 0 {
		times += fmt.Sprintf(", %d off", off)
	}
	risk := riskText(e.Mutates, catalog.RiskOf(e), m)
	lines := []Line{{ID.Span(text.SanitizeLine(e.ID)), Text.Span(times), Mutates.Span("   " + risk)}}
	warnings := b.warns[g]
	for _, w := range warnings {
		lines = append(lines, Warning.Line("  ! "+w))
	}
	if about := text.FirstSentence(e.Description); about != "" && !slices.Contains(warnings, about) {
		lines = append(lines, Text.Line("  "+text.SanitizeLine(about)))
	}
	if host := hostOf(e); host != "" {
		lines = append(lines, Dim.Line("  goes to "+host))
	}
	if filled, shared := b.filled(g); shared && filled != "" {
		lines = append(lines, Dim.Line("  "+filled))
	}
	return lines
}

// warnings are those of the action of a group, each once: of credentials in any of its items, then of its description.
func (b *Batch) warnings(g int) []string {
	var credentials []string
	for _, i := range b.groups[g] {
		for _, name := range b.items[i].Credentials {
			if !slices.Contains(credentials, name) {
				credentials = append(credentials, name)
			}
		}
	}
	return warningsOf(b.items[b.groups[g][0]].Entry, credentials)
}

// filled is what the host fills in for the first item of a group; shared tells that it does for all of them.
func (b *Batch) filled(g int) (words string, shared bool) {
	first := b.items[b.groups[g][0]]
	for _, i := range b.groups[g][1:] {
		if !reflect.DeepEqual(first.Injected, b.items[i].Injected) {
			return "", false
		}
	}
	return filledText(first.Entry, first.Injected), true
}

// itemLines are one item: its number and whether it is on, its arguments, what is not known of them, what it would
// change.
func (b *Batch) itemLines(i, width int, pointed, whole, injected bool) []Line {
	item := b.items[i]
	mark, state, role := "  ", "on ", Code
	if pointed {
		mark = "> "
	}
	if item.off {
		state, role = "off", Dim
	}
	digits := len(fmt.Sprint(b.Len()))
	head := fmt.Sprintf("%s%*d %s ", mark, digits, i+1, state)
	blank := strings.Repeat(" ", len(head))
	_, args := b.Call(i)
	room := 0
	if width > 0 {
		room = max(width-len(head), minWrap)
	}
	lines := argLines(ArgsText(item.Entry, args, room), role, head, blank, width)
	add := func(role Role, words string) { lines = append(lines, append(Text.Line(blank), role.Span(words))) }
	if injected && len(item.Injected) > 0 {
		add(Dim, filledText(item.Entry, item.Injected))
	}
	switch {
	case item.edited != nil:
		add(Notice, "edited; what it would change is not known")
		return lines
	case len(item.Unknown) > 0:
		add(Notice, text.SanitizeLine(strings.Join(item.Unknown, ", "))+" is known only when applied: asked when it comes")
	}
	foreseen := ForeseenLines(text.Sanitize(item.Preview))
	more := len(foreseen) - foreseenRows
	if more > 1 && !whole {
		foreseen = append(foreseen[:foreseenRows:foreseenRows], Dim.Line(fmt.Sprintf("%d more lines: v shows all", more)))
	}
	for _, l := range foreseen {
		lines = append(lines, append(Text.Line(blank), l...))
	}
	return lines
}

// argLines fills rows with arguments that are laid out in lines, one each, and breaks what is wider than a row. No
// brace stands alone.
func argLines(layout string, role Role, head, blank string, width int) (rows []Line) {
	var args []string
	opens := false
	for _, l := range Lines(role, "", layout) {
		arg := strings.TrimSpace(l.String())
		closes := strings.HasPrefix(arg, "}")
		if last := len(args) - 1; last >= 0 && (opens || closes) {
			if closes {
				args[last] = strings.TrimSuffix(args[last], ",")
			}
			args[last] += " " + arg
		} else {
			args = append(args, arg)
		}
		opens = strings.HasSuffix(arg, "{")
	}
	row := Line{Key.Span(head), role.Span(args[0])}
	for _, arg := range args[1:] {
		if width >= minWrap && row.Width()+1+cells.Width(arg) > width {
			rows, row = append(rows, row), Line{Text.Span(blank + "  "), role.Span(arg)}
			continue
		}
		row = append(row, role.Span(" "+arg))
	}
	return Wrap(append(rows, row), width)
}

// Numbers reads which items are meant, as people number them from 1: "2 5", "2, 5-7", "all". What is no number of one
// is an error, and so is none.
func (b *Batch) Numbers(words string) (items []int, err error) {
	for _, word := range strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune(" \t,;", r) }) {
		from, to, isRange := strings.Cut(word, "-")
		if !isRange {
			to = from
		}
		if strings.EqualFold(word, "all") {
			from, to = "1", strconv.Itoa(b.Len())
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || first < 1 || last > b.Len() || first > last {
			return nil, fmt.Errorf("%s: want numbers from 1 to %d, as in 2 5 or 2-5", text.SanitizeLine(word), b.Len())
		}
		for i := first; i <= last; i++ {
			items = append(items, i-1)
		}
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("which ones? want numbers from 1 to %d, as in 2 5 or 2-5", b.Len())
	}
	return items, nil
}
