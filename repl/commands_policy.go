package repl

// This file holds the commands about the policy: what happens to calls that change data, and what is granted.

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/session/policy"
)

const allowUsage = "/policy allow ID|PATTERN [risk high] [only] [ARG OP VALUE]... [for run|session|always]"

func policyCommands() []command {
	return []command{
		{
			name: "policy", args: "[ask|session|readonly]", group: groupModel, aside: true, run: setPolicy,
			words: fixedWords("ask", "every write asks you", "session",
				"small writes run, high risk asks", "readonly", "no writes"),
			brief: "what happens to writes, and what is granted",
			more: "ask       writes: ask; every one asks you\nsession   writes: ask for high risk; low and medium risk run\n" +
				"readonly  writes: denied, also those that your configuration grants\nA change takes back what was granted in this session, and so does readonly. It counts from the next call on, also of a run that is under way.",
		},
		{
			name: "policy allow", args: "ID [BOUNDS]", group: groupMore, run: allow, words: idWords,
			brief: "grant calls in advance: no question",
			more: allowUsage + "\nAn id or a pattern: /policy allow billing.refund.draft_note, /policy allow crm.*\n" +
				"A pattern covers actions of high risk only where it says risk high: /policy allow crm.* risk high\n" +
				"Arguments are bounded with = < <= > >=: /policy allow billing.refund.issue amount_cents <= 500\n" +
				"An upper bound alone means 0 or more, too: 0 <= amount_cents <= 500.\n" +
				"only in front of them lets no other argument through: /policy allow ID only amount_cents <= 500\n" +
				"for run: the next run; for session: as long as this session, the default; for always: kept in your configuration.",
		},
		{
			name: "policy revoke", args: "N...|all", group: groupMore, aside: true, run: revoke, words: grantWords,
			brief: "take a grant back, at once",
		},
	}
}

func setPolicy(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	s := sh.options.Session
	p := s.Policy()
	if arg == "" {
		sh.say(event.Plain, "%s", grantsText(p))
		return nil
	}
	m, err := policy.ParseMode(arg)
	if err != nil {
		return &UsageError{
			usage: "/policy [ask|session|readonly], /policy allow ID|PATTERN, /policy revoke N...|all", message: err.Error(),
		}
	}
	if p.Mode == m && m != policy.ReadOnly { // readonly means it: what is granted goes
		sh.say(event.Notice, "%s (policy %s) already; nothing changed%s", p.Words(), m, takenBackWith(p))
		return nil
	}
	p.Mode, p.Named = m, true
	before := len(p.Grants)
	p = p.Without(func(g policy.Grant) bool { return g.For != policy.Always && (!g.Early || m == policy.ReadOnly) })
	if err := s.SetPolicy(p); err != nil {
		return err
	}
	said := fmt.Sprintf("%s (policy %s): %s", p.Words(), m, policyText(m))
	if n := before - len(p.Grants); n > 0 {
		said += fmt.Sprintf("\n%s of this session taken back", text.Count(n, "grant"))
	}
	if kept := len(p.Grants); kept > 0 && m == policy.ReadOnly {
		said += fmt.Sprintf("\n%s in your configuration not used until /policy ask or /policy session",
			text.Count(kept, "grant"))
	}
	sh.say(event.Notice, "%s", said)
	return nil
}

// takenBackWith says how grants are taken back, where there are any.
func takenBackWith(p policy.Policy) string {
	if len(p.Grants) == 0 {
		return ""
	}
	return "; /policy revoke N or all takes grants back"
}

func policyText(m policy.Mode) string {
	switch m {
	case policy.Ask:
		return "every call that changes data asks you first"
	case policy.Session:
		return "writes of low and medium risk run, high risk asks you first"
	}
	return "every call that changes data is denied"
}

