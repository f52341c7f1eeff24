// This file reads the [roles.NAME] tables of the configuration. A role only narrows: one of both files has to satisfy
// both.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/catalog/search/spelling"
	"almanac/catalog/team"
	"almanac/session/policy"
)

// A roleTable is one [roles.NAME] table.
type roleTable struct {
	name, description, prompt, model string
	// view is the file that viewRules are read from, or empty where they are in the table.
	view       string
	rules      *catalog.Rules
	mode       policy.Mode // empty where the table has none
	policyFile string
	policies   []policy.Rule // those of the table itself
	allow      []policy.Grant
	limits     roleLimits
	// answers and tasks tell what the model may do about mail without a person: nil where the table does not say.
	answers, tasks *bool
	line           int
}

// roleLimits are those of a role: zero bounds nothing.
type roleLimits struct {
	calls, mutations, yourCalls, yourMutations, tokens int
	wait, modelTime, time                              time.Duration
	cost                                               float64
}

// roleKeys are the keys of a table, and roleLimitKeys those of its limits.
var (
	roleKeys = []string{
		"description", "view", "policy", "policy_file", "rule", "allow", "prompt", "model", "limits", "answers", "tasks",
	}
	roleLimitKeys = []string{
		"calls", "mutations", "your_calls", "your_mutations", "wait", "model_time", "time", "tokens", "cost",
	}
)

const rolesKey = "roles."

// takeRoles reads the roles table of a file. Its keys become values of the file, so that they are shown, and approved
// where a project's need that.
func (f *configFile) takeRoles(value any, lines map[string]int) (errs []*keyError) {
	tables, ok := value.(map[string]any)
	if !ok {
		return []*keyError{{Line: lines["roles"], Key: "roles", Message: "want tables: [roles.NAME]"}}
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		at := rolesKey + name
		t := roleTable{name: name, line: lines[at]}
		table, ok := tables[name].(map[string]any)
		switch {
		case !ok:
			errs = append(errs, &keyError{Line: t.line, Key: at, Message: "want a table: [roles.NAME]"})
			continue
		case team.CheckName(name) != nil || name == noRole:
			errs = append(errs, &keyError{Line: t.line, Key: at,
				Message: "want a name of 1 to 32 small letters, digits, _ and -, and not none"})
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(table)) {
			if err := t.take(f, key, table[key], lines); err != nil {
				err.Key, err.Line = at+"."+err.Key, cmp.Or(err.Line, lines[at+"."+err.Key], lines[at+"."+key], t.line)
				errs = append(errs, err)
			}
		}
		f.roles = append(f.roles, t)
	}
	return errs
}

