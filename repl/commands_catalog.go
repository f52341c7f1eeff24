package repl

// This file holds the commands for the catalog and the view.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/pattern"
	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session"
	"almanac/session/syntax"
	"almanac/session/vm"
)

func catalogCommands() []command {
	return []command{
		{
			name: "catalog", args: "[WORDS]", group: groupCatalog, aside: true, run: search,
			brief: "find actions; without words: browse", action: "catalog",
			more: "Lists the best ten. On a screen they also appear below the input: Up and Down select,\nEnter inserts the call.",
		},
		{
			name: "query", args: "SCRIPT|WORDS", group: groupMore, numbered: true, run: query, lua: queryScript,
			brief: "run a query script, as the model does",
			more:  "/query return catalog.search(\"unpaid invoices\", {limit = 5})\nPlain words are a search.",
		},
		{
			name: "describe", args: "[--full|--luals|--json] ID...", group: groupCatalog, aside: true, run: describe,
			words: idWords,
			brief: "arguments, result, example and safety",
			more:  "--full shows all nested fields, --luals annotations for the Lua language server, --json the schemas.",
		},
		{
			name: "why", args: "ID|VARIABLE", group: groupCatalog, aside: true, run: why, words: whyWords,
			brief: "why an action is allowed, where a value is from",
		},
		{
			name: "catalog view", args: "[only NAMES]", group: groupCatalog, run: view, words: viewWords,
			brief: "show the view, or narrow it",
			more: "/catalog view only crm,billing     only these namespaces\n/catalog view without identity     hide this namespace\n" +
				"/catalog view without *.*.delete*  hide matching actions: see patterns in docs/configuration.md\n" +
				"/catalog view readonly             hide actions that change data\n" +
				"/catalog view only found           what the last search found, and what was described\n" +
				"/catalog view turn only crm        until the next prompt, or line of Lua, has ended\n" +
				"Otherwise a view only gets narrower: a new session starts with all actions.",
		},
		{
			name: "sources", args: "[accept|refresh NAME]", group: groupMore, run: sources, words: sourceWords,
			brief: "list sources and their changes",
			more:  "/sources NAME            all skipped, renamed and changed entries\n/sources accept NAME     accept its new and changed actions\n/sources refresh NAME    refresh it",
		},
	}
}

func search(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	v := sh.options.Session.SearchView()
	if arg == "" {
		sh.feed.Emit(event.Event{Kind: event.Opened, Pane: event.CatalogPane, Text: v.Card(2000)})
		return nil
	}
	set, err := sh.find(arg)
	if err != nil {
		return err
	}
	if set.Len() == 0 {
		sh.say(event.Plain, "%s", v.FormatSet(set, 0))
		return nil
	}
	sh.feed.Emit(session.Clean(sh.options.Session, found(v, set)))
	return nil
}

// find searches for words, for as many hits as a query lists.
func (sh *Shell) find(words string) (catalog.Set, error) {
	s := sh.options.Session
	v := s.SearchView()
	set, err := v.Search(words, catalog.SearchOptions{Limit: s.Budget(session.User).Shown})
	var ids []string
	for _, hit := range set.Hits() {
		ids = append(ids, hit.ID)
	}
	for _, one := range v.Suppliers(set) {
		ids = append(ids, one.ID)
	}
	if len(ids) > 0 {
		s.Remember(ids)
	}
	return set, err
}

// queryScript tells a script from words: it speaks of catalog and is Lua, at least as far as it goes.
func queryScript(arg string) (string, bool) {
	speaks := false
	for _, t := range syntax.Tokens(arg) {
		speaks = speaks || t.Text == "catalog" || t.Text == "return"
	}
	if !speaks {
		return "", false
	}
	if syntax.IsExpression(arg) {
		return arg, true
	}
	err := syntax.Check(arg)
	return arg, err == nil || err.Incomplete || strings.HasPrefix(strings.TrimSpace(arg), "return")
}

