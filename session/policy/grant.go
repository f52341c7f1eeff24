package policy

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/pattern"
)

// This file is what a person allowed in advance: grants, and how they are written:
//
//	billing.refund.draft_note
//	billing.refund.*
//	billing.refund.* risk high
//	billing.refund.issue 0 <= amount_cents <= 500, invoice_id = "inv_1"
//	billing.refund.issue only 0 <= amount_cents <= 500, invoice_id = "inv_1"
//
// The last one lets no call through that has another argument.

// A Grant lets calls through that would be asked about or denied by the mode. It is a value: taking it out of the
// Policy takes it back.
type Grant struct {
	// N is what people call the grant by; the session numbers its grants from 1 and gives no number twice.
	N int
	// Pattern is of the ids; the zero Pattern grants nothing.
	Pattern pattern.Pattern
	// High covers actions of high risk, too; an id does anyway.
	High bool
	// Bounds must all hold; without any the arguments do not matter.
	Bounds []Bound
	// Only lets no argument through that none of Bounds speaks of.
	Only bool
	// Seen is what it was given for; nil covers whatever has the id.
	Seen *Seen
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

// Covers tells whether the grant lets r through.
func (g Grant) Covers(r Request) bool {
	if g.Only {
		for name := range r.Args {
			if !slices.ContainsFunc(g.Bounds, func(b Bound) bool { return b.Arg == name }) {
				return false
			}
		}
	}
	return g.concerns(r) && !slices.ContainsFunc(g.Bounds, func(b Bound) bool { return !b.met(r.Args) })
}

// concerns tells whether the grant is of the action that r calls, whatever its arguments are. A pattern is of those of
// high risk only where it says so.
func (g Grant) concerns(r Request) bool {
	return g.Pattern.Match(r.ID) && g.Seen.covers(r) && (r.Risk != catalog.High || g.High || g.Pattern.IsExact())
}

// String writes the grant as ParseGrant reads it.
func (g Grant) String() string {
	words := g.Pattern.String()
	if g.High {
		words += " risk high"
	}
	if g.Only {
		words += " only"
	}
	return strings.TrimSpace(words + " " + strings.Join(boundsText(g.Bounds), ", "))
}

// Rule is what a Decision calls the grant.
func (g Grant) Rule() string { return fmt.Sprintf("grant %d: %s", g.N, g) }

// onlyThese stands in front of bounds. An argument of this name has an operator behind it.
var onlyThese = regexp.MustCompile(`^only($|[ \t]+$|[ \t]+[^ \t<>=~])`)

// riskHigh is what a pattern says that covers actions of high risk.
var riskHigh = regexp.MustCompile(`^risk[ \t]+high($|[ \t,]+)`)

// ParseGrant reads a grant: a pattern of ids and, behind a blank, what it covers: the words "risk high", "only", and
// bounds, with blanks or commas between them. Texts may go without quotes where they are one word that begins with a
// letter.
func ParseGrant(text string) (g Grant, err error) {
	ids, rest := strings.TrimSpace(text), ""
	if i := strings.IndexAny(ids, " \t"); i >= 0 {
		ids, rest = ids[:i], ids[i:]
	}
	if g.Pattern, err = pattern.Parse(ids); err != nil {
		return Grant{}, fmt.Errorf("grant: %w", err)
	}
	for {
		if rest = strings.TrimLeft(rest, " \t,"); rest == "" {
			break
		}
		if words := riskHigh.FindString(rest); words != "" {
			g.High, rest = true, rest[len(words):]
			continue
		}
		if !g.Only && len(g.Bounds) == 0 && onlyThese.MatchString(rest) {
			g.Only, rest = true, rest[len("only"):]
			continue
		}
		bounds, after, err := parseBounds(rest)
		if err != nil {
			return Grant{}, fmt.Errorf("grant of %s: %w", g.Pattern, err)
		}
		g.Bounds, rest = append(g.Bounds, bounds...), after
	}
	if g.Bounds, err = CloseBounds(g.Bounds); err != nil {
		return Grant{}, fmt.Errorf("grant of %s: %w", g.Pattern, err)
	}
	return g, nil
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

// Granted lists the grants that let some calls like r through, whatever its arguments are.
func (p Policy) Granted(r Request) []Grant {
	return slices.DeleteFunc(p.InForce(), func(g Grant) bool { return !g.concerns(r) })
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