// grantsText is the policy and its grants: number, what, who, when, how long, how often used.
func grantsText(p policy.Policy) string {
	said := fmt.Sprintf("%s (policy %s)", p.Words(), p.Effective())
	for _, rule := range p.Rules {
		said += "\n" + RuleText(rule)
	}
	if len(p.Tighter) > 0 {
		said += "\nof the project, which only make it stricter:"
	}
	for _, rule := range p.Tighter {
		said += "\n" + RuleText(rule)
	}
	for _, role := range p.Roles {
		said += fmt.Sprintf("\nof the role %s, which only makes it stricter:", role.Name)
		if len(role.Rules) == 0 || role.Mode != policy.Session {
			said += " " + role.Words()
		}
		for _, rule := range role.Rules {
			said += "\n" + RuleText(rule)
		}
		for _, g := range role.Grants {
			said += "\n     lets through: " + text.SanitizeLine(g.String())
		}
	}
	if len(p.Grants) == 0 {
		return said + "\nno grants"
	}
	for _, g := range p.Grants {
		said += fmt.Sprintf("\n%3d  %s\n     by %s, %s%s, used %s", g.N, text.SanitizeLine(g.String()), g.By, grantedAt(g),
			g.For.Words(), text.Count(g.Used, "time"))
		if why := p.Waiting(g); why != "" {
			said += "\n     waits: " + text.SanitizeLine(why)
		}
	}
	return said + "\n/policy revoke N takes one back"
}

// RuleText is a rule: what it is called, what it says, and why.
func RuleText(rule policy.Rule) string {
	said := fmt.Sprintf("  %s: %s", rule, rule.Words())
	if rule.Reason != "" {
		said += "\n     " + rule.Reason
	}
	return text.Sanitize(said)
}

func grantedAt(g policy.Grant) string {
	if g.At.IsZero() {
		return ""
	}
	return g.At.Format(time.DateOnly+" 15:04") + ", "
}

// termWords end the argument of /policy allow.
var termWords = regexp.MustCompile(`\s+for\s+(\S+)$`)

// parseAllowed reads the argument of /policy allow. A term needs no "for" where it could be nothing else.
func parseAllowed(arg string) (policy.Grant, error) {
	said, term := arg, policy.ForSession
	var err error
	if m := termWords.FindStringSubmatchIndex(said); m != nil {
		if term, err = policy.ParseTerm(said[m[2]:m[3]]); err != nil {
			return policy.Grant{}, err
		}
		said = said[:m[0]]
	}
	g, err := policy.ParseGrant(said)
	if i := strings.LastIndexAny(said, " \t"); err != nil && i > 0 && len(said) == len(arg) {
		if t, known := policy.ParseTerm(said[i+1:]); known == nil {
			term = t
			g, err = policy.ParseGrant(said[:i])
		}
	}
	g.For = term
	return g, err
}

func allow(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	s := sh.options.Session
	bad := func(err error) error { return &UsageError{usage: allowUsage, message: err.Error()} }
	if arg = strings.TrimSpace(arg); arg == "" {
		return &UsageError{usage: allowUsage}
	}
	g, err := parseAllowed(arg)
	if err != nil {
		return bad(err)
	}
	if how := s.View().Loading(); how != "" && !g.Pattern.IsExact() {
		return fmt.Errorf("policy allow %s: a pattern has to wait: %s", g.Pattern, how)
	}
	if g, err = g.Fits(s.View()); err != nil {
		return bad(err)
	}
	g = g.Bind(s.View())
	g.By = "you"
	kept := ""
	if g.For == policy.Always {
		if sh.options.KeepGrant == nil {
			return errors.New("policy allow: there is no configuration here to keep it in; for session lasts as long as this session")
		}
		if kept, err = sh.options.KeepGrant(g); err != nil {
			return err
		}
		kept = "\n" + kept
	}
	if g, err = s.Grant(g); err != nil {
		return err
	}
	sh.say(event.Notice, "%s, %s; /policy revoke %d takes it back%s%s", g.Rule(), g.For.Words(), g.N, sh.reach(g), kept)
	return nil
}

// reach says how many actions that change data a pattern covers.
func (sh *Shell) reach(g policy.Grant) string {
	if g.Pattern.IsExact() {
		return ""
	}
	covered, spared := g.Reach(sh.options.Session.View())
	said := fmt.Sprintf("\ncovers %s data",
		text.Plural(covered, "1 action that changes", fmt.Sprint(covered, " actions that change")))
	if spared == 0 {
		return said
	}
	fate := text.Plural(spared, "still asks", "still ask")
	if m := sh.options.Session.Policy().Mode; m != policy.Ask && m != policy.Session {
		fate = text.Plural(spared, "is", "are") + " still denied"
	}
	return fmt.Sprintf("%s; %d of high risk %s: add risk high to cover high risk, too", said, spared, fate)
}

