package policy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/pattern"
)

// This file is what a person allowed in advance: grants, and how they are written:
//
//	billing.refund.draft_note
//	billing.refund.*
//	billing.refund.issue amount_cents <= 500, invoice_id = "inv_1"
//	billing.refund.issue only amount_cents <= 500, invoice_id = "inv_1"
//
// The last one lets no call through that has another argument.

// A Grant lets calls through that would be asked about or denied by the mode. It is a value: taking it out of the
// Policy takes it back.
type Grant struct {
	// N is what people call the grant by; the session numbers its grants from 1 and gives no number twice.
	N int
	// Pattern is of the ids; the zero Pattern grants nothing.
	Pattern pattern.Pattern
	// Bounds must all hold; without any the arguments do not matter.
	Bounds []Bound
	// Seen is what it was given for; nil covers whatever has the id.
	Seen *Seen
	// Only lets no argument through that none of Bounds speaks of.
	Only bool
	// By says who gave it and how, At when.
	By  string
	At  time.Time
	For Term
	// Early grants were given before the session began, on the command line or in the configuration. The others are
	// forgotten when the mode or the action they name changes.
	Early bool
	// Used counts the calls that it let through.
	Used int
	// Waits says why it lets nothing through now; empty when it does.
	Waits string
}

// A Term is how long a Grant lasts.
type Term string

// The terms. The zero Term is ForSession.
const (
	// ForRun lasts until the run that is under way has ended, or else the next one.
	ForRun Term = "run"
	// ForSession lasts until the session ends; one that goes on from it begins without.
	ForSession Term = "session"
	// Always is kept in the user's configuration.
	Always Term = "always"
)

// ParseTerm reads a Term as people write it.
func ParseTerm(s string) (Term, error) {
	switch t := Term(strings.ToLower(s)); t {
	case ForRun, ForSession, Always:
		return t, nil
	}
	return "", fmt.Errorf("grant: for %q: use run, session or always", s)
}

// Words say how long it lasts: "for this session".
func (t Term) Words() string {
	switch t {
	case ForRun:
		return "for one run"
	case Always:
		return "always"
	}
	return "for this session"
}

// A Bound limits one argument of the call. It fails closed: an argument that is not there, has another type, is not a
// number or is one beyond 2^53, where whole numbers lose digits, does not meet it.
type Bound struct {
	Arg string
	// Op is "=", or for numbers also "<", "<=", ">", ">=".
	Op string
	// Value is a float64, a string or a bool.
	Value any
}

// exact is the largest number up to which every whole number is a float64 of its own.
const exact = 1 << 53

// Covers tells whether the grant lets r through.
func (g Grant) Covers(r Request) bool {
	if g.Only {
		for name := range r.Args {
			if !slices.ContainsFunc(g.Bounds, func(b Bound) bool { return b.Arg == name }) {
				return false
			}
		}
	}
	return g.Pattern.Match(r.ID) && g.Seen.covers(r) && !slices.ContainsFunc(g.Bounds, func(b Bound) bool { return !b.Met(r.Args) })
}

// Met tells whether args keep to the bound.
func (b Bound) Met(args map[string]any) bool {
	got, ok := args[b.Arg]
	if !ok {
		return false
	}
	want, isNumber := b.Value.(float64)
	if !isNumber {
		switch b.Value.(type) {
		case string, bool:
			return b.Op == "=" && got == b.Value
		}
		return false
	}
	n, ok := Number(got)
	if !ok || !(math.Abs(want) <= exact) {
		return false
	}
	switch b.Op {
	case "=":
		return n == want
	case "<":
		return n < want
	case "<=":
		return n <= want
	case ">":
		return n > want
	case ">=":
		return n >= want
	}
	return false
}

// Number is v as bounds compare it; false where it is none, or one among which whole numbers lose digits.
func Number(v any) (float64, bool) {
	var f float64
	switch v := v.(type) {
	case float64:
		f = v
	case int64:
		if v < -exact || v > exact { // before it is rounded
			return 0, false
		}
		f = float64(v)
	case int:
		return Number(int64(v))
	default:
		return 0, false
	}
	return f, math.Abs(f) <= exact // false for NaN
}

// String writes the grant as ParseGrant reads it.
func (g Grant) String() string {
	var bounds []string
	for _, b := range g.Bounds {
		bounds = append(bounds, b.String())
	}
	return strings.TrimSpace(g.Pattern.String() + " " + g.only() + strings.Join(bounds, ", "))
}

func (g Grant) only() string {
	if g.Only {
		return "only "
	}
	return ""
}