// take sets one key.
func (t *roleTable) take(f *configFile, key string, value any, lines map[string]int) *keyError {
	at := rolesKey + t.name + "." + key
	v := configValue{line: cmp.Or(lines[at], t.line)}
	if v.list, v.many = texts(value); !v.many {
		v.text = fmt.Sprint(value)
	}
	bad := func(format string, args ...any) *keyError {
		return &keyError{Key: key, Message: fmt.Sprintf(format, args...)}
	}
	said, isText := value.(string)
	var err error
	switch key {
	case "description", "prompt", "model":
		*map[string]*string{"description": &t.description, "prompt": &t.prompt, "model": &t.model}[key] = said
	case "policy":
		if t.mode, err = policy.ParseMode(said); err != nil {
			return bad("%v", err)
		}
	case "policy_file":
		t.policyFile = said
	case "allow":
		if t.allow, err = policy.ParseGrants(v.list, "role "+t.name); !v.many || err != nil {
			return bad("want a list of ids and patterns, such as [\"peer.*\"]%s", because(err))
		}
		isText = true
	case "view":
		if table, inline := value.(map[string]any); inline {
			rules, err := catalog.ParseRules(table)
			if err != nil {
				return bad("%v", err)
			}
			t.rules, isText = &rules, true
			v.text = strings.Join(slices.Sorted(maps.Keys(table)), ", ")
		} else {
			t.view = said
		}
	case "answers":
		yes := said == "model"
		if t.answers = &yes; isText && !yes && said != "person" {
			return bad("%q: want person or model", said)
		}
	case "tasks":
		yes, isBool := value.(bool)
		if t.tasks = &yes; !isBool {
			return bad("want true or false")
		}
		isText = true
	case "rule":
		return t.takeRules(f, value)
	case "limits":
		return t.takeLimits(f, value, v.line)
	default:
		return &keyError{Key: key, Message: "unknown key" + nearWord(key, roleKeys),
			hint: "the keys are " + strings.Join(roleKeys, ", ")}
	}
	if !isText {
		return bad("want a text")
	}
	f.values[at] = v
	return nil
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

func nearWord(word string, words []string) string {
	near := spelling.Nearest(strings.ReplaceAll(word, "-", "_"), words)
	if near == "" {
		return ""
	}
	return ": did you mean " + near + "?"
}

// takeRules reads the [[roles.NAME.rule]] tables.
func (t *roleTable) takeRules(f *configFile, value any) *keyError {
	at := rolesKey + t.name
	rules, err := policy.ReadTables(at+".rule", value, string(f.text), filepath.Base(f.path))
	if bad := (*policy.RuleError)(nil); errors.As(err, &bad) {
		return &keyError{Line: bad.Line, Key: strings.TrimPrefix(bad.Key, at+"."), Message: bad.Message}
	}
	for _, rule := range rules {
		_, line, _ := strings.Cut(rule.Place, ":")
		n, _ := strconv.Atoi(line)
		f.values[fmt.Sprintf("%s.rule %d", at, rule.N)] = configValue{text: rule.Words(), line: n}
	}
	t.policies = rules
	return nil
}

// takeLimits reads the limits of a role.
func (t *roleTable) takeLimits(f *configFile, value any, line int) *keyError {
	table, ok := value.(map[string]any)
	if !ok {
		return &keyError{Key: "limits", Message: "want a table: limits = {calls = 20}"}
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		l := &t.limits
		count := map[string]*int{
			"calls": &l.calls, "mutations": &l.mutations, "your_calls": &l.yourCalls, "your_mutations": &l.yourMutations,
			"tokens": &l.tokens,
		}[key]
		span := map[string]*time.Duration{"wait": &l.wait, "model_time": &l.modelTime, "time": &l.time}[key]
		message := ""
		switch {
		case count != nil:
			n, whole := value2int(table[key])
			if *count = n; !whole || n < 1 {
				message = "want a whole number, 1 or more"
			}
		case span != nil:
			text, _ := table[key].(string)
			d, err := time.ParseDuration(text)
			if *span = d; err != nil || d <= 0 {
				message = "want a duration like \"10s\" or \"1m30s\""
			}
		case key == "cost":
			n, isNumber := tomlNumber(table[key])
			if l.cost = n; !isNumber || n <= 0 || n > maxPrice {
				message = "want what all prompts may cost, like 0.5"
			}
		default:
			message = "unknown key" + nearWord(key, roleLimitKeys) + "; want " + strings.Join(roleLimitKeys, ", ")
		}
		if message != "" {
			return &keyError{Key: "limits." + key, Message: message}
		}
		f.values[rolesKey+t.name+".limits."+key] = configValue{text: fmt.Sprint(table[key]), line: line}
	}
	return nil
}

func value2int(value any) (int, bool) {
	n, whole := value.(int64)
	return int(n), whole
}

// harmlessRole tells whether a key of a project's role cannot let anything through, whoever takes the role: what bounds
// and describes. What it tells the model, and what it lets the model do alone, needs approval.
func harmlessRole(key string, v configValue) bool {
	_, key, _ = strings.Cut(strings.TrimPrefix(key, rolesKey), ".")
	switch key {
	case "policy":
		mode, err := policy.ParseMode(v.text)
		return err == nil && !policy.Ask.Stricter(mode)
	case "answers":
		return v.text == "person"
	case "tasks":
		return v.text == "false"
	case "prompt", "allow":
		return false
	}
	return true
}

// without is the table without the keys that need an approval that was not given.
func (t roleTable) without(unapproved []string) roleTable {
	for key, drop := range map[string]func(){
		"policy": func() { t.mode = policy.Ask }, "answers": func() { t.answers = nil }, "tasks": func() { t.tasks = nil },
		"prompt": func() { t.prompt = "" }, "allow": func() { t.allow = nil },
	} {
		if slices.Contains(unapproved, rolesKey+t.name+"."+key) {
			drop()
		}
	}
	return t
}

// roleRows are the tables as almanac config shows them.
func (f configFile) roleRows() (rows []configured) {
	for _, t := range f.roles {
		before := len(rows)
		for _, key := range slices.Sorted(maps.Keys(f.values)) {
			if strings.HasPrefix(key, rolesKey+t.name+".") {
				rows = append(rows, configured{key, f.values[key].String(), at(f, f.values[key])})
			}
		}
		if len(rows) == before {
			rows = append(rows, configured{rolesKey + t.name, "", at(f, configValue{line: t.line})})
		}
	}
	return rows
}

// A role is a role of the configuration: the tables of its name, the user's first.
type role struct {
	name  string
	files []configFile // those of the tables
	parts []roleTable
	alone bool // the session is in no team
}

// roles are those of the configuration, by name.
func (c *config) roles() (all []role) {
	place := map[string]int{}
	for i, f := range []configFile{c.user, c.project} {
		for _, t := range f.roles {
			if i == 1 {
				t = t.without(c.unapproved)
			}
			n, known := place[t.name]
			if !known {
				n = len(all)
				place[t.name], all = n, append(all, role{name: t.name, alone: c.alone})
			}
			all[n].parts, all[n].files = append(all[n].parts, t), append(all[n].files, f)
		}
	}
	slices.SortFunc(all, func(a, b role) int { return strings.Compare(a.name, b.name) })
	return all
}

// role finds a role.
func (c *config) role(name string) (role, error) {
	var names []string
	for _, r := range c.roles() {
		if names = append(names, r.name); r.name == name {
			return r, nil
		}
	}
	near := nearWord(name, names)
	switch {
	case near == "" && len(names) == 0:
		near = ": there are none: a table [roles.NAME] in the configuration makes one"
	case near == "":
		near = ": there are " + strings.Join(names, ", ")
	}
	return role{}, fmt.Errorf("role %s: unknown%s", strconv.Quote(name), near)
}

// first is the first of the texts that a table has.
func (r role) first(text func(roleTable) string) string {
	for _, t := range r.parts {
		if said := text(t); said != "" {
			return said
		}
	}
	return ""
}

func (r role) description() string { return r.first(func(t roleTable) string { return t.description }) }
func (r role) model() string       { return r.first(func(t roleTable) string { return t.model }) }

// says tells whether the tables that say something about it all say yes.
func (r role) says(what func(roleTable) *bool) bool {
	yes := false
	for _, t := range r.parts {
		if said := what(t); said != nil {
			if yes = *said; !yes {
				return false
			}
		}
	}
	return yes
}

// answers tells whether the model may answer questions of peers alone, and tasks whether it may take tasks.
func (r role) answers() bool { return r.says(func(t roleTable) *bool { return t.answers }) }
func (r role) tasks() bool   { return r.says(func(t roleTable) *bool { return t.tasks }) }

// prompt is what the model is told, of all tables.
func (r role) prompt() string {
	var said []string
	for _, t := range r.parts {
		if t.prompt != "" {
			said = append(said, t.prompt)
		}
	}
	return strings.Join(said, "\n")
}

// limits are the smallest of all tables.
func (r role) limits() (l roleLimits) {
	for _, t := range r.parts {
		o := t.limits
		l = roleLimits{
			calls: smaller(l.calls, o.calls), mutations: smaller(l.mutations, o.mutations),
			yourCalls: smaller(l.yourCalls, o.yourCalls), yourMutations: smaller(l.yourMutations, o.yourMutations),
			tokens: smaller(l.tokens, o.tokens), wait: smaller(l.wait, o.wait), modelTime: smaller(l.modelTime, o.modelTime),
			time: smaller(l.time, o.time), cost: smaller(l.cost, o.cost),
		}
	}
	return l
}

// smaller is the smaller of two bounds, of which zero is none.
func smaller[T cmp.Ordered](a, b T) T {
	var none T
	if a == none || b != none && b < a {
		return b
	}
	return a
}

// views are the rules that narrow the view, each with a name that says where it is from.
func (r role) views() (all []catalog.Rules, err error) {
	for i, t := range r.parts {
		var rules catalog.Rules
		switch {
		case t.rules != nil:
			rules = *t.rules
		case t.view != "":
			if rules, err = readRules(beside(r.files[i], t.view)); err != nil {
				return nil, fmt.Errorf("role %s: %w", r.name, err)
			}
		default:
			continue
		}
		rules.Name, rules.Keep = "role "+r.name, teamSource
		if r.alone {
			rules = withoutTeam(rules)
		}
		all = append(all, rules)
	}
	return all, nil
}

// withoutTeam leaves out of what rules deny the actions of a team, which are not there to be denied.
func withoutTeam(rules catalog.Rules) catalog.Rules {
	namespaces := teamActions(team.Entries("")).Reserves
	isTeams := func(name string) bool {
		first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(name)), ".")
		return slices.Contains(namespaces, first)
	}
	rules.DeniedNamespaces = slices.DeleteFunc(slices.Clone(rules.DeniedNamespaces), isTeams)
	rules.DeniedIDs = slices.DeleteFunc(slices.Clone(rules.DeniedIDs), isTeams)
	return rules
}