func revoke(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	s := sh.options.Session
	var numbers []int
	if arg == "all" {
		for _, g := range s.Policy().Grants {
			numbers = append(numbers, g.N)
		}
		if len(numbers) == 0 {
			sh.say(event.Notice, "nothing is granted")
		}
	} else {
		for _, word := range strings.FieldsFunc(arg, func(r rune) bool { return r == ' ' || r == ',' }) {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 {
				return &UsageError{
					usage: "/policy revoke N...|all", message: fmt.Sprintf("grant %q: want its number; /policy lists them", word),
				}
			}
			numbers = append(numbers, n)
		}
		if len(numbers) == 0 {
			return &UsageError{usage: "/policy revoke N...|all"}
		}
	}
	var errs []error
	for _, n := range numbers {
		g, err := s.Revoke(n)
		if g.N == 0 {
			errs = append(errs, err)
			continue
		}
		said := g.Rule() + ": taken back"
		if drop := sh.options.DropGrant; drop != nil && (g.Early || g.For == policy.Always) {
			told, failed := drop(g)
			if failed != nil {
				told = "in this session only"
			}
			said += "; " + told
			err = errors.Join(err, failed)
		}
		sh.say(event.Notice, "%s", said)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func grantWords(sh *Shell, _ string) []Completion {
	items := []Completion{}
	for _, g := range sh.options.Session.Policy().Grants {
		items = append(items, Completion{Text: strconv.Itoa(g.N), Detail: g.String()})
	}
	return append(items, Completion{Text: "all", Detail: "every grant"})
}

// fate says what happens to a call of an action, and what grants let through whose bounds hold.
func (sh *Shell) fate(e *catalog.Entry) (policy.Decision, string) {
	p, r := sh.options.Session.Policy(), sh.options.Session.Requested(e, nil)
	d := p.Unconditional().Decide(r)
	bounded := sh.bounded(p, e)
	call, why := "a call", ": "+d.Why()
	if d.Verdict != policy.Allow && len(bounded) > 0 {
		call, why = "a call outside the bounds", ""
	}
	said := fmt.Sprintf("%s is denied%s (%s)", call, why, d.Rule)
	switch d.Verdict {
	case policy.Allow:
		said, bounded = "a call is allowed ("+d.Rule+")", nil
	case policy.AskFor:
		said = fmt.Sprintf("%s asks you first (%s)", call, d.Rule)
		if d.Missed != "" && len(bounded) == 0 {
			said += "\n" + d.Missed
		}
	}
	if d.ByRule() && len(bounded) == 0 { // the reason names it
		said = fmt.Sprintf("a call is %s", d.Why())
	}
	for _, rule := range p.Conditions(r) {
		said += "\nfirst of all " + rule.String() + ": " + rule.Words()
	}
	for _, g := range bounded {
		said += fmt.Sprintf("\na call within the bounds is allowed (%s)", g.Rule())
	}
	return d, said
}

// bounded are the grants that let some calls of an action through.
func (sh *Shell) bounded(p policy.Policy, e *catalog.Entry) []policy.Grant {
	return slices.DeleteFunc(p.Granted(policy.RequestOf(e, nil)), func(g policy.Grant) bool {
		return len(g.Bounds) == 0 && !g.Only
	})
}

// specText is a description as a person reads it: what happens to a call that changes data stands below.
func (sh *Shell) specText(s catalog.Spec, d catalog.Detail) string {
	said := strings.TrimRight(sh.options.Session.Redact(s.Text), "\n")
	if d != catalog.Brief && d != catalog.Full {
		return said
	}
	decided, fate := sh.fate(s.Entry)
	if !s.Entry.Mutates && decided.Verdict == policy.Allow && !strings.Contains(fate, "\n") {
		return said
	}
	return said + "\n" + fate
}