func query(ctx context.Context, sh *Shell, c *event.Cell, arg string) error {
	if arg == "" {
		return &UsageError{usage: "/query SCRIPT, or words to search for"}
	}
	source, ok := queryScript(arg)
	if !ok {
		set, err := sh.find(arg)
		if err == nil {
			sh.say(event.Plain, "%s", sh.options.Session.SearchView().FormatSet(set, set.Len()))
		}
		return err
	}
	c.Source = source
	a, err := sh.options.Session.Query(ctx, session.Script{
		Source: source, Name: "query", Author: session.User, Cell: c.N, Expr: true,
	})
	if err != nil {
		return err
	}
	c.Outcome = a.Outcome
	if a.Outcome.Err != nil {
		return sh.ran(c, a.Outcome, nil)
	}
	if a.Text == "" {
		sh.say(event.Notice, "the query returned nothing: use return")
		return nil
	}
	c.Answer = a.Text
	sh.say(event.Plain, "%s", a.Text)
	return nil
}

func describe(ctx context.Context, sh *Shell, _ *event.Cell, arg string) error {
	detail := catalog.Brief
	var ids []string
	for _, w := range strings.FieldsFunc(arg, func(r rune) bool { return strings.ContainsRune(" ,\n\t", r) }) {
		switch w {
		case "--full":
			detail = catalog.Full
		case "--luals":
			detail = catalog.LuaLS
		case "--json":
			detail = catalog.JSON
		default:
			ids = append(ids, w)
		}
	}
	if len(ids) == 0 {
		return &UsageError{usage: "/describe [--full|--luals|--json] ID..."}
	}
	return sh.describe(ctx, ids, detail)
}

func (sh *Shell) describe(ctx context.Context, ids []string, d catalog.Detail) error {
	specs, err := sh.options.Session.Describe(ctx, ids, d)
	if err != nil {
		var unknown *catalog.UnknownError
		if errors.As(err, &unknown) {
			return sh.notVisible(unknown)
		}
		return err
	}
	texts := make([]string, len(specs))
	for i, s := range specs {
		texts[i] = sh.specText(s, d)
	}
	sh.say(event.Plain, "%s", strings.Join(texts, "\n\n"))
	return nil
}

// notVisible tells the person more than the model learns: whether an id is hidden, and by what.
func (sh *Shell) notVisible(e *catalog.UnknownError) error {
	if seen := sh.options.Session.View().Why(e.ID); seen.State == "hidden" {
		return fmt.Errorf("%s: hidden by %s; see /catalog view", e.ID, seen.Rule)
	}
	return e
}

func why(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	id := strings.TrimSpace(arg)
	if id == "" {
		return &UsageError{usage: "/why ID|VARIABLE"}
	}
	if _, action := sh.options.Session.View().Lookup(id); !action && !strings.Contains(id, ".") {
		if text, err := sh.Origin(id); text != "" || err != nil {
			sh.say(event.Plain, "%s", text)
			return err
		}
	}
	if err := sh.noVariable(id); err != nil {
		return err
	}
	text, err := sh.Why(id)
	if err != nil {
		return err
	}
	sh.say(event.Plain, "%s", text)
	return nil
}

// noVariable says of what is no id, or begins with a global as in x.id, which variable /why can tell of.
func (sh *Shell) noVariable(arg string) error {
	if sh.options.Session.View().Why(arg).State != "unknown" {
		return nil
	}
	names := strings.FieldsFunc(arg, func(r rune) bool { return !lua.IsName("_" + string(r)) })
	set := func(name string) bool {
		return slices.ContainsFunc(sh.options.Session.Globals(), func(g vm.Global) bool { return g.Name == name })
	}
	if i := slices.IndexFunc(names, set); i >= 0 && (i == 0 || catalog.CheckID(arg) != nil) {
		return fmt.Errorf("%s: no such variable; /why %s tells of %[2]s", arg, names[i])
	}
	if catalog.CheckID(arg) != nil {
		return fmt.Errorf("%s: no such variable and no action; /vars lists the variables", arg)
	}
	return nil
}