// policies bound what the session's policy lets through.
func (r role) policies() (all []policy.Role, err error) {
	for i, t := range r.parts {
		p := policy.Policy{Mode: t.mode, Grants: append(slices.Clone(t.allow), r.own()...)}
		if t.policyFile != "" {
			if p.Rules, err = readPolicyFile(beside(r.files[i], t.policyFile)); err != nil {
				return nil, fmt.Errorf("role %s: %w", r.name, err)
			}
		}
		p.Rules = append(p.Rules, t.policies...)
		switch {
		case t.mode == "" && len(p.Rules) == 0:
			continue
		case t.mode == "": // the rules alone bound it
			p.Mode, p.Rules = policy.Session, append(slices.Clip(p.Rules), policy.Others())
		}
		for n := range p.Grants {
			p.Grants[n].N, p.Grants[n].For, p.Grants[n].Early = n+1, policy.ForSession, true
		}
		all = append(all, policy.Role{Name: r.name, Policy: p})
	}
	return all, nil
}

// beside is a path that a file names.
func beside(f configFile, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.path), path)
}

const rolesTemplate = `
# A role narrows a session: --role reviewer and /role reviewer take it, almanac roles lists them. See docs/team.md.
# [roles.reviewer]
# description = "reads and comments"
# view = {denied_namespaces = ["identity"]}   # the keys of a view file, or the path of one
# policy = "readonly"          # and [[roles.reviewer.rule]] tables, as [[policy.rule]], or policy_file = "PATH"
# allow = ["peer.*"]           # what the role's own policy lets through
# prompt = "Look for mistakes; change nothing."
# model = "fast"
# limits = {calls = 20}
# answers = "person"           # "model" lets the model answer questions of peers alone
`