// String writes the bound: amount_cents <= 500.
func (b Bound) String() string {
	value := fmt.Sprint(b.Value)
	switch v := b.Value.(type) {
	case string:
		value = strconv.Quote(v)
	case float64:
		value = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return b.Arg + " " + b.Op + " " + value
}

// Rule is what a Decision calls the grant.
func (g Grant) Rule() string { return fmt.Sprintf("grant %d: %s", g.N, g) }

// ParseGrant reads a grant: a pattern of ids and, behind a blank, bounds with blanks or commas between them. Texts may go
// without quotes where they are one word that begins with a letter.
func ParseGrant(text string) (g Grant, err error) {
	ids, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if g.Pattern, err = pattern.Parse(ids); err != nil {
		return Grant{}, fmt.Errorf("grant: %w", err)
	}
	// An argument may be named "only": then an operator stands behind it.
	if word, after, _ := strings.Cut(strings.TrimLeft(rest, " \t"), " "); word == "only" && !isOperator(strings.TrimLeft(after, " \t")) {
		g.Only, rest = true, after
	}
	for {
		if rest = strings.TrimLeft(rest, " \t,"); rest == "" {
			return g, nil
		}
		b, after, err := parseBound(rest)
		if err != nil {
			return Grant{}, fmt.Errorf("grant of %s: %w", g.Pattern, err)
		}
		g.Bounds, rest = append(g.Bounds, b), after
	}
}

// ParseGrants reads grants that were given before the session began, by says where.
func ParseGrants(texts []string, by string) ([]Grant, error) {
	grants := make([]Grant, 0, len(texts))
	for _, text := range texts {
		g, err := ParseGrant(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", by, err)
		}
		g.By, g.Early = by, true
		grants = append(grants, g)
	}
	return grants, nil
}

// Fits checks that the grant can let a call of v through, and returns it as the ids and arguments there are written.
func (g Grant) Fits(v *catalog.View) (Grant, error) {
	if !g.Pattern.IsExact() {
		for id := range v.All() {
			if g.Pattern.Match(id) {
				return g, nil
			}
		}
		return g, fmt.Errorf("grant of %s: no action matches", g.Pattern)
	}
	id := g.Pattern.String()
	if len(v.Children(id)) > 0 {
		return g, fmt.Errorf("grant of %s: no such action: for all below it say %s.*", id, id)
	}
	e, err := v.Resolve(id)
	if err != nil {
		return g, fmt.Errorf("grant: %w", err)
	}
	g.Pattern = pattern.Exact(e.ID)
	if why := g.strange(e); why != "" {
		return g, fmt.Errorf("grant of %s: %s", id, why)
	}
	return g, nil
}

// strange says which bound is of an argument that e does not have; empty when none is.
func (g Grant) strange(e *catalog.Entry) string {
	var names []string
	for _, f := range e.Input.Fields() {
		names = append(names, f.Name)
	}
	for _, b := range g.Bounds {
		if len(names) > 0 && !slices.Contains(names, b.Arg) {
			return fmt.Sprintf("it has no argument %s: it takes %s", b.Arg, strings.Join(names, ", "))
		}
	}
	return ""
}

func isOperator(text string) bool { return text != "" && strings.ContainsRune("<>=", rune(text[0])) }

func parseBound(text string) (b Bound, rest string, err error) {
	end := strings.IndexAny(text, " \t,<>=\"'")
	if end <= 0 {
		return b, "", fmt.Errorf("%q: want ARGUMENT OPERATOR VALUE, like amount_cents <= 500", text)
	}
	b.Arg, rest = text[:end], strings.TrimLeft(text[end:], " \t")
	for _, op := range []string{"<=", ">=", "==", "=", "<", ">"} {
		if after, ok := strings.CutPrefix(rest, op); ok {
			b.Op, rest = op, strings.TrimLeft(after, " \t")
			break
		}
	}
	switch b.Op {
	case "":
		return b, "", fmt.Errorf("%s: want one of = < <= > >= behind it", b.Arg)
	case "==":
		b.Op = "="
	}
	if b.Value, rest, err = parseValue(rest); err != nil {
		return b, "", fmt.Errorf("%s %s: %w", b.Arg, b.Op, err)
	}
	if _, isNumber := b.Value.(float64); !isNumber && b.Op != "=" {
		return b, "", fmt.Errorf("%s %s: only numbers are compared: want a number, or =", b.Arg, b.Op)
	}
	return b, rest, nil
}

func parseValue(text string) (v any, rest string, err error) {
	if text == "" {
		return nil, "", fmt.Errorf("want a value behind it")
	}
	if quote := text[0]; quote == '"' {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, "", fmt.Errorf("%s: the text does not end, or has an unknown escape", text)
		}
		s, err := strconv.Unquote(quoted)
		return s, text[len(quoted):], err
	} else if quote == '\'' {
		s, rest, closed := strings.Cut(text[1:], "'")
		if !closed {
			return nil, "", fmt.Errorf("%s: the text does not end", text)
		}
		return s, rest, nil
	}
	end := strings.IndexAny(text, " \t,")
	if end < 0 {
		end = len(text)
	}
	word, rest := text[:end], text[end:]
	letter := word != "" && (word[0]|0x20 >= 'a' && word[0]|0x20 <= 'z' || word[0] == '_')
	switch {
	case word == "true", word == "false":
		return word == "true", rest, nil
	case word == "nil" || word == "null" || strings.ContainsAny(word, "<>=\"'"):
		return nil, "", fmt.Errorf("%q: want a number, true, false or a text in quotes", word)
	case letter:
		return word, rest, nil
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil || strings.ContainsAny(word, "xXpP_") {
		return nil, "", fmt.Errorf("%q: want a number, true, false or a text in quotes", word)
	}
	if !(math.Abs(f) <= exact) {
		return nil, "", fmt.Errorf("%s: numbers beyond 2^53 are not exact", word)
	}
	return f + 0, rest, nil
}

// Granted lists the grants that let some calls of id through.
func (p Policy) Granted(id string) []Grant {
	return slices.DeleteFunc(slices.Clone(p.InForce()), func(g Grant) bool { return !g.Pattern.Match(id) })
}

// With returns the policy with one more grant.
func (p Policy) With(g Grant) Policy {
	g.For = cmp.Or(g.For, ForSession)
	p.Grants = append(slices.Clone(p.Grants), g)
	return p
}

// Without returns the policy without the grants that drop is true for.
func (p Policy) Without(drop func(Grant) bool) Policy {
	p.Grants = slices.DeleteFunc(slices.Clone(p.Grants), drop)
	return p
}