// Why says in a few lines whether an action can be seen and called, and by what rule.
func (sh *Shell) Why(id string) (string, error) {
	s := sh.options.Session
	seen := s.View().Why(id)
	switch seen.State {
	case "hidden":
		return fmt.Sprintf("%s: hidden by %s", id, seen.Rule), nil
	case "unknown":
		text := id + ": unknown: in no source of this catalog"
		if len(seen.Near) > 0 {
			text += "\ndid you mean " + strings.Join(seen.Near, ", ") + "?"
		}
		return text, nil
	}
	e, ok := s.View().Lookup(id)
	if !ok {
		return "", fmt.Errorf("%s: not visible", id)
	}
	_, fate := sh.fate(e)
	text := fmt.Sprintf("%s: visible, %s", id, fate)
	if file := filepath.Join(sh.options.Actions, id+".yaml"); e.Source == ownSource {
		if _, err := os.Stat(file); err == nil {
			text += "\nits file: " + file
		}
	}
	for _, line := range s.View().Stale(e) {
		text += "\nuses an action that may not do what it did: " + line + "; almanac test " + id + " tests it again"
	}
	text += "\nthe model can call it " + modelMay(s, id)
	if slices.Contains(s.Discovered(), id) {
		text += "\nfound by a query of this session"
	} else {
		text += "\nnot found by a query of this session"
	}
	return text, nil
}

func modelMay(s *session.Session, id string) string {
	if slices.Contains(s.Described(), id) {
		return "(it was described in this session)"
	}
	return "once it is described"
}

const viewUsage = "/catalog view [turn] [only NAMES | only found | without NAMES | readonly]"

func view(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	s := sh.options.Session
	if arg == "" {
		said := viewText(s.View())
		if all := s.Restricted(); len(all) > 0 {
			said = "narrowed by " + strings.Join(all, ", ") + ": only a new session, without --continue, sees the rest\n" + said
		}
		if turn := s.Turn(); len(turn) > 0 {
			said = "until the turn ends: " + strings.Join(turn, ", ") + "\n" + said
		}
		sh.say(event.Plain, "%s", said)
		return nil
	}
	narrow, how := s.Restrict, "for the rest of this session"
	what := arg
	if word, rest := input.CutWord(arg); word == "turn" {
		narrow, how, what = s.RestrictTurn, "until the next prompt, or line of Lua, has ended", rest
	}
	r, err := viewRules(s, what)
	if err == nil {
		err = narrow(r)
	}
	if err != nil {
		return err
	}
	sh.say(event.Notice, "view narrowed %s\n%s", how, viewText(s.View()))
	return nil
}

// viewRules reads how a view is narrowed.
func viewRules(s *session.Session, arg string) (catalog.Rules, error) {
	verb, rest := input.CutWord(arg)
	names := strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
	r := catalog.Rules{Name: "/catalog view " + arg}
	v := s.View()
	isID := func(name string) bool {
		_, isAction := v.Lookup(name)
		return isAction || strings.ContainsAny(name, pattern.Reserved)
	}
	switch {
	case verb == "only" && rest == "found":
		for _, id := range slices.Concat(s.LastFound(), s.Described()) {
			if isID(id) {
				r.IDs = append(r.IDs, id)
			}
		}
		if len(r.IDs) == 0 {
			return r, errors.New("catalog view only found: nothing was found yet: search with /catalog WORDS first")
		}
	case verb == "only" && slices.ContainsFunc(names, isID):
		for _, name := range names {
			if !isID(name) {
				name += ".*"
			}
			r.IDs = append(r.IDs, name)
		}
	case verb == "only" && len(names) > 0:
		r.Namespaces = names
	case verb == "without" && len(names) > 0:
		for _, name := range names {
			if isID(name) {
				r.DeniedIDs = append(r.DeniedIDs, name)
			} else {
				r.DeniedNamespaces = append(r.DeniedNamespaces, name)
			}
		}
	case verb == "readonly" && len(names) == 0:
		r.ReadOnly = true
	default:
		return r, &UsageError{usage: viewUsage}
	}
	return r, nil
}

func viewText(v *catalog.View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s visible", text.Count(v.Len(), "action"))
	if v.Actor() != "" {
		fmt.Fprintf(&b, " to %s", v.Actor())
	}
	if v.Tenant() != "" {
		fmt.Fprintf(&b, " of %s", v.Tenant())
	}
	for _, c := range v.Children("") {
		fmt.Fprintf(&b, "\n  %-20s %d", c.Name, max(c.Count, 1))
	}
	return b.String()
}
