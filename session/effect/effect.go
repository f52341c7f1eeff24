// Package effect holds the rules for effects: what an action would like changed beyond its data, in the session that
// called it. An effect is recorded with its call and applied only where the session allows its kind. The package is
// pure: it checks effects and applies those on the state to a table, and knows no session.
//
//	Kinds    what the program can apply: operations on the state, and directives
//	Check    whether an effect is well formed, whatever is allowed
//	Allowed  whether a list of patterns opts in to a kind
//	Choose   which effects of a run are applied, and which stand in the way
//	Apply    a list of operations on a table, all of it or none
//
// Kinds that the program does not know are recorded for whoever reads them, and never applied.
package effect

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/pattern"
	"almanac/catalog/reference"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

// The operations on the state.
const (
	StateSet        = "state.set"         // sets the field that the target names
	StateReplace    = "state.replace"     // makes the value, a table, the whole state
	StateDelete     = "state.delete"      // removes the field that the target names
	StateSetPath    = "state.set_path"    // sets what the target leads to, and makes the tables on the way
	StateDeletePath = "state.delete_path" // removes what the target leads to; a list closes the gap
)

// The directives: they reach beyond the state.
const (
	ViewNarrow = "view.narrow"
	ContextSet = "context.set"
	Notify     = "notify"
	Schedule   = "schedule"
	Ask        = "ask"
)

// Bounds of effects.
const (
	MaxPerCall = 100
	MaxPerRun  = 1000      // that are applied
	MaxKind    = 60        // bytes
	MaxTarget  = 256       // bytes
	MaxValue   = 256 << 10 // bytes as Size counts them
	MaxState   = 1 << 20   // bytes as Size counts them
	MaxDepth   = 32        // tables in one another
)

// Kinds are all that the program can apply, the operations on the state first.
func Kinds() []string {
	return []string{
		StateSet, StateReplace, StateDelete, StateSetPath, StateDeletePath, ViewNarrow, ContextSet, Notify, Schedule, Ask,
	}
}

// Known tells whether the program can apply effects of the kind.
func Known(kind string) bool { return slices.Contains(Kinds(), kind) }

// IsState tells whether the kind is an operation on the state.
func IsState(kind string) bool { return strings.HasPrefix(kind, "state.") && Known(kind) }

// GoesBack tells whether effects of the kind are taken back with their run.
func GoesBack(kind string) bool { return IsState(kind) || kind == ContextSet || kind == Ask }

// Titles names effects in a line, each once with how often it is there, and counts those beyond the first few.
func Titles(effects []catalog.Effect) string {
	const most, width = 10, 80
	var titles []string
	times := map[string]int{}
	for _, e := range effects {
		title := text.LineBytes(e.Title(), width)
		if times[title]++; times[title] == 1 {
			titles = append(titles, title)
		}
	}
	more := ""
	if n := len(titles); n > most {
		titles, more = titles[:most], fmt.Sprintf(", … %d more", n-most)
	}
	for i, title := range titles {
		if n := times[title]; n > 1 {
			titles[i] = fmt.Sprintf("%s (%d)", title, n)
		}
	}
	return strings.Join(titles, ", ") + more
}

// Check says what is wrong with an effect, apart from what it would meet in a session. Its value must be plain data.
func Check(e catalog.Effect) error {
	if err := CheckKind(e.Kind); err != nil {
		return err
	}
	if err := checkTarget(e.Target); err != nil {
		return fmt.Errorf("%s: %w", e.Kind, err)
	}
	size, err := Size(e.Value)
	if err == nil && size > MaxValue {
		err = fmt.Errorf("larger than %s", text.Bytes(MaxValue))
	}
	if err != nil {
		return fmt.Errorf("%s: value: %w", e.Kind, err)
	}
	check := checkDirective
	if IsState(e.Kind) {
		check = checkState
	}
	if err := check(e); err != nil {
		return fmt.Errorf("%s: %w", e.Kind, err)
	}
	return nil
}

// CheckKind says what is wrong with the kind of an effect.
func CheckKind(kind string) error {
	if len(kind) > MaxKind {
		return fmt.Errorf("kind: longer than %d bytes", MaxKind)
	}
	if kind == "" {
		return fmt.Errorf("kind: empty; want a name as %s", StateSet)
	}
	for part := range strings.SplitSeq(kind, ".") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
			return fmt.Errorf("kind %q: want lower-case names with dots between, as %s", kind, StateSet)
		}
	}
	if Known(kind) {
		return nil
	}
	space, _, _ := strings.Cut(kind, ".")
	for _, known := range Kinds() {
		if home, _, _ := strings.Cut(known, "."); home != space {
			continue
		}
		hint := ""
		if near := spelling.Nearest(kind, Kinds()); near != "" {
			hint = "; did you mean " + near + "?"
		}
		return fmt.Errorf("kind %q: not known%s", kind, hint)
	}
	return nil
}

func checkTarget(target string) error {
	switch {
	case len(target) > MaxTarget:
		return fmt.Errorf("target: longer than %d bytes", MaxTarget)
	case !utf8.ValidString(target) || text.SanitizeLine(target) != target:
		return fmt.Errorf("target %q: want one line of printable text", target)
	}
	return nil
}

