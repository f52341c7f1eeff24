package pattern_test

import (
	"regexp"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/pattern"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, id string
		want        bool
	}{
		{"crm.lead.create", "crm.lead.create", true},
		{"crm.lead.create", "crm.lead.create.now", false},
		{"crm.lead", "crm.lead.create", false},
		{"crm.*", "crm.lead", true},
		{"crm.*", "crm.lead.create", true},
		{"crm.*", "crm", false},
		{"crm.*", "crmx.lead", false},
		{"crm.*", "CRM.lead", false},
		{"*", "crm", true},
		{"*", "crm.lead.create", true},
		{"*.delete", "crm.delete", true},
		{"*.delete", "crm.lead.delete", false},
		{"*.delete", "delete", false},
		{"crm.*.delete", "crm.lead.delete", true},
		{"crm.*.delete", "crm.lead.note.delete", false},
		{"crm.*.*", "crm.lead", false},
		{"crm.*.*", "crm.lead.note.delete", true},
		{"crm.l*", "crm.lead", true},
		{"crm.l*", "crm.lead.create", false},
		{"crm.*d", "crm.lead", true},
		{"crm.*d", "crm.lead.d", false},
		{"crm.a*a*b", "crm.aaab", true},
		{"crm.a*a*b", "crm.ab", false},
		{"crm.le?d", "crm.lead", true},
		{"crm.le?d", "crm.led", false},
		{"crm.?", "crm.é", true},
		{"crm?lead", "crm.lead", false},
		{"crm.*", "", false},
	} {
		p, err := pattern.Parse(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		if got := p.Match(c.id); got != c.want {
			t.Errorf("%s over %s: got %t", c.pattern, c.id, got)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", ".", "crm.", ".crm", "a..b", "crm.**", "crm.[ab]", `crm.\*`, "crm. lead", "crm\n",
		"\xff", strings.Repeat("a", 501)} {
		if p, err := pattern.Parse(text); err == nil || !p.IsZero() {
			t.Errorf("%q was taken as %v, %v", text, p, err)
		}
	}
}

// What is granted for one action stays with it, even where its id is made to read as a pattern.
func TestExactIsOneID(t *testing.T) {
	if p := pattern.Exact("crm.lead"); !p.Match("crm.lead") || p.Match("crm.lead.create") || !p.IsExact() {
		t.Errorf("crm.lead: %v", p)
	}
	for _, id := range []string{"*", "crm.*", "crm.?", "crm.[a]", ""} {
		if p := pattern.Exact(id); p.Match("crm.x") || p.Match("crm") || p.Match(id) || p.IsExact() {
			t.Errorf("%q matches something", id)
		}
	}
	if (pattern.Pattern{}).Match("") || (pattern.Pattern{}).IsExact() {
		t.Error("the zero pattern matches something")
	}
}

// No id has a character with a meaning in patterns, so each is a pattern for itself.
func TestIDsArePatterns(t *testing.T) {
	for _, r := range pattern.Reserved {
		if err := catalog.CheckID("crm.a" + string(r)); err == nil {
			t.Errorf("an id may have %q", r)
		}
	}
}

// slow is what Match means, as a regular expression.
func slow(text string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`^`)
	segments := strings.Split(text, ".")
	for i, s := range segments {
		if i > 0 {
			b.WriteString(`\.`)
		}
		if s == "*" && i == len(segments)-1 {
			b.WriteString(`[^.].*`)
			continue
		}
		for _, r := range s {
			switch r {
			case '*':
				b.WriteString(`[^.]*`)
			case '?':
				b.WriteString(`[^.]`)
			default:
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
	}
	return regexp.MustCompile(b.String() + `$`)
}

// Properties: Match is what the regular expression says; a pattern matches nothing outside of its literal prefix; an
// exact one matches itself alone; what is written is read as the same.
func FuzzMatch(f *testing.F) {
	for _, seed := range [][2]string{{"crm.*", "crm.lead"}, {"*", "a"}, {"a.*b?.*", "a.xbc.d.e"}, {"a.b", "a.b"},
		{"*.a*a*", "x.aa"}, {"é.?", "é.ü"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, id string) {
		p, err := pattern.Parse(text)
		if err != nil || catalog.CheckID(id) != nil {
			return
		}
		got := p.Match(id)
		if want := slow(text).MatchString(id); got != want {
			t.Errorf("%q over %q: got %t, want %t", text, id, got, want)
		}
		if got && !strings.HasPrefix(id, p.Prefix()) {
			t.Errorf("%q matches %q outside of %q", text, id, p.Prefix())
		}
		if got && p.IsExact() && text != id {
			t.Errorf("%q is exact and matches %q", text, id)
		}
		if !pattern.Exact(id).Match(id) || !pattern.All().Match(id) {
			t.Errorf("%q does not match itself", id)
		}
		var again pattern.Pattern
		if out, _ := p.MarshalText(); again.UnmarshalText(out) != nil || again != p {
			t.Errorf("%q is read back as %q", p, again)
		}
	})
}