// checkState checks the target and the value of an operation on the state.
func checkState(e catalog.Effect) error {
	switch e.Kind {
	case StateReplace:
		if e.Target != "" {
			return fmt.Errorf("target %q: want none: the whole state is replaced", e.Target)
		}
		if _, ok := asTable(e.Value); !ok || e.Value == nil {
			return fmt.Errorf("value: want a table with names, not %s", text.Article(catalog.KindOf(e.Value)))
		}
		return nil
	case StateSet, StateDelete:
		if !lua.IsName(e.Target) {
			return fmt.Errorf("target %q: want the name of a field; %s takes a path", e.Target, e.Kind+"_path")
		}
	default:
		if _, err := parsePath(e.Target); err != nil {
			return err
		}
	}
	sets := e.Kind == StateSet || e.Kind == StateSetPath
	switch {
	case sets && e.Value == nil:
		return fmt.Errorf("value: missing; %s removes", strings.Replace(e.Kind, "set", "delete", 1))
	case !sets && e.Value != nil:
		return fmt.Errorf("value: want none")
	}
	return nil
}

// parsePath reads a path as a.b[2]; the first segment is a field.
func parsePath(target string) ([]reference.Segment, error) {
	v, err := reference.Parse("$" + strings.TrimPrefix(target, "$"))
	if err != nil {
		return nil, fmt.Errorf("target %q: want a path as users[1].name", target)
	}
	return append([]reference.Segment{{Field: v.Name}}, v.Path...), nil
}

// Size counts the bytes of plain data: of names and texts, and 8 for each value. The error says what cannot be kept.
func Size(data any) (int, error) { return size(data, 0) }

func size(data any, depth int) (n int, err error) {
	if depth > MaxDepth {
		return 0, fmt.Errorf("nested deeper than %d", MaxDepth)
	}
	n = 8
	add := func(name string, item any) bool {
		var more int
		if more, err = size(item, depth+1); err == nil && !utf8.ValidString(name) {
			err = fmt.Errorf("the name %q is not UTF-8", name)
		}
		n += more + len(name)
		return err == nil
	}
	switch v := data.(type) {
	case nil, bool, int64:
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			err = fmt.Errorf("%s cannot be kept", lua.NumberText(v))
		}
	case string:
		if n += len(v); !utf8.ValidString(v) {
			err = fmt.Errorf("a text that is not UTF-8 cannot be kept")
		}
	case []any:
		for _, item := range v {
			if !add("", item) {
				break
			}
		}
	case map[string]any:
		for name, item := range v {
			if !add(name, item) {
				break
			}
		}
	default:
		err = fmt.Errorf("a value of type %T is not data", data)
	}
	return n, err
}

// Allowed tells whether one of the patterns opts in to the kind. A directive needs a pattern that names it or its
// namespace: * stands for the operations on the state alone.
func Allowed(patterns []pattern.Pattern, kind string) bool {
	return slices.ContainsFunc(patterns, func(p pattern.Pattern) bool {
		space, _, _ := strings.Cut(p.String(), ".")
		return p.Match(kind) && (IsState(kind) || !strings.ContainsAny(space, "*?"))
	})
}

// ParseKinds reads patterns that opt in to kinds. One that allows no kind is an error: it is a slip, or a * that shall
// allow more than it does.
func ParseKinds(texts []string) ([]pattern.Pattern, error) {
	kinds, err := pattern.ParseAll(texts)
	if err != nil {
		return nil, err
	}
	for _, p := range kinds {
		one := []pattern.Pattern{p}
		if !slices.ContainsFunc(Kinds(), func(kind string) bool { return Allowed(one, kind) }) {
			return nil, fmt.Errorf("%s: allows no kind of effect; the kinds are %s, and a directive needs its own name or "+
				"namespace", p, strings.Join(Kinds(), ", "))
		}
	}
	return kinds, nil
}

// Choose picks the effects of a run that are applied: those of kinds that the program knows, in their order. Where none
// of them is allowed there is nothing to apply and nothing to reject. Otherwise all must be: rejected names the others,
// and whoever applies must then apply none. allow is what a kind is put behind to allow it.
func Choose(patterns []pattern.Pattern, effects []catalog.Effect, allow string) (
	chosen []catalog.Effect, rejected []catalog.RejectedEffect) {
	some := false
	for _, e := range effects {
		switch {
		case !Known(e.Kind):
		case !Allowed(patterns, e.Kind):
			why := fmt.Sprintf("%s is not allowed here: %s %[1]s", e.Kind, allow)
			rejected = append(rejected, catalog.RejectedEffect{Effect: e, Reason: why})
		default:
			some = true
			if chosen = append(chosen, e); len(chosen) == MaxPerRun+1 {
				why := fmt.Sprintf("a run applies at most %d", MaxPerRun)
				rejected = append(rejected, catalog.RejectedEffect{Effect: e, Reason: why})
			}
		}
	}
	if !some {
		return nil, nil
	}
	return chosen, rejected
}
